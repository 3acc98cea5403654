"""What a tile of each type is worth in strong play: by regression over games and by forced takes.

**Regression.** A seat's final score on the numbers of tiles of each type that it took, by least squares with
a constant. Seats of one game are not independent: errors allow for any dependence within a game (Liang and
Zeger 1986). The coefficient says what one more tile of a type goes with, not what it causes.

**Forced takes.** At one move of a game each tile in reach is taken and play goes on (:mod:`watched`). The
worth of a type there is the lead, or the share of the win, that it brings less the mean of what the tiles
of other types in reach bring: one sample a game, all of it caused by the take. Moves that can complete a pair
are looked for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fable_solve.solver.estimate import Z95, Interval, Mean, mean
from fable_solve.solver.games.butterfly.watched import PAIR, TYPES, Watched

Sample = Sequence[Watched]
Measure = Literal["lead", "win"]
"""A field of :class:`fable_solve.solver.games.butterfly.watched.Ending`."""

FEWEST = 2
"""Samples without which nothing is said."""


def regression(games: Sample) -> list[Interval]:
    """Points of a seat's final score that one more tile of each type goes with, in the order of TYPES."""
    x = np.array([game.taken for game in games], np.float64)
    y = np.array([game.scores for game in games], np.float64)
    return clustered(x, y)


def clustered(x: ArrayLike, y: ArrayLike) -> list[Interval]:
    """Coefficients of ``y[games, seats]`` on ``x[games, seats, k]`` and a constant, which is left out; their
    95 % intervals allow for dependence within a game. A column without variation has no finite interval."""
    inputs, outputs = np.asarray(x, np.float64), np.asarray(y, np.float64)
    games = len(inputs)
    full = np.concatenate([inputs, np.ones((*inputs.shape[:2], 1))], axis=2)
    flat = full.reshape(-1, full.shape[2])
    known = np.linalg.matrix_rank(flat) == flat.shape[1]
    inverse = np.linalg.pinv(flat.T @ flat)
    b = inverse @ flat.T @ outputs.ravel()
    scores = np.einsum("gsk,gs->gk", full, outputs - full @ b)
    errors = np.sqrt(np.diag(inverse @ (scores.T @ scores) @ inverse) * games / max(games - 1, 1))
    reach = Z95 * errors if known else np.full(len(b), np.inf)
    return [
        Interval(float(v), float(v - r), float(v + r), games) for v, r in zip(b[:-1], reach[:-1], strict=True)
    ]


def compared(
    games: Sample, kinds: Collection[int], others: Collection[int], measure: Measure = "lead"
) -> Mean | None:
    """How much more a tile of some types brings than one of others, over the moves where both were in reach,
    one a game; ``None`` if there were fewer than ``FEWEST``."""
    samples = []
    for game in games:
        takes = game.pairing if PAIR in kinds else game.forced
        one, other = (
            [getattr(ending, measure) for kind, ending in takes if kind in group] for group in (kinds, others)
        )
        if one and other:
            samples.append(fmean(one) - fmean(other))
    return mean(samples) if len(samples) >= FEWEST else None


def forced(games: Sample, kind: int, measure: Measure = "lead") -> Mean | None:
    """Worth of a type by forced takes, over tiles of all other types."""
    return compared(games, (kind,), [other for other in range(len(TYPES)) if other != kind], measure)


def drawing(games: Sample, measure: Measure = "lead") -> Mean | None:
    """What a draw brings at moves across an open net, one a game."""
    samples = [getattr(game.gain, measure) for game in games if game.gain is not None]
    return mean(samples) if len(samples) >= FEWEST else None
