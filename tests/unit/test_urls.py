"""Engine URLs: what they mean, what is refused, and that no secret is ever shown."""

import traceback
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast._core.urls import Url, default_url, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("memory://", Url("memory")),
        ("memory://jobs", Url("memory", hosts=(("jobs", None),))),
        ("MEMORY://jobs", Url("memory", hosts=(("jobs", None),))),
        ("sqlite:///var/a.db", Url("sqlite", path="/var/a.db")),
        ("sqlite:///a%20b%23c%3Fd", Url("sqlite", path="/a b#c?d")),
        ("unix:///run/redis.sock?db=1", Url("unix", path="/run/redis.sock", options={"db": "1"})),
        ("redis://h", Url("redis", hosts=(("h", None),))),
        ("redis://h:", Url("redis", hosts=(("h", None),))),
        ("redis://h:6379/0", Url("redis", hosts=(("h", 6379),), path="/0")),
        ("redis://u@h", Url("redis", "u", None, (("h", None),))),
        ("redis://:p@h", Url("redis", None, "p", (("h", None),))),
        ("redis://u:p@h", Url("redis", "u", "p", (("h", None),))),
        ("redis://u%40x:p%3A%2F%40@h", Url("redis", "u@x", "p:/@", (("h", None),))),
        ("redis://u:p:q@h", Url("redis", "u", "p:q", (("h", None),))),
        ("redis://u:p@q@h", Url("redis", "u", "p@q", (("h", None),))),
        ("redis://u:p[q]@h", Url("redis", "u", "p[q]", (("h", None),))),
        ("redis+sentinel://h", Url("redis+sentinel", hosts=(("h", None),))),
        ("redis://[::1]:6379/0", Url("redis", hosts=(("::1", 6379),), path="/0")),
        ("redis://[fe80::1]", Url("redis", hosts=(("fe80::1", None),))),
        ("redlock://a:1,b:2,c/0", Url("redlock", hosts=(("a", 1), ("b", 2), ("c", None)),
                                      path="/0")),
        ("redlock://a:1,[::2]:2", Url("redlock", hosts=(("a", 1), ("::2", 2)))),
        ("redlock://[::1]:1,[::2]", Url("redlock", hosts=(("::1", 1), ("::2", None)))),
        ("redlock://u:p@a,b", Url("redlock", "u", "p", (("a", None), ("b", None)))),
        ("redis://h?a=1&b=x%26y&c=", Url("redis", hosts=(("h", None),),
                                         options={"a": "1", "b": "x&y", "c": ""})),
        ("redis://h/0?a=b/c?d", Url("redis", hosts=(("h", None),), path="/0",
                                    options={"a": "b/c?d"})),
    ],
)  # fmt: skip
def test_what_a_url_means(text: str, expected: Url) -> None:
    assert parse(text) == expected


BAD = [
    "",
    "nothing",
    "redis:",
    "redis:/h",
    "://h",
    "re dis://h",
    "redis_x://h",
    "redis://h:port",
    "redis://h:0",
    "redis://h:65536",
    "redis://h:-1",
    "redis://h:+1",
    "redis://h:１２",
    "redis://h:1:2",
    "redis://[::1",
    "redis://[::1]x",
    "redis://[]:1",
    "redis://:6379",
    "redis://a,,b",
    "redis://a,",
    "redis://h#fragment",
    "redis://h/0#",
    "redis://h?a=1&a=2",
]


@pytest.mark.parametrize("text", BAD)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse(text)


@pytest.mark.parametrize("value", [None, 3, b"redis://h", ["redis://h"]])
def test_a_url_is_text(value: Any) -> None:
    with pytest.raises(TypeError, match="must be a str"):
        parse(value)


SECRET = "hunter2"
SECRET_URLS = [
    f"redis://u:{SECRET}@h:6379/0",
    f"redis://:{SECRET}@h",
    f"redis://u:{SECRET}@h:port",
    f"redis://u:{SECRET}@h:99999",
    f"redis://u:{SECRET}@",
    f"redis://u:{SECRET}@a,,b",
    f"redis://u:{SECRET}@[::1",
    f"redis://u:{SECRET}@[::1]x",
    f"redis://u:{SECRET}@h#x",
    f"redis://u:x#{SECRET}@h",
    f"redis://u:x[{SECRET}]@h",
    f"redis://u:{SECRET}@h℀st/0",
    f"redis://u:{SECRET}@h/0?a=1&a=2",
    f"redis://h?password={SECRET}",
    f"redis://h?password={SECRET}&password={SECRET}",
    f"re dis://u:{SECRET}@h",
    f"redis:/u:{SECRET}@h",
    f"{SECRET}",
]


@pytest.mark.parametrize("text", SECRET_URLS)
def test_no_secret_is_shown_whatever_happens(text: str) -> None:
    try:
        url = parse(text)
        shown = [repr(url), str(url)]
        with pytest.raises(ValueError) as caught:
            Url(url.scheme, password=url.password, options={**url.options, "x": SECRET}).allow(())
        shown.append(str(caught.value))
    except ValueError as exc:
        shown = traceback.format_exception(exc, chain=True)
        shown = [line for line in shown if "parse(" not in line] + [repr(exc)]
    assert not any(SECRET in line for line in shown)


@given(
    st.text(st.characters(codec="utf-8"), min_size=8).filter(lambda text: not text.isalnum()),
    st.sampled_from(
        ["redis://u:{}@h", "redis://u:{}@h:port", "redis://u:{}@h?a&a", "redis://h?k={}"]
    ),
)
def test_no_secret_is_shown_whatever_it_is(secret: str, template: str) -> None:
    try:
        shown = str(parse(template.format(quote(secret, safe=""))))
    except ValueError as exc:
        shown = str(exc)
    assert secret not in shown
    assert quote(secret, safe="") not in shown


name = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=10)
hosts = st.lists(
    st.tuples(st.sampled_from(["a", "db.example", "10.0.0.5", "::1", "fe80::2"]),
              st.none() | st.integers(1, 65535)),
    min_size=1, max_size=5,
)  # fmt: skip


@given(name, name, hosts, name, st.dictionaries(name, name, max_size=3))
def test_what_was_put_in_comes_out(
    user: str,
    password: str,
    places: list[tuple[str, int | None]],
    path: str,
    options: dict[str, str],
) -> None:
    shown = ",".join(
        (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
        for host, port in places
    )
    text = (
        f"redlock://{quote(user, safe='')}:{quote(password, safe='')}@{shown}"
        f"/{quote(path, safe='')}?{urlencode(options)}"
    )
    url = parse(text)
    assert (url.user, url.password) == (user, password)
    assert url.hosts == tuple(places)
    assert url.path == f"/{path}"
    assert url.options == options


@given(st.text())
def test_any_text_is_parsed_or_refused(text: str) -> None:
    for candidate in (text, f"redis://{text}"):
        try:
            parse(candidate)
        except ValueError:
            pass


@pytest.mark.parametrize(
    "text", ["redis://h:6379/0", "redis://u@h/0", "redlock://a:1,[::2]:2/0", "sqlite:///var/a.db"]
)
def test_a_url_without_secrets_is_shown_as_it_is(text: str) -> None:
    assert str(parse(text)) == text


def test_an_unknown_option_is_refused() -> None:
    url = parse("sqlite:///a?timeuot=3")
    with pytest.raises(ValueError, match="unknown option 'timeuot'; there are: timeout"):
        url.allow(["timeout"])
    with pytest.raises(ValueError, match="there are: none"):
        url.allow(())
    url.allow(("timeuot",))


def test_numbers_among_the_options() -> None:
    assert parse("sqlite:///a").number("timeout", 5.0) == 5.0
    assert parse("sqlite:///a?timeout=0.5").number("timeout", 5.0) == 0.5


@pytest.mark.parametrize("text", ["", "x", "0", "-1", "nan", "inf", "1e999", "true"])
def test_what_is_not_a_positive_number(text: str) -> None:
    with pytest.raises(ValueError, match="timeout must be a positive number"):
        parse(f"sqlite:///a?timeout={text}").number("timeout", 5.0)


def test_the_default_url() -> None:
    assert default_url({"HOLDFAST_URL": "memory://"}, "/home/u") == "memory://"
    default = parse(default_url({}, "/home/u"))
    assert default.path == "/home/u/.local/state/holdfast/locks.db"
    assert parse(default_url({"XDG_STATE_HOME": "/s"}, "/home/u")).path == "/s/holdfast/locks.db"
    assert parse(default_url({"HOLDFAST_URL": ""}, "/home/u")) == default


@pytest.mark.parametrize(
    "home", ["/home/50%41", "/home/a?b", "/home/a#b", "/home/ü x", "/home/a&b"]
)
def test_the_default_url_of_an_odd_home(home: str) -> None:
    url = parse(default_url({}, home))
    assert url.path == f"{home}/.local/state/holdfast/locks.db"
    assert url.hosts == ()


def test_a_relative_state_folder_is_ignored_as_its_standard_says() -> None:
    assert default_url({"XDG_STATE_HOME": "state"}, "/home/u") == default_url({}, "/home/u")
