"""One number a player: ratings from who finished ahead of whom, for games of two or more.

Under Plackett and Luce's model the winner is i with probability w_i / sum w, the second is drawn likewise
from the others, and so on; then i is ahead of j with probability w_i / (w_i + w_j), whoever else plays. So
all pairs of a game together estimate the weights consistently by Bradley and Terry's likelihood of the pairs
(full breaking), which needs only counts; a tie is half a game each way. The maximum is found by choix, with
one tied game added to each pair that met, which keeps the weight of one that never lost finite.

A rating is ``400 log10 w``, as Elo's, with mean 0: 400 points more are 10 to 1. The pairs of one game depend
on each other, so the interval is a jackknife's over batches of games, by Student's distribution.

What a model of one number cannot say is said by the counts: ``misfit`` is how far the model is from what was
seen, and :func:`cycles` finds the triples of which each beats the next, where no rating is right.

Sources: Bradley and Terry, "Rank analysis of incomplete block designs", 1952; Luce, "Individual choice
behavior", 1959; Plackett, "The analysis of permutations", 1975; Azari Soufiani, Chen, Parkes and Xia,
"Generalized method-of-moments for rank aggregation", 2013 (full breaking); Maystre and Grossglauser, "Fast
and accurate inference of Plackett-Luce models", 2015 (choix).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.estimate import Interval

Counts = NDArray[np.float64]
"""``[k, k]``: games in which i was ahead of j, a tie half."""

ELO = 400 / np.log(10)


def ahead(ranks: NDArray[np.int8], items: Sequence[int], count: int) -> Counts:
    """Counts of ``count`` items from the ranks ``[n, seats]`` of games with ``items[seat]`` at the seats.

    >>> ahead(np.array([[1, 2, 2]], np.int8), (0, 1, 0), 2).tolist()
    [[0.0, 1.5], [0.5, 0.0]]
    """
    counts = np.zeros((count, count))
    for seat, other in permutations(range(len(items)), 2):
        if items[seat] != items[other]:
            better, same = ranks[:, seat] < ranks[:, other], ranks[:, seat] == ranks[:, other]
            counts[items[seat], items[other]] += better.sum() + same.sum() / 2
    return counts


def rate(counts: Counts) -> NDArray[np.float64]:
    """Ratings ``[k]`` with mean 0; items that never met anybody else are not told apart."""
    from choix import ilsr_pairwise_dense

    met = counts + counts.T > 0
    weights = ilsr_pairwise_dense(counts + met / 2, max_iter=10_000)
    rated: NDArray[np.float64] = ELO * (weights - weights.mean())
    return rated


@dataclass(frozen=True)
class Rating:
    """Ratings with their 95 % intervals, and ``misfit[i, j]``: how much more often i was ahead of j than the
    model says (nan where they never met)."""

    values: tuple[Interval, ...]
    misfit: NDArray[np.float64]


def ratings(batches: NDArray[np.float64], games: int) -> Rating:
    """Ratings of the counts ``[batches, k, k]`` summed, their errors by leaving out a batch at a time of the
    ``games`` (of several players each counts for every pair of them)."""
    from scipy.special import stdtrit

    number, counts = len(batches), batches.sum(axis=0)
    rated, variances = rate(counts), jackknife([rate(counts - batch) for batch in batches])
    reach = stdtrit(number - 1, 0.975) * np.sqrt(variances)
    values = [
        Interval(float(r), float(r - e), float(r + e), games) for r, e in zip(rated, reach, strict=True)
    ]
    return Rating(tuple(values), shares(counts) - predicted(rated))


def jackknife(without: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Variances of an estimate that takes these values when each batch in turn is left out.

    >>> float(jackknife([np.array(3.0), np.array(2.0), np.array(1.0)]))  # mean of the batches 0, 2, 4
    1.3333333333333333
    """
    values = np.array(without)
    number = len(values)
    variances: NDArray[np.float64] = (number - 1) / number * ((values - values.mean(axis=0)) ** 2).sum(axis=0)
    return variances


def shares(counts: Counts) -> NDArray[np.float64]:
    """How often i was ahead of j, of the games in which they met; nan where they never did."""
    met = counts + counts.T
    found: NDArray[np.float64] = np.divide(counts, met, out=np.full(counts.shape, np.nan), where=met > 0)
    return found


def predicted(rated: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often i is ahead of j by their ratings ``[k]``."""
    found: NDArray[np.float64] = 1 / (1 + 10 ** ((rated - rated[:, None]) / 400))
    return found


def cycles(beats: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Triples i, j, k with ``beats`` i over j, j over k and k over i; each once, the smallest first.

    >>> cycles(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], bool))
    [(0, 1, 2)]
    """
    triples = permutations(range(len(beats)), 3)
    return [(i, j, k) for i, j, k in triples if i < min(j, k) and beats[i, j] and beats[j, k] and beats[k, i]]
