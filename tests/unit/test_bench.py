"""The benchmarks run, and what they say is complete. How fast it is, a busy machine cannot tell."""

from pathlib import Path

import pytest

from bench import handoff, imports, pair, renewals
from bench.__main__ import parser
from bench.measure import Series, interleave, percentile
from bench.report import Results, text


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("bench")
    return Results(
        pairs=pair.measure(folder, rounds=3, count=100, seed=1),
        handoffs=handoff.measure(folder, 3),
        renewals=renewals.measure(folder, leases=20, ttl=1.0),
        imports=imports.measure(2),
        pinned=False,
        load=0.5,
        rounds=3,
        count=100,
    )


def test_every_number_is_there(results: Results) -> None:
    assert list(results.pairs) == [pair.BARE, pair.SHARED, pair.FRESH, pair.ASYNC]
    measured = [series for cost in results.pairs.values() for series in (cost.wall, cost.cpu)]
    for series in (*measured, *results.imports.values()):
        assert all(value > 0 for value in series.values)
    assert len(results.handoffs) == 3
    assert min(results.handoffs) > 0
    assert results.renewals > 0
    assert results.import_ratio > 0


def test_the_report_shows_them(results: Results) -> None:
    report = text(results)
    for words in (pair.BARE, pair.SHARED, pair.FRESH, pair.ASYNC, "p99", "CPU seconds", "json"):
        assert words in report
    assert "nan" not in report


def test_a_pair_costs_no_multiple_of_its_statements(results: Results) -> None:
    """The goal is far below: this only notices a statement or a thread switch too many."""
    assert min(results.pairs[pair.SHARED].cpu.over(results.pairs[pair.BARE].cpu).values) < 4


def test_it_can_be_told_how_much_to_do() -> None:
    options = parser().parse_args(["--rounds", "1", "--pairs", "10", "--no-pin"])
    assert (options.rounds, options.pairs, options.no_pin) == (1, 10, True)
    assert isinstance(options.output, Path)
    assert parser().parse_args([]).pairs >= 1000


def test_all_take_part_in_every_round_and_the_first_does_not_count() -> None:
    calls: list[str] = []
    contenders = {name: (lambda count, name=name: calls.append(name)) for name in "abc"}
    taken = interleave(contenders, rounds=4, count=1, seed=1)
    assert sorted(calls) == sorted("abc" * 5)
    assert [len(cost.wall.values) for cost in taken.values()] == [4, 4, 4]
    assert len({tuple(calls[index : index + 3]) for index in range(0, 15, 3)}) > 1


def test_the_arithmetic() -> None:
    series = Series((2.0, 4.0, 6.0, 8.0, 10.0))
    assert (series.median, series.spread) == (6.0, (4.0, 8.0))
    assert series.over(Series((1.0, 1.0, 2.0, 2.0, 2.0))).values == (2.0, 4.0, 3.0, 4.0, 5.0)
    assert Series((3.0,)).spread == (3.0, 3.0)
    assert percentile([3.0, 1.0, 2.0], 50) == 2.0
    assert percentile([float(n) for n in range(100)], 99) == 99.0
