"""Reading matrix games: CSV, JSON and Gambit's ``.nfg``, every number taken literally.

- CSV: the row player's payoffs of a zero-sum game; a second block after an empty line holds the column
  player's payoffs.
- JSON: ``{"row": [[..], ..], "column": [[..], ..]}``; without ``column``, or a bare list of lists, zero-sum.
"""

from __future__ import annotations

import csv
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from fable_solve.solver.documents import MAX_BYTES, decode, read_text
from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.matrix import MatrixGame
from fable_solve.solver.nfg import parse_nfg
from fable_solve.solver.numerals import MAX_ACTIONS, numeral
from fable_solve.solver.schema import shown, unknown_key

Rows = list[list[Fraction]]


def read_game(path: str) -> MatrixGame:
    """The game at ``path``, its format told by the suffix; ``-`` reads standard input.

    Standard input is JSON if it starts with ``{`` or ``[``, ``.nfg`` if with ``NFG``, else CSV. Raises
    :class:`BadInput` with the place of the fault, :class:`TooLarge` for a player with too many actions.
    """
    if path == "-":
        text = decode(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
        return _PARSERS[_guess(text)](text, "standard input")
    suffix = Path(path).suffix.lower()
    if suffix not in _PARSERS:
        raise BadInput("a file ending in .csv, .json or .nfg", suffix or "no suffix", where=path)
    return _PARSERS[suffix](read_text(path), path)


def _guess(text: str) -> str:
    start = text.lstrip()
    if start.startswith(("{", "[")):
        return ".json"
    return ".nfg" if start.startswith("NFG") else ".csv"


def parse_csv(text: str, source: str) -> MatrixGame:
    """One block of payoffs, or two separated by one or more empty lines."""
    blocks: list[Rows] = []
    new = True
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"{source}: line {number}"
        if not line.strip():
            new = True
            continue
        if new:
            if len(blocks) == 2:
                raise BadInput("at most two blocks of payoffs", "a third", where=where)
            blocks.append([])
            new = False
        blocks[-1].append(_csv_row(line, where))
        _check_row(blocks[-1], where)
    if not blocks:
        raise BadInput("at least one row of payoffs", "an empty file", where=source)
    return _game(blocks[0], blocks[1] if len(blocks) == 2 else None, source)


def _csv_row(line: str, where: str) -> list[Fraction]:
    try:
        (cells,) = csv.reader([line], strict=True)
    except (csv.Error, ValueError) as error:
        raise BadInput("comma-separated payoffs", str(error), where=where) from None
    _check_size(len(cells), where)
    return [_number(cell.strip(), f"{where}, column {k}") for k, cell in enumerate(cells, start=1)]


def parse_json(text: str, source: str) -> MatrixGame:
    """A table with ``row`` and perhaps ``column``, or a list of lists."""
    try:
        document = json.loads(
            text,
            parse_float=_Literal,
            parse_int=_Literal,
            parse_constant=_Literal,
            object_pairs_hook=_unrepeated,
        )
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadInput):
            raise BadInput(error.expected, error.got, where=source) from None
        reason = "too deep a nesting" if isinstance(error, RecursionError) else str(error)
        raise BadInput("valid JSON", reason, where=source) from None
    if isinstance(document, list):
        return _game(_json_rows(document, source, ""), None, source)
    if not isinstance(document, dict):
        raise BadInput("a table with row and column, or a list of rows", shown(document), where=source)
    for key in document:
        if key not in {"row", "column"}:
            raise unknown_key(key, ["row", "column"], source)
    if "row" not in document:
        raise BadInput("a value (the key is required)", "none", where=f"{source}: row")
    row = _json_rows(document["row"], source, "row")
    column = document.get("column")
    return _game(row, None if column is None else _json_rows(column, source, "column"), source)


class _Literal(str):
    """A number as the JSON text writes it."""

    __slots__ = ()


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise BadInput("each key once", "a key twice")
    return table


def _json_rows(value: Any, source: str, name: str) -> Rows:
    where = f"{source}: {name}" if name else source
    place = where if name else f"{source}: "
    if not isinstance(value, list) or not value:
        raise BadInput("a list of rows of payoffs", shown(value), where=where)
    rows: Rows = []
    for i, line in enumerate(value):
        if not isinstance(line, list) or not line:
            raise BadInput("a list of payoffs", shown(line), where=f"{place}[{i}]")
        _check_size(len(line), f"{place}[{i}]")
        rows.append([_json_number(cell, f"{place}[{i}][{j}]") for j, cell in enumerate(line)])
        _check_row(rows, f"{place}[{i}]")
    return rows


def _json_number(cell: Any, where: str) -> Fraction:
    if not isinstance(cell, _Literal):
        raise BadInput("a number", shown(cell), where=where)
    return _number(str(cell), where)


def _number(text: str, where: str) -> Fraction:
    try:
        return numeral(text)
    except BadInput as error:
        raise BadInput(error.expected, error.got, where=where) from None


def _check_row(rows: Rows, where: str) -> None:
    """The last row is as long as the first, and there are not too many."""
    if len(rows[-1]) != len(rows[0]):
        raise BadInput(f"{len(rows[0])} payoffs, as in the first row", len(rows[-1]), where=where)
    _check_size(len(rows), where)


def _check_size(actions: int, where: str) -> None:
    if actions > MAX_ACTIONS:
        raise TooLarge("actions of a player", actions, MAX_ACTIONS, hint=where)


def _game(row: Rows, column: Rows | None, source: str) -> MatrixGame:
    if column is not None and (len(column), len(column[0])) != (len(row), len(row[0])):
        expected = f"{len(row)} x {len(row[0])} payoffs of the column player, as for the row player"
        raise BadInput(expected, f"{len(column)} x {len(column[0])}", where=source)
    return MatrixGame(row, column)


_PARSERS = {".csv": parse_csv, ".json": parse_json, ".nfg": parse_nfg}
