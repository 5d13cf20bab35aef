"""Fences never go back: not by release, reboot, power failure, or loss of the whole file."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

from holdfast import Client
from holdfast._core.model import Claim, Grant
from holdfast._sqlite.database import BLOCK
from tests.engines.sqlite.support import Peer, epoch, query, remove_database, sqlite_url, until


def reboot(path: Path) -> None:
    """Make the file look like one from an earlier boot of this machine."""
    query(path, "UPDATE epoch SET boot = 'an earlier boot'")


def take(client: Client, name: str = "a") -> int:
    """Acquire and release; return the fence."""
    with client.lock(name) as lease:
        return lease.fence


def take_above(client: Client, floor: int, name: str = "a") -> int:
    """Acquire above a fence that was seen elsewhere."""
    claim = Claim(client.prefix + name, "0" * 32, ttl=10, floor=floor)
    engine = client.session().engine
    grant = engine.try_acquire(claim)
    assert isinstance(grant, Grant)
    assert engine.release(claim.ref)
    return grant.fence


def database_of(client: Client) -> sqlite3.Connection:
    connection = client.session().engine._store._database._connection  # type: ignore[attr-defined]
    assert isinstance(connection, sqlite3.Connection)
    return connection


# --- in the usual course of things ----------------------------------------------------------------


def test_a_fence_is_above_that_of_every_earlier_grant(client: Client) -> None:
    fences = [take(client, name) for name in ("a", "b", "a", "c", "a", "b")]
    assert fences == sorted(set(fences))


def test_fences_go_on_when_nothing_of_the_resource_is_left(client: Client, path: Path) -> None:
    before = take(client)
    assert query(path, "SELECT * FROM lease") == []
    assert take(client) > before


def test_fences_go_on_in_another_client(url: str) -> None:
    with Client(url) as client:
        before = take(client)
    with Client(url) as client:
        assert take(client) == before + 1


def test_a_fence_that_was_seen_elsewhere_is_passed(client: Client) -> None:
    far = take(client) + 3 * BLOCK
    assert take_above(client, far) == far + 1
    assert take(client) == far + 2


def test_a_floor_below_changes_nothing(client: Client) -> None:
    before = take(client)
    assert take_above(client, before - 10) == before + 1


# --- a reboot -------------------------------------------------------------------------------------


def test_a_reboot_ends_all_leases_and_all_waiting(
    url: str, path: Path, peers: Callable[[], Peer]
) -> None:
    holder, waiter = peers(), peers()
    holder.acquire("a", ttl=3600)
    waiter.send("acquire", name="a", fair=True)
    until(lambda: query(path, "SELECT * FROM waiter"))
    waiter.kill()
    holder.kill()
    assert query(path, "SELECT * FROM lease")
    reboot(path)
    with Client(url) as client:
        assert client.inspect("a") is None
        assert query(path, "SELECT * FROM lease") == query(path, "SELECT * FROM waiter") == []
        assert client.lock("a").try_acquire() is not None


def test_after_a_reboot_fences_start_above_all_that_were_reserved(url: str, path: Path) -> None:
    with Client(url) as client:
        take(client)
    _, _, reserved = epoch(path)
    ahead = reserved + 10**12  # as after years of a wall clock that was set forward
    query(path, "UPDATE epoch SET reserved = ?", (ahead,))
    reboot(path)
    with Client(url) as client:
        assert take(client) == ahead + 1


def test_the_same_boot_changes_nothing(url: str, path: Path) -> None:
    with Client(url) as client:
        take(client)
        before = epoch(path)
    with Client(url) as client:
        assert client.inspect("a") is None
        assert epoch(path) == before


# --- a power failure ------------------------------------------------------------------------------


def test_a_power_failure_that_undoes_all_but_the_forced_writes(url: str, path: Path) -> None:
    """What was committed since the last forced write is gone, as the disk never saw it."""
    with Client(url) as client:
        client.inspect("a")  # the first use makes the file, with a forced write
        on_disk = snapshot_of(path)
        before = max(take(client) for _ in range(100))
        power_failure(path, on_disk)
    with Client(url) as client:
        assert take(client) > before


def test_a_power_failure_after_a_block_was_used_up(url: str, path: Path) -> None:
    with Client(url) as client:
        take(client)
        use_up_block(path, left=2)
        on_disk: dict[str, bytes] = {}

        def watch(statement: str) -> None:
            # The next grant begins once the forced write is through.
            if statement == "PRAGMA synchronous = NORMAL":
                on_disk.update(snapshot_of(path))

        database_of(client).set_trace_callback(watch)
        before = max(take(client) for _ in range(100))
        assert on_disk, "nothing was reserved"
        power_failure(path, on_disk)
    with Client(url) as client:
        assert take(client) > before


def snapshot_of(path: Path) -> dict[str, bytes]:
    """The file and its log as they are now; another process reads them: see ``opened``."""
    folder = path.parent / "snapshot"
    folder.mkdir(exist_ok=True)
    subprocess.run(["cp", path, f"{path}-wal", folder], check=True)
    return {suffix: (folder / f"{path.name}{suffix}").read_bytes() for suffix in ("", "-wal")}


def power_failure(path: Path, on_disk: dict[str, bytes]) -> None:
    """Put back what was on the disk, as a new boot of the machine finds it."""
    remove_database(path)
    for suffix, content in on_disk.items():
        Path(f"{path}{suffix}").write_bytes(content)
    reboot(path)


# --- blocks ---------------------------------------------------------------------------------------


def use_up_block(path: Path, left: int) -> None:
    query(path, "UPDATE epoch SET reserved = fence + ?", (left,))


def test_the_first_use_reserves_a_block(client: Client, path: Path) -> None:
    fence = take(client)
    assert epoch(path)[1:] == (fence, fence - 1 + BLOCK)


def test_a_used_up_block_is_followed_by_another(client: Client, path: Path) -> None:
    before = take(client)
    use_up_block(path, left=2)
    assert [take(client) for _ in range(3)] == [before + 1, before + 2, before + 3]
    assert epoch(path)[1:] == (before + 3, before + 2 + BLOCK)


def test_a_block_is_on_the_disk_before_its_first_fence_is_given_out(
    client: Client, path: Path
) -> None:
    take(client)
    use_up_block(path, left=0)
    statements: list[str] = []
    database_of(client).set_trace_callback(statements.append)
    take(client)
    kinds = [kind for statement in statements if (kind := kind_of(statement))]
    forced = kinds.index("FULL")
    assert kinds[forced : forced + 4] == ["FULL", "reserve", "COMMIT", "NORMAL"]
    assert "grant" not in kinds[:forced]
    assert "grant" in kinds[forced:]


def kind_of(statement: str) -> str:
    if statement.startswith("PRAGMA synchronous"):
        return statement.rpartition(" ")[2]
    if statement == "COMMIT":
        return statement
    return {"INSERT INTO epoch": "reserve", "INSERT INTO lease": "grant"}.get(statement[:17], "")


def test_usual_grants_force_nothing(client: Client) -> None:
    take(client)
    statements: list[str] = []
    database_of(client).set_trace_callback(statements.append)
    take(client)
    assert not [statement for statement in statements if "synchronous" in statement]
    assert database_of(client).execute("PRAGMA synchronous").fetchone() == (1,)


# --- the loss of the file -------------------------------------------------------------------------


def test_fences_go_on_after_the_file_was_deleted(url: str, path: Path) -> None:
    with Client(url) as client:
        before = max(take(client) for _ in range(1000))
    remove_database(path)
    with Client(url) as client:
        assert take(client) > before


def test_fences_go_on_after_the_file_was_deleted_under_a_client(client: Client, path: Path) -> None:
    before = max(take(client) for _ in range(1000))
    remove_database(path)
    assert take(client) > before


def test_fences_go_on_in_a_copy(client: Client, path: Path, tmp_path: Path) -> None:
    """A file that moves with its folder, as in a backup, keeps its place in the order."""
    before = take(client)
    client.close()
    copy = tmp_path / "copy.db"
    shutil.copy(path, copy)
    with Client(sqlite_url(copy)) as other:
        assert take(other) == before + 1
