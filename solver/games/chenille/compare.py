"""Which readings can be told apart by the games played.

The games of two readings meet the same luck, so the difference of two win shares gets Newcombe's interval for
paired proportions, which joins the two Wilson intervals: with shares p, q, their intervals [l, u], [m, v] and
the correlation r of their games it reaches from d - s(p - l, v - q) to d + s(u - p, q - m), where d = p - q
and s(a, b)^2 = a^2 - 2 r a b + b^2.

Source: Newcombe, "Improved confidence intervals for the difference between binomial proportions based on
paired data", 1998, method 10 (with r = 0 that of independent proportions).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

from fable_solve.solver.estimate import Share, wilson
from fable_solve.solver.games.chenille.cells import Cell
from fable_solve.solver.games.chenille.play import CHENILLES


@dataclass(frozen=True)
class Difference:
    """How much more often the Chenilles win under the reading of ``cell`` than under the first, by policy."""

    cell: Cell
    value: float
    low: float
    high: float

    @property
    def apart(self) -> str:
        """``more`` or ``less`` often if the interval excludes 0, else ``open``."""
        return "more" if self.low > 0 else "less" if self.high < 0 else "open"


def differences(cells: Sequence[Cell]) -> list[Difference]:
    """Every cell after the first against the first, all by one pair of policies.

    The intervals hold together with probability 95 % at least (Bonferroni: each at 1 - 5 % / their number).
    """
    first, others = cells[0], cells[1:]
    z = NormalDist().inv_cdf(1 - 0.025 / max(len(others), 1))
    return [
        Difference(
            cell,
            cell.wins.mean - first.wins.mean,
            *newcombe(cell.wins, first.wins, z, correlation(cell, first)),
        )
        for cell in others
    ]


def correlation(one: Cell, two: Cell) -> float:
    """Correlation of the Chenilles' wins in the same games under two readings; 0 if either has no spread."""
    samples = [cell.side(CHENILLES)["win_share"].to_numpy() for cell in (one, two)]
    if any(sample.min() == sample.max() for sample in samples):
        return 0.0
    return float(np.corrcoef(samples)[0, 1])


def newcombe(one: Share, two: Share, z: float, r: float = 0.0) -> tuple[float, float]:
    """The interval of the difference of two shares at ``z`` standard errors; ``r`` is their correlation.

    >>> low, high = newcombe(wilson(56 / 70, 70), wilson(48 / 80, 80), 1.959963984540054)
    >>> f"{low:.4f} {high:.4f}"
    '0.0524 0.3339'
    """
    p, q = wilson(one.mean, one.n, z), wilson(two.mean, two.n, z)
    difference = one.mean - two.mean
    low = difference - _joined(one.mean - p.low, q.high - two.mean, r)
    return low, difference + _joined(p.high - one.mean, two.mean - q.low, r)


def _joined(a: float, b: float, r: float) -> float:
    return sqrt(max(0.0, a * a - 2 * r * a * b + b * b))
