# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""Forks, threads and tasks."""

from __future__ import annotations

import os

import pytest

from holdfast._async.client import AsyncClient
from holdfast._async.lease import AsyncLease
from holdfast._runtime import aio as rt
from holdfast.errors import EngineError, LeaseLost
from holdfast.testing.twins import aio as kit

from .base import (
    LONG,
    AsyncBase,
    MakeClient,
    eventually,
    until_waiters,
)


class AsyncSharingContract(AsyncBase):
    """Forks, threads and tasks."""

    @kit.scenario
    async def test_a_forked_child_has_no_lease(self, make_client: MakeClient) -> None:
        async with make_client() as client:
            lease = await client.lock("a", ttl=LONG).acquire()
            child = os.fork()
            if child == 0:
                os._exit(_child_sees_no_lease(lease))
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            lease.check()
            assert await client.lock("a").try_acquire() is None
            await lease.release()

    @kit.scenario
    async def test_one_lock_object_serves_many_at_once(self, make_client: MakeClient) -> None:
        inside: list[int] = []
        async with make_client() as client:
            lock = client.lock("a", ttl=LONG, wait=LONG)

            async def work() -> None:
                for _ in range(3):
                    async with lock as lease:
                        inside.append(lease.fence)
                        assert len(inside) == 1
                        await rt.sleep(0.001)
                        inside.remove(lease.fence)

            await rt.gather([work] * 8)
            assert await client.inspect("a") is None

    @kit.scenario
    async def test_a_lease_may_be_released_elsewhere(self, make_client: MakeClient) -> None:
        async with make_client() as client:
            lock = client.lock("a", ttl=LONG)
            lease = await lock.acquire()
            assert await lock.try_acquire() is None
            await rt.spawn(lease.release).join()
            async with lock:
                pass

    @kit.scenario
    async def test_a_lock_may_be_entered_here_and_left_elsewhere(
        self, make_client: MakeClient
    ) -> None:
        async with make_client() as client:
            lock = client.lock("a", ttl=LONG)
            await lock.__aenter__()
            await rt.spawn(lock.__aexit__, None, None, None).join()
            assert await client.inspect("a") is None

    @kit.scenario
    async def test_closing_a_client_that_is_in_use_leaves_nothing(
        self, make_client: MakeClient
    ) -> None:
        leases: list[AsyncLease] = []

        async def work(client: AsyncClient, number: int) -> None:
            try:
                for turn in range(1000):
                    lease = await client.lock(f"{number}:{turn}", ttl=LONG).acquire()
                    leases.append(lease)
            except EngineError:
                pass  # it is closed

        async with make_client() as observer:
            for _ in range(5):
                client = make_client()
                tasks = [rt.spawn(work, client, number) for number in range(3)]
                await eventually(lambda: len(leases) > 20)
                await client.aclose()
                for task in tasks:
                    await task.join()
                assert not any(lease.held for lease in leases)
                assert [seen.name async for seen in observer.scan()] == []
                leases.clear()

    @kit.scenario
    async def test_closing_a_client_wakes_its_waiters(self, make_client: MakeClient) -> None:
        async with make_client() as other:
            holder = await other.lock("a", ttl=LONG).acquire()
            client = make_client()
            waiter = rt.spawn(client.lock("a").acquire, LONG)
            await until_waiters(other, "a", 1)
            await client.aclose()
            await holder.release()
            with pytest.raises(EngineError):
                await waiter.join()
            assert await other.inspect("a") is None


def _child_sees_no_lease(lease: AsyncLease) -> int:
    """Return 0 if a forked child finds that it may not use the lease."""
    try:
        lease.check()
    except LeaseLost:
        return 0 if lease.remaining == 0 and not lease.held else 2
    return 1
