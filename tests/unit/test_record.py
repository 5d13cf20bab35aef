"""What acquire, renew and release make of a record: the reference for every engine."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from holdfast._core.model import Busy, Claim, Grant, Ref
from holdfast._core.record import (
    ALIVE,
    CLAIM_TIME,
    Record,
    acquire,
    release,
    renew,
    snapshot,
)
from holdfast.errors import ResourceConflict

from .strategies import OWNERS, RESOURCE, TICKETS, moments, situations

Situation = tuple[Record, Claim, float]
hints = st.integers(0, 50)
refs = st.builds(
    Ref, st.just(RESOURCE), st.sampled_from(OWNERS), st.just(0), st.sampled_from(["", *TICKETS])
)


def lock(owner: str, ttl: float = 10.0, ticket: str = "", fair: bool = False) -> Claim:
    return Claim(RESOURCE, owner, ttl, ticket=ticket, fair=fair)


def used(record: Record, now: float) -> int:
    return sum(hold.weight for hold in record.live(now))


@given(situations(), hints)
def test_the_capacity_is_never_exceeded(situation: Situation, hint: int) -> None:
    record, claim, now = situation
    after, _ = acquire(record, claim, now, hint)
    assert used(after, now) <= after.capacity


@given(situations(), hints)
def test_a_fence_is_larger_than_every_earlier_one(situation: Situation, hint: int) -> None:
    record, claim, now = situation
    assume(all(hold.owner != claim.owner for hold in record.live(now)))
    after, outcome = acquire(record, claim, now, hint)
    if isinstance(outcome, Grant):
        assert outcome.fence > max(record.fence, claim.floor)
        assert outcome.fence >= hint
        assert after.fence == outcome.fence
    else:
        assert after.fence == record.fence


@given(situations(), hints, st.floats(0, 0.005))
def test_a_replay_finds_its_own_grant(situation: Situation, hint: int, later: float) -> None:
    record, claim, now = situation
    after, outcome = acquire(record, claim, now, hint)
    assume(isinstance(outcome, Grant))
    mine = next(hold for hold in after.live(now) if hold.owner == claim.owner)
    assume(mine.expires > now + later)  # it may be an older one, which ends meanwhile
    again, same = acquire(after, claim, now + later, hint + 100)
    assert same == outcome
    assert again.live(now + later) == after.live(now + later)  # and no new ttl
    assert again.fence == after.fence


@given(situations(), hints)
def test_a_refused_claim_that_may_wait_is_queued_once_and_keeps_its_place(
    situation: Situation, hint: int
) -> None:
    record, claim, now = situation
    before = [place.ticket for place in record.waiting(now)]
    after, outcome = acquire(record, claim, now, hint)
    queue = [place.ticket for place in after.waiting(now)]
    if isinstance(outcome, Grant):
        assert queue == [ticket for ticket in before if ticket != claim.ticket]
    elif not claim.ticket or claim.ticket in before:
        assert queue == before
    else:
        assert queue == [*before, claim.ticket]
    if isinstance(outcome, Busy) and claim.ticket:
        place = after.queue[queue.index(claim.ticket)]
        assert (place.weight, place.fair) == (claim.weight, claim.fair)
        assert place.alive_until == now + ALIVE


@given(situations(), hints)
def test_nobody_passes_a_fair_waiter(situation: Situation, hint: int) -> None:
    record, claim, now = situation
    assume(all(hold.owner != claim.owner for hold in record.live(now)))
    _, outcome = acquire(record, claim, now, hint)
    waiting = record.waiting(now)
    ahead = []
    for place in waiting:
        if place.ticket == claim.ticket:
            break
        ahead.append(place)
    if any(place.fair for place in ahead) or (claim.fair and ahead):
        assert isinstance(outcome, Busy)


@given(situations(), hints, st.floats(1, 50))
def test_others_keep_what_they_have(situation: Situation, hint: int, ttl: float) -> None:
    record, claim, now = situation
    others = [hold for hold in record.live(now) if hold.owner != claim.owner]
    after, _ = acquire(record, claim, now, hint)
    assert [hold for hold in after.live(now) if hold.owner != claim.owner] == others
    after, _ = renew(record, claim.ref, ttl, now)
    assert [hold for hold in after.live(now) if hold.owner != claim.owner] == others
    after, _, _ = release(record, claim.ref, now)
    assert [hold for hold in after.live(now) if hold.owner != claim.owner] == others


@given(situations(), refs, st.floats(0.01, 50))
def test_renewal_never_creates(situation: Situation, ref: Ref, ttl: float) -> None:
    record, _, now = situation
    before = {hold.owner: hold for hold in record.live(now)}
    after, outcome = renew(record, ref, ttl, now)
    assert {hold.owner for hold in after.live(now)} == set(before)
    assert (outcome is not None) == (ref.owner in before)
    if outcome is None:
        assert after == record
    else:
        assert outcome.fence == before[ref.owner].fence
        renewed = next(hold for hold in after.live(now) if hold.owner == ref.owner)
        assert renewed == replace(before[ref.owner], expires=now + ttl)
    assert (after.fence, after.queue) == (record.fence, record.queue)


@given(situations(), refs)
def test_a_release_takes_only_its_own(situation: Situation, ref: Ref) -> None:
    record, _, now = situation
    before = record.live(now)
    after, released, _ = release(record, ref, now)
    assert after.live(now) == tuple(hold for hold in before if hold.owner != ref.owner)
    assert released == any(hold.owner == ref.owner for hold in before)
    assert after.fence == record.fence
    tickets = [place.ticket for place in record.waiting(now) if place.ticket != ref.ticket]
    assert [place.ticket for place in after.waiting(now)] == tickets


@given(situations(), refs)
def test_a_second_release_finds_nothing(situation: Situation, ref: Ref) -> None:
    record, _, now = situation
    after, _, _ = release(record, ref, now)
    again, released, _ = release(after, ref, now)
    assert not released
    assert again.live(now) == after.live(now)


@given(situations(), refs)
def test_whoever_is_told_may_claim_for_a_short_time(situation: Situation, ref: Ref) -> None:
    record, _, now = situation
    after, _, told = release(record, ref, now)
    for place in after.waiting(now):
        if place.ticket in told:
            assert place.alive_until <= now + CLAIM_TIME
        else:
            assert place in record.queue


@given(situations(), moments)
def test_time_alone_only_frees(situation: Situation, later: float) -> None:
    record, _, now = situation
    assume(later >= now)
    assert set(map(repr, record.live(later))) <= set(map(repr, record.live(now)))
    assert used(record, later) <= used(record, now)


@given(situations(), hints)
def test_a_forgotten_record_is_one_that_changes_no_answer(situation: Situation, hint: int) -> None:
    record, claim, now = situation
    assume(record.idle(now))
    _, outcome = acquire(record, claim, now, hint)
    _, afresh = acquire(replace(Record(), fence=record.fence), claim, now, hint)
    assert outcome == afresh


# --- examples ------------------------------------------------------------------------------------


def test_a_busy_answer_says_who_and_how_long() -> None:
    record, _ = acquire(Record(), Claim(RESOURCE, "a", 10, info='{"pid":7}'), 100.0, 0)
    _, outcome = acquire(record, lock("b"), 104.0, 0)
    assert isinstance(outcome, Busy)
    assert outcome.retry_after == 6.0
    assert outcome.holder == {"pid": 7}


def test_an_expired_lease_is_gone() -> None:
    record, first = acquire(Record(), lock("a"), 100.0, 0)
    record, second = acquire(record, lock("b"), 110.0, 0)
    assert isinstance(first, Grant)
    assert isinstance(second, Grant)
    assert second.fence > first.fence
    assert renew(record, Ref(RESOURCE, "a"), 10, 110.0)[1] is None
    assert release(record, Ref(RESOURCE, "a"), 110.0)[1] is False
    assert [hold.owner for hold in record.holds] == ["b"]


def test_a_waiter_that_comes_back_from_the_dead_goes_to_the_end() -> None:
    record, _ = acquire(Record(), lock("a", 1000), 0.0, 0)
    record, _ = acquire(record, lock("b", ticket="b"), 0.0, 0)
    record, _ = acquire(record, lock("c", ticket="c"), ALIVE - 1, 0)
    record, _ = acquire(record, lock("b", ticket="b"), ALIVE + 1, 0)  # taken for dead meanwhile
    assert [place.ticket for place in record.waiting(ALIVE + 1)] == ["c", "b"]


def test_one_name_one_kind() -> None:
    record, _ = acquire(Record(), Claim(RESOURCE, "a", 10, "semaphore", 1, 3), 0.0, 0)
    for kind, capacity in (("lock", 1), ("semaphore", 2)):
        with pytest.raises(ResourceConflict):
            acquire(record, Claim(RESOURCE, "b", 10, kind, 1, capacity), 1.0, 0)
    _, outcome = acquire(record, lock("b"), 10.0, 0)  # the semaphore's last lease has ended
    assert isinstance(outcome, Grant)


def test_a_claim_that_is_not_queued_leaves_the_kind_alone() -> None:
    """A name that is only waited for has a kind, too, and whoever passes by does not change it."""
    record, _ = acquire(Record(), lock("a", 1), 0.0, 0)
    record, _ = acquire(record, lock("b", ticket="b", fair=True), 0.0, 0)
    try:
        record, _ = acquire(record, Claim(RESOURCE, "c", 10, "semaphore", 1, 3), 2.0, 0)
    except ResourceConflict:
        pass
    assert (record.kind, record.capacity) == ("lock", 1)


def test_a_snapshot() -> None:
    assert snapshot("x", Record(), 0.0) is None
    record, _ = acquire(Record(), Claim("x", "a", 10, info='{"pid":7}'), 0.0, 5)
    record, _ = acquire(record, lock("b", ticket="b"), 1.0, 0)
    seen = snapshot("x", record, 2.0)
    assert seen is not None
    assert (seen.name, seen.kind, seen.capacity, seen.waiters) == ("x", "lock", 1, 1)
    assert (seen.fence, seen.holders[0].remaining, seen.holders[0].info) == (5, 8.0, {"pid": 7})
    assert seen.holders[0].ref == Ref("x", "a", 5)
    assert snapshot("x", record, 100.0) is None
