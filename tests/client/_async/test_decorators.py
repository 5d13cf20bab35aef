# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""What a lock may be put on, and what not."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from holdfast import AsyncClient
from holdfast.testing.twins import aio as kit


class Answer:
    """An object that is called like a function."""

    async def __call__(self, client: AsyncClient) -> bool:
        return await client.inspect("a") is not None


@kit.scenario
async def test_whatever_is_called_runs_under_the_lock() -> None:
    async with AsyncClient("memory://decorators") as client:
        locked: list[Any] = [
            client.locked("a")(Answer().__call__),
            client.lock("a")(partial(Answer().__call__)),
            client.lock("a")(Answer()),
        ]
        for function in locked:
            assert await function(client)
        assert await client.inspect("a") is None


@kit.scenario
async def test_methods() -> None:
    async with AsyncClient("memory://methods") as client:

        class Shop:
            name = "corner"

            @client.locked("shop:{self.name}")
            async def sell(self) -> list[str]:
                return [seen.name async for seen in client.scan()]

            @staticmethod
            @client.locked("static:{number}")
            async def static(number: int) -> list[str]:
                return [seen.name async for seen in client.scan()]

            @classmethod
            @client.locked("class:{cls.name}")
            async def of_class(cls) -> list[str]:
                return [seen.name async for seen in client.scan()]

        assert await Shop().sell() == ["shop:corner"]
        assert await Shop.static(4) == ["static:4"]
        assert await Shop().static(4) == ["static:4"]
        assert await Shop.of_class() == ["class:corner"]


@kit.scenario
async def test_the_order_of_decorators_is_checked() -> None:
    client = AsyncClient("memory://order")

    async def work() -> None: ...

    wrappers: list[Any] = [staticmethod, classmethod]
    for wrap in wrappers:
        with pytest.raises(TypeError, match="below"):
            client.locked("a")(wrap(work))
        with pytest.raises(TypeError, match="below"):
            client.lock("a")(wrap(work))


@kit.scenario
async def test_a_lock_left_where_nobody_entered_it_says_so() -> None:
    lock = AsyncClient("memory://left").lock("a")
    with pytest.raises(RuntimeError, match="left where it was not entered"):
        await lock.__aexit__(None, None, None)
