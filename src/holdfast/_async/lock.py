# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""A lock: the description of what to acquire."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from types import EllipsisType, TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from holdfast._core.arguments import Seconds, check_wait
from holdfast._core.model import Busy, Claim
from holdfast._runtime import aio as rt
from holdfast._runtime.clock import clock
from holdfast.errors import AcquireTimeout, EngineError, ResourceConflict

from .acquire import claim_until, new_secret
from .lease import AsyncLease
from .tenure import AsyncTenure

if TYPE_CHECKING:
    from .client import AsyncClient

P = ParamSpec("P")
R = TypeVar("R")


class AsyncDecorator(Protocol):
    """Turns a function into one that runs under a lock, with the same signature."""

    def __call__(self, function: Callable[P, rt.Coro[R]], /) -> Callable[P, rt.Coro[R]]: ...


@dataclass(frozen=True, slots=True)
class LockOptions:
    """What a lock is to do, all of it checked."""

    ttl: float
    wait: float | None
    renew: bool
    max_hold: float | None
    fair: bool
    on_lost: Callable[[Any], object] | None
    info: str | None
    kind: str = "lock"
    weight: int = 1
    capacity: int = 1


class AsyncLock:
    """A description of what to acquire. Any number of tasks or threads may share it, and enter it.

    It can be entered (``async with lock as lease:``), put before a function (``@lock``), or used
    by hand (``acquire``, ``try_acquire``). It is not reentrant: who holds a lock and waits for it
    again waits for itself. Blocks of one task that do not nest, as in generators that take turns,
    need a lock object each.
    """

    __slots__ = ("_client", "_entered", "_options", "name")

    def __init__(self, client: AsyncClient, name: str, options: LockOptions) -> None:
        self.name = name
        self._client = client
        self._options = options
        self._entered: dict[object, list[tuple[AsyncLease, AsyncTenure]]] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} ttl={self._options.ttl}>"

    async def try_acquire(self) -> AsyncLease | None:
        """Make one attempt; None when somebody else holds it.

        Raises:
            ResourceConflict: the name is in use as another kind of thing.
            EngineUnavailable: no answer; nothing is held.
            EngineError: the engine refuses.
        """
        taken = await self._take(0.0)
        return None if isinstance(taken, Busy) else taken[0]

    async def acquire(self, wait: Seconds | EllipsisType | None = ...) -> AsyncLease:
        """Acquire, waiting ``wait`` seconds in all (None: for ever; left out: as the lock says).

        Raises:
            AcquireTimeout: it was not free in time; nothing is held.
            ResourceConflict: the name is in use as another kind of thing.
            EngineUnavailable: no answer; nothing is held.
            EngineError: the engine refuses.
            ValueError, TypeError: the wait is none.
        """
        return (await self._acquire(self._options.wait if wait is ... else check_wait(wait)))[0]

    async def __aenter__(self) -> AsyncLease:
        lease, tenure = await self._acquire(self._options.wait)
        try:
            tenure.enter()
            self._entered.setdefault(rt.current(), []).append((lease, tenure))
        except BaseException:  # interrupted, as by Ctrl-C
            await tenure.release()
            raise
        return lease

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        key: object = rt.current()
        if key not in self._entered and len(self._entered) == 1:
            (key,) = self._entered  # entered by one task and left by another, as fixtures do
        entered = self._entered.get(key)
        if not entered:
            raise RuntimeError(
                f"{self!r} is left where it was not entered, and it is not clear which lease is "
                "meant: make a lock object for each such block"
            )
        _, tenure = entered.pop()
        if not entered:
            del self._entered[key]
        await tenure.leave(exc)

    def __call__(self, function: Callable[P, rt.Coro[R]]) -> Callable[P, rt.Coro[R]]:
        """Have ``function`` run under this lock.

        Raises:
            TypeError: not a function that this lock can wrap.
        """
        rt.check_function(function)

        @wraps(function)
        async def locked(*args: P.args, **kwargs: P.kwargs) -> R:
            async with self:
                return rt.settled(await function(*args, **kwargs))

        return locked

    async def _acquire(self, wait: float | None) -> tuple[AsyncLease, AsyncTenure]:
        started = clock()
        taken = await self._take(wait)
        if isinstance(taken, Busy):
            raise AcquireTimeout(self.name, clock() - started, taken.holder, taken.retry_after)
        return taken

    async def _take(self, wait: float | None) -> tuple[AsyncLease, AsyncTenure] | Busy:
        """Claim; whatever comes of it other than a lease, leave nothing behind."""
        options = self._options
        session = self._client.session()
        owner = new_secret()
        claim = Claim(
            self._client.prefix + self.name,
            owner,
            options.ttl,
            options.kind,
            options.weight,
            options.capacity,
            ticket="" if wait == 0 else owner,  # the first owner, which a queued claim gives up
            fair=options.fair,
            info=rt.holder_info() if options.info is None else options.info,
        )
        session.begin_claim()
        try:
            taken = await claim_until(session, claim, wait)
            if not isinstance(taken, Busy):
                grant, sent_at = taken
                tenure = AsyncTenure(session, self.name, claim, grant)
                lease = AsyncLease(tenure)
                tenure.begin(lease, sent_at, options.renew, options.max_hold, options.on_lost)
                return lease, tenure
            if claim.ticket:
                await session.undo(claim.ref)
            return taken
        except ResourceConflict as exc:
            await session.undo(claim.ref)
            raise ResourceConflict(self.name, exc.wanted, exc.found) from exc
        except BaseException as exc:
            queued = claim.ticket and claim.owner != owner  # it was refused, and so queued, before
            if queued or not (isinstance(exc, EngineError) and exc.nothing_done):
                await session.undo(claim.ref)
            raise
        finally:
            session.end_claim()
