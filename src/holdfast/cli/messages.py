"""What is said to people: one line each, on standard error, without secrets."""

from __future__ import annotations

import logging
import re
import sys

#: The account in a URL, up to the last @ of the word: a password may hold one itself.
_ACCOUNT = re.compile(r"://\S*@")


def redact(text: str) -> str:
    """Return ``text`` without the accounts of URLs in it."""
    return _ACCOUNT.sub("://***@", text)


def clean(text: str) -> str:
    """Return ``text`` on one line; what others wrote into it cannot steer the terminal."""
    return "".join(char if char.isprintable() else " " for char in text)


def say(text: str) -> None:
    """Print one line on standard error. One that cannot be printed is no reason to fail."""
    try:
        print("holdfast:", redact(clean(text)), file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass


class _Handler(logging.Handler):
    """Says what the library logs: its message alone, never a traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        say(record.getMessage())


def keep_quiet() -> None:
    """Hide the library's warnings: what fails before there is a lease is raised and said anyway."""
    _log_to(logging.NullHandler())


def say_what_is_logged() -> None:
    """Show the library's warnings, in our shape."""
    _log_to(_Handler(logging.WARNING))


def _log_to(handler: logging.Handler) -> None:
    log = logging.getLogger("holdfast")
    log.handlers = [handler]
    log.propagate = False
