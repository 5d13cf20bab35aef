"""Every engine that is registered runs the whole contract, sync and async."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from holdfast._core.registry import BUILTIN
from holdfast.testing import AsyncEngineContract, EngineContract

HERE = Path(__file__).parent
CONTRACTS: dict[str, type] = {"_async": AsyncEngineContract, "_sync": EngineContract}


def promises(contract: type) -> set[str]:
    return {name for name in dir(contract) if name.startswith("test")}


def suites(tree: str) -> list[type[Any]]:
    """All test classes of one tree that promise to run the contract."""
    found: list[type[Any]] = []
    for path in sorted((HERE / tree).glob("test_*.py")):
        module = importlib.import_module(f"tests.conformance.{tree}.{path.stem}")
        found += [
            value
            for name, value in vars(module).items()
            if name.startswith("Test") and isinstance(value, type)
        ]
    return found


@pytest.mark.parametrize("tree", CONTRACTS)
@pytest.mark.parametrize("scheme", BUILTIN)
def test_every_engine_runs_the_whole_contract(tree: str, scheme: str) -> None:
    contract = CONTRACTS[tree]
    suite = next((each for each in suites(tree) if each.scheme == scheme), None)
    assert suite is not None, f"{scheme}:// has no test class in tests/conformance/{tree}"
    assert issubclass(suite, contract)
    for name in promises(contract):
        assert getattr(suite, name) is getattr(contract, name), f"{suite.__name__} overrides {name}"


def test_sync_and_async_promise_the_same_but_for_cancellation() -> None:
    only_async = promises(AsyncEngineContract) - promises(EngineContract)
    assert promises(EngineContract) < promises(AsyncEngineContract)
    assert all("cancel" in name for name in only_async)
    assert len(promises(EngineContract)) > 50


def test_a_suite_that_leaves_something_out_is_noticed() -> None:
    class Lazy(EngineContract):
        scheme = "memory"
        test_fences_strictly_increase = None  # type: ignore[assignment]

    assert any(
        getattr(Lazy, name) is not getattr(EngineContract, name)
        for name in promises(EngineContract)
    )
