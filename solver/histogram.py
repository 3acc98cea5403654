"""Samples as counts: how often each value came.

A histogram loses nothing that a mean, a spread or a quantile needs, takes memory by distinct values and not
by samples, and adds up exactly in any order: the blocks of a run may finish as they like. Values are integers
or fractions (a floating-point number is the fraction that it is), sums are exact, and rounding happens once,
in the last division.

The interval of a quantile is made of two order statistics and asks nothing of the distribution. Of n samples
the number that do not exceed the p-quantile q is binomial with a probability of at least p, and the number
below q one with a probability of at most p. So P(X_(l) > q) <= P(Bin(n, p) < l) and P(X_(u) < q) <=
P(Bin(n, p) >= u): ranks l and u with both tails at most 2.5 % enclose q with at least 95 %.

Source: David and Nagaraja, "Order Statistics", 3rd edition, 2003, section 7.1.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import inf, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import LEVELS, Interval, Mean, Share, check_shares, wilson

Ranks = Callable[[int, float], tuple[int, int]]
"""``(n, p) -> (l, u)``: ranks, from 1, of the samples that enclose the p-quantile; 0 and n + 1 are none."""

TAIL = 0.025
"""What either end of an interval may miss."""

SPAN = 1 << 16
"""Integers within such a span are counted by index, others by sorting."""


@dataclass(frozen=True)
class Histogram:
    """``counts``: value (int, float or Fraction) -> how often it came.

    Histograms of one run's blocks are added. Two are equal if all their counts are.

    >>> blocks = Histogram.of([3, 1, 3]) + Histogram.of([1.0, 0.5])
    >>> blocks.counts
    {1: 2, 3: 2, Fraction(1, 2): 1}
    >>> blocks.estimate().mean
    1.7
    """

    counts: Mapping[Any, int] = field(default_factory=dict)

    @classmethod
    def of(cls, samples: ArrayLike) -> Histogram:
        """The counts of finite samples ``[n]``."""
        values = np.asarray(samples)
        if values.ndim != 1 or not np.isfinite(values).all():
            raise BadInput("finite samples in one dimension", f"shape {values.shape}")
        if not values.size:
            return cls()
        low, high = values.min(), values.max()
        if high - low < SPAN and abs(low) < 2**53 and ((whole := values.astype(np.int64)) == values).all():
            counts = np.bincount(whole - int(low))
            came = np.flatnonzero(counts)
            return cls(dict(zip((came + int(low)).tolist(), counts[came].tolist(), strict=True)))
        distinct, counts = np.unique(values, return_counts=True)
        return cls(dict(zip(map(_exact, distinct.tolist()), counts.tolist(), strict=True)))

    @classmethod
    def parse(cls, document: Mapping[str, int]) -> Histogram:
        """The histogram that :meth:`document` writes."""
        return cls({_exact(Fraction(value)): count for value, count in document.items()})

    def document(self) -> dict[str, int]:
        """Values as text, ascending, with their counts; fractions as ``1/3``."""
        return {str(_exact(value)): self.counts[value] for value in self._values}

    def __add__(self, other: Histogram) -> Histogram:
        counts = dict(self.counts)
        for value, count in other.counts.items():
            counts[value] = counts.get(value, 0) + count
        return Histogram(counts)

    def map(self, function: Callable[[Any], Any]) -> Histogram:
        """The histogram of ``function`` of the samples.

        >>> Histogram.of([0, 2, 2, 1]).map(lambda winners: Fraction(1, winners) if winners else 0).document()
        {'0': 1, '1/2': 2, '1': 1}
        """
        counts: dict[Any, int] = {}
        for value, count in self.counts.items():
            image = function(value)
            counts[image] = counts.get(image, 0) + count
        return Histogram(counts)

    @property
    def n(self) -> int:
        return sum(self.counts.values())

    def estimate(self) -> Mean:
        """Mean and errors, correctly rounded; raises :class:`BadInput` if there are no samples.

        The variance is ``(n sum x^2 - (sum x)^2) / (n (n - 1))``, which would cancel if it were not exact.
        """
        n = self._checked()
        counts = [(_exact(value), count) for value, count in self.counts.items()]
        total = sum(value * count for value, count in counts)
        squares = sum(value * value * count for value, count in counts)
        variance = float(Fraction(n * squares - total * total) / (n * (n - 1))) if n > 1 else nan
        return Mean(float(Fraction(total) / n), sqrt(variance), n)

    def share(self) -> Share:
        """Mean of samples in [0, 1] with Wilson's interval."""
        found = self.estimate()
        check_shares(float(self._values[0]), float(self._values[-1]))
        return wilson(found.mean, found.n)

    def quantiles(self, levels: Sequence[int] = LEVELS) -> dict[int, float]:
        """For each level p the smallest sample that at least p % of the samples do not exceed.

        >>> Histogram.of([1, 2, 3, 4]).quantiles((25, 50, 51))
        {25: 1.0, 50: 2.0, 51: 3.0}
        """
        n = self._checked()
        return {level: self.at(max(1, -(-level * n // 100))) for level in levels}

    def quantile_intervals(
        self, levels: Sequence[int] = LEVELS, ranks: Ranks | None = None
    ) -> dict[int, Interval]:
        """Each quantile with the samples whose ``ranks`` enclose it (default: :func:`binomial_ranks`, for a
        number of samples that was fixed beforehand)."""
        enclose, n, found = ranks or binomial_ranks, self.n, self.quantiles(levels)
        ends = {level: enclose(n, level / 100) for level in levels}
        return {p: Interval(found[p], self.at(low), self.at(high), n) for p, (low, high) in ends.items()}

    def at(self, rank: int) -> float:
        """The sample of a rank, from 1 (the smallest) to n; endless outside."""
        if rank < 1:
            return -inf
        place = bisect_left(self._up_to, rank)
        return float(self._values[place]) if place < len(self._values) else inf

    def _checked(self) -> int:
        n = self.n
        if not n:
            raise BadInput("at least one sample", "none")
        return n

    @cached_property
    def _values(self) -> list[Any]:
        return sorted(self.counts)

    @cached_property
    def _up_to(self) -> list[int]:
        """How many samples do not exceed each value."""
        return list(accumulate(self.counts[value] for value in self._values))


def binomial_ranks(n: int, p: float) -> tuple[int, int]:
    """Ranks of the samples that enclose the p-quantile of ``n``, a number that was fixed beforehand.

    >>> binomial_ranks(100, 0.5)
    (40, 61)
    """
    return _below(n, p), n + 1 - _below(n, 1 - p)


def _below(n: int, p: float) -> int:
    """The largest l with P(Bin(n, p) < l) <= ``TAIL``."""
    from scipy.special import betainc

    def up_to(k: int) -> float:
        return float(betainc(n - k, k + 1, 1 - p))

    return bisect_right(range(n), TAIL, key=up_to)


def _exact(value: float | Fraction) -> int | Fraction:
    """The same number as an integer if it is one, else as a fraction."""
    if isinstance(value, int):
        return value
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else exact
