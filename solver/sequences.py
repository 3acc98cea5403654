"""Confidence sequences: 95 % intervals that hold at all sample sizes at once, so that a run may be looked at
after every block and stopped whenever one likes.

Both kinds mix the likelihood ratios of all alternatives into one nonnegative martingale of mean 1. By Ville's
inequality it ever reaches 1/alpha with probability at most alpha; the interval is where it has not.

**Shares.** For X in [0, 1] with mean p the ratio ``(q/p)^X ((1-q)/(1-p))^(1-X)`` is convex in X, so its mean
is at most its chord's, ``p q/p + (1-p) (1-q)/(1-p) = 1``. With q mixed over Beta(kp, k(1-p)) and s the sum of
n samples the interval is all p with

    log B(kp + s, k(1-p) + n - s) - log B(kp, k(1-p)) - s log p - (n - s) log(1 - p) < log(1/alpha).

This holds for every n >= 1, and is exact mathematics, not an approximation. The left side is convex in p where
s and n - s are 0 or at least 1 (Gamma(x + s) / (x^s Gamma(x)) is a product of the factors 1 + i/x for whole
s). Elsewhere the end is put at 0 or 1.

**Means of anything.** The normal mixture with the sample variance in place of the unknown one,

    sd sqrt((1 + k/n) / n (log(1 + n/k) + 2 log(1/alpha))),

covers at all n >= ``FIRST`` at once with a probability that tends to 1 - alpha as ``FIRST`` grows.

**k** sets the sample size at which the intervals are tightest: ``k = tuned / C`` where C = 8.212 solves
``C = log(1 + C) + 2 log(1/alpha)``. The half-width is then ``sqrt(1 + C) = 3.035`` standard errors at n =
``tuned`` (an interval for one fixed n needs 1.96), and below 3.8 from a tenth of it to 350 times as many. It
has to be chosen before the samples are seen.

Sources: Ville, "Étude critique de la notion de collectif", 1939; Robbins, "Statistical methods related to the
law of the iterated logarithm", 1970; Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric,
nonasymptotic confidence sequences", 2021 (the mixtures); Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
"Time-uniform central limit theory and asymptotic confidence sequences", 2024 (means of anything).
"""

from __future__ import annotations

from bisect import bisect_left
from math import inf, log, log1p, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fable_solve.solver.estimate import Interval, Mean, Share

ALPHA = 0.05

TUNED = 10_000
"""Sample size at which intervals are tightest, where none is planned."""

FIRST = 1024
"""Samples before a mean of anything has an interval: a spread seen in fewer is no guide."""

C = 8.211968062068253
"""``C = log(1 + C) + 2 log(1/ALPHA)``."""

STEPS = 40
"""Halvings in the search for an end; what is left of the last step is given to the interval."""


def share(mean: float, n: int, tuned: int = TUNED) -> Share:
    """The interval of a share with the sample mean ``mean`` of ``n`` samples in [0, 1].

    >>> found = share(0.25, 10_000)
    >>> round(found.low, 4), round(found.high, 4)
    (0.237, 0.2633)
    """
    low, high = share_bounds(mean * n, n, tuned)
    return Share(mean, float(low), float(high), n)


def share_bounds(
    sums: ArrayLike, n: int, tuned: int = TUNED
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ends ``[...]`` of the intervals of shares with the sums ``[...]`` of ``n`` samples each."""
    won = np.asarray(sums, np.float64)
    low, lost = _low(np.stack([won, n - won]), n, tuned / C)
    return low, 1.0 - lost


def _low(sums: NDArray[np.float64], n: int, k: float) -> NDArray[np.float64]:
    """Lower ends: the largest p found that the samples speak against."""
    outside, inside = np.zeros_like(sums), sums / n
    for _ in range(STEPS):
        middle = (outside + inside) / 2
        against = log_mixture(sums, n, np.maximum(middle, 1e-300), k) >= log(1 / ALPHA)
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


def mean(estimate: Mean, tuned: int = TUNED) -> Interval:
    """The interval of a mean of anything; endless before ``FIRST`` samples and while all are equal."""
    reach = estimate.sd * radius(estimate.n, tuned) if estimate.n >= FIRST and estimate.sd > 0 else inf
    return Interval(estimate.mean, estimate.mean - reach, estimate.mean + reach, estimate.n)


def radius(n: int, tuned: int = TUNED) -> float:
    """Half-width, in standard deviations, of the interval of a mean of ``n`` samples.

    >>> round(radius(10_000) * 100, 3)
    3.035
    """
    k = tuned / C
    return sqrt((1 + k / n) / n * (log1p(n / k) + 2 * log(1 / ALPHA)))


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
