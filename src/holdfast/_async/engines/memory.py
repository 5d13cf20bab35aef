# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""``memory://``: leases of one process, among its threads and event loops. For tests and tools.

Clients whose URLs have the same name share their leases, sync and async alike: ``memory://`` is one
space, ``memory://jobs`` another. Nothing outlives the process, and a forked child starts empty.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from holdfast._async.record import AsyncRecordEngine
from holdfast._core import record as rules
from holdfast._core.model import Busy, Capabilities, Claim, Grant, Ref, Snapshot
from holdfast._core.record import Record
from holdfast._core.urls import Url
from holdfast._runtime import aio as rt
from holdfast._runtime.clock import clock
from holdfast._runtime.space import next_fence, space


class AsyncMemoryEngine(AsyncRecordEngine):
    """An engine on a dict of this process."""

    capabilities = Capabilities(fair=True, linearizable=True, push=True)

    def __init__(self, url: Url) -> None:
        super().__init__(url)
        url.allow(())
        if url.path.strip("/") or url.user or len(url.hosts) > 1:
            raise ValueError("memory: the URL is memory:// or memory://name")
        self._space = space(url.hosts[0][0] if url.hosts else "")

    def now(self) -> float:
        return clock()

    def next_fence(self, floor: int) -> int:
        return next_fence(floor)

    async def load(self, resource: str) -> tuple[Record | None, Any]:
        return self._space.load(resource)

    async def swap(self, resource: str, version: Any, record: Record) -> bool:
        return self._space.swap(resource, version, record, forget=record.idle(clock()))

    async def try_acquire(self, claim: Claim) -> Grant | Busy:
        if claim.ticket:  # before the claim, so that no wake-up falls in between
            self._space.bells.setdefault(claim.ticket, rt.Event())
        outcome = await super().try_acquire(claim)
        if isinstance(outcome, Grant):
            self._space.bells.pop(claim.ticket, None)
        return outcome

    async def release(self, ref: Ref) -> bool:
        self._space.bells.pop(ref.ticket, None)
        return await super().release(ref)

    async def wait(self, busy: Busy, timeout: float) -> None:
        bell = self._space.bells[busy.claim.ticket]
        await bell.wait(timeout)
        bell.clear()

    def wake_all(self) -> None:
        self._space.ring(tuple(self._space.bells))  # those of other clients look, and wait again

    def notify(self, tickets: tuple[str, ...]) -> None:
        self._space.ring(tickets)

    async def scan(self, prefix: str) -> AsyncIterator[Snapshot]:
        for resource, record in sorted(self._space.records.copy().items()):
            if resource.startswith(prefix) and (seen := rules.snapshot(resource, record, clock())):
                yield seen
