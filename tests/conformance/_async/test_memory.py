# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""memory:// keeps the contract."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest

from holdfast import AsyncEngine
from holdfast._async.engines.memory import AsyncMemoryEngine
from holdfast._core.urls import parse
from holdfast.testing import AsyncEngineContract


class TestMemory(AsyncEngineContract):
    scheme = "memory"

    @pytest.fixture
    def make_engine(self) -> Callable[[], AsyncEngine]:
        url = parse(f"memory://{secrets.token_hex(8)}")
        keep = AsyncMemoryEngine(url)  # a space lives as long as one of its engines

        def make() -> AsyncEngine:
            return AsyncMemoryEngine(keep.url)

        return make
