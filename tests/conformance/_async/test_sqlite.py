# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""sqlite:// keeps the contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import AsyncEngine
from holdfast._async.engines.sqlite import AsyncSqliteEngine
from holdfast._core.urls import parse
from holdfast.testing import AsyncEngineContract


class TestSqlite(AsyncEngineContract):
    scheme = "sqlite"

    @pytest.fixture
    def make_engine(self, tmp_path: Path) -> Callable[[], AsyncEngine]:
        return lambda: AsyncSqliteEngine(parse(f"sqlite://{tmp_path}/locks.db"))
