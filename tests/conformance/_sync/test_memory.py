# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""memory:// keeps the contract."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest

from holdfast import Engine
from holdfast._sync.engines.memory import MemoryEngine
from holdfast._core.urls import parse
from holdfast.testing import EngineContract


class TestMemory(EngineContract):
    scheme = "memory"

    @pytest.fixture
    def make_engine(self) -> Callable[[], Engine]:
        url = parse(f"memory://{secrets.token_hex(8)}")
        keep = MemoryEngine(url)  # a space lives as long as one of its engines

        def make() -> Engine:
            return MemoryEngine(keep.url)

        return make
