# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""Waiting, waking and order."""

from __future__ import annotations

import threading

import pytest

from holdfast._async import acquire as acquire_module
from holdfast._async.client import AsyncClient
from holdfast._core.model import Ref
from holdfast._runtime import aio as rt
from holdfast._runtime.clock import clock
from holdfast.errors import AcquireTimeout, CapabilityError
from holdfast.testing.faults import Faults
from holdfast.testing.twins import aio as kit

from .base import (
    LONG,
    AsyncBase,
    MakeClient,
    MakeEngine,
    claim_of,
    no_poll,
    until_waiters,
)


class AsyncWaitingContract(AsyncBase):
    """Waiting, waking and order."""

    @kit.scenario
    async def test_a_release_wakes_a_waiter(
        self, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with make_client() as one, make_client() as other:
            if one.capabilities.push:  # then without the poll that covers lost messages
                monkeypatch.setattr(acquire_module, "poll_pause", no_poll)
            lease = await one.lock("a", ttl=2 * LONG).acquire()
            waiter = rt.spawn(other.lock("a").acquire, LONG / 2)
            await until_waiters(one, "a", 1)
            await lease.release()
            await (await waiter.join()).release()

    @kit.scenario
    async def test_no_wake_up_is_lost_between_the_claim_and_the_wait(
        self,
        make_client: MakeClient,
        faults: Faults,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        async with make_client() as one, make_client() as other:
            if one.capabilities.push:
                monkeypatch.setattr(acquire_module, "poll_pause", no_poll)
            lease = await one.lock("a", ttl=2 * LONG).acquire()
            faults.before("wait", lease.release)
            await (await other.lock("a").acquire(wait=LONG / 2)).release()

    @kit.scenario
    async def test_an_expiry_wakes_a_waiter(
        self, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with make_client() as one, make_client() as other:
            if one.capabilities.push:
                monkeypatch.setattr(acquire_module, "poll_pause", no_poll)
            lease = await one.lock("a", ttl=1.0, renew=False).acquire()
            async with other.lock("a", wait=LONG / 2) as next_lease:
                assert next_lease.fence > lease.fence

    @kit.scenario
    async def test_wait_is_one_deadline_and_may_be_a_fraction(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as one, make_client() as other:
            async with one.lock("a", ttl=LONG):
                faults.slow("acquire", 0.05, times=None)
                for wait in (0.0, 0.05, 0.3):
                    started = clock()
                    with pytest.raises(AcquireTimeout) as caught:
                        await other.lock("a", wait=wait).acquire()
                    assert wait <= caught.value.waited <= clock() - started
                    assert clock() - started < wait + 10
                faults.clear()

    @kit.scenario
    async def test_a_waiter_that_withdraws_passes_its_wake_up_on(
        self, make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        engine = make_engine()
        client = AsyncClient.from_engine(make_engine)
        if engine.capabilities.push:
            monkeypatch.setattr(acquire_module, "poll_pause", no_poll)
        await engine.try_acquire(claim_of("a", "holder", ttl=2 * LONG))
        await engine.try_acquire(claim_of("a", "first", ticket="first"))
        waiter = rt.spawn(client.lock("a").acquire, LONG / 2)
        await until_waiters(client, "a", 2)
        await engine.release(Ref("lock:a", "holder"))  # wakes the first, ...
        await engine.release(Ref("lock:a", "first", 0, "first"))  # ... which has changed its mind
        await (await waiter.join()).release()
        await engine.aclose()
        await client.aclose()

    @kit.scenario
    async def test_a_dead_waiter_holds_up_nobody(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        client = AsyncClient.from_engine(make_engine)
        fair = engine.capabilities.fair
        await engine.try_acquire(claim_of("a", "holder", ttl=2 * LONG))
        await engine.try_acquire(claim_of("a", "dead", ticket="dead", fair=fair))
        waiter = rt.spawn(client.lock("a", fair=fair).acquire, LONG)
        await until_waiters(client, "a", 2)
        await engine.release(Ref("lock:a", "holder"))
        await (await waiter.join()).release()
        await engine.aclose()
        await client.aclose()

    @kit.scenario
    async def test_fair_is_first_come_first_served(self, make_client: MakeClient) -> None:
        async with make_client() as client:
            if not client.capabilities.fair:
                with pytest.raises(CapabilityError):
                    client.lock("a", fair=True)
                return
            served: list[int] = []
            lock = client.lock("a", ttl=LONG, wait=LONG, fair=True)

            async def work(number: int) -> None:
                async with lock:
                    served.append(number)

            holder = await lock.acquire()
            tasks: list[rt.Task[None]] = []
            for number in range(6):
                tasks.append(rt.spawn(work, number))
                await until_waiters(client, "a", number + 1)
            await holder.release()
            for task in tasks:
                await task.join()
            assert served == list(range(6))

    @kit.scenario
    async def test_nobody_starves(self, make_client: MakeClient) -> None:
        async with make_client() as one, make_client() as other:
            greedy = one.lock("a", ttl=LONG, wait=LONG)
            done = threading.Event()

            async def hog() -> None:
                while not done.is_set():
                    async with greedy:
                        await rt.sleep(0.001)

            task = rt.spawn(hog)
            try:
                async with other.lock("a", ttl=LONG, wait=LONG):
                    pass
            finally:
                done.set()
                await task.join()
