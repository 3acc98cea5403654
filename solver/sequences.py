"""Confidence sequences: 95 % intervals that hold at all sample sizes at once, so that a run may be looked at
after every block and stopped whenever one likes.

Each is the set of means against which a bet has not made its stake 1/alpha times as large. Were such a mean
the true one, the wealth would be a nonnegative martingale (or fall on average) that starts at 1, and by
Ville's inequality it ever reaches 1/alpha with probability at most alpha. The wealth depends on how often
each value came and not on the order, so blocks may be added in any order.

**Shares** (:func:`share`). For X in [0, 1] with mean p the ratio ``(q/p)^X ((1-q)/(1-p))^(1-X)`` is convex in
X, so its mean is at most that of its chord, ``p q/p + (1-p) (1-q)/(1-p) = 1``. With q mixed over
Beta(kp, k(1-p)) and s the sum of n samples the interval is all p with ::

    log B(kp + s, k(1-p) + n - s) - log B(kp, k(1-p)) - s log p - (n - s) log(1 - p) < log(1/alpha).

This holds at every n >= 1, without approximation. The left side is convex in p where s and n - s are at least
1 (for whole s, Gamma(x + s) / (x^s Gamma(x)) is a product of factors 1 + i/x); on a side where they are at
most 1 the end is put at 0 or 1.

**Bounded means** (:func:`bounded`). For Y = (X - low) / (high - low) and a mean m the stake is split evenly
over the fractions g = 1/2, 1/4, ..., 2^-24; each part bets that the mean is larger and is multiplied by
``1 - g + g Y/m``. (For wins and losses this is the likelihood ratio of ``q = m + g (1 - m)``.) Half of the
stake bets on 1 - Y in the same way. This too holds at every n >= 1. The spread is learnt from the samples:
whatever it is, the half-width is about 3.7 standard errors from n = 1,000 to 10^8, with nothing to tune.

**Means of anything** (:func:`mean`). The normal mixture with the sample's variance for the true one, ::

    sd sqrt((1 + k/n) / n (log(1 + n/k) + 2 log(1/alpha))),

covers at all n >= ``FIRST`` at once with a probability that tends to 1 - alpha as ``FIRST`` grows.

**Tuning.** k sets the sample size at which the first and the last kind are tightest: ``k = tuned / C`` with
``C = log(1 + C) + 2 log(1/alpha) = 8.212`` gives the half-width ``sqrt(1 + C) = 3.035`` standard errors at
n = ``tuned`` (an interval for one fixed n needs 1.96), and less than 3.9 from a tenth of it to a thousand
times as many. It has to be chosen before the samples are seen. Where many sequences shall hold together each
is asked for a smaller ``alpha`` (Bonferroni); they hold at every tuning.

Sources: Ville, "Étude critique de la notion de collectif", 1939; Robbins, "Statistical methods related to the
law of the iterated logarithm", 1970; Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric,
nonasymptotic confidence sequences", 2021 (the mixtures); Waudby-Smith and Ramdas, "Estimating means of
bounded random variables by betting", 2024; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform
central limit theory and asymptotic confidence sequences", 2024 (means of anything).
"""

from __future__ import annotations

from bisect import bisect_left
from math import inf, log, log1p, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import Interval, Mean, Share
from fable_solve.solver.histogram import Histogram

ALPHA = 0.05

TUNED = 10_000
"""Sample size at which intervals are tightest, where none is planned."""

FIRST = 1024
"""Samples before a mean of anything has an interval: a spread seen in fewer is no guide."""

C = 8.211968062068253
"""``C = log(1 + C) + 2 log(1/ALPHA)``."""

STEPS = 32
"""Halvings in the search for an end; what is left of the last step is given to the interval."""


def share(mean: float, n: int, tuned: int = TUNED, alpha: float = ALPHA) -> Share:
    """The interval of a share with the sample mean ``mean`` of ``n`` samples in [0, 1].

    >>> found = share(0.25, 10_000)
    >>> round(found.low, 4), round(found.high, 4)
    (0.237, 0.2633)
    """
    low, high = share_bounds(mean * n, n, tuned, alpha)
    return Share(mean, float(low), float(high), n)


def share_bounds(
    sums: ArrayLike, n: int, tuned: int = TUNED, alpha: float = ALPHA
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends ``[...]`` of the intervals of shares with the sums ``[...]`` of ``n`` samples each."""
    won = np.asarray(sums, np.float64)
    low, lost = _low(np.stack([won, n - won]), n, tuned / C, alpha)
    return low, 1.0 - lost


def _low(sums: NDArray[np.float64], n: int, k: float, alpha: float) -> NDArray[np.float64]:
    """Lower ends: the largest p found that the samples speak against."""
    outside, inside = np.zeros_like(sums), sums / n
    for _ in range(STEPS):
        middle = (outside + inside) / 2
        against = log_mixture(sums, n, np.maximum(middle, 1e-300), k) >= log(1 / alpha)
        outside, inside = np.where(against, middle, outside), np.where(against, inside, middle)
    low: NDArray[np.float64] = np.where(sums <= 1, 0.0, outside)
    return low


def log_mixture(sums: Any, n: int, p: Any, k: float) -> Any:
    """Logarithm of the mixture against the mean ``p``, 0 < p < 1, of ``n`` samples with the sum ``sums``."""
    from scipy.special import gammaln, xlog1py, xlogy

    a, b, lost = k * p, k * (1 - p), n - sums
    prior = gammaln(k) - gammaln(k + n)
    won_part = gammaln(a + sums) - gammaln(a) - xlogy(sums, p)
    return prior + won_part + gammaln(b + lost) - gammaln(b) - xlog1py(lost, -p)


def planned(precision: float) -> int:
    """What to tune shares to so that as few samples as possible give every one the half-width ``precision``.

    At p = 1/2, the worst, it is reached there: ``sqrt((1 + C) / (4 n)) = precision``.
    """
    return max(1, round((1 + C) / (2 * precision) ** 2))


FRACTIONS = 0.5 ** np.arange(1, 25)
"""What the parts of the stake bet of themselves, ``[24]``; one is within a factor sqrt(2) of the best bet."""


def bounded(samples: Histogram, low: float, high: float, alpha: float = ALPHA) -> Interval:
    """The interval of a mean of samples that cannot leave ``low .. high``; else :class:`BadInput`.

    >>> found = bounded(Histogram({3: 4000, 4: 4000, 8: 2000}), 0, 10)
    >>> round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (4.4, 4.33, 4.47)
    """
    values = np.array([float(value) for value in samples.counts])
    counts = np.array(list(samples.counts.values()), np.float64)
    if values.min() < low or values.max() > high:
        raise BadInput(f"samples from {low:g} to {high:g}", f"{values.min():g} to {values.max():g}")
    part = (values - low) / (high - low)
    least, most = _least_mean(part, counts, alpha), 1.0 - _least_mean(1.0 - part, counts, alpha)
    ends = low + (high - low) * least, low + (high - low) * most
    return Interval(samples.estimate().mean, *ends, int(counts.sum()))


def _least_mean(values: NDArray[np.float64], counts: NDArray[np.float64], alpha: float) -> float:
    """The largest mean found below that of the values ``[v]`` in [0, 1] against which they speak."""
    outside, inside = 0.0, float(values @ counts / counts.sum())
    for _ in range(STEPS if inside > 0 else 0):
        middle = (outside + inside) / 2
        if log_wealth(values, counts, middle) >= log(2 / alpha):
            outside = middle
        else:
            inside = middle
    return outside


def log_wealth(values: NDArray[np.float64], counts: NDArray[np.float64], m: float) -> Any:
    """Logarithm ``[...]`` of what a stake of 1 on a mean above ``m`` has become; it falls as ``m`` rises.

    There are ``counts[v, ...]`` of the values ``[v]`` in [0, 1].
    """
    parts = np.log1p(FRACTIONS[:, None] * (values / m - 1.0)) @ counts
    best = parts.max(axis=0)
    return best + np.log(np.exp(parts - best).mean(axis=0))


def mean(estimate: Mean, tuned: int = TUNED, alpha: float = ALPHA) -> Interval:
    """The interval of a mean of anything; endless before ``FIRST`` samples.

    Samples that are all equal say nothing of the spread: as many others as a share of 0 leaves room for are
    then taken to differ by 1 (points are whole numbers).
    """
    reach = inf
    if estimate.n >= FIRST:
        same = estimate.sd == 0
        most = share(0.0, estimate.n, tuned, alpha).high
        reach = most if same else estimate.sd * radius(estimate.n, tuned, alpha)
    return Interval(estimate.mean, estimate.mean - reach, estimate.mean + reach, estimate.n)


def radius(n: int, tuned: int = TUNED, alpha: float = ALPHA) -> float:
    """Half-width, in standard deviations, of the interval of a mean of ``n`` samples.

    >>> round(radius(10_000) * 100, 3)
    3.035
    """
    k = tuned / C
    return sqrt((1 + k / n) / n * (log1p(n / k) + 2 * log(1 / alpha)))


def ranks(n: int, p: float, tuned: int = TUNED) -> tuple[int, int]:
    """Ranks, from 1, of the samples that enclose the p-quantile at all ``n`` at once; 0 and n + 1 are none.

    The count of samples that do not exceed the quantile is the sum of a share of at least p, and the count
    of samples below it that of a share of at most p; the mixture may speak against either with alpha / 2.
    """
    return _least(n, p, tuned / C), n + 1 - _least(n, 1 - p, tuned / C)


def _least(n: int, p: float, k: float) -> int:
    """The least count of n that does not speak against a share of p or more, which is below ``n p``."""
    return bisect_left(
        range(int(n * p)), -log(2 / ALPHA), key=lambda count: -float(log_mixture(count, n, p, k))
    )
