"""Equilibria by nashpy, scipy and other floating-point methods: candidates, never answers.

Payoffs are normalised to [0, 1] first, which changes no equilibrium; warnings of the libraries stay inside,
and whatever they return is checked by the caller.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from fable_solve.solver.matrix import Equilibrium, Matrix, MatrixGame
from fable_solve.solver.pivoting import Work

VERTEX_ACTIONS = 8
"""Largest number of actions, both players together, for which nashpy enumerates vertices in good time."""

SLACK = 1e-6
"""Normalised loss above which an action is not part of any optimal mixture (complementary slackness)."""

PROGRAMME_COST = 40
"""Operations that one payoff of a linear programme counts for (measured, 100 x 100 to 300 x 300)."""

PATH_LENGTH = 3000
"""Longest Lemke-Howson path followed, in pivots."""

PIVOT = 1e-11
"""Smallest entry of a table of numbers around 1 that counts as positive."""


def mixtures(game: MatrixGame) -> Iterator[tuple[str, list[float], list[float]]]:
    """Candidates with their method: linear programmes if zero-sum, else vertices and Lemke-Howson paths."""
    if game.zero_sum:
        payoffs = normalised(game.row)
        for method, programme in (("nashpy linear programme", _nashpy_programme), ("HiGHS", _highs)):
            yield from ((method, x, y) for x, y in _usable(partial(programme, payoffs)))
        return
    if sum(game.shape) <= VERTEX_ACTIONS:
        yield from (("nashpy vertex enumeration", x, y) for x, y in nashpy_vertices(game))
    row, column = normalised(game.row) + 1, normalised(game.column) + 1
    for label in range(sum(game.shape)):
        for x, y in _usable(partial(_lemke_howson, row, column, label)):
            yield f"Lemke-Howson path {label + 1} in floating point", x, y


def normalised(payoffs: Matrix) -> Matrix:
    """The payoffs mapped to [0, 1]."""
    shifted: Matrix = payoffs - payoffs.min()
    largest = shifted.max()
    return shifted / largest if largest > 0 else shifted


def nashpy_vertices(game: MatrixGame) -> list[tuple[list[float], list[float]]]:
    """What nashpy's vertex enumeration finds; of degenerate games it misses some or all equilibria."""
    import nashpy

    # Payoffs from 1 to 2: the best-response polytopes are bounded.
    row, column = normalised(game.row) + 1, normalised(game.column) + 1
    return _usable(lambda: list(nashpy.Game(row, column).vertex_enumeration()))


def _nashpy_programme(payoffs: Matrix) -> list[Any]:
    import nashpy

    return [nashpy.Game(payoffs).linear_program()]


def _highs(payoffs: Matrix) -> list[Any]:
    """The row player's programme, the column player's mixture from its duals."""
    from scipy.optimize import linprog

    m, n = payoffs.shape
    solution = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.c_[-payoffs.T, np.ones(n)],
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(m), 0.0).reshape(1, -1),
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
        method="highs",
    )
    return [(solution.x[:m], -solution.ineqlin.marginals)]


def _lemke_howson(row: Matrix, column: Matrix, label: int) -> list[Any]:
    """The end of the path that drops ``label``, both payoffs positive, if it is reached in time.

    The same path as :func:`.pivoting.lemke_howson` follows, in floating point and without a rule against
    cycles: table 0 holds ``B'x <= 1``, table 1 ``A y <= 1``, each with its constants in the last column.
    """
    m, n = row.shape
    tables = [np.c_[column.T, np.ones(n)], np.c_[row, np.ones(m)]]
    cobasic = [list(range(m)), list(range(m, m + n))]
    basic = [list(range(m, m + n)), list(range(m))]
    side, entering = int(label >= m), label
    for _ in range(PATH_LENGTH):
        table, at = tables[side], cobasic[side].index(entering)
        blocking = np.flatnonzero(table[:, at] > PIVOT)
        if not len(blocking):
            return []
        leaves = blocking[np.argmin(table[blocking, -1] / table[blocking, at])]
        leaving = basic[side][leaves]
        basic[side][leaves], cobasic[side][at] = entering, leaving
        _exchange(table, leaves, at)
        if leaving == label:
            values = [dict(zip(basic[k], tables[k][:, -1], strict=True)) for k in (0, 1)]
            x = np.array([values[0].get(i, 0.0) for i in range(m)])
            return [(x, np.array([values[1].get(j, 0.0) for j in range(m, m + n)]))]
        entering, side = leaving, 1 - side
    return []


def _exchange(table: Matrix, row: int, column: int) -> None:
    """Exchange the basic variable of ``row`` for the cobasic one of ``column``, in place."""
    pivot = table[row, column]
    factors = table[:, column].copy()
    source = table[row] / pivot
    factors[row] = 0.0
    table -= np.outer(factors, source)
    table[row] = source
    table[:, column] = -factors / pivot
    table[row, column] = 1.0 / pivot


def _usable(method: Callable[[], list[Any]]) -> list[tuple[list[float], list[float]]]:
    """The pairs a library's method returns that are mixtures at all; none if it fails."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            pairs = [[np.asarray(side, dtype=float) for side in pair] for pair in method()]
        except (ValueError, TypeError, AttributeError, ArithmeticError, RuntimeError):
            return []
        good = [pair for pair in pairs if all(np.isfinite(side).all() and side.sum() > 0.5 for side in pair)]
    return [(_mixture(row), _mixture(column)) for row, column in good]


def _mixture(weights: Matrix) -> list[float]:
    clipped = np.maximum(weights, 0.0)
    return [float(p) for p in clipped / clipped.sum()]


def extents(payoffs: Matrix, best: Equilibrium, work: Work) -> list[tuple[float, float]]:
    """Smallest and largest probability of each row over the optimal mixtures of a zero-sum game, by HiGHS.

    ``best`` is an equilibrium of the game whose row payoffs are ``payoffs``. By complementary slackness a row
    that loses against its column mixture is in no optimal one, and every optimal one gets exactly the value
    from each column in use; where these equations leave no freedom there is nothing to optimise. Raises
    :class:`TooLarge` before the first programme if they all would take more than ``work``.
    """
    unit = normalised(payoffs)
    x, y = np.asarray(best.row), np.asarray(best.column)
    against = unit @ y
    rows = np.flatnonzero(against >= against.max() - SLACK)
    equations = np.vstack([unit[np.ix_(rows, np.flatnonzero(y > SLACK))].T, np.ones(len(rows))])
    ends = [(0.0, 0.0)] * len(x)
    if np.linalg.matrix_rank(equations, tol=SLACK) == len(rows):
        return [(p, p) for p in best.row]
    work.spend(2 * len(rows) * PROGRAMME_COST * unit[rows].size)
    level = float((x @ unit).min())
    for k, row in enumerate(rows):
        ends[row] = _extent(unit[rows], level, k, x[row])
    return ends


def _extent(payoffs: Matrix, level: float, row: int, known: float) -> tuple[float, float]:
    from scipy.optimize import linprog

    m, n = payoffs.shape
    ends = [known, known]
    for sign in (1, -1):
        solution = linprog(
            [sign * float(i == row) for i in range(m)],
            A_ub=-payoffs.T,
            b_ub=np.full(n, -level),
            A_eq=np.ones((1, m)),
            b_eq=[1.0],
            bounds=(0, 1),
            method="highs",
        )
        if solution.status == 0:
            ends.append(min(1.0, max(0.0, float(solution.x[row]))))
    return min(ends), max(ends)
