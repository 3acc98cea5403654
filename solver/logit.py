"""Paths of logit equilibria of a game of several players, followed towards a Nash equilibrium.

At precision ``l`` every player mixes with ``x_ia`` proportional to ``prior_ia exp(l u_ia(x))``. At l = 0 that
is the prior; the solutions form a curve along which l goes to infinity and x to a Nash equilibrium. The curve
is followed in (log x, l) by its arc length, so that it may turn back in l.

Source: McKelvey and Palfrey, "Quantal response equilibria for normal form games", 1995; the continuation in
logarithms follows Turocy, "A dynamic homotopy interpretation of the logistic quantal response equilibrium
correspondence", 2005.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from fable_solve.solver.nplayer import NormalForm, Profile, Vector, deviation, deviation_pair
from fable_solve.solver.rng import Stream, stream_key

PRIORS = 12
"""Starting points tried, the even mixture first."""

MAX_STEPS = 1500
"""Steps along one path."""

MAX_PRECISION = 1e5
"""Precision at which a path ends, for payoffs whose widest range is 1."""


def profiles(form: NormalForm) -> Iterator[Profile]:
    """Profiles along the paths, at precisions that double from 2; later paths start at random priors."""
    for number in range(PRIORS):
        stream = Stream(stream_key(number, "logit prior"))
        spread = min(number, 3)
        prior = [np.array([spread * stream.uniform() for _ in range(m)]) for m in form.actions]
        yield from _path(form, prior)


def _path(form: NormalForm, prior: Sequence[Vector]) -> Iterator[Profile]:
    point = np.concatenate([*(np.log(_softmax(weights)) for weights in prior), [0.0]])
    direction = np.append(np.zeros(len(point) - 1), 1.0)
    length, checkpoint = 0.05, 2.0
    for _ in range(MAX_STEPS):
        direction = _tangent(_jacobian(form, point), direction)
        moved = _correct(form, prior, point + length * direction, direction)
        if moved is None or np.abs(moved - point).max() > 2 * length:
            length /= 2
            if length < 1e-9:
                break
            continue
        point, length = moved, min(1.5 * length, 0.1 * max(10.0, abs(point[-1])))
        if point[-1] >= checkpoint:
            checkpoint = 2 * point[-1]
            yield _profile(form, point)
        if point[-1] > MAX_PRECISION:
            break
    yield _profile(form, point)


def _softmax(weights: Vector) -> Vector:
    shifted = np.exp(weights - weights.max())
    mixture: Vector = shifted / shifted.sum()
    return mixture


def _profile(form: NormalForm, point: Vector) -> Profile:
    """The mixtures at a point of the path, made to sum to 1."""
    return tuple(_softmax(part) for part in _split(form, point))


def _split(form: NormalForm, point: Vector) -> list[Vector]:
    return np.split(point[:-1], np.cumsum(form.actions)[:-1])


def _equations(form: NormalForm, prior: Sequence[Vector], point: Vector) -> Vector:
    """For each player: log-odds against its first action, and the sum of its probabilities minus 1."""
    logs, precision = _split(form, point), point[-1]
    mixtures = [np.exp(part) for part in logs]
    parts = []
    for i, part in enumerate(logs):
        score = part - prior[i] - precision * deviation(form, mixtures, i)
        parts.append(np.append(score[1:] - score[0], mixtures[i].sum() - 1.0))
    return np.concatenate(parts)


def _jacobian(form: NormalForm, point: Vector) -> Vector:
    """Derivatives of the equations by (log x, precision), [N, N + 1]."""
    logs, precision = _split(form, point), point[-1]
    mixtures = [np.exp(part) for part in logs]
    starts = np.cumsum([0, *form.actions])
    table = np.zeros((len(point) - 1, len(point)))
    for i, m in enumerate(form.actions):
        rows, own = slice(starts[i], starts[i + 1] - 1), slice(starts[i], starts[i + 1])
        table[rows, own] = np.c_[-np.ones(m - 1), np.eye(m - 1)]
        table[starts[i + 1] - 1, own] = mixtures[i]
        payoffs = deviation(form, mixtures, i)
        table[rows, -1] = payoffs[0] - payoffs[1:]
        for j in range(form.players):
            if j != i:
                pair = deviation_pair(form, mixtures, i, j) * mixtures[j]
                table[rows, starts[j] : starts[j + 1]] = precision * (pair[0] - pair[1:])
    return table


def _tangent(jacobian: Vector, previous: Vector) -> Vector:
    """The unit vector along the curve that goes on in the ``previous`` direction."""
    vector: Vector = np.linalg.svd(jacobian)[2][-1]
    return vector if vector @ previous >= 0 else -vector


def _correct(form: NormalForm, prior: Sequence[Vector], point: Vector, direction: Vector) -> Vector | None:
    """The point of the curve near ``point``, by Newton's method across ``direction``."""
    for _ in range(8):
        if not np.abs(point[:-1]).max() < 1e6 or point[:-1].max() > 2.0:
            return None
        residual = _equations(form, prior, point)
        if np.abs(residual).max() < 1e-10 * max(1.0, abs(point[-1])):
            return point
        system = np.vstack([_jacobian(form, point), direction])
        point = point - np.linalg.lstsq(system, np.append(residual, 0.0), rcond=None)[0]
    return None
