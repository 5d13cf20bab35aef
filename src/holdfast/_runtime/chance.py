"""The dice for back-off and jitter."""

from __future__ import annotations

import os
from random import Random

#: Seeded anew in a forked child: brothers that throw the same dice meet at every attempt.
RANDOM = Random()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=RANDOM.seed)
