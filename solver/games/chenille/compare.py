"""Which readings can be told apart by the games played.

The games of two readings are independent, so the difference of two win shares gets Newcombe's interval, which
joins the two Wilson intervals: with shares p, q and their intervals [l, u], [m, v] it reaches from
d - sqrt((p - l)^2 + (v - q)^2) to d + sqrt((u - p)^2 + (q - m)^2), d = p - q.

Source: Newcombe, "Interval estimation for the difference between independent proportions", 1998, method 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from statistics import NormalDist

from fable_solve.solver.estimate import Share, wilson
from fable_solve.solver.games.chenille.cells import Cell


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
        Difference(cell, cell.wins.mean - first.wins.mean, *newcombe(cell.wins, first.wins, z))
        for cell in others
    ]


def newcombe(one: Share, two: Share, z: float) -> tuple[float, float]:
    """The interval of the difference of two shares at ``z`` standard errors.

    >>> low, high = newcombe(wilson(56 / 70, 70), wilson(48 / 80, 80), 1.959963984540054)
    >>> f"{low:.4f} {high:.4f}"
    '0.0524 0.3339'
    """
    p, q = wilson(one.mean, one.n, z), wilson(two.mean, two.n, z)
    difference = one.mean - two.mean
    low = difference - hypot(one.mean - p.low, q.high - two.mean)
    return low, difference + hypot(p.high - one.mean, two.mean - q.low)
