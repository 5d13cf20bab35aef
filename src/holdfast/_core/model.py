"""The words that clients and engines speak with each other.

The four that are made on every acquire are plain slotted dataclasses: a frozen one costs four
times as much to build. They are treated as immutable all the same. Owners and tickets are secrets
of their holder and stay out of every ``repr``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(slots=True)
class Claim:
    """A request for ``weight`` of the ``capacity`` of a resource."""

    resource: str
    owner: str = field(repr=False)
    """The holder's secret: 128 random bits as hex, made before any I/O."""
    ttl: float
    kind: str = "lock"
    weight: int = 1
    capacity: int = 1
    ticket: str = field(default="", repr=False)
    """The place in the queue, kept over all attempts of one acquire; empty: do not queue."""
    fair: bool = False
    floor: int = 0
    """The grant's fence must be larger than this."""
    info: str = "{}"
    """What whoever asks may know of the holder, as JSON."""
    timeout: float | None = None
    """Seconds that the engine may spend on this one attempt; None: its own default."""

    @property
    def ref(self) -> Ref:
        """What undoes this claim, whatever became of it."""
        return Ref(self.resource, self.owner, 0, self.ticket)


@dataclass(slots=True)
class Ref:
    """What a holder shows to renew or release; also withdraws the waiter with that ticket."""

    resource: str
    owner: str = field(repr=False)
    fence: int = 0
    ticket: str = field(default="", repr=False)


@dataclass(slots=True)
class Grant:
    """The engine's yes."""

    fence: int


@dataclass(slots=True)
class Busy:
    """The engine's no: for now."""

    claim: Claim
    retry_after: float | None = None
    """Seconds until room may appear without anybody releasing; None: unknown."""
    holder: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Holder:
    """One live lease, as seen by whoever asks."""

    fence: int
    weight: int
    remaining: float
    """Seconds until the engine frees it unless it is renewed."""
    info: Mapping[str, Any]
    ref: Ref | None = field(default=None, repr=False, compare=False)
    """What takes the lease away. Engines say it to clients; clients say it to nobody."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A resource at one moment; it may have changed by the time it is read."""

    name: str
    kind: str
    capacity: int
    holders: tuple[Holder, ...]
    waiters: int

    @property
    def fence(self) -> int:
        """The highest fence among the live leases."""
        return max((holder.fence for holder in self.holders), default=0)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an engine promises. ``Client(require=...)`` takes the names of the flags."""

    fencing: bool = True
    """Fences strictly increase per resource."""
    fair: bool = False
    """First come, first served, across all clients."""
    durable: bool = False
    """Fences keep increasing when the engine restarts."""
    linearizable: bool = False
    """No two live leases exceed the capacity, with no assumption on clocks of other machines."""
    processes: bool = False
    """Leases exclude other processes of this machine."""
    machines: bool = False
    """Leases exclude other machines."""
    push: bool = False
    """A release wakes waiters at once; without it they poll with back-off."""
    min_ttl: float = 0.01
    """The shortest ttl that this engine's clock can keep."""

    @classmethod
    def names(cls) -> frozenset[str]:
        """What ``require`` may name."""
        return frozenset(f.name for f in fields(cls) if f.type == "bool")


@dataclass(frozen=True, slots=True)
class NodeHealth:
    """One server of an engine, as it answered just now."""

    node: str
    ok: bool
    latency: float | None
    """Seconds for one small question; None when there was no answer."""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """The engine as a whole."""

    nodes: tuple[NodeHealth, ...]

    @property
    def ok(self) -> bool:
        """Whether every node answered."""
        return all(node.ok for node in self.nodes)
