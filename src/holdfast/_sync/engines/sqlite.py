# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""``sqlite:///path``: leases of all processes of one machine, in a file. Needs no server.

What it promises: at most one holder per name among the processes of this machine that open the
same file; fences that never repeat or go back, over crashes, reboots and power failures; expiry by
the boot clock, which nobody can set; that a reboot ends all leases. What it does not: anything
between machines. Containers of one machine may share it by mounting its folder.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Callable, Sequence
from typing import TypeVar, TypeVarTuple, Unpack

from holdfast._sync.engine import Engine
from holdfast._sync.mailbox import Mailbox
from holdfast._core.backoff import Backoff
from holdfast._core.model import Busy, Capabilities, Claim, Grant, Ref, Snapshot
from holdfast._core.urls import Url
from holdfast._runtime import threads as rt
from holdfast._runtime import fork
from holdfast._runtime.chance import RANDOM
from holdfast._runtime.clock import clock
from holdfast._sqlite.database import Database
from holdfast._sqlite.problems import Locked
from holdfast._sqlite.store import RENEW_BATCH, UNDO_TIMEOUT, Store
from holdfast.errors import EngineError, EngineUnavailable

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_BACKOFF = Backoff(base=0.0002, cap=0.01)


class SqliteEngine(Engine):
    """An engine on an SQLite file."""

    capabilities = Capabilities(
        fair=True, durable=True, linearizable=True, processes=True, push=True
    )

    def __init__(self, url: Url) -> None:
        super().__init__(url)
        url.allow(("timeout", "create_folder"))
        if url.hosts or url.user:
            raise ValueError("sqlite: three slashes come before the path, as in sqlite:///var/a.db")
        path = "/" + url.path.lstrip("/")
        if path == "/:memory:":
            raise ValueError("sqlite: the URL of the engine without a file is memory://")
        if path == "/" or path.endswith("/"):
            raise ValueError("sqlite: the URL names no file, as in sqlite:///var/lib/app/locks.db")
        path = os.path.realpath(path)  # all who use the file have to meet in one folder of pipes
        create_folder = url.options.get("create_folder", "no")
        if create_folder not in ("yes", "no"):
            raise ValueError("sqlite: create_folder is yes or no")
        database = Database(path, create_folder == "yes")
        self._timeout = url.number("timeout", 5.0)
        self._store = Store(database)
        self._worker = rt.Worker("holdfast-sqlite", database.put_away)
        self._mailbox = Mailbox(path + "-wake")
        self._finalize = weakref.finalize(
            self, _finalize, fork.current(), self._store, self._worker, self._mailbox
        )

    def try_acquire(self, claim: Claim) -> Grant | Busy:
        # The bell hangs before the claim is made, so that no wake-up falls in between.
        address = self._mailbox.expect(claim.ticket) if claim.ticket else ""
        try:
            outcome = self._run(claim.timeout, self._store.acquire, claim, address)
        except EngineError as exc:
            if exc.nothing_done:  # then nobody may come to undo it
                self._mailbox.forget(claim.ticket)
            raise
        if claim.ticket and isinstance(outcome, Grant):
            self._mailbox.forget(claim.ticket)
        return outcome

    def renew(self, ref: Ref, ttl: float) -> Grant | None:
        return (self._run(None, self._store.renew, [(ref, ttl)]))[0]

    def renew_many(
        self, refs: Sequence[tuple[Ref, float]]
    ) -> list[Grant | EngineError | None]:
        outcomes: list[Grant | EngineError | None] = []
        for start in range(0, len(refs), RENEW_BATCH):
            batch = refs[start : start + RENEW_BATCH]
            try:
                outcomes += self._run(None, self._store.renew, batch)
            except EngineError as exc:
                outcomes += [exc] * len(batch)
        return outcomes

    def release(self, ref: Ref) -> bool:
        if ref.ticket:
            self._mailbox.forget(ref.ticket)
        return self._run(None if ref.fence else UNDO_TIMEOUT, self._store.release, ref)

    def inspect(self, resource: str) -> Snapshot | None:
        return self._run(None, self._store.inspect, resource)

    def scan(self, prefix: str) -> Iterator[Snapshot]:
        for snapshot in self._run(None, self._store.scan, prefix):
            yield snapshot

    def wait(self, busy: Busy, timeout: float) -> None:
        self._mailbox.wait(busy.claim.ticket, timeout)

    def wake_all(self) -> None:
        self._mailbox.ring_all()

    def _run(self, timeout: float | None, call: Callable[[Unpack[Ts]], T], *args: *Ts) -> T:
        """Run a call, and run it again for a while if somebody else has the file.

        SQLite would wait by itself, but in steps of up to 100 ms, and with everybody behind it.
        """
        deadline = 0.0
        attempt = 0
        while True:
            try:
                return self._worker.run(call, *args)
            except Locked as exc:
                now = clock()
                deadline = deadline or now + min(timeout or self._timeout, self._timeout)
                if now >= deadline:
                    unavailable = EngineUnavailable(str(exc))
                    unavailable.nothing_done = True
                    raise unavailable from exc
            rt.sleep(_BACKOFF.pause(attempt, RANDOM))
            attempt += 1

    def close(self) -> None:
        self._mailbox.close()
        self._worker.run(self._store.close)
        self._worker.stop()

    def dispose(self) -> None:
        self._finalize()


def _finalize(
    process: fork.Process, store: Store, worker: rt.Worker, mailbox: Mailbox
) -> None:
    """Close an engine that nobody closed, unless it belongs to the parent of this process."""
    if process is fork.current():
        mailbox.close()
        worker.stop()
        store.close()
