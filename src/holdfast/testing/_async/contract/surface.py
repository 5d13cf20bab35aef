# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""What users see: errors, snapshots, decorators, and no secrets."""

from __future__ import annotations

import logging
import os
import pickle
from dataclasses import asdict

import pytest

from holdfast._async.lease import tenure_of
from holdfast._core.model import Ref
from holdfast.errors import AcquireTimeout, EngineUnavailable, HoldfastError, LeaseLost
from holdfast.testing.faults import Faults
from holdfast.testing.twins import aio as kit

from .base import (
    LONG,
    AsyncBase,
    MakeClient,
    claim_of,
)


class AsyncSurfaceContract(AsyncBase):
    """What users see: errors, snapshots, decorators, and no secrets."""

    @kit.scenario
    async def test_no_secret_is_shown(
        self,
        make_client: MakeClient,
        faults: Faults,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        caplog.set_level(logging.DEBUG)
        shown: list[object] = []
        async with make_client() as client:
            lock = client.lock("a", ttl=LONG)
            lease = await lock.acquire()
            owner = tenure_of(lease).ref.owner
            seen = await client.inspect("a")
            assert seen is not None
            shown += [client, lock, lease, seen, asdict(seen), await client.health()]
            with pytest.raises(AcquireTimeout) as busy:
                await lock.acquire(wait=0)
            await client.break_lock("a")
            with pytest.raises(LeaseLost) as lost:
                await lease.renew()
            shown += [busy.value, lost.value, claim_of("a", owner), Ref("a", owner)]
            faults.lose_reply("acquire")
            faults.fail("release")
            with pytest.raises(EngineUnavailable) as gone:
                await lock.acquire()
            shown.append(gone.value)
        text = caplog.text + "".join(f"{each!r} {each}" for each in shown)
        assert owner
        assert owner not in text

    @kit.scenario
    async def test_inspect_scan_and_health(self, make_client: MakeClient) -> None:
        async with make_client() as client:
            assert await client.inspect("a") is None
            assert [each async for each in client.scan()] == []
            async with client.lock("a:1", ttl=LONG, info={"job": 7}) as lease:
                async with client.lock("b:1", ttl=LONG):
                    seen = await client.inspect("a:1")
                    assert seen is not None
                    assert (seen.name, seen.kind, seen.capacity) == ("a:1", "lock", 1)
                    (holder,) = seen.holders
                    assert holder.fence == seen.fence == lease.fence
                    assert holder.info == {"job": 7}
                    assert 0 < holder.remaining <= LONG
                    assert [each.name async for each in client.scan()] == ["a:1", "b:1"]
                    assert [each.name async for each in client.scan("b")] == ["b:1"]
            health = await client.health()
            assert health.ok
            assert health.nodes[0].latency is not None
            async with client.lock("c", ttl=LONG):  # what a holder says of itself by default
                seen = await client.inspect("c")
                assert seen is not None
                assert seen.holders[0].info["pid"] == os.getpid()

    @kit.scenario
    async def test_an_engine_that_is_down_is_unhealthy(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            faults.fail("inspect")
            health = await client.health()
            assert not health.ok
            assert health.nodes[0].error

    @kit.scenario
    async def test_a_function_can_be_locked(self, make_client: MakeClient) -> None:
        async with make_client() as client:

            @client.locked("invoice:{order_id}", ttl=LONG)
            async def invoice(order_id: int, copies: int = 1) -> list[str]:
                """Make an invoice."""
                return [seen.name async for seen in client.scan()]

            @client.lock("report", ttl=LONG)
            async def report() -> list[str]:
                return [seen.name async for seen in client.scan()]

            assert await invoice(42) == ["invoice:42"]
            assert await invoice(copies=2, order_id=7) == ["invoice:7"]
            assert invoice.__doc__ == "Make an invoice."
            assert await report() == ["report"]
            assert await client.inspect("report") is None

    @kit.scenario
    async def test_errors_survive_pickling(self, make_client: MakeClient) -> None:
        async with make_client() as client:
            async with client.lock("a", ttl=LONG):
                with pytest.raises(AcquireTimeout) as caught:
                    await client.lock("a").acquire(wait=0)
        copy = pickle.loads(pickle.dumps(caught.value))
        assert isinstance(copy, HoldfastError)
        assert vars(copy) == vars(caught.value)
        assert str(copy) == str(caught.value)
