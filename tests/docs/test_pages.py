"""What the pages say beside their examples: names of tests, tables, and an engine that works."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import holdfast
from holdfast._core.registry import BUILTIN, SYNC, engine_class
from holdfast._core.urls import parse
from holdfast.testing import AsyncEngineContract, EngineContract
from tests.docs.examples import find

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_TEST_NAME = re.compile(r"`(test_\w+)`")


def named_on(page: Path) -> set[str]:
    return set(_TEST_NAME.findall(page.read_text("utf-8")))


def contract() -> set[str]:
    return {name for name in dir(AsyncEngineContract) if name.startswith("test_")}


def all_tests() -> set[str]:
    """The names of all tests of ours, read from the sources."""
    names = contract()
    for path in (ROOT / "tests").rglob("test_*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        names |= {
            node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
    return names


def rows(page: Path, first: str) -> list[list[str]]:
    """The table whose first heading is ``first``: its headings, then its rows."""
    found: list[list[str]] = []
    for line in page.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if found and not line.startswith("|"):
            break
        if found or cells[0] == first:
            found.append(cells)
    assert found, f"{page} has no table that begins with {first!r}"
    return [found[0], *found[2:]]


# --- tests that are named -------------------------------------------------------------------------


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_every_test_that_a_page_names_exists(page: Path) -> None:
    assert named_on(page) - all_tests() == set()


def test_the_guarantees_name_the_whole_contract() -> None:
    assert contract() - named_on(DOCS / "guarantees.md") == set()


def test_every_fault_is_told_and_numbered() -> None:
    text = (DOCS / "faults-elsewhere.md").read_text("utf-8")
    assert [int(number) for number in re.findall(r"^### (\d+)\. ", text, re.M)] == [*range(1, 29)]


# --- tables ---------------------------------------------------------------------------------------


def test_the_capabilities_are_those_of_the_code() -> None:
    heading, *table = rows(DOCS / "engines" / "index.md", "capability")
    assert heading[2:] == sorted(BUILTIN)
    told = {row[0].strip("`"): row[2:] for row in table}
    engines = [engine_class(scheme, SYNC).capabilities for scheme in heading[2:]]
    assert told == {
        name: ["yes" if getattr(each, name) else "no" for each in engines]
        for name in holdfast.Capabilities.names()
    }
    assert {each.min_ttl for each in engines} == {0.01}
    assert {field.name for field in fields(holdfast.Capabilities)} == {*told, "min_ttl"}


def test_the_readme_lists_the_engines_that_there_are() -> None:
    _, *table = rows(ROOT / "README.md", "URL")
    assert [row[0].strip("`").partition(":")[0] for row in table] == sorted(BUILTIN)


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 120


def test_the_errors_are_all_listed() -> None:
    _, *table = rows(DOCS / "index.md", "error")
    listed = {row[0].split()[0].strip("`") for row in table}
    there = {
        name
        for name in holdfast.__all__
        if isinstance(value := getattr(holdfast, name), type) and issubclass(value, Exception)
    }
    assert listed == there - {"HoldfastError"}


def test_every_decision_is_listed() -> None:
    index = (DOCS / "adr" / "index.md").read_text("utf-8")
    pages = {path.name for path in (DOCS / "adr").glob("[0-9]*.md")}
    assert set(re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", index)) == pages
    numbers = sorted(int(name[:4]) for name in pages)
    assert numbers == [*range(1, len(numbers) + 1)]


# --- examples for pytest --------------------------------------------------------------------------


def test_the_tests_on_the_page_about_testing_pass(tmp_path: Path) -> None:
    count = 0
    for number, example in enumerate(find(DOCS / "testing.md")):
        (tmp_path / f"test_{number}.py").write_text(example.source, "utf-8")
        count += example.source.count("def test_")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert f"{count} passed" in done.stdout


_shown: dict[str, Any] = {}
exec(find(DOCS / "engines" / "writing-one.md")[0].source.partition("client = ")[0], _shown)


class TestShownEngine(EngineContract):
    """The engine on the page about writing one keeps the contract, as that page says."""

    @pytest.fixture
    def make_engine(self) -> Callable[[], holdfast.Engine]:
        _shown["SHELVES"].clear()
        return lambda: _shown["ShelfEngine"](parse("shelf://test"))
