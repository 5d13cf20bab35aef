"""Signals, while there is nothing but waiting to be interrupted, and while a command runs.

A handler does as little as it can. Before the command runs it raises :class:`Interrupted` in the
main thread, as Ctrl-C does, and the library cleans up behind it. From then on it puts the signal
into a queue, which the main thread reads when it is ready for it.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from types import FrameType, TracebackType
from typing import Any, TypeAlias

#: What is passed on to the command; also what ends us while there is none.
PASSED_ON = (
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip

#: Where everything arrives that the main thread has to know.
Mailbox: TypeAlias = SimpleQueue[Any]


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

    def deliver_to(self, mailbox: Mailbox, *more: int) -> None:
        """From now on put the signals, and ``more`` of them, into ``mailbox``."""

        def put(number: int, frame: FrameType | None) -> None:
            mailbox.put(signal.Signals(number))  # a SimpleQueue may be used in a handler

        for number in (*self._numbers, *more):
            self._handle(number, put)
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
