# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""Forks, threads and tasks."""

from __future__ import annotations

import os

import pytest

from holdfast._sync.client import Client
from holdfast._sync.lease import Lease
from holdfast._runtime import threads as rt
from holdfast.errors import EngineError, LeaseLost
from holdfast.testing.twins import threads as kit

from .base import (
    LONG,
    Base,
    MakeClient,
    eventually,
    until_waiters,
)


class SharingContract(Base):
    """Forks, threads and tasks."""

    @kit.scenario
    def test_a_forked_child_has_no_lease(self, make_client: MakeClient) -> None:
        with make_client() as client:
            lease = client.lock("a", ttl=LONG).acquire()
            child = os.fork()
            if child == 0:
                os._exit(_child_sees_no_lease(lease))
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            lease.check()
            assert client.lock("a").try_acquire() is None
            lease.release()

    @kit.scenario
    def test_one_lock_object_serves_many_at_once(self, make_client: MakeClient) -> None:
        inside: list[int] = []
        with make_client() as client:
            lock = client.lock("a", ttl=LONG, wait=LONG)

            def work() -> None:
                for _ in range(3):
                    with lock as lease:
                        inside.append(lease.fence)
                        assert len(inside) == 1
                        rt.sleep(0.001)
                        inside.remove(lease.fence)

            rt.gather([work] * 8)
            assert client.inspect("a") is None

    @kit.scenario
    def test_a_lease_may_be_released_elsewhere(self, make_client: MakeClient) -> None:
        with make_client() as client:
            lock = client.lock("a", ttl=LONG)
            lease = lock.acquire()
            assert lock.try_acquire() is None
            rt.spawn(lease.release).join()
            with lock:
                pass

    @kit.scenario
    def test_a_lock_may_be_entered_here_and_left_elsewhere(
        self, make_client: MakeClient
    ) -> None:
        with make_client() as client:
            lock = client.lock("a", ttl=LONG)
            lock.__enter__()
            rt.spawn(lock.__exit__, None, None, None).join()
            assert client.inspect("a") is None

    @kit.scenario
    def test_closing_a_client_that_is_in_use_leaves_nothing(
        self, make_client: MakeClient
    ) -> None:
        leases: list[Lease] = []

        def work(client: Client, number: int) -> None:
            try:
                for turn in range(1000):
                    lease = client.lock(f"{number}:{turn}", ttl=LONG).acquire()
                    leases.append(lease)
            except EngineError:
                pass  # it is closed

        with make_client() as observer:
            for _ in range(5):
                client = make_client()
                tasks = [rt.spawn(work, client, number) for number in range(3)]
                eventually(lambda: len(leases) > 20)
                client.close()
                for task in tasks:
                    task.join()
                assert not any(lease.held for lease in leases)
                assert [seen.name for seen in observer.scan()] == []
                leases.clear()

    @kit.scenario
    def test_closing_a_client_wakes_its_waiters(self, make_client: MakeClient) -> None:
        with make_client() as other:
            holder = other.lock("a", ttl=LONG).acquire()
            client = make_client()
            waiter = rt.spawn(client.lock("a").acquire, LONG)
            until_waiters(other, "a", 1)
            client.close()
            holder.release()
            with pytest.raises(EngineError):
                waiter.join()
            assert other.inspect("a") is None


def _child_sees_no_lease(lease: Lease) -> int:
    """Return 0 if a forked child finds that it may not use the lease."""
    try:
        lease.check()
    except LeaseLost:
        return 0 if lease.remaining == 0 and not lease.held else 2
    return 1
