"""The clock by which trust ends, and the identity of this boot of the machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

#: Seconds since some fixed moment, the time that the machine was suspended included; nothing can
#: set it. A partial, since it is read many times on the way of every acquire.
clock: Callable[[], float]

if sys.platform == "linux":
    clock = partial(time.clock_gettime, time.CLOCK_BOOTTIME)
elif sys.platform == "darwin":
    # There it goes on while the machine sleeps, unlike time.monotonic().
    clock = partial(time.clock_gettime, time.CLOCK_MONOTONIC)
else:
    clock = time.monotonic


def boot_id() -> str | None:
    """A name for this boot of the machine; None where the system has none."""
    if sys.platform == "linux":
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    if sys.platform == "darwin":
        import subprocess  # dear to load

        command = ["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return None
