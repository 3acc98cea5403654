"""Small games of several players in normal form: gains, epsilon, and one certified Nash equilibrium.

A profile holds one mixture a player. ``epsilon`` is the most any player gains by deviating alone; a profile
is an equilibrium when it is 0. Equilibria of three and more players can be irrational, so they are found in
floating point; what is proved of an answer is its epsilon, and above the tolerance it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.errors import BadInput, NotConverged, TooLarge

Vector = NDArray[np.float64]
Profile = tuple[Vector, ...]

TOLERANCE = 1e-6
"""Default largest epsilon, as a fraction of the widest range of one player's payoffs."""

MAX_PLAYERS = 4
MAX_ACTIONS = 4

POLISHED = 1e-12
"""Relative epsilon at which no further improvement is tried."""

NEWTON_STEPS = 30


@dataclass(frozen=True, eq=False, init=False)
class NormalForm:
    """``payoffs[i][a_1]...[a_n]`` is what player i gets when the players take the actions a_1, ..., a_n.

    Shape [n, m_1, ..., m_n]. Raises :class:`BadInput` for any other shape and for numbers not finite.
    """

    payoffs: Vector

    def __init__(self, payoffs: Any) -> None:
        try:
            array: Vector = np.array(payoffs, dtype=float)
        except (TypeError, ValueError) as error:
            raise BadInput("numbers in a box", str(error), where="payoffs") from None
        if array.ndim < 2 or array.size == 0 or array.shape[0] != array.ndim - 1:
            raise BadInput("shape [n, m_1, ..., m_n]", list(array.shape), where="payoffs")
        if not np.isfinite(array).all():
            raise BadInput("finite payoffs", "nan or inf", where="payoffs")
        array.setflags(write=False)
        object.__setattr__(self, "payoffs", array)

    @property
    def players(self) -> int:
        return len(self.payoffs)

    @property
    def actions(self) -> tuple[int, ...]:
        """Number of actions of each player."""
        return self.payoffs.shape[1:]

    @property
    def span(self) -> float:
        """The widest range of one player's payoffs; 1 if every player's are all equal."""
        axes = tuple(range(1, self.payoffs.ndim))
        return float((self.payoffs.max(axis=axes) - self.payoffs.min(axis=axes)).max()) or 1.0


@dataclass(frozen=True)
class ProfileAnswer:
    """A profile with its expected payoffs and its proof, ``epsilon``, in payoff units."""

    profile: tuple[tuple[float, ...], ...]
    payoffs: tuple[float, ...]
    epsilon: float
    method: str


def deviation(form: NormalForm, profile: Sequence[Any], player: int) -> Vector:
    """Expected payoff of each action of ``player`` against the others' mixtures, [m_player]."""
    return _against(form.payoffs[player], profile, (player,))


def deviation_pair(form: NormalForm, profile: Sequence[Any], player: int, other: int) -> Vector:
    """Expected payoff of ``player`` for each pair of actions of the two, [m_player, m_other]."""
    table = _against(form.payoffs[player], profile, (player, other))
    return table if player < other else table.T


def _against(table: Vector, profile: Sequence[Any], kept: tuple[int, ...]) -> Vector:
    for seat in reversed(range(len(profile))):
        if seat not in kept:
            table = np.tensordot(table, np.asarray(profile[seat], dtype=float), axes=([seat], [0]))
    return table


def expected_payoffs(form: NormalForm, profile: Sequence[Any]) -> Vector:
    """Expected payoff of each player, [n]."""
    return np.array([deviation(form, profile, i) @ np.asarray(profile[i]) for i in range(form.players)])


def gains(form: NormalForm, profile: Sequence[Any]) -> Vector:
    """The most each player gains by deviating alone, [n].

    >>> gains(NormalForm([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]]), [[1, 0], [0.5, 0.5]]).tolist()
    [0.0, 1.0]
    """
    lowest = form.payoffs.min(axis=tuple(range(1, form.payoffs.ndim)))
    shifted = NormalForm(form.payoffs - lowest.reshape(-1, *([1] * form.players)))
    best = [deviation(shifted, profile, i).max() for i in range(form.players)]
    return np.maximum(0.0, np.array(best) - expected_payoffs(shifted, profile))


def epsilon(form: NormalForm, profile: Sequence[Any]) -> float:
    """The most any player gains by deviating alone; 0 exactly at a Nash equilibrium."""
    return float(gains(form, profile).max())


def solve(form: NormalForm, tolerance: float = TOLERANCE) -> ProfileAnswer:
    """A Nash equilibrium of up to 4 players with up to 4 actions each.

    A pure equilibrium if there is one; else a path of logit equilibria is followed from several priors, and
    wherever it leads Newton's method solves for the equilibrium on the actions still in use. Raises
    :class:`NotConverged` with the best epsilon when none is at most ``tolerance`` times the payoffs' range,
    :class:`TooLarge` for larger games.
    """
    if form.players > MAX_PLAYERS:
        raise TooLarge("players", form.players, MAX_PLAYERS)
    if max(form.actions) > MAX_ACTIONS:
        raise TooLarge("actions of a player", max(form.actions), MAX_ACTIONS)
    best: ProfileAnswer | None = None
    for method, profile in _candidates(form):
        answer = certified(form, profile, method)
        if best is None or answer.epsilon < best.epsilon:
            best = answer
        if best.epsilon <= POLISHED * form.span:
            break
    if best is None or not best.epsilon <= tolerance * form.span:
        reached = "none" if best is None else f"{best.epsilon:.3g} ({best.method})"
        raise NotConverged(f"expected an epsilon of at most {tolerance * form.span:.3g}, got {reached}")
    return best


def certified(form: NormalForm, profile: Sequence[Any], method: str) -> ProfileAnswer:
    """The profile, made of probabilities that sum to 1, with its measured epsilon."""
    mixtures = [np.maximum(np.asarray(mixture, dtype=float), 0.0) for mixture in profile]
    mixtures = [mixture / mixture.sum() for mixture in mixtures]
    payoffs = tuple(map(float, expected_payoffs(form, mixtures)))
    return ProfileAnswer(
        tuple(tuple(map(float, mixture)) for mixture in mixtures), payoffs, epsilon(form, mixtures), method
    )


def pure_equilibria(form: NormalForm) -> list[tuple[int, ...]]:
    """Every profile of actions from which nobody gains by deviating alone."""
    stable = np.ones(form.actions, dtype=bool)
    for i, table in enumerate(form.payoffs):
        stable &= table == table.max(axis=i, keepdims=True)
    return [tuple(map(int, cell)) for cell in np.argwhere(stable)]


def _candidates(form: NormalForm) -> Iterator[tuple[str, Profile]]:
    from fable_solve.solver.logit import profiles

    for cell in pure_equilibria(form)[:1]:
        yield "pure", tuple(np.eye(m)[a] for m, a in zip(form.actions, cell, strict=True))
    unit = NormalForm(form.payoffs / form.span)
    for profile in profiles(unit):
        for supports in _supports(profile):
            solution = equalise(unit, profile, supports)
            if solution is not None:
                yield "logit path and Newton's method", solution
        yield "logit path", profile


def _supports(profile: Profile) -> Iterator[tuple[NDArray[np.intp], ...]]:
    """Sets of actions that may be the ones in use: those above ever smaller probabilities."""
    seen = set()
    for threshold in (0.1, 0.03, 0.01, 1e-3, 1e-5, 1e-8):
        used = tuple(np.flatnonzero(mixture >= min(threshold, mixture.max())) for mixture in profile)
        key = tuple(map(tuple, used))
        if key not in seen:
            seen.add(key)
            yield used


def equalise(form: NormalForm, start: Profile, supports: tuple[NDArray[np.intp], ...]) -> Profile | None:
    """Mixtures on ``supports`` that make every player indifferent over its support, by Newton's method.

    Unknowns: the probabilities on the supports and each player's payoff; least squares where the equations
    leave freedom. ``None`` if a probability comes out negative or the steps do not settle.
    """
    profile = [
        np.where(np.isin(np.arange(len(x)), used), x, 0.0) for x, used in zip(start, supports, strict=True)
    ]
    profile = [x / x.sum() for x in profile]
    levels = expected_payoffs(form, profile)
    for _ in range(NEWTON_STEPS):
        residual, jacobian = _indifference(form, profile, supports, levels)
        step = np.linalg.lstsq(jacobian, -residual, rcond=1e-12)[0]
        at = 0
        for i, used in enumerate(supports):
            profile[i] = profile[i].copy()
            profile[i][used] += step[at : at + len(used)]
            at += len(used)
        levels = levels + step[at:]
        if not np.abs(np.concatenate(profile)).max() < 1e3:
            return None
        if np.abs(step).max() < 1e-15:
            break
    if min(x.min() for x in profile) < -1e-9:
        return None
    return tuple(profile)


def _indifference(
    form: NormalForm, profile: Sequence[Vector], supports: tuple[NDArray[np.intp], ...], levels: Vector
) -> tuple[Vector, Vector]:
    """Residuals and Jacobian: payoff of each used action minus the level, sum of each mixture minus 1."""
    starts = np.cumsum([0, *map(len, supports)])
    size = int(starts[-1])
    n = form.players
    residual, jacobian = np.zeros(size + n), np.zeros((size + n, size + n))
    for i, used in enumerate(supports):
        rows = slice(starts[i], starts[i + 1])
        residual[rows] = deviation(form, profile, i)[used] - levels[i]
        residual[size + i] = profile[i].sum() - 1.0
        jacobian[rows, size + i] = -1.0
        jacobian[size + i, rows] = 1.0
    for i, j in product(range(n), repeat=2):
        if i != j:
            block = deviation_pair(form, profile, i, j)[np.ix_(supports[i], supports[j])]
            jacobian[starts[i] : starts[i + 1], starts[j] : starts[j + 1]] = block
    return residual, jacobian
