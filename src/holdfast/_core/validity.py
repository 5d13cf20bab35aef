"""How long a holder may trust its lease, and when it asks for more.

Trust ends before the engine frees the lease: it is counted from before the request left, and a
margin for clocks that run at different rates is taken off. A renewal starts a third of the way
in, so that two more tries fit before the end.
"""

from __future__ import annotations

DRIFT_FACTOR = 0.01
DRIFT_FIXED = 0.002
RENEW_AT = 1 / 3


def trusted_until(sent_at: float, ttl: float) -> float:
    """The local deadline of a lease granted or renewed by a request sent at ``sent_at``."""
    return sent_at + ttl - (ttl * DRIFT_FACTOR + DRIFT_FIXED)


def renew_at(sent_at: float, ttl: float) -> float:
    """When to renew a lease that was granted or renewed by a request sent at ``sent_at``."""
    return sent_at + ttl * RENEW_AT


def retry_at(now: float, deadline: float) -> float:
    """When to renew again after an attempt whose outcome is unknown: soon, and before the end."""
    return now + max((deadline - now) / 4, 0.005)
