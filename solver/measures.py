"""What is measured of every game of a run: the first seat's share of the win, the gap in points, the length.

A measure turns a block of episodes into one number a game, so that means, paired differences and confidence
sequences are all made in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.blocks import Block
from fable_solve.solver.errors import BadInput, nearest

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """``of`` gives one number a game, ``[n]``; within ``bounds`` where they are known."""

    name: str
    unit: str
    meaning: str
    of: Callable[[Block], Vector]
    bounds: tuple[float, float] | None = None


SHARE = (0.0, 1.0)


def measures(seats: int, by_points: bool) -> dict[str, Measure]:
    """Measures of games with so many seats, by name; ``by_points`` where seats are measured by points."""
    found = [
        *(_winning(seats) if seats > 1 else ()),
        *(_scoring(seats) if by_points else ()),
        Measure("length", "decisions", "decisions of a game", lambda block: block.lengths.astype(np.float64)),
    ]
    return {measure.name: measure for measure in found}


def measure(name: str, seats: int, by_points: bool) -> Measure:
    """The measure called ``name``; raises :class:`BadInput` for one such games do not have."""
    known = measures(seats, by_points)
    if name not in known:
        listed = f"one of {', '.join(known)} (nearest: {nearest(name, known)})"
        raise BadInput(listed, repr(name), where="--metric")
    return known[name]


def _winning(seats: int) -> list[Measure]:
    return [
        Measure("first_seat", "share", "share of the win of seat 0", _share_of(0), SHARE),
        *(
            Measure(f"win.{seat}", "share", f"share of the win of seat {seat}", _share_of(seat), SHARE)
            for seat in range(seats)
        ),
        Measure("ties", "share", "games whose win is shared", _tied, SHARE),
    ]


def _scoring(seats: int) -> list[Measure]:
    mean = Measure("mean", "points", "score of a seat, averaged over the seats", _mean_score)
    if seats == 1:
        return [mean]
    return [
        mean,
        Measure(
            "gap", "points", "score of seat 0 less the mean score of the others", lambda block: lead(block, 0)
        ),
        Measure("spread", "points", "best score less the second best", _spread),
    ]


def _share_of(seat: int) -> Callable[[Block], Vector]:
    def share(block: Block) -> Vector:
        shares: Vector = block.win_shares[:, seat]
        return shares

    return share


def _tied(block: Block) -> Vector:
    tied: Vector = (block.winners.max(axis=1) > 1).astype(np.float64)
    return tied


def _mean_score(block: Block) -> Vector:
    means: Vector = block.scores.mean(axis=1)
    return means


def lead(block: Block, seat: int) -> Vector:
    """Points of a seat less the mean of the others', ``[n]``."""
    own, seats = block.scores[:, seat], block.scores.shape[1]
    leads: Vector = own - (block.scores.sum(axis=1) - own) / (seats - 1)
    return leads


def _spread(block: Block) -> Vector:
    ordered = np.sort(block.scores, axis=1)
    spreads: Vector = ordered[:, -1] - ordered[:, -2]
    return spreads
