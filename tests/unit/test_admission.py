"""The admission rule: never more than the capacity, and nobody passes a fair waiter."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast._core.admission import Hold, Place, admits, check_kind, describe, room_after, to_wake
from holdfast._core.model import Claim
from holdfast._core.record import Record
from holdfast.errors import ResourceConflict

from .strategies import capacities, claims, holds, queues, situations


def claim(weight: int = 1, capacity: int = 1, fair: bool = False, ticket: str = "") -> Claim:
    return Claim("x", "me", 10, "lock", weight, capacity, ticket, fair)


def hold(weight: int = 1, expires: float = 10.0) -> Hold:
    return Hold("other", 1, weight, expires)


def place(
    weight: int = 1, fair: bool = False, alive_until: float = 3.0, ticket: str = "t"
) -> Place:
    return Place(ticket, weight, fair, alive_until)


def test_a_mutex() -> None:
    assert admits(claim(), [], [])
    assert not admits(claim(), [hold()], [])


def test_a_semaphore() -> None:
    assert admits(claim(1, 3), [hold(), hold()], [])
    assert not admits(claim(1, 3), [hold(), hold(), hold()], [])


def test_readers_and_a_writer() -> None:
    assert admits(claim(1, 5), [hold(), hold()], [])
    assert not admits(claim(5, 5), [hold()], [])
    assert not admits(claim(1, 5), [hold(5)], [])


@pytest.mark.parametrize(
    ("mine", "theirs", "admitted"),
    [(False, False, True), (True, False, False), (False, True, False), (True, True, False)],
)
def test_nobody_passes_if_either_asked_for_fairness(
    mine: bool, theirs: bool, admitted: bool
) -> None:
    assert admits(claim(fair=mine), [], [place(fair=theirs)]) is admitted


def test_more_than_there_is_is_never_admitted() -> None:
    assert not admits(claim(4, 3), [], [])


@given(situations())
def test_the_capacity_is_never_exceeded(situation: tuple[Record, Claim, float]) -> None:
    record, wanted, now = situation
    live, ahead = record.live(now), record.waiting(now)
    if admits(wanted, live, ahead):
        assert sum(each.weight for each in live) + wanted.weight <= wanted.capacity
        assert not any(each.fair or wanted.fair for each in ahead)


@given(situations())
def test_it_is_refused_only_for_a_reason(situation: tuple[Record, Claim, float]) -> None:
    record, wanted, now = situation
    live, ahead = record.live(now), record.waiting(now)
    if not admits(wanted, live, ahead):
        full = sum(each.weight for each in live) + wanted.weight > wanted.capacity
        assert full or any(each.fair or wanted.fair for each in ahead)


@given(situations())
def test_room_after_is_when_it_is_admitted_if_nobody_does_anything(
    situation: tuple[Record, Claim, float],
) -> None:
    record, wanted, now = situation
    live, ahead = record.live(now), record.waiting(now)
    after = room_after(wanted, live, ahead, now)
    assert after is not None
    assert after >= 0
    assert (after == 0) == admits(wanted, live, ahead)
    then = now + after
    if after > 0:
        nearly = then - 1e-9
        earlier = replace(record, holds=live, queue=ahead)
        assert not admits(wanted, earlier.live(nearly), earlier.waiting(nearly))
    later = then + 1e-6
    assert admits(
        wanted,
        [each for each in live if each.expires > later],
        [each for each in ahead if each.alive_until > later],
    )


# --- whom a release tells ------------------------------------------------------------------------


def test_the_first_waiter_is_told() -> None:
    first, second = place(ticket="a"), place(ticket="b")
    assert to_wake(1, [], [first, second]) == [first]
    assert to_wake(2, [], [first, second]) == [first, second]


def test_nobody_is_told_while_it_is_full() -> None:
    assert to_wake(1, [hold()], [place()]) == []


def test_a_large_waiter_without_fairness_is_passed() -> None:
    large, small = place(3, ticket="large"), place(1, ticket="small")
    assert to_wake(3, [hold(1)], [large, small]) == [small]


def test_a_large_fair_waiter_is_not_passed() -> None:
    large, small = place(3, fair=True, ticket="large"), place(1, ticket="small")
    assert to_wake(3, [hold(1)], [large, small]) == []


def test_a_fair_waiter_behind_one_that_does_not_fit_is_not_told() -> None:
    """It would be refused: whoever asks for fairness does not pass either."""
    large, fair = place(2, ticket="large"), place(1, fair=True, ticket="fair")
    assert to_wake(2, [hold(1)], [large, fair]) == []


def as_claim(waiter: Place, capacity: int) -> Claim:
    return Claim(
        "x",
        "owner-of-" + waiter.ticket,
        10,
        "lock",
        waiter.weight,
        capacity,
        waiter.ticket,
        waiter.fair,
    )


@settings(max_examples=500)
@given(st.data(), capacities)
def test_those_who_are_told_are_admitted_if_they_claim_in_order(
    data: st.DataObject, capacity: int
) -> None:
    live = list(data.draw(holds(capacity)))
    queue = list(data.draw(queues(capacity)))
    for told in to_wake(capacity, live, queue):
        ahead = queue[: queue.index(told)]
        assert admits(as_claim(told, capacity), live, ahead)
        live.append(Hold(told.ticket, 1, told.weight, 1000.0))
        queue.remove(told)


@settings(max_examples=500)
@given(st.data(), capacities)
def test_those_who_are_not_told_would_be_refused_after_them(
    data: st.DataObject, capacity: int
) -> None:
    live = list(data.draw(holds(capacity)))
    queue = list(data.draw(queues(capacity)))
    for told in to_wake(capacity, live, queue):
        live.append(Hold(told.ticket, 1, told.weight, 1000.0))
        queue.remove(told)
    for index, left in enumerate(queue):
        assert not admits(as_claim(left, capacity), live, queue[:index])


@given(st.data(), capacities)
def test_the_told_are_in_order_and_fit(data: st.DataObject, capacity: int) -> None:
    live, queue = data.draw(holds(capacity)), data.draw(queues(capacity))
    told = to_wake(capacity, live, queue)
    assert told == [each for each in queue if each in told]
    used = sum(hold.weight for hold in live) + sum(place.weight for place in told)
    assert used <= capacity


# --- one name, one kind --------------------------------------------------------------------------


def test_one_name_one_kind() -> None:
    wanted = Claim("x", "me", 10, "semaphore", 1, 3)
    check_kind(wanted, "semaphore", 3)
    for kind, capacity in (("lock", 1), ("semaphore", 4), ("lock", 3)):
        with pytest.raises(ResourceConflict) as caught:
            check_kind(wanted, kind, capacity)
        assert caught.value.wanted == "semaphore of 3"
        assert caught.value.found == describe(kind, capacity)


@given(st.data(), capacities)
def test_secrets_stay_out_of_repr(data: st.DataObject, capacity: int) -> None:
    shown = repr(
        (data.draw(holds(capacity)), data.draw(queues(capacity)), data.draw(claims(capacity)))
    )
    assert "owner-" not in shown
    assert "ticket-" not in shown
