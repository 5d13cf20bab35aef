"""The twin for threads: every name here has its counterpart in ``aio``."""

from __future__ import annotations

import inspect
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Generic, ParamSpec, TypeVar

from holdfast._core.text import dump_info

from . import fork

T = TypeVar("T")
P = ParamSpec("P")

log = logging.getLogger("holdfast")

#: How long an idle background worker stays before it ends: starting a thread is dear.
LINGER = 5.0

sleep = time.sleep
current = threading.get_ident
scope = fork.current


class Event(threading.Event):
    """An event that is also true once it is set, so that ``if lease.lost:`` says what it means."""

    def __bool__(self) -> bool:
        return self.is_set()


Mutex = threading.Lock


class Body:
    """A ``with`` block. Code in a thread cannot be interrupted from outside: nothing to do."""

    __slots__ = ()

    def interrupt(self) -> None:
        """Do nothing: the body hears of it through ``lease.lost``, ``on_lost`` and ``check()``."""

    def leave(self, error: BaseException | None) -> bool:
        """Say that ``error`` was not our doing."""
        return False


class Task(Generic[T]):
    """Something that runs in its own daemon thread."""

    def __init__(self, function: Callable[..., T], args: tuple[Any, ...], name: str) -> None:
        self._function = function
        self._args = args
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._result: T
        self._error: BaseException | None = None
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result = self._function(*self._args)
        except BaseException as exc:  # raised again in join()
            self._error = exc

    def join(self) -> T:
        """Wait for the end; return the result or raise the error."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result

    def cancel(self) -> None:
        """Do nothing: a thread ends by itself when it sees that it should."""


def spawn(function: Callable[..., T], *args: Any, name: str = "holdfast") -> Task[T]:
    """Run ``function`` beside the caller."""
    return Task(function, args, name)


def gather(calls: Iterable[Callable[[], T]]) -> list[T]:
    """Run all calls at once; return the results in order, or raise the first error."""
    tasks = [spawn(call) for call in calls]
    return [task.join() for task in tasks]


def shielded(result: T, timeout: float) -> T:
    """Return ``result``: by the time that a plain call returns, it has run to its end."""
    return result


class Worker:
    """Runs blocking calls one after the other: here in the caller's thread, under a lock."""

    def __init__(self, name: str) -> None:
        self._gate = fork.Gate()

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``function``."""
        with self._gate.lock:
            return function(*args, **kwargs)

    def stop(self) -> None:
        """Nothing runs between calls."""


class Reader:
    """Calls ``on_data`` with what arrives at a pipe, from a thread of its own."""

    def __init__(self, fd: int, on_data: Callable[[bytes], None]) -> None:
        os.set_blocking(fd, True)
        self._fd = fd
        self._on_data = on_data
        spawn(self._read, name="holdfast-wakeups")

    def _read(self) -> None:
        while data := os.read(self._fd, 4096):
            if b"\0" in data:
                os.close(self._fd)
                return
            self._on_data(data)

    def stop(self) -> None:
        """End the thread, which closes the pipe: a descriptor closed under a read may be reused."""
        os.write(self._fd, b"\0")


@lru_cache(maxsize=256)
def _info(pid: int, thread: str) -> str:
    return dump_info({"host": socket.gethostname(), "pid": pid, "thread": thread})


def holder_info() -> str:
    """What a holder says of itself when the user says nothing."""
    return _info(os.getpid(), threading.current_thread().name)


def check_function(function: Callable[..., object]) -> None:
    """Refuse what a lock cannot wrap.

    Raises:
        TypeError: a coroutine or generator function: its body runs after the call has returned.
    """
    if not callable(function):
        raise TypeError(f"a lock decorates a function, not {function!r}")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError("a Client locks plain functions; use an AsyncClient for 'async def'")
    if inspect.isgeneratorfunction(function):
        raise TypeError("a generator runs after the call has returned: lock inside it instead")


def call(function: Callable[..., object], *args: object) -> None:
    """Call a function of the user's."""
    function(*args)


def _call_back(callback: Callable[..., object], argument: object) -> None:
    try:
        call(callback, argument)
    except Exception:
        log.exception("on_lost raised")


def call_back(callback: Callable[..., object], argument: object) -> Task[None]:
    """Call the user's ``callback`` where it cannot hold up anybody; its error goes to the log."""
    return spawn(_call_back, callback, argument, name="holdfast-on-lost")
