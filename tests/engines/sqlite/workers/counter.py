"""Increments a counter file under a lock, in a way that accounts for every death.

The counter is read and written without any protection of its own. Beside it is a journal, appended
to under the lock, of lines of equal length: ``B`` before the counter is written and ``E`` after.
Whoever finds a ``B`` at the end took over from a holder that died in between; the counter itself
tells whether the dead one had written it, and the line that is missing is added in its name: ``E``
if it had, ``A`` if not. So every increment is known, and whose it was.

Dies by SIGKILL at the place in the work that is asked for.
"""

import os
import signal
import sys
from typing import NamedTuple

from holdfast import Client
from holdfast._runtime.clock import clock


class Entry(NamedTuple):
    """A line of the journal."""

    kind: str
    fence: int
    slot: int
    value: int
    at: float

    def __str__(self) -> str:
        return f"{self.kind} {self.fence:020} {self.slot:03} {self.value:06} {self.at:020.6f}\n"


LINE = len(str(Entry("B", 0, 0, 0, 0.0)))


def parse(line: str) -> Entry:
    kind, fence, slot, value, at = line.split()
    return Entry(kind, int(fence), int(slot), int(value), float(at))


class Work:
    """The counter and its journal, as one slot of the crew sees them."""

    def __init__(self, folder: str, slot: int, die_at: int, die_where: str) -> None:
        self.slot = slot
        self.die_at = die_at
        self.die_where = die_where
        self.counter = os.open(f"{folder}/counter", os.O_RDWR | os.O_CREAT, 0o600)
        self.journal = os.open(f"{folder}/journal", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)

    def read(self) -> int:
        return int(os.pread(self.counter, 6, 0) or b"0")

    def write(self, value: int) -> None:
        os.pwrite(self.counter, b"%06d" % value, 0)

    def append(self, entry: Entry) -> None:
        line = str(entry).encode()
        assert os.write(self.journal, line) == LINE

    def last(self) -> Entry | None:
        size = os.fstat(self.journal).st_size
        return parse(os.pread(self.journal, LINE, size - LINE).decode()) if size else None

    def done(self) -> int:
        """How many increments this slot has behind it, those of its dead predecessors included."""
        text = os.pread(self.journal, os.fstat(self.journal).st_size, 0).decode()
        entries = map(parse, text.splitlines())
        return sum(entry.kind == "E" and entry.slot == self.slot for entry in entries)

    def repair(self) -> None:
        last = self.last()
        if last is not None and last.kind == "B":
            kind = "E" if self.read() == last.value else "A"
            self.append(last._replace(kind=kind, at=clock()))

    def increment(self, fence: int, count: int) -> None:
        die_where = self.die_where if count == self.die_at else ""
        self.die_if(die_where == "held")
        value = self.read() + 1
        self.append(Entry("B", fence, self.slot, value, clock()))
        self.die_if(die_where == "begun")
        self.write(value)
        self.die_if(die_where == "written")
        self.append(Entry("E", fence, self.slot, value, clock()))
        self.die_if(die_where == "ended")

    def die_if(self, now: bool) -> None:
        if now:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    url, folder, slot, quota, ttl, die_at, die_where = sys.argv[1:]
    work = Work(folder, int(slot), int(die_at), die_where)
    client = Client(url)
    lock = client.lock("counter", ttl=float(ttl))
    count: int | None = None
    while count is None or count < int(quota):
        with lock as lease:
            work.repair()
            if count is None:
                count = work.done()
                if count >= int(quota):
                    break
            lease.check()
            work.increment(lease.fence, count)
            count += 1
    client.close()


if __name__ == "__main__":
    main()
