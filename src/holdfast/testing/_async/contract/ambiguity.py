# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""A reply that is lost: what was asked may or may not have been done."""

from __future__ import annotations

from functools import partial

import pytest

from holdfast._core.model import Busy, Grant, Ref
from holdfast.errors import EngineUnavailable
from holdfast.testing.faults import Faults
from holdfast.testing.twins import aio as kit

from .base import (
    LONG,
    AsyncBase,
    MakeClient,
    MakeEngine,
    claim_of,
)


class AsyncAmbiguityContract(AsyncBase):
    """A reply that is lost: what was asked may or may not have been done."""

    @kit.scenario
    async def test_acquire_is_idempotent_on_its_owner(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        first = await engine.try_acquire(claim_of("a", "me"))
        again = await engine.try_acquire(claim_of("a", "me"))
        assert isinstance(first, Grant)
        assert first == again
        assert isinstance(await engine.try_acquire(claim_of("a", "you")), Busy)
        assert await engine.release(Ref("lock:a", "me", first.fence))
        await engine.aclose()

    @kit.scenario
    async def test_renew_and_release_are_idempotent_on_their_owner(
        self, make_engine: MakeEngine
    ) -> None:
        engine = make_engine()
        grant = await engine.try_acquire(claim_of("a", "me"))
        assert isinstance(grant, Grant)
        ref = Ref("lock:a", "me", grant.fence)
        assert await engine.renew(ref, LONG) == grant
        assert await engine.renew(ref, LONG) == grant
        assert await engine.renew_many([(ref, LONG), (Ref("lock:b", "me"), LONG)]) == [grant, None]
        assert await engine.release(ref) is True
        assert await engine.release(ref) is False
        await engine.aclose()

    @kit.scenario
    async def test_only_its_owner_renews_or_releases_a_lease(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        grant = await engine.try_acquire(claim_of("a", "me"))
        assert isinstance(grant, Grant)
        stranger = Ref("lock:a", "you", grant.fence)
        assert await engine.renew(stranger, LONG) is None
        assert await engine.release(stranger) is False
        busy = await engine.try_acquire(claim_of("a", "you"))
        assert isinstance(busy, Busy)
        seen = await engine.inspect("lock:a")
        assert seen is not None
        assert [each.fence for each in seen.holders] == [grant.fence]
        await engine.aclose()

    @kit.scenario
    async def test_an_acquire_whose_reply_is_lost_leaves_nothing(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            faults.lose_reply("acquire")
            with pytest.raises(EngineUnavailable):
                await client.lock("a", ttl=LONG).try_acquire()
            assert await client.inspect("a") is None
            faults.lose_reply("acquire")
            with pytest.raises(EngineUnavailable):
                await client.lock("a", ttl=LONG).acquire(wait=LONG)
            assert await client.inspect("a") is None

    @kit.scenario
    async def test_a_waiter_whose_reply_is_lost_finds_its_own_grant(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            holder = await client.lock("a", ttl=LONG).acquire()
            faults.before("wait", holder.release)
            faults.before("wait", partial(faults.lose_reply, "acquire"))
            lease = await client.lock("a", ttl=LONG).acquire(wait=LONG)
            snapshot = await client.inspect("a")
            assert snapshot is not None
            assert [each.fence for each in snapshot.holders] == [lease.fence]
            await lease.release()
            assert await client.inspect("a") is None

    @kit.scenario
    async def test_a_release_whose_reply_is_lost_may_be_repeated(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            async with client.lock("a", ttl=LONG) as lease:
                faults.lose_reply("release")
            assert not lease.held
            assert await client.inspect("a") is None

    @kit.scenario
    async def test_a_grant_found_again_is_trusted_from_its_first_request_on(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        async with make_client() as client:
            holder = await client.lock("a", ttl=LONG).acquire()
            faults.before("wait", holder.release)
            faults.before("wait", partial(faults.lose_reply, "acquire"))
            faults.before("wait", partial(faults.slow_reply, "acquire", 0.3))
            lease = await client.lock("a", ttl=LONG).acquire(wait=LONG)
            seen = await client.inspect("a")
            assert seen is not None
            assert lease.remaining < seen.holders[0].remaining
            await lease.release()
