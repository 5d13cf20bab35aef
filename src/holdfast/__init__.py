"""Locks and leases for services, with fencing tokens, on the engine that you already run.

    import holdfast

    with holdfast.lock("nightly-report") as lease:
        lease.fence     # larger than that of every earlier holder

Names are loaded when they are first used: ``import holdfast`` pulls in no engine and no asyncio.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import (
    AcquireTimeout,
    CapabilityError,
    EngineError,
    EngineUnavailable,
    HoldfastError,
    LeaseLost,
    NotHeld,
    QuorumLost,
    ResourceConflict,
    StaleFence,
)

if TYPE_CHECKING:
    from ._async.client import AsyncClient
    from ._async.default import async_lock, async_locked
    from ._async.engine import AsyncEngine
    from ._async.lease import AsyncLease
    from ._async.lock import AsyncLock
    from ._core.model import Capabilities, Health, Holder, NodeHealth, Snapshot
    from ._sync.client import Client
    from ._sync.default import lock, locked
    from ._sync.engine import Engine
    from ._sync.lease import Lease
    from ._sync.lock import Lock

__version__ = "0.1.0"

__all__ = [
    "AcquireTimeout",
    "AsyncClient",
    "AsyncEngine",
    "AsyncLease",
    "AsyncLock",
    "Capabilities",
    "CapabilityError",
    "Client",
    "Engine",
    "EngineError",
    "EngineUnavailable",
    "Health",
    "Holder",
    "HoldfastError",
    "Lease",
    "LeaseLost",
    "Lock",
    "NodeHealth",
    "NotHeld",
    "QuorumLost",
    "ResourceConflict",
    "Snapshot",
    "StaleFence",
    "async_lock",
    "async_locked",
    "lock",
    "locked",
]

_HOMES = {
    "AsyncClient": "_async.client",
    "AsyncEngine": "_async.engine",
    "AsyncLease": "_async.lease",
    "AsyncLock": "_async.lock",
    "Capabilities": "_core.model",
    "Client": "_sync.client",
    "Engine": "_sync.engine",
    "Health": "_core.model",
    "Holder": "_core.model",
    "Lease": "_sync.lease",
    "Lock": "_sync.lock",
    "NodeHealth": "_core.model",
    "Snapshot": "_core.model",
    "async_lock": "_async.default",
    "async_locked": "_async.default",
    "lock": "_sync.default",
    "locked": "_sync.default",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
