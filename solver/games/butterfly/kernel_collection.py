"""Collections of Butterfly in three machine words, what they score and what another tile would bring them.

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

``held`` is ``[seats, 3]``. ``points`` is ``[131]``: the factor of an x2, the points of a bee left over, the
points of 0, 1, ... 128 flowers. ``worth[row, kind]`` is what a tile of a kind would bring.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.jit import lean, step
from fable_solve.solver.kernel_bits import length, lowest

KINDS = 63
FLOWER, DRAGONFLY, FIREFLY, GRASSHOPPER, BEE, COMB, WASP = 24, 25, 34, 43, 52, 53, 59
FLOWERS_AT, WASPS_AT, BEES_AT, COMB_BITS, DRAGONFLIES_AT, FIREFLIES_AT, LAST_AT = 40, 47, 57, 7, 4, 13, 22
MOST = 128
_NINE = np.uint64(511)


@step
def field(word: Any, at: int, bits: int) -> Any:
    """``bits`` bits of a word from bit ``at`` on."""
    return np.int64((word >> np.uint64(at)) & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)))


@lean
def take(held: Any, row: Any, kind: Any, adds: Any) -> None:
    """Add a tile to a collection."""
    held[row, 0] += adds[kind, 0]
    held[row, 1] += adds[kind, 1]
    held[row, 2] = (held[row, 2] & adds[kind, 3]) | adds[kind, 2]


@lean
def score(held: Any, row: Any, points: Any) -> Any:
    """Points of a collection."""
    sums, combs, marks = held[row, 0], held[row, 1], held[row, 2]
    total = points[2 + field(sums, FLOWERS_AT, 7)] - field(sums, WASPS_AT, 10)
    for colour in range(4):
        total += field(sums, 10 * colour, 10) * factor(marks, colour, points)
    total += highest_dragonfly(marks) + lowest_firefly(marks) + field(marks, LAST_AT, 4)
    return total + honey(field(sums, BEES_AT, 7), combs, points[1])


@step
def factor(marks: Any, colour: Any, points: Any) -> Any:
    """What the printed points of a colour are multiplied with."""
    return points[0] if field(marks, colour, 1) else 1


@step
def highest_dragonfly(marks: Any) -> Any:
    """Its points; 0 without one."""
    return length(marks >> np.uint64(DRAGONFLIES_AT) & _NINE)


@step
def lowest_firefly(marks: Any) -> Any:
    """Its points; 0 without one."""
    fireflies = marks >> np.uint64(FIREFLIES_AT) & _NINE
    return lowest(fireflies) + 1 if fireflies else 0


@step
def honey(bees: Any, combs: Any, alone: Any) -> Any:
    """Points of bees and honeycombs: pairs from the highest honeycomb on, ``alone`` for a bee left over."""
    if bees == 0:
        return 0
    total = 0
    for slot in range(5, -1, -1):
        pairs = min(bees, field(combs, COMB_BITS * slot, COMB_BITS))
        total += pairs * (10 + slot)
        bees -= pairs
    return total + bees * alone


@step
def peers(kind: Any) -> Any:
    """First kind of the category of a kind, and the first one after it."""
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


@lean
def refresh(held: Any, row: Any, kind: Any, points: Any, worth: Any, to: Any) -> None:
    """Bring row ``to`` of ``worth`` up to date after the collection ``row`` got a tile of ``kind``: the gains
    of its category may have changed."""
    sums, marks = held[row, 0], held[row, 2]
    if kind < FLOWER:
        _refresh_colour(sums, marks, kind // 6, points, worth, to)
    elif kind < DRAGONFLY:
        flowers = field(sums, FLOWERS_AT, 7)
        worth[to, FLOWER] = points[3 + flowers] - points[2 + flowers]
    elif kind < FIREFLY:
        best = highest_dragonfly(marks)
        for slot in range(9):
            worth[to, DRAGONFLY + slot] = max(slot + 1 - best, 0)
    elif kind < GRASSHOPPER:
        least = lowest_firefly(marks)
        for slot in range(9):
            worth[to, FIREFLY + slot] = min(slot + 1 - least, 0) if least else slot + 1
    elif kind < BEE:
        last = field(marks, LAST_AT, 4)
        for slot in range(9):
            worth[to, GRASSHOPPER + slot] = slot + 1 - last
    elif kind < WASP:
        _refresh_honey(field(sums, BEES_AT, 7), held[row, 1], points[1], worth, to)


@step
def _refresh_colour(sums: Any, marks: Any, colour: Any, points: Any, worth: Any, to: Any) -> None:
    times = factor(marks, colour, points)
    for slot in range(5):
        worth[to, 6 * colour + slot] = (slot + 1) * times
    more = 0 if field(marks, colour, 1) else points[0] - 1
    worth[to, 6 * colour + 5] = more * field(sums, 10 * colour, 10)


@step
def _refresh_honey(bees: Any, combs: Any, alone: Any, worth: Any, to: Any) -> None:
    """A bee pairs with the highest free honeycomb; a honeycomb with a free bee, else it may replace the
    lowest one in a pair."""
    free = paired = seen = 0
    for slot in range(5, -1, -1):
        before, seen = seen, seen + field(combs, COMB_BITS * slot, COMB_BITS)
        if before < bees <= seen:
            paired = 10 + slot
        if before <= bees < seen:
            free = 10 + slot
    worth[to, BEE] = free if seen > bees else alone
    for slot in range(6):
        value = 10 + slot
        swapped = max(value - paired, 0) if bees else 0
        worth[to, COMB + slot] = value - alone if bees > seen else swapped
