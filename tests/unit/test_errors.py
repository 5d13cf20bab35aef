"""Errors cross process borders whole, relate as documented, and carry no secret."""

import copy
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import holdfast
from holdfast import errors

SAMPLES: dict[str, tuple[errors.HoldfastError, dict[str, Any]]] = {
    "HoldfastError": (errors.HoldfastError("something"), {}),
    "AcquireTimeout": (
        errors.AcquireTimeout("order:42", 5.0, {"host": "a", "pid": 7}, 2.5),
        {
            "name": "order:42",
            "waited": 5.0,
            "holder": {"host": "a", "pid": 7},
            "retry_after": 2.5,
        },
    ),
    "LeaseLost": (
        errors.LeaseLost("order:42", 7, "it could not be renewed in time"),
        {"name": "order:42", "fence": 7, "reason": "it could not be renewed in time"},
    ),
    "NotHeld": (errors.NotHeld("order:42", 7), {"name": "order:42", "fence": 7}),
    "ResourceConflict": (
        errors.ResourceConflict("order:42", "lock", "semaphore of 3"),
        {"name": "order:42", "wanted": "lock", "found": "semaphore of 3"},
    ),
    "CapabilityError": (
        errors.CapabilityError("memory://", "durable", "memory:// does not give it"),
        {"engine": "memory://", "missing": "durable"},
    ),
    "StaleFence": (
        errors.StaleFence("order:42", 7, 9),
        {"name": "order:42", "fence": 7, "highest": 9},
    ),
    "EngineError": (errors.EngineError("refused"), {}),
    "EngineUnavailable": (errors.EngineUnavailable("no answer"), {}),
    "QuorumLost": (
        errors.QuorumLost("2 of 5 answered", {"a:6379": errors.EngineUnavailable("timed out")}),
        {},
    ),
}

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def by_pickle(protocol: int, error: Any) -> Any:
    return pickle.loads(pickle.dumps(error, protocol))


WAYS: dict[str, Callable[[Any], Any]] = {
    **{f"pickle{protocol}": partial(by_pickle, protocol) for protocol in PROTOCOLS},
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SAMPLES)
def test_a_copy_has_the_same_type_words_and_fields(name: str, way: str) -> None:
    error, fields = SAMPLES[name]
    again = WAYS[way](error)
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert repr(again) == repr(error)
    assert again.args == error.args
    assert again is not error
    for field, value in fields.items():
        assert getattr(again, field) == value


def test_every_error_has_a_sample() -> None:
    assert set(SAMPLES) == set(errors.__all__)
    assert all(type(error).__name__ == name for name, (error, _) in SAMPLES.items())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_quorum_lost_keeps_the_error_of_every_node(protocol: int) -> None:
    inner = errors.QuorumLost("inner", {"c": OSError(111, "Connection refused")})
    error = errors.QuorumLost("outer", {"a": errors.LeaseLost("x", 3, "gone"), "b": inner})
    again = pickle.loads(pickle.dumps(error, protocol))
    assert again.errors["a"].fence == 3
    assert again.errors["b"].errors["c"].errno == 111


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_subclass_with_keyword_only_fields_pickles(protocol: int) -> None:
    again = pickle.loads(pickle.dumps(Custom("no", code=3), protocol))
    assert (type(again), again.code, str(again)) == (Custom, 3, "no")


class Custom(errors.EngineError):
    def __init__(self, message: str, *, code: int) -> None:
        super().__init__(message)
        self.code = code


def test_notes_travel_with_the_error() -> None:
    error = errors.LeaseLost("x", 1, "gone")
    error.add_note("while writing")
    assert pickle.loads(pickle.dumps(error)).__notes__ == ["while writing"]


@pytest.mark.parametrize(
    ("error", "bases"),
    [
        (errors.AcquireTimeout, (errors.HoldfastError, TimeoutError)),
        (errors.LeaseLost, (errors.HoldfastError,)),
        (errors.NotHeld, (errors.HoldfastError,)),
        (errors.ResourceConflict, (errors.HoldfastError,)),
        (errors.CapabilityError, (errors.HoldfastError,)),
        (errors.StaleFence, (errors.HoldfastError,)),
        (errors.EngineError, (errors.HoldfastError,)),
        (errors.EngineUnavailable, (errors.EngineError,)),
        (errors.QuorumLost, (errors.EngineUnavailable,)),
    ],
)
def test_the_hierarchy(error: type[Exception], bases: tuple[type[Exception], ...]) -> None:
    assert all(issubclass(error, base) for base in bases)
    assert not issubclass(error, ValueError | TypeError)


def test_only_a_timeout_is_a_timeout() -> None:
    timeouts = [name for name, (error, _) in SAMPLES.items() if isinstance(error, TimeoutError)]
    assert timeouts == ["AcquireTimeout"]


def test_lost_is_not_a_kind_of_not_held_nor_the_other_way_round() -> None:
    assert not issubclass(errors.LeaseLost, errors.NotHeld)
    assert not issubclass(errors.NotHeld, errors.LeaseLost)


def test_a_timeout_without_a_known_holder() -> None:
    error = errors.AcquireTimeout("x", 0.25)
    assert (error.holder, error.retry_after) == (None, None)
    assert "held by" not in str(error)


def test_the_fields_are_copies_of_what_was_handed_in() -> None:
    holder = {"pid": 1}
    nodes: dict[str, Exception] = {"a": OSError("x")}
    timeout, quorum = errors.AcquireTimeout("x", 1, holder), errors.QuorumLost("q", nodes)
    holder["pid"] = 2
    nodes.clear()
    assert timeout.holder == {"pid": 1}
    assert list(quorum.errors) == ["a"]


def test_a_real_error_shows_no_owner() -> None:
    client = holdfast.Client("memory://test_a_real_error_shows_no_owner")
    with client.lock("x") as lease:
        with pytest.raises(holdfast.AcquireTimeout) as caught:
            client.lock("x").acquire(wait=0)
        owner = lease._tenure.ref.owner
        shown = [str(caught.value), repr(caught.value), repr(caught.value.__dict__), repr(lease)]
        shown += [repr(client), repr(client.lock("x")), repr(client.inspect("x"))]
        assert len(owner) == 32
        assert not any(owner in text for text in shown)
    client.close()
