"""Every error that holdfast raises on purpose, on one screen.

Wrong arguments raise ``ValueError`` or ``TypeError`` before any I/O; everything else derives from
:class:`HoldfastError`. All of them pickle with their fields, so that they cross process pools and
task queues, and none of them ever carries an owner, a password or a token of an engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = [
    "AcquireTimeout",
    "CapabilityError",
    "EngineError",
    "EngineUnavailable",
    "HoldfastError",
    "LeaseLost",
    "NotHeld",
    "QuorumLost",
    "ResourceConflict",
    "StaleFence",
]


def _restore(cls: type[HoldfastError], args: tuple[Any, ...], fields: dict[str, Any]) -> Any:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


class HoldfastError(Exception):
    """The base of all errors of this library."""

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call cls(*args) and so lose keyword-only fields.
        return _restore, (type(self), self.args, dict(self.__dict__))


class AcquireTimeout(HoldfastError, TimeoutError):
    """The lease was not granted within ``wait`` seconds. Nothing is held, nothing is queued."""

    def __init__(
        self,
        name: str,
        waited: float,
        holder: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        by = f", held by {dict(holder)}" if holder else ""
        super().__init__(f"{name!r} was not free within {waited:.3f} s{by}")
        self.name = name
        self.waited = waited
        #: What the holder said of itself (its ``info``), where the engine knows it.
        self.holder = dict(holder) if holder else None
        #: Seconds after which the present lease ends unless it is renewed.
        self.retry_after = retry_after


class LeaseLost(HoldfastError):
    """The holder may no longer trust its lease: somebody else may hold the resource by now."""

    def __init__(self, name: str, fence: int, reason: str) -> None:
        super().__init__(f"the lease on {name!r} (fence {fence}) is lost: {reason}")
        self.name = name
        self.fence = fence
        self.reason = reason


class NotHeld(HoldfastError):
    """This lease was released already, so there is nothing to renew, check or release."""

    def __init__(self, name: str, fence: int) -> None:
        super().__init__(f"the lease on {name!r} (fence {fence}) was released already")
        self.name = name
        self.fence = fence


class ResourceConflict(HoldfastError):
    """One name is used as two kinds of thing, or with two limits."""

    def __init__(self, name: str, wanted: str, found: str) -> None:
        super().__init__(
            f"{name!r} is in use as a {found}; it cannot be a {wanted} at the same time"
        )
        self.name = name
        self.wanted = wanted
        self.found = found


class CapabilityError(HoldfastError):
    """The engine cannot give a guarantee that was asked for, or cannot run on this machine."""

    def __init__(self, engine: str, missing: str, message: str) -> None:
        super().__init__(message)
        self.engine = engine
        self.missing = missing


class StaleFence(HoldfastError):
    """A guard refused a write: a later holder has been there."""

    def __init__(self, name: str, fence: int, highest: int) -> None:
        super().__init__(f"fence {fence} for {name!r} is refused: {highest} was seen already")
        self.name = name
        self.fence = fence
        self.highest = highest


class EngineError(HoldfastError):
    """The engine refused or misbehaved, and trying again will not help by itself."""

    #: Whether it is certain that what was asked was not done, not even in part.
    nothing_done: bool = False


class EngineUnavailable(EngineError):
    """The engine did not answer, or not in time. What was asked may or may not have been done."""


class QuorumLost(EngineUnavailable):
    """Too few nodes answered. ``errors`` holds each node's own error."""

    def __init__(self, message: str, errors: Mapping[str, Exception]) -> None:
        super().__init__(message)
        self.errors = dict(errors)
