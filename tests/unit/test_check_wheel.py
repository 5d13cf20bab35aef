"""The wheel check notices what is missing from a wheel and what does not belong there."""

import zipfile
from pathlib import Path

import pytest

from tools.check_wheel import problems

FILES = ("holdfast/__init__.py", "holdfast/py.typed", "holdfast/resources/lease.sql")
LICENSE = "holdfast-0.1.0.dist-info/licenses/LICENSE"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in (*FILES, "holdfast/__pycache__/x.pyc"):
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def wheel(root: Path, *names: str) -> Path:
    path = root / "some.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


def test_a_whole_wheel(root: Path) -> None:
    assert problems(wheel(root, *FILES, LICENSE), root) == []


def test_what_is_missing(root: Path) -> None:
    assert problems(wheel(root, "holdfast/__init__.py"), root) == [
        "missing from the wheel: holdfast/py.typed",
        "missing from the wheel: holdfast/resources/lease.sql",
        "the wheel has no holdfast/py.typed: its types would be ignored",
        "the wheel has no LICENSE",
    ]


def test_what_does_not_belong(root: Path) -> None:
    assert problems(wheel(root, *FILES, LICENSE, "tests/test_x.py"), root) == [
        "does not belong in the wheel: tests/test_x.py"
    ]
