"""A database that somebody else has: an error in time, and no more than that."""

from __future__ import annotations

import subprocess
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast import Client, EngineUnavailable
from holdfast._runtime.clock import clock
from tests.engines.sqlite.support import (
    LIMIT,
    assert_works,
    opened,
    sqlite_url,
    start,
)


@contextmanager
def stuck(path: Path, mode: str = "IMMEDIATE") -> Generator[None, None, None]:
    """Have another process sit inside a transaction."""
    with start("stuck", path, mode, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "stuck\n"
            yield
            process.communicate(timeout=LIMIT)
        finally:
            process.kill()


@pytest.mark.parametrize("mode", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_locked_database_is_an_error_by_the_deadline(
    client: Client, path: Path, mode: str
) -> None:
    lease = client.lock("held", ttl=60).acquire()
    with stuck(path, mode):
        started = clock()
        with pytest.raises(EngineUnavailable, match="is locked by another process"):
            client.lock("a").acquire(wait=0.3)
        assert 0.3 <= clock() - started < 3
        lease.check()
    assert_works(client)
    lease.release()


def test_a_database_that_is_locked_before_it_is_opened(url: str, path: Path) -> None:
    with Client(url) as client:
        assert_works(client)
    with Client(url) as client:
        with stuck(path):
            with pytest.raises(EngineUnavailable, match="is locked by another process"):
                client.lock("a").acquire(wait=0.3)
        assert_works(client)


def test_the_timeout_of_the_url_bounds_one_attempt(path: Path, client: Client) -> None:
    assert_works(client)
    with Client(sqlite_url(path, timeout=0.3)) as impatient, stuck(path):
        started = clock()
        with pytest.raises(EngineUnavailable):
            impatient.lock("a").try_acquire()
        assert 0.3 <= clock() - started < 3


def test_a_short_lock_of_the_database_is_waited_out(client: Client, path: Path) -> None:
    assert_works(client)
    with ThreadPoolExecutor() as pool:
        with opened(path) as other:
            other.execute("BEGIN IMMEDIATE")
            waiting = pool.submit(client.lock("a").acquire, 20)
            with pytest.raises(TimeoutError):
                waiting.result(0.2)
            other.execute("ROLLBACK")
        waiting.result(LIMIT).release()


def test_the_deadline_holds_for_each_of_many_threads(client: Client, path: Path) -> None:
    """They share one connection; none has to sit out the patience of the others."""
    assert_works(client)

    def attempt(number: int) -> float:
        started = clock()
        with pytest.raises(EngineUnavailable):
            client.lock(f"name:{number}").acquire(wait=0.3)
        return clock() - started

    with stuck(path), ThreadPoolExecutor(8) as pool:
        assert max(pool.map(attempt, range(8))) < 3
