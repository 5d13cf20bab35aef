"""The words that clients and engines speak with each other: what they show and what they hide."""

from typing import Any

import pytest

from holdfast import Capabilities, Health, Holder, NodeHealth, Snapshot
from holdfast._core.model import Busy, Claim, Grant, Ref
from holdfast._core.record import Record, acquire

OWNER, TICKET = "0" * 16 + "f" * 16, "1" * 16 + "e" * 16
CLAIM = Claim("lock:x", OWNER, 10, ticket=TICKET)
HOLDER = Holder(7, 1, 9.5, {"pid": 3}, Ref("lock:x", OWNER, 7, TICKET))


@pytest.mark.parametrize(
    "value",
    [
        CLAIM,
        CLAIM.ref,
        Busy(CLAIM, 1.0, {"pid": 3}),
        HOLDER,
        Snapshot("x", "lock", 1, (HOLDER,), 2),
        acquire(Record(), CLAIM, 0.0, 0)[0],
        acquire(Record(), CLAIM, 0.0, 0),
    ],
    ids=lambda value: type(value).__name__,
)
def test_owners_and_tickets_stay_out_of_repr_and_str(value: Any) -> None:
    for shown in (repr(value), str(value), f"{value}"):
        assert OWNER not in shown
        assert TICKET not in shown


def test_a_ref_undoes_its_claim() -> None:
    assert CLAIM.ref == Ref("lock:x", OWNER, 0, TICKET)


def test_the_fence_of_a_snapshot_is_the_highest() -> None:
    two = Holder(9, 1, 1.0, {}, Ref("lock:x", "b", 9))
    assert Snapshot("x", "semaphore", 2, (HOLDER, two), 0).fence == 9
    assert Snapshot("x", "lock", 1, (), 1).fence == 0


def test_holders_are_compared_by_what_can_be_seen() -> None:
    assert Holder(7, 1, 9.5, {"pid": 3}, Ref("lock:x", "another")) == HOLDER
    assert Holder(8, 1, 9.5, {"pid": 3}, HOLDER.ref) != HOLDER


@pytest.mark.parametrize(
    ("value", "field"),
    [(HOLDER, "fence"), (Snapshot("x", "lock", 1, (), 0), "name"), (Capabilities(), "fair")],
    ids=lambda value: type(value).__name__,
)
def test_what_users_see_cannot_be_changed(value: Any, field: str) -> None:
    with pytest.raises(AttributeError):
        setattr(value, field, True)


def test_the_names_that_may_be_required_are_the_flags() -> None:
    names = Capabilities.names()
    assert {"fencing", "fair", "durable", "linearizable"} <= names
    assert "min_ttl" not in names
    assert all(isinstance(getattr(Capabilities(), name), bool) for name in names)


def test_health_is_that_of_all_nodes() -> None:
    good, bad = NodeHealth("a", True, 0.001), NodeHealth("b", False, None, "refused")
    assert Health((good, good)).ok
    assert not Health((good, bad)).ok
    assert Health(()).ok


def test_the_words_that_every_acquire_makes_have_no_dict() -> None:
    for value in (CLAIM, CLAIM.ref, Grant(1), Busy(CLAIM)):
        assert not hasattr(value, "__dict__")
