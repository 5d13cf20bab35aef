"""The memory engine's state, which sync and async clients of one process share."""

from __future__ import annotations

import threading
import time
import weakref
from typing import Any, TypeAlias

from holdfast._core.record import Record

from . import fork

Version: TypeAlias = tuple[Record | None, int]


class Space:
    """One set of resources: a compare-and-swap store, and a bell for every waiter."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.bells: dict[str, Any] = {}
        self._forgotten = 0  # tells one "no record" from a later one
        self._lock = threading.Lock()

    def load(self, resource: str) -> tuple[Record | None, Version]:
        """Return the record and its version."""
        with self._lock:
            record = self.records.get(resource)
            return record, (record, self._forgotten)

    def swap(self, resource: str, version: Version, record: Record, forget: bool) -> bool:
        """Store ``record`` if the version is still the same; ``forget`` drops it instead."""
        expected, forgotten = version
        with self._lock:
            if self.records.get(resource) is not expected:
                return False
            if expected is None and self._forgotten != forgotten:
                return False
            if forget:
                self._forgotten += 1
                self.records.pop(resource, None)
            else:
                self.records[resource] = record
            return True

    def ring(self, tickets: tuple[str, ...]) -> None:
        """Wake these waiters, in whichever thread or event loop they are."""
        for ticket in tickets:
            bell = self.bells.get(ticket)
            if bell is not None:
                bell.set()


class _Spaces:
    """All spaces by name. A space lives as long as an engine that uses it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_name: weakref.WeakValueDictionary[str, Space] = weakref.WeakValueDictionary()

    def get(self, name: str) -> Space:
        with self._lock:
            space = self._by_name.get(name)
            if space is None:
                space = self._by_name[name] = Space()
            return space

    def after_fork(self) -> None:
        self.__init__()  # type: ignore[misc]


_spaces = _Spaces()
fork.register(_spaces)


class _Fences:
    """The fences of all spaces. A forked child may go on from where its parent was."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # So that a guard at the data accepts the fences of the next process, too.
        self._last = time.time_ns() // 1000  # noqa: TID251 - orders fences; nothing expires by it
        fork.register(self)

    def next(self, floor: int) -> int:
        with self._lock:
            self._last = max(self._last, floor) + 1
            return self._last

    def after_fork(self) -> None:
        self._lock = threading.Lock()


_fences = _Fences()


def space(name: str) -> Space:
    """The space of that name."""
    return _spaces.get(name)


def next_fence(floor: int) -> int:
    """A fence larger than ``floor`` and than any that this process has given out."""
    return _fences.next(floor)
