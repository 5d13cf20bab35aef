# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""The default client: ``$HOLDFAST_URL``, else an SQLite file that this user's processes share."""

from __future__ import annotations

import threading
from typing import Unpack

from holdfast._core.arguments import LockArguments
from holdfast._runtime import fork

from .client import AsyncClient
from .lock import AsyncDecorator, AsyncLock


class _Default:
    """Builds the client once per process, when it is first asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._client: AsyncClient | None = None
        fork.register(self)

    def get(self) -> AsyncClient:
        with self._lock:
            if self._client is None:
                self._client = AsyncClient()
            return self._client

    def after_fork(self) -> None:
        self._lock = threading.Lock()


_default = _Default()


def async_lock(name: str, **options: Unpack[LockArguments]) -> AsyncLock:
    """Describe a lock of the default client; the options are those of :meth:`AsyncClient.lock`.

    Raises:
        ValueError, TypeError, CapabilityError: as :class:`AsyncClient` and its method.
    """
    return _default.get().lock(name, **options)


def async_locked(name: str, **options: Unpack[LockArguments]) -> AsyncDecorator:
    """Decorate a function with a lock of the default client, as :meth:`AsyncClient.locked` does.

    The client is built when the function is decorated.

    Raises:
        ValueError, TypeError, CapabilityError: as :class:`AsyncClient` and its method.
    """
    return _default.get().locked(name, **options)
