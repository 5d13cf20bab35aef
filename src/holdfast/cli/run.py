"""``holdfast run``: a command under a lock."""

from __future__ import annotations

import os
import socket
from argparse import Namespace
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.errors import (
    AcquireTimeout,
    CapabilityError,
    EngineError,
    LeaseLost,
    ResourceConflict,
)

from . import status
from .child import is_missing, owns_the_terminal
from .messages import keep_quiet, say, say_what_is_logged
from .signals import Interrupted, Mailbox, Signals
from .supervisor import Supervisor

if TYPE_CHECKING:
    from holdfast._sync.client import Client
    from holdfast._sync.lease import Lease
    from holdfast._sync.lock import Lock


def main(args: Namespace) -> int:
    """Acquire, run, release; return the exit status."""
    keep_quiet()
    try:
        with Signals() as signals:
            return _run(args, signals)
    except Interrupted as interrupted:
        return status.signalled(interrupted.number)


def _run(args: Namespace, signals: Signals) -> int:
    if is_missing(args.argv[0]):
        say(f"cannot run {args.argv[0]!r}: no such command")
        return status.NOT_FOUND
    mailbox = Mailbox()
    try:
        client, lock = _describe(args, mailbox)
        grace = _grace(args)
    except (ValueError, TypeError, CapabilityError) as exc:
        say(str(exc))
        return status.USAGE
    try:
        return _hold(lock, args, grace, mailbox, signals)
    finally:
        # A lease that was granted in the very moment of a signal is released here at the latest.
        with suppress(EngineError):  # the command has run; what is left ends with its ttl
            client.close()


def _grace(args: Namespace) -> float:
    grace: float = args.ttl / 3 if args.grace is None else args.grace
    if not 0 <= grace <= args.ttl / 2:
        raise ValueError(
            "grace must be from 0 to half of the ttl: a command is stopped while its lease still "
            "holds, and a renewal must have had its chance before"
        )
    return grace


def _describe(args: Namespace, mailbox: Mailbox) -> tuple[Client, Lock]:
    from holdfast._sync.client import Client

    client = Client(args.url, require=("processes",))  # another one would lock nothing
    lock = client.lock(
        args.name,
        ttl=args.ttl,
        wait=args.wait,
        on_lost=mailbox.put,
        # The program's name, but not its arguments: they may hold secrets.
        info={
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "command": os.path.basename(args.argv[0]),
        },
    )
    return client, lock


def _hold(lock: Lock, args: Namespace, grace: float, mailbox: Mailbox, signals: Signals) -> int:
    try:
        lease = lock.acquire()
    except AcquireTimeout as busy:
        say(_busy(busy))
        return status.BUSY
    except ResourceConflict as exc:
        say(str(exc))
        return status.USAGE
    except (EngineError, CapabilityError) as exc:  # the latter: a file system that cannot do it
        say(f"cannot get {args.name!r}: {exc}")
        return status.UNAVAILABLE
    say_what_is_logged()
    supervisor = Supervisor(lease, grace, mailbox, signals)
    code = supervisor.run(args.argv, own_group=not owns_the_terminal())
    return _let_go(lease, code)


def _let_go(lease: Lease, code: int) -> int:
    """Release the lease and return the exit status.

    A command that has succeeded may have done so without the lock, if that was lost before we
    noticed: then it has not succeeded. One that has failed keeps its own status.
    """
    try:
        lease.release()
    except LeaseLost as lost:
        if code != status.LOST:
            say(str(lost))
        return code or status.LOST
    except EngineError as exc:
        say(f"could not release {lease.name!r}, it ends with its ttl: {exc}")
    return code


def _busy(busy: AcquireTimeout) -> str:
    holder = busy.holder or {}
    by = [
        f"{word} {holder[key]}"
        for word, key in (("by", "command"), ("pid", "pid"), ("on", "host"))
        if key in holder
    ]
    waited = f" after {busy.waited:.1f} s" if busy.waited >= 0.1 else ""
    return f"{busy.name!r} is still held{waited}" + (f": {', '.join(by)}" if by else "")
