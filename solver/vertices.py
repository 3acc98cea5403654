"""Exact vertex enumeration of ``{x >= 0 : C x <= b}`` by the double description method, in integers.

The polytope is the slice t = 1 of the cone ``{(t, x) >= 0 : b t - C x >= 0}``. The cone starts as the
positive orthant, whose extreme rays are the unit vectors, and takes one inequality after the other: rays on
the wrong side go, and every pair of adjacent rays on different sides leaves a new ray between them. Two rays
are adjacent when no third one lies on all the hyperplanes on which both lie, a test that stays right however
degenerate the set is; all numbers are integers, so none of it depends on a tolerance.

Source: Motzkin, Raiffa, Thompson and Thrall, 1953; Fukuda and Prodon, "Double description method revisited",
1996.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from fable_solve.solver.pivoting import PIVOT_COST, Work, longest, slowness


@dataclass(frozen=True)
class Ray:
    """An extreme ray ``(t, x)`` and the bit set ``tight`` of the inequalities that hold with equality.

    Bit 0 is t >= 0, bits 1..d are x >= 0, bits d+1... the rows of ``C``.
    """

    point: tuple[int, ...]
    tight: int


def vertices(rows: Sequence[Sequence[int]], constant: Sequence[int], dimension: int, work: Work) -> list[Ray]:
    """The vertices of the bounded set ``{x >= 0 : rows x <= constant}`` in ``dimension`` variables.

    Raises :class:`TooLarge` when ``work`` runs out.
    """
    size = dimension + 1
    everything = (1 << size) - 1
    rays = [Ray(tuple(int(i == k) for i in range(size)), everything & ~(1 << k)) for k in range(size)]
    for number, (row, bound) in enumerate(zip(rows, constant, strict=True)):
        rays = _cut(rays, (bound, *(-entry for entry in row)), 1 << (size + number), size, work)
    return [ray for ray in rays if ray.point[0] > 0]


def _cut(rays: list[Ray], normal: tuple[int, ...], bit: int, size: int, work: Work) -> list[Ray]:
    """The extreme rays of the cone cut by ``normal . ray >= 0``."""
    factor = slowness(max(longest(normal), *(longest(ray.point) for ray in rays)))
    work.spend(size * len(rays) * factor)
    sides = [sum(a * b for a, b in zip(normal, ray.point, strict=True)) for ray in rays]
    above = [(ray, side) for ray, side in zip(rays, sides, strict=True) if side > 0]
    below = [(ray, side) for ray, side in zip(rays, sides, strict=True) if side < 0]
    work.spend(len(above) * len(below))
    kept = [ray for ray, _ in above]
    kept += [Ray(ray.point, ray.tight | bit) for ray, side in zip(rays, sides, strict=True) if side == 0]
    for high, up in above:
        for low, down in below:
            common = high.tight & low.tight
            if common.bit_count() >= size - 2 and _adjacent(rays, common, work):
                work.spend(PIVOT_COST * size * factor)
                kept.append(Ray(_between(high.point, up, low.point, down), common | bit))
    return kept


def _adjacent(rays: list[Ray], common: int, work: Work) -> bool:
    """Whether only two rays lie on all the hyperplanes of ``common``."""
    work.spend(len(rays))
    return sum(1 for ray in rays if ray.tight & common == common) == 2


def _between(high: tuple[int, ...], up: int, low: tuple[int, ...], down: int) -> tuple[int, ...]:
    """The point of the segment from ``high`` to ``low`` on the new hyperplane, in lowest terms."""
    point = [up * b - down * a for a, b in zip(high, low, strict=True)]
    divisor = gcd(*point)
    return tuple(entry // divisor for entry in point)
