"""What SQLite's errors mean for whoever reads them at night."""

from __future__ import annotations

import sqlite3

from holdfast.errors import EngineError, EngineUnavailable


class Locked(EngineUnavailable):
    """Somebody else has the database at this moment. Nothing was done; ask again."""


_PERMANENT = {
    sqlite3.SQLITE_CORRUPT: "is corrupt; stop all who use it, move it away, and a new one is made",
    sqlite3.SQLITE_NOTADB: "is not an SQLite database",
    sqlite3.SQLITE_READONLY: "cannot be written: look at its permissions and its file system",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: look at its folder and its permissions",
    sqlite3.SQLITE_PERM: "cannot be opened: look at its permissions",
    sqlite3.SQLITE_AUTH: "cannot be opened: look at its permissions",
}
_PASSING = {
    sqlite3.SQLITE_LOCKED: "is locked by another connection",
    sqlite3.SQLITE_PROTOCOL: "is in use by so many processes that no turn was to be had",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk or file system failed",
}


def primary_code(error: sqlite3.Error) -> int:
    """The error code without its refinements; -1 for an error of the driver's own."""
    return getattr(error, "sqlite_errorcode", -1) & 0xFF


def is_busy(error: sqlite3.Error) -> bool:
    """Whether somebody else has the database at this moment."""
    return primary_code(error) == sqlite3.SQLITE_BUSY


def explain(error: sqlite3.Error, path: str) -> EngineError:
    """Return the error to raise instead, from this one."""
    code = primary_code(error)
    explained: EngineError
    if code == sqlite3.SQLITE_BUSY:
        explained = Locked(f"{path} is locked by another process ({error})")
    elif code in _PASSING:
        explained = EngineUnavailable(f"{path} {_PASSING[code]} ({error})")
    else:
        explained = EngineError(f"{path} {_PERMANENT.get(code, 'failed')} ({error})")
    explained.nothing_done = code != sqlite3.SQLITE_IOERR  # all else rolls back
    return explained
