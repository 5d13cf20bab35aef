"""What type checkers make of programs on ``Client``: mypy and pyright check this file.

Running it only shows that it can be imported: what matters is in the annotations.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import assert_type

import pytest

import holdfast
from holdfast import Client, Lease, Lock


def test_this_file_is_checked_by_the_type_checkers() -> None:
    assert callable(using)


def using(client: Client) -> None:
    lock = client.lock("order:42", ttl=10, wait=5)
    assert_type(lock, Lock)
    assert_type(lock.try_acquire(), Lease | None)
    assert_type(lock.acquire(), Lease)
    assert_type(lock.acquire(wait=5), Lease)
    assert_type(lock.acquire(wait=None), Lease)
    assert_type(lock.acquire(wait=timedelta(seconds=5)), Lease)
    with lock as lease:
        assert_type(lease, Lease)
        assert_type(lease.name, str)
        assert_type(lease.fence, int)
        assert_type(lease.ttl, float)
        assert_type(lease.remaining, float)
        assert_type(lease.held, bool)
        assert_type(lease.lost.is_set(), bool)
        assert_type(lease.lost.wait(1.0), bool)
        lease.check()
        lease.renew()
        lease.release()


def every_option(client: Client) -> None:
    def on_lost(lease: Lease) -> None: ...

    options = client.lock(
        "x",
        ttl=timedelta(seconds=10),
        wait=None,
        renew=False,
        max_hold=60,
        fair=True,
        on_lost=on_lost,
        info={"job": 7},
    )
    assert_type(options, Lock)
    assert_type(holdfast.lock("x", ttl=1, fair=True), Lock)


def a_body_may_end_early(client: Client) -> int:
    """A ``with`` that swallowed exceptions would make a checker ask for a return below it."""
    with client.lock("x"):
        return 1


def decorators(client: Client) -> None:
    @client.locked("invoice:{order_id}", ttl=30)
    def make_invoice(order_id: int, *, draft: bool = False) -> str:
        return f"{order_id} {draft}"

    @client.lock("report")
    def report(day: str) -> list[int]:
        return [len(day)]

    @holdfast.locked("nightly")
    def nightly() -> None: ...

    assert_type(make_invoice(42, draft=True), str)
    assert_type(report("monday"), list[int])
    same: Callable[[], None] = nightly
    same()
    make_invoice("42")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    make_invoice(42, wrong=1)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]


def methods(client: Client) -> None:
    class Shop:
        @client.locked("shop:{item}")
        def sell(self, item: str) -> int:
            return len(item)

    assert_type(Shop().sell("hat"), int)


def looking(client: Client) -> None:
    assert_type(client.inspect("x"), holdfast.Snapshot | None)
    assert_type(client.scan(), Iterator[holdfast.Snapshot])
    assert_type(client.break_lock("x"), tuple[holdfast.Holder, ...])
    assert_type(client.health(), holdfast.Health)
    assert_type(client.health().ok, bool)
    assert_type(client.capabilities, holdfast.Capabilities)
    with client as same:
        assert_type(same, Client)
    client.close()


def errors(client: Client) -> None:
    try:
        client.lock("x").acquire(wait=0)
    except holdfast.AcquireTimeout as timeout:
        assert_type(timeout.name, str)
        assert_type(timeout.waited, float)
        assert_type(timeout.retry_after, float | None)
    except holdfast.LeaseLost as lost:
        assert_type((lost.name, lost.fence, lost.reason), tuple[str, int, str])
    except holdfast.QuorumLost as quorum:
        assert_type(quorum.errors, dict[str, Exception])


def mistakes(client: Client) -> None:
    client.lock(42)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.lock("x", ttl="10")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    client.lock("x", timeout=3)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    client.lock("x", 10)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
    holdfast.lock("x", timeout=3)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize("name", ["lock", "locked"])
def test_the_default_client_takes_the_options_of_a_client(name: str) -> None:
    assert callable(getattr(holdfast, name))
