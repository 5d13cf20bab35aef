"""Watches a command and the lease under which it runs, and ends the one when it loses the other.

Everything that can happen arrives in one mailbox: a signal, the end of the command (which is a
signal too), and the loss of the lease. The main thread sleeps until something does.

The rule for stopping: a command gets SIGTERM ``grace`` seconds before the trust in its lease ends,
and SIGKILL when it does end. So when renewals fail, it is gone before the engine gives the lock to
anybody else. When the lock was taken away, or we were paused for too long, it is too late for that:
SIGTERM follows at once and SIGKILL ``grace`` seconds later, and until then only the fence protects
the data.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from holdfast.errors import LeaseLost

from . import status
from .child import Child
from .messages import say
from .signals import Mailbox, Signals

if TYPE_CHECKING:
    from holdfast._sync.lease import Lease

#: From the keyboard these have already reached a command that shares our terminal.
KEYBOARD = (signal.SIGINT, signal.SIGQUIT)


class Supervisor:
    """Runs one command under one lease."""

    def __init__(self, lease: Lease, grace: float, mailbox: Mailbox, signals: Signals) -> None:
        self._lease = lease
        self._grace = grace
        self._mailbox = mailbox
        self._signals = signals

    def run(self, argv: Sequence[str], *, own_group: bool) -> int:
        """Run the command to its end, with all of its group gone, and return the exit status.

        What was lost is said; ``status.LOST`` is returned only if the command was stopped for it.
        """
        # SIGCHLD first: no end may go unnoticed. SIGTSTP and SIGCONT: see _suspend.
        self._signals.deliver_to(self._mailbox, signal.SIGCHLD, signal.SIGTSTP, signal.SIGCONT)
        try:
            self._lease.check()  # we may have been paused since it was granted
        except LeaseLost:
            return status.LOST
        env = {
            **os.environ,
            "HOLDFAST_NAME": self._lease.name,
            "HOLDFAST_FENCE": str(self._lease.fence),
        }
        try:
            child = Child(argv, env, own_group)
        except OSError as exc:
            say(f"cannot start a process: {exc.strerror}")
            return status.CANNOT_EXECUTE
        stopped = self._watch(child)
        assert child.status is not None
        if stopped:
            return status.LOST
        if os.WIFSIGNALED(child.status):
            # Its helpers are mostly on their way out as well: the lock is kept until they are gone.
            child.clear_away(self._grace)
            return status.signalled(os.WTERMSIG(child.status))
        return os.WEXITSTATUS(child.status)

    def _watch(self, child: Child) -> bool:
        """Wait for the end of the command; return whether it was stopped for want of a lease."""
        while True:
            left = self._lease.remaining - self._grace
            number = self._mailbox.get(max(left, 0.0))
            if child.poll():
                return False
            if self._lease.remaining <= self._grace:  # lost, or not renewed for too long
                self._stop(child)
                return True
            if number == signal.SIGTSTP:
                self._suspend(child)
            else:
                self._pass_on(child, number)

    def _pass_on(self, child: Child, number: int | None) -> None:
        at_the_keyboard = not child.own_group and number in KEYBOARD
        if number and number not in (signal.SIGCHLD, signal.SIGTSTP) and not at_the_keyboard:
            child.send(number)

    def _suspend(self, child: Child) -> None:
        """Stop with the command, as Ctrl-Z asks, and go on with it if the lease has survived.

        A stopped runner renews nothing, so the command must not go on by itself. In a group of its
        own it is continued by us alone, after a look at the lease; in the terminal's group the
        shell continues both at once.
        """
        child.send(signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        # Here we have been continued.
        if self._lease.remaining > self._grace:
            child.send(signal.SIGCONT)

    def _stop(self, child: Child) -> None:
        """End the command: SIGTERM now, SIGKILL after the grace or when the trust ends."""
        remaining = self._lease.remaining
        patience = self._grace
        if remaining:
            # The library has logged why the renewals failed; a loss it has logged itself.
            say(f"the lease on {self._lease.name!r} (fence {self._lease.fence}) is about to end")
            patience = min(self._grace, remaining)
        say(f"stopping the command, which is killed in {patience:.3g} s")
        deadline = time.monotonic() + patience
        child.stop()
        while not child.poll():
            left = deadline - time.monotonic()
            if left <= 0:
                child.send(signal.SIGKILL)
                left = 1.0  # it cannot refuse, but the kernel may need a moment
            self._pass_on(child, self._mailbox.get(left))
        # What is left of its group has the rest of the time.
        child.clear_away(max(deadline - time.monotonic(), 0.0))
