"""Opening the lock file, and running transactions on it."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable
from typing import Protocol, TypeVar, TypeVarTuple, Unpack
from urllib.parse import quote

from holdfast._runtime.clock import boot_id, clock
from holdfast.errors import CapabilityError, EngineError

from .mounts import network_file_system
from .place import identity, made
from .problems import explain, is_busy
from .statements import SQL

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

APPLICATION_ID = 0x686F6C64  # "hold"
SCHEMA_VERSION = 1

#: So many fences are reserved at a time: one forced write to the disk for each such block.
BLOCK = 1_000_000

#: For so many seconds a look at whether the file was replaced is good enough: it may be replaced
#: right after any look.
LOOK_EVERY = 0.005


class Execute(Protocol):
    """Runs one statement."""

    def __call__(self, sql: str, parameters: tuple[object, ...] = ..., /) -> sqlite3.Cursor: ...


class Database:
    """One connection to the lock file, for one caller at a time.

    The write-ahead log without a forced write per commit (``synchronous=NORMAL``) loses the last
    commits in a power failure. That is harmless: a reboot ends all leases anyway, and fences are
    taken from blocks that were reserved with a forced write beforehand.
    """

    def __init__(self, path: str, create_folder: bool) -> None:
        self.path = path
        self._create_folder = create_folder
        self._connection: sqlite3.Connection | None = None
        self._cursor: sqlite3.Cursor
        self._execute: Execute
        self._opened: tuple[int, int] | None = None
        self._look_at = 0.0
        self._closed = False

    def write(self, work: Callable[[Execute, Unpack[Ts]], T], *args: *Ts) -> T:
        """Run ``work`` in a transaction that excludes all other writers.

        Raises:
            Locked: another process writes at this moment; nothing was done.
            EngineUnavailable: the disk is full or failed.
            EngineError: it is corrupt, cannot be written, is no database of ours.
            CapabilityError: this machine or its file system cannot keep it.
        """
        try:
            self._ensure_open()
            return self._transact(work, *args)
        except sqlite3.Error as exc:
            raise self._explain(exc) from exc

    def read(self, work: Callable[[Execute], T]) -> T:
        """Run ``work``, which only reads and needs one statement.

        Raises:
            EngineError, CapabilityError: as :meth:`write`.
        """
        try:
            self._ensure_open()
            return work(self._execute)
        except sqlite3.Error as exc:
            raise self._explain(exc) from exc

    def close(self) -> None:
        """Close the file for good."""
        self._closed = True
        self._disconnect()

    def put_away(self) -> None:
        """Close the connection; the next call opens another.

        SQLite does not bear being forked: a child that inherits a connection believes that it has
        its parent's locks on the file, and its parent's close takes the log away from under it.
        """
        self._disconnect()

    def _explain(self, error: sqlite3.Error) -> EngineError:
        if not is_busy(error):
            # Start afresh next time: the fault may be put right, but not for this connection. For
            # one, SQLite opens a file that it may not write for reading only, and leaves it so.
            self._disconnect()
        return explain(error, self.path)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self._cursor.close()  # a statement that is left open would keep the file open, too
            connection.close()

    def _transact(self, work: Callable[[Execute, Unpack[Ts]], T], *args: *Ts) -> T:
        execute = self._execute
        try:
            execute("BEGIN IMMEDIATE")  # within: a signal's handler may raise as it returns
            result = work(execute, *args)
            execute("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        return result

    def _roll_back(self) -> None:
        if self._connection is not None and self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):  # SQLite has rolled back by itself
                self._execute("ROLLBACK")

    # --- opening ---------------------------------------------------------------------------------

    def follow(self) -> None:
        """Let go of a file that was deleted or replaced: others use the one at the path by now."""
        now = clock()
        if now >= self._look_at:
            self._look_at = now + LOOK_EVERY
            if self._connection is not None and self._was_replaced():
                self._disconnect()

    def _ensure_open(self) -> None:
        if self._connection is None:
            try:
                self._connect()
            except EngineError as exc:
                exc.nothing_done = True
                raise

    def _connect(self) -> None:
        while self._connection is None:
            if self._closed:
                raise EngineError(f"{self.path} was closed by its client")
            self._check_file_system()
            with made(self.path, self._create_folder):
                try:
                    self._open()
                except sqlite3.Error:
                    if not self._was_replaced():
                        raise
            if self._was_replaced():  # by another that has taken its place meanwhile
                self._disconnect()

    def _was_replaced(self) -> bool:
        return self._opened is None or identity(self.path) != self._opened

    def _open(self) -> None:
        self._opened = identity(self.path)  # beforehand, so that what takes its place is noticed
        connection = sqlite3.connect(
            f"file:{quote(self.path)}?mode=rw",
            uri=True,
            timeout=0,
            isolation_level=None,
            check_same_thread=False,
        )
        self._cursor = connection.cursor()
        self._execute = self._cursor.execute
        self._connection = connection
        try:
            self._set_up()
        except BaseException:
            self._disconnect()
            raise

    def _check_file_system(self) -> None:
        if name := network_file_system(os.path.dirname(os.path.realpath(self.path))):
            raise CapabilityError(
                "sqlite",
                "processes",
                f"{self.path} is on a network file system ({name}), where SQLite's locks and "
                "shared memory do not hold; put it on a local disk, or use an engine with a server",
            )

    def _set_up(self) -> None:
        execute = self._execute
        self._is_new(execute)  # what belongs to others is refused before anything is changed
        (mode,) = execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise CapabilityError(
                "sqlite", "processes", f"{self.path}: its file system cannot keep a write-ahead log"
            )
        # What a power failure takes of this resets fences.
        execute("PRAGMA synchronous = FULL")
        self._transact(self._ensure_schema)
        self._transact(self._ensure_epoch)
        execute("PRAGMA synchronous = NORMAL")
        execute(f"PRAGMA journal_size_limit = {4 << 20}")

    def _is_new(self, execute: Execute) -> bool:
        """Whether the file is empty; if it is not, it must be one of ours."""
        application, version, tables = execute(SQL["identity"]).fetchone()
        if (application, version, tables) == (0, 0, 0):
            return True
        if application != APPLICATION_ID:
            raise EngineError(f"{self.path} is the database of another application")
        if version != SCHEMA_VERSION:
            raise EngineError(
                f"{self.path} has schema version {version}; this holdfast knows {SCHEMA_VERSION}"
            )
        return False

    def _ensure_schema(self, execute: Execute) -> None:
        if self._was_replaced():
            # Then the log that was opened along with it may be that of the new file, in which
            # nothing must be written.
            raise sqlite3.OperationalError("the file was replaced while it was opened")
        if self._is_new(execute):
            for statement in SQL["schema"].split(";\n"):
                execute(statement)
            execute(f"PRAGMA application_id = {APPLICATION_ID}")
            execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def _ensure_epoch(self, execute: Execute) -> None:
        """After a reboot end all leases, and go on above all fences that may have been given."""
        boot = boot_id()
        if boot is None:
            raise CapabilityError(
                "sqlite", "processes", "the sqlite engine needs a system that names its boots"
            )
        row = execute(SQL["read_epoch"]).fetchone()
        if row is not None and row[0] == boot:
            return
        execute(SQL["sweep_leases"], (float("inf"),))
        execute(SQL["sweep_waiters"], (float("inf"),))
        # The wall clock keeps fences in order even when the file itself was deleted; nothing
        # expires by it.
        fence = max(row[2] if row is not None else 0, time.time_ns() // 1000)  # noqa: TID251
        execute(SQL["reserve"], (boot, fence, fence + BLOCK))

    def reserve_above(self, fence: int) -> None:
        """Have a block of fences above ``fence`` on the disk, so that they may be given out.

        Raises:
            EngineError: as :meth:`write`.
        """

        def reserve(execute: Execute) -> None:
            boot, last, reserved = execute(SQL["read_epoch"]).fetchone()
            execute(SQL["reserve"], (boot, last, max(last, reserved, fence) + BLOCK))

        try:
            self._ensure_open()
            self._execute("PRAGMA synchronous = FULL")
            try:
                self._transact(reserve)
            finally:
                self._execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error as exc:
            raise self._explain(exc) from exc
