"""One uncontended acquire and release on SQLite, against the bare statements of it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from typing import TypeAlias

import holdfast
from holdfast._runtime.clock import clock
from holdfast._runtime.threads import holder_info
from holdfast._sqlite.database import Database
from holdfast._sqlite.statements import SQL

from .measure import Cost, interleave

#: Does so many pairs.
Pairs: TypeAlias = Callable[[int], None]

BARE = "bare statements"
SHARED = "with lock (one Lock object)"
FRESH = 'with client.lock("x")'
ASYNC = "async with lock"


@contextmanager
def bare_pairs(path: Path) -> Generator[Pairs]:
    """The two transactions, exactly as the engine runs them, in a loop with nothing around them."""
    database = Database(str(path), create_folder=False)
    database.write(lambda run: None)  # makes the schema, and reserves fences
    database.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        run = connection.cursor().execute
        run("PRAGMA journal_mode = WAL")
        run("PRAGMA synchronous = NORMAL")
        run(f"PRAGMA journal_size_limit = {4 << 20}")
        load, fence, grant = SQL["load"], SQL["fence"], SQL["grant"]
        release, anybody = SQL["release"], SQL["anybody"]
        owner, expires, info = "0" * 32, clock() + 1e6, holder_info()

        def pairs(count: int) -> None:
            for _ in range(count):
                run("BEGIN IMMEDIATE")
                number = run(load, ("lock:x", "lock:x")).fetchall()[-1][1] + 1
                run(fence, (number,))
                run(grant, ("lock:x", owner, number, "lock", 1, 1, expires, info))
                run("COMMIT")
                run("BEGIN IMMEDIATE")
                run(release, ("lock:x", owner, 0.0))
                run(anybody, ("lock:x", 0.0)).fetchone()
                run("COMMIT")

        yield pairs


@contextmanager
def shared_pairs(path: Path) -> Generator[Pairs]:
    """A lock that is described once, and entered again and again."""
    with holdfast.Client(f"sqlite://{path}") as client:
        lock = client.lock("x")

        def pairs(count: int) -> None:
            for _ in range(count):
                with lock:
                    pass

        yield pairs


@contextmanager
def fresh_pairs(path: Path) -> Generator[Pairs]:
    """A lock that is described anew each time, as most programs do."""
    with holdfast.Client(f"sqlite://{path}") as client:

        def pairs(count: int) -> None:
            for _ in range(count):
                with client.lock("x"):
                    pass

        yield pairs


@contextmanager
def async_pairs(path: Path) -> Generator[Pairs]:
    """The same in an event loop, where a thread talks to SQLite."""
    client = holdfast.AsyncClient(f"sqlite://{path}")
    lock = client.lock("x")

    async def pairs(count: int) -> None:
        for _ in range(count):
            async with lock:
                pass

    with asyncio.Runner() as runner:
        yield lambda count: runner.run(pairs(count))
        runner.run(client.aclose())


CONTENDERS: dict[str, Callable[[Path], AbstractContextManager[Pairs]]] = {
    BARE: bare_pairs,
    SHARED: shared_pairs,
    FRESH: fresh_pairs,
    ASYNC: async_pairs,
}


def measure(folder: Path, rounds: int, count: int, seed: int) -> dict[str, Cost]:
    """Return the cost of a pair, by contender. Each has a file of its own."""
    with ExitStack() as stack:
        contenders = {
            name: stack.enter_context(make(folder / f"pair-{number}.db"))
            for number, (name, make) in enumerate(CONTENDERS.items())
        }
        return interleave(contenders, rounds, count, seed)
