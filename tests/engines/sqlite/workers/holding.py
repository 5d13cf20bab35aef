"""Holds many leases for a while, all renewed by one client; reports what that took, as JSON."""

import asyncio
import json
import sys
import threading
import time

import holdfast
from holdfast._runtime.clock import clock


def report(kept: list[bool], remaining: list[float], ttl: float, before: float) -> None:
    workers = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
    print(
        json.dumps(
            {
                "kept": sum(kept),
                "least": min(remaining),
                "ttl": ttl,
                "threads": sorted(workers),
                "cpu": time.process_time() - before,
            }
        )
    )


def hold(url: str, count: int, ttl: float, seconds: float) -> None:
    lost: list[holdfast.Lease] = []
    with holdfast.Client(url) as client:
        leases = [client.lock(f"n:{i}", ttl=ttl, on_lost=lost.append).acquire() for i in range(count)]
        before, end = time.process_time(), clock() + seconds
        time.sleep(seconds)
        assert clock() >= end
        with holdfast.Client(url) as other:
            seen = {s.name: s.holders[0].remaining for s in other.scan()}
        report([lease.held and lease.name in seen for lease in leases], list(seen.values()), ttl, before)
        assert not lost


async def hold_async(url: str, count: int, ttl: float, seconds: float) -> None:
    lost: list[holdfast.AsyncLease] = []
    async with holdfast.AsyncClient(url) as client:
        leases = [
            await client.lock(f"n:{i}", ttl=ttl, on_lost=lost.append).acquire() for i in range(count)
        ]
        before = time.process_time()
        await asyncio.sleep(seconds)
        seen = {s.name: s.holders[0].remaining async for s in client.scan()}
        report([lease.held and lease.name in seen for lease in leases], list(seen.values()), ttl, before)
        assert not lost


def main() -> None:
    kind, url, count, ttl, seconds = sys.argv[1:]
    arguments = (url, int(count), float(ttl), float(seconds))
    if kind == "sync":
        hold(*arguments)
    else:
        asyncio.run(hold_async(*arguments))


main()
