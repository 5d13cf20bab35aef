"""``holdfast demo``: it shows what happened, and leaves nothing behind."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from holdfast import StaleFence
from holdfast.cli.demo import acts
from holdfast.cli.demo.acts import ACTS, ITEMS, Outcome, Stage
from holdfast.cli.demo.crowd import Crowd, DemoFailed
from holdfast.cli.demo.display import Display, describe
from holdfast.cli.demo.shop import Shop
from tests.cli.support import LIMIT, Running, Terminal, holdfast, until


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the demo makes its temporary folder."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_what_it_says_is_true(folder: Path) -> None:
    status, out, err = holdfast("demo", "--json", "--seed", "5")
    assert (status, err) == (0, "")
    assert out.count("\n") == 1
    document = json.loads(out)
    assert (document["seed"], document["buyers"], document["items"]) == (5, 24, ITEMS)
    assert document["as_told"] is True
    naive, locked, paused, fenced = document["acts"]
    for act in document["acts"]:
        assert act["sold"] == sum(items for _, items in act["orders"])
        assert act["adds_up"] is (act["sold"] + act["left"] == ITEMS)

    assert naive["sold"] > ITEMS
    assert naive["fences"] == {}

    assert (locked["sold"], locked["left"]) == (ITEMS, 0)
    assert len(set(locked["fences"].values())) == 24
    fences = [locked["fences"][str(buyer)] for buyer, _ in locked["orders"]]
    assert all(earlier < later for earlier, later in pairwise(fences))

    for act in (paused, fenced):
        assert act["first"]["fence"] < act["second"]["fence"]
        assert act["first"]["pid"] != act["second"]["pid"]
        assert act["first"]["lease_lost"]
        assert not act["second"]["lease_lost"]
        assert act["between"] == act["second"]["wrote"] == ITEMS - 3
    assert paused["left"] == paused["first"]["wrote"] == ITEMS - 1
    assert fenced["left"] == fenced["between"]
    assert fenced["first"]["wrote"] is None
    assert fenced["first"]["refused"] == {
        "error": "StaleFence",
        "fence": fenced["first"]["fence"],
        "highest": fenced["second"]["fence"],
    }
    assert list(folder.iterdir()) == []


def test_plain_text_for_a_pipe(folder: Path) -> None:
    status, out, err = holdfast("demo", "--buyers", "12")
    assert (status, err) == (0, "")
    assert "\x1b" not in out
    assert "\r" not in out
    assert max(map(len, out.splitlines())) <= 78
    assert len(out.splitlines()) <= 24
    assert re.search(r"│ +12 │ +10 │ +0 │ +10 = 10 │ ✓", out)
    assert re.search(r"✓ StaleFence: …\d{3} is too old", out)
    assert list(folder.iterdir()) == []


def test_ascii_where_there_is_nothing_else(folder: Path) -> None:
    environment = {"PYTHONIOENCODING": "ascii"}
    status, out, _ = holdfast("demo", "--buyers", "12", env=environment)
    assert status == 0
    assert out.isascii()
    assert re.search(r"\| +12 \| +10 \| +0 \| +10 = 10 \| \+ 12 holders", out)


def test_colour_at_a_terminal(folder: Path) -> None:
    with Terminal("demo", "--buyers", "12", env={"NO_COLOR": ""}) as terminal:
        assert terminal.finish() == 0
    assert "\x1b[31m✗" in terminal.screen
    assert "\x1b[32m✓" in terminal.screen
    assert "the buyers are coming" in terminal.screen


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("color", "environment", "painted"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {}, False),
    ],
)
def test_colour_is_for_those_who_want_it(
    monkeypatch: pytest.MonkeyPatch, color: bool, environment: dict[str, str], painted: bool
) -> None:
    for name in ("TERM", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    screen = Tty()
    Display(color=color, stream=screen).opening(24, 1)
    assert ("\x1b" in screen.getvalue()) is painted


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_leaves_nothing_behind_when_it_is_interrupted(folder: Path, number: int) -> None:
    with Running("demo", "--buyers", "12") as demo:
        until(lambda: list(folder.glob("holdfast-demo-*/locks.db")))
        demo.send(number)
        status, _, err = demo.finish()  # its output has ended: nobody holds it open any more
    assert (status, err) == (128 + number, "")
    assert list(folder.iterdir()) == []
    assert _buyers_of(folder) == []


def test_a_paused_buyer_is_not_left_behind_either(folder: Path) -> None:
    with Running("demo", "--buyers", "12") as demo:
        while "A lock and a pause" not in demo.line():
            pass
        demo.send(signal.SIGTERM)
        assert demo.finish()[0] == 143
    assert list(folder.iterdir()) == []
    assert _buyers_of(folder) == []


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")
def test_the_buyers_die_with_the_demo(folder: Path) -> None:
    with Running("demo", "--buyers", "12") as demo:
        while "A lock and a pause" not in demo.line():
            pass
        demo.send(signal.SIGKILL)
        assert demo.finish()[0] == -signal.SIGKILL
        until(lambda: _buyers_of(folder) == [])


def _buyers_of(folder: Path) -> list[str]:
    shown = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return [
        line for line in shown.stdout.splitlines() if "demo.buyer" in line and str(folder) in line
    ]


# --- what cannot be seen in a demo that goes well ------------------------------------------------


def test_a_sale_that_did_not_oversell_is_tried_again_and_admitted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []

    def sale(stage: Stage, seed: int, locked: bool) -> dict[str, Any]:
        seeds.append(seed)
        return {"seed": seed, "buyers": 12, "fences": {}, "orders": [], "sold": 10, "left": 0}

    monkeypatch.setattr(acts, "_sale", sale)
    Shop.build(str(tmp_path / "shop.db"))
    with Shop(str(tmp_path / "shop.db")) as shop:
        outcome = acts.play(ACTS[0], Stage(Crowd(12, str(tmp_path)), shop, 7))
    assert seeds == [7, 8, 9, 10, 11]
    assert not outcome.as_told
    assert describe(outcome)[1] == "not oversold in 5 attempts"
    screen = io.StringIO()
    display = Display(color=True, stream=screen)
    display.result(outcome)
    display.closing([outcome], 1.0)
    assert "This is not what the story says." in screen.getvalue()
    assert "Not as told: No lock." in screen.getvalue()


def test_the_exit_status_tells_that_it_was_not_as_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from holdfast.cli import main

    def play(act: acts.Act, stage: Stage) -> Outcome:
        return Outcome(act, {"sold": 0, "left": 0, "as_told": False}, 0.0)

    monkeypatch.setattr("holdfast.cli.demo.command.play", play)
    monkeypatch.setattr(Crowd, "assemble", lambda crowd, deadline: None)
    assert main(["demo", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["as_told"] is False


def test_a_buyer_who_fails(folder: Path) -> None:
    script = "import sys; from holdfast.cli import main; import holdfast.cli.demo.acts as acts"
    script += "; acts.SHORT_TTL = -1; sys.exit(main(['demo', '--buyers', '12']))"
    demo = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert demo.returncode == 1
    assert demo.stderr == (
        "holdfast: the demo failed: buyer 1 has ended by itself: "
        "ValueError: ttl must be positive, not -1.0\n"
    )
    assert list(folder.iterdir()) == []


def test_a_folder_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import sys, tempfile; from holdfast.cli import main; tempfile.tempdir = '/no/such'"
    demo = subprocess.run(
        [sys.executable, "-c", script + "; sys.exit(main(['demo']))"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert demo.returncode == 1
    assert demo.stderr.startswith("holdfast: the demo failed: ")
    assert demo.stderr.count("\n") == 1


def test_buyers_who_do_not_answer_or_have_gone(tmp_path: Path) -> None:
    Shop.build(str(tmp_path / "shop.db"))
    people = Crowd(2, str(tmp_path))
    with pytest.raises(DemoFailed, match="buyer 1 has ended by itself"):
        with people:
            people.assemble(1e9)
            first, second = people.buyers
            with pytest.raises(DemoFailed, match="buyer 2 did not answer in time"):
                second.hear(0)
            assert people.last_words() == ""
            first.tell("buy")  # without the arguments that it needs
            with pytest.raises(DemoFailed, match="buyer 1 has ended by itself"):
                first.hear(1e9)
            assert "TypeError" in people.last_words()
            os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)
            with pytest.raises(DemoFailed, match="buyer 1 has ended by itself"):
                first.tell("buy")
            second.pause()  # and is left so
            first.pause()
    assert all(buyer._popen.returncode is not None for buyer in people.buyers)


def test_the_guard_of_the_shop(tmp_path: Path) -> None:
    Shop.build(str(tmp_path / "shop.db"))
    with Shop(str(tmp_path / "shop.db")) as shop:
        shop.open_with(10)
        shop.sell_guarded(1, 1, saw=10, fence=5, owner="a")
        shop.sell_guarded(1, 1, saw=9, fence=5, owner="a")  # the same holder again
        with pytest.raises(StaleFence) as caught:
            shop.sell_guarded(2, 1, saw=8, fence=5, owner="b")  # a fence can be only one holder's
        assert (caught.value.fence, caught.value.highest) == (5, 5)
        with pytest.raises(StaleFence):
            shop.sell_guarded(2, 1, saw=8, fence=4, owner="b")
        shop.sell_guarded(2, 1, saw=8, fence=6, owner="b")
        assert shop.orders() == [(1, 1), (1, 1), (2, 1)]
        assert shop.look() == 7
