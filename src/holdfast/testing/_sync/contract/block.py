# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""What happens at the ends of a block: nothing leaks, nothing is hidden, losses are told."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.errors import AcquireTimeout, EngineError, EngineUnavailable, LeaseLost, NotHeld
from holdfast.testing._sync.faulty import lose
from holdfast.testing.faults import Faults
from holdfast.testing.twins import threads as kit

from .base import (
    LONG,
    SHORT,
    Base,
    MakeClient,
    eventually,
)


class Interruption(BaseException):
    """Stands for Ctrl-C, which those who run tests take for their own."""


class BlockContract(Base):
    """What happens at the ends of a block: nothing leaks, nothing is hidden, losses are told."""

    @kit.scenario
    def test_an_acquire_that_times_out_leaves_no_waiter(
        self, make_client: MakeClient
    ) -> None:
        with make_client() as one, make_client() as other:
            with one.lock("a", ttl=LONG, info={"who": "me"}) as lease:
                with pytest.raises(AcquireTimeout) as caught:
                    other.lock("a").acquire(wait=0.1)
                assert caught.value.name == "a"
                assert caught.value.waited >= 0.1
                assert caught.value.holder == {"who": "me"}
                assert caught.value.retry_after is not None
                assert 0 < caught.value.retry_after <= LONG
                seen = one.inspect("a")
                assert seen is not None
                assert seen.waiters == 0
                assert seen.fence == lease.fence

    @kit.scenario
    def test_any_error_in_an_acquire_is_cleaned_up_after(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            faults.lose_reply("acquire", error=RuntimeError("a driver's own"))
            with pytest.raises(RuntimeError, match="a driver's own"):
                client.lock("a", ttl=LONG).acquire()
            assert client.inspect("a") is None

    @kit.scenario
    def test_a_failed_clean_up_does_not_hide_the_cause(
        self,
        make_client: MakeClient,
        faults: Faults,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        with make_client() as client:
            faults.lose_reply("acquire", error=RuntimeError("the cause"))
            faults.fail("release")
            with pytest.raises(RuntimeError, match="the cause"):
                client.lock("a", ttl=SHORT).acquire()
            assert "could not clean up" in caplog.text
            with client.lock("a", wait=LONG):
                pass

    @kit.scenario
    def test_the_body_does_not_run_without_the_lease(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        ran = False
        with make_client() as client:
            with client.lock("a", ttl=LONG):
                with pytest.raises(AcquireTimeout):
                    with client.lock("a", wait=0):
                        ran = True
            faults.fail("acquire")
            with pytest.raises(EngineUnavailable):
                with client.lock("a"):
                    ran = True
        assert not ran

    @kit.scenario
    def test_the_lease_is_given_back_at_the_end_of_the_block(
        self, make_client: MakeClient
    ) -> None:
        with make_client() as client:
            with client.lock("a", ttl=LONG) as lease:
                assert lease.held
            assert not lease.held
            assert client.inspect("a") is None
            with pytest.raises(ValueError, match="of the body"):
                with client.lock("a", ttl=LONG):
                    raise ValueError("of the body")
            assert client.inspect("a") is None

    @kit.scenario
    def test_a_loss_is_raised_at_the_end_of_the_block_at_the_latest(
        self, make_client: MakeClient
    ) -> None:
        with make_client() as client:
            with pytest.raises(LeaseLost) as caught:
                with client.lock("a", ttl=LONG):
                    assert client.break_lock("a")
            assert caught.value.name == "a"
            assert caught.value.fence > 0
            lease = client.lock("a", ttl=LONG).acquire()
            client.break_lock("a")
            with pytest.raises(LeaseLost):
                lease.release()
            assert lease.lost

    @kit.scenario
    def test_what_the_body_raises_is_never_hidden(
        self,
        make_client: MakeClient,
        faults: Faults,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        with make_client() as client:
            with pytest.raises(ValueError, match="of the body") as caught:
                with client.lock("a", ttl=LONG):
                    client.break_lock("a")
                    raise ValueError("of the body")
            assert any("lost" in note for note in caught.value.__notes__)
            faults.fail("release")
            with pytest.raises(ValueError, match="of the body"):
                with client.lock("b", ttl=SHORT):
                    raise ValueError("of the body")
            faults.fail("release")
            with client.lock("c", ttl=SHORT):
                pass  # its work is done: that the release failed is logged, not raised
            assert "ends with its ttl" in caplog.text

    @kit.scenario
    def test_a_lease_may_be_released_inside_its_block(self, make_client: MakeClient) -> None:
        with make_client() as client:
            with client.lock("a", ttl=LONG) as lease:
                lease.release()
                assert client.inspect("a") is None
            with pytest.raises(NotHeld):
                lease.release()
            with pytest.raises(NotHeld):
                lease.renew()
            with pytest.raises(NotHeld):
                lease.check()
            assert lease.remaining == 0
            assert not lease.lost

    @kit.scenario
    def test_a_release_that_fails_is_raised_to_who_asked_for_it(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            lease = client.lock("a", ttl=SHORT).acquire()
            faults.fail("release")
            with pytest.raises(EngineUnavailable):
                lease.release()
            with client.lock("a", wait=LONG):  # nothing renews it: it ends with its ttl
                pass

    @kit.scenario
    def test_a_loss_is_told_once_in_every_way(
        self, make_client: MakeClient, caplog: pytest.LogCaptureFixture
    ) -> None:
        told: list[Any] = []
        with make_client() as client:
            lease = client.lock("a", ttl=SHORT, on_lost=told.append).acquire()
            assert not lease.lost
            client.break_lock("a")
            assert lease.lost.wait(LONG)
            assert lease.lost
            eventually(lambda: told)
            assert told == [lease]
            assert lease.remaining == 0
            for ask in (lease.renew, lease.release):
                with pytest.raises(LeaseLost):
                    ask()
            with pytest.raises(LeaseLost):
                lease.check()
            assert told == [lease]
            assert "lost 'a'" in caplog.text

    @kit.scenario
    def test_an_on_lost_that_raises_is_logged(
        self, make_client: MakeClient, caplog: pytest.LogCaptureFixture
    ) -> None:
        def on_lost(lease: object) -> None:
            raise ValueError("of on_lost")

        with make_client() as client:
            lease = client.lock("a", ttl=LONG, on_lost=on_lost).acquire()
            lose(lease)
            eventually(lambda: "of on_lost" in caplog.text)

    @kit.scenario
    def test_closing_the_client_tells_the_holders(self, make_client: MakeClient) -> None:
        client = make_client()
        lease = client.lock("a", ttl=LONG).acquire()
        client.close()
        client.close()
        assert lease.lost
        with pytest.raises(LeaseLost, match="closed"):
            lease.check()
        with pytest.raises(EngineError, match="closed"):
            client.lock("a").acquire()
        with make_client() as other:
            with other.lock("a", wait=0):
                pass

    @kit.scenario
    def test_an_interrupted_release_is_tried_once_more(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as client:
            faults.fail("release", error=Interruption())
            with pytest.raises(Interruption):
                with client.lock("a", ttl=LONG):
                    pass
            assert client.inspect("a") is None
