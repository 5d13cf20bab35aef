"""Runs all benchmarks, prints the results and writes them to ``bench/RESULTS.md``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from . import handoff, imports, pair, renewals
from .measure import pin
from .report import Results, text

OUTPUT = Path(__file__).with_name("RESULTS.md")


def run(options: argparse.Namespace) -> Results:
    """Measure everything."""
    load = os.getloadavg()[0]
    pinned = not options.no_pin and pin() is not None
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as name:
        folder = Path(name)
        return Results(
            pairs=pair.measure(folder, options.rounds, options.pairs, options.seed),
            handoffs=handoff.measure(folder, options.handoffs),
            renewals=renewals.measure(folder, options.leases, options.ttl),
            imports=imports.measure(options.imports),
            pinned=pinned,
            load=load,
            rounds=options.rounds,
            count=options.pairs,
        )


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="rounds of pairs (15)")
    # SQLite copies its log back every thousand pages: a shorter round may meet that, or not.
    parser.add_argument("--pairs", type=int, default=2000, help="pairs a round (2000)")
    parser.add_argument("--handoffs", type=int, default=300, help="hand-offs (300)")
    parser.add_argument("--leases", type=int, default=10_000, help="leases to renew (10000)")
    parser.add_argument("--ttl", type=float, default=15.0, help="their ttl (15)")
    parser.add_argument("--imports", type=int, default=15, help="rounds of imports (15)")
    parser.add_argument("--seed", type=int, default=1, help="of the order within a round (1)")
    parser.add_argument("--no-pin", action="store_true", help="use all cores")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="where to write the results")
    return parser


def main(arguments: list[str] | None = None) -> Results:
    """Run the command."""
    options = parser().parse_args(arguments)
    results = run(options)
    report = text(results)
    options.output.write_text(report, encoding="utf-8")
    sys.stdout.write(report)
    return results


if __name__ == "__main__":
    main()
