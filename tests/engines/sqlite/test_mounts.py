"""File systems of other machines, which cannot keep a lock file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast import CapabilityError, Client
from holdfast._sqlite import database
from holdfast._sqlite.mounts import network_file_system
from tests.engines.sqlite.support import (
    assert_works,
)


def mountinfo(tmp_path: Path, kind: str) -> str:
    device = tmp_path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    file = tmp_path / "mountinfo"
    file.write_text(
        "21 1 250:250 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
        f"36 21 {number} /export /data\\040here rw,noatime master:1 - {kind} server:/export rw\n"
    )
    return str(file)


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "9p", "fuse.sshfs", "ceph"])
def test_a_network_file_system_is_recognised(tmp_path: Path, kind: str) -> None:
    assert network_file_system(str(tmp_path), mountinfo(tmp_path, kind)) == kind


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "overlay"])
def test_a_local_file_system_is_fine(tmp_path: Path, kind: str) -> None:
    assert network_file_system(str(tmp_path), mountinfo(tmp_path, kind)) is None


def test_a_network_file_system_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(database, "network_file_system", lambda _path: "nfs4")
        with pytest.raises(CapabilityError, match=r"is on a network file system \(nfs4\)"):
            client.lock("a").try_acquire()
    assert_works(client)
