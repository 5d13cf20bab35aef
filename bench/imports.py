"""What ``import holdfast`` costs, against ``import json``."""

from __future__ import annotations

import subprocess
import sys

from .measure import Series

MODULES = ("json", "holdfast")


def measure(rounds: int) -> dict[str, Series]:
    """Return the seconds that each import takes in a new interpreter, in turn."""
    taken: dict[str, list[float]] = {module: [] for module in MODULES}
    for number in range(rounds + 1):
        for module in MODULES:
            seconds = _cost(module)
            if number:  # the first compiles, and warms the disk cache
                taken[module].append(seconds)
    return {module: Series(tuple(values)) for module, values in taken.items()}


def _cost(module: str) -> float:
    command = [sys.executable, "-X", "importtime", "-c", f"import {module}"]
    report = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    for line in reversed(report.splitlines()):  # self [us] | cumulative | imported package
        _, cumulative, name = line.split("|")
        if name.strip() == module:
            return float(cumulative) / 1e6
    return 0.0  # loaded by the interpreter itself
