"""What the author of an engine needs, and what stays the same for one.

An engine is a subclass of ``AsyncEngine`` (and of ``Engine``, for plain code), or of
``AsyncRecordEngine`` (``RecordEngine``) for stores that can load a value and replace it if nobody
else has. ``holdfast.testing`` has the tests that it must pass.
"""

from __future__ import annotations

from ._async.engine import AsyncEngine
from ._async.record import AsyncRecordEngine
from ._core.model import Busy, Capabilities, Claim, Grant, Holder, NodeHealth, Ref, Snapshot
from ._core.record import Record, snapshot
from ._core.urls import Url, parse
from ._sync.engine import Engine
from ._sync.record import RecordEngine

__all__ = [
    "AsyncEngine",
    "AsyncRecordEngine",
    "Busy",
    "Capabilities",
    "Claim",
    "Engine",
    "Grant",
    "Holder",
    "NodeHealth",
    "Record",
    "RecordEngine",
    "Ref",
    "Snapshot",
    "Url",
    "parse",
    "snapshot",
]
