"""Checked reading of outside data: pydantic models whose failures become one-line ``BadInput`` errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, StrictBool, StrictFloat, StrictInt, StrictStr, ValidationError

from fable_solve.solver.errors import BadInput, nearest

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
    deeper inside its field, ``BadInput(expected, got, where="PATH.INSIDE")``.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _bad_input(model, error, source) from None


def _bad_input(model: type[BaseModel], error: ValidationError, source: str) -> BadInput:
    faults = error.errors(include_url=False)
    unknown = [fault for fault in faults if fault["type"] == "extra_forbidden"]
    fault = (unknown or faults)[0]
    where = _where(source, fault["loc"])
    if fault["type"] == "extra_forbidden":
        *parents, key = fault["loc"]
        return unknown_key(str(key), _known_keys(model, parents), where)
    if fault["type"] == "missing":
        return BadInput("a value (the key is required)", "none", where=where)
    raised = fault.get("ctx", {}).get("error")
    if isinstance(raised, BadInput):
        inside = f"{where}.{raised.where}" if raised.where and fault["loc"] else raised.where or where
        if raised.where and not fault["loc"]:
            inside = join(source, raised.where)
        return BadInput(raised.expected, raised.got, where=inside)
    return BadInput(_expected(fault), shown(fault["input"]), where=where)


def _expected(fault: Any) -> str:
    """What pydantic's fault asks for, in our words."""
    context = fault.get("ctx", {})
    if fault["type"] == "too_short":
        return f"at least {context['min_length']} entries"
    if fault["type"] == "too_long":
        return f"at most {context['max_length']} entries"
    text = str(fault["msg"]).removeprefix("Input should be ").removeprefix("Value error, ")
    return text[:1].lower() + text[1:]


def _where(source: str, loc: tuple[int | str, ...]) -> str:
    path = ""
    for part in loc:
        path += f"[{part}]" if isinstance(part, int) else f".{part}"
    return join(source, path.lstrip(".")) if path else source


def join(source: str, path: str) -> str:
    """``source: path``; a source that ends inside a document (``f.toml: rules``) goes on with a dot."""
    return f"{source}.{path}" if ": " in source else f"{source}: {path}"


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
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 3] + "..."
