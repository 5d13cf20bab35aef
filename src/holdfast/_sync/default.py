# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""The default client: ``$HOLDFAST_URL``, else an SQLite file that this user's processes share."""

from __future__ import annotations

import threading
from typing import Unpack

from holdfast._core.arguments import LockArguments
from holdfast._runtime import fork

from .client import Client
from .lock import Decorator, Lock


class _Default:
    """Builds the client once per process, when it is first asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._client: Client | None = None
        fork.register(self)

    def get(self) -> Client:
        with self._lock:
            if self._client is None:
                self._client = Client()
            return self._client

    def after_fork(self) -> None:
        self._lock = threading.Lock()


_default = _Default()


def lock(name: str, **options: Unpack[LockArguments]) -> Lock:
    """Describe a lock of the default client; the options are those of :meth:`Client.lock`.

    Raises:
        ValueError, TypeError, CapabilityError: as :class:`Client` and its method.
    """
    return _default.get().lock(name, **options)


def locked(name: str, **options: Unpack[LockArguments]) -> Decorator:
    """Decorate a function with a lock of the default client, as :meth:`Client.locked` does.

    The client is built when the function is decorated.

    Raises:
        ValueError, TypeError, CapabilityError: as :class:`Client` and its method.
    """
    return _default.get().locked(name, **options)
