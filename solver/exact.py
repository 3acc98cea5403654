"""Equilibria in rational numbers: the value, the optimal sets, and all extreme equilibria, without rounding.

Payoffs become positive integers by a shift and a factor, which changes no equilibrium. Then

- zero-sum: the column player solves ``max 1.q, A q <= 1, q >= 0``; the value is ``1 / 1.q`` and the mixture
  ``q / 1.q``. At the optimum the cobasic variables with a positive reduced cost are 0 in every optimal
  mixture; what is left free is the optimal set itself (the row player's comes from the game turned round).
  Its vertices are the extreme optimal mixtures, its extents the ranges of the probabilities.
- otherwise: the equilibria are the fully labelled pairs of points of the best-response polytopes
  ``{x >= 0 : B'x <= 1}`` and ``{y >= 0 : A y <= 1}`` (label i: row i is unused or a best response; label
  m + j likewise for column j); the extreme ones are the pairs of vertices, of which all others are mixtures
  (von Stengel, "Computing equilibria for two-person games", 2002).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ulp

from fable_solve.solver.errors import TooLarge
from fable_solve.solver.matrix import BITS, Equilibrium, MatrixGame, certified, expected_payoffs
from fable_solve.solver.pivoting import (
    PIVOT_COST,
    Dictionary,
    Work,
    lemke_howson,
    longest,
    maximise,
    optimal_face,
    pivot_work,
    slowness,
)
from fable_solve.solver.vertices import Ray, vertices

QUICK = 1_000_000
"""Operations of an exact method that floating point is not faster than."""

Mixture = tuple[Fraction, ...]
Range = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Mixtures:
    """An exact equilibrium: both players' probabilities, each summing to exactly 1."""

    row: Mixture
    column: Mixture
    method: str

    def rounded(self, game: MatrixGame) -> Equilibrium:
        """The equilibrium in floats, the payoffs those of the exact mixtures, with what rounding costs."""
        payoffs = expected_payoffs(game, self.row, self.column)
        row, column = list(map(nearest, self.row)), list(map(nearest, self.column))
        return certified(game, row, column, self.method, payoffs)


@dataclass(frozen=True)
class Optimum:
    """Value of a zero-sum game and both optimal sets, each as a dictionary of the scaled mixtures."""

    value: Fraction
    row: Dictionary
    column: Dictionary


def least_work(game: MatrixGame) -> int:
    """Operations that :func:`optimum` takes if it is lucky: one pivot for every second action, both times."""
    m, n = game.shape
    length = _length(game)
    return sum(2 * pivot_work(m, n, length * max(done, 1)) for done in range(min(m, n) // 2))


def _length(game: MatrixGame) -> int:
    """The length of the longest payoff as an integer, in bits."""
    return max(longest(line) for table in game.integers for line in table.entries)


def quick(game: MatrixGame) -> bool:
    """Whether exact arithmetic is possible and likely to be as fast as floating point."""
    return not _too_long(game) and least_work(game) <= QUICK


def _too_long(game: MatrixGame) -> bool:
    return any(table.error for table in game.integers)


def check_length(game: MatrixGame) -> None:
    """Raises :class:`TooLarge` if the payoffs are too long for exact arithmetic."""
    if _too_long(game):
        raise TooLarge("bits of payoffs", BITS + 1, BITS)


def optimum(game: MatrixGame, work: Work) -> Optimum:
    """Exact value and optimal sets of a zero-sum game; raises :class:`TooLarge` when ``work`` runs out."""
    check_length(game)
    work.allow(least_work(game))
    table = game.integers[0]
    top = max(map(max, table.entries)) + 1
    column, _ = _optimal_set(table.entries, work)
    turned = [[top - entry for entry in line] for line in zip(*table.entries, strict=True)]
    row, _ = _optimal_set(turned, work)
    value = table.zero + table.unit * Fraction(column.det, _total(column, game.shape[1]))
    return Optimum(value, row, column)


def _optimal_set(payoffs: Sequence[Sequence[int]], work: Work) -> tuple[Dictionary, list[int]]:
    """The column player's optimal set, and the row player's mixture up to a factor (from the duals)."""
    m, n = len(payoffs), len(payoffs[0])
    dictionary = Dictionary(payoffs, [1] * m, range(n), range(n, n + m), work)
    costs = maximise(dictionary, dict.fromkeys(range(n), 1))
    dual = dict(zip(dictionary.cobasic, costs, strict=True))
    return optimal_face(dictionary, costs), [dual.get(n + i, 0) for i in range(m)]


def _total(face: Dictionary, actions: int) -> int:
    """``det`` times the sum of the scaled mixture, the same everywhere on the optimal set."""
    values = face.values()
    return sum(values.get(action, 0) for action in range(actions))


def extreme_mixtures(face: Dictionary, actions: int, work: Work) -> list[Mixture]:
    """The vertices of an optimal set as mixtures."""
    rays = vertices(face.rows, face.constant, len(face.cobasic), work)
    return [_mixture_at(face, ray, actions) for ray in rays]


def _mixture_at(face: Dictionary, ray: Ray, actions: int) -> Mixture:
    scale, *free = ray.point
    weights = {name: face.det * entry for name, entry in zip(face.cobasic, free, strict=True)}
    for name, row, constant in zip(face.basic, face.rows, face.constant, strict=True):
        weights[name] = constant * scale - sum(a * b for a, b in zip(row, free, strict=True))
    return probabilities([weights.get(action, 0) for action in range(actions)])


def mixture(face: Dictionary, actions: int) -> Mixture:
    """The vertex of an optimal set at which its dictionary stands."""
    values = face.values()
    return probabilities([values.get(action, 0) for action in range(actions)])


def extents(face: Dictionary, actions: int, work: Work) -> list[Range]:
    """The smallest and the largest probability of each action over an optimal set; moves ``face``."""
    face.work = work
    total = Fraction(_total(face, actions), face.det)
    if not face.cobasic:
        return [(p, p) for p in mixture(face, actions)]
    return [(_extreme(face, k, -1) / total, _extreme(face, k, 1) / total) for k in range(actions)]


def _extreme(face: Dictionary, action: int, sign: int) -> Fraction:
    if action not in face.cobasic and action not in face.basic:
        return Fraction(0)
    maximise(face, {action: sign})
    return Fraction(face.values()[action], face.det)


def extreme_pairs(game: MatrixGame, work: Work) -> list[Mixtures]:
    """All extreme equilibria of a game that need not be zero-sum, by labelled pairs of vertices.

    Raises :class:`TooLarge` when ``work`` runs out.
    """
    check_length(game)
    m, n = game.shape
    row, column = (table.entries for table in game.integers)
    first = vertices(list(zip(*column, strict=True)), [1] * n, m, work)
    second = vertices(row, [1] * m, n, work)
    work.spend(len(first) * len(second))
    everything = (1 << (m + n)) - 1
    labelled = [(_column_labels(ray.tight, m, n), ray) for ray in second]
    pairs = [
        (x.point[1:], y.point[1:])
        for x in first
        if any(x.point[1:])
        for labels, y in labelled
        if labels | x.tight >> 1 == everything
    ]
    spend_on_listing(game, [probabilities(x) for x, _ in pairs[:1]], len(pairs), work)
    return [Mixtures(probabilities(x), probabilities(y), "exact vertex enumeration") for x, y in pairs]


def spend_on_listing(game: MatrixGame, mixtures: Sequence[Mixture], pairs: int, work: Work) -> None:
    """Count what it takes to round and certify ``pairs`` equilibria of numbers as long as in ``mixtures``."""
    m, n = game.shape
    bits = max(longest(p.denominator for p in mixture) for mixture in mixtures)
    work.spend(PIVOT_COST * m * n * pairs * slowness(max(bits, _length(game))))


def _column_labels(tight: int, m: int, n: int) -> int:
    """Labels of a vertex of ``{y >= 0 : A y <= 1}``, whose own variables come first in ``tight``."""
    tight >>= 1
    return (tight >> n) | ((tight & ((1 << n) - 1)) << m)


def lemke_howson_mixtures(game: MatrixGame, label: int, work: Work) -> Mixtures:
    """The equilibrium at the end of one Lemke-Howson path; :class:`TooLarge` when ``work`` runs out."""
    row, column = (table.entries for table in game.integers)
    x, y = lemke_howson(row, column, label, work)
    return Mixtures(probabilities(x), probabilities(y), f"exact Lemke-Howson path {label + 1}")


def mixtures(game: MatrixGame, limit: int) -> Iterator[Mixtures]:
    """Exact equilibria by pivoting, as many as ``limit`` operations allow."""
    work = Work(limit)
    try:
        check_length(game)
        if game.zero_sum:
            work.allow(least_work(game))
            yield simplex_mixtures(game, work)
        else:
            yield from (lemke_howson_mixtures(game, label, work) for label in range(sum(game.shape)))
    except TooLarge:
        return


def simplex_mixtures(game: MatrixGame, work: Work) -> Mixtures:
    """Exact optimal mixtures of a zero-sum game, both from one run of the simplex algorithm."""
    face, dual = _optimal_set(game.integers[0].entries, work)
    return Mixtures(probabilities(dual), mixture(face, game.shape[1]), "exact simplex")


def nearest(probability: Fraction) -> float:
    """The probability as a float; the smallest float, and not 0, if it is smaller than that."""
    return float(probability) or (ulp(0.0) if probability else 0.0)


def probabilities(weights: Sequence[int]) -> Mixture:
    """Weights divided by their sum."""
    total = sum(weights)
    return tuple(Fraction(weight, total) for weight in weights)
