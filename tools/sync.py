"""Generate every ``_sync`` tree from the ``_async`` tree beside it.

Line numbers stay the same, so that a traceback of either tree can be read in the other. There is
one rename rule (``AsyncX`` becomes ``X``) and a handful of names; no file has an "if async" branch.

    python tools/sync.py            write the trees
    python tools/sync.py --check    fail if any file, or the set of files, is not what it should be
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = ("src", "tests")

HAND = "# Written by hand; the _sync tree is generated from this one by tools/sync.py."
BANNER = "# GENERATED from the _async tree by tools/sync.py: change that one, not this."

RULES = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\brt\.Coro\[([^\[\]]+)\]", r"\1"),
    (r"\b_async\b", "_sync"),
    (r"\basync_(?=[a-z])", ""),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\bASYNC\b", "SYNC"),
    (r"\baio\b", "threads"),
    (r"\baclose\b", "close"),
    (r"\b__a(enter|exit|iter|next)__", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\basynccontextmanager\b", "contextmanager"),
]


def convert(source: str) -> str:
    """Return the sync form of ``source``, line for line."""
    if not source.startswith(HAND):
        raise ValueError(f"the first line must be: {HAND}")
    body = source.removeprefix(HAND)
    for pattern, replacement in RULES:
        body = re.sub(pattern, replacement, body)
    result = BANNER + body
    if result.count("\n") != source.count("\n"):
        raise ValueError("the line numbers differ")
    return result


def expected(root: Path) -> dict[Path, str]:
    """Return all generated files with their contents."""
    files: dict[Path, str] = {}
    for place in PLACES:
        for source in sorted((root / place).rglob("_async/**/*.py")):
            parts = [
                "_sync" if part == "_async" else part for part in source.relative_to(root).parts
            ]
            try:
                files[root.joinpath(*parts)] = convert(source.read_text(encoding="utf-8"))
            except ValueError as exc:
                raise SystemExit(f"{source.relative_to(root)}: {exc}") from exc
    return files


def present(root: Path) -> set[Path]:
    """Return all files that stand in generated trees."""
    return {
        path
        for place in PLACES
        for path in (root / place).rglob("_sync/**/*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def check(root: Path) -> list[str]:
    """Return what differs, in words."""
    files = expected(root)
    there = present(root)
    problems = [f"missing: {path.relative_to(root)}" for path in files.keys() - there]
    problems += [f"has no source: {path.relative_to(root)}" for path in there - files.keys()]
    problems += [
        f"differs from its source: {path.relative_to(root)}"
        for path in files.keys() & there
        if path.read_text(encoding="utf-8") != files[path]
    ]
    return sorted(problems)


def write(root: Path) -> None:
    """Write all generated files and delete those that have lost their source."""
    files = expected(root)
    for path in present(root) - files.keys():
        path.unlink()
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the command; 1 if the check found a difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    if not parser.parse_args(arguments).check:
        write(root)
        return 0
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print("run: python tools/sync.py", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
