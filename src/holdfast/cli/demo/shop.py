"""The data of the demo: a shelf with items and a list of orders, in an SQLite file of its own.

Nothing here knows of locks. The guard is the shop's own: it knows fences, and that is all it needs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from importlib.resources import files
from types import TracebackType

from holdfast.errors import StaleFence

#: The files in the demo's folder: the data, and the leases.
SHOP = "shop.db"
LOCKS = "locks.db"

#: The name of the lock on the shelf, and of its row in the guard.
NAME = "shelf"


def _statements() -> dict[str, str]:
    text = files(__name__.rpartition(".")[0]).joinpath("shop.sql").read_text("utf-8")
    sections = (part.partition("\n") for part in text.split("-- name: ")[1:])
    return {name: body for name, _, body in sections}


_SQL = _statements()


class Shop:
    """A connection to the shop. Every write is a transaction; reading and then writing is not."""

    def __init__(self, path: str) -> None:
        self._db = sqlite3.connect(path, timeout=15, isolation_level=None)
        # It lives for seconds in a temporary folder: nobody will miss it after a power failure.
        self._db.execute("PRAGMA synchronous = OFF")

    def __enter__(self) -> Shop:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._db.close()

    @classmethod
    def build(cls, path: str) -> None:
        """Make an empty shop."""
        with closing(sqlite3.connect(path)) as db:
            db.executescript(_SQL["schema"])

    def open_with(self, items: int) -> None:
        """Fill the shelf, and forget all orders and fences."""
        with self._transaction():
            for statement in _SQL["empty"].strip().split("\n"):
                self._db.execute(statement)
            self._db.execute(_SQL["put"], {"left_over": items})

    def look(self) -> int:
        """How many items are on the shelf."""
        return int(self._db.execute(_SQL["look"]).fetchone()[0])

    def orders(self) -> list[tuple[int, int]]:
        """All orders so far, in their order: the buyer and the number of items."""
        return list(self._db.execute(_SQL["orders"]))

    def sell(self, buyer: int, items: int, saw: int) -> None:
        """Sell ``items`` to a buyer who ``saw`` so many on the shelf, whenever that was."""
        with self._transaction():
            self._record(buyer, items, saw)

    def sell_guarded(self, buyer: int, items: int, saw: int, fence: int, owner: str) -> None:
        """Do the same, but only for the latest holder of the lock.

        Raises:
            StaleFence: a later one has written already; nothing was changed.
        """
        with self._transaction():
            claim = {"name": NAME, "token": fence, "owner": owner}
            if self._db.execute(_SQL["claim"], claim).fetchone() is None:
                highest = self._db.execute(_SQL["highest"], {"name": NAME}).fetchone()[0]
                raise StaleFence(NAME, fence, highest)
            self._record(buyer, items, saw)

    def _record(self, buyer: int, items: int, saw: int) -> None:
        self._db.execute(_SQL["put"], {"left_over": saw - items})
        self._db.execute(_SQL["order"], {"buyer": buyer, "items": items})

    @contextmanager
    def _transaction(self) -> Generator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
