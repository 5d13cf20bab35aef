# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""A reply that is lost: what was asked may or may not have been done."""

from __future__ import annotations

from functools import partial

import pytest

from holdfast._core.model import Busy, Grant, Ref
from holdfast.errors import EngineUnavailable
from holdfast.testing.faults import Faults
from holdfast.testing.twins import threads as kit

from .base import (
    LONG,
    Base,
    MakeClient,
    MakeEngine,
    claim_of,
)


class AmbiguityContract(Base):
    """A reply that is lost: what was asked may or may not have been done."""

    @kit.scenario
    def test_acquire_is_idempotent_on_its_owner(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        first = engine.try_acquire(claim_of("a", "me"))
        again = engine.try_acquire(claim_of("a", "me"))
        assert isinstance(first, Grant)
        assert first == again
        assert isinstance(engine.try_acquire(claim_of("a", "you")), Busy)
        assert engine.release(Ref("lock:a", "me", first.fence))
        engine.close()

    @kit.scenario
    def test_renew_and_release_are_idempotent_on_their_owner(
        self, make_engine: MakeEngine
    ) -> None:
        engine = make_engine()
        grant = engine.try_acquire(claim_of("a", "me"))
        assert isinstance(grant, Grant)
        ref = Ref("lock:a", "me", grant.fence)
        assert engine.renew(ref, LONG) == grant
        assert engine.renew(ref, LONG) == grant
        assert engine.renew_many([(ref, LONG), (Ref("lock:b", "me"), LONG)]) == [grant, None]
        assert engine.release(ref) is True
        assert engine.release(ref) is False
        engine.close()

    @kit.scenario
    def test_only_its_owner_renews_or_releases_a_lease(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        grant = engine.try_acquire(claim_of("a", "me"))
        assert isinstance(grant, Grant)
        stranger = Ref("lock:a", "you", grant.fence)
        assert engine.renew(stranger, LONG) is None
        assert engine.release(stranger) is False
        busy = engine.try_acquire(claim_of("a", "you"))
        assert isinstance(busy, Busy)
        seen = engine.inspect("lock:a")
        assert seen is not None
        assert [each.fence for each in seen.holders] == [grant.fence]
        engine.close()

    @kit.scenario
    def test_an_acquire_whose_reply_is_lost_leaves_nothing(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            faults.lose_reply("acquire")
            with pytest.raises(EngineUnavailable):
                client.lock("a", ttl=LONG).try_acquire()
            assert client.inspect("a") is None
            faults.lose_reply("acquire")
            with pytest.raises(EngineUnavailable):
                client.lock("a", ttl=LONG).acquire(wait=LONG)
            assert client.inspect("a") is None

    @kit.scenario
    def test_a_waiter_whose_reply_is_lost_finds_its_own_grant(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            holder = client.lock("a", ttl=LONG).acquire()
            faults.before("wait", holder.release)
            faults.before("wait", partial(faults.lose_reply, "acquire"))
            lease = client.lock("a", ttl=LONG).acquire(wait=LONG)
            snapshot = client.inspect("a")
            assert snapshot is not None
            assert [each.fence for each in snapshot.holders] == [lease.fence]
            lease.release()
            assert client.inspect("a") is None

    @kit.scenario
    def test_a_release_whose_reply_is_lost_may_be_repeated(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            with client.lock("a", ttl=LONG) as lease:
                faults.lose_reply("release")
            assert not lease.held
            assert client.inspect("a") is None

    @kit.scenario
    def test_a_grant_found_again_is_trusted_from_its_first_request_on(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            holder = client.lock("a", ttl=LONG).acquire()
            faults.before("wait", holder.release)
            faults.before("wait", partial(faults.lose_reply, "acquire"))
            faults.before("wait", partial(faults.slow_reply, "acquire", 0.3))
            lease = client.lock("a", ttl=LONG).acquire(wait=LONG)
            seen = client.inspect("a")
            assert seen is not None
            assert lease.remaining < seen.holders[0].remaining
            lease.release()
