"""What the numbers that a user hands in must be. Checked before any I/O."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from math import isfinite
from typing import Any, TypeAlias, TypedDict

#: Seconds, as a number or as a timedelta.
Seconds: TypeAlias = float | timedelta

#: Longer than any lease should be, and far from where clocks and drivers overflow.
MAX_SECONDS = 366 * 24 * 3600.0


class LockArguments(TypedDict, total=False):
    """What describes a lock besides its name, for functions that hand it on."""

    ttl: Seconds
    wait: Seconds | None
    renew: bool
    max_hold: Seconds | None
    fair: bool
    on_lost: Callable[[Any], object] | None
    info: Mapping[str, Any] | None


def seconds(value: Seconds, what: str) -> float:
    """Return ``value`` in seconds.

    Raises:
        TypeError: neither a number nor a timedelta (a bool is neither).
        ValueError: NaN, infinite or more than a year.
    """
    if isinstance(value, timedelta):
        value = value.total_seconds()
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{what} must be seconds or a timedelta, not {type(value).__name__}")
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{what} must be finite, not {value}")
    if abs(value) > MAX_SECONDS:  # before float(), which overflows for a very large int
        raise ValueError(f"{what} is more than a year")
    return float(value)


def check_ttl(ttl: Seconds, min_ttl: float) -> float:
    """Return ``ttl`` in seconds.

    Raises:
        TypeError, ValueError: as :func:`seconds`; also not positive, or below the engine's least.
    """
    value = seconds(ttl, "ttl")
    if value <= 0:
        raise ValueError(f"ttl must be positive, not {value}")
    if value < min_ttl:
        raise ValueError(f"ttl of {value} s is too small for this engine: {min_ttl} s is the least")
    return value


def check_wait(wait: Seconds | None) -> float | None:
    """Return ``wait`` in seconds, or None for ever.

    Raises:
        TypeError, ValueError: as :func:`seconds`; also negative.
    """
    if wait is None:
        return None
    value = seconds(wait, "wait")
    if value < 0:
        raise ValueError(f"wait must not be negative, not {value}; None waits for ever")
    return value


def check_max_hold(max_hold: Seconds | None) -> float | None:
    """Return ``max_hold`` in seconds, or None for no limit.

    Raises:
        TypeError, ValueError: as :func:`seconds`; also not positive.
    """
    if max_hold is None:
        return None
    value = seconds(max_hold, "max_hold")
    if value <= 0:
        raise ValueError(f"max_hold must be positive, not {value}")
    return value


def check_flag(value: bool, what: str) -> bool:
    """Return ``value``.

    Raises:
        TypeError: not a bool: ``renew=3`` is more likely a mistake than a yes.
    """
    if not isinstance(value, bool):
        raise TypeError(f"{what} must be True or False, not {value!r}")
    return value
