"""The default client is safe across threads, forks and event loops."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import holdfast
from tests.client.support import in_a_child


@pytest.fixture(autouse=True)
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    url = f"sqlite://{tmp_path}/default.db"
    monkeypatch.setenv("HOLDFAST_URL", url)
    for tree in ("_sync", "_async"):  # as in a new process
        module = sys.modules.get(f"holdfast.{tree}.default")
        if module is not None:
            monkeypatch.setattr(module, "_default", module._Default())
    return url


def test_with_and_decorators() -> None:
    @holdfast.locked("report:{day}", ttl=30)
    def report(day: str) -> bool:
        return holdfast.lock("report:monday").try_acquire() is None

    with holdfast.lock("a", ttl=30) as lease:
        assert lease.held
        assert holdfast.lock("a").try_acquire() is None
    assert report("monday")
    assert report(day="tuesday") is False


def test_async_with_and_decorators() -> None:
    @holdfast.async_locked("report:{day}", ttl=30)
    async def report(day: str) -> bool:
        return await holdfast.async_lock("report:monday").try_acquire() is None

    async def main() -> None:
        async with holdfast.async_lock("a", ttl=30):
            assert holdfast.lock("a").try_acquire() is None  # the two worlds share the engine
        assert await report("monday")

    asyncio.run(main())


def test_many_threads_build_one_client() -> None:
    inside: list[int] = []
    start = threading.Barrier(8)
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            start.wait()
            for _ in range(3):
                with holdfast.lock("shared", ttl=30, wait=60):
                    inside.append(number)
                    assert inside == [number]
                    inside.remove(number)
        except BaseException as exc:
            errors.append(exc)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_one_event_loop_after_the_other() -> None:
    async def main() -> int:
        async with holdfast.async_lock("a", ttl=30) as lease:
            return lease.fence

    fences = [asyncio.run(main()) for _ in range(3)]
    assert fences == sorted(set(fences))


def test_two_event_loops_at_once() -> None:
    inside: list[int] = []
    errors: list[BaseException] = []

    async def work(number: int) -> None:
        for _ in range(5):
            async with holdfast.async_lock("a", ttl=30, wait=60):
                inside.append(number)
                assert inside == [number]
                await asyncio.sleep(0.001)
                inside.remove(number)

    def run(number: int) -> None:
        try:
            asyncio.run(work(number))
        except BaseException as exc:
            errors.append(exc)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_a_forked_child_has_a_client_of_its_own() -> None:
    def child() -> None:
        assert holdfast.lock("held").try_acquire() is None
        with holdfast.lock("free", ttl=30) as mine:
            mine.check()

    with holdfast.lock("held", ttl=30) as lease:
        assert in_a_child(child) == 0
        lease.check()
    assert holdfast.lock("held").try_acquire() is not None


def test_a_child_that_leaves_the_parents_block_releases_nothing() -> None:
    def child() -> None:
        with pytest.raises(holdfast.LeaseLost, match="forked"):
            lock.__exit__(None, None, None)

    lock = holdfast.lock("held", ttl=30)
    with lock as lease:
        assert in_a_child(child) == 0
        lease.check()
        assert holdfast.lock("held").try_acquire() is None


def test_forking_while_other_threads_work_leaves_no_lock_taken() -> None:
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            with holdfast.lock("busy", ttl=30):
                pass

    def child() -> None:
        with holdfast.lock("child", ttl=30, wait=30):
            pass

    with holdfast.lock("warm up", ttl=30):
        pass  # a fork while another thread imports a module would be Python's own deadlock
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        assert [in_a_child(child) for _ in range(20)] == [0] * 20
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_a_child_of_an_async_parent(url: str) -> None:
    def child(lease: holdfast.AsyncLease) -> None:
        with pytest.raises(holdfast.LeaseLost, match="forked"):
            lease.check()
        with holdfast.Client(url) as client:
            assert client.lock("held").try_acquire() is None

    async def main() -> None:
        async with holdfast.async_lock("held", ttl=30) as lease:
            assert in_a_child(lambda: child(lease)) == 0
            lease.check()

    asyncio.run(main())


def test_a_program_that_closes_nothing_ends_without_a_word() -> None:
    program = """
import asyncio, holdfast
with holdfast.lock("a", ttl=30):
    pass
held = holdfast.lock("b", ttl=30).acquire()
async def main():
    async with holdfast.async_lock("c", ttl=30):
        pass
asyncio.run(main())
"""
    command = [sys.executable, "-W", "error", "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
