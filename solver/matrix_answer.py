"""The analysis of a matrix game as an answer: JSON document, table rows, sentences."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_UP, Context, Decimal
from math import ulp
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
"""Error of a probability that is printed as a float."""

RANGES = {
    "exact": "exact",
    "programmes": "linear programmes in floating point, not proved",
    "outer": "outer bounds, proved; the limit of operations left no better ones",
}
"""How the ranges of the probabilities were found."""

HEADINGS = {
    "exact": "the range of each probability over all equilibria",
    "programmes": "the range of each probability over all equilibria, not proved",
    "outer": "bounds of each probability over all equilibria, not its range",
}


def matrix_answer(analysis: Analysis) -> Answer:
    """One row for each action of each player in each equilibrium; ranges are over all equilibria."""
    certificate = Certificate.exact(_rounded_up(_error(analysis)), _note(analysis))
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
        small=("probability", "lowest", "highest"),
    )


def _error(analysis: Analysis) -> float:
    """Largest error of a value, a payoff, a probability or an exploitability as printed.

    The payoffs of a pair are within its exploitability of the value of a zero-sum game; a float is within
    the distance to the next of what it stands for.
    """
    units = [table.error * table.unit for table in analysis.game.integers]
    steps = [ulp(payoff) for e in analysis.equilibria.found for payoff in e.payoffs]
    return max(_exploitability(analysis) + max(steps) + float(max(units)), ROUNDING)


def _exploitability(analysis: Analysis) -> float:
    return max(equilibrium.exploitability for equilibrium in analysis.equilibria.found)


def _rounded_up(number: float) -> float:
    """The next number of one significant digit, so that a tolerance in print still holds.

    >>> _rounded_up(2.0**-53), _rounded_up(0.0), _rounded_up(3.1e-9)
    (2e-16, 0.0, 4e-09)
    """
    return float(Context(prec=1, rounding=ROUND_UP).create_decimal(Decimal(number)))


def _document(analysis: Analysis, certificate: Certificate) -> dict[str, Any]:
    return {
        "value": analysis.value,
        "zero_sum": analysis.game.zero_sum,
        "equilibria": [_equilibrium(equilibrium) for equilibrium in analysis.equilibria.found],
        "ranges": {"row": _pairs(analysis.ranges.row), "column": _pairs(analysis.ranges.column)},
        "ranges_complete": analysis.ranges.complete,
        "ranges_method": RANGES[analysis.ranges.method],
        "complete": analysis.equilibria.complete,
        "method": analysis.equilibria.method,
        "actions": {"row": list(analysis.game.row_names), "column": list(analysis.game.column_names)},
        "certificate": certificate.document()
        | {
            "exploitability": _rounded_up(_exploitability(analysis)),
            "relative_exploitability": _rounded_up(analysis.reached),
        },
    }


def _equilibrium(equilibrium: Equilibrium) -> dict[str, Any]:
    return {
        "row": list(equilibrium.row),
        "column": list(equilibrium.column),
        "payoffs": list(equilibrium.payoffs),
        "exploitability": equilibrium.exploitability,
    }


def _pairs(ranges: Sequence[Range]) -> list[list[float]]:
    return [list(ends) for ends in ranges]


def _cells(analysis: Analysis, equilibrium: Equilibrium) -> list[tuple[Any, ...]]:
    game, ranges = analysis.game, analysis.ranges
    sides = (
        ("row", game.row_names, equilibrium.row, ranges.row, equilibrium.payoffs[0]),
        ("column", game.column_names, equilibrium.column, ranges.column, equilibrium.payoffs[1]),
    )
    return [
        (player, name, probability, *ends[k], payoff, equilibrium.exploitability)
        for player, names, mixture, ends, payoff in sides
        for k, (name, probability) in enumerate(zip(names, mixture, strict=True))
    ]


def _note(analysis: Analysis) -> str:
    absolute, relative = _rounded_up(_exploitability(analysis)), _rounded_up(analysis.reached)
    note = (
        "the tolerance is that of value and payoffs; "
        f"exploitability at most {absolute:g}, {relative:g} of the payoffs' range"
    )
    return note if analysis.ranges.complete else f"{note}; ranges: {RANGES[analysis.ranges.method]}"


def _footer(analysis: Analysis, certificate: Certificate) -> tuple[str, ...]:
    found, complete = len(analysis.equilibria.found), analysis.equilibria.complete
    count = "1 extreme equilibrium" if complete and found == 1 else f"{found} extreme equilibria"
    if not complete:
        count = f"{found} of the equilibria (the limit of operations ended the search)"
    lines = [f"{count}, by {analysis.equilibria.method}.", f"How sure: {certificate}; {certificate.note}."]
    if analysis.value is not None:
        lines.insert(0, f"Value to the row player: {str(analysis.value).removesuffix('.0')}")
    lines.append(f"lowest and highest: {HEADINGS[analysis.ranges.method]}.")
    return tuple(lines)
