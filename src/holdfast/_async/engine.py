# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""What an engine must do. A new engine is one file with these methods."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from typing import ClassVar

from holdfast._core.model import Busy, Capabilities, Claim, Grant, NodeHealth, Ref, Snapshot
from holdfast._core.registry import ASYNC, engine_class
from holdfast._core.urls import Url
from holdfast._runtime import aio as rt
from holdfast._runtime.clock import clock
from holdfast.errors import EngineError


class AsyncEngine(ABC):
    """Where leases live. One object serves one event loop, or all threads of one process.

    Acquire, renew and release are idempotent on the owner, so that a caller who got no answer may
    ask again. Construction connects to nothing; the first call does.
    Every method raises ``EngineUnavailable`` when there was no answer (what was asked may have been
    done) and another ``EngineError`` when trying again will not help.
    """

    capabilities: ClassVar[Capabilities]

    def __init__(self, url: Url) -> None:
        self.url = url

    @abstractmethod
    async def try_acquire(self, claim: Claim) -> Grant | Busy:
        """Grant the claim, or refuse and, if it has a ticket, queue it. One atomic step.

        A claim whose owner holds already is granted again, with the same fence and no new ttl.

        Raises:
            ResourceConflict: the name is in use as another kind of thing.
        """

    @abstractmethod
    async def renew(self, ref: Ref, ttl: float) -> Grant | None:
        """Prolong a live lease; None when it is gone. Never creates one."""

    @abstractmethod
    async def release(self, ref: Ref) -> bool:
        """End the lease, withdraw the waiter, wake who is next; False when no lease was there."""

    @abstractmethod
    async def inspect(self, resource: str) -> Snapshot | None:
        """Return who holds the resource and how many wait; None when nobody does."""

    @abstractmethod
    def scan(self, prefix: str) -> AsyncIterator[Snapshot]:
        """Iterate over all resources in use whose names start with ``prefix``, in order."""

    async def renew_many(
        self, refs: Sequence[tuple[Ref, float]]
    ) -> list[Grant | EngineError | None]:
        """Renew many leases; an outcome that is unknown is the error. Engines that can, batch."""
        outcomes: list[Grant | EngineError | None] = []
        for ref, ttl in refs:
            try:
                outcomes.append(await self.renew(ref, ttl))
            except EngineError as exc:
                outcomes.append(exc)
        return outcomes

    async def wait(self, busy: Busy, timeout: float) -> None:
        """Wait until the claim may succeed, ``timeout`` seconds at most. Without push: sleep."""
        await rt.sleep(timeout)

    def wake_all(self) -> None:  # noqa: B027 - without push, they look by themselves
        """Wake all who wait through this engine object: its client is being closed."""

    async def health(self) -> tuple[NodeHealth, ...]:
        """Ask every server one small question."""
        started = clock()
        try:
            await self.inspect("holdfast:health")
        except EngineError as exc:
            return (NodeHealth(str(self.url), ok=False, latency=None, error=str(exc)),)
        return (NodeHealth(str(self.url), ok=True, latency=clock() - started),)

    async def aclose(self) -> None:  # noqa: B027 - many engines have nothing to close
        """Close what is open. The engine is not used afterwards."""

    def dispose(self) -> None:  # noqa: B027
        """Close what is open without waiting: the event loop that it belongs to is closed."""


def find_engine(url: Url) -> type[AsyncEngine]:
    """Return the class that serves ``url``.

    Raises:
        ValueError: no engine has that scheme.
    """
    found = engine_class(url.scheme, ASYNC)
    if not (isinstance(found, type) and issubclass(found, AsyncEngine)):
        raise TypeError(
            f"the engine for {url.scheme}:// is not a subclass of AsyncEngine: {found!r}"
        )
    return found
