"""Two-player matrix games: payoffs, equilibria, and one certified equilibrium of any game.

``row[i][j]`` and ``column[i][j]`` are what the two players get when the row player takes action i and the
column player action j. A mixture is a vector of probabilities over actions. No equilibrium leaves this
module unchecked: its exploitability is measured, and above the tolerance the next method is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.errors import BadInput, NotConverged

Matrix = NDArray[np.float64]
Table = tuple[tuple[Fraction, ...], ...]

TOLERANCE = 1e-9
"""Default largest exploitability, as a fraction of the range of the payoffs of the player who gains."""

LIMIT = 30_000_000
"""Default limit of one exact computation, in operations of about a tenth of a microsecond."""

SMALL = 8
"""Largest number of actions a player for which exact arithmetic is tried before floating point."""

BITS = 2**26
"""Most bits that one player's payoffs may take as integers; longer ones are rounded; the error counts."""

FINENESS = 128
"""Bits to which payoffs are rounded then: the error is at most ``2**-128`` of their range."""

LARGEST = 1e300
"""Largest size of a payoff, so that no difference of two overflows."""


@dataclass(frozen=True)
class Integers:
    """Payoffs as integers >= 1: ``payoff = zero + unit * entry`` with ``unit`` > 0; the least entry is 1.

    Where ``error`` is 1 and not 0 the payoff may be larger by less than one ``unit``.
    """

    entries: tuple[tuple[int, ...], ...]
    unit: Fraction
    zero: Fraction
    error: int = 0

    @property
    def span(self) -> int:
        """The range of the payoffs in units, never more than it is."""
        return max(map(max, self.entries)) - 1 - self.error


@dataclass(frozen=True, eq=False, init=False)
class MatrixGame:
    """A two-player game in normal form; without ``column`` a zero-sum game.

    Payoffs are floats, integers or fractions, [m, n]; ``exact`` keeps fractions as they were given and takes
    floats for the binary numbers they are. Raises :class:`BadInput` for anything but finite rectangles.

    >>> MatrixGame([[1, -1], [-1, 1]]).zero_sum
    True
    """

    row: Matrix
    column: Matrix
    row_names: tuple[str, ...]
    column_names: tuple[str, ...]
    _given: tuple[Any, Any] = field(repr=False)

    def __init__(
        self,
        row: Any,
        column: Any = None,
        row_names: Sequence[str] = (),
        column_names: Sequence[str] = (),
    ) -> None:
        first = _floats(row, "row")
        second = -first if column is None else _floats(column, "column")
        if second.shape != first.shape:
            raise BadInput(f"{_size(first)} payoffs, as for the row player", _size(second), where="column")
        for name, value in {
            "row": first,
            "column": second,
            "row_names": tuple(row_names) or _numbered(first.shape[0]),
            "column_names": tuple(column_names) or _numbered(first.shape[1]),
            "_given": (_frozen(row), None if column is None else _frozen(column)),
        }.items():
            object.__setattr__(self, name, value)

    @property
    def shape(self) -> tuple[int, int]:
        return self.row.shape[0], self.row.shape[1]

    @cached_property
    def exact(self) -> tuple[Table, Table]:
        """Both players' payoffs as fractions."""
        row, column = self._given
        first = _fractions(row)
        if column is None:
            return first, tuple(tuple(-payoff for payoff in line) for line in first)
        return first, _fractions(column)

    @cached_property
    def integers(self) -> tuple[Integers, Integers]:
        """Both players' payoffs as positive integers, which changes no equilibrium where they are exact."""
        row, column = self.exact
        return positive_integers(row), positive_integers(column)

    @cached_property
    def zero_sum(self) -> bool:
        """Whether the payoffs sum to exactly 0 everywhere."""
        if self._given[1] is None:
            return True
        row, column = self.exact
        return all(a == -b for x, y in zip(row, column, strict=True) for a, b in zip(x, y, strict=True))


@dataclass(frozen=True)
class Equilibrium:
    """A pair of mixtures with its proof: ``exploitability`` is the most either player gains by deviating."""

    row: tuple[float, ...]
    column: tuple[float, ...]
    payoffs: tuple[float, float]
    exploitability: float
    relative: float
    """Exploitability as a fraction of the range of the payoffs of the player who gains."""
    method: str
    value: float | None = None
    """Value of the game to the row player, if it is zero-sum."""


def positive_integers(payoffs: Table) -> Integers:
    """The payoffs shifted and scaled to the smallest integers in the same proportions.

    Rounded down if these would take more than :data:`BITS`.
    """
    scale = _common_denominator(payoffs)
    if scale is None:
        return _rounded(payoffs)
    whole = [[payoff.numerator * (scale // payoff.denominator) for payoff in line] for line in payoffs]
    lowest = min(map(min, whole))
    divisor = gcd(*(entry - lowest for line in whole for entry in line)) or 1
    entries = tuple(tuple((entry - lowest) // divisor + 1 for entry in line) for line in whole)
    return Integers(entries, Fraction(divisor, scale), Fraction(lowest - divisor, scale))


def _common_denominator(payoffs: Table) -> int | None:
    """The least one; ``None`` if the payoffs over it would be too long."""
    longest, scale = BITS // (len(payoffs) * len(payoffs[0])), 1
    for denominator in {payoff.denominator for line in payoffs for payoff in line}:
        scale = lcm(scale, denominator)
        if scale.bit_length() > longest:
            return None
    return scale


def _rounded(payoffs: Table) -> Integers:
    """The payoffs rounded down to multiples of a power of two below ``2**-FINENESS`` of their range."""
    span = max(map(max, payoffs)) - min(map(min, payoffs))
    if not span:
        return Integers(((1,) * len(payoffs[0]),) * len(payoffs), Fraction(1), payoffs[0][0] - 1)
    shift = FINENESS + span.denominator.bit_length() - span.numerator.bit_length()
    up, down = max(shift, 0), max(-shift, 0)
    whole = [[(p.numerator << up) // (p.denominator << down) for p in line] for line in payoffs]
    lowest = min(map(min, whole))
    unit = Fraction(1 << down, 1 << up)
    entries = tuple(tuple(entry - lowest + 1 for entry in line) for line in whole)
    return Integers(entries, unit, (lowest - 1) * unit, error=1)


def gains(game: MatrixGame, row: Sequence[float], column: Sequence[float]) -> tuple[float, float]:
    """What each player gains by a best response: ``max_i (A y)_i - x A y`` and ``max_j (x B)_j - x B y``."""
    x, y = np.asarray(row, dtype=float), np.asarray(column, dtype=float)
    first = (game.row - game.row.min()) @ y
    second = x @ (game.column - game.column.min())
    return max(0.0, float(first.max() - x @ first)), max(0.0, float(second.max() - second @ y))


def exploitability(game: MatrixGame, row: Sequence[float], column: Sequence[float]) -> float:
    """The larger of both players' gains from a best response; 0 exactly at an equilibrium.

    >>> exploitability(MatrixGame([[1, -1], [-1, 1]]), [1, 0], [0.5, 0.5])
    1.0
    """
    return max(gains(game, row, column))


def certified(
    game: MatrixGame,
    row: Sequence[float],
    column: Sequence[float],
    method: str,
    payoffs: tuple[float, float] | None = None,
) -> Equilibrium:
    """The mixtures with their exploitability and payoffs, measured in exact arithmetic and rounded once.

    A mixture stands for its probabilities divided by their sum, which rounding keeps from being exactly 1.
    Of payoffs too long for exact arithmetic the exploitability is a proved upper bound.
    """
    x, y = whole(row), whole(column)
    both = [_outcome(table, x, y) for table in game.integers]
    first = both[0].best_row - both[0].expected + game.integers[0].error
    second = both[1].best_column - both[1].expected + game.integers[1].error
    spans = [table.span for table in game.integers]
    relative = max(gain / span if span else gain for gain, span in zip((first, second), spans, strict=True))
    units = [table.unit for table in game.integers]
    if payoffs is None:
        payoffs = expected_payoffs(game, row, column)
    return Equilibrium(
        tuple(map(float, row)),
        tuple(map(float, column)),
        payoffs,
        float(max(first * units[0], second * units[1])),
        float(relative),
        method,
        payoffs[0] if game.zero_sum else None,
    )


def expected_payoffs(
    game: MatrixGame, row: Sequence[float | Fraction], column: Sequence[float | Fraction]
) -> tuple[float, float]:
    """``x A y`` and ``x B y``, rounded once at the end."""
    x, y = whole(row), whole(column)
    first, second = (
        float(table.zero + table.unit * _outcome(table, x, y).expected) for table in game.integers
    )
    return first, second


@dataclass(frozen=True)
class _Outcome:
    """Expected integer payoff of a pair of mixtures, and of the best row and column against it."""

    expected: Fraction
    best_row: Fraction
    best_column: Fraction


def _outcome(table: Integers, x: list[int], y: list[int]) -> _Outcome:
    against_y = [sum(a * q for a, q in zip(line, y, strict=True) if q) for line in table.entries]
    used = [(p, line) for p, line in zip(x, table.entries, strict=True) if p]
    against_x = [sum(p * line[j] for p, line in used) for j in range(len(y))]
    total = sum(p * v for p, v in zip(x, against_y, strict=True))
    return _Outcome(
        Fraction(total, sum(x) * sum(y)),
        Fraction(max(against_y), sum(y)),
        Fraction(max(against_x), sum(x)),
    )


def whole(mixture: Sequence[float | Fraction]) -> list[int]:
    """Integer weights in exactly the proportions of the mixture."""
    exact = [Fraction(p) for p in mixture]
    scale = lcm(*(p.denominator for p in exact))
    return [int(p * scale) for p in exact]


def solve(game: MatrixGame, tolerance: float = TOLERANCE, limit: int = LIMIT) -> Equilibrium:
    """One equilibrium whose exploitability is at most ``tolerance`` times the range of the payoffs.

    A saddle point or pure equilibrium first. Then, zero-sum: nashpy's linear programme, HiGHS, the exact
    simplex algorithm; otherwise: nashpy's vertex enumeration (few actions), Lemke-Howson paths from every
    label in floating point, then exactly. Up to 8 x 8 the exact method comes first: it is also the fastest
    (unless the payoffs are very long).
    It stops after ``limit`` operations. Raises :class:`NotConverged` with the best that was reached.
    """
    best = best_found(game, tolerance, limit)
    check_tolerance(best.relative, tolerance, best.method)
    return best


def best_found(game: MatrixGame, tolerance: float, limit: int) -> Equilibrium:
    """What :func:`solve` returns, or the best that was reached if nothing is within the tolerance."""
    best: Equilibrium | None = None
    for answer in _answers(game, limit):
        if answer.relative <= tolerance:
            return answer
        if best is None or answer.relative < best.relative:
            best = answer
    m, n = game.shape
    return best or certified(game, [1 / m] * m, [1 / n] * n, "no method ended: even mixtures")


def check_tolerance(reached: float, tolerance: float, method: str) -> None:
    """Raises :class:`NotConverged` if the exploitability reached, as a fraction of the range, is larger."""
    if reached > tolerance:
        raise NotConverged(
            f"expected an exploitability of at most {tolerance:.3g} of the payoffs' range, "
            f"got {reached:.3g} ({method})"
        )


def pure_equilibria(game: MatrixGame) -> list[tuple[int, int]]:
    """Every pair of actions that are best responses to each other, by exact comparison."""
    rounded = any(table.error for table in game.integers)
    row, column = game.exact if rounded else tuple(table.entries for table in game.integers)
    best_row = [max(line) for line in zip(*row, strict=True)]
    best_column = [max(line) for line in column]
    m, n = game.shape
    return [
        (i, j)
        for i in range(m)
        for j in range(n)
        if row[i][j] == best_row[j] and column[i][j] == best_column[i]
    ]


def _answers(game: MatrixGame, limit: int) -> Iterator[Equilibrium]:
    from fable_solve.solver import exact

    for i, j in pure_equilibria(game)[:1]:
        yield certified(game, *pure_mixtures(game, i, j), "pure")
    if max(game.shape) > SMALL or not exact.quick(game):
        yield from _candidates(game)
    for answer in exact.mixtures(game, limit):
        yield answer.rounded(game)
    yield from _candidates(game)


def _candidates(game: MatrixGame) -> Iterator[Equilibrium]:
    from fable_solve.solver.programmes import mixtures

    return (certified(game, row, column, method) for method, row, column in mixtures(game))


def pure_mixtures(game: MatrixGame, i: int, j: int) -> tuple[list[float], list[float]]:
    """Both players' mixtures that play actions i and j for sure."""
    m, n = game.shape
    return [float(k == i) for k in range(m)], [float(k == j) for k in range(n)]


def _numbered(count: int) -> tuple[str, ...]:
    return tuple(str(k + 1) for k in range(count))


def _floats(payoffs: Any, where: str) -> Matrix:
    try:
        matrix: Matrix = np.array(payoffs, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadInput("a rectangle of numbers", str(error), where=where) from None
    if matrix.ndim != 2 or matrix.size == 0:
        raise BadInput("at least one row and one column of payoffs", f"shape {matrix.shape}", where=where)
    bad = np.argwhere(~(np.abs(matrix) <= LARGEST))
    if len(bad):
        i, j = bad[0]
        raise BadInput("a finite number of size at most 1e300", matrix[i, j], where=f"{where}[{i}][{j}]")
    matrix.setflags(write=False)
    return matrix


def _frozen(payoffs: Any) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, payoffs))


def _fractions(payoffs: Any) -> Table:
    return tuple(tuple(_fraction(payoff) for payoff in line) for line in payoffs)


def _fraction(payoff: Any) -> Fraction:
    if isinstance(payoff, Fraction | int):
        return Fraction(payoff)
    return Fraction(payoff.item() if hasattr(payoff, "item") else payoff)


def _size(matrix: Matrix) -> str:
    return f"{matrix.shape[0]} x {matrix.shape[1]}"
