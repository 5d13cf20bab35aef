"""A forked child inherits nothing that could hurt its parent or itself."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from functools import partial
from pathlib import Path

import pytest

from holdfast import AsyncClient, Client
from holdfast._runtime.chance import RANDOM
from tests.client.support import in_a_child


def open_files(folder: Path) -> list[str]:
    links = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
    found = [os.readlink(link) for link in links if os.path.lexists(link)]
    return [path for path in found if path.startswith(f"{folder}/")]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_no_connection_is_inherited(tmp_path: Path) -> None:
    client = Client(f"sqlite://{tmp_path}/locks.db")
    held = client.lock("held", ttl=60).acquire()
    with pytest.raises(TimeoutError):
        client.lock("held").acquire(wait=0.01)  # opens the pipe for wake-ups
    assert open_files(tmp_path)

    def child() -> None:
        assert open_files(tmp_path) == []
        assert client.lock("held").try_acquire() is None

    assert in_a_child(child) == 0
    held.check()
    held.release()


def test_a_child_goes_on_when_its_parent_has_closed(tmp_path: Path) -> None:
    url = f"sqlite://{tmp_path}/locks.db"
    client = Client(url)
    with client.lock("warm up"):
        pass
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        lease = client.lock("a", ttl=60).acquire()
        os.write(ready[1], b"1")
        os.read(go[0], 1)
        lease.renew()
        os._exit(0 if lease.held else 1)
    os.read(ready[0], 1)
    client.close()  # which would take the log away from under the child
    with Client(url) as other:
        assert other.lock("a").try_acquire() is None
    os.write(go[1], b"1")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for fd in (*ready, *go):
        os.close(fd)


def test_two_clients_of_a_child_exclude_each_other() -> None:
    before = Client("memory://forked")

    def child() -> None:
        after = Client("memory://forked")
        with before.lock("a", ttl=60):
            assert after.lock("a").try_acquire() is None

    assert in_a_child(child) == 0


def test_children_throw_dice_of_their_own() -> None:
    def throw(pipe: int) -> None:
        os.write(pipe, str(RANDOM.random()).encode())

    thrown: set[bytes] = set()
    for _ in range(3):
        read, write = os.pipe()
        assert in_a_child(partial(throw, write)) == 0
        thrown.add(os.read(read, 100))
        os.close(read)
        os.close(write)
    assert len(thrown) == 3


def test_two_threads_may_fork_at_once(tmp_path: Path) -> None:
    client = Client(f"sqlite://{tmp_path}/locks.db")
    with client.lock("warm up"):
        pass
    statuses: list[int] = []

    def child() -> None:
        with client.lock("a", ttl=60, wait=60):
            pass

    def work() -> None:
        statuses.extend(in_a_child(child) for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [0] * 15
    client.close()


def test_one_client_over_many_event_loops_keeps_nothing_open(tmp_path: Path) -> None:
    client = AsyncClient(f"sqlite://{tmp_path}/locks.db")

    async def main() -> None:
        async with client.lock("a", ttl=60):
            with pytest.raises(TimeoutError):
                await client.lock("a").acquire(wait=0.01)

    threads = threading.active_count()
    for _ in range(10):
        asyncio.run(main())
    assert len(list((tmp_path / "locks.db-wake").iterdir())) <= 1
    assert threading.active_count() <= threads + 2
    asyncio.run(client.aclose())
