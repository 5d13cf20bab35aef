# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""What a client has running in one event loop or process: an engine and the care for its leases."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from holdfast._core.model import Claim, Grant, Ref
from holdfast._runtime import aio as rt
from holdfast._runtime.clock import clock
from holdfast.errors import EngineError

from .agenda import AsyncAgenda
from .engine import AsyncEngine
from .tenure import HELD, RELEASE_TIMEOUT, AsyncTenure

log = logging.getLogger("holdfast")


class AsyncSession:
    """Renews leases a third of the way in, and ends the trust in those that were not renewed.

    Two workers do this. The first watches the clock and never does I/O, so that an engine which
    does not answer cannot keep any holder from hearing of its loss; it hands what is to be renewed
    to the second.
    """

    def __init__(self, engine: AsyncEngine, scope: object) -> None:
        self.engine = engine
        self.scope = scope
        self.mutex = rt.Mutex()
        self._watchdog = AsyncAgenda("holdfast-watchdog", _next_look, self._look)
        self._renewals = AsyncAgenda("holdfast-renewals", _at_once, self._renew)

    def watch(self, tenure: AsyncTenure) -> None:
        """Take care of a lease from now on."""
        self._watchdog.add(tenure)

    def unwatch(self) -> None:
        """Take note that a lease has ended."""
        self._watchdog.forget()

    async def undo(self, claim: Claim) -> None:
        """Make sure that nothing is left of a claim. Its own failure must not hide the cause."""
        try:
            await rt.shielded(self.engine.release(claim.ref), RELEASE_TIMEOUT)
        except (EngineError, TimeoutError) as exc:
            log.warning("could not clean up a claim of %r: %s", claim.resource, exc)

    async def aclose(self) -> None:
        """Tell the holders of what is still held, release it, and close the engine."""
        held = self._watchdog.held()
        self._renewals.stop()
        self._watchdog.stop()
        for tenure in held:
            tenure.lose("its client was closed")
            await self._release(tenure)
        await self.engine.aclose()

    async def _release(self, tenure: AsyncTenure) -> None:
        try:
            await self.engine.release(tenure.ref)
        except EngineError as exc:
            log.warning("could not release %r: %s", tenure.name, exc)

    async def _look(self, tenures: list[AsyncTenure]) -> None:
        now = clock()
        to_renew: list[AsyncTenure] = []
        for tenure in tenures:
            if tenure.deadline <= now:
                tenure.lose_by_time()
            elif not tenure.renewing and tenure.may_renew(now):
                tenure.renewing = True
                to_renew.append(tenure)
        self._watchdog.add(*(tenure for tenure in tenures if tenure.held))
        if to_renew:
            self._renewals.add(*to_renew)

    async def _renew(self, tenures: list[AsyncTenure]) -> None:
        sent_at = clock()
        outcomes = await self._ask_to_renew([(each.ref, each.ttl) for each in tenures])
        for tenure, outcome in zip(tenures, outcomes, strict=True):
            if isinstance(outcome, Grant):
                tenure.prolong(sent_at)
                if tenure.word is not HELD:  # take back what was prolonged after its end
                    await self._release(tenure)
            elif outcome is None:
                tenure.lose("the engine no longer has it")
            else:
                log.warning("renewal of %r is unknown: %s", tenure.name, outcome)
                tenure.put_off()
            tenure.renewing = False
        self._watchdog.add(*(tenure for tenure in tenures if tenure.held))

    async def _ask_to_renew(
        self, refs: list[tuple[Ref, float]]
    ) -> Sequence[Grant | Exception | None]:
        try:
            return await self.engine.renew_many(refs)
        except Exception as exc:  # an engine's own fault must not end the care for all leases
            log.exception("renew_many raised what no engine should raise")
            return [exc] * len(refs)


def _next_look(tenure: AsyncTenure) -> float:
    return tenure.deadline if tenure.renewing else min(tenure.renew_due, tenure.deadline)


def _at_once(tenure: AsyncTenure) -> float:
    return 0.0
