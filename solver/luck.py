"""How much of a result is luck, and of which source: variance decomposition from paired games.

A game's result Y is a function of independent inputs: each source of chance (deal, dice, bag) and the
players' own random choices. With the other inputs U' drawn anew and those of one group u kept,

    S_u = corr(Y, Y_u),        the part of the variance that u explains alone (first order), and
    T_u = 1 - corr(Y, Y_-u),   the part that vanishes when everything but u is known (total effect),

where Y_u shares with Y the inputs u and nothing else, Y_-u everything but u. What T_u has more than S_u is
luck of u that depends on the others. Streams are keyed by source, so a pair is two runs with one key
replaced: a run A, a run B with all keys new, and for each group A with the group's key of B give all
indices. Of a result with an entry a seat (win shares, points) covariances and variances are summed over the
seats.

The correlation is estimated by the moments of both runs pooled, ::

    r = sum (y - m)(z - m) / sum ((y - m)^2 + (z - m)^2) / 2,

and its interval by the influence of each game on it, which is asymptotically normal; where some results are
rare (one side wins 99 % of games) it is kept wide enough for pairs that were not met.

Sources: Sobol', "Sensitivity estimates for nonlinear mathematical models", 1993; Jansen, "Analysis of
variance designs for model output", 1999; Janon, Klein, Lagnoux, Nodet and Prieur, "Asymptotic normality and
efficiency of two Sobol index estimators", 2014; Gamboa, Janon, Klein and Lagnoux, "Sensitivity analysis for
multidimensional and functional outputs", 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.blocks import Block
from fable_solve.solver.chance import sources
from fable_solve.solver.estimate import Z95, Interval
from fable_solve.solver.sampling import Rekeyed, sample, silent

Outputs = NDArray[np.float64]
"""``[n, seats]``."""

PLAY, CHANCE = "play", "all chance"
"""The group of the seats' own random choices, and that of all sources together."""


@dataclass(frozen=True)
class Part:
    """A part of a variance with the influence ``[n]`` of each game on it (mean 0)."""

    value: float
    influence: NDArray[np.float64]
    farthest: float = 0.0
    """What one pair of games more that agree in a result as far off as any seen would move it by."""

    def __rsub__(self, whole: float) -> Part:
        """What the part leaves of the whole."""
        return Part(whole - self.value, -self.influence, self.farthest)

    def __sub__(self, other: Part) -> Part:
        """The difference of two parts measured on the same games; what neither met moves both alike."""
        return Part(self.value - other.value, self.influence - other.influence)

    def interval(self, z: float = Z95) -> Interval:
        """The interval at ``z`` standard errors, but no narrower than ``UNSEEN`` such pairs."""
        n = len(self.influence)
        reach = max(z * float(self.influence.std(ddof=1)) / sqrt(n), UNSEEN * self.farthest)
        return Interval(self.value, self.value - reach, self.value + reach, n)


UNSEEN = 3
"""What happens in 3 of n games may have been met in none of them (with 95 %, the rule of three): results that
are rare leave games alike that are not."""
NOISE = 1e-24
"""Of the square of results that never vary, what rounding makes of their variance at most."""


def agreement(first: Outputs, second: Outputs) -> Part | None:
    """The correlation of two runs' results ``[n, seats]``; ``None`` if they do not vary at all."""
    centre = (first.mean(axis=0) + second.mean(axis=0)) / 2
    y, z = first - centre, second - centre
    spread = ((y * y + z * z) / 2).sum(axis=1)
    variance = float(spread.mean())
    if variance <= NOISE * (1 + float((centre**2).sum())):
        return None
    together = (y * z).sum(axis=1)
    value = float(together.mean()) / variance
    farthest = float(spread.max()) / variance / len(spread)
    return Part(value, (together - value * spread) / variance, farthest)


@dataclass(frozen=True)
class Effect:
    """What one group of inputs does of the variance: alone, and together with the others."""

    group: str
    alone: Interval
    in_all: Interval


def effects(first: Outputs, again: Outputs, mixed: Mapping[str, Outputs]) -> Iterator[Effect]:
    """Indices of each group; ``mixed[group]`` are the results of the first run with the group's inputs of
    the second (``again``), which has nothing in common with the first.

    Nothing for results that never vary. What a group explains alone and what all others do in all make 1,
    so the seats' own choices also say what all sources of chance do together.
    """
    for group, both in mixed.items():
        alone, kept = agreement(again, both), agreement(first, both)
        if alone and kept:
            yield Effect(group, alone.interval(), (1.0 - kept).interval())
            if group == PLAY:
                yield Effect(CHANCE, kept.interval(), (1.0 - alone).interval())


def groups(run: Rekeyed) -> dict[str, tuple[int, ...]]:
    """Places of the streams of each source of chance, and of all seats' own, by name."""
    match = run.build()
    named = sources(match.game)
    single = {name: (place,) for place, name in enumerate(named)}
    return single | {PLAY: tuple(range(len(named), len(match.keys)))}


@dataclass(frozen=True)
class Luck:
    """Effects of every group on the seats' win shares and on their points."""

    wins: tuple[Effect, ...]
    points: tuple[Effect, ...]


def luck(run: Rekeyed, games: int, jobs: int | None = None, played: Callable[[int], object] = silent) -> Luck:
    """The effects of the sources of chance and of the players' own choices, from ``games`` games a run."""

    def of(*fresh: int) -> Block:
        return sample(replace(run, fresh=fresh), range(games), jobs, played)

    places = groups(run)
    first, again = of(), of(*(place for group in places.values() for place in group))
    mixed = {name: of(*group) for name, group in places.items()}
    return Luck(
        tuple(effects(first.win_shares, again.win_shares, {name: b.win_shares for name, b in mixed.items()})),
        tuple(effects(first.scores, again.scores, {name: b.scores for name, b in mixed.items()})),
    )


def by_chance(
    run: Rekeyed, games: int, jobs: int | None = None, played: Callable[[int], object] = silent
) -> Part | None:
    """What all sources of chance together explain of the seats' results (points where there are any, else
    shares of the win): the agreement of games in which only the players' own choices are drawn anew."""
    fresh = groups(run)[PLAY]
    first, other = (sample(replace(run, fresh=own), range(games), jobs, played) for own in ((), fresh))
    if run.by_points:
        return agreement(first.scores, other.scores)
    return agreement(first.win_shares, other.win_shares)
