"""The twin for threads: every name here has its counterpart in ``aio``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import ParamSpec

P = ParamSpec("P")


def scenario(test: Callable[P, None]) -> Callable[P, None]:
    """Run a test as it stands."""
    return test


async def asynchronous_generator() -> AsyncIterator[int]:
    """Stand for what no lock can wrap."""
    yield 1


class FlavourContract:
    """What can only be asked of threads: nothing that others could not show as well."""
