"""Signals, while there is nothing but waiting to be interrupted, and while a command runs.

Before the command runs, a signal raises :class:`Interrupted` in the main thread, as Ctrl-C does,
and the library cleans up behind it. From then on it goes into a pipe, which the main thread reads
when it is ready for it.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Iterable
from types import FrameType, TracebackType
from typing import Any

#: What is passed on to the command; also what ends us while there is none.
PASSED_ON = (
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip


class Mailbox:
    """A pipe in which everything arrives that the main thread has to know, a byte each.

    It is written to by the interpreter's own handler, at once and in any thread. A queue that is
    filled by handlers in Python would not do: these run only when the main thread is awake, and a
    signal that comes just before it falls asleep does not wake it.
    """

    #: Not a signal: something else has happened. Whoever reads it looks what.
    NEWS = 0

    def __init__(self) -> None:
        # Never closed: a thread may still want to tell us something at the very end.
        self._reader, self.writer = os.pipe()
        os.set_blocking(self.writer, False)

    def put(self, about: object = None) -> None:
        """Say that there are news. May be called by any thread."""
        try:
            os.write(self.writer, bytes([self.NEWS]))
        except BlockingIOError:  # pragma: no cover - a full pipe wakes the reader just as well
            pass

    def get(self, timeout: float) -> int | None:
        """Return the next signal or ``NEWS``; None if nothing comes within ``timeout`` seconds."""
        if not select.select([self._reader], [], [], timeout)[0]:
            return None
        return os.read(self._reader, 1)[0]


class Interrupted(BaseException):
    """A signal came while we could simply stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Signals:
    """Our handlers, for as long as the ``with`` block lasts.

    A signal that was ignored when we started (as ``nohup`` does with SIGHUP) stays ignored.
    """

    def __init__(self, numbers: Iterable[int] = PASSED_ON) -> None:
        self._numbers = [each for each in numbers if signal.getsignal(each) != signal.SIG_IGN]
        self._before: dict[int, Any] = {}
        self._interrupted = False

    def __enter__(self) -> Signals:
        for number in self._numbers:
            self._handle(number, self._interrupt)
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(-1)

    def deliver_to(self, mailbox: Mailbox, *more: int) -> None:
        """From now on put the signals, and ``more`` of them, into ``mailbox``."""
        signal.set_wakeup_fd(mailbox.writer, warn_on_full_buffer=False)
        for number in (*self._numbers, *more):
            self._handle(number, _leave_to_the_mailbox)
        # Some daemons start their children with signals blocked; without these we would hang.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, more)

    def _handle(self, number: int, handler: Callable[[int, FrameType | None], None]) -> None:
        before = signal.signal(number, handler)
        self._before.setdefault(number, before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        # Once: a second one must not interrupt the cleaning up after the first.
        if not self._interrupted:
            self._interrupted = True
            raise Interrupted(number)


def _leave_to_the_mailbox(number: int, frame: FrameType | None) -> None:
    """Do nothing: without a handler in Python the interpreter would not write to the pipe."""
