"""The place of the lock file: making it there, and noticing that another one has taken it.

SQLite finds a database's log by name. So a file that takes the place of a deleted one, while some
still open that one, could come to share a log with it. Hence nobody opens a file while another is
made, and what a deleted one has left behind is removed first.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Generator

from holdfast.errors import EngineError


def identity(path: str) -> tuple[int, int] | None:
    """Which file is at ``path``; None when there is none."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


@contextlib.contextmanager
def made(path: str, create_folder: bool) -> Generator[None, None, None]:
    """Make an empty file at ``path`` if there is none, and keep others from making one meanwhile.

    Raises:
        sqlite3.OperationalError: somebody else is about to open or make one; it is a busy error.
        EngineError: the file cannot be made.
    """
    folder = os.path.dirname(path)
    with contextlib.ExitStack() as stack:
        try:
            if create_folder:
                os.makedirs(folder, mode=0o700, exist_ok=True)
            stack.enter_context(_alone_in(folder))
            if not os.path.exists(path):
                _make(path)
        except OSError as exc:
            missing = not os.path.exists(folder)
            why = f"the folder {folder} is missing" if missing else exc.strerror
            raise EngineError(f"{path} cannot be made: {why}") from exc
        if os.path.isdir(path):
            raise EngineError(f"{path} is a folder, not a file")
        yield


def _make(path: str) -> None:
    for suffix in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path + suffix)
    # Exclusively, or not at all: closing a descriptor of a database that this process has open
    # elsewhere would drop that connection's locks.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


@contextlib.contextmanager
def _alone_in(folder: str) -> Generator[None, None, None]:
    import fcntl  # not on every system; where it is missing, so is a name for the boot

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            busy = sqlite3.OperationalError("another process opens a file in this folder")
            busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise busy from exc
        try:
            yield
        finally:
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing is not enough if we were forked
    finally:
        os.close(descriptor)
