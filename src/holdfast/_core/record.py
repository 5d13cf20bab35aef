"""One resource as a value, and what acquire, renew and release make of it.

This is the reference that the admission rule lives in: stores that can only load and
compare-and-swap run exactly this code, and engines with their own (SQL, scripts) are compared
with it. Times are seconds of the engine's clock, handed in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .admission import Hold, Place, admits, check_kind, room_after, to_wake
from .model import Busy, Claim, Grant, Holder, Ref, Snapshot
from .text import load_info

#: A waiter that has not asked again for so long is taken for dead. It asks every second at most.
ALIVE = 5.0
#: A waiter that was told of room has so long to claim it before those behind it may.
CLAIM_TIME = 2.0


@dataclass(frozen=True, slots=True)
class Record:
    """All that a store keeps for one resource."""

    kind: str = "lock"
    capacity: int = 1
    fence: int = 0
    """The highest fence ever granted here."""
    holds: tuple[Hold, ...] = ()
    queue: tuple[Place, ...] = ()

    def live(self, now: float) -> tuple[Hold, ...]:
        """The leases that have not ended."""
        return tuple(hold for hold in self.holds if hold.expires > now)

    def waiting(self, now: float) -> tuple[Place, ...]:
        """The waiters that are still there, in order of arrival."""
        return tuple(place for place in self.queue if place.alive_until > now)

    def idle(self, now: float) -> bool:
        """Whether a store may forget this record (its fence apart)."""
        return not self.live(now) and not self.waiting(now)


def acquire(record: Record, claim: Claim, now: float, hint: int) -> tuple[Record, Grant | Busy]:
    """Admit or refuse ``claim``. ``hint`` lets the fence follow a clock or a counter.

    Raises:
        ResourceConflict: the name is in use as another kind of thing.
    """
    live = record.live(now)
    waiting = record.waiting(now)
    if live or waiting:
        check_kind(claim, record.kind, record.capacity)
    others = tuple(place for place in waiting if place.ticket != claim.ticket)
    for hold in live:
        if hold.owner == claim.owner:  # our own grant, whose reply was lost
            return replace(record, holds=live, queue=others), Grant(hold.fence)
    ahead = waiting[: _position(waiting, claim.ticket)]
    if admits(claim, live, ahead):
        fence = max(record.fence + 1, claim.floor + 1, hint)
        hold = Hold(claim.owner, fence, claim.weight, now + claim.ttl, claim.info)
        granted = Record(claim.kind, claim.capacity, fence, (*live, hold), others)
        return granted, Grant(fence)
    busy = Busy(
        claim,
        room_after(claim, live, ahead, now),
        load_info(live[0].info) if live else None,
    )
    queue = waiting
    if claim.ticket:
        place = Place(claim.ticket, claim.weight, claim.fair, now + ALIVE)
        queue = (*ahead, place, *waiting[len(ahead) + 1 :])
    return Record(claim.kind, claim.capacity, record.fence, live, queue), busy


def _position(queue: tuple[Place, ...], ticket: str) -> int:
    for index, place in enumerate(queue):
        if place.ticket == ticket:
            return index
    return len(queue)


def renew(record: Record, ref: Ref, ttl: float, now: float) -> tuple[Record, Grant | None]:
    """Prolong a live lease; never bring one back."""
    for index, hold in enumerate(record.holds):
        if hold.owner == ref.owner and hold.expires > now:
            longer = replace(hold, expires=now + ttl)
            holds = (*record.holds[:index], longer, *record.holds[index + 1 :])
            return replace(record, holds=holds), Grant(hold.fence)
    return record, None


def release(record: Record, ref: Ref, now: float) -> tuple[Record, bool, tuple[str, ...]]:
    """End a lease and withdraw its waiter; the tickets are those to be told that there is room."""
    live = record.live(now)
    kept = tuple(hold for hold in live if hold.owner != ref.owner)
    waiting = tuple(p for p in record.waiting(now) if not ref.ticket or p.ticket != ref.ticket)
    woken = {place.ticket for place in to_wake(record.capacity, kept, waiting)}
    queue = tuple(
        replace(place, alive_until=min(place.alive_until, now + CLAIM_TIME))
        if place.ticket in woken
        else place
        for place in waiting
    )
    tickets = tuple(place.ticket for place in queue if place.ticket in woken)
    return replace(record, holds=kept, queue=queue), len(kept) < len(live), tickets


def snapshot(resource: str, record: Record, now: float) -> Snapshot | None:
    """What whoever asks may see; None when nothing is held and nobody waits."""
    if record.idle(now):
        return None
    holders = tuple(
        Holder(
            hold.fence,
            hold.weight,
            hold.expires - now,
            load_info(hold.info),
            Ref(resource, hold.owner, hold.fence),
        )
        for hold in record.live(now)
    )
    return Snapshot(resource, record.kind, record.capacity, holders, len(record.waiting(now)))
