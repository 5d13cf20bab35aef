"""Drops its privileges, if it has any, and meets a file or a folder that it must not write."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

import holdfast

NOBODY = 65534


def drop_privileges() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def meet(what: str, folder: Path) -> None:
    path = folder / "locks.db"
    url = f"sqlite://{path}"
    with holdfast.Client(url) as client, client.lock("a"):
        pass
    denied = path if what == "file" else folder
    denied.chmod(0o400 if what == "file" else 0o500)
    with holdfast.Client(url) as client:
        for _ in range(2):  # an error is no less clear the second time
            with pytest.raises(holdfast.EngineError, match="permissions"):
                client.lock("a").acquire(wait=0.2)
        denied.chmod(0o700)
        for beside in folder.glob("locks.db-???"):  # SQLite has made them as its file was
            beside.chmod(0o600)
        with client.lock("a", wait=5):
            pass


def main() -> None:
    with tempfile.TemporaryDirectory() as unused:  # what is imported late is imported now
        with holdfast.Client(f"sqlite://{unused}/locks.db") as client, client.lock("a"):
            pass
    drop_privileges()
    folder = Path(tempfile.mkdtemp())
    try:
        meet(sys.argv[1], folder)
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)


main()
