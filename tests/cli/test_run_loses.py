"""``holdfast run``: the lease is lost while the command runs."""

import re
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

import holdfast
from tests.cli.support import Running
from tests.cli.test_run_signals import CATCH, catch

# Short enough to be noticed soon, long enough for a machine that is busy with something else.
SHORT = ("--ttl", "3", "--grace", "0.5")

STUBBORN = "trap 'echo no' TERM; echo ready; while :; do sleep 600; done"


def test_a_lock_that_was_taken_away(url: str, client: holdfast.Client) -> None:
    with Running("run", "x", *SHORT, "--", *catch("TERM")) as running:
        assert running.line() == "ready"
        client.break_lock("x")
        status, out, err = running.finish()
    assert (status, out) == (76, "SIGTERM\n")
    lost, stopping = err.splitlines()
    assert re.fullmatch(r"holdfast: lost 'x' \(fence \d+\): the engine no longer has it", lost)
    assert stopping == "holdfast: stopping the command, which is killed in 0.5 s"


def test_a_command_that_will_not_stop_is_killed(url: str, client: holdfast.Client) -> None:
    with Running("run", "x", *SHORT, "--", "sh", "-c", STUBBORN) as running:
        assert running.line() == "ready"
        client.break_lock("x")
        assert running.finish()[:2] == (76, "no\n")


def test_no_grace_at_all(url: str, client: holdfast.Client) -> None:
    ignore = "import signal; signal.signal(15, signal.SIG_IGN); print('ready', flush=True)"
    command = [sys.executable, "-c", ignore + "; signal.pause()"]
    with Running("run", "x", "--ttl", "3", "--grace", "0", "--", *command) as running:
        assert running.line() == "ready"
        client.break_lock("x")
        assert running.finish()[:2] == (76, "")


def test_the_whole_group_is_stopped(url: str, client: holdfast.Client) -> None:
    # The shell ends at once, its helper only when it is killed; output ends when both are gone.
    helper = "trap '' TERM; echo ready; while :; do sleep 600; done"
    with Running("run", "x", *SHORT, "--", "sh", "-c", f'sh -c "{helper}" | cat') as running:
        assert running.line() == "ready"
        client.break_lock("x")
        assert running.finish()[:2] == (76, "")


def test_a_paused_command_is_stopped_too(url: str, client: holdfast.Client) -> None:
    stop = "import os, signal; print('ready', flush=True); os.kill(os.getpid(), signal.SIGSTOP)"
    with Running("run", "x", *SHORT, "--", sys.executable, "-c", stop) as running:
        assert running.line() == "ready"
        client.break_lock("x")
        assert running.finish()[:2] == (76, "")


def test_signals_are_passed_on_while_it_is_being_stopped(url: str, client: holdfast.Client) -> None:
    command = catch("USR1")
    command[2] = "import os, signal; signal.signal(15, lambda *_: os.write(1, b'TERM\\n'))" + CATCH
    with Running("run", "x", "--ttl", "9", "--grace", "4.5", "--", *command) as running:
        assert running.line() == "ready"
        client.break_lock("x")
        assert running.line() == "TERM"
        running.send(signal.SIGTSTP)  # is not heeded any more
        running.send(signal.SIGUSR1)
        assert running.finish()[:2] == (76, "SIGUSR1\n")


def test_it_is_stopped_while_the_lease_still_holds(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Somebody keeps the file to himself: no renewal gets through, but the lease is not over yet.
    monkeypatch.setenv("HOLDFAST_URL", f"{url}?timeout=0.05")
    with (
        Running(
            "run", "x", "--url", f"{url}?timeout=0.05", *SHORT, "--", *catch("TERM")
        ) as running,
        closing(sqlite3.connect(tmp_path / "locks.db", isolation_level=None)) as db,
    ):
        assert running.line() == "ready"
        db.execute("BEGIN IMMEDIATE")
        assert running.line() == "SIGTERM"
        status, _, err = running.finish()
    assert status == 76
    assert "renewal of 'x' is unknown" in err
    assert "is about to end\n" in err
    assert "stopping the command" in err


# With a ttl of 60 s a loss is noticed after 20 s, so here it is the release that finds out.


def test_a_success_without_the_lock_is_none(url: str, client: holdfast.Client) -> None:
    with Running("run", "x", "--ttl", "60", "--", *catch("USR1", status=0)) as running:
        assert running.line() == "ready"
        client.break_lock("x")
        running.send(signal.SIGUSR1)
        status, _, err = running.finish()
    assert status == 76
    assert "is lost: the engine no longer had it at its release" in err


def test_a_failure_without_the_lock_stays_what_it_is(url: str, client: holdfast.Client) -> None:
    with Running("run", "x", "--ttl", "60", "--", *catch("USR1")) as running:
        assert running.line() == "ready"
        client.break_lock("x")
        running.send(signal.SIGUSR1)
        status, _, err = running.finish()
    assert status == 7
    assert "is lost: the engine no longer had it at its release" in err


def test_a_runner_that_was_paused_for_too_long(url: str, client: holdfast.Client) -> None:
    with Running("run", "x", *SHORT, "--", *catch("TERM")) as running:
        assert running.line() == "ready"
        running.send(signal.SIGSTOP)
        running.wait_until_stopped()
        with client.lock("x"):  # is granted when the lease has ended
            running.send(signal.SIGCONT)
            status, out, err = running.finish()
    assert (status, out) == (76, "SIGTERM\n")
    assert "holdfast: lost 'x'" in err


def test_after_a_stop_that_was_too_long_the_command_does_not_go_on(
    url: str, client: holdfast.Client
) -> None:
    count = "import time\nfor n in range(10**9): print(n, flush=True); time.sleep(0.001)"
    with Running("run", "x", *SHORT, "--", sys.executable, "-c", count) as running:
        assert running.line() == "0"
        running.send(signal.SIGTSTP)
        running.wait_until_stopped()
        with client.lock("x"):
            running.send(signal.SIGCONT)
            status, _, err = running.finish()
    assert status == 76
    assert "stopping the command" in err


def test_a_release_that_fails_does_not_change_the_status(url: str, tmp_path: Path) -> None:
    with (
        Running("run", "x", "--url", f"{url}?timeout=0.05", "--", *catch("TERM")) as running,
        closing(sqlite3.connect(tmp_path / "locks.db", isolation_level=None)) as db,
    ):
        assert running.line() == "ready"
        db.execute("BEGIN IMMEDIATE")
        running.send(signal.SIGTERM)
        status, out, err = running.finish()
    assert (status, out) == (7, "SIGTERM\n")
    assert "could not release 'x', it ends with its ttl" in err
