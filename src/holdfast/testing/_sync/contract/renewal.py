# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""Renewal keeps a lease, and never makes one."""

from __future__ import annotations

import gc

import pytest

from holdfast._sync.lease import Lease, tenure_of
from holdfast._core.model import Grant, Ref
from holdfast._runtime import threads as rt
from holdfast._runtime.clock import clock
from holdfast.errors import EngineUnavailable, LeaseLost
from holdfast.testing.faults import Faults
from holdfast.testing.twins import threads as kit

from .base import (
    LONG,
    SHORT,
    Base,
    MakeClient,
    MakeEngine,
    claim_of,
    eventually,
)


class RenewalContract(Base):
    """Renewal keeps a lease, and never makes one."""

    @kit.scenario
    def test_renewal_keeps_a_lease_beyond_its_ttl(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            with client.lock("a", ttl=3.0) as lease:
                eventually(lambda: faults.calls["renew"] >= 4)
                lease.check()
                assert client.lock("a").try_acquire() is None

    @kit.scenario
    def test_renewal_never_brings_a_lease_back(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        grant = engine.try_acquire(claim_of("a", "me", ttl=SHORT))
        assert isinstance(grant, Grant)
        ref = Ref("lock:a", "me", grant.fence)
        end = clock() + LONG
        while engine.inspect("lock:a") is not None:
            assert clock() < end
            rt.sleep(0.01)
        assert engine.renew(ref, LONG) is None
        assert engine.inspect("lock:a") is None
        assert engine.release(ref) is False
        engine.close()

    @kit.scenario
    def test_a_broken_lease_is_lost_and_stays_lost(self, make_client: MakeClient) -> None:
        with make_client() as client:
            lease = client.lock("a", ttl=SHORT).acquire()
            broken = client.break_lock("a")
            assert [each.fence for each in broken] == [lease.fence]
            assert lease.lost.wait(LONG)
            assert client.inspect("a") is None
            assert client.break_lock("a") == ()

    @kit.scenario
    def test_an_unknown_renewal_is_tried_again(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            with client.lock("a", ttl=6.0) as lease:
                faults.fail("renew")
                faults.lose_reply("renew")
                eventually(lambda: faults.calls["renew"] >= 3)
                lease.check()

    @kit.scenario
    def test_without_renewal_the_lease_is_kept_until_its_deadline_and_no_longer(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            faults.fail("renew", times=None)
            lease = client.lock("a", ttl=1.0).acquire()
            assert lease.lost.wait(LONG)
            assert faults.calls["renew"] >= 1
            with pytest.raises(LeaseLost, match="could not be renewed in time"):
                lease.check()

    @kit.scenario
    def test_an_engine_that_hangs_cannot_hide_the_loss(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            answer = rt.Event()
            faults.before("renew", answer.wait, times=None)
            lease = client.lock("a", ttl=1.0).acquire()
            other = client.lock("b", ttl=1.5).acquire()
            assert lease.lost.wait(LONG)
            assert other.lost.wait(LONG)
            answer.set()

    @kit.scenario
    def test_nothing_renews_after_the_release(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            with client.lock("a", ttl=SHORT):
                pass
            renewed = faults.calls["renew"]
            rt.sleep(2 * SHORT)
            assert faults.calls["renew"] == renewed

    @kit.scenario
    def test_a_lease_that_its_holder_dropped_is_not_renewed(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            lease: Lease | None = client.lock("a", ttl=1.0).acquire()
            assert lease is not None
            lease = None
            gc.collect()
            with client.lock("a", wait=LONG, ttl=LONG):
                pass

    @kit.scenario
    def test_max_hold_ends_a_lease_that_would_be_renewed(
        self, make_client: MakeClient
    ) -> None:
        with make_client() as client:
            lease = client.lock("a", ttl=SHORT, max_hold=2 * SHORT).acquire()
            assert lease.lost.wait(LONG)
            with pytest.raises(LeaseLost, match="max_hold"):
                lease.check()
            with client.lock("a", wait=LONG):
                pass

    @kit.scenario
    def test_renewal_by_hand(self, make_client: MakeClient, faults: Faults) -> None:
        with make_client() as client:
            lease = client.lock("a", ttl=LONG, renew=False).acquire()
            before = tenure_of(lease).deadline
            lease.renew()
            assert tenure_of(lease).deadline > before
            faults.lose_reply("renew")
            with pytest.raises(EngineUnavailable):
                lease.renew()
            lease.check()
            client.break_lock("a")
            with pytest.raises(LeaseLost):
                lease.renew()
            assert lease.lost

    @kit.scenario
    def test_a_renewal_whose_answer_comes_too_late_is_taken_back(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            lease = client.lock("a", ttl=SHORT, renew=False).acquire()
            faults.slow_reply("renew", 2 * SHORT)
            with pytest.raises(LeaseLost):
                lease.renew()
            assert client.inspect("a") is None

    @kit.scenario
    def test_nothing_renews_after_max_hold(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            lease = client.lock("a", ttl=LONG, max_hold=0.01).acquire()
            rt.sleep(0.05)
            with pytest.raises(LeaseLost, match="max_hold"):
                lease.renew()
            assert faults.calls["renew"] == 0
