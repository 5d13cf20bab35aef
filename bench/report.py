"""The results as text."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from . import pair
from .measure import Cost, Series, percentile

GOAL = 1.6

HEADER = """\
Written by `make bench`. Only the ratios mean anything: they compare what was measured in turn, on
one machine, in one run."""

PAIRS = """\
Medians of {rounds} rounds of {count} pairs each, in a new order every round; the quartiles in
brackets. Bare: the statements of the two transactions in a loop with nothing around them. Goal for
a `with lock` whose lock is described once: at most {goal} times the bare statements. Where the load
is above one per core, time lost to other programs is added to both sides and pulls the ratio by the
clock towards 1: then look at the processor's."""


@dataclass(frozen=True)
class Results:
    """All that one run has measured, in seconds."""

    pairs: dict[str, Cost]
    handoffs: list[float]
    renewals: float
    imports: dict[str, Series]
    pinned: bool
    load: float
    rounds: int
    count: int

    @property
    def ratio(self) -> float:
        """The sync pair on a shared lock against the bare statements."""
        return self.pairs[pair.SHARED].wall.over(self.pairs[pair.BARE].wall).median

    @property
    def import_ratio(self) -> float:
        """``import holdfast`` against ``import json``."""
        return self.imports["holdfast"].over(self.imports["json"]).median


def machine(pinned: bool, load: float) -> str:
    """What it ran on, without saying whose machine it is."""
    cores = f"{os.cpu_count()} cores, {'pinned to one' if pinned else 'not pinned'}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        f"{_processor()}, {cores}, load {load:.1f} when it began; {platform.system()}; {python}; "
        f"SQLite {sqlite3.sqlite_version}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown; the first row is its head."""
    head, *body = rows
    lines = [head, tuple("---" for _ in head), *body]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def text(results: Results) -> str:
    """The whole report."""
    return "\n\n".join(
        [
            "# Results",
            HEADER,
            machine(results.pinned, results.load) + ".",
            "## One uncontended acquire and release on SQLite",
            PAIRS.format(rounds=results.rounds, count=results.count, goal=GOAL),
            _pairs(results),
            "## Other measures",
            _others(results),
        ]
    ) + "\n"  # fmt: skip


def _pairs(results: Results) -> str:
    bare = results.pairs[pair.BARE]
    rows: list[tuple[str, ...]] = [("", "µs a pair", "× bare", "CPU µs", "× bare")]
    for name, cost in results.pairs.items():
        rows.append(
            (
                f"`{name}`",
                _spread(cost.wall, 1e6, 1),
                _spread(cost.wall.over(bare.wall), 1, 2),
                _spread(cost.cpu, 1e6, 1),
                _spread(cost.cpu.over(bare.cpu), 1, 2),
            )
        )
    return table(rows)


def _spread(series: Series, factor: float, digits: int) -> str:
    low, high = (value * factor for value in series.spread)
    return f"{series.median * factor:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def _others(results: Results) -> str:
    p50, p99 = (percentile(results.handoffs, percent) * 1e3 for percent in (50, 99))
    return table(
        [
            ("", ""),
            (
                "hand-off between two processes, from `release` to the grant",
                f"p50 {p50:.2f} ms, p99 {p99:.2f} ms ({len(results.handoffs)} hand-offs)",
            ),
            ("10,000 renewals, sync", f"{results.renewals:.3f} CPU seconds"),
            (
                "`import holdfast`, against `import json`",
                f"{_spread(results.imports['holdfast'], 1e3, 1)} ms, {results.import_ratio:.2f} ×",
            ),
        ]
    )
