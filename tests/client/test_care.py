"""The care for leases survives what goes wrong with one of them."""

from __future__ import annotations

import threading

import pytest

from holdfast import Client


def test_an_on_lost_that_cannot_be_called_ends_nobody_elses_care(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "holdfast-on-lost":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with Client("memory://care") as client:
        locks = [client.lock(str(n), ttl=0.3, renew=False, on_lost=print) for n in range(3)]
        leases = [lock.acquire() for lock in locks]
        kept = client.lock("kept", ttl=3.0).acquire()
        for lease in leases:
            assert lease.lost.wait(60)
        assert "could not be called" in caplog.text
        before = kept.remaining
        while kept.remaining <= before:  # until it is renewed
            before = kept.remaining
            threading.Event().wait(0.05)
        kept.check()
