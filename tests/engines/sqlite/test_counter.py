"""Many processes count together under one lock, and some of them are killed."""

from __future__ import annotations

import contextlib
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.engines.sqlite.support import assert_sound, start
from tests.engines.sqlite.workers.counter import LINE, Entry, parse

PROCESSES = 64
INCREMENTS = 200
TTL = 3.0
#: For a machine that has other things to do: it may be late, but a lock is never lost for good.
SLACK = 10.0

#: Where in its work a holder dies, each by itself: there the lock stays behind until its ttl.
PLACES = ("held", "begun", "written", "ended")
#: How many more are killed at any moment; nearly all of them wait at that moment.
KILLS = 20


class Crew:
    """The processes, one for each slot."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self.journal = folder / "journal"
        self.at_work: dict[int, subprocess.Popen[str]] = {}

    def send(self, slot: int, die_at: int = -1, die_where: str = "-") -> None:
        """Put a process on a slot: it makes up what its predecessor has left undone."""
        self.at_work[slot] = start(
            "counter", self.url, self.folder, slot, INCREMENTS, TTL, die_at, die_where
        )

    def progress(self) -> int:
        """How many lines the journal has."""
        return self.journal.stat().st_size // LINE if self.journal.exists() else 0

    def kill(self, slot: int) -> None:
        """Kill the process on the slot and put another one there."""
        process = self.at_work[slot]
        process.kill()
        process.wait()
        self.send(slot)

    def replace_the_dead(self) -> int:
        """Fill the slots whose processes have killed themselves; return how many."""
        dead = [slot for slot, process in self.at_work.items() if process.poll() == -9]
        for slot in dead:
            self.send(slot)
        return len(dead)

    def working(self) -> list[int]:
        """The slots that are not done."""
        return [slot for slot, process in self.at_work.items() if process.poll() is None]


@pytest.fixture
def crew(url: str, tmp_path: Path) -> Iterator[Crew]:
    crew = Crew(url, tmp_path)
    yield crew
    for process in crew.at_work.values():
        process.kill()
        process.wait()


@pytest.mark.timeout(300)
def test_no_increment_is_lost_though_holders_and_waiters_are_killed(crew: Crew, path: Path) -> None:
    chance = random.Random(20)
    total = PROCESSES * INCREMENTS
    for slot in range(PROCESSES):
        if slot < len(PLACES):
            crew.send(slot, die_at=INCREMENTS // 2, die_where=PLACES[slot])
        else:
            crew.send(slot)
    plan = sorted(chance.randrange(2 * total * 3 // 4) for _ in range(KILLS))
    suicides = 0
    while working := crew.working():
        if plan and crew.progress() >= plan[0]:
            plan.pop(0)
            crew.kill(chance.choice([slot for slot in working if slot >= len(PLACES)]))
        with contextlib.suppress(subprocess.TimeoutExpired):
            crew.at_work[working[0]].wait(0.02)
        suicides += crew.replace_the_dead()

    assert suicides == len(PLACES)
    assert not plan, "everybody was done before all were killed that should have been"
    assert {process.wait() for process in crew.at_work.values()} == {0}

    entries = [parse(line) for line in crew.journal.read_text().splitlines()]
    ends = [entry for entry in entries if entry.kind == "E"]
    assert (crew.folder / "counter").read_text() == f"{total:06}"
    assert [entry.value for entry in ends] == list(range(1, total + 1))
    assert Counter(entry.slot for entry in ends) == dict.fromkeys(range(PROCESSES), INCREMENTS)
    assert_fences_rise(entries)
    gap = longest_gap(entries)
    print(f"{total / (entries[-1].at - entries[0].at):.0f} increments/s, longest gap {gap:.3f} s")
    assert gap < TTL + SLACK
    assert_sound(path)


def assert_fences_rise(entries: list[Entry]) -> None:
    fences = [entry.fence for entry in entries if entry.kind == "B"]
    assert all(earlier < later for earlier, later in pairwise(fences))


def longest_gap(entries: list[Entry]) -> float:
    return max(later.at - earlier.at for earlier, later in pairwise(entries))
