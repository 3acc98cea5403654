"""Reading matrix games: CSV, JSON and Gambit's ``.nfg``, every number taken literally.

- CSV: the row player's payoffs of a zero-sum game; a second block after an empty line holds the column
  player's payoffs. Lines end with LF, CRLF or CR.
- JSON: ``{"row": [[..], ..], "column": [[..], ..]}``; without ``column``, or a bare list of lists, zero-sum.

Sizes are checked before any number is read.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from fable_solve.solver.documents import read_standard_input, read_text
from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.matrix import MatrixGame
from fable_solve.solver.nfg import parse_nfg
from fable_solve.solver.numerals import MAX_ACTIONS, MAX_PAYOFFS, MAX_TEXT, numeral
from fable_solve.solver.schema import unknown_key

Rows = list[list[Fraction]]

_LINE_END = re.compile(r"\r\n|\r|\n")

_BLANKS = " \t"

_LONGEST = 60
"""Longest text of a file quoted in a message."""


def read_game(path: str) -> MatrixGame:
    """The game at ``path``, its format told by the suffix; ``-`` reads standard input.

    Standard input is JSON if it starts with ``{`` or ``[``, ``.nfg`` if with ``NFG``, else CSV. Raises
    :class:`BadInput` with the place of the fault, :class:`TooLarge` for a player with too many actions.
    """
    if path == "-":
        text, source = read_standard_input(), "standard input"
        suffix = _guess(text)
    else:
        suffix, source = Path(path).suffix.lower(), path
        if suffix not in _PARSERS:
            raise BadInput("a file ending in .csv, .json or .nfg", suffix or "no suffix", where=path)
        text = read_text(path)
    if len(text) > MAX_TEXT:
        expected = f"at most {MAX_TEXT // 2**20} MiB (a game of {MAX_ACTIONS} x {MAX_ACTIONS} takes less)"
        raise BadInput(expected, f"{len(text) / 2**20:.1f} MiB", where=source)
    return _PARSERS[suffix](text, source)


def _guess(text: str) -> str:
    start = text.lstrip()
    if start.startswith(("{", "[")):
        return ".json"
    return ".nfg" if start.startswith("NFG") else ".csv"


@dataclass(frozen=True)
class _Block:
    """Lines of payoffs without an empty line between them; ``first`` is the number of the first one."""

    first: int
    lines: list[str]


def parse_csv(text: str, source: str) -> MatrixGame:
    """One block of payoffs, or two separated by one or more empty lines."""
    _check_count("commas and line ends", text.count(",") + max(map(text.count, "\r\n")), source)
    blocks = _blocks(text)
    if not blocks:
        raise BadInput("at least one row of payoffs", "an empty file", where=source)
    if len(blocks) > 2:
        where = f"{source}: line {blocks[2].first}"
        raise BadInput("at most two blocks of payoffs", "a third", where=where)
    for block in blocks:
        _check_actions(len(block.lines), f"{source}: line {block.first}")
    row, *rest = [_csv_rows(block, source) for block in blocks]
    if not rest:
        return MatrixGame(row)
    return _two(row, rest[0], f"{source}: line {blocks[1].first}, column block")


def _blocks(text: str) -> list[_Block]:
    blocks: list[_Block] = []
    new = True
    for number, line in enumerate(_LINE_END.split(text), start=1):
        if not line.strip(_BLANKS):
            new = True
            continue
        if new:
            blocks.append(_Block(number, []))
        blocks[-1].lines.append(line)
        new = False
    return blocks


def _csv_rows(block: _Block, source: str) -> Rows:
    rows: Rows = []
    for number, line in enumerate(block.lines, start=block.first):
        where = f"{source}: line {number}"
        rows.append(_csv_row(line, where))
        _check_row(rows[-1], rows[0], where)
    return rows


def _csv_row(line: str, where: str) -> list[Fraction]:
    try:
        (cells,) = csv.reader([line], strict=True)
    except (csv.Error, ValueError) as error:
        raise BadInput("comma-separated payoffs", str(error), where=where) from None
    _check_actions(len(cells), where)
    return [_csv_number(cell.strip(_BLANKS), f"{where}, column {k}") for k, cell in enumerate(cells, start=1)]


def _csv_number(cell: str, where: str) -> Fraction:
    try:
        return numeral(cell)
    except BadInput as error:
        raise BadInput(error.expected, error.got, where=where) from None


def parse_json(text: str, source: str) -> MatrixGame:
    """A table with ``row`` and perhaps ``column``, or a list of lists."""
    _check_count("commas", text.count(","), source)
    document = _json_document(text, source)
    if isinstance(document, list) and document:
        return MatrixGame(_json_rows(document, source, ""))
    if not isinstance(document, dict):
        expected = "a table with row and column, or a list of rows"
        raise BadInput(expected, _spelled(document), where=f"{source}: top level")
    for key in document:
        if key not in {"row", "column"}:
            raise unknown_key(key, ["row", "column"], f"{source}: {_key(key)}")
    if "row" not in document:
        raise BadInput("a value (the key is required)", "none", where=f"{source}: row")
    row = _json_rows(document["row"], source, "row")
    if "column" not in document:
        return MatrixGame(row)
    return _two(row, _json_rows(document["column"], source, "column"), f"{source}: column")


def _json_document(text: str, source: str) -> Any:
    try:
        return json.loads(
            text,
            parse_float=_Literal,
            parse_int=_Literal,
            parse_constant=_Literal,
            object_pairs_hook=_unrepeated,
        )
    except BadInput as error:
        raise BadInput(error.expected, error.got, where=f"{source}: {error.where}") from None
    except RecursionError:
        raise BadInput("valid JSON", "too deep a nesting", where=source) from None
    except ValueError as error:
        raise BadInput("valid JSON", str(error), where=source) from None


class _Literal(str):
    """A number as the JSON text writes it."""

    __slots__ = ()


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise BadInput("each key once", "the key twice", where=_key(key))
        table[key] = value
    return table


def _key(key: str) -> str:
    """A key of a document as the place of a fault."""
    return key if key.isprintable() and 0 < len(key) <= _LONGEST else _spelled(key)


def _json_rows(value: Any, source: str, name: str) -> Rows:
    place = f"{source}: {name}"
    if not isinstance(value, list) or not value:
        raise BadInput("a list of rows of payoffs", _spelled(value), where=place)
    _check_actions(len(value), place if name else source)
    for i, line in enumerate(value):
        if not isinstance(line, list) or not line:
            raise BadInput("a list of payoffs", _spelled(line), where=f"{place}[{i}]")
        _check_actions(len(line), f"{place}[{i}]")
        _check_row(line, value[0], f"{place}[{i}]")
    return [
        [_json_number(cell, f"{place}[{i}][{j}]") for j, cell in enumerate(line)]
        for i, line in enumerate(value)
    ]


def _json_number(cell: Any, where: str) -> Fraction:
    if not isinstance(cell, _Literal):
        raise BadInput("a number", _spelled(cell), where=where)
    try:
        return numeral(str(cell))
    except BadInput as error:
        raise BadInput(error.expected, _spelled(cell), where=where) from None


def _spelled(value: Any) -> str:
    """A value as JSON spells it, cut where it is long; what is in lists and tables is left out."""
    if isinstance(value, list | dict):
        empty, kind = ("[]", "a list") if isinstance(value, list) else ("{}", "a table")
        return kind if value else empty
    text = str(value) if isinstance(value, _Literal) else json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _check_row(row: Sequence[object], first: Sequence[object], where: str) -> None:
    if len(row) != len(first):
        raise BadInput(f"{len(first)} payoffs, as in the first row", len(row), where=where)


def _check_actions(actions: int, where: str) -> None:
    if actions > MAX_ACTIONS:
        raise TooLarge("actions of a player", actions, MAX_ACTIONS, where=where)


def _check_count(unit: str, count: int, source: str) -> None:
    """A text with more separators than the largest game has is not taken apart at all."""
    if count > 2 * MAX_PAYOFFS:
        raise TooLarge(unit, count, 2 * MAX_PAYOFFS, where=source)


def _two(row: Rows, column: Rows, where: str) -> MatrixGame:
    if (len(column), len(column[0])) != (len(row), len(row[0])):
        expected = f"{len(row)} x {len(row[0])} payoffs of the column player, as for the row player"
        raise BadInput(expected, f"{len(column)} x {len(column[0])}", where=where)
    return MatrixGame(row, column)


_PARSERS = {".csv": parse_csv, ".json": parse_json, ".nfg": parse_nfg}
