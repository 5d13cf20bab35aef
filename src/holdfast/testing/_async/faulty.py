# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""An engine that does what it is told to do wrong, and otherwise what the engine behind it does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from typing import TypeVar

from holdfast._async.client import AsyncClient
from holdfast._async.engine import AsyncEngine, find_engine
from holdfast._async.lease import AsyncLease, tenure_of
from holdfast._core.model import Busy, Claim, Grant, Ref, Snapshot
from holdfast._core.urls import parse
from holdfast._runtime import aio as rt
from holdfast.testing.faults import Faults

T = TypeVar("T")


class AsyncFaultyEngine(AsyncEngine):
    """Wraps an engine, and asks ``faults`` before every call."""

    def __init__(self, engine: AsyncEngine, faults: Faults) -> None:
        super().__init__(engine.url)
        self.capabilities = engine.capabilities  # type: ignore[misc]
        self._engine = engine
        self._faults = faults

    async def try_acquire(self, claim: Claim) -> Grant | Busy:
        return await self._ask("acquire", lambda: self._engine.try_acquire(claim))

    async def renew(self, ref: Ref, ttl: float) -> Grant | None:
        return await self._ask("renew", lambda: self._engine.renew(ref, ttl))

    async def release(self, ref: Ref) -> bool:
        return await self._ask("release", lambda: self._engine.release(ref))

    async def inspect(self, resource: str) -> Snapshot | None:
        return await self._ask("inspect", lambda: self._engine.inspect(resource))

    async def wait(self, busy: Busy, timeout: float) -> None:
        await self._ask("wait", lambda: self._engine.wait(busy, timeout))

    def wake_all(self) -> None:
        self._engine.wake_all()

    def scan(self, prefix: str) -> AsyncIterator[Snapshot]:
        return self._engine.scan(prefix)

    async def aclose(self) -> None:
        await self._engine.aclose()

    async def _ask(self, operation: str, call: Callable[[], rt.Coro[T]]) -> T:
        faults = self._faults.next(operation)
        for fault in faults:
            await rt.sleep(fault.delay)
            if fault.hook is not None:
                await rt.call(fault.hook)
            if fault.error is not None and not fault.reply_lost:
                raise fault.error
        result = await call()
        for fault in faults:
            await rt.sleep(fault.delay_after)
            if fault.error is not None:
                raise fault.error
        return result


def async_faulty_client(
    faults: Faults, url: str = "memory://", *, prefix: str = "lock:", require: Iterable[str] = ()
) -> AsyncClient:
    """Build a client whose engine does what ``faults`` says.

    Raises:
        ValueError, TypeError, CapabilityError: as :class:`AsyncClient`.
    """
    parsed = parse(url)
    engine = find_engine(parsed)
    return AsyncClient.from_engine(
        lambda: AsyncFaultyEngine(engine(parsed), faults), prefix=prefix, require=require
    )


async def async_lose(lease: AsyncLease, reason: str = "a test wanted it so") -> None:
    """Lose a lease now: the engine forgets it, and its holder is told as if it had noticed.

    Raises:
        EngineError: the engine did not answer or refused.
    """
    await tenure_of(lease).take_away(reason)


async def async_lose_all(
    client: AsyncClient, name: str, reason: str = "a test wanted it so"
) -> int:
    """Lose all leases on ``name`` that ``client`` holds here, as :func:`async_lose` does.

    For code that keeps its leases to itself. Returns how many there were.

    Raises:
        EngineError: the engine did not answer or refused.
    """
    held = [tenure for tenure in client.session().held() if tenure.name == name]
    for tenure in held:
        await tenure.take_away(reason)
    return len(held)
