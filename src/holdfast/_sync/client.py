# GENERATED from the _async tree by tools/sync.py: change that one, not this.
"""The client: where users start."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from types import TracebackType
from typing import Any, NoReturn, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from holdfast._core.arguments import Seconds, check_flag, check_max_hold, check_ttl, check_wait
from holdfast._core.model import Capabilities, Health, Holder, Snapshot
from holdfast._core.text import check_name, compile_template, dump_info
from holdfast._core.urls import default_url, parse
from holdfast._runtime import threads as rt
from holdfast._runtime import fork
from holdfast.errors import CapabilityError, EngineError

from .engine import Engine, find_engine
from .lock import Decorator, Lock, LockOptions
from .session import Session

P = ParamSpec("P")
R = TypeVar("R")


class Client:
    """Gives out locks on the engine at a URL.

    One client serves a whole program: it may be shared by all threads and event loops, and goes on
    to work in forked children, each of which gets connections of its own. Building it does no I/O.
    """

    def __init__(
        self, url: str | None = None, *, prefix: str = "lock:", require: Iterable[str] = ()
    ) -> None:
        """Choose an engine: by ``url``, by ``$HOLDFAST_URL``, else the SQLite file of this user's.

        Args:
            url: where leases live, such as ``sqlite:///var/lib/app/locks.db`` or ``memory://``.
            prefix: stands before every name in the engine.
            require: guarantees that the engine must give, such as ``"durable"``.

        Raises:
            ValueError, TypeError: the URL, the prefix or the name of a guarantee is none.
            CapabilityError: the engine cannot give what is required, or cannot run here.
        """
        parsed = parse(default_url(os.environ, os.path.expanduser("~")) if url is None else url)
        engine = find_engine(parsed)
        self._set_up(lambda: engine(parsed), str(parsed), prefix, require)

    @classmethod
    def from_engine(
        cls,
        make: Callable[[], Engine],
        *,
        prefix: str = "lock:",
        require: Iterable[str] = (),
    ) -> Client:
        """Build a client on engines of your own: ``make`` is called once per event loop or process.

        Raises:
            ValueError, TypeError, CapabilityError: as the constructor.
        """
        client = cls.__new__(cls)
        client._set_up(make, getattr(make, "__name__", "engine"), prefix, require)
        return client

    def _set_up(
        self, make: Callable[[], Engine], label: str, prefix: str, require: Iterable[str]
    ) -> None:
        self.prefix = check_name(prefix, "prefix") if prefix != "" else ""
        self._make = make
        self._label = label
        self._first: Engine | None = make()  # so that what it refuses, it refuses now
        self.capabilities: Capabilities = self._first.capabilities
        _check_required(self.capabilities, require, label)
        self._closed = False
        self._lock = threading.Lock()
        self._sessions: WeakKeyDictionary[Any, Session] = WeakKeyDictionary()
        self._current: Session | None = None
        fork.register(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._label}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a client cannot be pickled: build one in the other process")

    def after_fork(self) -> None:
        """Start anew in a forked child, where nothing of the parent's may be used."""
        self._lock = threading.Lock()
        self._current = None
        self._first = None

    def session(self) -> Session:
        """Return what runs in this event loop or process; recipes and tests use it.

        Raises:
            EngineError: the client is closed.
        """
        scope = rt.scope()
        session = self._current
        if session is None or session.scope() is not scope:
            session = self._current = self._session_of(scope)
        return session

    def _session_of(self, scope: Any) -> Session:
        with self._lock:
            if self._closed:
                raise EngineError("this client is closed")
            for other in [each for each in self._sessions if rt.is_over(each)]:
                self._sessions.pop(other).engine.dispose()
            session = self._sessions.get(scope)
            if session is None:
                engine, self._first = self._first or self._make(), None
                session = self._sessions[scope] = Session(engine, scope)
            return session

    def lock(
        self,
        name: str,
        *,
        ttl: Seconds = 10.0,
        wait: Seconds | None = None,
        renew: bool = True,
        max_hold: Seconds | None = None,
        fair: bool = False,
        on_lost: Callable[[Any], object] | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> Lock:
        """Describe a lock; no I/O until it is used.

        Args:
            name: what is locked, such as ``order:42``.
            ttl: seconds until the engine frees a lease that nobody renews.
            wait: seconds to wait in all; 0: one attempt; None: for ever.
            renew: renew in the background every third of the ttl while held.
            max_hold: stop renewing after so many seconds in all, so that a hung worker lets go.
            fair: first come, first served, across processes.
            on_lost: called once with the lease when it is lost.
            info: a small dict shown to whoever asks who holds it.

        Raises:
            ValueError, TypeError: an argument is none.
            CapabilityError: ``fair`` on an engine that cannot be.
        """
        options = self._options(ttl, wait, renew, max_hold, fair, on_lost, info)
        return Lock(self, check_name(name), options)

    def _options(
        self,
        ttl: Seconds,
        wait: Seconds | None,
        renew: bool,
        max_hold: Seconds | None,
        fair: bool,
        on_lost: Callable[[Any], object] | None,
        info: Mapping[str, Any] | None,
    ) -> LockOptions:
        if on_lost is not None and not callable(on_lost):
            raise TypeError(f"on_lost must be callable, not {on_lost!r}")
        if check_flag(fair, "fair"):
            _check_required(self.capabilities, ("fair",), self._label)
        return LockOptions(
            check_ttl(ttl, self.capabilities.min_ttl),
            check_wait(wait),
            check_flag(renew, "renew"),
            check_max_hold(max_hold),
            fair,
            on_lost,
            None if info is None else dump_info(info),
        )

    def locked(
        self,
        name: str,
        *,
        ttl: Seconds = 10.0,
        wait: Seconds | None = None,
        renew: bool = True,
        max_hold: Seconds | None = None,
        fair: bool = False,
        on_lost: Callable[[Any], object] | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> Decorator:
        """Decorate a function to run under a lock whose name is a template over its arguments.

        ``@client.locked("invoice:{order_id}")`` locks ``invoice:42`` when ``order_id`` is 42.
        The other arguments are those of :meth:`lock`.

        Raises:
            ValueError, TypeError: an argument is none, the template names no parameter, or what is
                decorated is not a function that this client can lock.
            CapabilityError: ``fair`` on an engine that cannot be.
        """
        options = self._options(ttl, wait, renew, max_hold, fair, on_lost, info)

        def decorate(
            function: Callable[P, R],
        ) -> Callable[P, R]:
            rt.check_function(function)
            name_of = compile_template(name, function)

            @wraps(function)
            def locked(*args: P.args, **kwargs: P.kwargs) -> R:
                with Lock(self, name_of(*args, **kwargs), options):
                    return rt.settled(function(*args, **kwargs))

            return locked

        return decorate

    def inspect(self, name: str) -> Snapshot | None:
        """Return who holds ``name`` and how many wait for it; None when nobody does.

        Raises:
            ValueError, TypeError: the name is none.
            EngineError: the engine did not answer or refused.
        """
        snapshot = self.session().engine.inspect(self.prefix + check_name(name))
        return None if snapshot is None else _shown(snapshot, name)

    def scan(self, prefix: str = "") -> Iterator[Snapshot]:
        """Iterate over all names in use that start with ``prefix``, in order.

        Raises:
            EngineError: the engine did not answer or refused.
        """
        for snapshot in self.session().engine.scan(self.prefix + prefix):
            yield _shown(snapshot, snapshot.name[len(self.prefix) :])

    def break_lock(self, name: str) -> tuple[Holder, ...]:
        """Take ``name`` from whoever holds it, and return whom it was taken from.

        The holders are told within a third of their ttl. Until then only a guard at the data keeps
        them from writing: this is for holders that are known to be dead.

        Raises:
            ValueError, TypeError: the name is none.
            EngineError: the engine did not answer or refused.
        """
        engine = self.session().engine
        snapshot = engine.inspect(self.prefix + check_name(name))
        if snapshot is None:
            return ()
        broken = [each for each in snapshot.holders if each.ref and engine.release(each.ref)]
        return _shown(replace(snapshot, holders=tuple(broken)), name).holders

    def health(self) -> Health:
        """Ask every server of the engine one small question. Never raises for one that is down.

        Raises:
            EngineError: the client is closed.
        """
        return Health(self.session().engine.health())

    def close(self) -> None:
        """Release what is still held (its holders are told first) and close all connections.

        An async client closes what belongs to the running event loop. Closing twice does nothing.
        """
        with self._lock:
            self._closed = True
            self._current = None
            session = self._sessions.pop(rt.scope(), None)
        if session is not None:
            session.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _shown(snapshot: Snapshot, name: str) -> Snapshot:
    """Return a snapshot under the user's name for it, without what only its holders may know."""
    holders = tuple(replace(holder, ref=None) for holder in snapshot.holders)
    return replace(snapshot, name=name, holders=holders)


def _check_required(capabilities: Capabilities, require: Iterable[str], engine: str) -> None:
    if isinstance(require, str):
        raise TypeError("require takes a list or tuple of names, not one str")
    known = Capabilities.names()
    for name in require:
        if name not in known:
            raise ValueError(
                f"require: no guarantee {name!r}; there are: {', '.join(sorted(known))}"
            )
        if not getattr(capabilities, name):
            raise CapabilityError(engine, name, f"{engine} does not give the guarantee {name!r}")
