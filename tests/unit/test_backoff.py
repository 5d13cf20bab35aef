"""Pauses stay within their bounds and use all of them."""

import statistics
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast._core.backoff import Backoff, poll_pause

backoffs = st.builds(
    lambda base, factor: Backoff(base, base * factor), st.floats(1e-6, 1.0), st.floats(1.0, 1e4)
)


@given(backoffs, st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_a_pause_is_never_longer_than_its_ceiling_and_that_never_than_the_cap(
    backoff: Backoff, attempt: int, random: Random
) -> None:
    assert 0 <= backoff.pause(attempt, random) <= backoff.ceiling(attempt) <= backoff.cap


@given(backoffs, st.integers(0, 200))
def test_the_ceiling_doubles_until_the_cap(backoff: Backoff, attempt: int) -> None:
    here, after = backoff.ceiling(attempt), backoff.ceiling(attempt + 1)
    assert after == min(2 * here, backoff.cap)
    assert backoff.ceiling(0) == backoff.base


def test_full_jitter() -> None:
    """A crowd spreads over the whole interval, evenly."""
    random, backoff = Random(42), Backoff(base=1.0, cap=8.0)
    pauses = [backoff.pause(10, random) for _ in range(4000)]
    quarters = [sum(lower <= pause < lower + 2 for pause in pauses) for lower in (0, 2, 4, 6)]
    assert min(quarters) > 850
    assert statistics.mean(pauses) == pytest.approx(4.0, rel=0.05)


@pytest.mark.parametrize(
    ("base", "cap"), [(0, 1), (-1, 1), (2, 1), (float("nan"), 1), (1, float("nan"))]
)
def test_what_makes_no_sense_is_refused(base: float, cap: float) -> None:
    with pytest.raises(ValueError):
        Backoff(base, cap)


@given(st.randoms(use_true_random=False))
def test_a_waiter_looks_by_itself_within_a_second(random: Random) -> None:
    assert 0.5 <= poll_pause(random) <= 1.0
