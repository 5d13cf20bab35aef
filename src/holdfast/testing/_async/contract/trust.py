# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""Every lease ends, and its holder's trust ends first."""

from __future__ import annotations

import pytest

from holdfast._async.client import AsyncClient
from holdfast._core.record import ALIVE
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
)


class AsyncTrustContract(AsyncBase):
    """Every lease ends, and its holder's trust ends first."""

    @kit.scenario
    async def test_every_lease_ends_by_itself(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        await engine.try_acquire(claim_of("a", "me", ttl=SHORT))
        seen = await engine.inspect("lock:a")
        assert seen is None or 0 < seen.holders[0].remaining <= SHORT
        client = AsyncClient.from_engine(make_engine)
        async with client.lock("a", wait=LONG):
            pass
        await engine.aclose()
        await client.aclose()

    @kit.scenario
    async def test_a_waiter_that_is_gone_is_forgotten(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        await engine.try_acquire(claim_of("a", "me", ttl=LONG))
        await engine.try_acquire(claim_of("a", "you", ticket="t"))
        end = clock() + 20 * ALIVE
        while (seen := await engine.inspect("lock:a")) is not None and seen.waiters:
            assert clock() < end
            await rt.sleep(0.05)
        await engine.aclose()

    @kit.scenario
    async def test_trust_has_ended_when_somebody_else_is_granted(
        self, make_client: MakeClient
    ) -> None:
        async with make_client() as one, make_client() as other:
            lease = await one.lock("a", ttl=SHORT, renew=False).acquire()
            async with other.lock("a", ttl=LONG, wait=LONG) as next_lease:
                assert lease.remaining == 0
                assert not lease.held
                assert next_lease.fence > lease.fence
                with pytest.raises(LeaseLost):
                    lease.check()

    @kit.scenario
    async def test_the_time_that_an_answer_takes_is_not_trusted(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            faults.slow("acquire", 0.2)
            lease = await client.lock("a", ttl=LONG, renew=False).acquire()
            assert lease.remaining < LONG - 0.2
            faults.slow("renew", 0.2)
            await lease.renew()
            assert lease.remaining < LONG - 0.2
            await lease.release()

    @kit.scenario
    async def test_a_grant_that_came_too_late_is_not_handed_over(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            faults.slow("acquire", 2 * SHORT)
            with pytest.raises(EngineUnavailable):
                await client.lock("a", ttl=SHORT).try_acquire()
            assert await client.inspect("a") is None

    @kit.scenario
    async def test_the_wall_clock_changes_nothing(
        self, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with make_client() as client:
            lease = await client.lock("a", ttl=LONG).acquire()
            for jump in (1e6, -1e6):
                monkeypatch.setattr("time.time", lambda jump=jump: 1.7e9 + jump)
                monkeypatch.setattr("time.time_ns", lambda jump=jump: int((1.7e9 + jump) * 1e9))
                assert 0 < lease.remaining <= LONG
                lease.check()
                assert await client.lock("a").try_acquire() is None
            await lease.release()
