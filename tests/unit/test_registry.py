"""Which engine serves which scheme: the built-in ones, those of other packages, and none."""

from importlib import metadata
from typing import Any

import pytest

import holdfast
from holdfast._core import registry
from holdfast._core.registry import ASYNC, BUILTIN, SYNC, engine_class, schemes


@pytest.mark.parametrize("scheme", BUILTIN)
def test_every_built_in_engine_is_there_twice(scheme: str) -> None:
    sync, async_ = engine_class(scheme, SYNC), engine_class(scheme, ASYNC)
    assert issubclass(sync, holdfast.Engine)
    assert issubclass(async_, holdfast.AsyncEngine)
    assert async_.__name__ == "Async" + sync.__name__
    assert sync.capabilities == async_.capabilities


def test_an_unknown_scheme_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no engine for foo://; there are: memory, sqlite"):
        engine_class("foo", SYNC)
    with pytest.raises(ValueError, match="no engine for foo://"):
        holdfast.Client("foo://host")


class Points:
    """Stands in for the metadata of installed packages."""

    def __init__(self, *points: metadata.EntryPoint) -> None:
        self._points = points

    def __call__(self, **wanted: Any) -> metadata.EntryPoints:
        return metadata.EntryPoints(self._points).select(**wanted)


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {SYNC: "holdfast._sync.engines.memory:MemoryEngine", ASYNC: "decimal:Decimal"}
    points = [metadata.EntryPoint("other", value, group) for group, value in names.items()]
    points.append(metadata.EntryPoint("memory", "decimal:Decimal", SYNC))
    monkeypatch.setattr(metadata, "entry_points", Points(*points))


@pytest.mark.usefixtures("foreign")
def test_other_packages_add_theirs() -> None:
    assert engine_class("other", SYNC).__name__ == "MemoryEngine"
    assert schemes(SYNC) == ["memory", "other", "sqlite"]
    with holdfast.Client("other://here").lock("x") as lease:
        assert lease.fence > 0


@pytest.mark.usefixtures("foreign")
def test_what_is_no_engine_is_refused() -> None:
    with pytest.raises(TypeError, match="other:// is not a subclass of AsyncEngine"):
        holdfast.AsyncClient("other://here")


@pytest.mark.usefixtures("foreign")
def test_nobody_replaces_a_built_in_engine() -> None:
    assert engine_class("memory", SYNC).__name__ == "MemoryEngine"


def test_the_built_in_ones_need_no_package_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**_: Any) -> Any:
        raise AssertionError("asked for metadata")

    monkeypatch.setattr(metadata, "entry_points", broken)
    assert engine_class("sqlite", SYNC).__name__ == "SqliteEngine"
    assert registry.BUILTIN
