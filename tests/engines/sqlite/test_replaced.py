"""A lock file that is deleted or replaced while it is in use: all go over to the new one."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import Client, LeaseLost
from tests.engines.sqlite.support import (
    LIMIT,
    Peer,
    assert_sound,
    query,
    remove_database,
    sqlite_url,
    until,
    until_looked,
    waiters,
)


def delete_all(path: Path) -> None:
    """As ``rm locks.db*`` does."""
    remove_database(path)
    until_looked()


def delete_one(path: Path) -> None:
    """As ``rm locks.db`` does: the log stays behind."""
    path.unlink()
    until_looked()


def replace(path: Path) -> None:
    """Put another lock file in its place, as a restored backup."""
    other = path.with_suffix(".other")
    with Client(sqlite_url(other)) as client, client.lock("z"):
        pass
    remove_database(path)
    other.rename(path)
    until_looked()


def empty(path: Path) -> None:
    """Put an empty file in its place."""
    remove_database(path)
    path.touch(0o600)
    until_looked()


ways = pytest.mark.parametrize("lose", [delete_all, delete_one, replace, empty])


@ways
def test_both_sides_go_over_to_the_new_file(
    client: Client, peers: Callable[[], Peer], path: Path, lose: Callable[[Path], None]
) -> None:
    peer = peers()
    peer.acquire("a")
    peer.release("a")
    with client.lock("a"):
        pass
    lose(path)
    fence = peer.acquire("a", ttl=60)
    assert client.lock("a").try_acquire() is None
    assert [row[0] for row in query(path, "SELECT fence FROM lease")] == [fence]
    peer.release("a")
    with client.lock("a", wait=5) as lease:
        assert lease.fence > fence
    assert_sound(path)


@ways
def test_the_old_holder_hears_of_it_by_the_next_renewal(
    client: Client, path: Path, lose: Callable[[Path], None]
) -> None:
    lease = client.lock("a", ttl=3).acquire()
    lose(path)
    assert lease.lost.wait(LIMIT)
    with pytest.raises(LeaseLost, match="the engine no longer has it"):
        lease.check()


@ways
def test_the_old_holder_hears_of_it_at_its_release_at_the_latest(
    client: Client, peers: Callable[[], Peer], path: Path, lose: Callable[[Path], None]
) -> None:
    lease = client.lock("a", ttl=60).acquire()
    lose(path)
    peer = peers()
    fence = peer.acquire("a", ttl=60)
    assert fence > lease.fence
    with pytest.raises(LeaseLost):
        lease.release()
    peer.do("check", name="a")
    peer.release("a")


@ways
def test_whoever_asks_sees_the_new_file(
    client: Client, peers: Callable[[], Peer], path: Path, lose: Callable[[Path], None]
) -> None:
    lease = client.lock("old", ttl=60).acquire()
    lose(path)
    peers().acquire("new", ttl=60)
    assert client.inspect("old") is None
    assert [snapshot.name for snapshot in client.scan()] == ["new"]
    assert lease.fence


@ways
def test_a_waiter_goes_over_too(
    client: Client, peers: Callable[[], Peer], path: Path, lose: Callable[[Path], None]
) -> None:
    lease = client.lock("a", ttl=60).acquire()
    peer = peers()
    peer.send("acquire", name="a", ttl=60)
    until(lambda: waiters(client, "a"))
    lose(path)
    assert peer.answer()["fence"] > lease.fence
    with pytest.raises(LeaseLost):
        lease.release()


def test_an_idle_client_does_not_keep_others_from_a_new_file(
    client: Client, peers: Callable[[], Peer], path: Path
) -> None:
    """It has the old log and its index open: no new file may be mixed up with them."""
    with client.lock("a"):
        pass
    path.unlink()
    peer = peers()
    peer.acquire("a", ttl=60)
    peer.do("rounds", name="b", count=200)
    assert client.lock("a").try_acquire() is None
    assert_sound(path)


def test_many_deletions_under_way(peers: Callable[[], Peer], path: Path) -> None:
    crowd = [peers() for _ in range(4)]
    for peer in crowd:
        peer.send("rounds", name="a", count=300)
    deletions = 0
    while any(peer.silent for peer in crowd):
        if deletions < 20 and path.exists():
            path.unlink()
            deletions += 1
        time.sleep(0.005)
    assert deletions > 1, "they were done before the file was deleted twice"
    answers = [peer.answer() for peer in crowd]
    assert {answer.get("error") for answer in answers} == {None}, answers
    crowd[0].acquire("a", wait=20)
    assert_sound(path)


def test_a_folder_that_moves_away_with_everything(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with Client(sqlite_url(folder / "locks.db", create_folder="yes")) as client:
        with client.lock("a") as lease:
            before = lease.fence
        shutil.move(folder, tmp_path / "away")
        until_looked()
        with client.lock("a") as lease:
            assert lease.fence > before
        assert os.path.exists(folder / "locks.db")
