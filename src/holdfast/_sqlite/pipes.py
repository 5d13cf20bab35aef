"""Wake-ups between processes: a named pipe per process, in a folder beside the lock file.

A pipe costs nothing while nobody writes, reaches into containers that share the folder, needs no
port and no name shorter than a socket's, and the kernel says at once when its reader is dead.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets


def open_box(folder: str) -> tuple[str, int]:
    """Make a pipe of this process's own; return its address and its descriptor.

    It appears under its address only once it is open, so that an address without a reader is that
    of a dead process.

    Raises:
        OSError: the folder cannot be made or written.
    """
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, mode=0o700)
    _sweep(folder)
    address = secrets.token_hex(8)
    path = os.path.join(folder, address)
    os.mkfifo(path + ".new", mode=0o600)
    # For writing as well: a pipe without a writer would be at its end, and readable, for ever.
    box = os.open(path + ".new", os.O_RDWR | os.O_NONBLOCK)
    os.rename(path + ".new", path)
    return address, box


def close_box(folder: str, address: str) -> None:
    """Take the pipe away; whoever owns the descriptor closes it."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(os.path.join(folder, address))


def box_exists(folder: str, address: str) -> bool:
    """Whether the pipe is still where others look for it."""
    return os.path.exists(os.path.join(folder, address))


def post(folder: str, address: str, ticket: str) -> bool:
    """Tell the process at ``address`` that the waiter may claim; False when it is gone."""
    if not address:
        return True  # it has no pipe, and looks by itself, in a second
    try:
        pipe = os.open(os.path.join(folder, address), os.O_WRONLY | os.O_NONBLOCK)
    except OSError as exc:
        # Not gone, but another user's: it looks by itself, too.
        return exc.errno not in (errno.ENXIO, errno.ENOENT)
    try:
        if ticket:
            os.write(pipe, ticket.encode("ascii") + b"\n")
    except BlockingIOError:
        pass  # full: its reader has much to do, and looks by itself
    except BrokenPipeError:
        return False
    finally:
        os.close(pipe)
    return True


def _sweep(folder: str) -> None:
    """Remove the pipes of processes that were killed."""
    for entry in os.scandir(folder):
        if not entry.name.endswith(".new") and not post(folder, entry.name, ""):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(entry.path)
