# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""Fences, and what a name stands for."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from holdfast._sync.client import Client
from holdfast._core.model import Grant, Ref
from holdfast._runtime import threads as rt
from holdfast.errors import ResourceConflict
from holdfast.testing.twins import threads as kit

from .base import (
    LONG,
    SHORT,
    Base,
    MakeClient,
    MakeEngine,
    claim_of,
)


class FencingContract(Base):
    """Fences, and what a name stands for."""

    @kit.scenario
    def test_fences_strictly_increase(self, make_engine: MakeEngine) -> None:
        fences: list[int] = []
        for _ in range(3):  # each with connections of its own
            client = Client.from_engine(make_engine)
            for _ in range(3):
                with client.lock("a", ttl=LONG) as lease:
                    fences.append(lease.fence)
            lost = client.lock("a", ttl=SHORT, renew=False).acquire()
            fences.append(lost.fence)
            with client.lock("a", ttl=LONG, wait=LONG) as lease:  # after an expiry
                fences.append(lease.fence)
            lost = client.lock("a", ttl=LONG).acquire()
            fences.append(lost.fence)
            client.break_lock("a")
            with client.lock("a", ttl=LONG) as lease:  # after a break
                fences.append(lease.fence)
            client.close()
        assert fences == sorted(set(fences))

    @kit.scenario
    def test_fences_follow_the_order_of_holding(self, make_client: MakeClient) -> None:
        fences: list[int] = []

        def work(client: Client) -> None:
            for _ in range(5):
                with client.lock("a", ttl=LONG, wait=LONG) as lease:
                    fences.append(lease.fence)

        with make_client() as one, make_client() as other:
            rt.gather([partial(work, client) for client in (one, other) * 4])
        assert len(fences) == 40
        assert fences == sorted(set(fences))

    @kit.scenario
    def test_a_fence_is_larger_than_the_floor(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        first = engine.try_acquire(claim_of("a", "one"))
        assert isinstance(first, Grant)
        engine.release(Ref("lock:a", "one", first.fence))
        floor = first.fence + 5_000_000
        second = engine.try_acquire(claim_of("a", "two", floor=floor))
        assert isinstance(second, Grant)
        assert second.fence > floor
        engine.release(Ref("lock:a", "two", second.fence))
        third = engine.try_acquire(claim_of("a", "three"))
        assert isinstance(third, Grant)
        assert third.fence > second.fence
        engine.close()

    @kit.scenario
    def test_one_name_is_one_kind_of_thing(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        semaphore: dict[str, Any] = {"kind": "semaphore", "capacity": 3}
        engine.try_acquire(claim_of("a", "one", **semaphore))
        with pytest.raises(ResourceConflict):
            engine.try_acquire(claim_of("a", "two"))
        with pytest.raises(ResourceConflict):
            engine.try_acquire(claim_of("a", "two", kind="semaphore", capacity=4))
        assert isinstance(engine.try_acquire(claim_of("a", "two", **semaphore)), Grant)
        client = Client.from_engine(make_engine)
        with pytest.raises(ResourceConflict, match=r"'a' is in use as a semaphore of 3"):
            client.lock("a").acquire()
        client.close()
        engine.close()

    @kit.scenario
    def test_the_live_weights_never_exceed_the_capacity(
        self, make_engine: MakeEngine
    ) -> None:
        engine = make_engine()

        def granted(owner: str, weight: int) -> bool:
            claim = claim_of("a", owner, kind="rw", capacity=3, weight=weight)
            return isinstance(engine.try_acquire(claim), Grant)

        assert granted("reader 1", 1)
        assert granted("reader 2", 1)
        assert not granted("writer", 3)
        assert granted("reader 3", 1)
        assert not granted("reader 4", 1)
        for owner in ("reader 1", "reader 2", "reader 3"):
            assert engine.release(Ref("lock:a", owner))
        assert granted("writer", 3)
        assert not granted("reader 4", 1)
        engine.close()

    @kit.scenario
    def test_no_two_names_share_a_lock(self, make_client: MakeClient) -> None:
        names = [f"order:{number}" for number in range(600)]
        names += ["x" * 511 + end for end in "abc"] + [
            "Order:1",
            "order:1 ",
            "ördér:1",
            "{order}:1",
        ]
        with make_client() as client:
            leases = [client.lock(name, ttl=LONG).try_acquire() for name in names]
            assert None not in leases
            assert {seen.name for seen in client.scan()} == set(names)
            assert [seen.name for seen in client.scan("x")] == names[600:603]
