"""The table of a play: caterpillars by place, and the moves of caterpillars and wasps.

The places of a ring are 0 .. n - 1; the reserve is place n and the butterflies are place n + 1, so that every
step of a caterpillar leads from a place of one stage to a place of the next:

=====  =========  ==========================
stage  places     card that leads to the next
=====  =========  ==========================
0      reserve    0 Oeuf
1      Terre      1 Cocon
2      Ciel       2 Envol
3      saved
=====  =========  ==========================

Card 3 is Soleil, any of the three; 4 Guepe+1, 5 Guepe+2, 6 Traverse and 7 MemeCarte move a wasp. A set of
places is a pair of words, the bits of places 0-63 and 64-127; ``wide`` is ``None`` for a ring that the first
word holds, for which kernels without the second one are compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import bit, nth, size

SOLEIL, WASP_CARDS, MEME = 3, 4, 7
TERRE, CIEL, SAVED, CAPTURED = 1, 2, 3, 4
SLOTS = 15
"""The bits of a unit of the ring's pile that are its slots; the next one is set for Terre."""


class Table(NamedTuple):
    """Where everything is; the arrays change during a play."""

    wide: Any
    counts: Any
    """``[n + 2]``: caterpillars on each place."""
    slots: Any
    """``[n + 2]``: how many each place can hold."""
    stage: Any
    """``[n]``: 1 Terre, 2 Ciel."""
    of_stage: Any
    """``[4, 2]``: the places of each stage."""
    free: Any
    """``[2]``: the places with a free slot."""
    above: Any
    """``[slots + 1, 2]``: the places with more than so many caterpillars; the last row means nothing."""
    on: Any
    """``[5]``: caterpillars in each stage, and captured ones."""


class Flights(NamedTuple):
    """Where wasps fly by the cards Guepe+1, Guepe+2 and Traverse, in the order of the rules."""

    choices: Any
    """``[3]``: moves from a place, by card."""
    passed: Any
    """``[3, n, 2]``: the first place a move captures on."""
    arrival: Any
    """``[3, n, 2]``: the last one, perhaps the same."""
    near: Any
    """``[n, 2]``: the places near a wasp, as policies see it."""


@kernel
def new_table(wide: Any, places: int, levels: int) -> Any:
    """A table for a ring of ``places`` with at most ``levels`` slots each; :func:`deal` sets it up."""
    slots = np.full(places + 2, 1 << 40)
    return Table(
        wide,
        np.zeros(places + 2, np.int64),
        slots,
        np.zeros(places, np.int64),
        np.zeros((4, 2), np.uint64),
        np.zeros(2, np.uint64),
        np.zeros((levels + 1, 2), np.uint64),
        np.zeros(5, np.int64),
    )


@kernel
def mark(place: int) -> Any:
    """The bit of a place in its word."""
    return bit(place & 63)


@kernel
def row(wide: Any, words: Any, number: int) -> Any:
    """A set of an array of sets."""
    if wide is None:
        return words[number, 0], np.uint64(0)
    return words[number, 0], words[number, 1]


@kernel
def both(a: Any, b: Any) -> Any:
    return a[0] & b[0], a[1] & b[1]


@kernel
def without(a: Any, b: Any) -> Any:
    return a[0] & ~b[0], a[1] & ~b[1]


@kernel
def either(a: Any, b: Any) -> Any:
    return a[0] | b[0], a[1] | b[1]


@kernel
def some(a: Any) -> bool:
    return (a[0] | a[1]) != 0


@kernel
def members(a: Any) -> int:
    """Number of places in a set."""
    return size(a[0]) + size(a[1])


@kernel
def pick(a: Any, k: int) -> int:
    """The ``k``-th place of a set."""
    first = size(a[0])
    return nth(a[0], k) if k < first else 64 + nth(a[1], k - first)


@kernel
def lay_ring(table: Table, place: int, unit: int) -> None:
    """Lays a unit of the pile as ``place``, with nobody on it."""
    terre = unit > SLOTS
    table.slots[place] = unit & SLOTS
    table.stage[place] = TERRE if terre else CIEL
    table.of_stage[TERRE, place >> 6] |= mark(place) * np.uint64(terre)
    table.of_stage[CIEL, place >> 6] |= mark(place) * np.uint64(not terre)
    table.counts[place] = 0


@kernel
def set_up(table: Table, caterpillars: int) -> None:
    """Puts all caterpillars into the reserve; the ring is still to be laid."""
    reserve = table.stage.size
    saved = reserve + 1
    table.of_stage[:] = 0
    table.of_stage[0, reserve >> 6] = mark(reserve)
    table.of_stage[SAVED, saved >> 6] = mark(saved)
    table.free[:] = ~np.uint64(0)
    table.above[:] = 0
    table.above[0, reserve >> 6] = mark(reserve)
    table.counts[reserve], table.counts[saved] = caterpillars, 0
    table.on[:] = 0
    table.on[0] = caterpillars


@kernel
def starts(table: Table, card: int) -> Any:
    """The places from which a step by ``card`` (0 to 2) may start."""
    return both(row(table.wide, table.above, 0), row(table.wide, table.of_stage, card))


@kernel
def ends(table: Table, card: int) -> Any:
    """The places where a step by ``card`` (0 to 2) may end."""
    free = table.free[0], np.uint64(0) if table.wide is None else table.free[1]
    return both(free, row(table.wide, table.of_stage, card + 1))


@kernel
def steps(table: Table, card: int) -> int:
    """Number of steps that ``card`` (0 to 2) allows."""
    return members(starts(table, card)) * members(ends(table, card))


@kernel
def step(table: Table, card: int, start: int, to: int) -> None:
    """A caterpillar's step by ``card`` (0 to 2)."""
    last = table.above.shape[0] - 1
    left, held = table.counts[start] - 1, table.counts[to]
    table.counts[start] = left
    table.above[min(left, last), start >> 6] &= ~mark(start)
    table.free[start >> 6] |= mark(start)
    table.counts[to] = held + 1
    table.above[min(held, last), to >> 6] |= mark(to)
    if held + 1 == table.slots[to]:
        table.free[to >> 6] &= ~mark(to)
    table.on[card] -= 1
    table.on[card + 1] += 1


@kernel
def capture(table: Table, place: int) -> None:
    """A wasp arrives on ``place``."""
    caught = table.counts[place]
    if caught == 0:
        return
    table.counts[place] = 0
    table.free[place >> 6] |= mark(place)
    for level in range(caught):
        table.above[level, place >> 6] &= ~mark(place)
    table.on[table.stage[place]] -= caught
    table.on[CAPTURED] += caught


@kernel
def same_kind(table: Table, place: int) -> Any:
    """The other places of the kind of ``place``."""
    own = mark(place) * np.uint64(place < 64), mark(place) * np.uint64(place > 63)
    return without(row(table.wide, table.of_stage, table.stage[place]), own)


@kernel
def flights(table: Table, flights: Flights, card: int, one: int, two: int) -> int:
    """Number of moves of wasps on ``one`` and ``two`` that a wasp card allows."""
    if card == MEME:
        number = members(same_kind(table, one))
        return number if one == two else number + members(same_kind(table, two))
    choices = flights.choices[card - WASP_CARDS]
    return choices if one == two else 2 * choices


@kernel
def flight(table: Table, flights: Flights, card: int, one: int, two: int, k: int) -> Any:
    """The ``k``-th of those moves, ``one <= two``: (place left, first capture, last capture)."""
    if card == MEME:
        from_one = members(same_kind(table, one))
        if k < from_one:
            to = pick(same_kind(table, one), k)
            return one, to, to
        to = pick(same_kind(table, two), k - from_one)
        return two, to, to
    card -= WASP_CARDS
    choices = flights.choices[card]
    start = one
    if k >= choices:
        start, k = two, k - choices
    return start, flights.passed[card, start, k], flights.arrival[card, start, k]
