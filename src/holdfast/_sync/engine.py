# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""What an engine must do. A new engine is one file with these methods."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from holdfast._core.model import Busy, Capabilities, Claim, Grant, NodeHealth, Ref, Snapshot
from holdfast._core.registry import SYNC, engine_class
from holdfast._core.urls import Url
from holdfast._runtime import threads as rt
from holdfast._runtime.clock import clock
from holdfast.errors import EngineError


class Engine(ABC):
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
    def try_acquire(self, claim: Claim) -> Grant | Busy:
        """Grant the claim, or refuse and, if it has a ticket, queue it. One atomic step.

        A claim whose owner holds already is granted again, with the same fence and no new ttl.

        Raises:
            ResourceConflict: the name is in use as another kind of thing.
        """

    @abstractmethod
    def renew(self, ref: Ref, ttl: float) -> Grant | None:
        """Prolong a live lease; None when it is gone. Never creates one."""

    @abstractmethod
    def release(self, ref: Ref) -> bool:
        """End the lease, withdraw the waiter, wake who is next; False when no lease was there."""

    @abstractmethod
    def inspect(self, resource: str) -> Snapshot | None:
        """Return who holds the resource and how many wait; None when nobody does."""

    @abstractmethod
    def scan(self, prefix: str) -> Iterator[Snapshot]:
        """Iterate over all resources in use whose names start with ``prefix``, in order."""

    def renew_many(
        self, refs: Sequence[tuple[Ref, float]]
    ) -> list[Grant | EngineError | None]:
        """Renew many leases; an outcome that is unknown is the error. Engines that can, batch."""
        outcomes: list[Grant | EngineError | None] = []
        for ref, ttl in refs:
            try:
                outcomes.append(self.renew(ref, ttl))
            except EngineError as exc:
                outcomes.append(exc)
        return outcomes

    def wait(self, busy: Busy, timeout: float) -> None:
        """Wait until the claim may succeed, ``timeout`` seconds at most. Without push: sleep."""
        rt.sleep(timeout)

    def wake_all(self) -> None:  # noqa: B027 - without push, they look by themselves
        """Wake all who wait through this engine object: its client is being closed."""

    def health(self) -> tuple[NodeHealth, ...]:
        """Ask every server one small question."""
        started = clock()
        try:
            self.inspect("holdfast:health")
        except EngineError as exc:
            return (NodeHealth(str(self.url), ok=False, latency=None, error=str(exc)),)
        return (NodeHealth(str(self.url), ok=True, latency=clock() - started),)

    def close(self) -> None:  # noqa: B027 - many engines have nothing to close
        """Close what is open. The engine is not used afterwards."""

    def dispose(self) -> None:  # noqa: B027
        """Close what is open without waiting: the event loop that it belongs to is closed."""


def find_engine(url: Url) -> type[Engine]:
    """Return the class that serves ``url``.

    Raises:
        ValueError: no engine has that scheme.
    """
    found = engine_class(url.scheme, SYNC)
    if not (isinstance(found, type) and issubclass(found, Engine)):
        raise TypeError(
            f"the engine for {url.scheme}:// is not a subclass of Engine: {found!r}"
        )
    return found
