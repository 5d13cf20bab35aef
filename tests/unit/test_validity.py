"""Trust ends before the engine frees the lease, and renewals fit in between."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast._core.arguments import MAX_SECONDS
from holdfast._core.model import Capabilities
from holdfast._core.record import ALIVE
from holdfast._core.validity import DRIFT_FACTOR, renew_at, retry_at, trusted_until

LEAST = Capabilities().min_ttl
moments = st.floats(0, 1e9)
ttls = st.floats(LEAST, MAX_SECONDS)


@given(moments, ttls, st.floats(0, 100))
def test_trust_ends_before_the_engine_frees_the_lease(
    sent_at: float, ttl: float, transit: float
) -> None:
    freed = sent_at + transit + ttl  # the engine counts from when the request arrived
    assert trusted_until(sent_at, ttl) < freed


@given(moments, ttls)
def test_also_when_our_clock_runs_slower_than_the_engine_by_the_drift(
    sent_at: float, ttl: float
) -> None:
    trusted_for = trusted_until(sent_at, ttl) - sent_at
    assert trusted_for * (1 + DRIFT_FACTOR) < ttl + 1e-6


@given(moments, ttls, ttls)
def test_a_longer_ttl_is_trusted_longer(sent_at: float, one: float, two: float) -> None:
    shorter, longer = sorted((one, two))
    assert trusted_until(sent_at, shorter) <= trusted_until(sent_at, longer)


@given(moments, moments, ttls)
def test_a_later_request_is_trusted_longer(one: float, two: float, ttl: float) -> None:
    earlier, later = sorted((one, two))
    assert trusted_until(earlier, ttl) <= trusted_until(later, ttl)


@given(st.floats(0, 1e6), ttls)
def test_three_renewals_fit_in_before_the_end(sent_at: float, ttl: float) -> None:
    deadline = trusted_until(sent_at, ttl)
    first = renew_at(sent_at, ttl)
    second = retry_at(first, deadline)
    third = retry_at(second, deadline)
    assert sent_at < first < second < third
    if ttl > 0.05:
        assert third < deadline


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_retry_is_always_in_the_future(now: float, deadline: float) -> None:
    assert retry_at(now, deadline) > now


def test_the_shortest_ttl_leaves_time_to_trust() -> None:
    assert trusted_until(0.0, LEAST) > renew_at(0.0, LEAST) > 0


def test_a_waiter_asks_again_before_it_is_taken_for_dead() -> None:
    assert ALIVE > 2 * 1.0  # it looks by itself within a second, see test_backoff
