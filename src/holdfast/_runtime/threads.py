"""The twin for threads: every name here has its counterpart in ``aio``."""

from __future__ import annotations

import contextlib
import inspect
import logging
import os
import queue
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterable
from functools import lru_cache
from typing import Any, Generic, TypeVar, TypeVarTuple, Unpack

from holdfast._core.text import dump_info
from holdfast.errors import EngineError

from . import fork
from .callables import called_by
from .clock import clock

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

log = logging.getLogger("holdfast")

#: How long an idle background worker stays before it ends: starting a thread is dear.
_LINGER = 5.0

sleep = time.sleep
current = threading.current_thread
scope = fork.current


class Event(threading.Event):
    """An event that is also true once it is set, so that ``if lease.lost:`` says what it means."""

    def __bool__(self) -> bool:
        return self.is_set()


#: Reentrant, since a signal's handler may come in between and use the same client.
Mutex = threading.RLock


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


class Alarm:
    """Calls ``ring`` at a set time, from a thread that ends when there is nothing to wait for.

    ``ring`` is told how late it is called. What it raises is logged.
    """

    def __init__(self, name: str, ring: Callable[[float], None]) -> None:
        self._name = name
        self._ring = ring
        self._lock = threading.RLock()
        # Not an Event: an exception that a signal's handler raises inside one leaves it locked.
        self._changed: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._time = float("inf")
        self._running = False
        self._stopped = False

    def set(self, time: float) -> None:
        """Have it ring at ``time``, unless it is set to an earlier one."""
        with self._lock:
            if time >= self._time or self._stopped:
                return
            self._time = time
            self._changed.put(None)
            if not self._running:
                self._start()

    def _start(self) -> None:
        try:
            spawn(self._run, name=self._name)
            self._running = True
        except RuntimeError as exc:  # at the interpreter's end
            log.warning("%s: leases are not renewed (%s)", self._name, exc)

    def stop(self) -> None:
        """Ring no more."""
        with self._lock:
            self._stopped = True
            self._changed.put(None)

    def _run(self) -> None:
        while not self._stopped:
            time = self._time
            idle = time == float("inf")
            with contextlib.suppress(queue.Empty):
                self._changed.get(timeout=_LINGER if idle else max(time - clock(), 0.0))
                continue
            with self._lock:
                if self._time < time:
                    continue
                if idle:
                    self._running = False
                    return
                self._time = float("inf")
            try:
                self._ring(clock() - time)
            except Exception:
                log.exception("%s", self._name)


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
    """Runs blocking calls one after the other: here in the caller's thread, under a lock.

    ``before_fork`` is called while nothing runs, before this process forks.
    """

    def __init__(self, name: str, before_fork: Callable[[], None]) -> None:
        self._gate = fork.Gate(before_fork)
        self._inside = 0

    def run(self, function: Callable[[Unpack[Ts]], T], *args: *Ts) -> T:
        """Call ``function``.

        Raises:
            EngineError: a signal's handler asks for it in the middle of another call.
        """
        thread = threading.get_ident()
        if self._inside == thread:
            raise EngineError("a signal handler cannot use a client that it has just interrupted")
        with self._gate.lock:
            try:
                self._inside = thread
                return function(*args)
            finally:
                self._inside = 0

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


def is_over(scope: object) -> bool:
    """Whether a scope has ended: this process has not."""
    return False


def settled(result: T) -> T:
    """Return what a locked function has returned, unless its body is yet to run.

    Raises:
        TypeError: it is a coroutine.
    """
    if isinstance(result, Coroutine):
        result.close()
        raise TypeError("a Client locks plain functions; use an AsyncClient for 'async def'")
    return result


def check_function(function: Callable[..., object]) -> None:
    """Refuse what a lock cannot wrap.

    Raises:
        TypeError: a coroutine or generator function: its body runs after the call has returned.
    """
    for body in called_by(function):
        if inspect.iscoroutinefunction(body) or inspect.isasyncgenfunction(body):
            raise TypeError("a Client locks plain functions; use an AsyncClient for 'async def'")
        if inspect.isgeneratorfunction(body):
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
