"""The SQLite store answers as the reference does, whatever is asked in whichever order.

Random sequences of claims, replays, renewals, releases and passing time run against both. After
every step the answers, the holders, the queue and those who were told of room must agree, and
fences must only ever increase.
"""

import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from holdfast._core import record as rules
from holdfast._core.model import Busy, Claim, Grant, Ref
from holdfast._core.record import Record
from holdfast._sqlite import store as store_module
from holdfast._sqlite.database import Database
from holdfast._sqlite.store import Store
from holdfast.errors import ResourceConflict

#: name → kind and capacity
RESOURCES = {"lock:mutex": ("lock", 1), "lock:pool": ("semaphore", 3)}

# Exact in binary, so that two ways to add them up agree, and so that moments meet.
ttls = st.sampled_from([0.25, 1.0, 2.0, 10.0])
steps = st.sampled_from([0.25, 0.5, 1.0, 3.0, 10.0, 100.0])
names = st.sampled_from(sorted(RESOURCES))
weights = st.integers(1, 3)


class Twins:
    """The reference and the store, asked the same things at the same moments."""

    def __init__(self, folder: Path) -> None:
        self.now = 1000.0
        self.records: dict[str, Record] = {}
        self.store = Store(Database(str(folder / "locks.db"), create_folder=False))
        self.told: list[str] = []
        self.highest: dict[str, int] = {}
        self.fences: dict[str, tuple[int, int]] = {}  # by owner: the reference's, the store's
        self._hint = 0

    @contextmanager
    def patched(self) -> Generator[None]:
        def post(folder: str, address: str, ticket: str) -> bool:
            self.told.append(ticket)
            return True

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store_module, "clock", lambda: self.now)
            patch.setattr(store_module, "post", post)
            yield

    def record(self, name: str) -> Record:
        return self.records.get(name, Record())

    def acquire(self, claim: Claim) -> Grant | Busy | ResourceConflict:
        """Ask both; return the store's answer."""
        before = self.record(claim.resource)
        replayed = any(hold.owner == claim.owner for hold in before.live(self.now))
        answer = self._refer(before, claim)
        if isinstance(answer, ResourceConflict):
            with pytest.raises(ResourceConflict) as caught:
                self.store.acquire(claim, "address")
            assert str(caught.value) == str(answer)
            return answer
        self.records[claim.resource], wanted = answer
        found = self.store.acquire(claim, "address")
        assert type(found) is type(wanted), (found, wanted)
        if isinstance(found, Busy) and isinstance(wanted, Busy):
            assert (found.retry_after, found.holder) == (wanted.retry_after, wanted.holder)
        elif isinstance(found, Grant) and isinstance(wanted, Grant):
            self._check_fence(claim, wanted.fence, found.fence, replayed)
        return found

    def _refer(
        self, record: Record, claim: Claim
    ) -> tuple[Record, Grant | Busy] | ResourceConflict:
        try:
            return rules.acquire(record, claim, self.now, 0)
        except ResourceConflict as exc:
            return exc

    def _check_fence(self, claim: Claim, wanted: int, found: int, replayed: bool) -> None:
        if replayed:
            assert self.fences[claim.owner] == (wanted, found)
        else:
            assert found > self.highest.get(claim.resource, claim.floor)
            self.highest[claim.resource] = found
            self.fences[claim.owner] = (wanted, found)

    def renew(self, ref: Ref, ttl: float) -> bool:
        record, wanted = rules.renew(self.record(ref.resource), ref, ttl, self.now)
        self.records[ref.resource] = record
        (found,) = self.store.renew([(ref, ttl)])
        assert (found is None) == (wanted is None)
        return found is not None

    def release(self, ref: Ref) -> list[str]:
        """Release in both; return the tickets of those who were told."""
        record, wanted, tickets = rules.release(self.record(ref.resource), ref, self.now)
        self.records[ref.resource] = record
        self.told = []
        assert self.store.release(ref) is wanted
        assert self.told == list(tickets)
        return self.told

    def compare(self) -> None:
        for name in RESOURCES:
            record = self.record(name)
            found = self.store.inspect(name)
            wanted = rules.snapshot(name, record, self.now)
            if found is None or wanted is None:
                assert found is wanted is None, (found, wanted)
                continue
            assert (found.kind, found.capacity, found.waiters) == (
                wanted.kind,
                wanted.capacity,
                wanted.waiters,
            )
            assert [(h.ref and h.ref.owner, h.weight, h.remaining) for h in found.holders] == [
                (h.ref and h.ref.owner, h.weight, h.remaining) for h in wanted.holders
            ]
            fences = [holder.fence for holder in found.holders]
            assert fences == sorted(set(fences))
            assert sum(holder.weight for holder in found.holders) <= found.capacity
            assert self.waiting(name) == list(record.waiting(self.now))

    def waiting(self, name: str) -> list[object]:
        state = self.store._database.read(lambda run: store_module._load(run, name, self.now))
        return list(state.waiting)


class StoreAgainstRecord(RuleBasedStateMachine):
    """Everybody who may ask anything of a lock file, in any order."""

    @initialize()
    def start(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-test-"))
        self.twins = Twins(self.folder)
        self.patches = self.twins.patched()
        self.patches.__enter__()
        self.claims: list[Claim] = []
        self.count = 0

    def secret(self) -> str:
        self.count += 1
        return f"{self.count:032x}"

    def ask(self, claim: Claim) -> None:
        self.claims.append(replace(claim))
        self.twins.acquire(claim)

    @rule(name=names, weight=weights, ttl=ttls, fair=st.booleans(), waits=st.booleans(),
          floor=st.sampled_from([0, 0, 10**17]))  # fmt: skip
    def claim(
        self, name: str, weight: int, ttl: float, fair: bool, waits: bool, floor: int
    ) -> None:
        kind, capacity = RESOURCES[name]
        owner = self.secret()
        weight = min(weight, capacity)
        ticket = owner if waits else ""
        info = f'{{"pid":{self.count}}}'
        self.ask(Claim(name, owner, ttl, kind, weight, capacity, ticket, fair, floor, info))

    @rule(name=names, waits=st.booleans())
    def claim_as_another_kind(self, name: str, waits: bool) -> None:
        owner = self.secret()
        self.ask(Claim(name, owner, 1.0, "semaphore", 1, 5, owner if waits else ""))

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), patient=st.booleans())
    def claim_again(self, data: st.DataObject, patient: bool) -> None:
        """As a waiter does: a fresh owner, the same ticket, and fairness after some time."""
        claim = data.draw(st.sampled_from(self.claims))
        self.ask(replace(claim, owner=self.secret(), fair=claim.fair or patient))

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def replay(self, data: st.DataObject) -> None:
        """As after a lost reply: the very same claim once more."""
        self.twins.acquire(replace(data.draw(st.sampled_from(self.claims))))

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), ttl=ttls)
    def renew(self, data: st.DataObject, ttl: float) -> None:
        claim = data.draw(st.sampled_from(self.claims))
        self.twins.renew(Ref(claim.resource, claim.owner), ttl)

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), withdraws=st.booleans())
    def release(self, data: st.DataObject, withdraws: bool) -> None:
        claim = data.draw(st.sampled_from(self.claims))
        self.twins.release(claim.ref if withdraws else Ref(claim.resource, claim.owner))

    @rule(seconds=steps)
    def time_passes(self, seconds: float) -> None:
        self.twins.now += seconds

    @invariant()
    def agree(self) -> None:
        if hasattr(self, "twins"):
            self.twins.compare()

    def teardown(self) -> None:
        if hasattr(self, "twins"):
            self.patches.__exit__(None, None, None)
            self.twins.store.close()
            shutil.rmtree(self.folder)


StoreAgainstRecord.TestCase.settings = settings(max_examples=60, stateful_step_count=30)
TestStoreAgainstRecord = StoreAgainstRecord.TestCase


# --- what the machine has found, each in a few lines ---------------------------------------------


@pytest.fixture
def twins(tmp_path: Path) -> Iterator[Twins]:
    twins = Twins(tmp_path)
    with twins.patched():
        yield twins
    twins.store.close()


def mutex(owner: str, ttl: float = 10.0, ticket: str = "", fair: bool = False) -> Claim:
    return Claim("lock:mutex", owner, ttl, ticket=ticket, fair=fair)


def pool(owner: str, weight: int = 1, ttl: float = 10.0, ticket: str = "") -> Claim:
    return Claim("lock:pool", owner, ttl, "semaphore", weight, 3, ticket)


def test_a_waiter_that_comes_back_from_the_dead_goes_to_the_end(twins: Twins) -> None:
    twins.acquire(mutex("a", 1000))
    twins.acquire(mutex("b", ticket="b"))
    twins.now += 2
    twins.acquire(mutex("c", ticket="c"))
    twins.now += 2
    twins.acquire(mutex("b2", ticket="b"))
    twins.compare()


def test_the_last_lease_of_a_pool_tells_all_for_whom_there_is_room(twins: Twins) -> None:
    twins.acquire(pool("a", 3))
    twins.acquire(pool("b", 1, ticket="b"))
    twins.acquire(pool("c", 2, ticket="c"))
    assert twins.release(pool("a").ref) == ["b", "c"]


def test_the_last_lease_of_a_pool_tells_one_who_wants_all_of_it(twins: Twins) -> None:
    twins.acquire(pool("a", 1))
    twins.acquire(pool("b", 3, ticket="b"))
    assert twins.release(pool("a").ref) == ["b"]


def test_a_name_that_is_only_waited_for_has_its_kind(twins: Twins) -> None:
    twins.acquire(pool("a", 3, ttl=1.0))
    twins.acquire(pool("b", 1, ticket="b"))
    twins.now += 2
    twins.compare()


def test_a_replay_withdraws_its_waiter(twins: Twins) -> None:
    twins.acquire(mutex("a"))
    twins.acquire(mutex("b", ticket="t"))
    twins.release(mutex("a").ref)
    twins.acquire(mutex("b2", ticket="t"))  # granted, and no longer queued
    twins.acquire(mutex("b", ticket="t"))  # delivered twice, the second time late
    twins.acquire(mutex("b2", ticket="t"))
    twins.compare()
