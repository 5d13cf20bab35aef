# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""What a lock may be put on, and what not."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from holdfast import Client
from holdfast.testing.twins import threads as kit


class Answer:
    """An object that is called like a function."""

    def __call__(self, client: Client) -> bool:
        return client.inspect("a") is not None


@kit.scenario
def test_whatever_is_called_runs_under_the_lock() -> None:
    with Client("memory://decorators") as client:
        locked: list[Any] = [
            client.locked("a")(Answer().__call__),
            client.lock("a")(partial(Answer().__call__)),
            client.lock("a")(Answer()),
        ]
        for function in locked:
            assert function(client)
        assert client.inspect("a") is None


@kit.scenario
def test_methods() -> None:
    with Client("memory://methods") as client:

        class Shop:
            name = "corner"

            @client.locked("shop:{self.name}")
            def sell(self) -> list[str]:
                return [seen.name for seen in client.scan()]

            @staticmethod
            @client.locked("static:{number}")
            def static(number: int) -> list[str]:
                return [seen.name for seen in client.scan()]

            @classmethod
            @client.locked("class:{cls.name}")
            def of_class(cls) -> list[str]:
                return [seen.name for seen in client.scan()]

        assert Shop().sell() == ["shop:corner"]
        assert Shop.static(4) == ["static:4"]
        assert Shop().static(4) == ["static:4"]
        assert Shop.of_class() == ["class:corner"]


@kit.scenario
def test_the_order_of_decorators_is_checked() -> None:
    client = Client("memory://order")

    def work() -> None: ...

    wrappers: list[Any] = [staticmethod, classmethod]
    for wrap in wrappers:
        with pytest.raises(TypeError, match="below"):
            client.locked("a")(wrap(work))
        with pytest.raises(TypeError, match="below"):
            client.lock("a")(wrap(work))


@kit.scenario
def test_a_lock_left_where_nobody_entered_it_says_so() -> None:
    lock = Client("memory://left").lock("a")
    with pytest.raises(RuntimeError, match="left where it was not entered"):
        lock.__exit__(None, None, None)
