"""One uncontended acquire and release on SQLite, against the bare statements of it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import holdfast
from holdfast._runtime.clock import clock
from holdfast._runtime.threads import holder_info
from holdfast._sqlite.database import Database
from holdfast._sqlite.statements import SQL

from .measure import Cost, interleave

BARE = "bare statements"
SHARED = "with lock (one Lock object)"
FRESH = 'with client.lock("x")'
ASYNC = "async with lock"


def bare_pairs(path: Path) -> Iterator[Callable[[int], None]]:
    """The two transactions, exactly as the engine runs them, in a loop with nothing around them."""
    database = Database(str(path), timeout=5.0, create_folder=False)
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
                number = run(load, ("lock:x",)).fetchall()[-1][1] + 1
                run(fence, (number,))
                run(grant, ("lock:x", owner, number, "lock", 1, 1, expires, info))
                run("COMMIT")
                run("BEGIN IMMEDIATE")
                run(release, ("lock:x", owner, 0.0))
                run(anybody, ("lock:x", 0.0)).fetchone()
                run("COMMIT")

        yield pairs


def shared_pairs(path: Path) -> Iterator[Callable[[int], None]]:
    """A lock that is described once, and entered again and again."""
    with holdfast.Client(f"sqlite://{path}") as client:
        lock = client.lock("x")

        def pairs(count: int) -> None:
            for _ in range(count):
                with lock:
                    pass

        yield pairs


def fresh_pairs(path: Path) -> Iterator[Callable[[int], None]]:
    """A lock that is described anew each time, as most programs do."""
    with holdfast.Client(f"sqlite://{path}") as client:

        def pairs(count: int) -> None:
            for _ in range(count):
                with client.lock("x"):
                    pass

        yield pairs


def async_pairs(path: Path) -> Iterator[Callable[[int], None]]:
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


CONTENDERS: dict[str, Callable[[Path], Iterator[Callable[[int], None]]]] = {
    BARE: bare_pairs,
    SHARED: shared_pairs,
    FRESH: fresh_pairs,
    ASYNC: async_pairs,
}


def measure(folder: Path, rounds: int, count: int, seed: int) -> dict[str, Cost]:
    """Return seconds per pair, by contender. Each has a file of its own."""
    with _open(folder) as contenders:
        return interleave(contenders, rounds, count, seed)


@contextmanager
def _open(folder: Path) -> Generator[dict[str, Callable[[int], None]]]:
    made = {
        name: make(folder / f"pair-{number}.db")
        for number, (name, make) in enumerate(CONTENDERS.items())
    }
    try:
        yield {name: next(generator) for name, generator in made.items()}
    finally:
        for generator in made.values():
            next(generator, None)
