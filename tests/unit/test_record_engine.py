"""The engine over load and compare-and-swap, on a store that often answers that it has changed."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import Capabilities, EngineUnavailable, Snapshot
from holdfast._core import record as rules
from holdfast._core.model import Busy, Claim, Grant, Ref
from holdfast._core.record import Record
from holdfast._core.urls import Url
from holdfast._runtime import threads
from holdfast._sync.engines.memory import MemoryEngine
from holdfast._sync.record import RecordEngine


class Flaky(RecordEngine):
    """A store with versions, on which ``fails`` decides whether a swap is refused."""

    capabilities = Capabilities()

    def __init__(self, fails: Callable[[], bool] = lambda: False) -> None:
        super().__init__(Url("flaky"))
        self.records: dict[str, tuple[Record, int]] = {}
        self.time = 1000.0
        self.swaps = 0
        self.told: list[str] = []
        self.fails = fails

    def now(self) -> float:
        return self.time

    def next_fence(self, floor: int) -> int:
        return 0

    def load(self, resource: str) -> tuple[Record | None, Any]:
        return self.records.get(resource, (None, 0))

    def swap(self, resource: str, version: Any, record: Record) -> bool:
        self.swaps += 1
        if self.fails() or self.load(resource)[1] != version:
            return False
        self.records[resource] = (record, version + 1)
        return True

    def notify(self, tickets: tuple[str, ...]) -> None:
        self.told += tickets

    def scan(self, prefix: str) -> Iterator[Snapshot]:
        return iter(())


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr(threads, "sleep", pauses.append)
    return pauses


def claim(owner: str, ticket: str = "") -> Claim:
    return Claim("x", owner, 10, ticket=ticket)


def test_the_whole_life_of_a_lease() -> None:
    engine = Flaky()
    granted = engine.try_acquire(claim("a"))
    assert isinstance(granted, Grant)
    assert isinstance(engine.try_acquire(claim("b", ticket="b")), Busy)
    engine.time += 5
    assert engine.renew(Ref("x", "a"), 10) == granted
    engine.time += 9
    seen = engine.inspect("x")
    assert seen is not None
    assert seen.fence == granted.fence
    engine.try_acquire(claim("b2", ticket="b"))
    assert engine.release(Ref("x", "a"))
    assert engine.told == ["b"]
    assert not engine.release(Ref("x", "a"))


@given(st.integers(0, 2**32), st.floats(0, 0.5))
def test_a_store_that_refuses_sometimes_changes_no_answer(seed: int, rate: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "sleep", lambda pause: None)
        chance, choice = Random(seed), Random(seed + 1)
        flaky, calm = Flaky(lambda: chance.random() < rate), Flaky()
        for step in range(30):
            flaky.time = calm.time = calm.time + choice.choice([0.0, 0.5, 4.0])
            owner = choice.choice("abc")
            what = choice.choice(["acquire", "renew", "release"])
            answers: list[object] = []
            for engine in (flaky, calm):
                if what == "acquire":
                    answers.append(engine.try_acquire(claim(owner, ticket=owner)))
                elif what == "renew":
                    answers.append(engine.renew(Ref("x", owner), 10))
                else:
                    answers.append(engine.release(Ref("x", owner, ticket=owner)))
            assert answers[0] == answers[1], (step, what)
            assert flaky.told == calm.told
            assert flaky.inspect("x") == calm.inspect("x")


def test_somebody_else_comes_between_load_and_swap() -> None:
    """The decision is made anew on what is there by then."""
    engine = Flaky()
    rival = iter([True])

    def intrude() -> bool:
        if next(rival, False):
            record, version = engine.records.get("x", (Record(), 0))
            taken, _ = rules.acquire(record, claim("rival"), engine.time, 0)
            engine.records["x"] = (taken, version + 1)
        return False

    engine.fails = intrude
    assert isinstance(engine.try_acquire(claim("a")), Busy)
    assert engine.swaps == 1


def test_a_store_that_always_refuses_is_unavailable(no_pauses: list[float]) -> None:
    engine = Flaky(lambda: True)
    with pytest.raises(EngineUnavailable, match="'x' changed under us"):
        engine.try_acquire(claim("a"))
    assert no_pauses
    assert max(no_pauses) <= 0.1
    assert engine.inspect("x") is None


def test_what_changes_nothing_writes_nothing() -> None:
    engine = Flaky()
    engine.try_acquire(claim("a"))
    engine.swaps = 0
    engine.try_acquire(claim("a"))  # a replay
    engine.renew(Ref("x", "b"), 10)
    engine.release(Ref("x", "b"))
    assert engine.swaps == 0


def test_renewing_or_releasing_what_never_was_leaves_no_trace() -> None:
    engine = Flaky()
    assert engine.renew(Ref("x", "a"), 10) is None
    assert not engine.release(Ref("x", "a"))
    assert engine.records == {}


# --- the memory engine, which forgets records that are idle --------------------------------------


class Interrupted(MemoryEngine):
    """A memory engine with somebody else running between its load and its swap."""

    between: Callable[[], None] | None = None

    def swap(self, resource: str, version: Any, record: Record) -> bool:
        between, self.between = self.between, None
        if between is not None:
            between()
        return super().swap(resource, version, record)


def fence(outcome: Grant | Busy) -> int:
    assert isinstance(outcome, Grant)
    return outcome.fence


def test_a_fence_is_larger_than_that_of_a_lease_that_came_and_went_meanwhile() -> None:
    url = Url("memory", hosts=(("came-and-went", None),))
    slow, quick = Interrupted(url), MemoryEngine(url)
    seen: list[int] = []

    def come_and_go() -> None:
        seen.append(fence(quick.try_acquire(claim("quick"))))
        assert quick.release(Ref("x", "quick"))

    slow.between = come_and_go
    assert fence(slow.try_acquire(claim("slow"))) > seen[0]


def test_a_fence_follows_a_floor_even_after_the_record_is_forgotten() -> None:
    engine = MemoryEngine(Url("memory", hosts=(("floor", None),)))
    high = fence(engine.try_acquire(Claim("x", "a", 10, floor=10**17)))
    assert high > 10**17
    assert engine.release(Ref("x", "a"))
    assert fence(engine.try_acquire(claim("b"))) > high
