# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""What a client knows of a lease that it holds, and what it does as the lease ends."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ReferenceType, ref

from holdfast._core.model import Claim, Grant, Ref
from holdfast._core.validity import renew_at, retry_at, trusted_until
from holdfast._runtime import aio as rt
from holdfast._runtime import fork
from holdfast._runtime.clock import clock
from holdfast.errors import EngineError, EngineUnavailable, HoldfastError, LeaseLost, NotHeld

if TYPE_CHECKING:
    from .lease import AsyncLease
    from .session import AsyncSession

log = logging.getLogger("holdfast")

HELD, RELEASED, LOST = "held", "released", "lost"

#: How long a caller is kept waiting for a release whose engine does not answer.
RELEASE_TIMEOUT = 5.0


class AsyncTenure:
    """The state behind a lease: how long to trust it, when to renew it, whom to tell of its loss.

    It is kept apart from the lease so that those who take care of it do not keep the lease alive:
    when the holder has dropped that, the tenure is over.
    """

    __slots__ = (
        "_body", "_hold_until", "_lease", "_lost", "_on_lost", "_process", "_session",
        "deadline", "name", "reason", "ref", "renew_due", "renewing", "ttl", "word",
    )  # fmt: skip

    def __init__(self, session: AsyncSession, name: str, claim: Claim, grant: Grant) -> None:
        self.name = name
        self.ref = Ref(claim.resource, claim.owner, grant.fence)
        self.ttl = claim.ttl
        self.word = HELD
        self.reason = ""
        self.deadline = 0.0
        self.renew_due = float("inf")
        self.renewing = False  # whether a renewal is on its way
        self._hold_until = float("inf")
        self._session = session
        self._process = fork.current()
        self._body: rt.Body | None = None
        self._lost: rt.Event | None = None
        self._on_lost: Callable[[Any], object] | None = None
        self._lease: ReferenceType[AsyncLease] | None = None

    def begin(
        self,
        lease: AsyncLease,
        sent_at: float,
        renew: bool,
        max_hold: float | None,
        on_lost: Callable[[Any], object] | None,
    ) -> None:
        """Start to take care of ``lease``, which was granted by a request sent at ``sent_at``."""
        self._lease = ref(lease)
        self._on_lost = on_lost
        self.deadline = trusted_until(sent_at, self.ttl)
        if renew:
            self.renew_due = renew_at(sent_at, self.ttl)
        if max_hold is not None:
            self._hold_until = sent_at + max_hold
        self._session.watch(self)

    @property
    def held(self) -> bool:
        """Whether it is neither released, nor lost, nor dropped by its holder."""
        return self.word is HELD and self._lease is not None and self._lease() is not None

    @property
    def held_here(self) -> bool:
        """Whether it is held, and by this process, not by the one that this was forked from."""
        return self.word is HELD and self._process is fork.current()

    @property
    def lost(self) -> rt.Event:
        """The event that is set when the lease is lost; made when somebody asks for it."""
        self._check_process()
        if self._lost is None:
            with self._session.mutex:
                if self._lost is None:
                    self._lost = rt.Event()
                    if self.word is LOST:
                        self._lost.set()
        return self._lost

    def check(self) -> None:
        """Raise LeaseLost or NotHeld unless the lease can be trusted at this moment."""
        self._check_process()
        if self.word is HELD and self.deadline <= clock():
            self.lose_by_time()
        if self.word is not HELD:
            raise self._error()

    def _check_process(self) -> None:
        if self._process is not fork.current():
            reason = "it belongs to the process that this one was forked from"
            raise LeaseLost(self.name, self.ref.fence, reason)

    def _error(self) -> LeaseLost | NotHeld:
        if self.word is LOST:
            return LeaseLost(self.name, self.ref.fence, self.reason)
        return NotHeld(self.name, self.ref.fence)

    async def renew(self) -> None:
        """Prolong the lease on its holder's request."""
        self.check()
        sent_at = clock()
        if sent_at >= self._hold_until:
            self.lose("max_hold was reached")
        else:
            grant = await self._session.engine.renew(self.ref, self.ttl)
            await self._session.settle(self, grant, sent_at)
        self.check()

    async def release(self) -> None:
        """End the lease on its holder's request."""
        try:
            await self._release()
        except HoldfastError:
            raise
        except BaseException:  # interrupted, as by Ctrl-C: it may not have been done
            self._end(RELEASED)
            await self._session.undo(self.ref)
            raise

    async def _release(self) -> None:
        self.check()
        if not self._end(RELEASED):
            raise self._error()
        try:
            released = await rt.shielded(self._session.engine.release(self.ref), RELEASE_TIMEOUT)
        except TimeoutError as exc:
            raise EngineUnavailable(f"the release of {self.name!r} had no answer") from exc
        if not released:
            self.word = LOST
            self.reason = "the engine no longer had it at its release"
            self._tell()
            raise self._error()

    async def take_away(self, reason: str) -> None:
        """End the lease against its holder's will, here and in the engine."""
        await self._session.engine.release(self.ref)
        self.lose(reason)

    def enter(self) -> None:
        """Make the running block the one that is interrupted when the lease is lost."""
        self._body = rt.Body()

    async def leave(self, error: BaseException | None) -> None:
        """End the block that ran under the lease; ``error`` is what it raised.

        What the block raised is never replaced, unless it is our own interruption. A release that
        fails is only logged: the block has done its work under the lease, which ends anyway.
        """
        interrupted = self._body is not None and self._body.leave(error)
        self._body = None
        if self.word is RELEASED:
            return
        try:
            await self.release()
        except LeaseLost as lost:
            if error is None or interrupted:
                raise lost from error
            error.add_note(str(lost))
        except EngineError as failed:
            log.warning("%s; the lease ends with its ttl", failed)

    def may_renew(self, now: float) -> bool:
        """Whether to ask for more time now; past ``max_hold`` never again."""
        if now >= self._hold_until:
            self.renew_due = float("inf")
        return not self.renewing and self.renew_due < self.deadline

    def prolong(self, sent_at: float) -> None:
        """Trust a renewal that was sent at ``sent_at``, unless its answer comes too late."""
        if self.deadline <= clock():
            self.lose_by_time()
        elif self.word is HELD:
            self.deadline = max(self.deadline, trusted_until(sent_at, self.ttl))
            if self.renew_due != float("inf"):
                self.renew_due = renew_at(sent_at, self.ttl)

    def put_off(self) -> None:
        """Plan the next renewal after one whose outcome is unknown."""
        self.renew_due = retry_at(clock(), self.deadline)

    def lose_by_time(self) -> None:
        """End the trust because the deadline has come."""
        if self._hold_until < self.deadline:
            self.lose("max_hold was reached")
        elif self.renew_due == float("inf"):
            self.lose("its ttl passed, and it was not to be renewed")
        else:
            self.lose("it could not be renewed in time")

    def lose(self, reason: str) -> None:
        """End the trust in this lease, once and for all, and tell whoever wants to know."""
        if self._end(LOST, reason):
            self._tell()

    def _tell(self) -> None:
        """Tell of the loss, in every way there is."""
        log.warning("lost %r (fence %d): %s", self.name, self.ref.fence, self.reason)
        if self._lost is not None:
            self._lost.set()
        if self._body is not None:
            self._body.interrupt()
        lease = self._lease() if self._lease is not None else None
        if self._on_lost is not None and lease is not None:
            try:
                rt.call_back(self._on_lost, lease)
            except RuntimeError:  # no thread can be started: others must hear of their losses still
                log.exception("on_lost of %r could not be called", self.name)

    def _end(self, word: str, reason: str = "") -> bool:
        """Leave the state of being held, which happens once; False if it has happened before."""
        with self._session.mutex:
            if self.word is not HELD:
                return False
            self.word = word
            self.reason = reason
        self._session.unwatch()
        return True
