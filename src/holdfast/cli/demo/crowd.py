"""The buyers' processes: started, talked to, paused, and in the end all gone."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

LOG = "buyers.log"

#: Seconds that the buyers have to end by themselves.
FAREWELL = 3.0


class DemoFailed(Exception):
    """The demo could not be played to its end."""


class Process:
    """One buyer's process."""

    def __init__(self, number: int, folder: str) -> None:
        self.number = number
        with open(os.path.join(folder, LOG), "ab") as log:
            self._popen = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    f"{__package__}.buyer",
                    str(os.getpid()),
                    str(number),
                    folder,
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,  # so that a pipe can be closed even if nobody reads it any more
                process_group=0,  # the keyboard's Ctrl-C is for us; we stop the buyers then
            )
        self.pid = self._popen.pid
        self._unread = b""

    def tell(self, do: str, **arguments: Any) -> None:
        """Tell the buyer what to do.

        Raises:
            DemoFailed: it has ended.
        """
        assert self._popen.stdin is not None
        try:
            self._popen.stdin.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
        except BrokenPipeError:
            raise DemoFailed(f"buyer {self.number} has ended by itself") from None

    def hear(self, deadline: float) -> dict[str, Any]:
        """Return its next answer.

        Raises:
            DemoFailed: it has ended, or has not answered until ``deadline``.
        """
        assert self._popen.stdout is not None
        pipe = self._popen.stdout.fileno()
        while b"\n" not in self._unread:
            if not select.select([pipe], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise DemoFailed(f"buyer {self.number} did not answer in time")
            data = os.read(pipe, 65536)
            if not data:
                raise DemoFailed(f"buyer {self.number} has ended by itself")
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def pause(self) -> None:
        """Stop it where it is, and return when it has really stopped.

        Raises:
            DemoFailed: it has ended instead.
        """
        os.kill(self.pid, signal.SIGSTOP)
        _, status = os.waitpid(self.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            self._popen.returncode = os.waitstatus_to_exitcode(status)
            raise DemoFailed(f"buyer {self.number} has ended by itself")

    def go_on(self) -> None:
        """Continue it after a pause."""
        os.kill(self.pid, signal.SIGCONT)

    def end(self) -> None:
        """Have it end by itself, which it does when its input ends."""
        assert self._popen.stdin is not None
        self._popen.stdin.close()

    def wait(self, deadline: float) -> None:
        """Wait for its end; at the deadline kill it, paused or not."""
        try:
            self._popen.wait(max(deadline - time.monotonic(), 0))
        except subprocess.TimeoutExpired:
            self._popen.send_signal(signal.SIGCONT)
            self._popen.kill()
            self._popen.wait()
        assert self._popen.stdout is not None
        self._popen.stdout.close()


class Crowd:
    """All buyers; when the ``with`` block is left, none of them is."""

    def __init__(self, size: int, folder: str) -> None:
        self._folder = folder
        self._size = size
        self.buyers: list[Process] = []

    def __enter__(self) -> Crowd:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for buyer in self.buyers:
            buyer.end()
        # After the last act they have nothing to do. After a failure they may be doing anything.
        deadline = time.monotonic() + (FAREWELL if exc is None else 0)
        for buyer in self.buyers:
            buyer.wait(deadline)

    def assemble(self, deadline: float) -> None:
        """Start all buyers and wait until all are there.

        Raises:
            DemoFailed: one did not come.
            OSError: a process could not be started.
        """
        for number in range(1, self._size + 1):
            self.buyers.append(Process(number, self._folder))
        for buyer in self.buyers:
            buyer.hear(deadline)

    def last_words(self) -> str:
        """The last line that a buyer wrote on its standard error, if any did."""
        lines = Path(self._folder, LOG).read_text("utf-8", "replace").split("\n")
        return next((line for line in reversed(lines) if line.strip()), "")
