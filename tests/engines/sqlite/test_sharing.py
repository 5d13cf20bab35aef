"""Clients, threads and event loops of one process on one file."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from holdfast import AsyncClient, Client
from tests.engines.sqlite.support import LIMIT, assert_sound, sqlite_url


class Counter:
    """Counts in a way that only works for one at a time."""

    def __init__(self) -> None:
        self.value = 0
        self.inside = 0
        self.fences: list[int] = []

    def enter(self, fence: int) -> int:
        self.inside += 1
        assert self.inside == 1, "two at once"
        self.fences.append(fence)
        return self.value

    def leave(self, value: int) -> None:
        self.value = value
        self.inside -= 1

    def assert_counted(self, count: int) -> None:
        assert self.value == count
        assert self.fences == sorted(set(self.fences))


def test_two_clients_exclude_each_other(make_client: Callable[[], Client]) -> None:
    one, two = make_client(), make_client()
    with one.lock("a") as lease:
        assert two.lock("a").try_acquire() is None
    with two.lock("a", wait=0) as later:
        assert later.fence > lease.fence


def test_closing_one_client_leaves_the_other_its_locks(url: str, client: Client) -> None:
    """Both have the same file open; SQLite must not lose its locks when one of them closes it."""
    with Client(url) as other, other.lock("b"):
        lease = client.lock("a", ttl=60).acquire()
    lease.renew()
    with Client(url) as third:
        assert third.lock("a").try_acquire() is None
    lease.release()


@pytest.mark.parametrize("clients", [1, 2, 8])
def test_threads(make_client: Callable[[], Client], path: Path, clients: int) -> None:
    shared = [make_client() for _ in range(clients)]
    counter = Counter()

    def work(number: int) -> None:
        for _ in range(25):
            with shared[number % clients].lock("a") as lease:
                value = counter.enter(lease.fence)
                threading.Event().wait(0)  # let another thread run
                counter.leave(value + 1)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8), timeout=LIMIT))
    counter.assert_counted(200)
    assert_sound(path)


async def count_in_tasks(client: AsyncClient, counter: Counter, tasks: int, rounds: int) -> None:
    async def work() -> None:
        for _ in range(rounds):
            async with client.lock("a") as lease:
                value = counter.enter(lease.fence)
                await asyncio.sleep(0)
                counter.leave(value + 1)

    await asyncio.gather(*(work() for _ in range(tasks)))
    await client.aclose()


def test_tasks(url: str) -> None:
    counter = Counter()
    asyncio.run(count_in_tasks(AsyncClient(url), counter, tasks=8, rounds=25))
    counter.assert_counted(200)


def test_event_loops_in_threads_and_a_sync_client(url: str, client: Client, path: Path) -> None:
    """Three loops share one async client; a thread has a sync one."""
    counter = Counter()
    shared = AsyncClient(url)

    def in_loop() -> None:
        asyncio.run(count_in_tasks(AsyncClient(url), counter, tasks=3, rounds=10))

    def in_thread() -> None:
        for _ in range(30):
            with client.lock("a") as lease:
                counter.leave(counter.enter(lease.fence) + 1)

    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(in_loop) for _ in range(3)] + [pool.submit(in_thread)]
        for each in done:
            each.result(LIMIT)
    asyncio.run(shared.aclose())
    counter.assert_counted(120)
    assert_sound(path)


def test_one_async_client_serves_one_loop_after_the_other(url: str) -> None:
    client = AsyncClient(url)

    async def use() -> int:
        async with client.lock("a", wait=0) as lease:
            return lease.fence

    fences = [asyncio.run(use()) for _ in range(3)]
    assert fences == sorted(set(fences))
    asyncio.run(client.aclose())


def test_a_lease_is_released_by_another_thread(client: Client) -> None:
    lease = client.lock("a").acquire()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lease.release).result(LIMIT)
    with client.lock("a", wait=0):
        pass


def test_a_symbolic_link_is_the_same_file_and_the_same_queue(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with Client(sqlite_url(path)) as real, Client(sqlite_url(link)) as linked:
        with real.lock("a", ttl=60), pytest.raises(TimeoutError):
            linked.lock("a").acquire(wait=0.05)
        assert not (tmp_path / "link.db-wake").exists()
        assert (tmp_path / f"{path.name}-wake").exists()
