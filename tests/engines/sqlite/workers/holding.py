"""Holds many leases for a while, all renewed by one client; reports what that took, as JSON."""

import asyncio
import json
import os
import sys
import threading
import time

import holdfast


def report(kept: list[bool], remaining: list[float], lost: int, cpu: float) -> None:
    threads = [each.name for each in threading.enumerate() if each is not threading.main_thread()]
    fields = {
        "kept": sum(kept),
        "least": min(remaining),
        "lost": lost,
        "threads": threads,
        "cpu": cpu,
    }
    print(json.dumps(fields), flush=True)
    os._exit(0)  # a crash, since to release them all takes longer than to test them


def hold(url: str, count: int, ttl: float, seconds: float) -> None:
    lost: list[holdfast.Lease] = []
    client = holdfast.Client(url)
    locks = [client.lock(f"n:{i}", ttl=ttl, on_lost=lost.append) for i in range(count)]
    leases = [lock.acquire() for lock in locks]
    before = time.process_time()
    time.sleep(seconds)
    cpu = time.process_time() - before
    seen = {each.name: each.holders[0].remaining for each in client.scan()}
    kept = [lease.held and lease.name in seen for lease in leases]
    report(kept, list(seen.values()), len(lost), cpu)


async def hold_async(url: str, count: int, ttl: float, seconds: float) -> None:
    lost: list[holdfast.AsyncLease] = []
    client = holdfast.AsyncClient(url)
    locks = [client.lock(f"n:{i}", ttl=ttl, on_lost=lost.append) for i in range(count)]
    leases = [await lock.acquire() for lock in locks]
    before = time.process_time()
    await asyncio.sleep(seconds)
    cpu = time.process_time() - before
    seen = {each.name: each.holders[0].remaining async for each in client.scan()}
    kept = [lease.held and lease.name in seen for lease in leases]
    report(kept, list(seen.values()), len(lost), cpu)


def main() -> None:
    kind, url, count, ttl, seconds = sys.argv[1:]
    arguments = (url, int(count), float(ttl), float(seconds))
    if kind == "sync":
        hold(*arguments)
    else:
        asyncio.run(hold_async(*arguments))


main()
