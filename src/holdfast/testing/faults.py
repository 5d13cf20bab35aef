"""Planned misfortune: what a faulty engine does wrong, and when."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from holdfast.errors import EngineUnavailable

OPERATIONS = ("acquire", "renew", "release", "inspect", "wait")


@dataclass(slots=True)
class Fault:
    """One plan. ``left`` is how often it still happens; None: until it is cleared."""

    operation: str
    left: int | None
    delay: float = 0.0
    delay_after: float = 0.0
    error: BaseException | None = None
    reply_lost: bool = False
    hook: Callable[[], object] | None = None


class Faults:
    """Tells a faulty engine what to do wrong; may be used from any thread, at any time.

    Operations are ``acquire``, ``renew``, ``release``, ``inspect`` and ``wait``. ``times`` is how
    often a fault happens; None: until :meth:`clear`. ``calls`` counts what the engine was asked.
    """

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._planned: list[Fault] = []

    def fail(
        self, operation: str, times: int | None = 1, error: BaseException | None = None
    ) -> None:
        """Have the engine fail before it does anything.

        Raises:
            ValueError: no such operation.
        """
        self._plan(Fault(operation, times, error=error or _unavailable(operation)))

    def lose_reply(
        self, operation: str, times: int | None = 1, error: BaseException | None = None
    ) -> None:
        """Have the engine do what it is asked, and then fail: the reply is lost after the commit.

        Raises:
            ValueError: no such operation.
        """
        error = error or _unavailable(operation)
        self._plan(Fault(operation, times, error=error, reply_lost=True))

    def slow(self, operation: str, seconds: float, times: int | None = 1) -> None:
        """Have the engine wait before it does anything.

        Raises:
            ValueError: no such operation.
        """
        self._plan(Fault(operation, times, delay=seconds))

    def slow_reply(self, operation: str, seconds: float, times: int | None = 1) -> None:
        """Have the engine do what it is asked, and wait before it says so.

        Raises:
            ValueError: no such operation.
        """
        self._plan(Fault(operation, times, delay_after=seconds))

    def before(self, operation: str, hook: Callable[[], object], times: int | None = 1) -> None:
        """Have ``hook`` called before the engine does anything; it may be ``async def``.

        Raises:
            ValueError: no such operation.
        """
        self._plan(Fault(operation, times, hook=hook))

    def clear(self) -> None:
        """Take back all plans."""
        with self._lock:
            self._planned.clear()

    def next(self, operation: str) -> list[Fault]:
        """Count a call, and return what goes wrong with it."""
        with self._lock:
            self.calls[operation] += 1
            due = [fault for fault in self._planned if fault.operation == operation]
            for fault in due:
                if fault.left is not None:
                    fault.left -= 1
            self._planned = [fault for fault in self._planned if fault.left != 0]
            return due

    def _plan(self, fault: Fault) -> None:
        if fault.operation not in OPERATIONS:
            raise ValueError(
                f"no operation {fault.operation!r}; there are: {', '.join(OPERATIONS)}"
            )
        if fault.left is not None and fault.left < 1:
            raise ValueError(f"times must be at least 1, or None for always, not {fault.left}")
        with self._lock:
            self._planned.append(fault)


def _unavailable(operation: str) -> EngineUnavailable:
    return EngineUnavailable(f"{operation}: a planned fault")
