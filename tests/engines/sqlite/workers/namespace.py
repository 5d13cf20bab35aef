"""Runs in a mount namespace of its own, where it may mount what it likes: see ``in_namespace``.

What is shown is the same each time: nothing is lost by the fault, and all goes on after it.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

import holdfast


def try_mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode == 0


def mount(*arguments: str) -> None:
    assert try_mount(*arguments), arguments


def until(condition: Callable[[], bool]) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it has not come about in time")


def expect(error: type[Exception], words: str, client: holdfast.Client, name: str) -> None:
    with pytest.raises(error, match=words):
        client.lock(name).acquire(wait=0.2)


def full_disk(folder: str) -> None:
    mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", folder)
    client = holdfast.Client(f"sqlite://{folder}/locks.db")
    lease = client.lock("held", ttl=60).acquire()
    ballast = os.open(f"{folder}/ballast", os.O_WRONLY | os.O_CREAT)
    written = 0
    try:
        while True:
            written += os.write(ballast, bytes(4096))
    except OSError:
        pass
    # There may be room in the log's last page; a few names use it up.
    refused = None
    for number in range(1000):
        try:
            client.lock(f"more:{number}", info={"text": "x" * 200}).try_acquire()
        except holdfast.EngineUnavailable as exc:
            refused = exc
            break
    assert refused is not None
    assert "disk is full" in str(refused), str(refused)
    lease.check()
    os.ftruncate(ballast, 0)
    after_the_fault(client, lease)


def full_from_the_start(folder: str) -> None:
    mount("-t", "tmpfs", "-o", "size=16k", "tmpfs", folder)
    with open(f"{folder}/ballast", "wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(bytes(4096))
        except OSError:
            pass
    client = holdfast.Client(f"sqlite://{folder}/locks.db")
    expect(holdfast.EngineUnavailable, "disk is full", client, "a")
    os.unlink(f"{folder}/ballast")
    mount("-o", "remount,size=1m", folder)
    with client.lock("a"):
        pass


def read_only(folder: str) -> None:
    mount("-t", "tmpfs", "tmpfs", folder)
    client = holdfast.Client(f"sqlite://{folder}/locks.db")
    lease = client.lock("held", ttl=60).acquire()
    client.close()
    until(lambda: try_mount("-o", "remount,ro", folder))  # a thread closes its pipe a bit later
    other = holdfast.Client(f"sqlite://{folder}/locks.db")
    expect(holdfast.EngineError, "cannot be", other, "a")
    mount("-o", "remount,rw", folder)
    after_the_fault(other)
    assert not lease.held


def read_only_from_the_start(folder: str) -> None:
    mount("-t", "tmpfs", "-o", "ro", "tmpfs", folder)
    client = holdfast.Client(f"sqlite://{folder}/locks.db")
    expect(holdfast.EngineError, "Read-only file system", client, "a")
    mount("-o", "remount,rw", folder)
    after_the_fault(client)


def after_the_fault(client: holdfast.Client, lease: holdfast.Lease | None = None) -> None:
    with client.lock("later", wait=5):
        pass
    if lease is not None:
        lease.renew()
        lease.release()
    client.close()


globals()[sys.argv[1]](sys.argv[2])
