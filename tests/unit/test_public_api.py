"""The public names: all there, the same in both worlds, and honest about what they raise."""

import ast
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import holdfast
from tools.sync import HAND, convert

PAIRS = [
    (holdfast.AsyncClient, holdfast.Client),
    (holdfast.AsyncLock, holdfast.Lock),
    (holdfast.AsyncLease, holdfast.Lease),
    (holdfast.AsyncEngine, holdfast.Engine),
]
FUNCTIONS = [
    (holdfast.async_lock, holdfast.lock),
    (holdfast.async_locked, holdfast.locked),
]


def to_sync(text: str) -> str:
    """Rename as the generator of the sync tree does."""
    return convert(f"{HAND}\n{text}").partition("\n")[2]


def public(cls: type) -> dict[str, Any]:
    """What users may touch: names without an underscore, and the protocols of the language."""
    protocols = {"__init__", "__call__", "__aenter__", "__aexit__", "__enter__", "__exit__"}
    return {
        name: value
        for name, value in inspect.getmembers_static(cls)
        if not name.startswith("_") or (name in protocols and name in vars(cls))
    }


def test_all_is_importable_and_nothing_is_missing() -> None:
    for name in holdfast.__all__:
        assert getattr(holdfast, name) is not None
    assert set(holdfast.__all__) <= set(dir(holdfast))
    assert len(set(holdfast.__all__)) == len(holdfast.__all__)


def test_what_is_loaded_late_is_what_is_declared() -> None:
    errors = set(holdfast.errors.__all__)
    assert set(holdfast._HOMES) | errors == set(holdfast.__all__)
    assert not set(holdfast._HOMES) & errors


def test_what_the_type_checkers_see_is_what_is_loaded() -> None:
    """The block under TYPE_CHECKING names the same homes as the table."""
    tree = ast.parse(Path(holdfast.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    homes = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert homes == holdfast._HOMES


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Mutex'"):
        _ = holdfast.Mutex


def test_star_import_gives_exactly_that() -> None:
    names: dict[str, Any] = {}
    exec("from holdfast import *", names)
    assert set(names) - {"__builtins__"} == set(holdfast.__all__)


def test_every_async_name_has_its_sync_name_and_the_other_way_round() -> None:
    names = set(holdfast.__all__)
    for name in names:
        if name.startswith(("Async", "async_")):
            assert to_sync(name) in names
    twins = {to_sync(name) for name in names if to_sync(name) != name}
    assert twins == {"Client", "Engine", "Lease", "Lock", "lock", "locked"}


# --- there is nothing that one can do and the other cannot ---------------------------------------


@pytest.mark.parametrize(("async_", "sync"), PAIRS, ids=lambda cls: cls.__name__)
def test_the_same_methods_and_properties(async_: type, sync: type) -> None:
    assert {to_sync(name) for name in public(async_)} == set(public(sync))


@pytest.mark.parametrize(("async_", "sync"), PAIRS, ids=lambda cls: cls.__name__)
def test_the_same_parameters(async_: type, sync: type) -> None:
    theirs = public(sync)
    for name, value in public(async_).items():
        function, twin = unwrap(value), unwrap(theirs[to_sync(name)])
        assert (function is None) == (twin is None), name
        if function is not None and twin is not None:
            assert parameters(function, to_sync) == parameters(twin), name


@pytest.mark.parametrize(("async_", "sync"), FUNCTIONS, ids=lambda function: function.__name__)
def test_the_same_functions(async_: Callable[..., Any], sync: Callable[..., Any]) -> None:
    assert parameters(async_, to_sync) == parameters(sync)


def unwrap(value: Any) -> Callable[..., Any] | None:
    """The function behind a method, class method or property; None for plain data."""
    if isinstance(value, property):
        return value.fget
    if isinstance(value, classmethod | staticmethod):
        return value.__func__
    return value if inspect.isfunction(value) else None


def parameters(
    function: Callable[..., Any], rename: Callable[[str], str] = lambda text: text
) -> list[tuple[str, object, object, str]]:
    return [
        (p.name, p.kind, p.default, rename(str(p.annotation)))
        for p in inspect.signature(function).parameters.values()
    ]


# --- what is raised is said ----------------------------------------------------------------------

#: Calls whose errors the caller must expect: the engine, the checks of arguments, other methods.
RAISING = {"check_name", "check_ttl", "check_wait", "check_max_hold", "check_flag", "dump_info",
           "check_function", "compile_template", "engine", "session"}  # fmt: skip
FOLDER = Path(holdfast.__file__).parent
SOURCES = [
    *(FOLDER / "_async" / f"{name}.py" for name in ("client", "lock", "lease", "default")),
    *sorted((FOLDER / "_core").glob("*.py")),
]


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The public functions and methods of a file, without those inside others."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                if not inner.name.startswith("_") or inner.name == "__init__":
                    yield inner


def may_raise(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Raise):
            return True
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            if name in RAISING:
                return True
    return False


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_docstring_says_what_is_raised(path: Path) -> None:
    silent = [
        function.name
        for function in functions(path)
        if may_raise(function) and "Raises:" not in (ast.get_docstring(function) or "")
    ]
    assert silent == []


@pytest.mark.parametrize("cls", [cls for pair in PAIRS for cls in pair], ids=lambda c: c.__name__)
def test_every_public_name_has_a_docstring(cls: type) -> None:
    for name, value in public(cls).items():
        if not name.startswith("__") and unwrap(value) is not None:
            assert inspect.getdoc(value), name
