"""What ``import holdfast`` costs: nothing that is not needed is loaded."""

import os
import statistics
import subprocess
import sys

import pytest

UNNEEDED = ("holdfast.cli", "holdfast.testing", "holdfast._sqlite", "holdfast._sync.engines",
            "holdfast._async.engines")  # fmt: skip


def run(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *options, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)


def loaded(code: str) -> set[str]:
    """The modules that ``code`` loads, beyond those of a bare interpreter."""
    listing = "import sys; before = set(sys.modules); {}; print(*sorted(set(sys.modules) - before))"
    return set(run(listing.format(code), "-S").stdout.split())


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """-S leaves out what tools put into every interpreter, and the way to the package."""
    import holdfast

    source = os.path.dirname(os.path.dirname(holdfast.__file__))
    monkeypatch.setenv("PYTHONPATH", source)
    monkeypatch.delenv("COVERAGE_PROCESS_START", raising=False)


def ours(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "holdfast"}


def test_import_loads_the_errors_and_nothing_else_of_ours() -> None:
    assert ours(loaded("import holdfast")) == {"holdfast", "holdfast.errors"}


@pytest.mark.parametrize(
    "module",
    ["asyncio", "concurrent.futures", "dataclasses", "email", "importlib.metadata", "inspect",
     "json", "logging", "random", "socket", "sqlite3", "ssl", "subprocess", "threading",
     "urllib.parse"],
)  # fmt: skip
def test_import_loads_nothing_heavy(module: str) -> None:
    assert module not in loaded("import holdfast")


def test_an_error_can_be_caught_without_loading_anything() -> None:
    assert ours(loaded("import holdfast; holdfast.LeaseLost")) == {"holdfast", "holdfast.errors"}


def test_the_sync_client_needs_no_asyncio_and_no_engine() -> None:
    modules = loaded("import holdfast; holdfast.Client")
    assert not modules & {"asyncio", "sqlite3", "ssl", "concurrent.futures", "argparse"}
    assert not any(name.startswith(UNNEEDED) or "_async" in name for name in ours(modules))


@pytest.mark.parametrize("module", ["email", "importlib.metadata", "zipfile", "subprocess"])
def test_the_sync_client_loads_nothing_that_only_the_unusual_case_needs(module: str) -> None:
    """Package metadata is for foreign engines; child processes are for one system's boot name."""
    assert module not in loaded("import holdfast; holdfast.Client")


def test_the_async_client_loads_no_sync_client() -> None:
    names = ours(loaded("import holdfast; holdfast.AsyncClient"))
    assert not any(name.startswith(UNNEEDED) or "_sync" in name for name in names)


def test_a_memory_client_needs_no_sqlite_and_no_asyncio() -> None:
    modules = loaded("import holdfast; holdfast.Client('memory://').lock('x').acquire().release()")
    assert not modules & {"sqlite3", "_sqlite3", "asyncio"}
    assert "holdfast._sync.engines.memory" in modules


def test_an_sqlite_client_needs_no_asyncio() -> None:
    modules = loaded("import holdfast; holdfast.Client('sqlite:///no/such/file')")
    assert not modules & {"asyncio", "concurrent.futures", "ssl"}


def test_importing_costs_little() -> None:
    """A few times ``import json`` at the most, both measured in turn on the same busy machine."""

    def cost(module: str) -> float:
        # The last line of the report is the module itself, with all that it loaded.
        report = run(f"import {module}", "-S", "-X", "importtime").stderr.splitlines()[-1]
        name, cumulative = report.split("|")[2].strip(), report.split("|")[1]
        assert name == module
        return float(cumulative)

    _ = cost("holdfast"), cost("json")  # compiles, and warms the disk cache
    rounds = [(cost("holdfast"), cost("json")) for _ in range(9)]
    ratio = statistics.median(ours / json for ours, json in rounds)
    print(f"import holdfast takes {ratio:.2f} times as long as import json")
    assert ratio < 8
