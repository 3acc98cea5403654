"""The guessing matrix of a round in closed form.

The Ant names one of ``k`` types under its ants, the Cigale guesses one. Naming ``i`` is worth ``a[i]`` to
the Ant when the guess is wrong, whichever wrong guess it was, and ``-b[i]`` when it is right::

    A[i, j] = a[i]  (i != j)        A[i, i] = -b[i]        d[i] = a[i] + b[i]

With ``q`` the Cigale's mixture, naming ``i`` gives ``a[i] - q[i] d[i]``. When all ``d[i] > 0`` the Cigale
lowers every type above a level ``w`` down to it: ``q[i] = max(0, (a[i] - w) / d[i])`` with ``sum q = 1``,
and the Ant names each type of the support ``{a[i] > w}`` in proportion to ``1 / d[i]``. A type that may be
named for free although the right guess helps the Ant (``d[i] <= 0``) is a safe ``a[i]``. One type: ``-b``.

Compiled; ``a``, ``b`` and the mixtures are float arrays of length >= k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.jit import kernel

Vector = NDArray[np.float64]

TINY = 1e-11
"""A sum of gains below this share of their sizes is rounding of 0: gains may be differences of long sums."""


@kernel
def gap(a: float, b: float) -> float:
    """``a + b``, 0 where it is rounding only."""
    d = a + b
    return 0.0 if abs(d) <= TINY * (abs(a) + abs(b)) else d


@kernel
def level(a: Vector, b: Vector, k: int) -> float:
    """The level ``w`` with ``sum over d[i] > 0 of max(0, (a[i] - w) / d[i]) = 1``.

    Starts from all types and drops those at or below the level of the rest until none is left to drop
    (Michelot's projection onto a simplex, 1986): the level only rises, so at most k rounds are needed.
    """
    dropped = 0
    while True:
        share, weight = -1.0, 0.0
        for i in range(k):
            d = gap(a[i], b[i])
            if not dropped >> i & 1 and d > 0.0:
                inverse = 1.0 / d
                share += a[i] * inverse
                weight += inverse
        w = share / weight
        before = dropped
        for i in range(k):
            if gap(a[i], b[i]) > 0.0 and a[i] <= w:
                dropped |= 1 << i
        if dropped == before:
            return w


@kernel
def guess_value(a: Vector, b: Vector, k: int) -> float:
    """Value of the k x k guessing matrix (to the Ant)."""
    if k == 1:
        return float(0.0 - b[0])
    safe, positive, flat = -1e300, 0, False
    for i in range(k):
        d = gap(a[i], b[i])
        if d > 0.0:
            positive += 1
        else:
            safe = max(safe, a[i])
            flat = flat or d == 0.0
    if positive == 0:
        if flat:
            return float(safe)
        share, weight = 1.0, 0.0
        for i in range(k):
            share -= a[i] / gap(a[i], b[i])
            weight -= 1.0 / gap(a[i], b[i])
        return float(max(safe, share / weight))
    return float(max(safe, level(a, b, k)))


@kernel
def _mix_with_positive(
    a: Vector, b: Vector, k: int, w: float, safest: int, ant: Vector, cigale: Vector
) -> None:
    left, weight, last = 1.0, 0.0, 0
    for i in range(k):
        d = gap(a[i], b[i])
        if d > 0.0:
            last = i
            if a[i] > w:
                cigale[i] = (a[i] - w) / d
                left -= cigale[i]
                weight += 1.0 / d
    if safest >= 0 and a[safest] >= w:
        ant[safest] = 1.0
        cigale[last] += left
        return
    for i in range(k):
        d = gap(a[i], b[i])
        cigale[i] /= 1.0 - left
        if d > 0.0 and a[i] > w:
            ant[i] = 1.0 / (d * weight)


@kernel
def _mix_without_positive(
    a: Vector, b: Vector, k: int, w: float, safest: int, flat: int, ant: Vector, cigale: Vector
) -> None:
    if flat >= 0:
        ant[safest] = 1.0
        cigale[flat] = 1.0
        return
    left, weight = 1.0, 0.0
    for i in range(k):
        d = gap(a[i], b[i])
        cigale[i] = min(left, (a[i] - w) / d)
        left -= cigale[i]
        weight -= 1.0 / d
    if a[safest] >= w:
        ant[safest] = 1.0
        return
    for i in range(k):
        ant[i] = -1.0 / (gap(a[i], b[i]) * weight)


@kernel
def guess_mixtures(a: Vector, b: Vector, k: int, w: float, ant: Vector, cigale: Vector) -> None:
    """Writes an optimal mixture of each side into ``ant[:k]`` and ``cigale[:k]``; ``w`` is the value."""
    positive, safest, flat = 0, -1, -1
    for i in range(k):
        ant[i] = 0.0
        cigale[i] = 0.0
        d = gap(a[i], b[i])
        if d > 0.0:
            positive += 1
        elif safest < 0 or a[i] > a[safest]:
            safest = i
        if d == 0.0:
            flat = i
    if k == 1:
        ant[0] = 1.0
        cigale[0] = 1.0
    elif positive == 0:
        _mix_without_positive(a, b, k, w, safest, flat, ant, cigale)
    else:
        _mix_with_positive(a, b, k, w, safest, ant, cigale)
