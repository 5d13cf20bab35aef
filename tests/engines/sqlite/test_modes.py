"""Who may read and write what the engine makes: only its user."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast import Client
from tests.engines.sqlite.support import sqlite_url


def mode(path: Path | str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


@contextmanager
def umask(value: int) -> Generator[None, None, None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o077])
def test_what_is_made_is_the_users_alone(url: str, path: Path, mask: int) -> None:
    with umask(mask), Client(url) as client, client.lock("a"):
        assert [mode(f"{path}{suffix}") for suffix in ("", "-wal", "-shm")] == [0o600] * 3
        folder = Path(f"{path}-wake")
        assert mode(folder) == 0o700
        assert [mode(pipe) for pipe in folder.iterdir()] == [0o600]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_folder_that_is_made_is_the_users_alone(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "new" / "locks.db"
    with umask(mask), Client(sqlite_url(path, create_folder="yes")) as client, client.lock("a"):
        assert mode(path.parent) == 0o700
        assert mode(path) == 0o600


def test_a_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    url = sqlite_url(tmp_path / "locks.db", create_folder="yes")
    with Client(url) as client, client.lock("a"):
        assert mode(tmp_path) == 0o755


def test_a_file_that_is_there_keeps_its_mode(url: str, path: Path) -> None:
    """An administrator who shares the locks with a group has the last word."""
    with Client(url) as client, client.lock("a"):
        pass
    path.chmod(0o660)
    Path(f"{path}-wake").chmod(0o770)
    with Client(url) as client, client.lock("a"):
        assert [mode(f"{path}{suffix}") for suffix in ("", "-wal", "-shm")] == [0o660] * 3
        assert mode(f"{path}-wake") == 0o770


def test_an_empty_file_that_is_there_is_used_and_keeps_its_mode(url: str, path: Path) -> None:
    path.touch(0o640)
    path.chmod(0o640)
    with Client(url) as client, client.lock("a"):
        assert mode(path) == 0o640
