"""Starts ``holdfast`` as its users do: as a process, with pipes or with a terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from holdfast import Client

#: Far longer than anything takes: who waits so long has waited in vain.
LIMIT = 60.0

HOLDFAST = [sys.executable, "-m", "holdfast"]


class Running:
    """A ``holdfast`` that runs. Its output ends when it and all that it started are gone."""

    def __init__(
        self, *args: str, env: Mapping[str, str] | None = None, fds: tuple[int, ...] = ()
    ) -> None:
        self.process = subprocess.Popen(
            [*HOLDFAST, *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=None if env is None else {**os.environ, **env},
            pass_fds=fds,
        )
        self.pid = self.process.pid

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:  # a test that failed, or one that had enough
            _kill_groups_below(self.pid)
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def line(self) -> str:
        """The next line of its standard output; empty when there is none any more."""
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], LIMIT)[0], "it said nothing"
        return self.process.stdout.readline().rstrip("\n")

    def send(self, number: int) -> None:
        self.process.send_signal(number)

    def wait_until_stopped(self) -> None:
        _, status = os.waitpid(self.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)

    def finish(self) -> tuple[int, str, str]:
        """Wait for the end: the exit status, the rest of its output, and its errors."""
        out, err = self.process.communicate(timeout=LIMIT)
        assert "Traceback" not in err, err
        return self.process.returncode, out, err


def _kill_groups_below(pid: int) -> None:
    """Kill the commands of a runner with all their helpers, which would outlive its own death."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    for child in children.read_text().split() if children.exists() else ():
        with suppress(ProcessLookupError):
            os.killpg(int(child), signal.SIGKILL)


def holdfast(*args: str, env: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Run ``holdfast`` to its end: the exit status, output and errors."""
    with Running(*args, env=env) as running:
        return running.finish()


# Runs at the other end of a new terminal, as its session leader and in its foreground.
_LOGIN = "import os, sys; os.login_tty(int(sys.argv[1])); os.execv(sys.argv[2], sys.argv[2:])"


class Terminal:
    """A ``holdfast`` that runs at a terminal of its own, and the keyboard and screen of that."""

    def __init__(self, *args: str, env: Mapping[str, str] | None = None) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _LOGIN, str(slave), *HOLDFAST, *args],
            env={**os.environ, "TERM": "xterm", **(env or {})},
            pass_fds=[slave],
        )
        os.close(slave)
        self.screen = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self._master)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def read_until(self, text: str) -> None:
        """Wait until the screen shows ``text``; everything that it showed is in ``screen``."""
        while text not in self.screen:
            assert self._read(), self.screen

    def finish(self) -> int:
        """Wait for the end; return the exit status."""
        while self._read():
            pass
        return self.process.wait(LIMIT)

    def wait_until_stopped(self) -> None:
        _, status = os.waitpid(self.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)

    def _read(self) -> bool:
        assert select.select([self._master], [], [], LIMIT)[0], self.screen
        try:
            data = os.read(self._master, 4096)
        except OSError:  # how Linux says that nobody has the other end open any more
            return False
        self.screen += data.decode()
        return bool(data)


def until(condition: Callable[[], object]) -> None:
    """Look again and again until ``condition()`` is true: for what nobody can be told of."""
    deadline = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


def wait_for_waiter(client: Client, name: str) -> None:
    """Return when somebody waits in the queue for ``name``."""

    def waits() -> bool:
        snapshot = client.inspect(name)
        return snapshot is not None and snapshot.waiters > 0

    until(waits)
