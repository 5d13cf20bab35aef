"""Files that are none of ours, or damaged: said clearly, and never made worse."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from holdfast import Client, EngineError, EngineUnavailable
from tests.engines.sqlite.support import (
    assert_sound,
    assert_works,
    opened,
    query,
    remove_database,
    sqlite_url,
)


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
        with pytest.raises(EngineError, match=r"is corrupt; .* move it away") as caught:
            client.lock("name:250").try_acquire()
        assert not isinstance(caught.value, EngineUnavailable)
        remove_database(filled)
        assert_works(client)


def test_a_truncated_file(url: str, filled: Path) -> None:
    os.truncate(filled, 3 * 4096 + 100)
    with Client(url) as client:
        with pytest.raises(EngineError, match=r"is corrupt; .* move it away"):
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
