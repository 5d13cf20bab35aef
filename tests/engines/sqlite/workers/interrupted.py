"""Acquires and releases while a signal's handler raises at any moment, as Ctrl-C does."""

import logging
import random
import signal
import sys

import holdfast


class Interrupted(Exception):
    """Raised by the handler."""


def interrupt(number: int, frame: object) -> None:
    raise Interrupted


def acquire_and_release(lock: holdfast.Lock) -> None:
    try:
        with lock:
            pass
    except (holdfast.AcquireTimeout, holdfast.LeaseLost):
        pass  # an acquire or a release was interrupted shortly before


def main() -> None:
    url, rounds = sys.argv[1], int(sys.argv[2])
    chance = random.Random(7)
    signal.signal(signal.SIGALRM, interrupt)
    # An interrupted holder is told of its loss; a file that cannot be used would be told, too.
    logging.getLogger("holdfast").addFilter(lambda record: not record.msg.startswith("lost"))
    client = holdfast.Client(url)
    with client.lock("warm"):
        pass
    # Without waiting: Python's own events do not survive what is done here.
    lock = client.lock("a", ttl=0.05, wait=0, renew=False)
    interrupted = 0
    while interrupted < rounds:
        try:
            signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.00002, 0.0006))
            while True:
                acquire_and_release(lock)
        except Interrupted:
            interrupted += 1
    with client.lock("b", wait=10):
        pass
    with holdfast.Client(url) as other:
        other.lock("a").acquire(wait=10).release()
    print("sound")


main()
