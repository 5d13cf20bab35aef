"""What only asyncio can do to a block: cancel it, time it out, stall its loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time

import pytest

from holdfast import AsyncClient, LeaseLost
from holdfast.testing import async_lose
from holdfast.testing.twins.aio import scenario


@scenario
async def test_a_timeout_around_the_block_stays_a_timeout() -> None:
    client = AsyncClient("memory://timeout")
    with pytest.raises(TimeoutError) as caught:
        async with asyncio.timeout(0.05):
            async with client.lock("a", ttl=60):
                await asyncio.Event().wait()
    assert type(caught.value) is TimeoutError
    assert await client.inspect("a") is None


@scenario
async def test_a_loss_inside_a_timeout_stays_a_loss() -> None:
    client = AsyncClient("memory://loss")
    with pytest.raises(LeaseLost):
        async with asyncio.timeout(30):
            async with client.lock("a", ttl=60) as lease:
                asyncio.get_running_loop().call_soon(
                    lambda: asyncio.ensure_future(async_lose(lease))
                )
                await asyncio.Event().wait()


@scenario
async def test_a_loss_and_a_cancellation_at_once_are_a_cancellation() -> None:
    client = AsyncClient("memory://both")
    inside = asyncio.Event()

    async def work() -> None:
        async with client.lock("a", ttl=60) as lease:
            leases.append(lease)
            inside.set()
            await asyncio.Event().wait()

    leases: list[object] = []
    task = asyncio.create_task(work())
    await inside.wait()
    await async_lose(leases[0])  # type: ignore[arg-type]
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@scenario
async def test_a_body_that_swallows_the_interruption_still_hears_of_the_loss() -> None:
    client = AsyncClient("memory://stubborn")
    with pytest.raises(LeaseLost):
        async with client.lock("a", ttl=60) as lease:
            loss = asyncio.create_task(async_lose(lease))
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                pass
            await loss
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0)  # nothing is left that would cancel this


@scenario
async def test_a_task_group_is_told_of_the_loss() -> None:
    client = AsyncClient("memory://group")

    async def work() -> None:
        async with client.lock("a", ttl=60) as lease:
            asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(async_lose(lease)))
            await asyncio.Event().wait()

    with pytest.raises(ExceptionGroup) as caught:
        async with asyncio.TaskGroup() as group:
            group.create_task(work())
    assert [type(each) for each in caught.value.exceptions] == [LeaseLost]


@scenario
async def test_a_stalled_event_loop_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    client = AsyncClient("memory://stall")
    caplog.set_level(logging.WARNING)
    with contextlib.suppress(LeaseLost):  # on a machine that is slow besides
        async with client.lock("a", ttl=3.0):
            await asyncio.sleep(0)
            time.sleep(2.5)  # what must not be done in an event loop
            await asyncio.sleep(0.1)
    assert "its event loop was blocked" in caplog.text


@scenario
async def test_a_stall_beyond_the_deadline_is_a_loss() -> None:
    client = AsyncClient("memory://deadline")
    with pytest.raises(LeaseLost):
        async with client.lock("a", ttl=0.2) as lease:
            time.sleep(0.3)
            assert lease.remaining == 0
            await asyncio.Event().wait()


@scenario
async def test_an_on_lost_may_be_async() -> None:
    client = AsyncClient("memory://on_lost")
    told = asyncio.Event()

    async def on_lost(lease: object) -> None:
        await asyncio.sleep(0)
        told.set()

    lease = await client.lock("a", ttl=60, on_lost=on_lost).acquire()
    await async_lose(lease)
    await told.wait()


@scenario
async def test_who_cancels_all_tasks_does_not_stop_the_care_for_leases() -> None:
    client = AsyncClient("memory://all_tasks")
    told = asyncio.Event()
    lease = await client.lock("a", ttl=0.6, on_lost=lambda lease: told.set()).acquire()
    for _ in range(10):
        await asyncio.sleep(0.05)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
    await client.break_lock("a")
    await told.wait()
    assert lease.lost


@scenario
async def test_nothing_is_left_when_a_loop_ends_with_leases_held() -> None:
    client = AsyncClient("memory://left")

    async def holder() -> None:
        async with client.lock("a", ttl=60):
            await asyncio.Event().wait()

    asyncio.create_task(holder())  # noqa: RUF006 - asyncio.run cancels it
    await asyncio.sleep(0.01)
    assert await client.inspect("a") is not None
