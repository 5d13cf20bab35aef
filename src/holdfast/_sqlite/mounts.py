"""Whether a path lies on another machine."""

from __future__ import annotations

import os
import sys

_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "glusterfs", "lustre", "9p",
            "fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "beegfs", "gpfs", "ocfs2")  # fmt: skip


def network_file_system(path: str, mounts: str = "/proc/self/mountinfo") -> str | None:
    """Return the type of the network file system that ``path`` is on; None: local, or unknown."""
    if sys.platform != "linux":
        return None
    try:
        device = os.stat(path).st_dev
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.readlines()
    except OSError:
        return None  # deleted meanwhile, or the system does not say
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in lines:
        before, _, after = line.partition(" - ")
        if before.split()[2] == wanted and (kind := after.split()[0]) in _NETWORK:
            return kind
    return None
