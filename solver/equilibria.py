"""All extreme equilibria of a two-player game, and how far each probability can vary over all equilibria.

Up to 8 x 8 answers are exact and complete: optimal sets by the integer simplex algorithm, vertices by
double description (see :mod:`.exact` and :mod:`.vertices`). nashpy's vertex enumeration solves the same
problem in floating point and loses equilibria of degenerate games, so nothing here rests on it. Above 8 x 8
each exact step may use ``limit`` operations; what it finds until then is given, with ``complete`` false.
Up to 8 x 8 a step may use :data:`SMALL_LIMIT`, tens of times what decimals, floats or short fractions take;
only payoffs of very many digits with nothing in common go beyond it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from fable_solve.solver import exact
from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.matrix import (
    LIMIT,
    SMALL,
    TOLERANCE,
    Equilibrium,
    MatrixGame,
    best_found,
    certified,
    check_tolerance,
    pure_equilibria,
    pure_mixtures,
)
from fable_solve.solver.pivoting import PIVOT_COST, Work

SMALL_LIMIT = 60_000_000
"""Operations that each exact step may use up to 8 x 8, if ``limit`` is not more."""

Range = tuple[float, float]


@dataclass(frozen=True)
class Equilibria:
    """Extreme equilibria, in falling order of their probabilities; all of them if ``complete``."""

    found: tuple[Equilibrium, ...]
    complete: bool
    method: str


@dataclass(frozen=True)
class Ranges:
    """Smallest and largest probability of each action over all equilibria.

    ``exact`` ranges are proved and both ends are reached; those of linear ``programmes`` are found in
    floating point and not proved; ``outer`` bounds are proved, and no more is known than 0 to 1.
    """

    row: tuple[Range, ...]
    column: tuple[Range, ...]
    method: Literal["exact", "programmes", "outer"]

    @property
    def complete(self) -> bool:
        """Whether these are the ranges themselves, proved."""
        return self.method == "exact"


@dataclass(frozen=True)
class Analysis:
    """Everything that is said of one game; ``value`` is ``None`` unless it is zero-sum."""

    game: MatrixGame
    value: float | None
    equilibria: Equilibria
    ranges: Ranges
    tolerance: float

    @property
    def reached(self) -> float:
        """The largest exploitability found, as a fraction of the payoffs' range."""
        return max(equilibrium.relative for equilibrium in self.equilibria.found)

    def check(self) -> None:
        """Raises :class:`NotConverged` if an exploitability is above the tolerance."""
        check_tolerance(self.reached, self.tolerance, self.equilibria.method)


def extreme_equilibria(game: MatrixGame, limit: int = LIMIT) -> Equilibria:
    """All extreme equilibria: every equilibrium is a mixture of them (of the interchangeable ones).

    A zero-sum game has one for each pair of vertices of the optimal sets. ``limit`` operations may be used by
    each exact step above 8 x 8; at least one equilibrium is found or :class:`NotConverged` is raised.

    >>> [e.row for e in extreme_equilibria(MatrixGame([[1, 1], [1, 1]])).found]
    [(1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 1.0)]
    """
    return analyse(game, limit).equilibria


def ranges(game: MatrixGame, limit: int = LIMIT) -> Ranges:
    """The smallest and the largest probability of each action over all equilibria of the game.

    >>> ranges(MatrixGame([[0, 1, -1], [-1, 0, 1], [1, -1, 0], [0, 1, -1]])).row[0]
    (0.0, 0.3333333333333333)
    """
    return analyse(game, limit).ranges


def analyse(game: MatrixGame, limit: int = LIMIT, tolerance: float = TOLERANCE) -> Analysis:
    """Value, extreme equilibria and ranges; raises :class:`NotConverged` above the ``tolerance``."""
    analysis = reached(game, limit, tolerance)
    analysis.check()
    return analysis


def reached(game: MatrixGame, limit: int = LIMIT, tolerance: float = TOLERANCE) -> Analysis:
    """What :func:`analyse` returns, or the best that was reached if that is above the ``tolerance``."""
    if not tolerance >= 0:
        raise BadInput("a number of at least 0", tolerance, where="tolerance")
    return _zero_sum(game, limit, tolerance) if game.zero_sum else _bimatrix(game, limit, tolerance)


def _work(game: MatrixGame, limit: int) -> Work:
    return Work(max(limit, SMALL_LIMIT) if max(game.shape) <= SMALL else limit)


def _zero_sum(game: MatrixGame, limit: int, tolerance: float) -> Analysis:
    work = _work(game, limit)
    try:
        best = exact.optimum(game, work)
    except TooLarge:
        return _by_programmes(game, limit, tolerance)
    equilibria = _pairs(game, best, limit)
    m, n = game.shape
    try:
        sides = [
            tuple(
                (exact.nearest(low), exact.nearest(high))
                for low, high in exact.extents(face, size, _work(game, limit))
            )
            for face, size in ((best.row, m), (best.column, n))
        ]
        spread = Ranges(sides[0], sides[1], "exact")
    except TooLarge:
        spread = _programme_ranges(game, equilibria.found[0], limit)
    return Analysis(game, float(best.value), equilibria, spread, tolerance)


def _pairs(game: MatrixGame, best: exact.Optimum, limit: int) -> Equilibria:
    """Every vertex of one optimal set with every vertex of the other; one pair if that takes too long."""
    m, n = game.shape
    work, complete = _work(game, limit), True
    try:
        rows = exact.extreme_mixtures(best.row, m, work)
        columns = exact.extreme_mixtures(best.column, n, work)
        exact.spend_on_listing(game, [*rows, *columns], len(rows) * len(columns), work)
    except TooLarge:
        rows, columns = [exact.mixture(best.row, m)], [exact.mixture(best.column, n)]
        complete = False
    method = "exact simplex, vertices of the optimal sets" if complete else "exact simplex"
    pairs = (exact.Mixtures(x, y, method).rounded(game) for x in rows for y in columns)
    return Equilibria(_ordered(pairs), complete, method)


def _by_programmes(game: MatrixGame, limit: int, tolerance: float) -> Analysis:
    """A zero-sum game too large for exact arithmetic: one certified equilibrium, ranges by HiGHS."""
    found = best_found(game, tolerance, limit)
    equilibria = Equilibria((found,), False, found.method)
    return Analysis(game, found.value, equilibria, _programme_ranges(game, found, limit), tolerance)


def _programme_ranges(game: MatrixGame, found: Equilibrium, limit: int) -> Ranges:
    """By HiGHS if each side takes no more than ``limit`` or the default limit, whichever is larger."""
    from fable_solve.solver.programmes import SLACK, extents

    if found.relative > SLACK:
        return _outer(game)
    turned = certified(MatrixGame(game.column.T), found.column, found.row, found.method)
    work = max(limit, LIMIT)
    try:
        row = extents(game.row, found, Work(work))
        column = extents(game.column.T, turned, Work(work))
    except TooLarge:
        return _outer(game)
    return Ranges(tuple(row), tuple(column), "programmes")


def _outer(game: MatrixGame) -> Ranges:
    m, n = game.shape
    return Ranges(((0.0, 1.0),) * m, ((0.0, 1.0),) * n, "outer")


def _bimatrix(game: MatrixGame, limit: int, tolerance: float) -> Analysis:
    try:
        pairs = exact.extreme_pairs(game, _work(game, limit))
    except TooLarge:
        return Analysis(game, None, _some(game, limit, tolerance), _outer(game), tolerance)
    equilibria = Equilibria(_ordered(pair.rounded(game) for pair in pairs), True, pairs[0].method)
    spread = Ranges(_spread(pair.row for pair in pairs), _spread(pair.column for pair in pairs), "exact")
    return Analysis(game, None, equilibria, spread, tolerance)


def _some(game: MatrixGame, limit: int, tolerance: float) -> Equilibria:
    """Pure equilibria and what Lemke-Howson paths lead to, both within the limit."""
    m, n = game.shape
    listed = pure_equilibria(game)[: max(1, limit // (PIVOT_COST * m * n))]
    pure = (certified(game, *pure_mixtures(game, i, j), "pure") for i, j in listed)
    paths = (answer.rounded(game) for answer in exact.mixtures(game, limit))
    found = _ordered(chain(pure, paths))
    if found:
        return Equilibria(found, False, "pure equilibria and exact Lemke-Howson paths")
    one = best_found(game, tolerance, limit)
    return Equilibria((one,), False, one.method)


def _ordered(found: Iterable[Equilibrium]) -> tuple[Equilibrium, ...]:
    """Without repetitions, the largest first probabilities first."""
    different = {(equilibrium.row, equilibrium.column): equilibrium for equilibrium in found}
    return tuple(different[key] for key in sorted(different, reverse=True))


def _spread(points: Iterable[exact.Mixture]) -> tuple[Range, ...]:
    return tuple((exact.nearest(min(side)), exact.nearest(max(side))) for side in zip(*points, strict=True))
