"""The one rule by which every engine and every recipe admits a claim.

A claim of ``weight`` is admitted iff the live weights plus ``weight`` do not exceed ``capacity``.
A mutex is 1 of 1, a semaphore 1 of n, a reader 1 of C and a writer C of C. Order among waiters:
nobody passes a live waiter that is ahead if either of the two asked for fairness.

Engines that cannot call this code (scripts on a server) are tested against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from holdfast.errors import ResourceConflict

from .model import Claim


@dataclass(slots=True)
class Hold:
    """A lease as the engine stores it. Times are seconds of the engine's own clock."""

    owner: str = field(repr=False)
    fence: int
    weight: int
    expires: float
    info: str = "{}"


@dataclass(slots=True)
class Place:
    """A waiter as the engine stores it; dead once ``alive_until`` has passed."""

    ticket: str = field(repr=False)
    weight: int
    fair: bool
    alive_until: float


def describe(kind: str, capacity: int) -> str:
    """How an error names a kind of resource."""
    return kind if capacity == 1 else f"{kind} of {capacity}"


def check_kind(claim: Claim, kind: str, capacity: int) -> None:
    """Refuse to use one name as two things.

    Raises:
        ResourceConflict: the live use of the name differs from the claim's.
    """
    if kind != claim.kind or capacity != claim.capacity:
        raise ResourceConflict(
            claim.resource, describe(claim.kind, claim.capacity), describe(kind, capacity)
        )


def admits(claim: Claim, live: Iterable[Hold], ahead: Iterable[Place]) -> bool:
    """Whether ``claim`` may have its weight now. ``live`` and ``ahead`` hold the living only."""
    used = sum(hold.weight for hold in live)
    if used + claim.weight > claim.capacity:
        return False
    return not any(place.fair or claim.fair for place in ahead)


def room_after(
    claim: Claim, live: Sequence[Hold], ahead: Sequence[Place], now: float
) -> float | None:
    """Seconds until ``claim`` may be admitted if nobody does anything: leases and stamps end."""
    free = claim.capacity - sum(hold.weight for hold in live)
    wait = 0.0
    for hold in sorted(live, key=lambda hold: hold.expires):
        if free >= claim.weight:
            break
        free += hold.weight
        wait = hold.expires - now
    blocking = [place.alive_until - now for place in ahead if place.fair or claim.fair]
    return max([wait, *blocking])


def to_wake(capacity: int, live: Iterable[Hold], queue: Iterable[Place]) -> list[Place]:
    """The waiters that would be admitted now, in order: the ones that a release has to tell."""
    free = capacity - sum(hold.weight for hold in live)
    woken: list[Place] = []
    passed = False  # whether somebody who does not fit stays behind
    for place in queue:
        if free <= 0:
            break
        if place.weight <= free and not (place.fair and passed):
            woken.append(place)
            free -= place.weight
        elif place.fair:
            break
        else:
            passed = True
    return woken
