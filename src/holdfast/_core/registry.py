"""Which engine serves which URL scheme.

The built-in ones are a table, so that finding them costs nothing and works where package
metadata is missing. Other packages add theirs with two entry points named like the scheme, one in
the group ``holdfast.engines`` and one in ``holdfast.async_engines``, each naming a class.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

SYNC = "holdfast.engines"
ASYNC = "holdfast.async_engines"

#: scheme → module below ``_async/engines`` and ``_sync/engines``, and the class without ``Async``
BUILTIN = {
    "memory": ("memory", "MemoryEngine"),
    "sqlite": ("sqlite", "SqliteEngine"),
}


def schemes(group: str) -> list[str]:
    """Every scheme that a URL may have here, in order."""
    from importlib import metadata  # dear to load, and needed for foreign engines only

    return sorted({*BUILTIN, *(point.name for point in metadata.entry_points(group=group))})


def engine_class(scheme: str, group: str) -> Any:
    """Return the class that serves ``scheme`` in ``group``, which is SYNC or ASYNC.

    Raises:
        ValueError: no engine has that scheme.
    """
    if scheme in BUILTIN:
        module, name = BUILTIN[scheme]
        tree, prefix = ("_async", "Async") if group == ASYNC else ("_sync", "")
        return getattr(import_module(f"holdfast.{tree}.engines.{module}"), prefix + name)
    from importlib import metadata

    for point in metadata.entry_points(group=group, name=scheme):
        return point.load()
    raise ValueError(f"no engine for {scheme}://; there are: {', '.join(schemes(group))}")
