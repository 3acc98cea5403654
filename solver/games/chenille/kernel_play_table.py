"""The record of a play: its rules, and the table; the moves of caterpillars and wasps.

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
places is a pair of words, the bits of places 0-63 and 64-127.

All is kept in one record, which the kernels share by its address (arrays of their own cost more than a turn).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import bit, nth, size

SOLEIL, WASP_CARDS, MEME = 3, 4, 7
TERRE, CIEL, SAVED, CAPTURED = 1, 2, 3, 4
SLOTS = 15
"""The bits of a unit of the ring's pile that are its slots; the next one is set for Terre."""
MANY = 1 << 40
"""Slots of the reserve and of the butterflies."""
LONGEST, DEEPEST, KINDS = 100, 9, 8
"""Most places of a ring, slots of a place, kinds of cards."""

PLAY = np.dtype(
    [
        # What a block of plays has in common.
        ("places", np.int64),
        ("levels", np.int64),  # most slots of a place
        ("units", np.int64, LONGEST),  # the places of the ring as units of the pile, sorted
        ("caterpillars", np.int64),
        ("butterflies", np.int64),  # that win
        ("captures", np.int64),  # that win
        ("turns", np.int64),  # limit
        ("decisions", np.int64),  # limit
        ("optional", np.int64),  # whether a second card may be declined
        ("open", np.int64),  # discards
        ("usable", np.int64, 3),  # 1: from this stage a caterpillar can still become a butterfly
        ("guepe", np.int64),  # policy
        ("chenilles", np.int64),  # policy
        ("offer", np.int64),  # cards of an offer that is not the last
        ("least", np.int64),  # favourable cards of an offer
        ("deck", np.int64, KINDS),
        ("radix", np.int64, KINDS),  # what a card takes off the number of a hand
        ("choices", np.int64, 3),  # moves of a wasp by Guepe+1, Guepe+2, Traverse
        ("passed", np.int64, (3, LONGEST, 2)),  # place a move captures on first, by card and start
        ("arrival", np.int64, (3, LONGEST, 2)),  # place it ends on, perhaps the same
        ("near", np.uint64, (LONGEST, 2)),  # places near a wasp, as policies see it
        ("gain", np.int64, 3),  # of a step by each card
        ("loss", np.int64, 3),  # of a caterpillar, by its stage
        # What changes.
        ("streams", np.uint64, 4),  # counters: ring, cards, Guepe, Chenilles
        ("length", np.int64),  # decisions so far
        ("one", np.int64),  # wasps, in order of place
        ("two", np.int64),
        ("number", np.int64),  # of the hand
        ("held", np.int64),  # cards in it
        ("hand", np.int64, KINDS),  # where hands have no numbers
        ("unseen", np.int64, KINDS),  # cards not turned since all were last taken back
        ("pile", np.int64, LONGEST),  # of the ring
        ("of_stage", np.uint64, (3, 2)),  # the places of Terre and Ciel
        ("taken", np.uint64, (4, 2)),  # places with a caterpillar, by stage
        ("free", np.uint64, (4, 2)),  # places with a free slot, by stage
        ("above", np.uint64, (DEEPEST + 1, 2)),  # ring places with more than so many caterpillars
        ("on", np.int64, 5),  # caterpillars in each stage, and captured ones
        ("stage", np.int64, LONGEST + 2),
        ("slots", np.int64, LONGEST + 2),
        ("counts", np.int64, LONGEST + 2),  # caterpillars on each place
        ("gains", np.int64, KINDS),  # of cards, see ``kernel_play_greedy``
        ("merits", np.int64, 2 * LONGEST),  # of actions
    ],
    align=True,
)


@kernel
def mark(place: int) -> Any:
    """The bit of a place in its word."""
    return bit(place & 63)


@kernel
def row(words: Any, number: int) -> Any:
    """A set of an array of sets."""
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
def set_up(play: Any) -> None:
    """Clears the table and puts all caterpillars into the reserve; the ring is still to be laid."""
    reserve, saved = play.places, play.places + 1
    play.of_stage[:] = 0
    play.taken[:] = 0
    play.free[:] = 0
    play.above[:] = 0
    play.on[:] = 0
    play.taken[0, reserve >> 6] = mark(reserve)
    play.free[SAVED, saved >> 6] = mark(saved)
    play.counts[reserve], play.counts[saved] = play.caterpillars, 0
    play.slots[reserve] = play.slots[saved] = MANY
    play.on[0] = play.caterpillars


@kernel
def lay_place(play: Any, place: int, unit: int) -> None:
    """Lays a unit of the pile as ``place``, with nobody on it."""
    stage = TERRE if unit > SLOTS else CIEL
    play.stage[place] = stage
    play.slots[place] = unit & SLOTS
    play.counts[place] = 0
    play.of_stage[stage, place >> 6] |= mark(place)
    play.free[stage, place >> 6] |= mark(place)


@kernel
def steps(play: Any, card: int) -> int:
    """Number of steps that ``card`` (0 to 2) allows."""
    return members(row(play.taken, card)) * members(row(play.free, card + 1))


@kernel
def step(play: Any, card: int, start: int, to: int) -> None:
    """A caterpillar's step by ``card`` (0 to 2)."""
    left, held = play.counts[start] - 1, play.counts[to]
    play.counts[start], play.counts[to] = left, held + 1
    if left == 0:
        play.taken[card, start >> 6] &= ~mark(start)
    play.free[card, start >> 6] |= mark(start)
    play.taken[card + 1, to >> 6] |= mark(to)
    if held + 1 == play.slots[to]:
        play.free[card + 1, to >> 6] &= ~mark(to)
    play.on[card] -= 1
    play.on[card + 1] += 1
    if card > 0:
        play.above[left, start >> 6] &= ~mark(start)
    if card < CIEL:
        play.above[held, to >> 6] |= mark(to)


@kernel
def capture(play: Any, place: int) -> None:
    """A wasp arrives on ``place``."""
    caught = play.counts[place]
    if caught == 0:
        return
    stage = play.stage[place]
    play.counts[place] = 0
    play.taken[stage, place >> 6] &= ~mark(place)
    play.free[stage, place >> 6] |= mark(place)
    for level in range(caught):
        play.above[level, place >> 6] &= ~mark(place)
    play.on[stage] -= caught
    play.on[CAPTURED] += caught


@kernel
def same_kind(play: Any, place: int) -> Any:
    """The other places of the kind of ``place``."""
    own = mark(place) * np.uint64(place < 64), mark(place) * np.uint64(place > 63)
    return without(row(play.of_stage, play.stage[place]), own)


@kernel
def flights(play: Any, card: int) -> int:
    """Number of moves that a wasp card allows."""
    if card == MEME:
        number = members(same_kind(play, play.one))
        return number if play.one == play.two else number + members(same_kind(play, play.two))
    choices = play.choices[card - WASP_CARDS]
    return choices if play.one == play.two else 2 * choices


@kernel
def flight(play: Any, card: int, k: int) -> Any:
    """The ``k``-th of those moves: (place left, first capture, last capture)."""
    start = play.one
    if card == MEME:
        others = same_kind(play, start)
        number = members(others)
        if k >= number:
            start, k = play.two, k - number
            others = same_kind(play, start)
        to = pick(others, k)
        return start, to, to
    card -= WASP_CARDS
    choices = play.choices[card]
    if k >= choices:
        start, k = play.two, k - choices
    return start, play.passed[card, start, k], play.arrival[card, start, k]


@kernel
def fly(play: Any, start: int, passed: int, arrival: int) -> None:
    """A wasp's move, with its captures."""
    capture(play, passed)
    capture(play, arrival)
    other = play.two if start == play.one else play.one
    play.one, play.two = min(other, arrival), max(other, arrival)
