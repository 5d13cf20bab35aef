"""``holdfast run``: the command, what it is given, and what it returns."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast as library
from tests.cli.support import HOLDFAST, Running, holdfast, wait_for_waiter


@pytest.mark.parametrize("status", [0, 1, 3, 75, 76, 127, 255])
def test_returns_the_status_of_the_command(url: str, status: int) -> None:
    assert holdfast("run", "x", "--", "sh", "-c", f"exit {status}") == (status, "", "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGSEGV])
def test_returns_128_and_the_signal_that_ended_the_command(url: str, number: int) -> None:
    assert holdfast("run", "x", "--", "sh", "-c", f"kill -{number} $$") == (128 + number, "", "")


def test_hands_on_the_name_and_the_fence(url: str, client: library.Client) -> None:
    show = ["sh", "-c", 'echo "$HOLDFAST_NAME $HOLDFAST_FENCE"']
    fences = []
    for _ in range(2):
        status, out, _ = holdfast("run", "a name: ü", "--", *show)
        name, _, fence = out.rpartition(" ")
        assert (status, name) == (0, "a name: ü")
        fences.append(int(fence))
    with client.lock("a name: ü") as lease:
        assert fences[0] < fences[1] < lease.fence


def test_the_lock_is_held_while_the_command_runs_and_free_afterwards(
    url: str, client: library.Client
) -> None:
    reader, writer = os.pipe()
    wait = f"import os; print('ready', flush=True); os.read({reader}, 1)"
    with Running("run", "x", "--", sys.executable, "-c", wait, fds=(reader,)) as running:
        assert running.line() == "ready"
        assert client.lock("x").try_acquire() is None
        snapshot = client.inspect("x")
        assert snapshot is not None
        assert snapshot.holders[0].info["command"] == os.path.basename(sys.executable)
        assert snapshot.holders[0].info["pid"] == running.pid
        os.write(writer, b".")  # also shows that the command has the descriptors we were given
        assert running.finish() == (0, "", "")
    os.close(reader)
    os.close(writer)
    assert client.inspect("x") is None


def test_arguments_and_streams_are_the_commands_own(url: str) -> None:
    show = "import json, sys; print(json.dumps([sys.argv[1:], sys.stdin.read()]))"
    words = ["--ttl", "a b", "", "--", "$HOME", "*", "\udcff"]
    done = subprocess.run(
        [*HOLDFAST, "run", "x", "--", sys.executable, "-c", show, *words],
        input=b"from above",
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == [words, "from above"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_the_command_finds_signals_as_they_were(url: str) -> None:
    # Python ignores SIGPIPE, and what is ignored stays so in the program that it becomes.
    assert _signals(["sh", "-c", "exec cat /proc/self/status"]) == {"SigBlk": 0, "SigIgn": 0}
    here = [*HOLDFAST, "run", "x", "--", "cat", "/proc/self/status"]
    assert _signals(here) == {"SigBlk": 0, "SigIgn": 0}
    nohup = f"trap '' HUP; exec {' '.join(here)}"
    assert _signals(["sh", "-c", nohup]) == {"SigBlk": 0, "SigIgn": 1 << signal.SIGHUP - 1}


def _signals(command: list[str]) -> dict[str, int]:
    """Which signals a command finds blocked and ignored, apart from the C library's own."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = dict(line.split(":\t") for line in done.stdout.splitlines())
    return {key: int(lines[key], 16) & (1 << 31) - 1 for key in ("SigBlk", "SigIgn")}


def test_waits_as_long_as_it_is_told(url: str, client: library.Client) -> None:
    lease = client.lock("x").acquire()
    with Running("run", "x", "--wait", "forever", "--", "echo", "got it") as running:
        wait_for_waiter(client, "x")
        lease.release()
        assert running.finish() == (0, "got it\n", "")


def test_says_who_holds_a_lock_that_is_busy(url: str, client: library.Client) -> None:
    with client.lock("x", info={"command": "other\x1b[2J", "pid": 42}):
        status, out, err = holdfast("run", "x", "--", "echo", "never")
        assert (status, out) == (75, "")
        assert err == "holdfast: 'x' is still held: by other [2J, pid 42\n"
        status, out, err = holdfast("run", "x", "--wait", "0.2", "--", "echo", "never")
        assert (status, out) == (75, "")
        assert "is still held after 0." in err
    with client.lock("x", info={}):
        assert holdfast("run", "x", "--", "true")[2] == "holdfast: 'x' is still held\n"


def test_the_default_is_a_file_of_this_users(tmp_path: Path) -> None:
    environment = {"XDG_STATE_HOME": str(tmp_path), "HOLDFAST_URL": ""}
    assert holdfast("run", "x", "--", "true", env=environment) == (0, "", "")
    assert (tmp_path / "holdfast" / "locks.db").exists()


def test_survives_a_closed_standard_error(url: str) -> None:
    script = f"{sys.executable} -m holdfast run x -- sh -c 'exit 4' 2>&-"
    assert subprocess.run(["sh", "-c", script], check=False).returncode == 4
    script = f"{sys.executable} -m holdfast run x -- no-such-command 2>&-"
    assert subprocess.run(["sh", "-c", script], check=False).returncode == 127
