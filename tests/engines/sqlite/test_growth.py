"""What is not in use any more leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from holdfast import Client
from tests.engines.sqlite.support import Peer, query


def size(path: Path) -> int:
    """Bytes on the disk, the log included."""
    files = [Path(f"{path}{suffix}") for suffix in ("", "-wal")]
    return sum(file.stat().st_size for file in files if file.exists())


def test_ten_thousand_names_leave_no_trace(client: Client, path: Path) -> None:
    def use(count: int, batch: str) -> int:
        for number in range(count):
            with client.lock(f"{batch}:{number}"):
                pass
        return size(path)

    after_some = use(2_000, "first")
    after_many = use(10_000, "then")
    print(f"after 2,000 names: {after_some} bytes; after 10,000 more: {after_many}")
    assert after_many <= max(after_some, 5 << 20)  # SQLite's log is checkpointed at 4 MiB
    assert query(path, "SELECT count(*) FROM lease") == [(0,)]
    [(pages,)] = query(path, "PRAGMA page_count")
    assert pages < 50


def test_ten_thousand_leases_of_crashed_holders_are_swept(
    client: Client, make_client: Callable[[], Client], path: Path
) -> None:
    with client.lock("first"):
        pass
    query(
        path,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)"
        " INSERT INTO lease"
        " SELECT 'lock:dead:' || i, hex(randomblob(16)), i, 'lock', 1, 1, 1.0, '{}' FROM n",
    )
    query(
        path,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
        " INSERT INTO waiter (resource, ticket, kind, capacity, weight, fair, alive_until, address)"
        " SELECT 'lock:dead:' || i, hex(randomblob(16)), 'lock', 1, 1, 0, 1.0, 'x' FROM n",
    )
    assert list(client.scan()) == []  # the dead are not shown even before
    with make_client().lock("a"):  # the first claim of a client sweeps
        pass
    assert query(path, "SELECT count(*) FROM lease") == [(0,)]
    assert query(path, "SELECT count(*) FROM waiter") == [(0,)]
    with client.lock("a"):
        pass
    before = size(path)
    for _ in range(100):
        with client.lock("a"):
            pass
    assert size(path) <= before + (5 << 20)


def test_what_is_swept_is_only_what_has_ended(
    client: Client, peers: Callable[[], Peer], path: Path
) -> None:
    peer = peers()
    peer.acquire("held", ttl=60)
    query(path, "INSERT INTO lease VALUES ('lock:dead', 'o', 1, 'lock', 1, 1, 1.0, '{}')")
    with client.lock("a"):  # the first claim of a client sweeps
        pass
    assert query(path, "SELECT resource FROM lease") == [("lock:held",)]
    peer.do("check", name="held")
