"""The matrix game of one simultaneous choice: small, solved millions of times, always with its proof.

A matrix is a flat sequence, row by row, of seat 0's payoffs with ``columns`` entries a row; the row player
maximises. A saddle point and the 2x2 game have closed forms (von Neumann and Morgenstern 1944, section 18);
anything else is a linear programme.
"""

from __future__ import annotations

from collections.abc import Sequence

EXACT = 1e-12
"""Relative width below which the two ends of an interval count as rounding of one number."""

Mixtures = tuple[list[float], list[float]]


def bounds(lows: Sequence[float], highs: Sequence[float], columns: int) -> tuple[float, float]:
    """Proved ends of the value of a matrix whose entries lie in ``[lows, highs]``.

    The lower end is what a row mixture guarantees against every column of ``lows``, the upper end what a
    column mixture concedes to every row of ``highs``; with an equilibrium's mixtures they meet.
    """
    row, column = equilibrium(lows, columns)
    low = guaranteed(lows, row, columns)
    if highs is lows:
        high = conceded(lows, column, columns)
        if high - low <= EXACT * (1.0 + abs(low)):
            low = high = (low + high) / 2
        return low, high
    return low, conceded(highs, equilibrium(highs, columns)[1], columns)


def guaranteed(cells: Sequence[float], row: Sequence[float], columns: int) -> float:
    """min over columns of the row mixture's expected payoff."""
    return min(sum(p * v for p, v in zip(row, cells[j::columns], strict=True)) for j in range(columns))


def conceded(cells: Sequence[float], column: Sequence[float], columns: int) -> float:
    """max over rows of the expected payoff against the column mixture."""
    starts = range(0, len(cells), columns)
    return max(sum(q * v for q, v in zip(column, cells[i : i + columns], strict=True)) for i in starts)


def equilibrium(cells: Sequence[float], columns: int) -> Mixtures:
    """Mixtures of both players in equilibrium, to rounding."""
    return _saddle(cells, columns) or _two_by_two(cells, columns) or _programme(cells, columns)


def _saddle(cells: Sequence[float], columns: int) -> Mixtures | None:
    """The first cell that is least in its row and largest in its column, played purely."""
    rows = [cells[i : i + columns] for i in range(0, len(cells), columns)]
    least = [min(row) for row in rows]
    most = [max(cells[j::columns]) for j in range(columns)]
    low, high = max(least), min(most)
    if low < high:
        return None
    i, j = least.index(low), most.index(high)
    return [float(k == i) for k in range(len(rows))], [float(k == j) for k in range(columns)]


def _two_by_two(cells: Sequence[float], columns: int) -> Mixtures | None:
    """The mixtures that leave the opponent indifferent; without a saddle point they are the only ones."""
    if columns != 2 or len(cells) != 4:
        return None
    a, b, c, d = cells
    total = a - b - c + d
    p, q = (d - c) / total, (d - b) / total
    return [p, 1.0 - p], [q, 1.0 - q]


def _programme(cells: Sequence[float], columns: int) -> Mixtures:
    """max v subject to (row mixture . column) >= v for every column; the duals are the column mixture."""
    import numpy as np
    from scipy.optimize import linprog

    matrix = np.asarray(cells, dtype=float).reshape(-1, columns)
    rows = len(matrix)
    solved = linprog(
        np.r_[np.zeros(rows), -1.0],
        A_ub=np.c_[-matrix.T, np.ones(columns)],
        b_ub=np.zeros(columns),
        A_eq=np.r_[np.ones(rows), 0.0][None, :],
        b_eq=[1.0],
        bounds=[(0.0, 1.0)] * rows + [(None, None)],
        method="highs",
    )
    row, column = np.maximum(solved.x[:rows], 0.0), np.maximum(-solved.ineqlin.marginals, 0.0)
    return (row / row.sum()).tolist(), (column / column.sum()).tolist()
