"""Noticing that this process is a forked child of the one that made an object.

A child must not use its parent's leases, sockets or locks. It cannot close them either: closing
a database connection that the parent still uses can corrupt it. So they are left alone.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Process:
    """An object per process: in a forked child ``current()`` is another one."""

    __slots__ = ("__weakref__",)


class Forkable(Protocol):
    """What may need repair in a forked child."""

    def after_fork(self) -> None:
        """Called in the child, before it runs anything else."""


_current = Process()
_abandoned: list[Process] = []
_registered: weakref.WeakSet[Forkable] = weakref.WeakSet()


def current() -> Process:
    """The identity of this process."""
    return _current


def register(item: Forkable) -> None:
    """Have ``item.after_fork()`` called in every forked child, for as long as ``item`` lives."""
    _registered.add(item)


def _in_child() -> None:
    global _current
    _abandoned.append(_current)  # keeps what hangs on it from being finalized here
    _current = Process()
    for item in list(_registered):
        item.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
