"""What it costs to keep many leases alive."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import holdfast
from holdfast._core.model import Grant, Ref
from holdfast._core.urls import parse
from holdfast._sync.engines.sqlite import SqliteEngine

PER = 10_000
LIMIT = 120.0


class Counting(SqliteEngine):
    """Counts renewals, and says when there have been enough."""

    def __init__(self, url: str) -> None:
        super().__init__(parse(url))
        self.renewed = 0
        self.wanted = 0
        self.enough = threading.Event()

    def renew_many(
        self, refs: Sequence[tuple[Ref, float]]
    ) -> list[Grant | holdfast.EngineError | None]:
        outcomes = super().renew_many(refs)
        self.renewed += sum(isinstance(outcome, Grant) for outcome in outcomes)
        if self.renewed >= self.wanted:
            self.enough.set()
        return outcomes


def measure(folder: Path, leases: int, ttl: float) -> float:
    """Return the CPU seconds that 10,000 renewals take, all threads of this process together."""
    engine = Counting(f"sqlite://{folder}/renewals.db")
    with holdfast.Client.from_engine(lambda: engine) as client:
        held = [client.lock(f"lease:{number}", ttl=ttl).acquire() for number in range(leases)]
        before, started = engine.renewed, time.process_time()
        engine.wanted = before + leases
        if not engine.enough.wait(LIMIT):
            raise TimeoutError("the leases were not renewed")
        spent = time.process_time() - started
        renewed = engine.renewed - before
        for lease in held:
            lease.release()
    return spent / renewed * PER
