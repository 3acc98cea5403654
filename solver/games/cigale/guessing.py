"""One chain as a guessing game: both mixtures, every equilibrium's range, and the proof.

The checked, readable side of :mod:`fable_solve.solver.games.cigale.kernel_guess`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.games.cigale.kernel_guess import guess_mixtures, guess_value

Range = tuple[float, float]
TIE = 1e-12
"""A gain within this share of the gains' range of the value counts as equal to it."""


@dataclass(frozen=True)
class Guess:
    """Equilibrium of the guessing matrix of one chain; entries in the order of the gains given."""

    value: float
    ant: tuple[float, ...]
    cigale: tuple[float, ...]
    exploitability: float


def guess_matrix(a: Sequence[float], b: Sequence[float]) -> NDArray[np.float64]:
    """``A[i, j] = a[i]``, on the diagonal ``-b[i]``: naming i against guess j; ``[k, k]``.

    >>> guess_matrix([1, 2], [3, 4]).tolist()
    [[-3.0, 1.0], [2.0, -4.0]]
    """
    matrix = np.repeat(np.asarray(a, float)[:, None], len(a), axis=1)
    np.fill_diagonal(matrix, -np.asarray(b, float))
    return matrix


def solve_guess(a: Sequence[float], b: Sequence[float]) -> Guess:
    """Value and one equilibrium of the guessing matrix, with its exploitability computed from the matrix.

    ``a[i]`` is the Ant's gain by naming type i unguessed, ``b[i]`` the Cigale's by guessing it; 1 to 4
    types. Formula in :mod:`~fable_solve.solver.games.cigale.kernel_guess`.

    >>> guess = solve_guess([2, 2, 1, 1], [2, 2, 1, 1])
    >>> round(guess.value, 9), round(guess.ant[0], 9), round(guess.cigale[0], 9)
    (0.666666667, 0.166666667, 0.333333333)
    """
    return _solved(tuple(a), tuple(b))


@lru_cache(maxsize=65_536)
def _solved(a: tuple[float, ...], b: tuple[float, ...]) -> Guess:
    k = len(a)
    gain_a, gain_b = np.asarray(a, float), np.asarray(b, float)
    p, q = np.zeros(k), np.zeros(k)
    value = guess_value(gain_a, gain_b, k)
    guess_mixtures(gain_a, gain_b, k, value, p, q)
    matrix = guess_matrix(a, b)
    exploitability = float(max((matrix @ q).max() - p @ matrix @ q, p @ matrix @ q - (p @ matrix).min()))
    return Guess(float(value), tuple(p.tolist()), tuple(q.tolist()), max(0.0, exploitability))


def guess_ranges(a: Sequence[float], b: Sequence[float]) -> tuple[list[Range], list[Range]]:
    """Smallest and largest probability of each type over all equilibria: the Ant's, the Cigale's.

    With all ``d[i] = a[i] + b[i] > 0`` the Cigale's mixture is unique. The Ant's is a range when some
    types have ``a[t]`` equal to the value ``w``: with ``D`` the sum of ``1 / d`` over the support
    ``{a > w}`` and ``T`` that over the tied types, a type of the support lies between ``1 / (d (D + T))``
    and ``1 / (d D)``, and a tied one between 0 and ``1 / (1 + d D)``. Else from all extreme equilibria.

    >>> guess_ranges([3, 3, 0], [3, 3, 5])[0]
    [(0.3125, 0.5), (0.3125, 0.5), (0.0, 0.375)]
    """
    if len(a) == 1:
        return [(1.0, 1.0)], [(1.0, 1.0)]
    d = [x + y for x, y in zip(a, b, strict=True)]
    if min(d) <= 0.0:
        from fable_solve.solver.equilibria import ranges
        from fable_solve.solver.matrix import MatrixGame

        both = ranges(MatrixGame(guess_matrix(a, b)))
        return list(both.row or ()), list(both.column or ())
    guess = solve_guess(a, b)
    slack = TIE * max(1.0, *(abs(x) for x in (*a, *b)))
    tied = [abs(x - guess.value) <= slack for x in a]
    support = [x > guess.value and not tie for x, tie in zip(a, tied, strict=True)]
    inside = sum(1 / di for di, on in zip(d, support, strict=True) if on)
    beside = sum(1 / di for di, tie in zip(d, tied, strict=True) if tie)
    ant = [
        (1 / (di * (inside + beside)), 1 / (di * inside))
        if on
        else (0.0, 1 / (1 + di * inside) if tie else 0.0)
        for di, on, tie in zip(d, support, tied, strict=True)
    ]
    return ant, [(x, x) for x in guess.cigale]
