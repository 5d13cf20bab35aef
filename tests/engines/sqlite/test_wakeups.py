"""Waiters in other processes are woken through pipes: at once, and for next to nothing."""

from __future__ import annotations

import logging
import os
import sqlite3
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import Client, EngineUnavailable
from holdfast._core.record import CLAIM_TIME
from tests.engines.sqlite.support import Peer, cpu_seconds, query, until, waiters

#: A waiter that nobody wakes looks by itself, no sooner than this.
POLL = 0.5


def wake_folder(path: Path) -> Path:
    return Path(f"{path}-wake")


def boxes(path: Path) -> list[str]:
    return sorted(os.listdir(wake_folder(path)))


# --- how soon, and at what cost -------------------------------------------------------------------


def test_a_hand_off_takes_milliseconds(peers: Callable[[], Peer]) -> None:
    """Ping-pong between two processes: the time from a release to the grant in the other one."""
    holder, waiter = peers(), peers()
    holder.acquire("a")
    delays = []
    for _ in range(50):
        waiter.send("acquire", name="a")
        holder.do("queued", name="a")
        released = holder.do("release", name="a")
        delays.append(waiter.answer()["done"] - released["started"])
        holder, waiter = waiter, holder
    median = statistics.median(delays)
    print(f"hand-off: median {median * 1e3:.2f} ms, longest {max(delays) * 1e3:.2f} ms")
    assert median < 0.05
    # By push, and not by luck: of pauses of 0.5 s and more, hardly one ends so soon.
    assert sum(delay < POLL / 2 for delay in delays) > 45


def test_waiting_costs_nearly_nothing(client: Client, peers: Callable[[], Peer]) -> None:
    lease = client.lock("a", ttl=60).acquire()
    waiter = peers()
    waiter.send("acquire", name="a")
    until(lambda: waiters(client, "a"))
    before = cpu_seconds(waiter.pid)
    time.sleep(4)  # what is measured is that nothing happens
    used = (cpu_seconds(waiter.pid) - before) / 4
    print(f"waiting: {used:.2%} of a core")
    assert used < 0.01
    lease.release()
    waiter.answer()


def test_expiry_wakes_too(client: Client, peers: Callable[[], Peer]) -> None:
    dying, waiter = peers(), peers()
    expires = dying.do("acquire", name="a", ttl=2.0, renew=False)["done"] + 2.0
    waiter.send("acquire", name="a")
    until(lambda: waiters(client, "a"))
    dying.kill()
    late = waiter.answer()["done"] - expires
    print(f"granted {late * 1e3:.1f} ms after the expiry")
    assert late < POLL / 2


# --- those who cannot answer ----------------------------------------------------------------------


def queue_up(client: Client, name: str, crowd: list[Peer], **options: object) -> None:
    """Have them wait one after the other."""
    for count, peer in enumerate(crowd, start=1):
        peer.send("acquire", name=name, ttl=60, **options)
        until(lambda count=count: waiters(client, name) == count)  # type: ignore[misc]


def test_dead_waiters_are_skipped_at_once(
    client: Client, peers: Callable[[], Peer], path: Path
) -> None:
    dead, alive = [peers() for _ in range(3)], peers()
    lease = client.lock("a", ttl=60).acquire()
    queue_up(client, "a", [*dead, alive], fair=True)
    for peer in dead:
        peer.kill()
    assert waiters(client, "a") == 4  # nobody knows yet
    released_at = time.clock_gettime(time.CLOCK_BOOTTIME)
    lease.release()
    delay = alive.answer()["done"] - released_at
    print(f"past three dead: {delay * 1e3:.1f} ms")
    assert delay < CLAIM_TIME
    assert query(path, "SELECT * FROM waiter") == []


def test_a_frozen_waiter_delays_the_queue_by_its_short_claim(
    client: Client, peers: Callable[[], Peer]
) -> None:
    frozen, alive = peers(), peers()
    lease = client.lock("a", ttl=60).acquire()
    queue_up(client, "a", [frozen, alive], fair=True)
    frozen.stop()
    released_at = time.clock_gettime(time.CLOCK_BOOTTIME)
    lease.release()
    delay = alive.answer()["done"] - released_at
    print(f"past a frozen one: {delay:.3f} s")
    # The one behind looks once a second, and from then on knows when the claim ends.
    assert delay < CLAIM_TIME + 1.0 + 2.0
    frozen.resume()
    alive.release("a")
    assert frozen.answer()["done"] > released_at + delay


def test_frozen_for_long_it_is_taken_for_dead(client: Client, peers: Callable[[], Peer]) -> None:
    frozen = peers()
    lease = client.lock("a", ttl=60).acquire()
    queue_up(client, "a", [frozen], fair=True)
    frozen.stop()
    until(lambda: waiters(client, "a") == 0)
    lease.release()
    with client.lock("a", wait=0):
        pass
    frozen.resume()
    assert "error" not in frozen.answer()


# --- pipes ----------------------------------------------------------------------------------------


def test_a_closed_client_takes_its_pipe_away(url: str, path: Path) -> None:
    with Client(url) as client, client.lock("a"):
        assert len(boxes(path)) == 1
    assert boxes(path) == []


def test_pipes_of_the_dead_are_swept(client: Client, peers: Callable[[], Peer], path: Path) -> None:
    crowd = [peers() for _ in range(3)]
    for peer in crowd:
        peer.acquire("a")
        peer.release("a")
    assert len(boxes(path)) == 3
    for peer in crowd:
        peer.kill()
    assert len(boxes(path)) == 3
    with client.lock("a"):
        assert len(boxes(path)) == 1


def test_pipes_of_the_living_stay(client: Client, peers: Callable[[], Peer], path: Path) -> None:
    peer = peers()
    peer.acquire("a", ttl=60)
    with client.lock("b"):
        assert len(boxes(path)) == 2


def test_without_a_pipe_waiters_look_by_themselves(
    client: Client,
    make_client: Callable[[], Client],
    path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    wake_folder(path).write_text("this is no folder")
    lease = client.lock("a", ttl=60).acquire()
    assert "waiters poll" in caplog.text
    assert len(caplog.records) == 1
    other = make_client()
    with pytest.raises(TimeoutError):
        other.lock("a").acquire(wait=0.1)
    assert waiters(client, "a") == 0
    lease.release()
    with other.lock("a", wait=5):
        pass


def test_the_pipe_is_made_once_it_can_be(
    client: Client, peers: Callable[[], Peer], path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wake_folder(path).write_text("this is no folder")
    with caplog.at_level(logging.ERROR):
        lease = client.lock("a", ttl=60).acquire()
    waiter = peers()
    waiter.send("acquire", name="a")
    until(lambda: waiters(client, "a"))
    wake_folder(path).unlink()
    until(lambda: query(path, "SELECT * FROM waiter WHERE address != ''"))
    lease.release()
    waiter.answer()


def test_a_pipe_that_was_removed_is_made_anew(
    client: Client, peers: Callable[[], Peer], path: Path
) -> None:
    """As by a job that cleans up a folder. The waiter keeps its place, and is woken again."""
    lease = client.lock("a", ttl=60).acquire()
    waiter = peers()
    waiter.send("acquire", name="a")
    until(lambda: waiters(client, "a"))
    [[address]] = query(path, "SELECT address FROM waiter")
    (wake_folder(path) / address).unlink()
    until(lambda: query(path, "SELECT * FROM waiter WHERE address NOT IN ('', ?)", (address,)))
    released_at = time.clock_gettime(time.CLOCK_BOOTTIME)
    lease.release()
    assert waiter.answer()["done"] - released_at < POLL


def test_a_removed_folder_costs_the_others_nothing(
    client: Client, peers: Callable[[], Peer], path: Path
) -> None:
    lease = client.lock("a", ttl=60).acquire()
    crowd = [peers() for _ in range(3)]
    queue_up(client, "a", crowd)
    for entry in wake_folder(path).iterdir():
        entry.unlink()
    wake_folder(path).rmdir()
    lease.release()
    fences = []
    for _ in crowd:
        until(lambda: not all(peer.silent for peer in crowd))
        winner = next(peer for peer in crowd if not peer.silent)
        fences.append(winner.answer()["fence"])
        winner.release("a")
    assert len(set(fences)) == 3


def test_no_bell_is_left_hanging(path: Path) -> None:
    Path(f"{path}-wake").write_text("in the way of the pipes")
    with Client(f"sqlite://{path}?timeout=0.05") as client:
        bells = client.session().engine._mailbox._bells  # type: ignore[attr-defined]
        for _ in range(3):
            with client.lock("a"):
                pass
        assert bells == {}
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(EngineUnavailable):
            client.lock("a").acquire(wait=1)
        other.execute("ROLLBACK")
        other.close()
        assert bells == {}
