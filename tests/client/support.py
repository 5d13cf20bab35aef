"""What the tests of the client have in common."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable


def in_a_child(work: Callable[[], object]) -> int:
    """Fork, call ``work`` in the child, and return its exit status; 0 if it returned."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs must not outlive its test
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
