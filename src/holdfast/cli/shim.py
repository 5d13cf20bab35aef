"""Becomes the command, after it was made sure that the command dies with its runner.

This file is run as a program of its own: ``python -I -S shim.py RUNNER_PID CMD [ARG …]``. It does
what has to be done between fork and exec, where a program with threads must not run Python: the
runner has threads that renew its lease. It imports nothing of holdfast, and takes some 20 ms.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Have the kernel kill this process when the thread that started it ends. Linux only.

    The main thread of ``parent`` must have started it. Elsewhere than on Linux nothing happens.
    """
    if sys.platform == "linux":
        try:
            import ctypes

            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        except (ImportError, OSError, AttributeError):  # pragma: no cover - a Python without ctypes
            sys.stderr.write("holdfast: this Python cannot tie the command to its runner\n")
    if os.getppid() != parent:  # it ended before we asked
        os.kill(os.getpid(), signal.SIGKILL)  # pragma: no cover - nobody is left to measure it


def become(argv: list[str]) -> NoReturn:
    """Replace this process by the command, with the signals as a shell would hand them to it.

    Exits with 127 if there is no such command and with 126 if it cannot be executed.
    """
    # What Python has changed for itself; what was ignored before stays ignored (nohup).
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # the runner has blocked it for us
    try:
        os.execvp(argv[0], argv)
    except OSError as exc:
        sys.stderr.write(f"holdfast: cannot run {argv[0]!r}: {exc.strerror}\n")
        sys.exit(127 if isinstance(exc, FileNotFoundError) else 126)


if __name__ == "__main__":  # pragma: no cover - run without what measures it
    die_with(int(sys.argv[1]))
    become(sys.argv[2:])
