"""``holdfast`` itself: help, version, and what it makes of its own faults."""

import os
import signal
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

import holdfast.cli
from holdfast.cli import messages, shim
from holdfast.cli.child import Child
from holdfast.cli.signals import Interrupted, Mailbox, Signals
from holdfast.cli.supervisor import Supervisor
from tests.cli.support import HOLDFAST
from tests.cli.support import holdfast as run_holdfast


def test_version() -> None:
    assert run_holdfast("--version") == (0, f"holdfast {holdfast.__version__}\n", "")


@pytest.mark.parametrize("command", [[], ["run"], ["demo"]])
def test_help_has_examples(command: list[str]) -> None:
    status, out, err = run_holdfast(*command, "--help")
    assert (status, err) == (0, "")
    assert "examples:\n  holdfast " in out
    assert max(map(len, out.splitlines())) <= 100


def test_help_loads_no_engine() -> None:
    show = "import sys, holdfast.cli\ntry: holdfast.cli.main(['--help'])\nexcept SystemExit: pass\n"
    show += "print(sorted(name for name in sys.modules if name.startswith('holdfast.')))"
    done = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == (
        "['holdfast.cli', 'holdfast.cli.messages', 'holdfast.cli.status', 'holdfast.errors']"
    )


def test_a_fault_of_ours_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(args: Namespace) -> int:
        raise RuntimeError("redis://me:secret@host\nis odd")

    monkeypatch.setattr("holdfast.cli.run.main", fail)
    assert holdfast.cli.main(["run", "x", "--", "true"]) == 70
    assert capsys.readouterr().err == (
        "holdfast: internal error: RuntimeError: redis://***@host is odd\n"
    )


def test_ctrl_c_during_an_import(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(args: Namespace) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("holdfast.cli.run.main", interrupt)
    assert holdfast.cli.main(["run", "x", "--", "true"]) == 130


def test_a_reader_that_has_left() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    demo = subprocess.Popen(
        [*HOLDFAST, "demo", "--buyers", "12"], stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    assert demo.communicate()[1] == ""
    assert demo.returncode == 128 + signal.SIGPIPE


def test_a_message_that_cannot_be_said_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed:
        def write(self, text: str) -> int:
            raise OSError

    monkeypatch.setattr(sys, "stderr", Closed())
    messages.say("hello")


def test_an_interpreter_that_cannot_be_started(url: str, tmp_path: Path) -> None:
    lie = f"import sys, holdfast.cli; sys.executable = {str(tmp_path)!r}"
    lie += "; sys.exit(holdfast.cli.main(['run', 'x', '--', 'true']))"
    done = subprocess.run([sys.executable, "-c", lie], capture_output=True, text=True, check=False)
    assert done.returncode == 126
    assert done.stderr == "holdfast: cannot start a process: Permission denied\n"


# The shim is run without site-packages, and then becomes another program: whoever measures it must
# import it.
SHIM = "import sys; from holdfast.cli import shim; shim.die_with({}); shim.become(sys.argv[1:])"


@pytest.mark.parametrize(
    ("command", "status"), [(["sh", "-c", "exit 5"], 5), (["no-such"], 127), (["/"], 126)]
)
def test_the_shim_becomes_the_command(command: list[str], status: int) -> None:
    program = [sys.executable, "-c", SHIM.format(os.getpid()), *command]
    assert subprocess.run(program, check=False).returncode == status
    nohup = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]
    assert subprocess.run([*nohup, *program], check=False).returncode == status


def test_the_shim_dies_if_its_runner_has(tmp_path: Path) -> None:
    program = SHIM.format(1 if os.getppid() != 1 else 2)
    done = subprocess.run(
        [sys.executable, "-c", program, "touch", str(tmp_path / "a")], check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "a").exists()


def test_nothing_but_linux_ties_the_command_to_its_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "other")
    shim.die_with(os.getppid())


def test_a_signal_for_what_has_ended_goes_nowhere() -> None:
    child = Child(["true"], os.environ, own_group=True)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    child.send(signal.SIGTERM)
    assert child.status == 0
    child.send(signal.SIGTERM)
    child.clear_away(0)


def test_a_signal_for_what_is_anothers_goes_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int, number: int) -> None:
        raise PermissionError

    child = Child(["sleep", "600"], os.environ, own_group=True)
    with monkeypatch.context() as patch:
        patch.setattr(os, "killpg", refuse)
        child.send(signal.SIGTERM)
    child.send(signal.SIGKILL)
    assert os.waitpid(child.pid, 0)[1] == signal.SIGKILL


def test_a_second_signal_does_not_disturb_the_cleaning_up() -> None:
    with Signals([signal.SIGUSR1]):
        with pytest.raises(Interrupted):
            signal.raise_signal(signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR1)


def test_a_lease_that_is_lost_before_the_command_starts(tmp_path: Path) -> None:
    mailbox = Mailbox()
    with holdfast.Client("memory://") as client, Signals([]) as signals:
        lease = client.lock("x").acquire()
        client.break_lock("x")
        with pytest.raises(holdfast.LeaseLost):
            lease.renew()
        supervisor = Supervisor(lease, 1.0, mailbox, signals)
        assert supervisor.run(["touch", str(tmp_path / "a")], own_group=True) == 76
    assert not (tmp_path / "a").exists()
