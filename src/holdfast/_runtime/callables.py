"""What a decorator is put on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial


def called_by(function: Callable[..., object]) -> list[Callable[..., object]]:
    """Return the functions to look at to know what a call of ``function`` does.

    Raises:
        TypeError: it cannot be called as it is.
    """
    for wrapper in (staticmethod, classmethod):
        if isinstance(function, wrapper):
            raise TypeError(f"put the lock below @{wrapper.__name__}, not above it")
    if not callable(function):
        raise TypeError(f"a lock decorates a function, not {function!r}")
    while isinstance(function, partial):
        function = function.func
    return [function, type(function).__call__]
