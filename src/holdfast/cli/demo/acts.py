"""The four acts. Each is really played; what is told of it is read from the shop afterwards.

One sum judges them all: what was sold and what is left must be what was there.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, TypeAlias

from .crowd import Crowd, Process
from .shop import Shop

ITEMS = 10
#: How often the first act is tried: a race that is lost by everybody is a matter of chance.
ATTEMPTS = 5
#: Seconds that an act may take at the most.
LIMIT = 20.0
#: The lease of the holder that is paused.
SHORT_TTL = 0.5
LONG_TTL = 10.0

Facts: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stage:
    """What an act is played with."""

    crowd: Crowd
    shop: Shop
    seed: int


@dataclass(frozen=True, slots=True)
class Act:
    """An act: what it is called, what happens in it, and the function that plays it."""

    key: str
    title: str
    story: str
    play: Callable[[Stage], Facts]
    #: Whether the story says that the sum is right in the end.
    ends_well: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an act."""

    act: Act
    facts: Facts
    seconds: float

    @property
    def sold(self) -> int:
        """How many items were sold."""
        return int(self.facts["sold"])

    @property
    def left(self) -> int:
        """How many items the shelf shows in the end."""
        return int(self.facts["left"])

    @property
    def surplus(self) -> int:
        """How many items there are, sold or left, that were never there."""
        return self.sold + self.left - ITEMS

    @property
    def adds_up(self) -> bool:
        """Whether what was sold and what is left is what was there."""
        return self.surplus == 0

    @property
    def as_told(self) -> bool:
        """Whether it went as the story says."""
        return bool(self.facts["as_told"]) and self.adds_up is self.act.ends_well


def play(act: Act, stage: Stage) -> Outcome:
    """Play one act.

    Raises:
        DemoFailed: a buyer did not play along.
    """
    started = time.monotonic()
    facts = act.play(stage)
    return Outcome(act, facts, time.monotonic() - started)


def _sale(stage: Stage, seed: int, locked: bool) -> Facts:
    """Let the whole crowd in at once."""
    stage.shop.open_with(ITEMS)
    chance = Random(seed)
    for buyer in stage.crowd.buyers:
        arrive, think = chance.uniform(0, 0.02), chance.uniform(0.01, 0.04)
        buyer.tell("buy", arrive=arrive, think=think, locked=locked)
    deadline = time.monotonic() + LIMIT
    answers = {buyer.number: buyer.hear(deadline) for buyer in stage.crowd.buyers}
    return {
        "seed": seed,
        "buyers": len(answers),
        "fences": {number: answer["fence"] for number, answer in answers.items() if locked},
        **_books(stage),
    }


def _books(stage: Stage) -> Facts:
    """What the shop itself says of the sale."""
    orders = stage.shop.orders()
    sold = sum(items for _, items in orders)
    return {"orders": orders, "sold": sold, "left": stage.shop.look()}


def _without_lock(stage: Stage) -> Facts:
    attempt = 0
    while True:
        facts = _sale(stage, stage.seed + attempt, locked=False)
        attempt += 1
        oversold = facts["sold"] > ITEMS
        if oversold or attempt == ATTEMPTS:
            return facts | {"attempts": attempt, "as_told": oversold}


def _with_lock(stage: Stage) -> Facts:
    facts = _sale(stage, stage.seed, locked=True)
    fences = facts["fences"]
    # Who ordered later held the lock later, so has a larger fence; and no two have the same.
    of_orders = [fences[buyer] for buyer, _ in facts["orders"]]
    ordered = all(earlier < later for earlier, later in pairwise(of_orders))
    different = len(set(fences.values())) == len(stage.crowd.buyers)
    return facts | {"as_told": facts["sold"] == ITEMS and ordered and different}


def _pause(stage: Stage, guarded: bool) -> Facts:
    """Pause one holder until another has written, then let it go on where it was."""
    stage.shop.open_with(ITEMS)
    first, second = stage.crowd.buyers[:2]
    deadline = time.monotonic() + LIMIT
    first.tell("look", ttl=SHORT_TTL)
    looked = first.hear(deadline)
    first.pause()
    later = _buy_three(second, deadline, guarded)
    between = stage.shop.look()
    first.tell("write", items=1, guarded=guarded)
    first.go_on()
    woken = first.hear(deadline)
    books = _books(stage)
    return {
        "first": {"pid": first.pid, **looked, **woken},
        "second": {"pid": second.pid, **later},
        "between": between,
        **books,
        "as_told": looked["fence"] < later["fence"]
        and woken["lease_lost"]
        and between == later["wrote"]
        and books["left"] == (between if guarded else woken["wrote"])
        and (woken["refused"] is not None) is guarded,
    }


def _buy_three(buyer: Process, deadline: float, guarded: bool) -> Facts:
    buyer.tell("look", ttl=LONG_TTL)  # is granted when the lease of the paused holder has ended
    looked = buyer.hear(deadline)
    buyer.tell("write", items=3, guarded=guarded)
    return {**looked, **buyer.hear(deadline)}


ACTS = (
    Act(
        "no-lock",
        "No lock",
        "All look at the shelf, think for a moment, and buy what they saw.",
        _without_lock,
        ends_well=False,
    ),
    Act(
        "lock",
        "A lock",
        "The same crowd; each holds the lock from the look to the order.",
        _with_lock,
        ends_well=True,
    ),
    Act(
        "pause",
        "A lock and a pause",
        "A holder is stopped (SIGSTOP) until its lease has ended, and wakes up.",
        lambda stage: _pause(stage, guarded=False),
        ends_well=False,
    ),
    Act(
        "fence",
        "A lock, a pause and a fence",
        "The same pause, but the shop refuses fences older than the last it saw.",
        lambda stage: _pause(stage, guarded=True),
        ends_well=True,
    ),
)
