"""What the tests of the SQLite engine share: other processes, and a look into the file."""

from __future__ import annotations

import json
import os
import queue
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from holdfast import Client
from holdfast._sqlite.database import LOOK_EVERY

WORKERS = Path(__file__).parent / "workers"

#: Long enough for anything on a busy machine; who waits so long has failed.
LIMIT = 30.0


def sqlite_url(path: Path, **options: object) -> str:
    """The URL of the lock file at ``path``."""
    query = "&".join(f"{name}={value}" for name, value in options.items())
    return f"sqlite://{quote(str(path))}" + (f"?{query}" if query else "")


def until(condition: Callable[[], object], limit: float = LIMIT) -> None:
    """Wait until ``condition`` holds, for what has no event to wait for."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, "it has not come about in time"
        time.sleep(0.005)


def waiters(client: Client, name: str) -> int:
    """How many wait for ``name``."""
    snapshot = client.inspect(name)
    return 0 if snapshot is None else snapshot.waiters


def assert_works(client: Client) -> None:
    """It can be acquired and released."""
    with client.lock("works", wait=5):
        pass


# --- the file -------------------------------------------------------------------------------------


@contextmanager
def opened(path: Path) -> Generator[sqlite3.Connection, None, None]:
    """A connection beside the engine's. Never ``open()`` the file: closing it drops all locks."""
    with closing(sqlite3.connect(path, timeout=LIMIT, isolation_level=None)) as connection:
        yield connection


def query(path: Path, sql: str, parameters: tuple[object, ...] = ()) -> list[Any]:
    """Run one statement beside the engine."""
    with opened(path) as connection:
        return connection.execute(sql, parameters).fetchall()


def epoch(path: Path) -> tuple[str, int, int]:
    """The boot, the last fence and the last reserved fence."""
    [(boot, fence, reserved)] = query(path, "SELECT boot, fence, reserved FROM epoch")
    return boot, fence, reserved


def assert_sound(path: Path) -> None:
    """Nothing in the file is damaged."""
    assert query(path, "PRAGMA integrity_check") == [("ok",)]


def until_looked() -> None:
    """Wait until whoever has just looked at which file is there looks again."""
    time.sleep(2 * LOOK_EVERY)


def remove_database(path: Path) -> None:
    """Delete the file and what SQLite keeps beside it, as ``rm locks.db*`` does."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


# --- other processes ------------------------------------------------------------------------------


def start(
    worker: str, *arguments: object, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[str]:
    """Start one of the scripts in ``workers/``."""
    command = [sys.executable, str(WORKERS / f"{worker}.py"), *map(str, arguments)]
    environment = {**os.environ, **(env or {})}
    return subprocess.Popen(command, text=True, env=environment, **options)


def run(worker: str, *arguments: object, quiet: bool = True, **options: Any) -> str:
    """Run a script in ``workers/`` to its end, which must be a good one; return what it printed.

    Unless it is ``quiet``, it may say on its standard error that the machine is busy.
    """
    with start(
        worker, *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    ) as process:
        try:
            out, err = process.communicate(timeout=4 * LIMIT)
        except BaseException:
            process.kill()
            raise
    assert process.returncode == 0, err
    assert not quiet or err == ""
    return out


class Peer:
    """Another process with a client of its own, which does what it is told."""

    def __init__(self, url: str, env: Mapping[str, str] | None = None) -> None:
        self.process = start(
            "peer",
            url,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.pid = self.process.pid
        self._answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self.answer() == {"ready": True}

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._answers.put(json.loads(line))
        self._answers.put({"error": "it has ended"})

    def send(self, do: str, **arguments: object) -> None:
        """Have it start something; :meth:`answer` says what came of it."""
        assert self.process.stdin is not None
        print(json.dumps({"do": do, **arguments}), file=self.process.stdin, flush=True)

    def answer(self, limit: float = LIMIT) -> dict[str, Any]:
        """Wait for the end of what was asked for first."""
        return self._answers.get(timeout=limit)

    @property
    def silent(self) -> bool:
        """Whether it is still busy with what it was asked for."""
        return self._answers.empty()

    def do(self, do: str, **arguments: object) -> dict[str, Any]:
        """Have it do something to its end; an error there is an error here."""
        self.send(do, **arguments)
        answer = self.answer()
        assert "error" not in answer, answer
        return answer

    def acquire(self, name: str, **options: object) -> int:
        """Have it acquire ``name``; return the fence."""
        fence = self.do("acquire", name=name, **options)["fence"]
        assert isinstance(fence, int)
        return fence

    def release(self, name: str) -> None:
        """Have it release ``name``."""
        self.do("release", name=name)

    def stop(self) -> None:
        """Freeze it, as a debugger or a suspended container does."""
        os.kill(self.pid, signal.SIGSTOP)
        until(lambda: state_of(self.pid) == "T")

    def resume(self) -> None:
        """Let a frozen one go on."""
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """End it as the kernel does when memory is short: nothing is cleaned up."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """End it, whatever it is doing."""
        self.kill()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


def state_of(pid: int) -> str:
    """One letter from the kernel: R runs, S sleeps, T is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def cpu_seconds(pid: int) -> float:
    """The processor time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def missing_tool(reason: str) -> None:
    """Skip on a user's machine; fail in CI, which must have all tools."""
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; CI must have it")
    pytest.skip(reason)
