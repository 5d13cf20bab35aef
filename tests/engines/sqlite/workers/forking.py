"""Forks while it holds a lock, in one of several ways; a fault is an exception or a bad exit."""

import asyncio
import os
import sys
import threading
import warnings
from collections.abc import Callable

import holdfast

warnings.simplefilter("always")
warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork")


def in_child(work: Callable[[], object], leave: Callable[[int], object] = os._exit) -> None:
    """Run ``work`` in a forked child and wait for its good end."""
    pid = os.fork()
    if pid == 0:
        work()
        sys.stdout.flush()
        leave(0)
        raise AssertionError("the child goes on")
    _, status = os.waitpid(pid, 0)
    assert status == 0, status


def must_raise(error: type[Exception], call: Callable[[], object]) -> None:
    try:
        call()
    except error:
        return
    raise AssertionError(f"no {error.__name__}")


def use_in_child(client: holdfast.Client, lease: holdfast.Lease) -> None:
    """What a child may and may not do."""
    must_raise(holdfast.LeaseLost, lease.check)
    must_raise(holdfast.LeaseLost, lease.renew)
    must_raise(holdfast.LeaseLost, lease.release)
    assert not lease.held
    assert lease.remaining == 0
    assert client.lock(lease.name).try_acquire() is None
    with client.lock("child's own", wait=0) as own:
        assert own.fence > lease.fence


def still_held(url: str, lease: holdfast.Lease) -> None:
    """The parent has its lock as before, and the file is sound."""
    lease.check()
    lease.renew()
    with holdfast.Client(url) as other:
        assert other.lock(lease.name).try_acquire() is None
    lease.release()


def child_uses_and_leaves(url: str, leave: Callable[[int], object]) -> None:
    client = holdfast.Client(url)
    lease = client.lock("a", ttl=60).acquire()
    in_child(lambda: use_in_child(client, lease), leave)
    still_held(url, lease)
    client.close()


def exit_at_once(url: str) -> None:
    child_uses_and_leaves(url, os._exit)


def exit_through_the_interpreter(url: str) -> None:
    child_uses_and_leaves(url, sys.exit)


def child_does_nothing(url: str) -> None:
    client = holdfast.Client(url)
    lease = client.lock("a", ttl=60).acquire()
    in_child(lambda: None, sys.exit)
    still_held(url, lease)
    client.close()


def child_closes_the_client(url: str) -> None:
    client = holdfast.Client(url)
    lease = client.lock("a", ttl=60).acquire()
    in_child(client.close, sys.exit)
    still_held(url, lease)
    client.close()


def child_leaves_the_block(url: str) -> None:
    """The block that the fork happened in ends in the child, too: the lock is not the child's."""
    client = holdfast.Client(url)
    child = False
    try:
        with client.lock("a", ttl=60) as lease:
            pid = os.fork()
            if pid == 0:
                child = True
            else:
                _, status = os.waitpid(pid, 0)
                assert status == 0, status
                with holdfast.Client(url) as other:
                    assert other.lock("a").try_acquire() is None
                lease.check()
    except holdfast.LeaseLost:
        if child:
            os._exit(0)
        raise
    assert not child, "the child left as if the lock were its own"
    client.close()


def grandchildren(url: str) -> None:
    client = holdfast.Client(url)
    lease = client.lock("a", ttl=60).acquire()

    def child() -> None:
        use_in_child(client, lease)
        own = client.lock("b", ttl=60).acquire()
        in_child(lambda: use_in_child(client, own), sys.exit)
        in_child(lambda: must_raise(holdfast.LeaseLost, lease.check), sys.exit)
        own.check()
        own.release()

    in_child(child, sys.exit)
    still_held(url, lease)
    client.close()


def parent_ends_first(url: str) -> None:
    """The child goes on after its parent has closed the file."""
    client = holdfast.Client(url)
    client.lock("a").acquire().release()
    ended, ended_writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ended_writer)
        os.read(ended, 1)
        with client.lock("a", wait=0):
            pass
        sys.exit(0)
    client.close()
    os.close(ended_writer)
    _, status = os.waitpid(pid, 0)
    assert status == 0, status
    os.close(ended)
    with holdfast.Client(url) as other, other.lock("a", wait=0):
        pass


def fork_under_load(url: str) -> None:
    """Threads are in the middle of everything at the moment of the fork."""
    client = holdfast.Client(url)
    lease = client.lock("a", ttl=60).acquire()
    stop = threading.Event()

    def work(name: str) -> None:
        while not stop.is_set():
            with client.lock(name):
                pass

    threads = [threading.Thread(target=work, args=(f"thread:{i % 2}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    ways: list[Callable[[int], object]] = [sys.exit, os._exit]
    for leave in ways * 10:
        in_child(lambda: use_in_child(client, lease), leave)
    stop.set()
    for thread in threads:
        thread.join()
    still_held(url, lease)
    client.close()


def async_parent(url: str) -> None:
    async def main() -> None:
        async with holdfast.AsyncClient(url) as client:
            lease = await client.lock("a", ttl=60).acquire()

            def child() -> None:
                must_raise(holdfast.LeaseLost, lease.check)
                with holdfast.Client(url) as own:
                    assert own.lock("a").try_acquire() is None
                    with own.lock("b", wait=0):
                        pass

            in_child(child)
            await lease.renew()
            await lease.release()

    asyncio.run(main())


def async_child(url: str) -> None:
    client = holdfast.AsyncClient(url)

    async def use(name: str) -> None:
        async with client.lock(name, wait=0):
            pass
        await client.aclose()

    in_child(lambda: asyncio.run(use("a")), sys.exit)
    asyncio.run(use("a"))


globals()[sys.argv[1]](sys.argv[2])
