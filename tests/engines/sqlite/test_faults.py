"""Faults around the file: what is wrong is said clearly, nothing is lost, and all goes on after it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast import CapabilityError, Client, EngineError, EngineUnavailable
from holdfast._runtime.clock import clock
from holdfast._sqlite import database
from holdfast._sqlite.mounts import network_file_system
from tests.engines.sqlite.support import (
    LIMIT,
    WORKERS,
    assert_sound,
    missing_tool,
    opened,
    query,
    remove_database,
    sqlite_url,
    start,
)


def assert_works(client: Client) -> None:
    with client.lock("works", wait=5):
        pass


# --- files that are none of ours ------------------------------------------------------------------


def test_not_a_database(client: Client, path: Path) -> None:
    path.write_text("Dear diary, today I have written a text and not a database. " * 100)
    before = path.read_bytes()
    with pytest.raises(EngineError, match="is not an SQLite database") as caught:
        client.lock("a").try_acquire()
    assert not isinstance(caught.value, EngineUnavailable)
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    path.unlink()
    assert_works(client)


def test_the_database_of_another_application(client: Client, path: Path) -> None:
    with opened(path) as connection:
        connection.execute("CREATE TABLE customer (name TEXT)")
        connection.execute("INSERT INTO customer VALUES ('Ada')")
    with pytest.raises(EngineError, match="is the database of another application"):
        client.lock("a").try_acquire()
    assert query(path, "SELECT name FROM customer") == [("Ada",)]
    assert query(path, "SELECT name FROM sqlite_master") == [("customer",)]
    remove_database(path)
    assert_works(client)


def test_the_database_of_another_application_keeps_its_journal_mode(
    client: Client, path: Path
) -> None:
    with opened(path) as connection:
        connection.execute("CREATE TABLE customer (name TEXT)")
    with pytest.raises(EngineError):
        client.lock("a").try_acquire()
    assert query(path, "PRAGMA journal_mode") == [("delete",)]


def test_a_schema_from_the_future(url: str, path: Path) -> None:
    with Client(url) as client, client.lock("a"):
        pass
    query(path, "PRAGMA user_version = 999")
    with Client(url) as client:
        with pytest.raises(EngineError, match="has schema version 999; this holdfast knows 1"):
            client.lock("a").try_acquire()
        query(path, "PRAGMA user_version = 1")
        assert_works(client)


# --- damage ---------------------------------------------------------------------------------------


@pytest.fixture
def filled(url: str, path: Path) -> Path:
    """A lock file of many pages that nobody has open."""
    with Client(url) as client:
        leases = [client.lock(f"name:{i}", info={"text": "x" * 100}).acquire() for i in range(500)]
        query(path, "PRAGMA wal_checkpoint(TRUNCATE)")
        for lease in leases:
            lease.check()
        copy = path.with_suffix(".copy")
        subprocess.run(["cp", path, copy], check=True)
    remove_database(path)
    copy.rename(path)
    assert path.stat().st_size > 20 * 4096
    return path


def test_garbage_in_the_middle(url: str, filled: Path) -> None:
    with filled.open("r+b") as file:
        file.seek(2 * 4096)
        file.write(b"\xa5" * (filled.stat().st_size - 2 * 4096))
    with Client(url) as client:
        with pytest.raises(EngineError, match="is corrupt; .* move it away") as caught:
            client.lock("name:250").try_acquire()
        assert not isinstance(caught.value, EngineUnavailable)
        remove_database(filled)
        assert_works(client)


def test_a_truncated_file(url: str, filled: Path) -> None:
    os.truncate(filled, 3 * 4096 + 100)
    with Client(url) as client:
        with pytest.raises(EngineError, match="is corrupt; .* move it away"):
            client.lock("name:250").try_acquire()
        remove_database(filled)
        assert_works(client)


def test_a_log_whose_end_is_torn_costs_only_the_last_commit(url: str, path: Path) -> None:
    """As after a power failure. Here that commit was the release: the lock is still taken."""
    kept = path.parent / "kept"
    kept.mkdir()
    with Client(url) as client:
        with client.lock("a", ttl=60) as lease:
            pass
        subprocess.run(["cp", path, f"{path}-wal", kept], check=True)
    log = kept / f"{path.name}-wal"
    os.truncate(log, log.stat().st_size - 100)
    with Client(sqlite_url(kept / path.name)) as client:
        assert client.lock("a").try_acquire() is None
        snapshot = client.inspect("a")
        assert snapshot is not None
        assert snapshot.fence == lease.fence
        with client.lock("b") as later:
            assert later.fence > lease.fence
    assert_sound(kept / path.name)


# --- folders and permissions ----------------------------------------------------------------------


def test_a_missing_folder_is_named_and_not_made(tmp_path: Path) -> None:
    folder = tmp_path / "missing"
    with Client(sqlite_url(folder / "locks.db")) as client:
        with pytest.raises(EngineError, match=f"the folder {folder} is missing"):
            client.lock("a").acquire(wait=1)
        assert not folder.exists()
        folder.mkdir()
        assert_works(client)


def test_a_path_that_is_a_folder(client: Client, path: Path) -> None:
    path.mkdir()
    with pytest.raises(EngineError, match="cannot be opened"):
        client.lock("a").acquire(wait=1)
    path.rmdir()
    assert_works(client)


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "file"
    folder.write_text("")
    with Client(sqlite_url(folder / "locks.db", create_folder="yes")) as client:
        with pytest.raises(EngineError, match="cannot be"):
            client.lock("a").acquire(wait=1)
        folder.unlink()
        assert_works(client)


def test_a_folder_that_becomes_a_file_under_a_client(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with Client(sqlite_url(folder / "locks.db")) as client:
        assert_works(client)
        folder.rename(tmp_path / "away")
        folder.write_text("")
        with pytest.raises(EngineError):
            client.lock("a").acquire(wait=1)
        folder.unlink()
        (tmp_path / "away").rename(folder)
        assert_works(client)


def in_namespace(case: str, folder: Path) -> None:
    """Run a case of ``workers/namespace.py`` where it may mount what it likes."""
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        missing_tool("unshare is not installed (Debian: util-linux)")
    enter = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    if subprocess.run([*enter, "true"], capture_output=True, check=False).returncode:
        missing_tool("mount namespaces are not permitted here")
    folder.mkdir()
    command = [*enter, sys.executable, str(WORKERS / "namespace.py"), case, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "case", ["full_disk", "full_from_the_start", "read_only", "read_only_from_the_start"]
)
def test_a_disk_that_cannot_be_written(tmp_path: Path, case: str) -> None:
    in_namespace(case, tmp_path / "mount")


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_file_or_folder_without_permission(what: str) -> None:
    """In a process without privileges, since root may do everything."""
    script = WORKERS / "unprivileged.py"
    done = subprocess.run(
        [sys.executable, str(script), what],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# --- a database that somebody else has ------------------------------------------------------------


@contextmanager
def stuck(path: Path, mode: str = "IMMEDIATE") -> Iterator[None]:
    """Have another process sit inside a transaction."""
    with start("stuck", path, mode, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "stuck\n"
            yield
            process.communicate(timeout=LIMIT)
        finally:
            process.kill()


@pytest.mark.parametrize("mode", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_locked_database_is_an_error_by_the_deadline(
    client: Client, path: Path, mode: str
) -> None:
    lease = client.lock("held", ttl=60).acquire()
    with stuck(path, mode):
        started = clock()
        with pytest.raises(EngineUnavailable, match="is locked by another process"):
            client.lock("a").acquire(wait=0.3)
        assert 0.3 <= clock() - started < 3
        lease.check()
    assert_works(client)
    lease.release()


def test_a_database_that_is_locked_before_it_is_opened(url: str, path: Path) -> None:
    with Client(url) as client:
        assert_works(client)
    with Client(url) as client:
        with stuck(path):
            with pytest.raises(EngineUnavailable, match="is locked by another process"):
                client.lock("a").acquire(wait=0.3)
        assert_works(client)


def test_the_timeout_of_the_url_bounds_one_attempt(path: Path, client: Client) -> None:
    assert_works(client)
    with Client(sqlite_url(path, timeout=0.3)) as impatient, stuck(path):
        started = clock()
        with pytest.raises(EngineUnavailable):
            impatient.lock("a").try_acquire()
        assert 0.3 <= clock() - started < 3


def test_a_short_lock_of_the_database_is_waited_out(client: Client, path: Path) -> None:
    assert_works(client)
    with ThreadPoolExecutor() as pool:
        with opened(path) as other:
            other.execute("BEGIN IMMEDIATE")
            waiting = pool.submit(client.lock("a").acquire, 20)
            with pytest.raises(TimeoutError):
                waiting.result(0.2)
            other.execute("ROLLBACK")
        waiting.result(LIMIT).release()


# --- file systems of other machines ---------------------------------------------------------------


def mountinfo(tmp_path: Path, kind: str) -> str:
    device = tmp_path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    file = tmp_path / "mountinfo"
    file.write_text(
        "21 1 250:250 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        f"36 21 {number} /export /data\\040here rw,noatime master:1 - {kind} server:/export rw\n"
    )
    return str(file)


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "9p", "fuse.sshfs", "ceph"])
def test_a_network_file_system_is_recognised(tmp_path: Path, kind: str) -> None:
    assert network_file_system(str(tmp_path), mountinfo(tmp_path, kind)) == kind


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "overlay"])
def test_a_local_file_system_is_fine(tmp_path: Path, kind: str) -> None:
    assert network_file_system(str(tmp_path), mountinfo(tmp_path, kind)) is None


def test_a_network_file_system_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(database, "network_file_system", lambda _path: "nfs4")
        with pytest.raises(CapabilityError, match="is on a network file system .nfs4."):
            client.lock("a").try_acquire()
    assert_works(client)
