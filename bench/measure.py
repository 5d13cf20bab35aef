"""Measuring several things in turn, so that a change of the machine's mood meets all of them."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from time import perf_counter, process_time


@dataclass(frozen=True)
class Series:
    """One number per round."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one."""
        return statistics.median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """The quartiles: half of the rounds lie between them."""
        if len(self.values) < 2:
            return self.median, self.median
        low, _, high = statistics.quantiles(self.values, n=4, method="inclusive")
        return low, high

    def over(self, other: Series) -> Series:
        """The ratio to another series, round by round."""
        pairs = zip(self.values, other.values, strict=True)
        return Series(tuple(mine / theirs for mine, theirs in pairs))


@dataclass(frozen=True)
class Cost:
    """What something takes: by the clock on the wall, and of the processor (all threads).

    On a machine that is busy with other things only the second can be compared.
    """

    wall: Series
    cpu: Series


def interleave(
    contenders: Mapping[str, Callable[[int], None]], rounds: int, count: int, seed: int
) -> dict[str, Cost]:
    """Have each do its thing ``count`` times a round, in a new order every round.

    The first round warms up and does not count. Returns seconds per time, by name.
    """
    random = Random(seed)
    names = list(contenders)
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for number in range(rounds + 1):
        random.shuffle(names)
        for name in names:
            started, spent = perf_counter(), process_time()
            contenders[name](count)
            wall, cpu = perf_counter() - started, process_time() - spent
            if number:
                taken[name].append((wall / count, cpu / count))
    return {
        name: Cost(Series(tuple(w for w, _ in values)), Series(tuple(c for _, c in values)))
        for name, values in taken.items()
    }


def percentile(values: Sequence[float], percent: float) -> float:
    """The value below which so many percent lie."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * percent / 100), len(ordered) - 1)]


def pin() -> int | None:
    """Stay on one core from now on, children included; None where the system cannot."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core
