"""Reading TOML and JSON documents, with errors that fit on one line."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from fable_solve.solver.errors import BadInput
from fable_solve.solver.schema import shown

MAX_BYTES = 64 * 2**20


def read_document(path: str) -> tuple[dict[str, Any], str]:
    """The document at ``path`` and the name by which errors call it.

    TOML or JSON by suffix; ``-`` reads standard input, JSON if it starts with ``{``, else TOML.
    Raises :class:`BadInput` for anything else.
    """
    if path == "-":
        text = read_standard_input()
        return parse_document(
            text, "standard input", json_text=text.lstrip().startswith("{")
        ), "standard input"
    suffix = Path(path).suffix.lower()
    if suffix not in {".toml", ".json"}:
        raise BadInput("a file ending in .toml or .json", suffix or "no suffix", where=path)
    return parse_document(read_text(path), path, json_text=suffix == ".json"), path


def read_standard_input() -> str:
    """All of standard input; raises :class:`BadInput` if it is closed, too long or not UTF-8."""
    try:
        if sys.stdin is None:
            raise BadInput("a readable standard input", "a closed one", where="standard input")
        return decode(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadInput("a readable standard input", reason, where="standard input") from None


def read_text(path: str) -> str:
    """The text of the file at ``path``; raises :class:`BadInput` if it cannot be read as UTF-8."""
    try:
        with Path(path).open("rb") as file:
            return decode(file.read(MAX_BYTES + 1), path)
    except (OSError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput("a readable file", reason.lower(), where=path) from None


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
    try:
        document = json.loads(text, parse_constant=_no_constant) if json_text else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        kind = "JSON" if json_text else "TOML"
        reason = "too deep a nesting" if isinstance(error, RecursionError) else str(error)
        raise BadInput(f"valid {kind}", reason.replace("\n", " "), where=source) from None
    if not isinstance(document, dict):
        raise BadInput("a table of keys", shown(document), where=source)
    return document


def _no_constant(name: str) -> float:
    raise ValueError(f"{name}, which JSON does not have")
