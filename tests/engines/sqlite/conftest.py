"""A lock file of the test's own, clients on it, and other processes that are ended afterwards."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from holdfast import Client
from tests.engines.sqlite.support import Peer, sqlite_url


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the lock file will be."""
    return tmp_path / "locks.db"


@pytest.fixture
def url(path: Path) -> str:
    """The URL of the lock file."""
    return sqlite_url(path)


@pytest.fixture
def make_client(url: str) -> Iterator[Callable[[], Client]]:
    """Make clients, which are closed at the end."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(Client(url))


@pytest.fixture
def client(make_client: Callable[[], Client]) -> Client:
    """A client of this process."""
    return make_client()


@pytest.fixture
def peers(url: str) -> Iterator[Callable[[], Peer]]:
    """Start other processes with clients on the same file, which are killed at the end."""
    with ExitStack() as stack:

        def start() -> Peer:
            peer = Peer(url)
            stack.callback(peer.close)
            return peer

        yield start
