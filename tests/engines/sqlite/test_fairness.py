"""Who comes first: with ``fair`` in order, across processes; without it, nobody starves."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path

from holdfast import Client
from tests.engines.sqlite.support import Peer, epoch, until, waiters


def test_first_come_first_served(client: Client, peers: Callable[[], Peer]) -> None:
    crowd = [peers() for _ in range(6)]
    lease = client.lock("a", ttl=60, fair=True).acquire()
    for count, peer in enumerate(crowd, start=1):
        peer.send("acquire", name="a", fair=True, ttl=60)
        until(lambda count=count: waiters(client, "a") == count)  # type: ignore[misc]
    lease.release()
    granted = []
    for peer in crowd:
        granted.append(peer.answer()["fence"])
        assert all(later.silent for later in crowd[crowd.index(peer) + 1 :])
        peer.release("a")
    assert granted == sorted(granted)


def test_a_newcomer_does_not_pass_those_who_wait(client: Client, peers: Callable[[], Peer]) -> None:
    waiter = peers()
    lease = client.lock("a", ttl=60).acquire()
    waiter.send("acquire", name="a", fair=True, ttl=60)
    until(lambda: waiters(client, "a"))
    waiter.stop()  # so that it cannot claim in time
    lease.release()
    assert client.lock("a", fair=True).try_acquire() is None
    assert client.lock("a", fair=False).try_acquire() is None
    waiter.resume()
    waiter.answer()


def test_the_place_is_kept_while_waiting(client: Client, peers: Callable[[], Peer]) -> None:
    """Over many looks of its own: a place is not lost by asking again."""
    first, second = peers(), peers()
    lease = client.lock("a", ttl=60).acquire()
    first.send("acquire", name="a", fair=True, ttl=60)
    until(lambda: waiters(client, "a") == 1)
    second.send("acquire", name="a", fair=True, ttl=60)
    until(lambda: waiters(client, "a") == 2)
    second.stop()
    until(lambda: waiters(client, "a") == 1)  # the second was not heard of for a while
    second.resume()
    until(lambda: waiters(client, "a") == 2)
    lease.release()
    first_fence = first.answer()["fence"]
    assert second.silent
    first.release("a")
    assert second.answer()["fence"] > first_fence


def test_nobody_starves_without_fair(client: Client, peers: Callable[[], Peer], path: Path) -> None:
    """A process that takes the lock again and again lets one that waits in after a few grants."""
    greedy, waiter = peers(), peers()
    greedy.send("rounds", name="a", count=1_000_000)
    until(lambda: client.inspect("a"))
    passed: list[int] = []
    for _ in range(100):
        _, before, _ = epoch(path)
        passed.append(waiter.acquire("a", ttl=60) - before)
        waiter.release("a")
    assert greedy.silent
    print(f"grants until its own: median {statistics.median(passed)}, most {max(passed)}")
    assert statistics.median(passed) < 100
    assert max(passed) < 5_000
