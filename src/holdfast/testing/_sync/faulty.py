# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""An engine that does what it is told to do wrong, and otherwise what the engine behind it does."""

from __future__ import annotations

from collections.abc import Iterator, Callable, Iterable
from typing import TypeVar

from holdfast._sync.client import Client
from holdfast._sync.engine import Engine, find_engine
from holdfast._sync.lease import Lease, tenure_of
from holdfast._core.model import Busy, Claim, Grant, Ref, Snapshot
from holdfast._core.urls import parse
from holdfast._runtime import threads as rt
from holdfast.testing.faults import Faults

T = TypeVar("T")


class FaultyEngine(Engine):
    """Wraps an engine, and asks ``faults`` before every call."""

    def __init__(self, engine: Engine, faults: Faults) -> None:
        super().__init__(engine.url)
        self.capabilities = engine.capabilities  # type: ignore[misc]
        self._engine = engine
        self._faults = faults

    def try_acquire(self, claim: Claim) -> Grant | Busy:
        return self._ask("acquire", lambda: self._engine.try_acquire(claim))

    def renew(self, ref: Ref, ttl: float) -> Grant | None:
        return self._ask("renew", lambda: self._engine.renew(ref, ttl))

    def release(self, ref: Ref) -> bool:
        return self._ask("release", lambda: self._engine.release(ref))

    def inspect(self, resource: str) -> Snapshot | None:
        return self._ask("inspect", lambda: self._engine.inspect(resource))

    def wait(self, busy: Busy, timeout: float) -> None:
        self._ask("wait", lambda: self._engine.wait(busy, timeout))

    def wake_all(self) -> None:
        self._engine.wake_all()

    def scan(self, prefix: str) -> Iterator[Snapshot]:
        return self._engine.scan(prefix)

    def close(self) -> None:
        self._engine.close()

    def _ask(self, operation: str, call: Callable[[], T]) -> T:
        faults = self._faults.next(operation)
        for fault in faults:
            rt.sleep(fault.delay)
            if fault.hook is not None:
                rt.call(fault.hook)
            if fault.error is not None and not fault.reply_lost:
                raise fault.error
        result = call()
        for fault in faults:
            rt.sleep(fault.delay_after)
            if fault.error is not None:
                raise fault.error
        return result


def faulty_client(
    faults: Faults, url: str = "memory://", *, prefix: str = "lock:", require: Iterable[str] = ()
) -> Client:
    """Build a client whose engine does what ``faults`` says.

    Raises:
        ValueError, TypeError, CapabilityError: as :class:`Client`.
    """
    parsed = parse(url)
    engine = find_engine(parsed)
    return Client.from_engine(
        lambda: FaultyEngine(engine(parsed), faults), prefix=prefix, require=require
    )


def lose(lease: Lease, reason: str = "a test wanted it so") -> None:
    """Lose a lease now: the engine forgets it, and its holder is told as if it had noticed.

    Raises:
        EngineError: the engine did not answer or refused.
    """
    tenure_of(lease).take_away(reason)


def lose_all(
    client: Client, name: str, reason: str = "a test wanted it so"
) -> int:
    """Lose all leases on ``name`` that ``client`` holds here, as :func:`lose` does.

    For code that keeps its leases to itself. Returns how many there were.

    Raises:
        EngineError: the engine did not answer or refused.
    """
    held = [tenure for tenure in client.session().held() if tenure.name == name]
    for tenure in held:
        tenure.take_away(reason)
    return len(held)
