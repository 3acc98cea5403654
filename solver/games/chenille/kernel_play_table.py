"""The records of a play: its rules, and its table; the moves of caterpillars and wasps.

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

All is kept in two records, which the kernels share by their addresses: an array handed from one to another
would be counted each time, which takes longer than a turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.jit import lean
from fable_solve.solver.kernel_bits import bit, nth, size

SOLEIL, WASP_CARDS, MEME = 3, 4, 7
TERRE, CIEL, SAVED, CAPTURED = 1, 2, 3, 4
SLOTS = 15
"""The bits of a unit of the ring's pile that are its slots; the next one is set for Terre."""
MANY = 1 << 40
"""Slots of the reserve and of the butterflies."""
LONGEST, DEEPEST, KINDS = 100, 9, 8
"""Most places of a ring, slots of a place, kinds of cards."""

HANDS = 1 << 14
"""Of a deck with more hands than this offers are not listed beforehand."""
MOST_OFFERS = 120
"""Of one hand: multisets of three out of eight kinds."""
KNOWN = 1 << 10
"""Decisions of an offer that are remembered."""

RULES = np.dtype(
    [
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
        ("of_kind", np.int64, 3),  # places by stage
        ("choices", np.int64, 3),  # moves of a wasp by Guepe+1, Guepe+2, Traverse
        ("passed", np.int64, (3, LONGEST, 2)),  # place a move captures on first, by card and start
        ("arrival", np.int64, (3, LONGEST, 2)),  # place it ends on, perhaps the same
        ("near", np.uint64, (LONGEST, 2)),  # places near a wasp, as policies see it
        ("gain", np.int64, 3),  # of a step by each card
        ("loss", np.int64, 3),  # of a caterpillar, by its stage
        # Offers, see ``kernel_play_offers``.
        ("offer", np.int64),  # cards of one that is not the last
        ("least", np.int64),  # favourable cards of one
        ("deck", np.int64, KINDS),
        ("cards", np.int64),  # in the deck
        ("hands", np.int64),  # that have numbers; 0: too many
        ("radix", np.int64, KINDS),
        ("first", np.int32, HANDS + 1),
        ("packed", np.int32, HANDS * MOST_OFFERS),
    ],
    align=True,
)
"""What the plays of a block have in common."""

PLAY = np.dtype(
    [
        ("streams", np.uint64, 4),  # counters: ring, cards, Guepe, Chenilles
        ("length", np.int64),  # decisions so far
        ("one", np.int64),  # wasps, in order of place
        ("two", np.int64),
        ("number", np.int64),  # of the hand
        ("held", np.int64),  # cards in it
        ("on", np.int64, 5),  # caterpillars in each stage, and captured ones
        ("ways", np.int64, KINDS),  # of carrying out each card
        ("taken", np.uint64, (4, 2)),  # places with a caterpillar, by stage
        ("free", np.uint64, (4, 2)),  # places with a free slot, by stage
        ("of_stage", np.uint64, (3, 2)),  # the places of Terre and Ciel
        ("above", np.uint64, (DEEPEST + 1, 2)),  # ring places with more than so many caterpillars
        ("unseen", np.int64, KINDS),  # cards not turned since all were last taken back
        ("hand", np.int64, KINDS),  # where hands have no numbers,
        ("listed", np.int32, MOST_OFFERS),  # and its offers
        ("gains", np.int64, KINDS + 1),  # of cards, see ``kernel_play_greedy``; 0 of none
        ("known", np.int64, (KNOWN, KINDS + 1)),  # gains, and the number of the hand, of decisions remembered
        (
            "known_best",
            np.uint64,
            (KNOWN, 2),
        ),  # the best offers of each, as a set of numbers
        ("best", np.int64, 2 * LONGEST),  # the actions of largest merit so far
        ("stage", np.int64, LONGEST + 2),
        ("slots", np.int64, LONGEST + 2),
        ("counts", np.int64, LONGEST + 2),  # caterpillars on each place
        ("pile", np.int64, LONGEST),  # of the ring
    ],
    align=True,
)
"""What changes during a play."""


@lean
def mark(place: int) -> Any:
    """The bit of a place in its word."""
    return bit(place & 63)


@lean
def row(words: Any, number: int) -> Any:
    """A set of an array of sets."""
    return words[number, 0], words[number, 1]


@lean
def both(a: Any, b: Any) -> Any:
    return a[0] & b[0], a[1] & b[1]


@lean
def without(a: Any, b: Any) -> Any:
    return a[0] & ~b[0], a[1] & ~b[1]


@lean
def either(a: Any, b: Any) -> Any:
    return a[0] | b[0], a[1] | b[1]


@lean
def some(a: Any) -> Any:
    return (a[0] | a[1]) != 0


@lean
def members(a: Any) -> Any:
    """Number of places in a set."""
    return size(a[0]) + size(a[1])


@lean
def pick(a: Any, k: int) -> Any:
    """The ``k``-th place of a set."""
    first = size(a[0])
    return nth(a[0], k) if k < first else 64 + nth(a[1], k - first)


@lean
def set_up(rules: Any, play: Any) -> None:
    """Clears the table and puts all caterpillars into the reserve; the ring is still to be laid."""
    reserve, saved = rules.places, rules.places + 1
    for word in range(2):
        for stage in range(4):
            play.taken[stage, word] = play.free[stage, word] = 0
        for level in range(rules.levels):
            play.above[level, word] = 0
        play.of_stage[TERRE, word] = play.of_stage[CIEL, word] = 0
    for stage in range(5):
        play.on[stage] = 0
    play.on[0] = rules.caterpillars
    play.taken[0, reserve >> 6] = mark(reserve)
    play.free[SAVED, saved >> 6] = mark(saved)
    play.counts[reserve], play.counts[saved] = rules.caterpillars, 0
    play.slots[reserve] = play.slots[saved] = MANY


@lean
def lay_place(play: Any, place: int, unit: int) -> None:
    """Lays a unit of the pile as ``place``, with nobody on it."""
    stage = TERRE if unit > SLOTS else CIEL
    play.stage[place] = stage
    play.slots[place] = unit & SLOTS
    play.counts[place] = 0
    play.of_stage[stage, place >> 6] |= mark(place)
    play.free[stage, place >> 6] |= mark(place)


@lean
def count_steps(play: Any) -> None:
    """Fills ``ways`` of the Chenilles' cards."""
    total = 0
    for card in range(SOLEIL):
        ways = members(row(play.taken, card)) * members(row(play.free, card + 1))
        play.ways[card] = ways
        total += ways
    play.ways[SOLEIL] = total


@lean
def count_flights(rules: Any, play: Any) -> None:
    """Fills ``ways`` of the wasp cards; wasps on one place are interchangeable."""
    apart = play.one != play.two
    for card in range(WASP_CARDS, MEME):
        play.ways[card] = rules.choices[card - WASP_CARDS] << apart
    play.ways[MEME] = others_of_kind(rules, play, play.one) + others_of_kind(rules, play, play.two) * apart


@lean
def others_of_kind(rules: Any, play: Any, place: int) -> Any:
    """Number of the other places of the kind of ``place``."""
    return rules.of_kind[play.stage[place]] - 1


@lean
def other_places(play: Any, place: int) -> Any:
    """The other places of the kind of ``place``."""
    own = mark(place) * np.uint64(place < 64), mark(place) * np.uint64(place > 63)
    return without(row(play.of_stage, play.stage[place]), own)


@lean
def step(play: Any, card: int, start: int, to: int) -> None:
    """A caterpillar's step by ``card`` (0 to 2).

    What ``above`` says of the reserve and the butterflies is never read.
    """
    left, held = play.counts[start] - 1, play.counts[to]
    play.counts[start], play.counts[to] = left, held + 1
    play.taken[card, start >> 6] &= ~(mark(start) * np.uint64(left == 0))
    play.free[card, start >> 6] |= mark(start)
    play.above[min(left, DEEPEST), start >> 6] &= ~mark(start)
    play.taken[card + 1, to >> 6] |= mark(to)
    play.free[card + 1, to >> 6] &= ~(mark(to) * np.uint64(held + 1 == play.slots[to]))
    play.above[min(held, DEEPEST), to >> 6] |= mark(to)
    play.on[card] -= 1
    play.on[card + 1] += 1
    count_steps(play)


@lean
def capture(rules: Any, play: Any, place: int) -> None:
    """A wasp arrives on ``place``."""
    caught = play.counts[place]
    if caught == 0:
        return
    stage = play.stage[place]
    play.counts[place] = 0
    play.taken[stage, place >> 6] &= ~mark(place)
    play.free[stage, place >> 6] |= mark(place)
    for level in range(rules.levels):
        play.above[level, place >> 6] &= ~mark(place)
    play.on[stage] -= caught
    play.on[CAPTURED] += caught
    count_steps(play)


@lean
def flight(rules: Any, play: Any, card: int, k: int) -> Any:
    """The ``k``-th move of a wasp by ``card``: (place left, first capture, last capture)."""
    first = others_of_kind(rules, play, play.one) if card == MEME else rules.choices[card - WASP_CARDS]
    start = play.one if k < first else play.two
    k -= 0 if k < first else first
    if card == MEME:
        to = pick(other_places(play, start), k)
        return start, to, to
    return start, rules.passed[card - WASP_CARDS, start, k], rules.arrival[card - WASP_CARDS, start, k]


@lean
def fly(rules: Any, play: Any, start: int, passed: int, arrival: int) -> None:
    """A wasp's move, with its captures."""
    capture(rules, play, passed)
    capture(rules, play, arrival)
    other = play.two if start == play.one else play.one
    play.one, play.two = min(other, arrival), max(other, arrival)
    count_flights(rules, play)
