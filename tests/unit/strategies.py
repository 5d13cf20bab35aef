"""What the tests of the rules draw from. Few names and small numbers, so that they meet."""

from hypothesis import strategies as st

from holdfast._core.admission import Hold, Place
from holdfast._core.model import Claim
from holdfast._core.record import Record

RESOURCE = "lock:x"
OWNERS = ["owner-a", "owner-b", "owner-c", "owner-d"]
TICKETS = ["ticket-a", "ticket-b", "ticket-c"]

moments = st.floats(0, 100)
capacities = st.integers(1, 4)


@st.composite
def holds(draw: st.DrawFn, capacity: int) -> tuple[Hold, ...]:
    """Leases, some of which may have ended; those that are live at any moment fit."""
    owners = draw(st.permutations(OWNERS))
    found: list[Hold] = []
    room = capacity
    fence = 0
    for owner in owners[: draw(st.integers(0, len(owners)))]:
        weight = draw(st.integers(1, capacity))
        if weight > room:
            continue
        room -= weight
        fence += draw(st.integers(1, 5))
        found.append(Hold(owner, fence, weight, draw(moments)))
    return tuple(found)


@st.composite
def queues(draw: st.DrawFn, capacity: int) -> tuple[Place, ...]:
    """Waiters in order, some of which may be dead."""
    tickets = draw(st.permutations(TICKETS))
    return tuple(
        Place(ticket, draw(st.integers(1, capacity)), draw(st.booleans()), draw(moments))
        for ticket in tickets[: draw(st.integers(0, len(tickets)))]
    )


@st.composite
def claims(draw: st.DrawFn, capacity: int) -> Claim:
    """A claim of the same kind as the record's."""
    return Claim(
        RESOURCE,
        draw(st.sampled_from(OWNERS)),
        draw(st.floats(0.01, 50)),
        "semaphore",
        draw(st.integers(1, capacity)),
        capacity,
        draw(st.sampled_from(["", *TICKETS])),
        draw(st.booleans()),
        draw(st.integers(0, 50)),
    )


@st.composite
def situations(draw: st.DrawFn) -> tuple[Record, Claim, float]:
    """A record, a claim that suits it, and a moment."""
    capacity = draw(capacities)
    held = draw(holds(capacity))
    highest = max((hold.fence for hold in held), default=0)
    record = Record(
        "semaphore", capacity, highest + draw(st.integers(0, 5)), held, draw(queues(capacity))
    )
    return record, draw(claims(capacity)), draw(moments)
