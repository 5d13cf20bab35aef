"""``holdfast run``: signals, process groups and violent deaths."""

import os
import signal
import sys

import pytest

import holdfast
from tests.cli.support import Running, wait_for_waiter

PASSED_ON = ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"]

# Python, since a shell that runs a command defers its traps until that has ended.
CATCH = """
import os, signal, sys
def caught(number, frame):
    os.write(1, signal.Signals(number).name.encode() + b"\\n")  # print may be under way
    os._exit(int(sys.argv[1]))
for name in sys.argv[2:]:
    signal.signal(getattr(signal, "SIG" + name), caught)
print("ready", flush=True)
while True:
    signal.pause()
"""


def catch(*names: str, status: int = 7) -> list[str]:
    """A command that says which signal it got, and ends with ``status``."""
    return [sys.executable, "-c", CATCH, str(status), *names]


@pytest.mark.parametrize("name", PASSED_ON)
def test_passes_signals_on(url: str, client: holdfast.Client, name: str) -> None:
    with Running("run", "x", "--", *catch(name)) as running:
        assert running.line() == "ready"
        running.send(getattr(signal, f"SIG{name}"))
        assert running.finish() == (7, f"SIG{name}\n", "")
    assert client.inspect("x") is None


def test_a_signal_that_was_ignored_stays_ignored(url: str) -> None:
    # As nohup does. The command ignores it as well, so it is the second signal that it reports.
    here = f"{sys.executable} -m holdfast run x --"
    script = f"trap '' HUP; exec {here} \"$@\""
    with Running("run", "outer", "--", "sh", "-c", script, "sh", *catch("TERM")) as running:
        assert running.line() == "ready"
        running.send(signal.SIGHUP)
        running.send(signal.SIGTERM)
        assert running.finish() == (7, "SIGTERM\n", "")


def test_a_signal_reaches_the_whole_group(url: str) -> None:
    # Standard output ends when both ends of the pipeline are gone, and not before.
    with Running("run", "x", "--", "sh", "-c", "sleep 600 | sh -c 'echo ready; cat'") as running:
        assert running.line() == "ready"
        running.send(signal.SIGTERM)
        assert running.finish() == (143, "", "")


def test_the_lock_is_kept_until_the_group_is_gone(url: str, client: holdfast.Client) -> None:
    # The shell is ended by the signal, its helper is not: after the grace it is killed.
    helper = "trap '' TERM; echo ready; while :; do sleep 600; done"
    command = ["sh", "-c", f'sh -c "{helper}" | cat']
    with Running("run", "x", "--grace", "0.3", "--", *command) as running:
        assert running.line() == "ready"
        running.send(signal.SIGTERM)
        assert running.finish() == (143, "", "")


def test_what_the_command_leaves_behind_is_its_own_affair(url: str) -> None:
    with Running("run", "x", "--", "sh", "-c", "sleep 600 >&- 2>&- & echo $!") as running:
        pid = int(running.line())
        assert running.finish() == (0, "", "")
        os.kill(pid, signal.SIGKILL)  # it is still there


@pytest.mark.parametrize("name", ["TERM", "INT", "HUP", "USR1"])
def test_a_signal_while_waiting_leaves_nothing_behind(
    url: str, client: holdfast.Client, name: str
) -> None:
    number = getattr(signal, f"SIG{name}")
    with client.lock("x"):
        with Running("run", "x", "--wait", "forever", "--", "echo", "never") as running:
            wait_for_waiter(client, "x")
            running.send(number)
            assert running.finish() == (128 + number, "", "")
        snapshot = client.inspect("x")
        assert snapshot is not None
        assert snapshot.waiters == 0
    assert client.inspect("x") is None


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")
def test_the_command_dies_with_its_runner(url: str) -> None:
    with Running("run", "x", "--", *catch(*PASSED_ON)) as running:
        assert running.line() == "ready"
        running.send(signal.SIGKILL)
        assert running.finish() == (-9, "", "")  # its output has ended: nobody holds it open


def test_stops_and_continues_with_the_command(url: str, client: holdfast.Client) -> None:
    with Running("run", "x", "--", *catch("TERM")) as running:
        assert running.line() == "ready"
        for _ in range(2):
            running.send(signal.SIGTSTP)
            running.wait_until_stopped()
            running.send(signal.SIGCONT)
        running.send(signal.SIGTERM)
        assert running.finish() == (7, "SIGTERM\n", "")


def test_a_command_that_was_stopped_by_itself_is_continued(url: str) -> None:
    stop = "import os, signal; print('ready', flush=True); os.kill(os.getpid(), signal.SIGSTOP)"
    with Running("run", "x", "--", sys.executable, "-c", stop + "; print('on')") as running:
        assert running.line() == "ready"
        while running.process.poll() is None:  # it may not have stopped yet when the first arrives
            running.send(signal.SIGCONT)
        assert running.finish() == (0, "on\n", "")
