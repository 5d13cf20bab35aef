"""The command that runs under the lock: a process, or a whole process group."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

#: How often to look whether a group has gone: nobody tells us of the end of a grandchild.
LOOK_EVERY = 0.02


def is_missing(command: str) -> bool:
    """Whether there is certainly no such command, so that nobody waits for a lock in vain."""
    return shutil.which(command, mode=os.F_OK) is None and not os.path.isdir(command)


def owns_the_terminal() -> bool:
    """Whether the keyboard's Ctrl-C reaches us and all that we start in our process group."""
    try:
        return os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


class Child:
    """A started command.

    At the terminal it stays in our process group, so that it can use the terminal and the signals
    of the keyboard reach it; a signal from us then goes to it alone. Otherwise it leads a group of
    its own, and a signal goes to the whole of it. On Linux it dies with us, even if we are killed.

    Must be started by the main thread: for the kernel it is that thread on whose end it dies.
    """

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], own_group: bool) -> None:
        """Start the command.

        Raises:
            OSError: not even the shim in front of it could be started.
        """
        shim = str(Path(__file__).with_name("shim.py"))
        self.own_group = own_group
        self.status: int | None = None  # as waitpid has it, once it has ended
        # SIGINT is blocked until the shim is rid of Python's handler, which prints a traceback.
        # Descriptors that we were given are handed on; our own are closed by the exec.
        self.pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", shim, str(os.getpid()), *argv],
            env,
            setsigmask=[signal.SIGINT],
            setpgroup=0 if own_group else os.getpgrp(),
        )

    def poll(self) -> bool:
        """Whether it has ended; from then on its pid is nobody's."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None

    def send(self, *numbers: int) -> None:
        """Send signals to the command, one after the other, and to its group if that is its own."""
        if self.poll():
            return
        for number in numbers:
            try:
                if self.own_group:
                    os.killpg(self.pid, number)
                else:
                    os.kill(self.pid, number)
            except (ProcessLookupError, PermissionError):
                pass  # another user's by now: sudo passes a signal on by itself

    def stop(self) -> None:
        """Ask it to end, also if it is paused."""
        self.send(signal.SIGTERM, signal.SIGCONT)

    def clear_away(self, seconds: float) -> None:
        """Wait for what is left of its group after its end; after ``seconds`` kill it."""
        if not self.own_group:
            return
        deadline = time.monotonic() + seconds
        number = 0  # only asks whether anybody is there
        while True:
            # The number cannot be another group's: it stays taken as long as this one has a member.
            try:
                os.killpg(self.pid, number)
            except (ProcessLookupError, PermissionError):
                return
            if number == signal.SIGKILL:
                return
            if time.monotonic() >= deadline:
                number = signal.SIGKILL
            else:
                time.sleep(LOOK_EVERY)
