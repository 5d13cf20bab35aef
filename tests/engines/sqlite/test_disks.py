"""Folders, permissions and disks: what is wrong is said, nothing is lost, and all goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast import Client, EngineError
from tests.engines.sqlite.support import (
    LIMIT,
    WORKERS,
    assert_works,
    missing_tool,
    sqlite_url,
    until_looked,
)


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
    with pytest.raises(EngineError, match="is a folder, not a file"):
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
        until_looked()
        with pytest.raises(EngineError):
            client.lock("a").acquire(wait=1)
        folder.unlink()
        (tmp_path / "away").rename(folder)
        assert_works(client)


def in_namespace(case: str, folder: Path) -> None:
    """Run a case of ``workers/namespace.py`` where it may mount what it likes."""
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        missing_tool("unshare is not installed (Debian: util-linux)")
    enter = (
        ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    )
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
