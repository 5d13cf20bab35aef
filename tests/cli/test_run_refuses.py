"""``holdfast run``: what it will not do, each with its exit status and one line about why."""

import sys
from pathlib import Path

import pytest

import holdfast as library
from holdfast._sync.lock import Lock, LockOptions
from tests.cli.support import holdfast

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "required: COMMAND"),
        (["walk"], "invalid choice: 'walk'"),
        (["run"], "required: NAME"),
        (["run", "x"], "put the command behind --"),
        (["run", "x", "--"], "put the command behind --"),
        (["run", "x", "true"], "unrecognized arguments: true"),
        (["run", "", "--", "true"], "name must not be empty"),
        (["run", "a\nb", "--", "true"], "holds a control character"),
        (["run", "x", "--ttl", "0", "--", "true"], "ttl must be positive"),
        (["run", "x", "--ttl", "nan", "--", "true"], "ttl must be finite"),
        (["run", "x", "--ttl", "soon", "--", "true"], "invalid number of seconds value: 'soon'"),
        (["run", "x", "--wait", "-1", "--", "true"], "wait must not be negative"),
        (["run", "x", "--wait", "ever", "--", "true"], "invalid number of seconds value: 'ever'"),
        (["run", "x", "--grace", "-1", "--", "true"], "grace must be from 0 to half of the ttl"),
        (["run", "x", "--grace", "16", "--", "true"], "grace must be from 0 to half of the ttl"),
        (["run", "x", "--grace", "nan", "--", "true"], "grace must be from 0 to half of the ttl"),
        (["run", "x", "--tt", "3", "--", "true"], "unrecognized arguments: --tt 3"),
        (["run", "x", "--url", "nothing", "--", "true"], "must start with a scheme"),
        (["run", "x", "--url", "carrier-pigeon://a", "--", "true"], "must start with a scheme"),
        (["run", "x", "--url", "pigeon://a", "--", "true"], "no engine for pigeon://"),
        (["demo", "--", "true"], "demo takes no arguments behind --"),
        (["demo", "--buyers", "1"], "--buyers must be from 12 to 200"),
        (["demo", "--seed", "x"], "invalid int value: 'x'"),
    ],
)
def test_wrong_arguments(url: str, args: list[str], words: str) -> None:
    status, out, err = holdfast(*args)
    assert (status, out) == (2, "")
    assert err.startswith("holdfast: ")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "args",
    [
        ["run", "x", "--url", f"sqlite://me:{SECRET}@host/a", "--", "true"],
        ["run", "x", "--url", f"pigeon://me:{SECRET}@host", "--", "true"],
        ["run", "x", "--url", f"redis://me:{SECRET}\u2100@host", "--", "true"],
        ["run", "x", "--url", f"redis://me:{SECRET}@[::1", "--", "true"],
        ["run", "x", "--url", f"://me:{SECRET}@host", "--", "true"],
        ["run", "x", "--urls", f"redis://me:{SECRET}@host", "--", "true"],
        ["run", "x", "--urls", f"redis://me:a@b/{SECRET}@host", "--", "true"],
        ["run", "x", "--url", f"sqlite:///tmp/a?password={SECRET}", "--", "true"],
    ],
)
def test_a_password_is_never_repeated(url: str, args: list[str]) -> None:
    status, out, err = holdfast(*args)
    assert (status, out) == (2, "")
    assert SECRET not in err
    if args[2] == "--url":
        environment = {"HOLDFAST_URL": args[3]}
        assert holdfast("run", "x", "--", "true", env=environment) == (2, "", err)


def test_an_engine_that_is_unavailable(tmp_path: Path) -> None:
    status, out, err = holdfast("run", "x", "--url", f"sqlite://{tmp_path}/no/x.db", "--", "true")
    assert (status, out) == (69, "")
    assert err.startswith("holdfast: cannot get 'x': ")
    assert err.count("\n") == 1


def test_a_name_that_is_in_use_as_something_else(url: str, client: library.Client) -> None:
    options = LockOptions(
        ttl=10, wait=0, renew=False, max_hold=None, fair=False, on_lost=None, info=None,
        kind="semaphore", capacity=2,
    )  # fmt: skip
    with Lock(client, "x", options):
        status, out, err = holdfast("run", "x", "--", "true")
    assert (status, out) == (2, "")
    assert "is in use as a semaphore" in err
    assert err.count("\n") == 1


def test_a_command_that_is_not_there(url: str) -> None:
    status, _, err = holdfast("run", "x", "--", "no-such-command")
    assert (status, err) == (127, "holdfast: cannot run 'no-such-command': no such command\n")
    assert holdfast("run", "x", "--", "./no/such")[0] == 127
    assert holdfast("run", "x", "--", "")[0] == 127


def test_a_command_that_cannot_be_executed(url: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    status, _, err = holdfast("run", "x", "--", str(script))
    assert (status, err) == (126, f"holdfast: cannot run '{script}': Permission denied\n")
    assert holdfast("run", "x", "--", str(tmp_path))[0] == 126  # a folder
    script.chmod(0o755)
    assert holdfast("run", "x", "--", str(script))[0] == 127  # as shells have it
    script.write_bytes(b"\x7fELF and nothing more")
    status, _, err = holdfast("run", "x", "--", str(script))
    assert (status, err) == (126, f"holdfast: cannot run '{script}': Exec format error\n")


def test_nobody_waits_for_a_lock_to_learn_of_a_mistyped_command(url: str) -> None:
    nested = [sys.executable, "-m", "holdfast", "run", "x", "--wait", "forever", "--", "nope"]
    assert holdfast("run", "x", "--", *nested)[0] == 127
