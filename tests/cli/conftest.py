"""What the tests of the command line share: a lock file, and a client on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import holdfast


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A lock file of this test's own; ``holdfast`` finds it in the environment."""
    url = f"sqlite://{tmp_path}/locks.db"
    monkeypatch.setenv("HOLDFAST_URL", url)
    return url


@pytest.fixture
def client(url: str) -> Iterator[holdfast.Client]:
    with holdfast.Client(url) as client:
        yield client
