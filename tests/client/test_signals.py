"""A signal's handler that uses the client it has interrupted gets an answer or an error."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Client, EngineError


@pytest.fixture
def ticking() -> Iterator[None]:
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.timeout(100, method="thread")  # the other method would use the same signal
@pytest.mark.usefixtures("ticking")
def test_a_handler_never_hangs(tmp_path: Path) -> None:
    outcomes: dict[str, int] = {"answered": 0, "refused": 0}

    def handler(number: int, frame: object) -> None:
        try:
            client.inspect("a")
            outcomes["answered"] += 1
        except EngineError:
            outcomes["refused"] += 1

    with Client(f"sqlite://{tmp_path}/locks.db") as client:
        lock = client.lock("a", ttl=60)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        for _ in range(20_000):
            with lock:
                pass
            if min(outcomes.values()) >= 5:
                break
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert client.inspect("a") is None
    assert sum(outcomes.values()) > 0
