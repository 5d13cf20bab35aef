# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""sqlite:// keeps the contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import Engine
from holdfast._sync.engines.sqlite import SqliteEngine
from holdfast._core.urls import parse
from holdfast.testing import EngineContract


class TestSqlite(EngineContract):
    scheme = "sqlite"

    @pytest.fixture
    def make_engine(self, tmp_path: Path) -> Callable[[], Engine]:
        return lambda: SqliteEngine(parse(f"sqlite://{tmp_path}/locks.db"))
