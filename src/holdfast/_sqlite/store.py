"""Acquire, renew and release as transactions on the lock file.

What may be granted is decided by ``_core.admission``; here it is only read and written. Expiry
times are seconds of the machine's boot clock, so that setting the wall clock changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from holdfast._core.admission import Hold, Place, admits, check_kind, room_after, to_wake
from holdfast._core.model import Busy, Claim, Grant, Ref, Snapshot
from holdfast._core.record import ALIVE, CLAIM_TIME, Record, snapshot
from holdfast._core.text import load_info
from holdfast._runtime.clock import clock
from holdfast.errors import EngineError

from .database import Database, Execute
from .pipes import post
from .statements import SQL

#: Seconds between two sweeps of what crashed processes have left behind.
SWEEP_EVERY = 60.0
#: Seconds that the clean-up after a claim may take, since its caller's own time is up. What cannot
#: be removed by then ends by itself.
UNDO_TIMEOUT = 0.5
#: Renewals in one transaction: enough to be cheap, few enough to let others in between.
RENEW_BATCH = 500


class _State(NamedTuple):
    """One resource as the file has it, the dead left out."""

    live: list[Hold]
    waiting: list[Place]
    addresses: dict[str, str]
    """Where to tell whom, by ticket; the dead have one too."""
    kind: str
    capacity: int
    expired: bool
    fence: int
    reserved: int


class Store:
    """The lock file as the engine sees it. One caller at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._folder = database.path + "-wake"
        self._sweep_at = 0.0

    def acquire(self, claim: Claim, address: str) -> Grant | Busy:
        """Grant the claim, or queue it under ``address``, where its process can be told.

        Raises:
            ResourceConflict: the name is in use as another kind of thing.
            EngineError: as :meth:`Database.write`.
        """
        self._database.follow()
        while True:
            outcome = self._database.write(self._acquire, claim, address)
            if outcome is not None:
                return outcome
            self._database.reserve_above(claim.floor)

    def _acquire(self, run: Execute, claim: Claim, address: str) -> Grant | Busy | None:
        """Decide and write; None when the next fence is not reserved yet."""
        now = clock()
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_EVERY
            run(SQL["sweep_leases"], (now,))
            run(SQL["sweep_waiters"], (now - SWEEP_EVERY,))
        state = _load(run, claim.resource, now)
        if state.live or state.waiting:
            check_kind(claim, state.kind, state.capacity)
            for hold in state.live:
                if hold.owner == claim.owner:  # our own grant, whose reply was lost
                    run(SQL["withdraw"], (claim.ticket,))
                    return Grant(hold.fence)
        if state.expired:
            run(SQL["expire"], (claim.resource, now))
        ahead = _ahead(state.waiting, claim.ticket)
        if (state.live or ahead) and not admits(claim, state.live, ahead):
            if claim.ticket:
                if all(place.ticket != claim.ticket for place in state.waiting):
                    run(SQL["withdraw"], (claim.ticket,))  # back from the dead: to the end
                run(
                    SQL["queue"],
                    (claim.resource, claim.ticket, claim.kind, claim.capacity, claim.weight,
                     claim.fair, now + ALIVE, address),
                )  # fmt: skip
            holder = load_info(state.live[0].info) if state.live else None
            return Busy(claim, room_after(claim, state.live, ahead, now), holder)
        fence = max(state.fence, claim.floor) + 1
        if fence > state.reserved:
            return None
        run(SQL["fence"], (fence,))
        run(
            SQL["grant"],
            (claim.resource, claim.owner, fence, claim.kind, claim.capacity, claim.weight,
             now + claim.ttl, claim.info),
        )  # fmt: skip
        if claim.ticket in state.addresses:
            run(SQL["withdraw"], (claim.ticket,))
        return Grant(fence)

    def renew(self, refs: Sequence[tuple[Ref, float]]) -> list[Grant | None]:
        """Prolong what is still there.

        Raises:
            EngineError: as :meth:`Database.write`.
        """

        def work(run: Execute) -> list[Grant | None]:
            now = clock()
            return [
                Grant(ref.fence)
                if run(SQL["renew"], (now + ttl, ref.resource, ref.owner, now)).rowcount
                else None
                for ref, ttl in refs
            ]

        self._database.follow()
        return self._database.write(work)

    def release(self, ref: Ref) -> bool:
        """End the lease, withdraw the waiter, and tell those who may claim now.

        Raises:
            EngineError: as :meth:`Database.write`.
        """
        self._database.follow()
        released, called = self._database.write(_release, ref)
        while gone := [box for ticket, box in called if not post(self._folder, box, ticket)]:
            try:
                called = self._database.write(_bury, ref.resource, gone)
            except EngineError:
                break  # the release itself is done; the living look by themselves, in a second
        return released

    def inspect(self, resource: str) -> Snapshot | None:
        """Return the resource as it is now.

        Raises:
            EngineError: as :meth:`Database.write`.
        """
        self._database.follow()
        now = clock()
        return _snapshot(resource, self._database.read(lambda run: _load(run, resource, now)), now)

    def scan(self, prefix: str) -> list[Snapshot]:
        """Return all resources in use whose names start with ``prefix``, in order.

        Raises:
            EngineError: as :meth:`Database.write`.
        """
        self._database.follow()
        names = self._database.read(lambda run: run(SQL["in_use"], (prefix,) * 4).fetchall())
        found = (self.inspect(name) for (name,) in names)
        return [snapshot for snapshot in found if snapshot is not None]

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _release(run: Execute, ref: Ref) -> tuple[bool, list[tuple[str, str]]]:
    """Return whether there was a lease, and whom to tell, by ticket and address."""
    now = clock()
    released = run(SQL["release"], (ref.resource, ref.owner, now)).rowcount > 0
    if ref.ticket:
        run(SQL["withdraw"], (ref.ticket,))
    return released, _call_next(run, ref.resource, now)


def _load(run: Execute, resource: str, now: float) -> _State:
    live: list[Hold] = []
    waiting: list[Place] = []
    addresses: dict[str, str] = {}
    kind, capacity, expired = "lock", 1, False
    rows = run(SQL["load"], (resource, resource)).fetchall()
    epoch = rows.pop()
    for what, number, secret, weight, until, its_kind, its_capacity, text, fair in rows:
        if until > now:
            kind, capacity = its_kind, its_capacity
        if what == 1:
            addresses[secret] = text
            if until > now:
                waiting.append(Place(secret, weight, bool(fair), until))
        elif until > now:
            live.append(Hold(secret, number, weight, until, text))
        else:
            expired = True
    return _State(live, waiting, addresses, kind, capacity, expired, epoch[1], epoch[3])


def _ahead(waiting: list[Place], ticket: str) -> list[Place]:
    for index, place in enumerate(waiting):
        if place.ticket == ticket:
            return waiting[:index]
    return waiting


def _call_next(run: Execute, resource: str, now: float) -> list[tuple[str, str]]:
    """Pick the waiters that may claim now, and give each a short time to do so."""
    if run(SQL["anybody"], (resource, now)).fetchone() is None:
        return []
    state = _load(run, resource, now)
    called = to_wake(state.capacity, state.live, state.waiting)
    for place in called:
        run(SQL["call"], (now + CLAIM_TIME, place.ticket))
    return [(place.ticket, state.addresses[place.ticket]) for place in called]


def _bury(run: Execute, resource: str, gone: list[str]) -> list[tuple[str, str]]:
    for address in gone:
        run(SQL["bury"], (address,))
    return _call_next(run, resource, clock())


def _snapshot(resource: str, state: _State, now: float) -> Snapshot | None:
    record = Record(state.kind, state.capacity, holds=tuple(state.live), queue=tuple(state.waiting))
    return snapshot(resource, record, now)
