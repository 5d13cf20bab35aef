"""From one process's release to the next one's grant, on one SQLite lock."""

from __future__ import annotations

import time
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

import holdfast

NAME = "hand-off"
LIMIT = 60.0


def _wait_in_line(url: str, pipe: Connection) -> None:
    """The other process: claims when it is told to, and says when it was granted."""
    with holdfast.Client(url) as client:
        lock = client.lock(NAME)
        while pipe.recv():
            with lock:
                granted = time.monotonic()  # one clock for all processes of a machine
            pipe.send(granted)


def measure(folder: Path, count: int) -> list[float]:
    """Return seconds from the call of ``release`` to the waiter's grant, one per hand-off."""
    url = f"sqlite://{folder}/hand-off.db"
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    waiter = context.Process(target=_wait_in_line, args=(url, theirs), daemon=True)
    waiter.start()
    taken: list[float] = []
    with holdfast.Client(url) as client:
        lock = client.lock(NAME)
        for _ in range(count + 1):
            lease = lock.acquire()
            ours.send(True)
            _until_it_waits(client)
            released = time.monotonic()
            lease.release()
            if not ours.poll(LIMIT):
                raise TimeoutError("the other process was not granted the lock")
            taken.append(ours.recv() - released)
    ours.send(False)
    waiter.join(LIMIT)
    return taken[1:]  # the first opens pipes and files


def _until_it_waits(client: holdfast.Client) -> None:
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        seen = client.inspect(NAME)
        if seen is not None and seen.waiters:
            time.sleep(0.002)  # for its way from the queue into its sleep
            return
        time.sleep(0.001)
    raise TimeoutError("the other process does not wait")
