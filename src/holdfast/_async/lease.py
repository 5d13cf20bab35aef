# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""A grant as its holder sees it: it ends."""

from __future__ import annotations

from holdfast._runtime import aio as rt
from holdfast._runtime.clock import clock

from .tenure import AsyncTenure


class AsyncLease:
    """A resource that is held, until it is released or lost.

    What it promises: until ``remaining`` is 0, the engine gives the resource to nobody else. What
    it cannot promise: that this process is not paused between a look at ``remaining`` and the
    write that follows. Only a guard at the data, which refuses old fences, can.

    A lease may be used and released by another thread or task than the one that acquired it. One
    that is dropped without a release is not renewed any more, and ends with its ttl.
    """

    __slots__ = ("__weakref__", "_tenure")

    def __init__(self, tenure: AsyncTenure) -> None:
        self._tenure = tenure

    def __repr__(self) -> str:
        word = self._tenure.word if self.held or not self._tenure.held else "ended"
        return f"<{type(self).__name__} {self.name!r} fence={self.fence} {word}>"

    @property
    def name(self) -> str:
        """The name that was asked for."""
        return self._tenure.name

    @property
    def fence(self) -> int:
        """Larger than that of every earlier grant of the resource: hand it to what you write to."""
        return self._tenure.ref.fence

    @property
    def ttl(self) -> float:
        """Seconds after which the engine frees the lease if nobody renews it."""
        return self._tenure.ttl

    @property
    def held(self) -> bool:
        """Whether it is neither released nor lost so far. No I/O."""
        return self.remaining > 0

    @property
    def remaining(self) -> float:
        """Seconds for which this process may still trust the lease; 0: it no longer may. No I/O."""
        tenure = self._tenure
        return max(tenure.deadline - clock(), 0.0) if tenure.held_here else 0.0

    @property
    def lost(self) -> rt.Event:
        """An event that is set when the lease is lost; it can also be used as a truth value."""
        return self._tenure.lost

    def check(self) -> None:
        """Return if the lease can still be trusted. No I/O.

        Raises:
            LeaseLost: it no longer can.
            NotHeld: it was released.
        """
        self._tenure.check()

    async def renew(self) -> None:
        """Prolong the lease now, so that it lasts its whole ttl again.

        Raises:
            LeaseLost: it is lost, or its ``max_hold`` was reached.
            NotHeld: it was released.
            EngineUnavailable: the outcome is unknown; the lease keeps its old deadline.
        """
        await self._tenure.renew()

    async def release(self) -> None:
        """Give the resource back. Whatever comes of it, nothing renews the lease from now on.

        Raises:
            LeaseLost: it had been lost before.
            NotHeld: it was released already.
            EngineUnavailable: the engine did not answer; the lease ends with its ttl.
        """
        await self._tenure.release()


def tenure_of(lease: AsyncLease) -> AsyncTenure:
    """Return what is behind a lease, for the kit that takes leases away."""
    return lease._tenure
