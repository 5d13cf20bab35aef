# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""A list of moments at which something has to be done for a lease."""

from __future__ import annotations

import logging
from collections.abc import Callable
from heapq import heapify, heappop, heappush

from holdfast._runtime import aio as rt
from holdfast._runtime.clock import clock

from .tenure import AsyncTenure

log = logging.getLogger("holdfast")

#: What falls due so soon after something else is done together with it, in one batch.
TICK = 0.01


class AsyncAgenda:
    """Calls ``act`` with the leases that have fallen due, in batches.

    Entries are never moved or removed: one that comes up is looked at again, and is ignored if its
    lease has ended or put off if it is due later by now. The ended ones are swept out when they
    are the majority. ``act`` adds what it wants to see again.
    """

    def __init__(
        self,
        name: str,
        due: Callable[[AsyncTenure], float],
        act: Callable[[list[AsyncTenure]], rt.Coro[None]],
    ) -> None:
        self._name = name
        self._due = due
        self._act = act
        self._mutex = rt.Mutex()
        self._heap: list[tuple[float, int, AsyncTenure]] = []
        self._count = 0
        self._ended = 0
        self._alarm = rt.Alarm(name, self._ring)
        self._stopped = False

    def add(self, *tenures: AsyncTenure) -> bool:
        """Have the leases looked at when they fall due; False when the agenda was stopped."""
        with self._mutex:
            if self._stopped:
                return False
            before = self._count
            for tenure in tenures:
                self._push(self._due(tenure), tenure)
            if self._heap and (not tenures or self._heap[0][1] > before):  # a new one is the next
                self._alarm.set(self._heap[0][0])
            return True

    def _push(self, due: float, tenure: AsyncTenure) -> None:
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

    def held(self) -> list[AsyncTenure]:
        """Return the leases that have not ended."""
        with self._mutex:
            return list({tenure: None for _, _, tenure in self._heap if tenure.held})

    def stop(self) -> list[AsyncTenure]:
        """Take no more leases, and return those that are still held."""
        with self._mutex:
            self._stopped = True
            self._alarm.stop()
            held = self.held()
            self._heap.clear()
            return held

    async def _ring(self, late: float) -> None:
        self._report_stall(late)
        try:
            if tenures := self._pop():
                await self._act(tenures)
        finally:
            self.add()  # sets the alarm for what comes next

    def _pop(self) -> list[AsyncTenure]:
        tenures: dict[AsyncTenure, None] = {}  # a lease may be in there twice: once is enough
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
