"""The analysis of a matrix game as an answer: JSON document, table rows, sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fable_solve.solver.equilibria import Analysis, Range
from fable_solve.solver.matrix import Equilibrium
from fable_solve.solver.result import Answer, Certificate

COLUMNS = (
    "equilibrium",
    "player",
    "action",
    "probability",
    "lowest",
    "highest",
    "payoff",
    "exploitability",
)

ROUNDING = 2.0**-53
"""Relative error of a number that is printed as a float."""


def matrix_answer(analysis: Analysis) -> Answer:
    """One row for each action of each player in each equilibrium; ranges are over all equilibria."""
    certificate = Certificate.exact(max(analysis.reached, ROUNDING), _note(analysis))
    rows = [
        (number, *cells)
        for number, equilibrium in enumerate(analysis.equilibria.found, start=1)
        for cells in _cells(analysis, equilibrium)
    ]
    m, n = analysis.game.shape
    kind = "Zero-sum game" if analysis.game.zero_sum else "Game"
    return Answer(
        _document(analysis, certificate),
        COLUMNS,
        rows,
        f"{kind}, {m} x {n}",
        (),
        _footer(analysis, certificate),
    )


def _document(analysis: Analysis, certificate: Certificate) -> dict[str, Any]:
    return {
        "value": analysis.value,
        "zero_sum": analysis.game.zero_sum,
        "equilibria": [_equilibrium(equilibrium) for equilibrium in analysis.equilibria.found],
        "ranges": {"row": _pairs(analysis.ranges.row), "column": _pairs(analysis.ranges.column)},
        "complete": analysis.equilibria.complete,
        "method": analysis.equilibria.method,
        "actions": {"row": list(analysis.game.row_names), "column": list(analysis.game.column_names)},
        "certificate": certificate.document(),
    }


def _equilibrium(equilibrium: Equilibrium) -> dict[str, Any]:
    return {
        "row": list(equilibrium.row),
        "column": list(equilibrium.column),
        "payoffs": list(equilibrium.payoffs),
        "exploitability": equilibrium.exploitability,
    }


def _pairs(ranges: Sequence[Range] | None) -> list[list[float]] | None:
    return None if ranges is None else [list(ends) for ends in ranges]


def _cells(analysis: Analysis, equilibrium: Equilibrium) -> list[tuple[Any, ...]]:
    game, ranges = analysis.game, analysis.ranges
    sides = (
        ("row", game.row_names, equilibrium.row, ranges.row, equilibrium.payoffs[0]),
        ("column", game.column_names, equilibrium.column, ranges.column, equilibrium.payoffs[1]),
    )
    return [
        (player, name, probability, *(ends[k] if ends else (None, None)), payoff, equilibrium.exploitability)
        for player, names, mixture, ends, payoff in sides
        for k, (name, probability) in enumerate(zip(names, mixture, strict=True))
    ]


def _note(analysis: Analysis) -> str:
    measure = "largest exploitability, relative to the range of the payoffs"
    if analysis.ranges.row is None:
        return f"{measure}; ranges not known"
    if not analysis.ranges.proved:
        return f"{measure}; ranges by floating-point linear programmes, not proved"
    return measure


def _footer(analysis: Analysis, certificate: Certificate) -> tuple[str, ...]:
    found, complete = len(analysis.equilibria.found), analysis.equilibria.complete
    count = "1 extreme equilibrium" if complete and found == 1 else f"{found} extreme equilibria"
    if not complete:
        count = f"{found} of the equilibria (the limit of operations ended the search)"
    lines = [f"{count}, by {analysis.equilibria.method}.", f"How sure: {certificate}; {certificate.note}."]
    if analysis.value is not None:
        lines.insert(0, f"Value to the row player: {analysis.value:.12g}")
    if analysis.ranges.row is not None:
        lines.append("lowest and highest: the range of each probability over all equilibria.")
    return tuple(lines)
