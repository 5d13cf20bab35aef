"""Names, templates and infos: what is accepted, and what is refused with which error."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast._core.text import (
    MAX_INFO_BYTES,
    MAX_NAME_BYTES,
    check_name,
    compile_template,
    dump_info,
    load_info,
)

CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.parametrize("name", ["x", "order:42", "a b", "ключ", "🔒", "{a}", "%", "x" * 512])
def test_good_names(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("value", [None, 3, b"x", ["x"], object])
def test_a_name_is_text(value: Any) -> None:
    with pytest.raises(TypeError, match="name must be a str"):
        check_name(value)


def test_a_name_is_not_empty() -> None:
    with pytest.raises(ValueError, match="prefix must not be empty"):
        check_name("", "prefix")


@pytest.mark.parametrize("control", CONTROLS, ids=repr)
def test_no_control_characters(control: str) -> None:
    for name in (control, f"a{control}", f"{control}a", "é" + control):
        with pytest.raises(ValueError, match="control character"):
            check_name(name)


@pytest.mark.parametrize("name", ["\ud800", "a\udfff", "é\udc80" * 3, "\ud800" * 200])
def test_no_surrogates(name: str) -> None:
    with pytest.raises(ValueError):
        check_name(name)


@pytest.mark.parametrize(
    ("character", "size"), [("x", 1), ("é", 2), ("€", 3), ("🔒", 4)], ids=lambda v: str(v)
)
def test_the_limit_is_in_bytes(character: str, size: int) -> None:
    most = character * (MAX_NAME_BYTES // size)
    padded = most + "x" * (MAX_NAME_BYTES - len(most.encode()))
    assert check_name(padded) == padded
    with pytest.raises(ValueError, match="513 bytes; 512 are the most"):
        check_name(padded + "x")


@given(st.text(st.characters(codec=None), max_size=600))
def test_a_name_that_passes_is_short_clean_utf8(name: str) -> None:
    try:
        assert check_name(name) == name
    except ValueError:
        return
    assert 0 < len(name.encode("utf-8")) <= MAX_NAME_BYTES
    assert not set(name) & set(CONTROLS)


# --- templates -----------------------------------------------------------------------------------


def invoice(order_id: int, *, region: str = "eu") -> None: ...
def anything(*args: object, **kwargs: object) -> None: ...
def only(order_id: int, /) -> None: ...


def render(template: str, function: Callable[..., object], *args: Any, **kwargs: Any) -> str:
    return compile_template(template, function)(*args, **kwargs)


def test_by_position_by_keyword_and_by_default() -> None:
    template = "invoice:{order_id}:{region}"
    assert render(template, invoice, 42) == "invoice:42:eu"
    assert render(template, invoice, order_id=42, region="us") == "invoice:42:us"


def test_format_specs_conversions_attributes_and_items() -> None:
    order = SimpleNamespace(id=7, tags=["a", "b"])
    assert render("{order_id:05d}", invoice, 42) == "00042"
    assert render("{order_id!r}", invoice, "x") == "'x'"
    assert render("o:{order_id.id}:{order_id.tags[1]}", invoice, order) == "o:7:b"
    assert render("{order_id[a]}", invoice, {"a": 1}) == "1"


def test_positional_only_and_variadic() -> None:
    assert render("{order_id}", only, 3) == "3"
    assert render("{a}:{args[0]}", anything, "first", a=1) == "1:first"


def test_a_template_without_fields_is_a_name() -> None:
    assert render("report", invoice, 1) == "report"
    assert render("{{report}}", invoice, 1) == "{report}"


def test_methods() -> None:
    class Shop:
        name = "s"

        def sell(self, item: str) -> None: ...

    assert render("{self.name}:{item}", Shop.sell, Shop(), "hat") == "s:hat"


@pytest.mark.parametrize(
    "template",
    ["{", "}", "{order_id", "{}", "{0}", "{unknown}", "{a-b}", "{order_id!x", "", "a\n", "x" * 513],
)
def test_bad_templates_are_refused_when_the_function_is_decorated(template: str) -> None:
    with pytest.raises(ValueError):
        compile_template(template, invoice)


@pytest.mark.parametrize("template", [None, 3, b"x"])
def test_a_template_is_text(template: Any) -> None:
    with pytest.raises(TypeError, match="template must be a str"):
        compile_template(template, invoice)


def test_the_rendered_name_is_checked() -> None:
    name_of = compile_template("{order_id}", invoice)
    for bad in ("", "a\nb", "x" * 513, "\ud800"):
        with pytest.raises(ValueError):
            name_of(bad)


def test_a_keyword_that_the_call_did_not_give() -> None:
    with pytest.raises(ValueError, match="the call gave no 'a'"):
        render("{a}", anything)


def test_a_wrong_call_is_a_type_error_as_without_the_lock() -> None:
    with pytest.raises(TypeError):
        render("{order_id}", invoice)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=100))
def test_two_arguments_never_share_a_name(value: str) -> None:
    name_of = compile_template("order:{order_id}", invoice)
    assert name_of(value) == f"order:{value}"


# --- what a holder says of itself ----------------------------------------------------------------


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_an_info_comes_back_as_it_was(info: dict[str, Any]) -> None:
    try:
        text = dump_info(info)
    except ValueError:
        return
    assert len(text.encode()) <= MAX_INFO_BYTES
    assert load_info(text) == info


@pytest.mark.parametrize("info", [None, 3, "x", ["a"], {1: "a"}, {"a": object()}, {"a": {1, 2}}])
def test_an_info_is_a_dict_of_what_json_holds(info: Any) -> None:
    with pytest.raises(TypeError):
        dump_info(info)


@pytest.mark.parametrize("info", [{"a": float("nan")}, {"a": float("inf")}, {"a": "x" * 4090}])
def test_an_info_is_finite_and_small(info: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        dump_info(info)


def test_a_circular_info_is_refused() -> None:
    info: dict[str, Any] = {}
    info["self"] = info
    with pytest.raises(ValueError):
        dump_info(info)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("not json", {"text": "not json"}),
        ("", {"text": ""}),
        ("3", {"value": 3}),
        ('["a"]', {"value": ["a"]}),
        ("{}", {}),
    ],
)
def test_what_another_program_left_is_shown_as_it_is(text: str, expected: dict[str, Any]) -> None:
    assert load_info(text) == expected


@given(st.text())
def test_reading_an_info_never_fails(text: str) -> None:
    assert isinstance(load_info(text), dict)
