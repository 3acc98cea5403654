"""Comparisons with less noise: paired differences and control variates.

**Pairs.** Two policies or two readings of the rules played on the same episodes meet the same luck, and the
difference has the variance ``var x + var y - 2 cov``. Its interval is that of the mean of the differences.

**Controls.** A quantity Z of the same episode whose mean is known (a sum of dice, the value of a deal) or was
measured apart tells how lucky the episode was, and ``X - b (Z - E Z)`` has the mean of X for every b. The
coefficients come from a pilot that is not part of the samples, so the estimate stays unbiased; with ``b =
cov(X, Z) / var Z`` the variance is smaller by ``1 - corr^2``.

A ``factor`` says how many times as many samples would be needed without: the ratio of the variances.

Sources: Lavenberg and Welch, "A perspective on the use of control variables to increase the efficiency of
Monte Carlo simulations", 1981; Glasserman, "Monte Carlo Methods in Financial Engineering", 2003, chapter 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import Mean, mean


@dataclass(frozen=True)
class Paired:
    """Means of two aligned samples and of their differences, first minus second.

    All three are sums over samples, so they can be made of moments or histograms of any blocks.
    """

    first: Mean
    second: Mean
    difference: Mean

    @property
    def factor(self) -> float:
        """How many times as many unpaired samples would give the difference with the same error."""
        return _ratio(self.first.sd**2 + self.second.sd**2, self.difference.sd**2)


def paired(first: ArrayLike, second: ArrayLike) -> Paired:
    """The difference of two samples ``[n]`` of the same episodes.

    >>> paired([3.0, 5.0, 9.0, 11.0], [1.0, 2.0, 8.0, 9.0]).difference.mean
    2.0
    """
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if x.shape != y.shape:
        raise BadInput(f"two samples of the same length {x.shape}", f"{y.shape}")
    return Paired(mean(x), mean(y), mean(x - y))


@dataclass(frozen=True)
class Controlled:
    """A mean by control variates, the plain one, and the coefficients from the pilot ``[k]``."""

    estimate: Mean
    plain: Mean
    coefficients: tuple[float, ...]

    @property
    def factor(self) -> float:
        """How many times as many samples without controls would give the same error."""
        return _ratio(self.plain.sd**2, self.estimate.sd**2)


def controlled(
    samples: ArrayLike,
    controls: ArrayLike,
    control_means: ArrayLike,
    pilot_samples: ArrayLike,
    pilot_controls: ArrayLike,
) -> Controlled:
    """The mean of samples ``[n]`` with ``controls[n, k]`` whose means ``[k]`` are known.

    The pilot ``[m]`` and ``[m, k]`` has episodes that are not among the samples. Its controls may be
    dependent or constant: the least of the best coefficients are used.
    """
    z, pilot = np.asarray(controls, np.float64), np.asarray(pilot_controls, np.float64)
    known = np.asarray(control_means, np.float64)
    if z.ndim != 2 or known.shape != z.shape[1:] or pilot.shape[1:] != z.shape[1:]:
        raise BadInput(f"the same controls throughout, {z.shape[1:]}", f"{known.shape} and {pilot.shape[1:]}")
    x = np.asarray(samples, np.float64)
    b = _coefficients(np.asarray(pilot_samples, np.float64), pilot)
    return Controlled(mean(x - (z - known) @ b), mean(x), tuple(b.tolist()))


def _coefficients(samples: NDArray[np.float64], controls: NDArray[np.float64]) -> NDArray[np.float64]:
    """Least squares of the samples ``[m]`` on the controls ``[m, k]`` and a constant."""
    b: NDArray[np.float64] = np.linalg.lstsq(
        controls - controls.mean(axis=0), samples - samples.mean(), rcond=None
    )[0]
    return b


def _ratio(before: float, after: float) -> float:
    return before / after if after else float("inf")
