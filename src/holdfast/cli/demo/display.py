"""The demo as a person sees it: one screen, in colour where the terminal has any."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

from .acts import ITEMS, Act, Outcome

WIDTH = 78

_CODES = {"red": "31", "green": "32", "cyan": "36", "bold": "1", "dim": "2"}
_ASCII = str.maketrans(
    {"│": "|", "─": "-", "✓": "+", "✗": "x", "≠": "!=", "·": "-", "…": "~", "→": ">"}
)


def is_terminal(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether a person is looking, at a terminal that understands more than text."""
    return stream.isatty() and environ.get("TERM", "dumb") != "dumb"


def can_draw(stream: TextIO) -> bool:
    """Whether the stream's encoding has lines and ticks."""
    try:
        "│─✓✗≠·…→".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class Display:
    """Prints acts as they end."""

    def __init__(self, color: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stdout if stream is None else stream
        self._terminal = is_terminal(self._stream, os.environ)
        self._color = color and self._terminal and not os.environ.get("NO_COLOR")
        self._unicode = can_draw(self._stream)

    def _paint(self, text: str, *styles: str) -> str:
        if not self._color:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def _print(self, text: str = "") -> None:
        print(text if self._unicode else text.translate(_ASCII), file=self._stream, flush=True)

    def opening(self, buyers: int, seed: int) -> None:
        """Say what is about to be seen."""
        what = f"a flash sale: {ITEMS} items, {buyers} buyers, {buyers} real processes"
        pad = " " * (WIDTH - len(f" holdfast demo  {what}") - len(f"seed {seed}"))
        self._print(
            f" {self._paint('holdfast demo', 'bold', 'cyan')}  {what}{pad}"
            + self._paint(f"seed {seed}", "dim")
        )

    def hint(self, text: str) -> None:
        """Show at a terminal what is waited for, on a line that the next hint replaces."""
        if self._terminal:
            text = text if self._unicode else text.translate(_ASCII)
            print(f"\r   {text}".ljust(WIDTH), end="\r", file=self._stream, flush=True)

    def curtain(self, number: int, act: Act) -> None:
        """Announce an act, before it is played."""
        head = f" {number} ─ {act.title} "
        self._print()
        self._print(self._paint(head, "bold") + self._paint("─" * (WIDTH - len(head)), "dim"))
        self._print(f"   {act.story}")

    def result(self, outcome: Outcome) -> None:
        """Show what came of it, as a table of one row."""
        columns, verdict = describe(outcome)
        widths = [max(len(head), len(value)) for head, value in columns]
        bar = self._paint("│", "dim")
        heads = [
            self._paint(head.rjust(width), "dim")
            for (head, _), width in zip(columns, widths, strict=True)
        ]
        values = [
            self._paint(value.rjust(width), "bold")
            for (_, value), width in zip(columns, widths, strict=True)
        ]
        mark, hue = ("✓", "green") if outcome.adds_up else ("✗", "red")
        self._print(f"   {bar} " + f" {bar} ".join(heads) + f" {bar}")
        self._print(
            f"   {bar} "
            + f" {bar} ".join(values)
            + f" {bar} {self._paint(f'{mark} {verdict}', hue)}"
        )
        if not outcome.as_told:
            self._print("   " + self._paint("This is not what the story says.", "red", "bold"))

    def closing(self, outcomes: list[Outcome], seconds: float) -> None:
        """Say what is to be remembered, or that the demo proved nothing."""
        self._print()
        if not all(outcome.as_told for outcome in outcomes):
            failed = [outcome.act.title for outcome in outcomes if not outcome.as_told]
            self._print(" " + self._paint(f"✗ Not as told: {', '.join(failed)}.", "red", "bold"))
            return
        naive, locked, paused, fenced = outcomes
        self._print(
            f" No lock: {naive.sold} of {ITEMS} sold. A lock: {locked.sold}. "
            f"A pause undid {paused.surplus} sales; with a fence, {fenced.surplus}."
        )
        moral = "A lock keeps the others out, a fence who comes back late."
        time = f"{seconds:.1f} s"
        self._print(
            self._paint(f" ✓ {moral}", "green", "bold")
            + self._paint(time.rjust(WIDTH - len(moral) - 3), "dim")
        )


def describe(outcome: Outcome) -> tuple[list[tuple[str, str]], str]:
    """Return the table's columns, each with its value, and the verdict."""
    facts = outcome.facts
    total = outcome.sold + outcome.left
    columns = [("sold", str(outcome.sold)), ("left", str(outcome.left))]
    columns.append(("sold + left", f"{total} {'=' if outcome.adds_up else '≠'} {ITEMS}"))
    if "buyers" in facts:
        columns.insert(0, ("buyers", str(facts["buyers"])))
        oversold = outcome.sold - ITEMS
        if oversold > 0:
            return columns, f"{oversold} sold that were never there"
        if facts["fences"]:
            return columns, f"{facts['buyers']} holders, one after another"
        return columns, f"not oversold in {facts['attempts']} attempts"
    first, second = facts["first"], facts["second"]
    columns.insert(0, ("fences", f"{_short(first['fence'])} → {_short(second['fence'])}"))
    refused = first["refused"]
    if refused is not None:
        return columns, f"{refused['error']}: {_short(refused['fence'])} is too old"
    return columns, f"its {first['wrote']} overwrote the newer {facts['between']}"


def _short(fence: int) -> str:
    """The end of a fence, which is where neighbours differ."""
    return f"…{fence % 1000:03}"
