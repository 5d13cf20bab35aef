"""Names, templates and the small dict that a holder says of itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from string import Formatter
from typing import Any, cast

MAX_NAME_BYTES = 512
MAX_INFO_BYTES = 4096

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def check_name(name: str, what: str = "name") -> str:
    """Return ``name`` if it can name a resource.

    Raises:
        TypeError: not a string.
        ValueError: empty, longer than 512 bytes of UTF-8, with a control character or a surrogate.
    """
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a str, not {type(name).__name__}")
    if not name:
        raise ValueError(f"{what} must not be empty")
    if _CONTROL.search(name):
        raise ValueError(f"{what} {name!r} holds a control character")
    if len(name) * 4 > MAX_NAME_BYTES:  # a cheap test spares most names the encoding
        size = len(name.encode("utf-8", "surrogatepass"))
        if size > MAX_NAME_BYTES:
            raise ValueError(f"{what} has {size} bytes; {MAX_NAME_BYTES} are the most")
    if not name.isascii():
        try:
            name.encode("utf-8")
        except UnicodeEncodeError as exc:
            raise ValueError(f"{what} {name!r} is not valid Unicode text") from exc
    return name


def dump_info(info: Mapping[str, Any]) -> str:
    """Return ``info`` as JSON.

    Raises:
        TypeError: not a mapping of strings to what JSON can hold.
        ValueError: longer than 4096 bytes, or with NaN.
    """
    if not isinstance(info, Mapping) or not all(isinstance(key, str) for key in info):
        raise TypeError("info must be a dict with str keys")
    text = json.dumps(dict(info), separators=(",", ":"), allow_nan=False)
    if len(text) > MAX_INFO_BYTES:
        raise ValueError(f"info has {len(text)} bytes as JSON; {MAX_INFO_BYTES} are the most")
    return text


def load_info(text: str) -> dict[str, Any]:
    """Read what a holder says of itself; what another program left there comes back as text."""
    try:
        info = json.loads(text)
    except ValueError:
        return {"text": text}
    return cast(dict[str, Any], info) if isinstance(info, dict) else {"value": info}


def compile_template(template: str, function: Callable[..., object]) -> Callable[..., str]:
    """Turn ``"invoice:{order_id}"`` into a function from the call's arguments to a name.

    Raises:
        TypeError: the template is not a string.
        ValueError: the template is malformed or names what is not a parameter.
    """
    if not isinstance(template, str):
        raise TypeError(f"the name template must be a str, not {type(template).__name__}")
    parameters = signature(function)
    takes_any = any(p.kind is Parameter.VAR_KEYWORD for p in parameters.parameters.values())
    wanted = [field for _, field, _, _ in Formatter().parse(template) if field is not None]
    for field in wanted:
        first = re.split(r"[.\[]", field, maxsplit=1)[0]
        if not first.isidentifier():
            raise ValueError(f"template {template!r}: name its fields, as in {{order_id}}")
        if first not in parameters.parameters and not takes_any:
            raise ValueError(f"template {template!r}: the function has no parameter {first!r}")
    if not wanted:
        name = check_name(template.format())
        return lambda *args, **kwargs: name

    variadic = [p.name for p in parameters.parameters.values() if p.kind is Parameter.VAR_KEYWORD]

    def render(*args: object, **kwargs: object) -> str:
        bound = parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        values = dict(bound.arguments)
        for name in variadic:
            values.update(values.pop(name))
        try:
            return check_name(template.format_map(values))
        except KeyError as exc:
            raise ValueError(f"template {template!r}: the call gave no {exc}") from exc

    return render
