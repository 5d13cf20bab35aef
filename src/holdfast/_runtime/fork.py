"""Noticing that this process is a forked child of the one that made an object.

A child must not use its parent's leases, sockets or locks. It cannot close them either: closing
a database connection that the parent still uses can corrupt it. So they are left alone.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Protocol


class Process:
    """An object per process: in a forked child ``current()`` is another one."""

    __slots__ = ("__weakref__",)


class Forkable(Protocol):
    """What may need repair in a forked child."""

    def after_fork(self) -> None:
        """Called in the child, before it runs anything else."""


class Gate:
    """A lock that the thread which forks holds meanwhile.

    Libraries in C have locks of their own. What runs behind a gate is never under way at a fork,
    so that none of these is taken for good in the child. ``prepare`` is called while the gate is
    closed, to put away what must not be inherited.
    """

    __slots__ = ("__weakref__", "lock", "prepare")

    def __init__(self, prepare: Callable[[], None]) -> None:
        self.lock = threading.Lock()
        self.prepare = prepare
        _gates.add(self)


#: Longer than any call behind a gate takes; a fork from inside one must not hang.
_GATE_TIMEOUT = 10.0

_gates: weakref.WeakSet[Gate] = weakref.WeakSet()
_closed = threading.local()  # .gates: two threads may fork at once
_current = Process()
_abandoned: list[Process] = []
_registered: weakref.WeakSet[Forkable] = weakref.WeakSet()


def current() -> Process:
    """The identity of this process."""
    return _current


def register(item: Forkable) -> None:
    """Have ``item.after_fork()`` called in every forked child, for as long as ``item`` lives."""
    _registered.add(item)


def _before() -> None:
    _closed.gates = [gate for gate in list(_gates) if gate.lock.acquire(timeout=_GATE_TIMEOUT)]
    for gate in _closed.gates:
        gate.prepare()


def _in_parent() -> None:
    for gate in _closed.gates:
        gate.lock.release()
    _closed.gates = []


def _in_child() -> None:
    global _current
    _closed.gates = []
    for gate in list(_gates):
        gate.lock = threading.Lock()
    _abandoned.append(_current)  # keeps what hangs on it from being finalized here
    _current = Process()
    for item in list(_registered):
        item.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
