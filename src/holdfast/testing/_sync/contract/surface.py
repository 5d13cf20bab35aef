# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""What users see: errors, snapshots, decorators, and no secrets."""

from __future__ import annotations

import logging
import os
import pickle
from dataclasses import asdict

import pytest

from holdfast._sync.lease import tenure_of
from holdfast._core.model import Ref
from holdfast.errors import AcquireTimeout, EngineUnavailable, HoldfastError, LeaseLost
from holdfast.testing.faults import Faults
from holdfast.testing.twins import threads as kit

from .base import (
    LONG,
    Base,
    MakeClient,
    claim_of,
)


class SurfaceContract(Base):
    """What users see: errors, snapshots, decorators, and no secrets."""

    @kit.scenario
    def test_no_secret_is_shown(
        self,
        make_client: MakeClient,
        faults: Faults,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        caplog.set_level(logging.DEBUG)
        shown: list[object] = []
        with make_client() as client:
            lock = client.lock("a", ttl=LONG)
            lease = lock.acquire()
            owner = tenure_of(lease).ref.owner
            seen = client.inspect("a")
            assert seen is not None
            shown += [client, lock, lease, seen, asdict(seen), client.health()]
            with pytest.raises(AcquireTimeout) as busy:
                lock.acquire(wait=0)
            client.break_lock("a")
            with pytest.raises(LeaseLost) as lost:
                lease.renew()
            shown += [busy.value, lost.value, claim_of("a", owner), Ref("a", owner)]
            faults.lose_reply("acquire")
            faults.fail("release")
            with pytest.raises(EngineUnavailable) as gone:
                lock.acquire()
            shown.append(gone.value)
        text = caplog.text + "".join(f"{each!r} {each}" for each in shown)
        assert owner
        assert owner not in text

    @kit.scenario
    def test_inspect_scan_and_health(self, make_client: MakeClient) -> None:
        with make_client() as client:
            assert client.inspect("a") is None
            assert [each for each in client.scan()] == []
            with client.lock("a:1", ttl=LONG, info={"job": 7}) as lease:
                with client.lock("b:1", ttl=LONG):
                    seen = client.inspect("a:1")
                    assert seen is not None
                    assert (seen.name, seen.kind, seen.capacity) == ("a:1", "lock", 1)
                    (holder,) = seen.holders
                    assert holder.fence == seen.fence == lease.fence
                    assert holder.info == {"job": 7}
                    assert 0 < holder.remaining <= LONG
                    assert [each.name for each in client.scan()] == ["a:1", "b:1"]
                    assert [each.name for each in client.scan("b")] == ["b:1"]
            health = client.health()
            assert health.ok
            assert health.nodes[0].latency is not None
            with client.lock("c", ttl=LONG):  # what a holder says of itself by default
                seen = client.inspect("c")
                assert seen is not None
                assert seen.holders[0].info["pid"] == os.getpid()

    @kit.scenario
    def test_an_engine_that_is_down_is_unhealthy(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            faults.fail("inspect")
            health = client.health()
            assert not health.ok
            assert health.nodes[0].error

    @kit.scenario
    def test_a_function_can_be_locked(self, make_client: MakeClient) -> None:
        with make_client() as client:

            @client.locked("invoice:{order_id}", ttl=LONG)
            def invoice(order_id: int, copies: int = 1) -> list[str]:
                """Make an invoice."""
                return [seen.name for seen in client.scan()]

            @client.lock("report", ttl=LONG)
            def report() -> list[str]:
                return [seen.name for seen in client.scan()]

            assert invoice(42) == ["invoice:42"]
            assert invoice(copies=2, order_id=7) == ["invoice:7"]
            assert invoice.__doc__ == "Make an invoice."
            assert report() == ["report"]
            assert client.inspect("report") is None

    @kit.scenario
    def test_errors_survive_pickling(self, make_client: MakeClient) -> None:
        with make_client() as client:
            with client.lock("a", ttl=LONG):
                with pytest.raises(AcquireTimeout) as caught:
                    client.lock("a").acquire(wait=0)
        copy = pickle.loads(pickle.dumps(caught.value))
        assert isinstance(copy, HoldfastError)
        assert vars(copy) == vars(caught.value)
        assert str(copy) == str(caught.value)
