"""What type checkers make of programs on ``AsyncClient``: mypy and pyright check this file.

Running it only shows that it can be imported: what matters is in the annotations.
"""

from collections.abc import AsyncIterator, Coroutine
from datetime import timedelta
from typing import Any, assert_type

import holdfast
from holdfast import AsyncClient, AsyncLease, AsyncLock


def test_this_file_is_checked_by_the_type_checkers() -> None:
    assert callable(using)


async def using(client: AsyncClient) -> None:
    lock = client.lock("order:42", ttl=10, wait=5)
    assert_type(lock, AsyncLock)
    assert_type(await lock.try_acquire(), AsyncLease | None)
    assert_type(await lock.acquire(), AsyncLease)
    assert_type(await lock.acquire(wait=5), AsyncLease)
    assert_type(await lock.acquire(wait=timedelta(seconds=5)), AsyncLease)
    async with lock as lease:
        assert_type(lease, AsyncLease)
        assert_type(lease.fence, int)
        assert_type(lease.remaining, float)
        assert_type(lease.lost.is_set(), bool)
        assert_type(await lease.lost.wait(1.0), bool)
        lease.check()
        await lease.renew()
        await lease.release()


async def every_option(client: AsyncClient) -> None:
    async def on_lost(lease: AsyncLease) -> None: ...

    options = client.lock("x", renew=False, max_hold=60, fair=True, on_lost=on_lost, info={"a": 1})
    assert_type(options, AsyncLock)
    assert_type(holdfast.async_lock("x", ttl=1, fair=True), AsyncLock)


async def a_body_may_end_early(client: AsyncClient) -> int:
    async with client.lock("x"):
        return 1


async def decorators(client: AsyncClient) -> None:
    @client.locked("invoice:{order_id}", ttl=30)
    async def make_invoice(order_id: int, *, draft: bool = False) -> str:
        return f"{order_id} {draft}"

    @client.lock("report")
    async def report(day: str) -> list[int]:
        return [len(day)]

    @holdfast.async_locked("nightly")
    async def nightly() -> None: ...

    coroutine: Coroutine[Any, Any, str] = make_invoice(42)
    assert_type(await coroutine, str)
    assert_type(await make_invoice(42, draft=True), str)
    assert_type(await report("monday"), list[int])
    await nightly()
    await make_invoice("42")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


def not_a_coroutine_function(client: AsyncClient) -> None:
    def plain() -> None: ...

    client.lock("x")(plain)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


async def looking(client: AsyncClient) -> None:
    assert_type(await client.inspect("x"), holdfast.Snapshot | None)
    assert_type(client.scan(), AsyncIterator[holdfast.Snapshot])
    assert_type(await client.break_lock("x"), tuple[holdfast.Holder, ...])
    assert_type(await client.health(), holdfast.Health)
    async with client as same:
        assert_type(same, AsyncClient)
    await client.aclose()


async def forgotten_await(client: AsyncClient) -> None:
    lease = client.lock("x").acquire()
    lease.fence  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue] # noqa: B018
    lease.close()
