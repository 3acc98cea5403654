"""Reading TOML and JSON documents, with errors that fit on one line."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from fable_solve.solver.errors import BadInput
from fable_solve.solver.schema import MAX_DIGITS, shown

MAX_BYTES = 64 * 2**20
STANDARD_INPUT = "standard input"

_MAX_BITS = (10**MAX_DIGITS - 1).bit_length() - 1
"""Every integer of so many bits has at most ``MAX_DIGITS`` digits."""

_REASONS: dict[type[Exception], str] = {
    FileNotFoundError: "no such file",
    IsADirectoryError: "a folder",
    PermissionError: "one that may not be read",
}


def read_document(path: str) -> tuple[dict[str, Any], str]:
    """The document at ``path`` and the name by which errors call it.

    TOML or JSON by suffix; ``-`` reads standard input, JSON if it starts with ``{``, else TOML.
    Raises :class:`BadInput` for anything else.
    """
    if path == "-":
        return parse_standard_input(read_standard_input()), STANDARD_INPUT
    suffix = Path(path).suffix.lower()
    if suffix not in {".toml", ".json"}:
        raise BadInput("a file ending in .toml or .json", suffix or "no suffix", where=path)
    return parse_document(read_text(path), path, json_text=suffix == ".json"), path


def read_standard_input() -> str:
    """All of standard input; raises :class:`BadInput` if it is closed, too long or not UTF-8."""
    try:
        if sys.stdin is None:
            raise BadInput("a readable standard input", "a closed one", where=STANDARD_INPUT)
        return decode(sys.stdin.buffer.read(MAX_BYTES + 1), STANDARD_INPUT)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadInput("a readable standard input", reason, where=STANDARD_INPUT) from None


def parse_standard_input(text: str) -> dict[str, Any]:
    """What was read from standard input as a table: JSON if it starts with ``{``, else TOML."""
    return parse_document(text, STANDARD_INPUT, json_text=text.lstrip().startswith("{"))


def read_text(path: str) -> str:
    """The text of the file at ``path``; raises :class:`BadInput` if it cannot be read as UTF-8."""
    try:
        with Path(path).open("rb") as file:
            return decode(file.read(MAX_BYTES + 1), path)
    except (OSError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        reason = _REASONS.get(type(error)) or getattr(error, "strerror", None) or str(error)
        raise BadInput("a readable file", reason[:1].lower() + reason[1:], where=path) from None


def decode(data: bytes, source: str) -> str:
    if len(data) > MAX_BYTES:
        raise BadInput(f"at most {MAX_BYTES // 2**20} MiB", "a larger file", where=source)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            "text in UTF-8", f"byte {data[error.start]:#04x} at {error.start}", where=source
        ) from None


def parse_document(text: str, source: str, *, json_text: bool) -> dict[str, Any]:
    """``text`` as a table; raises :class:`BadInput` for broken TOML or JSON and for anything but a table."""
    document = _table(text, source, json_text)
    check_values(document, source)
    return document


def parse_lines(text: str, source: str) -> list[tuple[int, dict[str, Any]]]:
    """The tables of JSON Lines with the numbers of their lines; empty lines are left out.

    >>> parse_lines('{"a": 1}\\n\\n{"b": null}', "game.jsonl")
    [(1, {'a': 1}), (3, {'b': None})]
    """
    lines = enumerate(text.split("\n"), 1)
    return [(number, _table(line, f"{source}: line {number}")) for number, line in lines if line.strip()]


def _table(text: str, source: str, json_text: bool = True) -> dict[str, Any]:
    try:
        document = _json(text) if json_text else tomllib.loads(text)
    except json.JSONDecodeError as error:
        where = source if ": line " in source else f"{source}: line {error.lineno}"
        raise BadInput("valid JSON", _fault(error.msg), where=where) from None
    except (ValueError, RecursionError) as error:
        if str(error).startswith("Exceeds the limit"):
            raise _too_long(source) from None
        kind = "JSON" if json_text else "TOML"
        reason = "too deep a nesting" if isinstance(error, RecursionError) else _fault(str(error))
        raise BadInput(f"valid {kind}", reason, where=source) from None
    if not isinstance(document, dict):
        raise BadInput("a table of keys", shown(document), where=source)
    return document


def _json(text: str) -> Any:
    return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_key_twice)


def _fault(message: str) -> str:
    """A parser's message as what came."""
    text = " ".join(message.split()).rstrip(".")
    return f"a fault: {text}"


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"key {next(key for key in keys if keys.count(key) > 1)!r} twice")
    return table


def _too_long(where: str) -> BadInput:
    return BadInput(f"numbers of at most {MAX_DIGITS} digits", "a longer one", where=where)


def check_values(value: Any, source: str, path: str = "") -> None:
    """Refuses a null, and an integer too long to be written (in hexadecimal)."""
    if value is None:
        raise BadInput("a value", "null", where=f"{source}: {path.lstrip('.')}")
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        raise _too_long(f"{source}: {path.lstrip('.')}")
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, entry in entries:
        check_values(entry, source, f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name}, which JSON does not have")
