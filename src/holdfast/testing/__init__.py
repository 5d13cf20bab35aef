"""For those who test: faults to inject into your own code's locks, and the contract for engines.

``Faults`` with :func:`faulty_client` or :func:`async_faulty_client` let a test of yours see lost
replies, failing renewals and slow engines; :func:`lose` and :func:`lose_all` take leases away at
once. The pytest
plugin offers them as fixtures. ``EngineContract`` and ``AsyncEngineContract`` hold the tests that
every engine passes: subclass them to test an engine of your own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .faults import Faults

if TYPE_CHECKING:
    from ._async.contract import AsyncEngineContract
    from ._async.faulty import (
        AsyncFaultyEngine,
        async_faulty_client,
        async_lose,
        async_lose_all,
    )
    from ._sync.contract import EngineContract
    from ._sync.faulty import FaultyEngine, faulty_client, lose, lose_all

__all__ = [
    "AsyncEngineContract",
    "AsyncFaultyEngine",
    "EngineContract",
    "Faults",
    "FaultyEngine",
    "async_faulty_client",
    "async_lose",
    "async_lose_all",
    "faulty_client",
    "lose",
    "lose_all",
]

_HOMES = {
    "AsyncEngineContract": "_async.contract",
    "AsyncFaultyEngine": "_async.faulty",
    "EngineContract": "_sync.contract",
    "FaultyEngine": "_sync.faulty",
    "async_faulty_client": "_async.faulty",
    "async_lose": "_async.faulty",
    "async_lose_all": "_async.faulty",
    "faulty_client": "_sync.faulty",
    "lose": "_sync.faulty",
    "lose_all": "_sync.faulty",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
