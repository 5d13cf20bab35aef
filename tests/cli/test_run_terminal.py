"""``holdfast run`` at a terminal: the keyboard's signals, job control, and the terminal itself."""

import os
import pty
import signal
import subprocess
import sys

import holdfast
from tests.cli.support import HOLDFAST, Terminal, until
from tests.cli.test_run_signals import CATCH

# Says what it gets, so that a signal that came twice is seen; ends at the end of its input.
TELL = """
import os, signal, sys
for name in ("SIGINT", "SIGQUIT", "SIGTERM"):
    signal.signal(getattr(signal, name), lambda number, frame: os.write(1, b"got %d\\n" % number))
print("ready", flush=True)
for line in sys.stdin:
    pass
"""


def test_the_keyboards_signals_reach_the_command_once(url: str) -> None:
    with Terminal("run", "x", "--", sys.executable, "-c", TELL) as terminal:
        terminal.read_until("ready")
        terminal.type("\x03")
        terminal.read_until("got 2")
        terminal.type("\x1c")
        terminal.read_until("got 3")
        os.kill(terminal.process.pid, signal.SIGTERM)  # not from the keyboard: passed on
        # A second SIGINT or SIGQUIT would have been sent before this one, by the same thread.
        terminal.read_until("got 15")
        terminal.type("\x04")
        assert terminal.finish() == 0
    assert [terminal.screen.count(f"got {number}") for number in (2, 3, 15)] == [1, 1, 1]


def test_ctrl_c_ends_what_does_not_catch_it(url: str, client: holdfast.Client) -> None:
    # One process, not a shell: that would miss a signal which comes as it starts its next command.
    script = "print('ready', flush=True); signal.pause()"
    default = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    with Terminal("run", "x", "--", sys.executable, "-c", default + script) as terminal:
        terminal.read_until("ready")
        terminal.type("\x03")
        assert terminal.finish() == 130
    assert "Traceback" not in terminal.screen
    assert client.inspect("x") is None


def test_the_command_can_read_from_the_terminal(url: str) -> None:
    script = 'test -t 0 && echo ready && read line && echo "[$line]"'
    with Terminal("run", "x", "--", "sh", "-c", script) as terminal:
        terminal.read_until("ready")
        terminal.type("hello\n")
        assert terminal.finish() == 0
    assert "[hello]" in terminal.screen


def test_ctrl_c_while_waiting(url: str, client: holdfast.Client) -> None:
    with client.lock("x"):
        with Terminal("run", "x", "--wait", "forever", "--", "true") as terminal:
            until(lambda: _waiters(client) == 1)
            terminal.type("\x03")
            assert terminal.finish() == 130
        assert "Traceback" not in terminal.screen
        assert _waiters(client) == 0


def test_ctrl_z_stops_both_and_fg_continues_both(url: str) -> None:
    command = [sys.executable, "-c", CATCH, "7", "TERM"]
    with Terminal("run", "x", "--", *command) as terminal:
        terminal.read_until("ready")
        terminal.type("\x1a")
        terminal.wait_until_stopped()
        os.killpg(terminal.process.pid, signal.SIGCONT)  # as a shell does
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert terminal.finish() == 7
    assert "SIGTERM" in terminal.screen


def test_a_lost_lease_at_the_terminal(url: str, client: holdfast.Client) -> None:
    command = ["sh", "-c", "trap '' TERM; echo ready; exec sleep 600"]
    with Terminal("run", "x", "--ttl", "3", "--grace", "0.5", "--", *command) as terminal:
        terminal.read_until("ready")
        client.break_lock("x")
        assert terminal.finish() == 76
    assert "stopping the command" in terminal.screen


def test_another_sessions_terminal_is_none(url: str) -> None:
    master, slave = pty.openpty()
    done = subprocess.run(
        [*HOLDFAST, "run", "x", "--", "test", "-t", "0"],
        stdin=slave,
        start_new_session=True,
        check=False,
    )
    os.close(master)
    os.close(slave)
    assert done.returncode == 0


def _waiters(client: holdfast.Client) -> int:
    snapshot = client.inspect("x")
    return 0 if snapshot is None else snapshot.waiters
