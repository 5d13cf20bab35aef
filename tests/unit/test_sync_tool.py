"""The generator of the sync trees: its rules, and that its check misses nothing."""

from pathlib import Path

import pytest

from tools import sync

ROOT = Path(sync.__file__).resolve().parent.parent


def convert(body: str) -> str:
    """Convert without the first lines."""
    return sync.convert(f"{sync.HAND}\n{body}").removeprefix(f"{sync.BANNER}\n")


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("async def f() -> int:", "def f() -> int:"),
        ("async with a as b, c:", "with a as b, c:"),
        ("async for x in y:", "for x in y:"),
        ("[x async for x in y]", "[x for x in y]"),
        ("return await f(await g())", "return f(g())"),
        ("(await f())[0]", "(f())[0]"),
        ("Callable[[int], rt.Coro[None]]", "Callable[[int], None]"),
        ("Callable[P, rt.Coro[R]]", "Callable[P, R]"),
        ("from .._async.lock import AsyncLock", "from .._sync.lock import Lock"),
        ("from .._runtime import aio as rt", "from .._runtime import threads as rt"),
        ("AsyncIterator[Snapshot]", "Iterator[Snapshot]"),
        ("async_lock(async_locked)", "lock(locked)"),
        ("engine_class(url.scheme, ASYNC)", "engine_class(url.scheme, SYNC)"),
        ("await self.aclose()", "self.close()"),
        ("async def __aenter__(self):", "def __enter__(self):"),
        ("async def __aexit__(self, *exc):", "def __exit__(self, *exc):"),
        ("def __aiter__(self): __anext__", "def __iter__(self): __next__"),
        ("raise StopAsyncIteration", "raise StopIteration"),
        ("@asynccontextmanager", "@contextmanager"),
        ("``async with lock as lease:``", "``with lock as lease:``"),
    ],
)
def test_the_rules(source: str, result: str) -> None:
    assert convert(source) == result


@pytest.mark.parametrize(
    "source",
    ["awaiting = 1", "asynchronous", "Asynchronous = 1", "my_async_thing", "kaio", "disclose()"],
)
def test_what_only_looks_like_it_stays(source: str) -> None:
    assert convert(source) == source


def test_the_lines_stay_where_they_are() -> None:
    source = 'async def f():\n    """A\n\n    text."""\n    await g()\n'
    assert convert(source).count("\n") == source.count("\n")


def test_a_rule_that_moves_lines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "RULES", [(r"await ", "\n")])
    with pytest.raises(ValueError, match="line numbers differ"):
        convert("await x")


@pytest.mark.parametrize("first", ["", "import os\n", sync.BANNER + "\n", " " + sync.HAND + "\n"])
def test_a_source_says_what_it_is(first: str) -> None:
    with pytest.raises(ValueError, match="the first line must be"):
        sync.convert(first + "x = 1\n")


# --- whole trees ---------------------------------------------------------------------------------


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project, in step."""
    put(tmp_path / "src/p/_async/a.py", f"{sync.HAND}\nasync def f(): ...\n")
    put(tmp_path / "src/p/_async/deep/b.py", f"{sync.HAND}\nawait x\n")
    put(tmp_path / "tests/t/_async/test_c.py", f"{sync.HAND}\nAsyncLock\n")
    assert sync.main([], tmp_path) == 0
    return tmp_path


def test_writing_makes_every_tree(root: Path) -> None:
    expected = f"{sync.BANNER}\ndef f(): ...\n"
    assert (root / "src/p/_sync/a.py").read_text(encoding="utf-8") == expected
    assert (root / "src/p/_sync/deep/b.py").exists()
    assert (root / "tests/t/_sync/test_c.py").exists()
    assert sync.check(root) == []
    assert sync.main(["--check"], root) == 0


def test_a_changed_file_is_noticed(root: Path) -> None:
    path = root / "src/p/_sync/a.py"
    put(path, path.read_text(encoding="utf-8") + "\n# one line more\n")
    assert sync.check(root) == ["differs from its source: src/p/_sync/a.py"]
    put(path, "")
    assert sync.check(root) == ["differs from its source: src/p/_sync/a.py"]


def test_a_changed_source_is_noticed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(root / "src/p/_async/a.py", f"{sync.HAND}\nasync def g(): ...\n")
    assert sync.main(["--check"], root) == 1
    assert "differs from its source: src/p/_sync/a.py" in capsys.readouterr().err
    assert "def f" in (root / "src/p/_sync/a.py").read_text(encoding="utf-8")  # nothing written


def test_a_missing_file_is_noticed(root: Path) -> None:
    (root / "tests/t/_sync/test_c.py").unlink()
    assert sync.check(root) == ["missing: tests/t/_sync/test_c.py"]


@pytest.mark.parametrize("name", ["left.py", "deep/left.py", "left.txt", "other/__init__.py"])
def test_a_file_without_a_source_is_noticed_and_removed(root: Path, name: str) -> None:
    put(root / "src/p/_sync" / name, "")
    assert sync.check(root) == [f"has no source: src/p/_sync/{name}"]
    sync.write(root)
    assert sync.check(root) == []


def test_a_whole_tree_without_a_source_is_noticed(root: Path) -> None:
    (root / "tests/t/_async/test_c.py").unlink()
    put(root / "src/q/_sync/a.py", f"{sync.BANNER}\n")
    assert sync.check(root) == [
        "has no source: src/q/_sync/a.py",
        "has no source: tests/t/_sync/test_c.py",
    ]


def test_all_that_is_wrong_is_said_at_once(root: Path) -> None:
    put(root / "src/p/_sync/left.py", "")
    put(root / "src/p/_sync/a.py", "")
    (root / "tests/t/_sync/test_c.py").unlink()
    assert len(sync.check(root)) == 3


def test_compiled_files_do_not_count(root: Path) -> None:
    put(root / "src/p/_sync/__pycache__/a.pyc", "")
    assert sync.check(root) == []


def test_a_source_without_its_banner_stops_everything(root: Path) -> None:
    put(root / "src/p/_async/a.py", "async def f(): ...\n")
    for arguments in ([], ["--check"]):
        with pytest.raises(SystemExit, match=r"src/p/_async/a\.py: the first line must be"):
            sync.main(arguments, root)


def test_what_did_not_change_is_not_written_again(root: Path) -> None:
    path = root / "src/p/_sync/a.py"
    before = path.stat().st_mtime_ns
    sync.write(root)
    assert path.stat().st_mtime_ns == before


# --- this project --------------------------------------------------------------------------------


def test_what_is_committed_is_what_the_sources_give() -> None:
    assert sync.check(ROOT) == []
    assert len(sync.expected(ROOT)) > 10


def test_nothing_asynchronous_is_left_in_the_generated_trees() -> None:
    for path, text in sync.expected(ROOT).items():
        code = [line.partition("#")[0] for line in text.splitlines()]
        for word in ("await ", "async def", "async with", "async for", "asyncio", " aio"):
            assert not any(word in line for line in code), (path, word)


def test_every_generated_file_compiles_line_for_line() -> None:
    for path, text in sync.expected(ROOT).items():
        compile(text, str(path), "exec")
        source = Path(str(path).replace("_sync", "_async")).read_text(encoding="utf-8")
        assert text.count("\n") == source.count("\n")
