"""Ten thousand leases, all of them renewed by one client."""

from __future__ import annotations

import json

import pytest

from tests.engines.sqlite.support import run

COUNT = 10_000
TTL = 9.0
#: Each lease is renewed three times and more in this time, and would end without that.
SECONDS = 11.0

#: An event loop needs one thread for what blocks; its two workers are tasks.
THREADS = {
    "sync": {"holdfast-renewals", "holdfast-wakeups", "holdfast-watchdog"},
    "async": {"holdfast-sqlite_0"},
}


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_ten_thousand_leases_are_kept_by_two_workers(url: str, kind: str) -> None:
    out = run("holding", kind, url, COUNT, TTL, SECONDS, quiet=False)
    report = json.loads(out)
    print(f"{kind}: {report['cpu'] / SECONDS:.1%} of a core for {COUNT} leases of {TTL} s")
    assert (report["kept"], report["lost"]) == (COUNT, 0)
    assert report["least"] > 0
    assert set(report["threads"]) <= THREADS[kind]
    assert len(report["threads"]) <= len(THREADS[kind])
