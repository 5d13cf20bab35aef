"""The twin for asyncio: every name here has its counterpart in ``threads``."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Generic, TypeAlias, TypeVar, TypeVarTuple, Unpack

from holdfast._core.text import dump_info
from holdfast.errors import EngineError

from . import fork
from .callables import called_by
from .clock import clock

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

#: What a call of an ``async def`` returns; the sync tree has plain ``T`` in its place.
Coro: TypeAlias = Coroutine[Any, Any, T]

log = logging.getLogger("holdfast")

sleep = asyncio.sleep
scope = asyncio.get_running_loop


def current() -> asyncio.Task[Any] | None:
    """The running task."""
    return asyncio.current_task()


def _resolve(future: asyncio.Future[bool], value: bool) -> None:
    if not future.done():
        future.set_result(value)


class Event:
    """An event that may be set from any thread, and that is true once it is set."""

    __slots__ = ("_set", "_waiting")

    def __init__(self) -> None:
        self._set = False
        self._waiting: list[asyncio.Future[bool]] = []

    def is_set(self) -> bool:
        """Whether it is set."""
        return self._set

    __bool__ = is_set

    def set(self) -> None:
        """Set it, and wake all who wait, in whichever loop they are."""
        self._set = True
        for future in self._waiting[:]:
            with contextlib.suppress(RuntimeError):  # its loop is closed: nobody waits there
                future.get_loop().call_soon_threadsafe(_resolve, future, True)

    def clear(self) -> None:
        """Make it as new."""
        self._set = False

    async def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is set; False when ``timeout`` seconds passed before."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._waiting.append(future)
        timer = None if timeout is None else loop.call_later(timeout, _resolve, future, False)
        try:
            # Only now, since a thread may have set it before the future stood in the list.
            return True if self._set else await future
        finally:
            self._waiting.remove(future)
            if timer is not None:
                timer.cancel()


class Mutex:
    """Between two awaits a task is alone, so there is nothing to lock."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


class Body:
    """An ``async with`` block, which can be cancelled when its lease is lost.

    The bookkeeping is that of ``asyncio.timeout``: a cancellation from elsewhere stays one.
    """

    __slots__ = ("_cancelling", "_interrupted", "_left", "_task")

    def __init__(self) -> None:
        task = asyncio.current_task()
        assert task is not None, "a coroutine runs in a task"
        self._task = task
        self._cancelling = task.cancelling()
        self._interrupted = False
        self._left = False

    def interrupt(self) -> None:
        """Cancel the body, unless it has ended or is the one who asks."""
        if self._left or self._interrupted or self._task is _running_task():
            return
        if self._task.done():
            log.warning("a block cannot be interrupted: the task that entered it has ended")
            return
        self._interrupted = True
        self._task.cancel("the lease is lost")

    def leave(self, error: BaseException | None) -> bool:
        """End the body; True if ``error`` is nothing but our own interruption."""
        self._left = True
        if not self._interrupted:
            return False
        alone = self._task.uncancel() <= self._cancelling
        return alone and isinstance(error, asyncio.CancelledError)


def _running_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


_tasks: set[asyncio.Task[Any]] = set()  # the loop itself keeps only weak references


class Task(Generic[T]):
    """Something that runs as its own task."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], name: str) -> None:
        self.task = asyncio.get_running_loop().create_task(coroutine, name=name)
        _tasks.add(self.task)
        self.task.add_done_callback(_tasks.discard)

    async def join(self) -> T:
        """Wait for the end; return the result or raise the error."""
        return await self.task

    def cancel(self) -> None:
        """Ask it to end."""
        self.task.cancel()


class Alarm:
    """Calls ``ring`` at a set time, in a task of its own.

    A timer waits for it, not a task: a timer is not cancelled by whoever cancels all tasks, and is
    no leak when its loop is closed. ``ring`` is told how late it is called. What it raises is
    logged.
    """

    def __init__(self, name: str, ring: Callable[[float], Coro[None]]) -> None:
        self._name = name
        self._ring = ring
        self._time = float("inf")
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = False

    def set(self, time: float) -> None:
        """Have it ring at ``time``, unless it is set to an earlier one."""
        if time >= self._time or self._stopped:
            return
        self._time = time
        if self._timer is not None:
            self._timer.cancel()
        delay = max(time - clock(), 0.0)
        self._timer = asyncio.get_running_loop().call_later(delay, self._go)

    def stop(self) -> None:
        """Ring no more."""
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()

    def _go(self) -> None:
        late, self._time, self._timer = clock() - self._time, float("inf"), None
        Task(self._run(late), self._name)

    async def _run(self, late: float) -> None:
        try:
            await self._ring(late)
        except Exception:
            log.exception("%s", self._name)


def spawn(
    function: Callable[..., Coroutine[Any, Any, T]], *args: Any, name: str = "holdfast"
) -> Task[T]:
    """Run ``function`` beside the caller."""
    return Task(function(*args), name)


async def gather(calls: Iterable[Callable[[], Coroutine[Any, Any, T]]]) -> list[T]:
    """Run all calls at once; return the results in order, or raise the first error."""
    return list(await asyncio.gather(*(call() for call in calls)))


def _forget_error(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()


async def shielded(awaitable: Coroutine[Any, Any, T], timeout: float) -> T:
    """Await something that must run to its end even if the caller is cancelled meanwhile.

    The caller waits for it ``timeout`` seconds at most; what is not done by then goes on in the
    background. A cancellation that arrives is delivered afterwards.

    Raises:
        TimeoutError: it has not ended in time.
    """
    task = Task(awaitable, "holdfast-shielded").task
    cancelled: asyncio.CancelledError | None = None
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout
    while not task.done() and loop.time() < end:
        try:
            await asyncio.wait([task], timeout=end - loop.time())
        except asyncio.CancelledError as exc:
            cancelled = exc
    if cancelled is not None:
        task.add_done_callback(_forget_error)  # the cancellation outranks it
        raise cancelled
    if not task.done():
        task.add_done_callback(_forget_error)
        raise TimeoutError(f"no answer within {timeout} s")
    return task.result()


class Worker:
    """Runs blocking calls one after the other in one thread of its own.

    In order, also when a caller is cancelled: a release can never overtake its acquire.
    ``before_fork`` is called while nothing runs, before this process forks.
    """

    def __init__(self, name: str, before_fork: Callable[[], None]) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._gate = fork.Gate(before_fork)

    async def run(self, function: Callable[[Unpack[Ts]], T], *args: *Ts) -> T:
        """Call ``function``.

        Raises:
            EngineError: the worker was stopped.
        """

        def call() -> T:
            with self._gate.lock:
                return function(*args)

        try:
            future = asyncio.get_running_loop().run_in_executor(self._executor, call)
        except RuntimeError as exc:
            raise EngineError("the engine was closed by its client") from exc
        return await future

    def stop(self) -> None:
        """End the thread once it has done what was asked of it."""
        self._executor.shutdown(wait=False)


class Reader:
    """Calls ``on_data`` with what arrives at a pipe, in the event loop."""

    def __init__(self, fd: int, on_data: Callable[[bytes], None]) -> None:
        os.set_blocking(fd, False)
        self._fd = fd
        self._on_data = on_data
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(fd, self._read)

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._on_data(os.read(self._fd, 4096))

    def stop(self) -> None:
        """Stop reading and close the pipe."""
        if not self._loop.is_closed():
            self._loop.remove_reader(self._fd)
        os.close(self._fd)


@lru_cache(maxsize=256)
def _info(pid: int, task: str) -> str:
    return dump_info({"host": socket.gethostname(), "pid": pid, "task": task})


def holder_info() -> str:
    """What a holder says of itself when the user says nothing."""
    task = asyncio.current_task()
    return _info(os.getpid(), task.get_name() if task else "")


def is_over(scope: asyncio.AbstractEventLoop) -> bool:
    """Whether a scope has ended: its event loop is closed."""
    return scope.is_closed()


def settled(result: T) -> T:
    """Return what a locked function has returned."""
    return result


def check_function(function: Callable[..., object]) -> None:
    """Refuse what a lock cannot wrap.

    Raises:
        TypeError: not a coroutine function.
    """
    bodies = called_by(function)
    if any(inspect.isasyncgenfunction(body) for body in bodies):
        raise TypeError("a generator runs after the call has returned: lock inside it instead")
    if not any(inspect.iscoroutinefunction(body) for body in bodies):
        raise TypeError("an AsyncClient locks 'async def' functions; use a Client for plain ones")


async def call(function: Callable[..., object], *args: object) -> None:
    """Call a function of the user's, which may be ``async def``."""
    result = function(*args)
    if isinstance(result, Awaitable):
        await result


async def _call_back(callback: Callable[..., object], argument: object) -> None:
    try:
        await call(callback, argument)
    except Exception:
        log.exception("on_lost raised")


def call_back(callback: Callable[..., object], argument: object) -> Task[None]:
    """Call the user's ``callback``, which may be ``async def``; its error goes to the log."""
    return Task(_call_back(callback, argument), "holdfast-on-lost")
