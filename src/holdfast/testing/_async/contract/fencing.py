# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""Fences, and what a name stands for."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from holdfast._async.client import AsyncClient
from holdfast._core.model import Grant, Ref
from holdfast._runtime import aio as rt
from holdfast.errors import ResourceConflict
from holdfast.testing.twins import aio as kit

from .base import (
    LONG,
    SHORT,
    AsyncBase,
    MakeClient,
    MakeEngine,
    claim_of,
)


class AsyncFencingContract(AsyncBase):
    """Fences, and what a name stands for."""

    @kit.scenario
    async def test_fences_strictly_increase(self, make_engine: MakeEngine) -> None:
        fences: list[int] = []
        for _ in range(3):  # each with connections of its own
            client = AsyncClient.from_engine(make_engine)
            for _ in range(3):
                async with client.lock("a", ttl=LONG) as lease:
                    fences.append(lease.fence)
            lost = await client.lock("a", ttl=SHORT, renew=False).acquire()
            fences.append(lost.fence)
            async with client.lock("a", ttl=LONG, wait=LONG) as lease:  # after an expiry
                fences.append(lease.fence)
            lost = await client.lock("a", ttl=LONG).acquire()
            fences.append(lost.fence)
            await client.break_lock("a")
            async with client.lock("a", ttl=LONG) as lease:  # after a break
                fences.append(lease.fence)
            await client.aclose()
        assert fences == sorted(set(fences))

    @kit.scenario
    async def test_fences_follow_the_order_of_holding(self, make_client: MakeClient) -> None:
        fences: list[int] = []

        async def work(client: AsyncClient) -> None:
            for _ in range(5):
                async with client.lock("a", ttl=LONG, wait=LONG) as lease:
                    fences.append(lease.fence)

        async with make_client() as one, make_client() as other:
            await rt.gather([partial(work, client) for client in (one, other) * 4])
        assert len(fences) == 40
        assert fences == sorted(set(fences))

    @kit.scenario
    async def test_a_fence_is_larger_than_the_floor(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        first = await engine.try_acquire(claim_of("a", "one"))
        assert isinstance(first, Grant)
        await engine.release(Ref("lock:a", "one", first.fence))
        floor = first.fence + 5_000_000
        second = await engine.try_acquire(claim_of("a", "two", floor=floor))
        assert isinstance(second, Grant)
        assert second.fence > floor
        await engine.release(Ref("lock:a", "two", second.fence))
        third = await engine.try_acquire(claim_of("a", "three"))
        assert isinstance(third, Grant)
        assert third.fence > second.fence
        await engine.aclose()

    @kit.scenario
    async def test_one_name_is_one_kind_of_thing(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        semaphore: dict[str, Any] = {"kind": "semaphore", "capacity": 3}
        await engine.try_acquire(claim_of("a", "one", **semaphore))
        with pytest.raises(ResourceConflict):
            await engine.try_acquire(claim_of("a", "two"))
        with pytest.raises(ResourceConflict):
            await engine.try_acquire(claim_of("a", "two", kind="semaphore", capacity=4))
        assert isinstance(await engine.try_acquire(claim_of("a", "two", **semaphore)), Grant)
        client = AsyncClient.from_engine(make_engine)
        with pytest.raises(ResourceConflict, match=r"'a' is in use as a semaphore of 3"):
            await client.lock("a").acquire()
        await client.aclose()
        await engine.aclose()

    @kit.scenario
    async def test_the_live_weights_never_exceed_the_capacity(
        self, make_engine: MakeEngine
    ) -> None:
        engine = make_engine()

        async def granted(owner: str, weight: int) -> bool:
            claim = claim_of("a", owner, kind="rw", capacity=3, weight=weight)
            return isinstance(await engine.try_acquire(claim), Grant)

        assert await granted("reader 1", 1)
        assert await granted("reader 2", 1)
        assert not await granted("writer", 3)
        assert await granted("reader 3", 1)
        assert not await granted("reader 4", 1)
        for owner in ("reader 1", "reader 2", "reader 3"):
            assert await engine.release(Ref("lock:a", owner))
        assert await granted("writer", 3)
        assert not await granted("reader 4", 1)
        await engine.aclose()

    @kit.scenario
    async def test_no_two_names_share_a_lock(self, make_client: MakeClient) -> None:
        names = [f"order:{number}" for number in range(600)]
        names += ["x" * 511 + end for end in "abc"] + [
            "Order:1",
            "order:1 ",
            "ördér:1",
            "{order}:1",
        ]
        async with make_client() as client:
            leases = [await client.lock(name, ttl=LONG).try_acquire() for name in names]
            assert None not in leases
            assert {seen.name async for seen in client.scan()} == set(names)
            assert [seen.name async for seen in client.scan("x")] == names[600:603]
