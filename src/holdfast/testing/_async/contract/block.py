# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""What happens at the ends of a block: nothing leaks, nothing is hidden, losses are told."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.errors import AcquireTimeout, EngineError, EngineUnavailable, LeaseLost, NotHeld
from holdfast.testing._async.faulty import async_lose
from holdfast.testing.faults import Faults
from holdfast.testing.twins import aio as kit

from .base import (
    LONG,
    SHORT,
    AsyncBase,
    MakeClient,
    eventually,
)


class Interruption(BaseException):
    """Stands for Ctrl-C, which those who run tests take for their own."""


class AsyncBlockContract(AsyncBase):
    """What happens at the ends of a block: nothing leaks, nothing is hidden, losses are told."""

    @kit.scenario
    async def test_an_acquire_that_times_out_leaves_no_waiter(
        self, make_client: MakeClient
    ) -> None:
        async with make_client() as one, make_client() as other:
            async with one.lock("a", ttl=LONG, info={"who": "me"}) as lease:
                with pytest.raises(AcquireTimeout) as caught:
                    await other.lock("a").acquire(wait=0.1)
                assert caught.value.name == "a"
                assert caught.value.waited >= 0.1
                assert caught.value.holder == {"who": "me"}
                assert caught.value.retry_after is not None
                assert 0 < caught.value.retry_after <= LONG
                seen = await one.inspect("a")
                assert seen is not None
                assert seen.waiters == 0
                assert seen.fence == lease.fence

    @kit.scenario
    async def test_any_error_in_an_acquire_is_cleaned_up_after(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            faults.lose_reply("acquire", error=RuntimeError("a driver's own"))
            with pytest.raises(RuntimeError, match="a driver's own"):
                await client.lock("a", ttl=LONG).acquire()
            assert await client.inspect("a") is None

    @kit.scenario
    async def test_a_failed_clean_up_does_not_hide_the_cause(
        self,
        make_client: MakeClient,
        faults: Faults,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        async with make_client() as client:
            faults.lose_reply("acquire", error=RuntimeError("the cause"))
            faults.fail("release")
            with pytest.raises(RuntimeError, match="the cause"):
                await client.lock("a", ttl=SHORT).acquire()
            assert "could not clean up" in caplog.text
            async with client.lock("a", wait=LONG):
                pass

    @kit.scenario
    async def test_the_body_does_not_run_without_the_lease(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        ran = False
        async with make_client() as client:
            async with client.lock("a", ttl=LONG):
                with pytest.raises(AcquireTimeout):
                    async with client.lock("a", wait=0):
                        ran = True
            faults.fail("acquire")
            with pytest.raises(EngineUnavailable):
                async with client.lock("a"):
                    ran = True
        assert not ran

    @kit.scenario
    async def test_the_lease_is_given_back_at_the_end_of_the_block(
        self, make_client: MakeClient
    ) -> None:
        async with make_client() as client:
            async with client.lock("a", ttl=LONG) as lease:
                assert lease.held
            assert not lease.held
            assert await client.inspect("a") is None
            with pytest.raises(ValueError, match="of the body"):
                async with client.lock("a", ttl=LONG):
                    raise ValueError("of the body")
            assert await client.inspect("a") is None

    @kit.scenario
    async def test_a_loss_is_raised_at_the_end_of_the_block_at_the_latest(
        self, make_client: MakeClient
    ) -> None:
        async with make_client() as client:
            with pytest.raises(LeaseLost) as caught:
                async with client.lock("a", ttl=LONG):
                    assert await client.break_lock("a")
            assert caught.value.name == "a"
            assert caught.value.fence > 0
            lease = await client.lock("a", ttl=LONG).acquire()
            await client.break_lock("a")
            with pytest.raises(LeaseLost):
                await lease.release()
            assert lease.lost

    @kit.scenario
    async def test_what_the_body_raises_is_never_hidden(
        self,
        make_client: MakeClient,
        faults: Faults,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        async with make_client() as client:
            with pytest.raises(ValueError, match="of the body") as caught:
                async with client.lock("a", ttl=LONG):
                    await client.break_lock("a")
                    raise ValueError("of the body")
            assert any("lost" in note for note in caught.value.__notes__)
            faults.fail("release")
            with pytest.raises(ValueError, match="of the body"):
                async with client.lock("b", ttl=SHORT):
                    raise ValueError("of the body")
            faults.fail("release")
            async with client.lock("c", ttl=SHORT):
                pass  # its work is done: that the release failed is logged, not raised
            assert "ends with its ttl" in caplog.text

    @kit.scenario
    async def test_a_lease_may_be_released_inside_its_block(self, make_client: MakeClient) -> None:
        async with make_client() as client:
            async with client.lock("a", ttl=LONG) as lease:
                await lease.release()
                assert await client.inspect("a") is None
            with pytest.raises(NotHeld):
                await lease.release()
            with pytest.raises(NotHeld):
                await lease.renew()
            with pytest.raises(NotHeld):
                lease.check()
            assert lease.remaining == 0
            assert not lease.lost

    @kit.scenario
    async def test_a_release_that_fails_is_raised_to_who_asked_for_it(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            lease = await client.lock("a", ttl=SHORT).acquire()
            faults.fail("release")
            with pytest.raises(EngineUnavailable):
                await lease.release()
            async with client.lock("a", wait=LONG):  # nothing renews it: it ends with its ttl
                pass

    @kit.scenario
    async def test_a_loss_is_told_once_in_every_way(
        self, make_client: MakeClient, caplog: pytest.LogCaptureFixture
    ) -> None:
        told: list[Any] = []
        async with make_client() as client:
            lease = await client.lock("a", ttl=SHORT, on_lost=told.append).acquire()
            assert not lease.lost
            await client.break_lock("a")
            assert await lease.lost.wait(LONG)
            assert lease.lost
            await eventually(lambda: told)
            assert told == [lease]
            assert lease.remaining == 0
            for ask in (lease.renew, lease.release):
                with pytest.raises(LeaseLost):
                    await ask()
            with pytest.raises(LeaseLost):
                lease.check()
            assert told == [lease]
            assert "lost 'a'" in caplog.text

    @kit.scenario
    async def test_an_on_lost_that_raises_is_logged(
        self, make_client: MakeClient, caplog: pytest.LogCaptureFixture
    ) -> None:
        def on_lost(lease: object) -> None:
            raise ValueError("of on_lost")

        async with make_client() as client:
            lease = await client.lock("a", ttl=LONG, on_lost=on_lost).acquire()
            await async_lose(lease)
            await eventually(lambda: "of on_lost" in caplog.text)

    @kit.scenario
    async def test_closing_the_client_tells_the_holders(self, make_client: MakeClient) -> None:
        client = make_client()
        lease = await client.lock("a", ttl=LONG).acquire()
        await client.aclose()
        await client.aclose()
        assert lease.lost
        with pytest.raises(LeaseLost, match="closed"):
            lease.check()
        with pytest.raises(EngineError, match="closed"):
            await client.lock("a").acquire()
        async with make_client() as other:
            async with other.lock("a", wait=0):
                pass

    @kit.scenario
    async def test_an_interrupted_release_is_tried_once_more(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            faults.fail("release", error=Interruption())
            with pytest.raises(Interruption):
                async with client.lock("a", ttl=LONG):
                    pass
            assert await client.inspect("a") is None
