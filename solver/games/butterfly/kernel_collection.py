"""Collections of Butterfly in three machine words, and what they score.

========  ======  =======================================================================================
word      bits    holds
========  ======  =======================================================================================
0 sums     0-39   printed points of the butterflies, colour c at bit 10 c
          40-46   flowers
          47-56   printed points of the wasps
          57-63   bees
1 combs    0-41   honeycombs, those of 10 + j points at bit 7 j
2 marks    0-3    whether the x2 of a colour is held
           4-12   dragonflies, d(j + 1) at bit 4 + j
          13-21   fireflies, likewise
          22-25   points of the last grasshopper
========  ======  =======================================================================================

A tile of kind k adds ``adds[k, 0]`` and ``adds[k, 1]`` to the first two words. Of the third it keeps the bits
``adds[k, 3]`` and sets the bits ``adds[k, 2]``. The fields hold any stock
that rule data can describe (:func:`fable_solve.solver.games.butterfly.playouts.fits`).

``points`` is ``[factor of an x2, points of a bee left over, points of 0, 1, ... 127 flowers]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import length, lowest

KINDS = 63
FLOWER, DRAGONFLY, FIREFLY, GRASSHOPPER, BEE, COMB, WASP = 24, 25, 34, 43, 52, 53, 59
FLOWERS_AT, WASPS_AT, BEES_AT, COMB_BITS, DRAGONFLIES_AT, FIREFLIES_AT, LAST_AT = 40, 47, 57, 7, 4, 13, 22
MOST = 128


@kernel
def field(word: Any, at: int, bits: int) -> Any:
    """``bits`` bits of a word from bit ``at`` on."""
    return np.int64((word >> np.uint64(at)) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)))


@kernel
def take(held: Any, kind: Any, adds: Any) -> None:
    """Add a tile to the collection ``held[3]``."""
    held[0] += adds[kind, 0]
    held[1] += adds[kind, 1]
    held[2] = (held[2] & adds[kind, 3]) | adds[kind, 2]


@kernel
def score(held: Any, points: Any) -> Any:
    """Points of a collection."""
    sums, marks = held[0], held[2]
    total = points[2 + field(sums, FLOWERS_AT, 7)] - field(sums, WASPS_AT, 10)
    for colour in range(4):
        printed = field(sums, 10 * colour, 10)
        total += printed * points[0] if field(marks, colour, 1) else printed
    total += length(np.uint64(field(marks, DRAGONFLIES_AT, 9))) + first_firefly(marks)
    return total + field(marks, LAST_AT, 4) + honey(field(sums, BEES_AT, 7), held[1], points[1])


@kernel
def first_firefly(marks: Any) -> Any:
    """Points of the lowest firefly; 0 without one."""
    fireflies = np.uint64(field(marks, FIREFLIES_AT, 9))
    return lowest(fireflies) + 1 if fireflies else 0


@kernel
def honey(bees: int, combs: Any, alone: int) -> Any:
    """Points of bees and honeycombs: pairs from the highest honeycomb on, ``alone`` a bee without one."""
    total = 0
    for slot in range(5, -1, -1):
        pairs = min(bees, field(combs, COMB_BITS * slot, COMB_BITS))
        total += pairs * (10 + slot)
        bees -= pairs
    return total + bees * alone


@kernel
def gain(held: Any, kind: Any, points: Any) -> Any:
    """Points that one more tile brings to a collection."""
    sums, combs, marks = held[0], held[1], held[2]
    if kind < FLOWER:
        colour, value = kind // 6, kind % 6 + 1
        doubled = field(marks, colour, 1)
        if value == 6:
            return 0 if doubled else (points[0] - 1) * field(sums, 10 * colour, 10)
        return value * points[0] if doubled else value
    if kind < DRAGONFLY:
        flowers = field(sums, FLOWERS_AT, 7)
        return points[3 + flowers] - points[2 + flowers]
    if kind < FIREFLY:
        return max(kind - DRAGONFLY + 1 - length(np.uint64(field(marks, DRAGONFLIES_AT, 9))), 0)
    if kind < GRASSHOPPER:
        value, least = kind - FIREFLY + 1, first_firefly(marks)
        return min(value - least, 0) if least else value
    if kind < BEE:
        return kind - GRASSHOPPER + 1 - field(marks, LAST_AT, 4)
    if kind < WASP:
        bees, more = field(sums, BEES_AT, 7), combs
        before = honey(bees, combs, points[1])
        if kind == BEE:
            bees += 1
        else:
            more += np.uint64(1) << np.uint64(COMB_BITS * (kind - COMB))
        return honey(bees, more, points[1]) - before
    return WASP - kind - 4


@kernel
def peers(kind: Any) -> Any:
    """First kind of the category of a kind, and the first one after it: the kinds whose gains may change when
    a tile of this kind is taken."""
    if kind < FLOWER:
        first = kind // 6 * 6
        return first, first + 6
    if kind < DRAGONFLY:
        return FLOWER, DRAGONFLY
    if kind < FIREFLY:
        return DRAGONFLY, FIREFLY
    if kind < GRASSHOPPER:
        return FIREFLY, GRASSHOPPER
    if kind < BEE:
        return GRASSHOPPER, BEE
    if kind < WASP:
        return BEE, WASP
    return WASP, WASP


@kernel
def refresh(held: Any, kind: Any, points: Any, worth: Any) -> None:
    """Bring ``worth[kinds]``, the gain of each kind, up to date after ``kind`` was taken."""
    first, end = peers(kind)
    for other in range(first, end):
        worth[other] = gain(held, other, points)
