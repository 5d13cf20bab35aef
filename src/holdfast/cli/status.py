"""Exit statuses: those of sysexits.h where one fits, those of the shell where it has its own."""

from __future__ import annotations

FAILED = 1
USAGE = 2
UNAVAILABLE = 69  # EX_UNAVAILABLE: the engine did not answer, or refused
INTERNAL = 70  # EX_SOFTWARE
BUSY = 75  # EX_TEMPFAIL: somebody else holds the lock; try again later
LOST = 76  # EX_PROTOCOL: the lease was lost while the command ran
CANNOT_EXECUTE = 126
NOT_FOUND = 127


def signalled(number: int) -> int:
    """The status of what was ended by a signal, as shells have it."""
    return 128 + number
