"""Checked reading of outside data: pydantic models whose failures become one-line ``BadInput`` errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from sys import int_info
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, StrictBool, StrictFloat, StrictInt, StrictStr, ValidationError

from fable_solve.solver.errors import BadInput, nearest

MAX_DIGITS = int_info.default_max_str_digits
"""Digits of the longest integer that is read."""

Int = StrictInt
Bool = StrictBool
Str = StrictStr
Number = Annotated[StrictFloat, "an int is taken for a float, a string or a bool is not"]


class Model(BaseModel):
    """Base of every model of outside data: frozen, and a key it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


M = TypeVar("M", bound=BaseModel)


def validate(model: type[M], data: Mapping[str, Any], source: str) -> M:
    """``data`` as a ``model``; the first fault is raised as ``BadInput`` at ``source: PATH.INSIDE``.

    A validator of a model says what is wrong by raising ``BadInput(expected, got)`` or, for a fault
    deeper inside its field, ``BadInput(expected, got, where="PATH.INSIDE")`` (``"[1]"``: in a list).
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _bad_input(model, error, data, source) from None


def _bad_input(
    model: type[BaseModel], error: ValidationError, data: Mapping[str, Any], source: str
) -> BadInput:
    faults = error.errors(include_url=False)
    unknown = [fault for fault in faults if fault["type"] == "extra_forbidden"]
    fault = (unknown or faults)[0]
    path = _inside(data, fault)
    where = _where(source, path)
    if fault["type"] == "extra_forbidden":
        *parents, key = fault["loc"]
        return unknown_key(str(key), _known_keys(model, parents), where)
    if fault["type"] == "missing":
        return BadInput("a value (the key is required)", "none", where=where)
    raised = fault.get("ctx", {}).get("error")
    if isinstance(raised, BadInput):
        inside = f"{where}.{raised.where}".replace(".[", "[") if raised.where else where
        if raised.where and not fault["loc"]:
            inside = join(source, raised.where)
        return BadInput(raised.expected, raised.got, where=inside)
    alternatives = [_expected(other) for other in faults if _inside(data, other) == path]
    return BadInput(" or ".join(dict.fromkeys(alternatives)), shown(fault["input"]), where=where)


def _inside(data: Any, fault: Any) -> tuple[int | str, ...]:
    """Where a fault lies in ``data``, without the names pydantic gives to alternatives.

    >>> _inside({"a": {"11": "Y"}}, {"type": "literal_error", "loc": ("a", "11", "literal['X']")})
    ('a', '11')
    >>> _inside({"a": {}}, {"type": "missing", "loc": ("a", "b")})
    ('a', 'b')
    """
    path: list[int | str] = []
    absent = fault["loc"][-1:] if fault["type"] == "missing" else ()
    for part in fault["loc"][: len(fault["loc"]) - len(absent)]:
        if part in data if isinstance(data, Mapping) else _is_place(data, part):
            data = data[part]
            path.append(part)
    return (*path, *absent)


def _is_place(data: Any, part: int | str) -> bool:
    return isinstance(data, list | tuple) and isinstance(part, int) and part < len(data)


_KINDS = {
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a table",
    "mapping_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}


def _expected(fault: Any) -> str:
    """What pydantic's fault asks for, in our words."""
    context = fault.get("ctx", {})
    if fault["type"] in _KINDS:
        return _KINDS[fault["type"]]
    if fault["type"] == "too_short":
        return f"at least {_entries(context['min_length'])}"
    if fault["type"] == "too_long":
        return f"at most {_entries(context['max_length'])}"
    text = str(fault["msg"]).removeprefix("Input should be ").removeprefix("Value error, ")
    return text[:1].lower() + text[1:]


def _entries(count: int) -> str:
    return f"{count} entr{'y' if count == 1 else 'ies'}"


def _where(source: str, loc: tuple[int | str, ...]) -> str:
    path = ""
    for part in loc:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return join(source, path.lstrip(".")) if path else source


def join(source: str, path: str) -> str:
    """``source: path``; a source that ends inside a document (``f.toml: rules``) goes on with a dot, one that
    is a line of a file (``f.jsonl: line 1``) does not."""
    inside = ": " in source and not re.search(r": line \d+$", source)
    return f"{source}.{path}" if inside else f"{source}: {path}"


def _known_keys(model: type[BaseModel], parents: list[Any]) -> list[str]:
    """Keys that the model at the end of ``parents`` knows (plain nested models only)."""
    for parent in parents:
        field = model.model_fields.get(str(parent))
        if field is None:
            continue
        for candidate in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(candidate, type) and issubclass(candidate, BaseModel):
                model = candidate
                break
    return list(model.model_fields)


def unknown_key(key: str, known: list[str], where: str) -> BadInput:
    """The error for a key nobody knows: names the nearest known key."""
    return BadInput(f"a known key (nearest: {nearest(key, known)})", repr(key), where=where)


def shown(value: object, limit: int = 60) -> str:
    """``value`` as it may stand in a one-line message."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of more digits
        return f"a number of more than {MAX_DIGITS} digits"
    return text if len(text) <= limit else text[: limit - 3] + "..."
