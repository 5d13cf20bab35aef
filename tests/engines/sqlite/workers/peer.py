"""Another process with a client of its own, which does what it is told.

Reads one JSON command per line and answers each with one JSON line: what came of it, when it
started and when it was done, by the boot clock.
"""

import json
import logging
import sys
import time
from typing import Any

import holdfast
from holdfast._runtime.clock import clock


class Peer:
    """The commands, one method each."""

    def __init__(self, url: str) -> None:
        self.client = holdfast.Client(url)
        self.leases: dict[str, holdfast.Lease] = {}

    def acquire(self, name: str, wait: float | None = None, **options: Any) -> dict[str, Any]:
        lease = self.client.lock(name, **options).acquire(wait)
        self.leases[name] = lease
        return {"fence": lease.fence}

    def queued(self, name: str) -> dict[str, Any]:
        """Wait until somebody waits for ``name``."""
        while (snapshot := self.client.inspect(name)) is None or not snapshot.waiters:
            time.sleep(0.001)
        return {}

    def check(self, name: str) -> dict[str, Any]:
        self.leases[name].check()
        return {"remaining": self.leases[name].remaining}

    def lost(self, name: str, timeout: float) -> dict[str, Any]:
        return {"lost": self.leases[name].lost.wait(timeout)}

    def renew(self, name: str) -> dict[str, Any]:
        self.leases[name].renew()
        return {}

    def release(self, name: str) -> dict[str, Any]:
        self.leases.pop(name).release()
        return {}

    def wall(self) -> dict[str, Any]:
        return {"wall": time.time()}

    def rounds(self, name: str, count: int) -> dict[str, Any]:
        """Acquire and release, again and again, as a busy process does."""
        lost = 0
        for _ in range(count):
            try:
                with self.client.lock(name):
                    pass
            except holdfast.LeaseLost:
                lost += 1
        return {"lost": lost}


def answer(peer: Peer, command: dict[str, Any]) -> dict[str, Any]:
    """Do what ``command`` says; what it raises is an answer too."""
    started = clock()
    try:
        result = getattr(peer, command.pop("do"))(**command)
    except holdfast.HoldfastError as exc:
        result = {"error": type(exc).__name__, "message": str(exc)}
    return {**result, "started": started, "done": clock()}


def main() -> None:
    logging.basicConfig(stream=sys.stderr)
    peer = Peer(sys.argv[1])
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(peer, json.loads(line))), flush=True)


main()
