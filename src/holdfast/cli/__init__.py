"""The command line: ``holdfast run`` and ``holdfast demo``.

Only what a command needs is imported, when it is called: ``holdfast --help`` loads no engine.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from holdfast import __version__

from . import status
from .messages import redact, say

_EPILOG = """\
examples:
  holdfast run nightly-report -- ./report.sh
  holdfast demo

holdfast COMMAND --help tells more of a command.
"""

_RUN = """\
Runs a command while holding a lock, and ends with the command's own exit status.

The command finds the lock's name in $HOLDFAST_NAME and its fencing token in $HOLDFAST_FENCE. When
the lease cannot be renewed, the command is stopped before anybody else can get the lock.
"""

_RUN_EPILOG = """\
exit status:
  the command's own, or 128+N when signal N ended it; and
    2  wrong arguments
   69  the engine did not answer, or refused
   75  the lock is held by somebody else
   76  the lease was lost, and the command was stopped or may have run without it
  126  the command cannot be executed
  127  the command was not found

examples:
  holdfast run nightly-report -- ./report.sh           # skip it if it is running elsewhere
  holdfast run migrate --wait 60 -- ./manage.py migrate
  holdfast run import --ttl 60 --grace 20 -- sh -c 'fetch | load --fence "$HOLDFAST_FENCE"'
  HOLDFAST_URL=sqlite:///var/lib/app/locks.db holdfast run backup --wait forever -- ./backup.sh
"""

_DEMO = """\
Tells, with real processes on a temporary SQLite file, what goes wrong in a flash sale without a
lock, what a lock mends, and what only a fencing token can mend. It takes a few seconds.
"""

_DEMO_EPILOG = """\
exit status:
  0  every act came out as the story says
  1  one did not

examples:
  holdfast demo
  holdfast demo --buyers 40 --seed 7
  holdfast demo --json | python -m json.tool
"""


class _Parser(ArgumentParser):
    """A parser whose complaints never repeat a password that stood in a URL."""

    def error(self, message: str) -> NoReturn:
        say(f"{message} (see {self.prog} --help)")
        sys.exit(status.USAGE)


def _parser() -> ArgumentParser:
    parser = _Parser(
        prog="holdfast",
        description="Locks and leases with fencing tokens.",
        epilog=_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"holdfast {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    run = commands.add_parser(
        "run",
        help="run a command under a lock",
        usage="holdfast run NAME [--ttl S] [--wait S] [--grace S] [--url URL] -- CMD [ARG ...]",
        description=_RUN,
        epilog=_RUN_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    run.add_argument("name", metavar="NAME", help="what is locked, such as nightly-report")
    run.add_argument(
        "--ttl", metavar="S", type=_seconds, default=30.0,
        help="seconds until the engine frees a lease that nobody renews (default: 30)",
    )  # fmt: skip
    run.add_argument(
        "--wait", metavar="S", type=_wait, default=0.0,
        help="seconds to wait for the lock, or 'forever' (default: 0, one attempt)",
    )  # fmt: skip
    run.add_argument(
        "--grace", metavar="S", type=_seconds, default=None,
        help="seconds between SIGTERM and SIGKILL when the lease ends (default: ttl / 3)",
    )  # fmt: skip
    run.add_argument(
        "--url", metavar="URL", default=None,
        help="the engine (default: $HOLDFAST_URL, else an SQLite file of this user's); a URL with "
        "a password belongs into $HOLDFAST_URL: other users can see arguments",
    )  # fmt: skip

    demo = commands.add_parser(
        "demo",
        help="see a lock and a fence at work",
        description=_DEMO,
        epilog=_DEMO_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    demo.add_argument("--json", action="store_true", help="print one JSON document instead")
    demo.add_argument("--seed", metavar="N", type=int, default=1, help="chance's seed (default: 1)")
    demo.add_argument(
        "--buyers", metavar="N", type=int, default=24,
        help="how many processes want one of the 10 items, 12 to 200 (default: 24)",
    )  # fmt: skip
    demo.add_argument("--no-color", action="store_true", help="plain text, as with $NO_COLOR")
    return parser


def _seconds(text: str) -> float:
    return float(text)


_seconds.__name__ = "number of seconds"  # argparse says: invalid number of seconds value: 'x'


def _wait(text: str) -> float | None:
    return None if text == "forever" else float(text)


_wait.__name__ = "number of seconds"


def _parse(argv: Sequence[str]) -> Namespace:
    """Parse the arguments; what follows the first ``--`` is the command that is to be run."""
    head, tail = list(argv), list[str]()
    if "--" in head:
        cut = head.index("--")
        head, tail = head[:cut], head[cut + 1 :]
    parser = _parser()
    args = parser.parse_args(head)
    if args.command == "run" and not tail:
        parser.error("run: put the command behind --, as in: holdfast run NAME -- CMD")
    if args.command != "run" and tail:
        parser.error(f"{args.command} takes no arguments behind --")
    args.argv = tail
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status. Never raises but for SystemExit by argparse."""
    args = _parse(sys.argv[1:] if argv is None else argv)
    if os.name != "posix":  # pragma: no cover - no process groups, no SIGSTOP
        say(f"{args.command} needs a POSIX system")
        return status.USAGE
    try:
        code: int = import_module(f"{__name__}.{args.command}").main(args)
    except BrokenPipeError:
        # Whoever read our output has left. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return status.signalled(13)
    except KeyboardInterrupt:  # while nothing of ours handled it, such as during an import
        return status.signalled(2)
    except Exception as exc:  # a fault of ours: still one line, and no traceback
        say(f"internal error: {type(exc).__name__}: {redact(str(exc))}")
        return status.INTERNAL
    return code
