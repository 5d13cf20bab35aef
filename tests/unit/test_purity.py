"""Decisions are kept apart from I/O: what may not be imported or done, and where."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast

ROOT = Path(holdfast.__file__).parent
CORE = sorted((ROOT / "_core").glob("*.py"))

#: Modules that wait, talk to the outside, or know what time it is.
IMPURE = {
    "asyncio", "concurrent", "multiprocessing", "os", "pathlib", "sched", "select", "selectors",
    "signal", "socket", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "time", "queue",
    "secrets", "uuid",
}  # fmt: skip
#: Other ways to the same.
IMPURE_NAMES = {"open", "input", "print", "exec", "eval"}
CLOCKS = {"now", "utcnow", "today", "time", "monotonic", "perf_counter", "clock_gettime"}


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every imported module, as (level of a relative import, dotted name)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or ""


def problems(source: str) -> list[str]:
    """Whatever a decision has no use for."""
    tree = ast.parse(source)
    found = [
        f"imports {name}"
        for level, name in imports(tree)
        if level == 0 and name.partition(".")[0] in IMPURE
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.Await | ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith):
            found.append(f"line {node.lineno}: {type(node).__name__}")
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in IMPURE_NAMES:
                found.append(f"line {node.lineno}: {node.func.id}()")
            elif isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
                found.append(f"line {node.lineno}: .{node.func.attr}()")
        elif isinstance(node, ast.Global):
            found.append(f"line {node.lineno}: global state")
    return found


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_the_core_neither_waits_nor_looks(path: Path) -> None:
    assert problems(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_the_core_imports_nothing_of_ours_but_itself_and_the_errors(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ours = [(level, name) for level, name in imports(tree) if level or name.startswith("holdfast")]
    for level, name in ours:
        assert level == 1 or (level, name) == (0, "holdfast.errors")


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "import os.path",
        "from asyncio import sleep",
        "from threading import Lock",
        "def f():\n    import socket",
        "async def f(): ...",
        "from datetime import datetime\ndatetime.now()",
        "open('x')",
        "def f():\n    global x",
    ],
)
def test_the_check_itself_notices(source: str) -> None:
    assert problems(source)


def test_the_check_lets_decisions_pass() -> None:
    assert CORE
    assert problems("from math import isfinite\ndef f(now: float) -> bool: return now > 0") == []


@pytest.mark.parametrize("path", sorted(ROOT.rglob("_async/**/*.py")), ids=lambda path: path.stem)
def test_only_the_runtime_knows_asyncio(path: Path) -> None:
    """Else the generated tree would need it."""
    names = {name for _, name in imports(ast.parse(path.read_text(encoding="utf-8")))}
    assert not names & {"asyncio", "inspect", "concurrent.futures"}


@pytest.mark.parametrize("tree", ["_async", "_sync"])
def test_no_file_asks_which_of_the_two_it_is_in(tree: str) -> None:
    other = "_sync" if tree == "_async" else "_async"
    for path in (ROOT / tree).rglob("*.py"):
        for _, name in imports(ast.parse(path.read_text(encoding="utf-8"))):
            assert other not in name.split("."), path
