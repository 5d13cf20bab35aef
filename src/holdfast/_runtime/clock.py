"""The clock by which trust ends, and the identity of this boot of the machine."""

from __future__ import annotations

import subprocess
import sys
import time

if sys.platform == "linux":

    def clock() -> float:
        """Seconds since boot, the time spent suspended included; nothing can set it."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

else:
    # On macOS CLOCK_MONOTONIC goes on while the machine sleeps, unlike time.monotonic() there.
    # Elsewhere the monotonic clock is the best there is.
    def clock() -> float:
        """Seconds since some fixed moment; nothing can set it."""
        if sys.platform == "darwin":
            return time.clock_gettime(time.CLOCK_MONOTONIC)
        return time.monotonic()


def boot_id() -> str | None:
    """A name for this boot of the machine; None where the system has none."""
    if sys.platform == "linux":
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    if sys.platform == "darwin":
        command = ["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return None
