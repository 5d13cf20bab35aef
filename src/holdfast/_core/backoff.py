"""Pauses between attempts: exponential, with full jitter, so that a crowd spreads out."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Backoff:
    """The n-th pause is uniform between 0 and ``base * 2**n``, at most ``cap`` (in seconds)."""

    base: float = 0.01
    cap: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.base <= self.cap:
            raise ValueError(f"back-off needs 0 < base <= cap, not {self.base} and {self.cap}")

    def ceiling(self, attempt: int) -> float:
        """The longest that the pause after ``attempt`` failures (0, 1, …) can be."""
        return self.cap if attempt > 60 else min(self.cap, self.base * 2.0**attempt)

    def pause(self, attempt: int, random: Random) -> float:
        """The pause after ``attempt`` failures (0, 1, …)."""
        return random.uniform(0.0, self.ceiling(attempt))


def poll_pause(random: Random) -> float:
    """How long a waiter that is woken by push sleeps before it looks by itself."""
    return random.uniform(0.5, 1.0)
