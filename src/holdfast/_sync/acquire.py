# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""The loop that claims a resource until it is granted or until the time is up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast._core.backoff import Backoff, poll_pause
from holdfast._core.model import Busy, Claim, Grant
from holdfast._core.validity import trusted_until
from holdfast._runtime import threads as rt
from holdfast._runtime.chance import RANDOM
from holdfast._runtime.clock import clock
from holdfast.errors import EngineUnavailable

if TYPE_CHECKING:
    from .engine import Engine
    from .session import Session

#: A waiter that came away empty so often is passed by newcomers no more.
PATIENCE = 3

_BACKOFF = Backoff()


def new_secret() -> str:
    """Return 128 random bits: an owner, or a ticket."""
    return os.urandom(16).hex()


def claim_until(
    session: Session, claim: Claim, wait: float | None
) -> tuple[Grant, float] | Busy:
    """Claim for ``wait`` seconds in all; return the grant and when it was sent for, or the last no.

    The caller undoes the claim when this raises, and when it returns ``Busy`` for a queued claim.
    After a no the next attempt has a fresh owner. After an error, which leaves open what was done,
    it keeps its owner, and so finds its own grant if there is one. An engine that does not answer
    the first attempt is an error at once; one that goes away while we wait has a ttl to come back.

    Raises:
        ResourceConflict, EngineError: as the engine says; also when the client is closed.
    """
    engine = session.engine
    deadline = None if wait is None else clock() + wait
    answered_at: float | None = None
    attempt = 0
    sent_at = clock()
    while True:
        if deadline is not None and wait:
            claim.timeout = max(deadline - clock(), 0.001)
        try:
            outcome = engine.try_acquire(claim)
        except EngineUnavailable:
            left = _left(deadline)
            if answered_at is None or clock() - answered_at > claim.ttl or left <= 0:
                raise
            rt.sleep(min(_BACKOFF.pause(attempt, RANDOM), left))
            attempt += 1
            continue
        answered_at = clock()
        if isinstance(outcome, Grant):
            if trusted_until(sent_at, claim.ttl) <= answered_at:
                raise EngineUnavailable(
                    f"the answer took {answered_at - sent_at:.3f} s, longer than the lease lasts"
                )
            return outcome, sent_at
        left = _left(deadline)
        if left <= 0:
            return outcome
        engine.wait(outcome, min(_pause(engine, outcome, attempt), left))
        session.check_open()
        attempt += 1
        claim.owner = new_secret()
        sent_at = clock()  # not after an error: the grant we may find then is of the first request
        claim.fair = claim.fair or (attempt >= PATIENCE and engine.capabilities.fair)


def _left(deadline: float | None) -> float:
    return float("inf") if deadline is None else deadline - clock()


def _pause(engine: Engine, busy: Busy, attempt: int) -> float:
    """Return how long to wait for a wake-up at the most before looking again."""
    push = engine.capabilities.push
    pause = poll_pause(RANDOM) if push else _BACKOFF.pause(attempt, RANDOM)
    if busy.retry_after is None:
        return pause
    return min(pause, max(busy.retry_after, 0.0) + 0.001)  # nobody tells when a lease expires
