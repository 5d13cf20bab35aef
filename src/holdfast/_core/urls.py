"""Engine URLs: ``scheme://user:password@host:port,host:port/path?option=value``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote

ENVIRONMENT = "HOLDFAST_URL"


@dataclass(frozen=True, slots=True)
class Url:
    """A parsed engine URL. The password stays out of ``repr`` and ``str``."""

    scheme: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    hosts: tuple[tuple[str, int | None], ...] = ()
    path: str = ""
    options: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def __str__(self) -> str:
        """The URL as it may be shown: no password, and no options, which may hold secrets."""
        user = f"{self.user}@" if self.user else ""
        hosts = ",".join(
            (f"[{host}]" if ":" in host else host) + (f":{port}" if port is not None else "")
            for host, port in self.hosts
        )
        return f"{self.scheme}://{user}{hosts}{self.path}"

    def allow(self, options: Collection[str]) -> None:
        """Refuse options that the engine does not know: a mistyped one must not pass silently.

        Raises:
            ValueError: an unknown option.
        """
        for name in self.options:
            if name not in options:
                known = ", ".join(sorted(options)) or "none"
                raise ValueError(f"{self.scheme}: unknown option {name!r}; there are: {known}")

    def number(self, option: str, default: float) -> float:
        """A positive number from the options.

        Raises:
            ValueError: not a positive number.
        """
        text = self.options.get(option)
        if text is None:
            return default
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 < value < float("inf"):
            raise ValueError(f"{self.scheme}: {option} must be a positive number, not {text!r}")
        return value


def parse(text: str) -> Url:
    """Parse an engine URL.

    Raises:
        TypeError: not a string.
        ValueError: no scheme, a bad port, an option given twice. No message repeats the URL,
            since it may hold a password.
    """
    if not isinstance(text, str):
        raise TypeError(f"the engine URL must be a str, not {type(text).__name__}")
    scheme, separator, rest = text.partition("://")
    if not separator or not scheme.isascii() or not scheme.replace("+", "").isalnum():
        raise ValueError("the engine URL must start with a scheme, as in sqlite:///path/locks.db")
    # Not urlsplit: its errors repeat parts of the URL, and it knows only one host.
    if "#" in rest:
        raise ValueError(f"{scheme}: a '#' in the URL must be written as %23")
    rest, _, query = rest.partition("?")
    place, slash, path = rest.partition("/")
    account, _, hosts = place.rpartition("@")
    user, _, password = account.partition(":")
    options: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name in options:
            raise ValueError(f"{scheme}: option {name!r} is given twice")
        options[name] = value
    return Url(
        scheme=scheme.lower(),
        user=unquote(user) or None,
        password=unquote(password) or None,
        hosts=tuple(_host(scheme, part) for part in hosts.split(",")) if hosts else (),
        path=unquote(slash + path),
        options=options,
    )


def _host(scheme: str, text: str) -> tuple[str, int | None]:
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise ValueError(f"{scheme}: malformed IPv6 address in the URL")
        port = rest[1:]
    else:
        host, _, port = text.partition(":")
    if not host:
        raise ValueError(f"{scheme}: a host is missing in the URL")
    if not port:
        return host, None
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise ValueError(f"{scheme}: a port must be a number from 1 to 65535")
    return host, int(port)


def default_url(environ: Mapping[str, str], home: str) -> str:
    """``$HOLDFAST_URL``, else the SQLite file of this user's that all their processes share.

    Raises:
        ValueError: there is neither, nor a home folder.
    """
    if url := environ.get(ENVIRONMENT):
        return url
    state = environ.get("XDG_STATE_HOME", "")
    if not state.startswith("/"):  # the standard says to ignore a relative one
        if not home.startswith("/"):
            raise ValueError("no home folder for the lock file: set HOLDFAST_URL or XDG_STATE_HOME")
        state = f"{home}/.local/state"
    return f"sqlite://{quote(state)}/holdfast/locks.db?create_folder=yes"
