"""Leases end by the boot clock: setting the wall clock neither frees nor prolongs them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from glob import glob
from pathlib import Path

import pytest

from holdfast import Client
from holdfast._runtime.clock import clock
from tests.engines.sqlite.support import Peer, missing_tool

DAY = 24 * 3600

PLACES = ("/usr/lib/*-linux-gnu*", "/usr/lib", "/usr/lib64", "/usr/local/lib")


class WallClock:
    """The wall clock of the processes that are started with ``env``; it can be set."""

    def __init__(self, library: str, file: Path) -> None:
        self._file = file
        self.set(0)
        self.env = {
            "LD_PRELOAD": library,
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, seconds: int) -> None:
        """Set it so far from the true time."""
        self._file.write_text(f"{seconds:+d}\n")


@pytest.fixture
def wall(tmp_path: Path) -> WallClock:
    found = [library for place in PLACES for library in glob(f"{place}/faketime/libfaketime.so.1")]
    if not found:
        missing_tool("libfaketime is not installed (Debian: apt-get install libfaketime)")
    return WallClock(found[0], tmp_path / "wall-clock")


@pytest.fixture
def shifted(url: str, wall: WallClock) -> Iterator[Peer]:
    """A process whose wall clock can be set."""
    with closing(Peer(url, wall.env)) as peer:
        yield peer


def test_the_wall_clock_of_the_other_process_does_jump(shifted: Peer, wall: WallClock) -> None:
    wall.set(DAY)
    assert shifted.do("wall")["wall"] > time.time() + DAY / 2


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_a_jump_of_the_holders_wall_clock_frees_nothing(
    client: Client, shifted: Peer, wall: WallClock, jump: int
) -> None:
    shifted.acquire("a", ttl=60)
    wall.set(jump)
    shifted.do("renew", name="a")
    assert 50 < shifted.do("check", name="a")["remaining"] <= 60
    snapshot = client.inspect("a")
    assert snapshot is not None
    assert 50 < snapshot.holders[0].remaining <= 60
    assert client.lock("a").try_acquire() is None


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_a_jump_of_the_waiters_wall_clock_frees_nothing(
    client: Client, shifted: Peer, wall: WallClock, jump: int
) -> None:
    lease = client.lock("a", ttl=60).acquire()
    wall.set(jump)
    shifted.send("acquire", name="a", wait=0)
    assert shifted.answer()["error"] == "AcquireTimeout"
    lease.release()
    assert shifted.acquire("a") > lease.fence


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_a_jump_prolongs_nothing(client: Client, shifted: Peer, wall: WallClock, jump: int) -> None:
    wall.set(jump)
    shifted.acquire("a", ttl=0.5, renew=False)
    taken_at = clock()
    lease = client.lock("a").acquire(wait=20)
    assert clock() - taken_at < 15
    shifted.send("check", name="a")
    assert shifted.answer()["error"] == "LeaseLost"
    assert lease.held


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_a_jump_within_a_process_changes_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, jump: int
) -> None:
    lease = client.lock("a", ttl=60).acquire()
    wall = time.time() + jump
    monkeypatch.setattr(time, "time", lambda: wall)
    monkeypatch.setattr(time, "time_ns", lambda: int(wall * 1e9))
    assert 50 < lease.remaining <= 60
    assert client.lock("a").try_acquire() is None
    later = client.lock("b").acquire()
    assert later.fence > lease.fence
    lease.release()


@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_fences_follow_the_file_and_not_the_wall_clock(
    client: Client, shifted: Peer, wall: WallClock, jump: int
) -> None:
    before = client.lock("a").acquire()
    before.release()
    wall.set(jump)
    fence = shifted.acquire("a")
    assert fence == before.fence + 1
