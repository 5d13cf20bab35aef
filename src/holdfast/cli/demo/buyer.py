"""One buyer: a process that does what it is told on standard input, a line of JSON at a time.

Started as ``python -m holdfast.cli.demo.buyer PARENT NUMBER FOLDER``. It answers each line with
one, and ends when its input does.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from holdfast._sync.client import Client
from holdfast._sync.lease import Lease
from holdfast.cli.shim import die_with
from holdfast.errors import LeaseLost, StaleFence

from .shop import LOCKS, NAME, SHOP, Shop

Facts: TypeAlias = dict[str, Any]

#: Long enough for the whole crowd to pass, one after another, on a busy machine.
PATIENCE = 15.0


class Buyer:
    """Someone who wants items from the shelf."""

    def __init__(self, number: int, shop: Shop, client: Client) -> None:
        self._number = number
        self._shop = shop
        self._client = client
        self._saw = 0
        self._lease: Lease | None = None

    def buy(self, arrive: float, think: float, locked: bool) -> Facts:
        """Look at the shelf; if there is something, think about it and buy one."""
        time.sleep(arrive)
        if not locked:
            return {"bought": self._look_and_buy(think), "fence": None}
        with self._client.lock(NAME, wait=PATIENCE) as lease:
            return {"bought": self._look_and_buy(think), "fence": lease.fence}

    def _look_and_buy(self, think: float) -> bool:
        saw = self._shop.look()
        if saw <= 0:
            return False
        time.sleep(think)
        self._shop.sell(self._number, 1, saw)
        return True

    def look(self, ttl: float) -> Facts:
        """Get the lock, look at the shelf, and keep the lock."""
        self._lease = self._client.lock(NAME, ttl=ttl, wait=PATIENCE).acquire()
        self._saw = self._shop.look()
        return {"saw": self._saw, "fence": self._lease.fence}

    def write(self, items: int, guarded: bool) -> Facts:
        """Buy from what was seen, without another look at shelf or lease; give the lock back."""
        lease, self._lease = self._lease, None
        assert lease is not None
        facts: Facts = {"items": items, "wrote": self._saw - items, "refused": None}
        try:
            if guarded:
                owner = str(os.getpid())
                self._shop.sell_guarded(self._number, items, self._saw, lease.fence, owner)
            else:
                self._shop.sell(self._number, items, self._saw)
        except StaleFence as stale:
            facts |= {
                "wrote": None,
                "refused": {"error": "StaleFence", "fence": stale.fence, "highest": stale.highest},
            }
        try:
            lease.release()
        except LeaseLost:
            return facts | {"lease_lost": True}
        return facts | {"lease_lost": False}


def main(parent: int, number: int, folder: str) -> None:
    """Serve until there is nothing more to do."""
    die_with(parent)
    with (
        Shop(os.path.join(folder, SHOP)) as shop,
        Client(f"sqlite:///{folder.lstrip('/')}/{LOCKS}") as client,
    ):
        buyer = Buyer(number, shop, client)
        tasks: dict[str, Callable[..., Facts]] = {
            "buy": buyer.buy,
            "look": buyer.look,
            "write": buyer.write,
        }
        _answer({"pid": os.getpid()})
        for line in sys.stdin:
            task = json.loads(line)
            _answer(tasks[task.pop("do")](**task))


def _answer(facts: Facts) -> None:
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":  # pragma: no branch
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
