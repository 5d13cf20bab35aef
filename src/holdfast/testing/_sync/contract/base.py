# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""What the tests of the contract have in common."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

import pytest

from holdfast._sync.client import Client
from holdfast._sync.engine import Engine
from holdfast._core.model import Claim
from holdfast._runtime import threads as rt
from holdfast._runtime.clock import clock
from holdfast.testing._sync.faulty import FaultyEngine
from holdfast.testing.faults import Faults

#: Long enough for any machine.
LONG = 60.0
#: Short, for what has to end; never for what has to last.
SHORT = 0.3

MakeEngine: TypeAlias = Callable[[], Engine]
MakeClient: TypeAlias = Callable[[], Client]


class Base:
    """The fixtures."""

    @pytest.fixture
    def make_engine(self) -> MakeEngine:
        """Return a function that builds engines on one fresh store. Override it."""
        raise NotImplementedError("override the fixture make_engine")

    @pytest.fixture
    def faults(self) -> Faults:
        """What goes wrong in the clients of ``make_client``."""
        return Faults()

    @pytest.fixture
    def make_client(self, make_engine: MakeEngine, faults: Faults) -> MakeClient:
        """Return a function that builds clients, each with connections of its own."""
        return lambda: Client.from_engine(lambda: FaultyEngine(make_engine(), faults))


def claim_of(name: str, owner: str, ttl: float = LONG, **fields: Any) -> Claim:
    """Return a claim as an engine sees it."""
    return Claim(f"lock:{name}", owner, ttl, **fields)


def no_poll(random: Random) -> float:
    """Stand in for the poll that covers lost messages, so that only a wake-up can help."""
    return LONG


def eventually(condition: Callable[[], object]) -> None:
    """Wait until ``condition()`` is true."""
    end = clock() + LONG
    while not condition():
        assert clock() < end, "it did not happen"
        rt.sleep(0.005)


def until_waiters(client: Client, name: str, count: int) -> None:
    """Wait until so many wait for ``name``."""
    end = clock() + LONG
    while (seen := client.inspect(name)) is None or seen.waiters < count:
        assert clock() < end, "nobody queued up"
        rt.sleep(0.005)
