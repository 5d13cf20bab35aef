# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""Where the waiters of this process are woken by other processes of this machine."""

from __future__ import annotations

import logging
import os

from holdfast._runtime import aio as rt
from holdfast._runtime import fork
from holdfast._sqlite.pipes import box_exists, close_box, open_box

log = logging.getLogger("holdfast")


class AsyncMailbox:
    """A bell for every waiter, and one pipe through which others ring them.

    Most claims are granted at once, so a bell is only a flag (has it rung?) until somebody waits.

    Where no pipe can be made, nobody is woken, and waiters find out by looking.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._bells: dict[str, rt.Event | bool] = {}
        self._mutex = rt.Mutex()
        self._address = ""
        self._pipe = -1
        self._rest = b""  # the beginning of a ticket whose end has not been read
        self._reader: rt.Reader | None = None
        self._broken = False
        self._warned = False
        self._closed = False
        fork.register(self)

    def expect(self, ticket: str) -> str:
        """Hang up a bell for the waiter with this ticket; return the address to ring it at."""
        self._bells.setdefault(ticket, False)
        if self._reader is None and not self._broken and not self._closed:
            with self._mutex:
                self._open()
        return self._address

    def _open(self) -> None:
        if self._reader is not None:
            return
        try:
            self._address, self._pipe = open_box(self._folder)
        except FileNotFoundError:
            pass  # there is no folder to make it in, yet: to say so is up to the engine
        except OSError as exc:
            self._broken = True
            if not self._warned:
                self._warned = True
                log.warning("no wake-ups through %s: waiters poll (%s)", self._folder, exc)
        else:
            self._rest = b""
            self._reader = rt.Reader(self._pipe, self._ring)

    def _ring(self, data: bytes) -> None:
        *tickets, self._rest = (self._rest + data).split(b"\n")
        with self._mutex:
            for ticket in (each.decode("ascii", "replace") for each in tickets):
                bell = self._bells.get(ticket)
                if isinstance(bell, rt.Event):
                    bell.set()
                elif bell is not None:
                    self._bells[ticket] = True

    async def wait(self, ticket: str, timeout: float) -> None:
        """Wait for the bell, ``timeout`` seconds at most."""
        with self._mutex:
            bell = self._bells[ticket]
            if bell is True:
                self._bells[ticket] = False
                return
            if not isinstance(bell, rt.Event):
                bell = self._bells[ticket] = rt.Event()
        if not await bell.wait(timeout):
            self._look_after_pipe()
        bell.clear()

    def _look_after_pipe(self) -> None:
        """Have a new one made for the next claim if there is none, or if somebody removed it."""
        with self._mutex:
            self._broken = False
            reader = self._reader
            if reader is None or box_exists(self._folder, self._address):
                return
            self._reader = None
            self._address = ""
        reader.stop()

    def forget(self, ticket: str) -> None:
        """Take the bell away."""
        with self._mutex:
            self._bells.pop(ticket, None)

    def ring_all(self) -> None:
        """Ring all bells that somebody waits for."""
        with self._mutex:
            for bell in self._bells.values():
                if isinstance(bell, rt.Event):
                    bell.set()

    def close(self) -> None:
        """Take the pipe away."""
        with self._mutex:
            self._closed = True
            reader, self._reader = self._reader, None
        if reader is not None:
            close_box(self._folder, self._address)
            reader.stop()

    def after_fork(self) -> None:
        """Let go of the parent's pipe, so that its death can be noticed while this child lives."""
        if self._reader is not None:
            os.close(self._pipe)
            self._reader = None
