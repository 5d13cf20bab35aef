"""The twin for asyncio: every name here has its counterpart in ``threads``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import pytest

from holdfast._async.client import AsyncClient
from holdfast._async.engine import AsyncEngine
from holdfast.errors import LeaseLost

P = ParamSpec("P")
T = TypeVar("T")


def scenario(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test in an event loop of its own; no plugin is needed."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


async def asynchronous_generator() -> AsyncIterator[int]:
    """Stand for what no lock can wrap."""
    yield 1


class CancelledAt:
    """Runs a coroutine, and cancels its task when it suspends for the ``at``-th time."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], at: int) -> None:
        self._coroutine = coroutine
        self._at = at
        self.suspended = 0

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._coroutine.__await__()
        task = asyncio.current_task()
        assert task is not None
        value: Any = None
        error: BaseException | None = None
        while True:
            try:
                future = inner.send(value) if error is None else inner.throw(error)
            except StopIteration as stop:
                return stop.value
            self.suspended += 1
            if self.suspended == self._at:
                asyncio.get_running_loop().call_soon(task.cancel)
            try:
                value, error = (yield future), None
            except BaseException as exc:
                value, error = None, exc


async def cancel_everywhere(
    make: Callable[[], Coroutine[Any, Any, object]],
    check: Callable[[], Coroutine[Any, Any, None]],
    most: int = 200,
) -> int:
    """Run ``make()`` again and again, cancelled at its first await, its second, …; check each time.

    Returns how many awaits there were. The last run is the one that was not cancelled.
    """
    for at in range(1, most):
        run = CancelledAt(make(), at)

        async def body(run: CancelledAt = run) -> None:
            await run

        task = asyncio.ensure_future(body())
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()
            return at
        await check()
    raise AssertionError(f"more than {most} awaits")


class FlavourContract:
    """What can only be asked of tasks: that they can be cancelled, from both sides."""

    @scenario
    async def test_an_acquire_cancelled_at_any_await_leaves_nothing(
        self, make_engine: Callable[[], AsyncEngine]
    ) -> None:
        client = AsyncClient.from_engine(make_engine)

        async def acquire() -> None:
            await (await client.lock("a", ttl=60).acquire(wait=30)).release()

        async def check() -> None:
            assert await client.inspect("a") is None

        assert await cancel_everywhere(acquire, check) > 1
        await client.aclose()

    @scenario
    async def test_a_waiting_acquire_cancelled_at_any_await_leaves_nothing(
        self, make_engine: Callable[[], AsyncEngine]
    ) -> None:
        client = AsyncClient.from_engine(make_engine)
        holder = await client.lock("a", ttl=60).acquire()

        async def acquire() -> None:
            with pytest.raises(TimeoutError):
                await client.lock("a", ttl=60).acquire(wait=0.05)

        async def check() -> None:
            snapshot = await client.inspect("a")
            assert snapshot is not None
            assert [each.fence for each in snapshot.holders] == [holder.fence]
            assert snapshot.waiters == 0

        assert await cancel_everywhere(acquire, check) > 1
        await holder.release()
        await client.aclose()

    @scenario
    async def test_a_block_cancelled_at_any_await_of_its_ends_leaves_nothing(
        self, make_engine: Callable[[], AsyncEngine]
    ) -> None:
        client = AsyncClient.from_engine(make_engine)

        async def enter() -> None:
            async with client.lock("a", ttl=60):
                await asyncio.sleep(0)

        async def check() -> None:
            assert await client.inspect("a") is None

        assert await cancel_everywhere(enter, check) > 2
        await client.aclose()

    @scenario
    async def test_the_body_is_cancelled_when_its_lease_is_lost(
        self, make_engine: Callable[[], AsyncEngine]
    ) -> None:
        client = AsyncClient.from_engine(make_engine)
        interrupted = False
        with pytest.raises(LeaseLost) as caught:
            async with client.lock("a", ttl=0.3):
                await client.break_lock("a")
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    interrupted = True
                    raise
        assert interrupted
        assert isinstance(caught.value.__cause__, asyncio.CancelledError)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        await client.aclose()

    @scenario
    async def test_a_cancellation_from_outside_stays_one(
        self, make_engine: Callable[[], AsyncEngine]
    ) -> None:
        client = AsyncClient.from_engine(make_engine)
        inside = asyncio.Event()

        async def work() -> None:
            async with client.lock("a", ttl=60):
                inside.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(work())
        await inside.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await client.inspect("a") is None
        await client.aclose()
