# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""What a client has running in one event loop or process: an engine and the care for its leases."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from weakref import ref

from holdfast._core.model import Grant, Ref
from holdfast._runtime import aio as rt
from holdfast._runtime.clock import clock
from holdfast.errors import EngineError, HoldfastError

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
        self.scope = ref(scope)  # weakly: an event loop must be able to go
        self.mutex = rt.Mutex()
        self._claims = 0  # under way
        self._closing = False
        self._idle = rt.Event()
        self._watchdog = AsyncAgenda("holdfast-watchdog", _next_look, self._look)
        self._renewals = AsyncAgenda("holdfast-renewals", _at_once, self._renew)

    def check_open(self) -> None:
        """Return if the client is not closed.

        Raises:
            EngineError: it is.
        """
        if self._closing:
            raise EngineError("this client is closed")

    def begin_claim(self) -> None:
        """Take note of a claim under way, for which closing the client waits.

        Raises:
            EngineError: the client is closed.
        """
        with self.mutex:
            self.check_open()
            self._claims += 1

    def end_claim(self) -> None:
        """Take note that a claim has come to its end, its clean-up included."""
        with self.mutex:
            self._claims -= 1
            if self._closing and not self._claims:
                self._idle.set()

    def watch(self, tenure: AsyncTenure) -> None:
        """Take care of a lease from now on.

        Raises:
            EngineError: the client was closed meanwhile.
        """
        if not self._watchdog.add(tenure):
            self.check_open()

    def unwatch(self) -> None:
        """Take note that a lease has ended."""
        self._watchdog.forget()

    def held(self) -> list[AsyncTenure]:
        """Return the leases that are in care."""
        return self._watchdog.held()

    async def undo(self, ref: Ref) -> None:
        """Make sure that nothing is left of a claim. Its own failure must not hide the cause."""
        try:
            await rt.shielded(self.engine.release(ref), RELEASE_TIMEOUT)
        except (HoldfastError, TimeoutError) as exc:
            log.warning("could not clean up a claim of %r: %s", ref.resource, exc)

    async def aclose(self) -> None:
        """Tell the holders of what is still held, release it, and close the engine.

        Claims under way end first, so that they can clean up after themselves.
        """
        with self.mutex:
            self._closing = True
            if not self._claims:
                self._idle.set()
        self._renewals.stop()
        await self._give_up(self._watchdog.stop())
        self.engine.wake_all()
        await self._idle.wait(RELEASE_TIMEOUT)
        await self.engine.aclose()

    async def _give_up(self, tenures: list[AsyncTenure]) -> None:
        for tenure in tenures:
            tenure.lose("its client was closed")
            await self._release(tenure)

    async def _release(self, tenure: AsyncTenure) -> None:
        try:
            await self.engine.release(tenure.ref)
        except EngineError as exc:
            log.warning("could not release %r: %s", tenure.name, exc)

    async def _care_for(self, tenures: list[AsyncTenure]) -> None:
        held = [tenure for tenure in tenures if tenure.held]
        if not self._watchdog.add(*held):
            await self._give_up(held)

    async def _look(self, tenures: list[AsyncTenure]) -> None:
        now = clock()
        to_renew: list[AsyncTenure] = []
        for tenure in tenures:
            if tenure.deadline <= now:
                tenure.lose_by_time()
            elif tenure.may_renew(now):
                tenure.renewing = True
                to_renew.append(tenure)
        await self._care_for(tenures)
        if to_renew:
            self._renewals.add(*to_renew)

    async def _renew(self, tenures: list[AsyncTenure]) -> None:
        sent_at = clock()
        try:
            outcomes = await self._ask_to_renew([(each.ref, each.ttl) for each in tenures])
            for tenure, outcome in zip(tenures, outcomes, strict=True):
                await self.settle(tenure, outcome, sent_at)
        finally:
            for tenure in tenures:
                tenure.renewing = False
            await self._care_for(tenures)

    async def settle(
        self, tenure: AsyncTenure, outcome: Grant | Exception | None, sent_at: float
    ) -> None:
        """Draw the conclusions from what became of a renewal that was sent at ``sent_at``."""
        if isinstance(outcome, Grant):
            tenure.prolong(sent_at)
            if tenure.word is not HELD:  # take back what was prolonged after its end
                await self._release(tenure)
        elif outcome is None:
            tenure.lose("the engine no longer has it")
        else:
            log.warning("renewal of %r is unknown: %s", tenure.name, outcome)
            tenure.put_off()

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
    return clock()
