"""Acquires and releases while a signal's handler raises at any moment, as Ctrl-C does."""

import random
import signal
import sys

import holdfast


class Interrupted(Exception):  # noqa: N818 - it is no error
    """Raised by the handler."""


def interrupt(number: int, frame: object) -> None:
    raise Interrupted


def main() -> None:
    url, rounds = sys.argv[1], int(sys.argv[2])
    chance = random.Random(7)
    signal.signal(signal.SIGALRM, interrupt)
    client = holdfast.Client(url)
    with client.lock("warm"):
        pass
    lock = client.lock("a", ttl=0.2, renew=False)
    interrupted = 0
    while interrupted < rounds:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.00002, 0.0006))
        try:
            while True:
                with lock:
                    pass
        except Interrupted:
            interrupted += 1
        except holdfast.LeaseLost:
            pass
        signal.setitimer(signal.ITIMER_REAL, 0)
    with client.lock("b", wait=10):
        pass
    with holdfast.Client(url) as other:
        other.lock("a").acquire(wait=10).release()
    print("sound")


main()
