"""Means with their errors, quantiles and shares of independent samples.

A normal 95 % interval is used for means: its coverage needs samples in the hundreds, not a normal
distribution. A share of wins is the mean of values in [0, 1] (a win shared by k seats counts 1/k). Wilson's
score interval on that mean, with the number of games as sample size, is conservative: no variable on [0, 1]
with mean p has a larger variance than the p (1 - p) of wins and losses alone.

Both hold for a number of samples that was fixed beforehand; those for a run that may stop whenever it likes
are in :mod:`fable_solve.solver.sequences`.

Sources: Wilson, "Probable inference, the law of succession, and statistical inference", 1927; Hyndman and
Fan, "Sample quantiles in statistical packages", 1996.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fable_solve.solver.errors import BadInput
from fable_solve.solver.result import Certificate

Z95 = 1.959963984540054
"""The 0.975 quantile of the standard normal distribution."""

LEVELS = (5, 25, 50, 75, 95)


@dataclass(frozen=True)
class Mean:
    """A sample mean: ``sd`` divides by n - 1, ``se = sd / sqrt(n)``; both are nan for one sample."""

    mean: float
    sd: float
    n: int

    @property
    def se(self) -> float:
        return self.sd / sqrt(self.n)

    @property
    def half_width(self) -> float:
        """Half the width of the normal 95 % interval."""
        return Z95 * self.se

    @property
    def certificate(self) -> Certificate:
        """The interval; where all samples are equal it has no width, and a note says what that means."""
        note = "all samples equal: nothing is said of cases rarer than about 3 in n" if self.sd == 0 else ""
        return Certificate.sampled(self.mean - self.half_width, self.mean + self.half_width, self.n, note)


@dataclass(frozen=True)
class Interval:
    """An estimate from ``n`` samples with its 95 % interval, which may be endless on either side."""

    value: float
    low: float
    high: float
    n: int

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    @property
    def certificate(self) -> Certificate:
        return Certificate.sampled(self.low, self.high, self.n)


class Share(Interval):
    """A mean of values in [0, 1] with an interval inside [0, 1]."""

    @property
    def mean(self) -> float:
        return self.value


def mean(samples: ArrayLike) -> Mean:
    """Mean and errors of samples ``[n]``, n >= 1.

    >>> mean([1.0, 2.0, 3.0])
    Mean(mean=2.0, sd=1.0, n=3)
    """
    values = _samples(samples)
    sd = float(values.std(ddof=1)) if values.size > 1 else nan
    return Mean(float(values.mean()), sd, values.size)


def share(samples: ArrayLike) -> Share:
    """Mean of samples ``[n]`` in [0, 1] with Wilson's interval."""
    values = _samples(samples)
    check_shares(float(values.min()), float(values.max()))
    return wilson(float(values.mean()), values.size)


def check_shares(least: float, largest: float) -> None:
    """Raises :class:`BadInput` unless the least and the largest of some samples are shares."""
    if least < 0.0 or largest > 1.0:
        raise BadInput("shares from 0 to 1", f"{least:g} to {largest:g}")


def wilson(p: float, n: int, z: float = Z95) -> Share:
    """Wilson's interval at ``z`` standard errors for a share ``p`` of ``n``.

    The ends solve ``|p - x| = z sqrt(x (1 - x) / n)`` for x::

        (p + z^2/2n -+ z sqrt(p (1 - p) / n + z^2/4n^2)) / (1 + z^2/n)
    """
    centre, reach = p + z * z / (2 * n), z * sqrt(max(p * (1 - p), 0.0) / n + (z / (2 * n)) ** 2)
    scale = 1 + z * z / n
    low = 0.0 if p == 0 else max(0.0, (centre - reach) / scale)
    return Share(p, low, 1.0 if p == 1 else min(1.0, (centre + reach) / scale), n)


def quantiles(samples: ArrayLike, levels: Sequence[int] = LEVELS) -> dict[int, float]:
    """For each level p the smallest sample that at least p % of the samples do not exceed.

    >>> quantiles([1, 2, 3, 4], (25, 50, 51))
    {25: 1.0, 50: 2.0, 51: 3.0}
    """
    values: NDArray[Any] = np.sort(_samples(samples))
    places = [max(0, -(-level * values.size // 100) - 1) for level in levels]
    return {level: float(values[place]) for level, place in zip(levels, places, strict=True)}


def _samples(samples: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(samples, dtype=np.float64)
    if values.ndim != 1 or not values.size:
        raise BadInput("at least one sample in one dimension", f"shape {values.shape}")
    return values
