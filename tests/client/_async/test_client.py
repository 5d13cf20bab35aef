# Written by hand; the _sync tree is generated from this one by tools/sync.py.
"""What a client does besides keeping the contract: building, refusing, closing, caring at scale."""

from __future__ import annotations

import math
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from holdfast import AsyncClient, CapabilityError
from holdfast._async.engines.memory import AsyncMemoryEngine
from holdfast._core.model import Capabilities
from holdfast._core.urls import parse
from holdfast._runtime import aio as rt
from holdfast.testing import Faults, async_faulty_client, async_lose
from holdfast.testing.twins import aio as kit


class Untouchable(AsyncMemoryEngine):
    """An engine that must not be asked anything."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("try_acquire", "renew", "release", "inspect", "scan", "wait"):
            raise AssertionError(f"{name} was called")
        return super().__getattribute__(name)


class Plain(AsyncMemoryEngine):
    """An engine that promises little."""

    capabilities = Capabilities(fencing=False, min_ttl=1.0)


@pytest.fixture
def client() -> AsyncClient:
    return AsyncClient.from_engine(lambda: Untouchable(parse("memory://untouchable")))


LONG_NAME = "é" * 257


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"name": ""}, ValueError),
        ({"name": "x" * 513}, ValueError),
        ({"name": LONG_NAME}, ValueError),
        ({"name": "a\nb"}, ValueError),
        ({"name": "a\x7f"}, ValueError),
        ({"name": "a\x85"}, ValueError),
        ({"name": "\ud800"}, ValueError),
        ({"name": b"bytes"}, TypeError),
        ({"name": None}, TypeError),
        ({"ttl": 0}, ValueError),
        ({"ttl": -1}, ValueError),
        ({"ttl": math.nan}, ValueError),
        ({"ttl": math.inf}, ValueError),
        ({"ttl": 0.0001}, ValueError),
        ({"ttl": timedelta.max}, ValueError),
        ({"ttl": "10"}, TypeError),
        ({"ttl": None}, TypeError),
        ({"ttl": True}, TypeError),
        ({"wait": -0.1}, ValueError),
        ({"wait": math.nan}, ValueError),
        ({"wait": math.inf}, ValueError),
        ({"wait": "1"}, TypeError),
        ({"max_hold": 0}, ValueError),
        ({"max_hold": "1"}, TypeError),
        ({"renew": 3}, TypeError),
        ({"fair": "yes"}, TypeError),
        ({"on_lost": 5}, TypeError),
        ({"info": "text"}, TypeError),
        ({"info": {1: "a"}}, TypeError),
        ({"info": {"a": object()}}, TypeError),
        ({"info": {"a": math.nan}}, ValueError),
        ({"info": {"a": "x" * 5000}}, ValueError),
    ],
)
@kit.scenario
async def test_bad_arguments_are_refused_before_any_io(
    client: AsyncClient, arguments: dict[str, Any], error: type[Exception]
) -> None:
    arguments = {"name": "a", **arguments}
    with pytest.raises(error):
        client.lock(**arguments)
    if arguments["name"] == "a":
        with pytest.raises(error):
            client.locked(**arguments)


@kit.scenario
async def test_good_arguments_of_every_kind(client: AsyncClient) -> None:
    client.lock("x" * 512, ttl=timedelta(seconds=3), wait=timedelta(0), max_hold=timedelta(days=1))
    client.lock("é" * 256, ttl=1, wait=0.5, info={"a": [1, None]}, on_lost=print)


@kit.scenario
async def test_a_wait_is_checked_as_well(client: AsyncClient) -> None:
    for bad in (-1, math.nan, "1", True):
        with pytest.raises((ValueError, TypeError)):
            await client.lock("a").acquire(wait=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"url": "locks.db"}, ValueError, "scheme"),
        ({"url": "nosuch://x"}, ValueError, "no engine for nosuch://; there are: memory, sqlite"),
        ({"url": 5}, TypeError, "str"),
        ({"url": "memory://a?x=1"}, ValueError, "unknown option 'x'"),
        ({"url": "memory://a/b"}, ValueError, "memory://name"),
        ({"url": "sqlite://locks.db"}, ValueError, "three slashes"),
        ({"url": "sqlite:///"}, ValueError, "names no file"),
        ({"url": "sqlite:///tmp/"}, ValueError, "names no file"),
        ({"url": "sqlite:///a?timeout=-1"}, ValueError, "positive number"),
        ({"url": "sqlite:///a?create_folder=maybe"}, ValueError, "yes or no"),
        ({"url": "memory://", "require": ["nosuch"]}, ValueError, "no guarantee 'nosuch'"),
        ({"url": "memory://", "require": "durable"}, TypeError, "list or tuple"),
        ({"url": "memory://", "require": ["durable"]}, CapabilityError, "'durable'"),
        ({"url": "sqlite:///a", "require": ["machines"]}, CapabilityError, "'machines'"),
        ({"url": "memory://", "prefix": "a\n"}, ValueError, "prefix"),
        ({"url": "memory://", "prefix": None}, TypeError, "prefix"),
    ],
)
@kit.scenario
async def test_what_cannot_be_is_refused_when_the_client_is_built(
    arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        AsyncClient(**arguments)


@kit.scenario
async def test_an_engine_that_cannot_be_fair_refuses() -> None:
    client = AsyncClient.from_engine(lambda: Plain(parse("memory://plain")))
    with pytest.raises(CapabilityError, match="fair"):
        client.lock("a", fair=True)
    with pytest.raises(CapabilityError, match="fencing"):
        AsyncClient.from_engine(lambda: Plain(parse("memory://plain")), require=["fencing"])
    with pytest.raises(ValueError, match="too small for this engine"):
        client.lock("a", ttl=0.5)


@kit.scenario
async def test_prefixes_keep_clients_apart(tmp_path: Path) -> None:
    url = f"sqlite://{tmp_path}/locks.db"
    one = AsyncClient(url, prefix="one:", require=("fencing", "fair", "durable", "processes"))
    two = AsyncClient(url, prefix="")
    async with one, two:
        async with one.lock("a"), two.lock("a"):
            assert [seen.name async for seen in one.scan()] == ["a"]
            assert [seen.name async for seen in two.scan()] == ["a", "one:a"]


@kit.scenario
async def test_the_url_may_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_URL", f"sqlite://{tmp_path}/here.db")
    async with AsyncClient() as client:
        async with client.lock("a"):
            assert (tmp_path / "here.db").exists()
    monkeypatch.delenv("HOLDFAST_URL")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    async with AsyncClient() as client:
        async with client.lock("a"):
            assert (tmp_path / "state" / "holdfast" / "locks.db").exists()


@kit.scenario
async def test_decorators_refuse_what_they_cannot_lock(client: AsyncClient) -> None:
    def generator() -> Any:
        yield 1

    for function in (generator, kit.asynchronous_generator, 5):
        with pytest.raises(TypeError):
            client.locked("a")(function)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            client.lock("a")(function)  # type: ignore[arg-type]

    async def takes_order(order_id: int) -> None: ...

    for template in ("{nosuch}", "{0}", "{}", "{order_id", ""):
        with pytest.raises(ValueError):
            client.locked(template)(takes_order)
    with pytest.raises(TypeError):
        client.locked(5)(takes_order)  # type: ignore[arg-type]


@kit.scenario
async def test_a_call_whose_name_is_none_raises_before_any_io(client: AsyncClient) -> None:
    @client.locked("{name}")
    async def work(name: str) -> None: ...

    with pytest.raises(ValueError, match="empty"):
        await work("")


@kit.scenario
async def test_names_from_any_kind_of_argument() -> None:
    async with AsyncClient("memory://templates") as client:

        async def names(self: object, *items: int, key: str = "k", **more: int) -> list[str]:
            return [seen.name async for seen in client.scan()]

        locked = client.locked("{self.real}:{items[1]}:{key}:{extra}")(names)
        assert await locked(5, 6, 7, key="b", extra=8) == ["5:7:b:8"]
        with pytest.raises(ValueError, match="extra"):
            await locked(5, 6, 7)


@kit.scenario
async def test_what_says_nothing_of_secrets() -> None:
    client = AsyncClient("memory://shown")
    assert repr(client) == "<AsyncClient memory://shown>"
    assert repr(client.lock("a", ttl=3)) == "<AsyncLock 'a' ttl=3.0>"
    lease = await client.lock("a").acquire()
    assert repr(lease) == f"<AsyncLease 'a' fence={lease.fence} held>"
    await lease.release()
    assert repr(lease).endswith("released>")
    await client.aclose()


@kit.scenario
async def test_a_lost_lease_ends_only_its_own_block() -> None:
    faults = Faults()
    async with async_faulty_client(faults, "memory://nested") as client:
        with pytest.raises(Exception, match="inner") as caught:
            async with client.lock("outer", ttl=60) as outer:
                async with client.lock("inner", ttl=60) as inner:
                    await async_lose(inner)
        assert caught.value.name == "inner"  # type: ignore[attr-defined]
        assert not outer.held
        assert not outer.lost
        assert await client.inspect("outer") is None


@kit.scenario
async def test_a_thousand_leases_are_renewed_by_two_workers(tmp_path: Path) -> None:
    async with AsyncClient(f"sqlite://{tmp_path}/locks.db") as client:
        leases = [await client.lock(f"job:{n}", ttl=6.0).acquire() for n in range(1000)]
        first = leases[0].remaining
        while leases[0].remaining <= first:  # until it has been renewed
            first = leases[0].remaining
            await rt.sleep(0.05)
        await rt.sleep(2.5)
        for lease in leases:
            lease.check()
        assert len([seen async for seen in client.scan("job:")]) == 1000


@kit.scenario
async def test_an_engine_that_raises_nonsense_loses_no_lease_before_its_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Rude(AsyncMemoryEngine):
        async def renew_many(self, refs: Any) -> Any:
            if not calls:
                calls.append(1)
                raise KeyError("a driver's own")
            return await super().renew_many(refs)

    calls: list[int] = []
    client = AsyncClient.from_engine(lambda: Rude(parse("memory://rude")))
    async with client, client.lock("a", ttl=3.0) as lease:
        while not calls or lease.remaining < 2.5:
            await rt.sleep(0.01)
        lease.check()
    assert "raised what no engine should raise" in caplog.text
