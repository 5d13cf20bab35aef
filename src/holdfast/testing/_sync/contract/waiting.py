# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""Waiting, waking and order."""

from __future__ import annotations

import threading

import pytest

from holdfast._sync import acquire as acquire_module
from holdfast._sync.client import Client
from holdfast._core.model import Ref
from holdfast._runtime import threads as rt
from holdfast._runtime.clock import clock
from holdfast.errors import AcquireTimeout, CapabilityError
from holdfast.testing.faults import Faults
from holdfast.testing.twins import threads as kit

from .base import (
    LONG,
    Base,
    MakeClient,
    MakeEngine,
    claim_of,
    no_poll,
    until_waiters,
)


class WaitingContract(Base):
    """Waiting, waking and order."""

    @kit.scenario
    def test_a_release_wakes_a_waiter(
        self, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with make_client() as one, make_client() as other:
            if one.capabilities.push:  # then without the poll that covers lost messages
                monkeypatch.setattr(acquire_module, "poll_pause", no_poll)
            lease = one.lock("a", ttl=2 * LONG).acquire()
            waiter = rt.spawn(other.lock("a").acquire, LONG / 2)
            until_waiters(one, "a", 1)
            lease.release()
            (waiter.join()).release()

    @kit.scenario
    def test_no_wake_up_is_lost_between_the_claim_and_the_wait(
        self,
        make_client: MakeClient,
        faults: Faults,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        with make_client() as one, make_client() as other:
            if one.capabilities.push:
                monkeypatch.setattr(acquire_module, "poll_pause", no_poll)
            lease = one.lock("a", ttl=2 * LONG).acquire()
            faults.before("wait", lease.release)
            (other.lock("a").acquire(wait=LONG / 2)).release()

    @kit.scenario
    def test_an_expiry_wakes_a_waiter(
        self, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with make_client() as one, make_client() as other:
            if one.capabilities.push:
                monkeypatch.setattr(acquire_module, "poll_pause", no_poll)
            lease = one.lock("a", ttl=1.0, renew=False).acquire()
            with other.lock("a", wait=LONG / 2) as next_lease:
                assert next_lease.fence > lease.fence

    @kit.scenario
    def test_wait_is_one_deadline_and_may_be_a_fraction(
        self, make_client: MakeClient, faults: Faults
    ) -> None:
        with make_client() as one, make_client() as other:
            with one.lock("a", ttl=LONG):
                faults.slow("acquire", 0.05, times=None)
                for wait in (0.0, 0.05, 0.3):
                    started = clock()
                    with pytest.raises(AcquireTimeout) as caught:
                        other.lock("a", wait=wait).acquire()
                    assert wait <= caught.value.waited <= clock() - started
                    assert clock() - started < wait + 10
                faults.clear()

    @kit.scenario
    def test_a_waiter_that_withdraws_passes_its_wake_up_on(
        self, make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        engine = make_engine()
        client = Client.from_engine(make_engine)
        if engine.capabilities.push:
            monkeypatch.setattr(acquire_module, "poll_pause", no_poll)
        engine.try_acquire(claim_of("a", "holder", ttl=2 * LONG))
        engine.try_acquire(claim_of("a", "first", ticket="first"))
        waiter = rt.spawn(client.lock("a").acquire, LONG / 2)
        until_waiters(client, "a", 2)
        engine.release(Ref("lock:a", "holder"))  # wakes the first, ...
        engine.release(Ref("lock:a", "first", 0, "first"))  # ... which has changed its mind
        (waiter.join()).release()
        engine.close()
        client.close()

    @kit.scenario
    def test_a_dead_waiter_holds_up_nobody(self, make_engine: MakeEngine) -> None:
        engine = make_engine()
        client = Client.from_engine(make_engine)
        fair = engine.capabilities.fair
        engine.try_acquire(claim_of("a", "holder", ttl=2 * LONG))
        engine.try_acquire(claim_of("a", "dead", ticket="dead", fair=fair))
        waiter = rt.spawn(client.lock("a", fair=fair).acquire, LONG)
        until_waiters(client, "a", 2)
        engine.release(Ref("lock:a", "holder"))
        (waiter.join()).release()
        engine.close()
        client.close()

    @kit.scenario
    def test_fair_is_first_come_first_served(self, make_client: MakeClient) -> None:
        with make_client() as client:
            if not client.capabilities.fair:
                with pytest.raises(CapabilityError):
                    client.lock("a", fair=True)
                return
            served: list[int] = []
            lock = client.lock("a", ttl=LONG, wait=LONG, fair=True)

            def work(number: int) -> None:
                with lock:
                    served.append(number)

            holder = lock.acquire()
            tasks: list[rt.Task[None]] = []
            for number in range(6):
                tasks.append(rt.spawn(work, number))
                until_waiters(client, "a", number + 1)
            holder.release()
            for task in tasks:
                task.join()
            assert served == list(range(6))

    @kit.scenario
    def test_nobody_starves(self, make_client: MakeClient) -> None:
        with make_client() as one, make_client() as other:
            greedy = one.lock("a", ttl=LONG, wait=LONG)
            done = threading.Event()

            def hog() -> None:
                while not done.is_set():
                    with greedy:
                        rt.sleep(0.001)

            task = rt.spawn(hog)
            try:
                with other.lock("a", ttl=LONG, wait=LONG):
                    pass
            finally:
                done.set()
                task.join()
