"""A sync client refuses what would run after the lock was given back."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast import Client


def test_coroutines_are_refused() -> None:
    ran = False

    async def work() -> None:
        nonlocal ran
        ran = True

    class Work:
        async def __call__(self) -> None: ...

    client = Client("memory://plain")
    for function in (work, Work()):
        with pytest.raises(TypeError, match="AsyncClient"):
            client.locked("a")(function)

    sneaky: Any = lambda: work()  # noqa: E731
    for locked in (client.locked("a")(sneaky), client.lock("a")(sneaky)):
        with pytest.raises(TypeError, match="AsyncClient"):
            locked()
    assert not ran
    assert client.inspect("a") is None
