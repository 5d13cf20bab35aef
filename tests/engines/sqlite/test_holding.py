"""Ten thousand leases, all of them renewed by one client."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.engines.sqlite.support import LIMIT, start

COUNT = 10_000
TTL = 9.0
#: Each lease is renewed three times and more in this time, and would end without that.
SECONDS = 12.0


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_ten_thousand_leases_are_kept_by_two_workers(url: str, kind: str) -> None:
    process = start("holding", kind, url, COUNT, TTL, SECONDS, stdout=subprocess.PIPE)
    with process:
        try:
            out, _ = process.communicate(timeout=4 * LIMIT)
        finally:
            process.kill()
    assert process.returncode == 0
    report = json.loads(out)
    print(f"{kind}: {report['cpu'] / SECONDS:.1%} of a core for {COUNT} leases of {TTL} s")
    assert report["kept"] == COUNT
    assert report["least"] > 0
    expected = {
        "sync": {"holdfast-watchdog", "holdfast-renewals", "holdfast-wakeups"},
        "async": {"holdfast-sqlite_0"},
    }
    assert set(report["threads"]) == expected[kind]
    assert len(report["threads"]) == len(expected[kind])
