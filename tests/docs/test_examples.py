"""Every example in the README and the documentation does what it says."""

from pathlib import Path

import pytest

from tests.docs.examples import Example, find

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


def _examples() -> list[object]:
    return [
        pytest.param(example, id=f"{page.relative_to(ROOT)}:{example.line}")
        for page in PAGES
        if page.exists()
        for example in find(page)
    ]


@pytest.mark.parametrize("example", _examples())
def test_example(example: Example) -> None:
    if example.skip:
        pytest.skip(example.skip)
    example.run()
