# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""Renewal keeps a lease, and never makes one."""

from __future__ import annotations

import gc

import pytest

from holdfast._async.lease import AsyncLease, tenure_of
from holdfast._core.model import Grant, Ref
from holdfast._runtime import aio as rt
from holdfast._runtime.clock import clock
from holdfast.errors import EngineUnavailable, LeaseLost
from holdfast.testing.faults import Faults
from holdfast.testing.twins import aio as kit

from .base import (
    LONG,
    SHORT,
    AsyncBase,
    MakeClient,
    MakeEngine,
    claim_of,
    eventually,
)


class AsyncRenewalContract(AsyncBase):
    """Renewal keeps a lease, and never makes one."""

    @kit.scenario
    async def test_renewal_keeps_a_lease_beyond_its_ttl(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            async with client.lock("a", ttl=3.0) as lease:
                await eventually(lambda: faults.calls["renew"] >= 4)
                lease.check()
                assert await client.lock("a").try_acquire() is None

    @kit.scenario
    async def test_renewal_never_brings_a_lease_back(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        grant = await engine.try_acquire(claim_of("a", "me", ttl=SHORT))
        assert isinstance(grant, Grant)
        ref = Ref("lock:a", "me", grant.fence)
        end = clock() + LONG
        while await engine.inspect("lock:a") is not None:
            assert clock() < end
            await rt.sleep(0.01)
        assert await engine.renew(ref, LONG) is None
        assert await engine.inspect("lock:a") is None
        assert await engine.release(ref) is False
        await engine.aclose()

    @kit.scenario
    async def test_a_broken_lease_is_lost_and_stays_lost(self, make_client: MakeClient) -> None:
        async with make_client() as client:
            lease = await client.lock("a", ttl=SHORT).acquire()
            broken = await client.break_lock("a")
            assert [each.fence for each in broken] == [lease.fence]
            assert await lease.lost.wait(LONG)
            assert await client.inspect("a") is None
            assert await client.break_lock("a") == ()

    @kit.scenario
    async def test_an_unknown_renewal_is_tried_again(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            async with client.lock("a", ttl=6.0) as lease:
                faults.fail("renew")
                faults.lose_reply("renew")
                await eventually(lambda: faults.calls["renew"] >= 3)
                lease.check()

    @kit.scenario
    async def test_without_renewal_the_lease_is_kept_until_its_deadline_and_no_longer(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            faults.fail("renew", times=None)
            lease = await client.lock("a", ttl=1.0).acquire()
            assert await lease.lost.wait(LONG)
            assert faults.calls["renew"] >= 1
            with pytest.raises(LeaseLost, match="could not be renewed in time"):
                lease.check()

    @kit.scenario
    async def test_an_engine_that_hangs_cannot_hide_the_loss(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            answer = rt.Event()
            faults.before("renew", answer.wait, times=None)
            lease = await client.lock("a", ttl=1.0).acquire()
            other = await client.lock("b", ttl=1.5).acquire()
            assert await lease.lost.wait(LONG)
            assert await other.lost.wait(LONG)
            answer.set()

    @kit.scenario
    async def test_nothing_renews_after_the_release(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            async with client.lock("a", ttl=SHORT):
                pass
            renewed = faults.calls["renew"]
            await rt.sleep(2 * SHORT)
            assert faults.calls["renew"] == renewed

    @kit.scenario
    async def test_a_lease_that_its_holder_dropped_is_not_renewed(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            lease: AsyncLease | None = await client.lock("a", ttl=1.0).acquire()
            assert lease is not None
            lease = None
            gc.collect()
            async with client.lock("a", wait=LONG, ttl=LONG):
                pass

    @kit.scenario
    async def test_max_hold_ends_a_lease_that_would_be_renewed(
        self, make_client: MakeClient
    ) -> None:
        async with make_client() as client:
            lease = await client.lock("a", ttl=SHORT, max_hold=2 * SHORT).acquire()
            assert await lease.lost.wait(LONG)
            with pytest.raises(LeaseLost, match="max_hold"):
                lease.check()
            async with client.lock("a", wait=LONG):
                pass

    @kit.scenario
    async def test_renewal_by_hand(self, make_client: MakeClient, faults: Faults) -> None:
        async with make_client() as client:
            lease = await client.lock("a", ttl=LONG, renew=False).acquire()
            before = tenure_of(lease).deadline
            await lease.renew()
            assert tenure_of(lease).deadline > before
            faults.lose_reply("renew")
            with pytest.raises(EngineUnavailable):
                await lease.renew()
            lease.check()
            await client.break_lock("a")
            with pytest.raises(LeaseLost):
                await lease.renew()
            assert lease.lost

    @kit.scenario
    async def test_a_renewal_whose_answer_comes_too_late_is_taken_back(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            lease = await client.lock("a", ttl=SHORT, renew=False).acquire()
            faults.slow_reply("renew", 2 * SHORT)
            with pytest.raises(LeaseLost):
                await lease.renew()
            assert await client.inspect("a") is None

    @kit.scenario
    async def test_nothing_renews_after_max_hold(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            lease = await client.lock("a", ttl=LONG, max_hold=0.01).acquire()
            await rt.sleep(0.05)
            with pytest.raises(LeaseLost, match="max_hold"):
                await lease.renew()
            assert faults.calls["renew"] == 0
