# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""A list of moments at which something has to be done for a lease, and one worker that does it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from heapq import heapify, heappop, heappush

from holdfast._runtime import threads as rt
from holdfast._runtime.clock import clock

from .tenure import Tenure

log = logging.getLogger("holdfast")

#: What falls due so soon after something else is done together with it, in one batch.
TICK = 0.01


class Agenda:
    """Calls ``act`` with the leases that have fallen due, in batches, on one task or thread.

    Entries are never moved or removed: one that comes up is looked at again, and is ignored if its
    lease has ended or put off if it is due later by now. The ended ones are swept out when they are
    the majority. The worker starts when there is something to do and ends when there is not.
    """

    def __init__(
        self,
        name: str,
        due: Callable[[Tenure], float],
        act: Callable[[list[Tenure]], None],
    ) -> None:
        self._name = name
        self._due = due
        self._act = act
        self._mutex = rt.Mutex()
        self._heap: list[tuple[float, int, Tenure]] = []
        self._count = 0
        self._ended = 0
        self._wake = rt.Event()
        self._next = 0.0  # when the worker looks again
        self._worker: rt.Task[None] | None = None
        self._idle = False
        self._stopped = False

    def add(self, *tenures: Tenure) -> None:
        """Have the leases looked at when they fall due."""
        with self._mutex:
            if self._stopped:
                return
            for tenure in tenures:
                self._push(self._due(tenure), tenure)
            if not self._heap:
                return
            first = self._heap[0][0]
            if self._worker is None:
                self._idle = False
                self._next = first
                self._worker = rt.spawn(self._run, name=self._name)
            elif first < self._next:
                self._next = first
                self._wake.set()

    def _push(self, due: float, tenure: Tenure) -> None:
        self._count += 1  # so that two tenures are never compared
        heappush(self._heap, (due, self._count, tenure))

    def forget(self) -> None:
        """Take note that one of the leases has ended."""
        with self._mutex:
            self._ended += 1
            if self._ended > 64 and self._ended > len(self._heap) // 2:
                self._heap = [entry for entry in self._heap if entry[2].held]
                heapify(self._heap)
                self._ended = 0

    def held(self) -> list[Tenure]:
        """Return all leases that have not ended."""
        with self._mutex:
            return list({tenure: None for _, _, tenure in self._heap if tenure.held})

    def stop(self) -> None:
        """End the worker; nothing is done any more."""
        with self._mutex:
            self._stopped = True
            self._heap.clear()
            self._wake.set()

    def _run(self) -> None:
        try:
            while (timeout := self._plan()) is not None:
                expected = clock() + timeout
                if not self._wake.wait(timeout):
                    self._report_stall(clock() - expected)
                self._wake.clear()
                if tenures := self._pop():
                    self._act(tenures)
        except BaseException:
            self._worker = None  # cancelled from outside: the next lease starts another
            raise

    def _plan(self) -> float | None:
        """Return the seconds until there is something to do; None ends the worker."""
        with self._mutex:
            if self._heap:
                self._idle = False
                self._next = self._heap[0][0]
                return max(self._next - clock(), 0.0)
            if self._stopped or self._idle or not rt.LINGER:
                self._worker = None
                return None
            self._idle = True
            self._next = float("inf")
            return rt.LINGER

    def _pop(self) -> list[Tenure]:
        tenures: dict[Tenure, None] = {}  # a lease may be in there twice: once is enough
        with self._mutex:
            soon = clock() + TICK
            while self._heap and self._heap[0][0] <= soon:
                tenure = heappop(self._heap)[2]
                if not tenure.held:
                    self._ended = max(self._ended - 1, 0)
                elif (due := self._due(tenure)) > soon:
                    self._push(due, tenure)
                else:
                    tenures[tenure] = None
        return list(tenures)

    def _report_stall(self, late: float) -> None:
        with self._mutex:
            tenure = self._heap[0][2] if self._heap else None
        if tenure is not None and tenure.held and late > tenure.ttl / 3:
            log.warning(
                "%s woke %.3f s late: this process was paused or its event loop was blocked, and "
                "leases such as %r (ttl %.3f s) are in danger",
                self._name, late, tenure.name, tenure.ttl,
            )  # fmt: skip
