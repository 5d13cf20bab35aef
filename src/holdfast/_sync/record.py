# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""The engine interface over two primitives, for stores with conditional writes.

A store that can load a value with its version, and replace it if the version is still the same,
has all that an engine needs: what acquire, renew and release mean is decided by ``_core.record``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

from holdfast._core import record as rules
from holdfast._core.backoff import Backoff
from holdfast._core.model import Busy, Claim, Grant, Ref, Snapshot
from holdfast._core.record import Record
from holdfast._runtime import threads as rt
from holdfast._runtime.chance import RANDOM
from holdfast.errors import EngineUnavailable

from .engine import Engine

T = TypeVar("T")

_EMPTY = Record()
_ATTEMPTS = 50
_BACKOFF = Backoff(base=0.001, cap=0.1)


class RecordEngine(Engine):
    """An engine that keeps one ``Record`` per resource."""

    @abstractmethod
    def load(self, resource: str) -> tuple[Record | None, Any]:
        """Return the record and its version."""

    @abstractmethod
    def swap(self, resource: str, version: Any, record: Record) -> bool:
        """Store ``record`` if the version is still ``version``; False when it is not."""

    @abstractmethod
    def now(self) -> float:
        """Return the time by which this store's leases expire."""

    @abstractmethod
    def next_fence(self, floor: int) -> int:
        """Return what the next fence must be at least, so that order survives forgotten records."""

    def notify(self, tickets: tuple[str, ...]) -> None:
        """Wake these waiters."""

    def try_acquire(self, claim: Claim) -> Grant | Busy:
        def change(record: Record) -> tuple[Record, Grant | Busy]:
            return rules.acquire(record, claim, self.now(), self.next_fence(claim.floor))

        return self._change(claim.resource, change)

    def renew(self, ref: Ref, ttl: float) -> Grant | None:
        def change(record: Record) -> tuple[Record, Grant | None]:
            return rules.renew(record, ref, ttl, self.now())

        return self._change(ref.resource, change)

    def release(self, ref: Ref) -> bool:
        def change(record: Record) -> tuple[Record, tuple[bool, tuple[str, ...]]]:
            changed, released, woken = rules.release(record, ref, self.now())
            return changed, (released, woken)

        released, woken = self._change(ref.resource, change)
        self.notify(woken)
        return released

    def inspect(self, resource: str) -> Snapshot | None:
        record, _ = self.load(resource)
        return rules.snapshot(resource, record or _EMPTY, self.now())

    def _change(self, resource: str, change: Callable[[Record], tuple[Record, T]]) -> T:
        for attempt in range(_ATTEMPTS):
            record, version = self.load(resource)
            before = record or _EMPTY
            changed, outcome = change(before)
            if changed == before or self.swap(resource, version, changed):
                return outcome
            rt.sleep(_BACKOFF.pause(attempt, RANDOM))
        raise EngineUnavailable(f"{self.url}: {resource!r} changed under us {_ATTEMPTS} times")
