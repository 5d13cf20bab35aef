"""Wrong arguments are refused before any I/O, with the error that fits."""

import math
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast
from holdfast._core.arguments import (
    MAX_SECONDS,
    check_flag,
    check_max_hold,
    check_ttl,
    check_wait,
    seconds,
)

NOT_FINITE = [math.nan, math.inf, -math.inf]
NOT_A_NUMBER: list[Any] = [True, False, "10", b"10", [], Decimal(10), Fraction(1, 2), 1j, object()]
TOO_LONG = [MAX_SECONDS + 1, 1e300, 10**400, timedelta.max]


@pytest.mark.parametrize("value", NOT_FINITE)
def test_not_finite(value: float) -> None:
    for check in (lambda v: check_ttl(v, 0.01), check_wait, check_max_hold):
        with pytest.raises(ValueError):
            check(value)


@pytest.mark.parametrize("value", NOT_A_NUMBER, ids=lambda value: type(value).__name__)
def test_not_a_number(value: Any) -> None:
    for check in (lambda v: check_ttl(v, 0.01), check_wait, check_max_hold):
        with pytest.raises(TypeError, match=r"(ttl|wait|max_hold) must be seconds or a timedelta"):
            check(value)


@pytest.mark.parametrize("value", TOO_LONG, ids=lambda value: f"{type(value).__name__}")
def test_more_than_a_year(value: Any) -> None:
    for check in (lambda v: check_ttl(v, 0.01), check_wait, check_max_hold):
        with pytest.raises(ValueError, match="more than a year"):
            check(value)


NOT_POSITIVE = [0, 0.0, -0.0, -1, -1e-9, -(10**400), timedelta(), -timedelta(1)]


@pytest.mark.parametrize("value", NOT_POSITIVE, ids=lambda value: str(value)[:9])
def test_a_ttl_and_a_max_hold_are_positive(value: Any) -> None:
    with pytest.raises(ValueError):
        check_ttl(value, 0.01)
    with pytest.raises(ValueError):
        check_max_hold(value)


@pytest.mark.parametrize("value", [-1, -1e-9, -(10**400), -timedelta(1)], ids=lambda v: str(v)[:9])
def test_a_wait_is_not_negative(value: Any) -> None:
    with pytest.raises(ValueError):
        check_wait(value)


def test_a_ttl_must_suit_the_engine() -> None:
    assert check_ttl(0.01, 0.01) == 0.01
    with pytest.raises(ValueError, match=r"too small for this engine: 0\.01 s is the least"):
        check_ttl(0.0099, 0.01)


@pytest.mark.parametrize("check", [check_wait, check_max_hold])
def test_none_is_no_limit(check: Any) -> None:
    assert check(None) is None


def test_no_ttl_is_no_ttl() -> None:
    with pytest.raises(TypeError):
        check_ttl(None, 0.01)  # type: ignore[arg-type]


def test_zero_is_a_wait() -> None:
    assert check_wait(0) == 0.0
    assert check_wait(timedelta()) == 0.0


@given(st.floats(0.01, MAX_SECONDS))
def test_a_good_number_stays_what_it_is(value: float) -> None:
    assert check_ttl(value, 0.01) == check_wait(value) == check_max_hold(value) == value


@given(st.timedeltas(timedelta(seconds=0.01), timedelta(days=366)))
def test_a_timedelta_is_its_seconds(value: timedelta) -> None:
    assert check_ttl(value, 0.01) == value.total_seconds()


@given(st.one_of(st.integers(), st.floats(), st.timedeltas(), st.booleans(), st.text()))
def test_whatever_comes_there_is_a_finite_float_or_the_documented_error(value: Any) -> None:
    try:
        result = seconds(value, "ttl")
    except (TypeError, ValueError):
        return
    assert type(result) is float
    assert math.isfinite(result)
    assert result <= MAX_SECONDS


@pytest.mark.parametrize("value", [0, 1, None, "yes", 3.0, []])
def test_a_flag_is_a_bool(value: Any) -> None:
    with pytest.raises(TypeError, match="renew must be True or False"):
        check_flag(value, "renew")


@pytest.mark.parametrize("value", [True, False])
def test_a_bool_is_a_flag(value: bool) -> None:
    assert check_flag(value, "renew") is value


BAD: list[tuple[dict[str, Any], type[Exception]]] = [
    ({"name": ""}, ValueError),
    ({"name": "x" * 513}, ValueError),
    ({"name": "a\nb"}, ValueError),
    ({"name": b"x"}, TypeError),
    ({"ttl": 0}, ValueError),
    ({"ttl": math.nan}, ValueError),
    ({"ttl": True}, TypeError),
    ({"ttl": 0.001}, ValueError),
    ({"ttl": None}, TypeError),
    ({"wait": -1}, ValueError),
    ({"wait": "1"}, TypeError),
    ({"renew": 3}, TypeError),
    ({"max_hold": 0}, ValueError),
    ({"fair": 1}, TypeError),
    ({"on_lost": "call me"}, TypeError),
    ({"info": ["a"]}, TypeError),
    ({"info": {1: "a"}}, TypeError),
    ({"info": {"a": object()}}, TypeError),
    ({"info": {"a": math.nan}}, ValueError),
    ({"info": {"a": "x" * 5000}}, ValueError),
]


@pytest.mark.parametrize("client", [holdfast.Client, holdfast.AsyncClient])
@pytest.mark.parametrize("method", ["lock", "locked"])
@pytest.mark.parametrize(("arguments", "error"), BAD, ids=[next(iter(bad)) for bad, _ in BAD])
def test_the_clients_check_all_of_it(
    client: Any, method: str, arguments: dict[str, Any], error: type[Exception]
) -> None:
    # The file cannot exist: whatever touched it would raise something else.
    owner = client("sqlite:///no/such/folder/locks.db")
    arguments = {"name": "x", **arguments}
    with pytest.raises(error):
        made = getattr(owner, method)(arguments.pop("name"), **arguments)
        if method == "locked":  # a template is checked against its function
            made(_async_function if client is holdfast.AsyncClient else _function)


def _function() -> None: ...


async def _async_function() -> None: ...


@pytest.mark.parametrize("wait", [-1, math.nan, "1", True])
def test_acquire_checks_its_wait(wait: Any) -> None:
    lock = holdfast.Client("sqlite:///no/such/folder/locks.db").lock("x")
    with pytest.raises((ValueError, TypeError)):
        lock.acquire(wait)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"url": 3}, TypeError),
        ({"url": "nonsense"}, ValueError),
        ({"url": "nonsense://"}, ValueError),
        ({"prefix": 3}, TypeError),
        ({"prefix": "a\0"}, ValueError),
        ({"prefix": None}, TypeError),
        ({"require": "durable"}, TypeError),
        ({"require": ["eternal"]}, ValueError),
        ({"require": ["durable"]}, holdfast.CapabilityError),
    ],
    ids=str,
)
@pytest.mark.parametrize("client", [holdfast.Client, holdfast.AsyncClient])
def test_a_client_is_refused_when_it_is_built(
    client: Any, arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        client(**{"url": "memory://", **arguments})


def test_what_is_required_and_given_is_fine() -> None:
    client = holdfast.Client("memory://", prefix="", require=["fencing", "fair"])
    assert client.prefix == ""
