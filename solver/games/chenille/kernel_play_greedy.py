"""The policy ``greedy`` compiled: what ``policies.greedy`` does, with its ties and its draws.

The actions of largest merit are gathered in ``best`` while merits are worked out one by one.

Gains of cards are in the units of ``policies``, packed with a mark: ``4 gain + 1`` of an unplayable card that
leads to a second one, ``4 gain`` of any other (0 if not playable). So the sum of three of them holds the
offer's gains and how many second cards it may lead to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.chenille.kernel_play_offers import card, offer_at
from fable_solve.solver.games.chenille.kernel_play_table import (
    KINDS,
    KNOWN,
    MEME,
    SOLEIL,
    WASP_CARDS,
    both,
    either,
    flight,
    mark,
    members,
    other_places,
    pick,
    row,
    some,
    without,
)
from fable_solve.solver.jit import lean
from fable_solve.solver.rng import GOLDEN

CAPTURES_FIRST = 1024
"""More than the caterpillars on a whole ring."""
LOWEST = -(1 << 60)
"""Below any merit."""


@lean
def near_wasps(rules: Any, one: int, two: int) -> Any:
    """The places near a wasp on ``one`` or on ``two``."""
    return either(row(rules.near, one), row(rules.near, two))


@lean
def gather(play: Any, largest: int, ties: int, action: int, merit: int) -> Any:
    """(largest merit, number of actions that have it) once ``action`` is among them."""
    ties = 0 if merit > largest else ties
    play.best[ties] = action
    return max(largest, merit), ties + (merit >= largest)


@lean
def best_starts(rules: Any, play: Any) -> int:
    """Gathers the opposite pairs with the most slots near, by their first place; returns how many."""
    half = rules.places // 2
    largest = ties = 0
    for one in range(half):
        near = near_wasps(rules, one, one + half)
        total = 0
        for k in range(members(near)):
            total += play.slots[pick(near, k)]
        largest, ties = gather(play, largest, ties, one, total)
    return ties


@lean
def card_gains(rules: Any, play: Any) -> None:
    """Fills ``gains``."""
    gains = play.gains
    gains[SOLEIL] = 0
    for kind in range(SOLEIL):
        gains[kind] = 1
        if play.ways[kind] > 0:
            gains[kind] = gains[SOLEIL] = 4 * rules.gain[kind]
    for kind in range(WASP_CARDS, MEME):
        gains[kind] = -4 * max(
            worst_flight(rules, play, kind, play.one), worst_flight(rules, play, kind, play.two)
        )
    gains[MEME] = 1
    if play.ways[MEME] > 0:
        gains[MEME] = -4 * max(worst_jump(rules, play, play.one), worst_jump(rules, play, play.two))


@lean
def loss(rules: Any, play: Any, passed: int, arrival: int) -> Any:
    """What the Chenilles lose by a wasp's move."""
    lost = play.counts[arrival] * rules.loss[play.stage[arrival]]
    return lost + play.counts[passed] * rules.loss[play.stage[passed]] * (passed != arrival)


@lean
def worst_flight(rules: Any, play: Any, kind: int, start: int) -> int:
    """The most they lose by Guepe+1, Guepe+2 or Traverse from ``start``."""
    most, kind = 0, kind - WASP_CARDS
    for k in range(rules.choices[kind]):
        most = max(most, loss(rules, play, rules.passed[kind, start, k], rules.arrival[kind, start, k]))
    return most


@lean
def worst_jump(rules: Any, play: Any, start: int) -> Any:
    """The most they lose by MemeCarte from ``start``."""
    others, level = other_places(play, start), 0
    while level < rules.levels and some(both(others, row(play.above, level))):
        level += 1
    return level * rules.loss[play.stage[start]]


@lean
def best_offers(rules: Any, play: Any, start: int, number: int, cards: int) -> Any:
    """The best of ``number`` offers of ``cards`` cards from ``start`` on, as a set of numbers from 0.

    The same gains come again and again with the same hand: decisions are remembered, each until another one
    takes its entry.
    """
    card_gains(rules, play)
    if rules.hands == 0:
        return compared_offers(rules, play, start, number, cards)
    entry = entry_of(play)
    same = play.known[entry, KINDS] == play.number
    for kind in range(KINDS):
        same &= play.known[entry, kind] == play.gains[kind]
    if not same:
        best = compared_offers(rules, play, start, number, cards)
        play.known_best[entry, 0], play.known_best[entry, 1] = best
        play.known[entry, KINDS] = play.number
        for kind in range(KINDS):
            play.known[entry, kind] = play.gains[kind]
    return row(play.known_best, entry)


@lean
def entry_of(play: Any) -> Any:
    """Where a decision by these gains with this hand is remembered."""
    mixed = np.uint64(play.number)
    for kind in range(KINDS):
        if kind != SOLEIL:
            mixed = (mixed ^ np.uint64(play.gains[kind])) * np.uint64(GOLDEN)
    return np.int64(mixed >> np.uint64(32)) & (KNOWN - 1)


@lean
def compared_offers(rules: Any, play: Any, start: int, number: int, cards: int) -> Any:
    """The best offers, compared one by one.

    With the gains' sum V (0 of an unplayable card) and u unplayable cards other than Soleil, twice the cards
    times the mean is 2 V + u W, where W is what a second card brings: V of three cards, 2 V of two, 0 of one;
    not below 0 if the Chenilles may decline.
    """
    weight = 0 if cards == 1 else 1 if cards == 3 else 2
    least = 0 if rules.optional else LOWEST
    largest, ties = LOWEST, 0
    for i in range(number):
        offer = offer_at(rules, play, start + i)
        total = play.gains[card(offer, 0)] + play.gains[card(offer, 1)] + play.gains[card(offer, 2)]
        own, unplayable = total >> 2, total & 3
        merit = -2 * own - unplayable * weight * max(own, least)
        largest, ties = gather(play, largest, ties, i, merit)
    low = high = np.uint64(0)
    for i in range(ties):
        own_bit = mark(play.best[i])
        low |= own_bit * np.uint64(play.best[i] < 64)
        high |= own_bit * np.uint64(play.best[i] > 63)
    return low, high


@lean
def second_card_gain(rules: Any, play: Any, offer: int, cards: int) -> int:
    """What a second card of the ``cards`` face down brings, as far as the Chenilles know, summed."""
    card_gains(rules, play)
    gain = 0
    if rules.open:
        for place in range(cards):
            gain += play.gains[card(offer, place)] >> 2
    else:
        for kind in range(KINDS):
            gain += play.unseen[kind] * (play.gains[kind] >> 2)
    return gain


@lean
def best_flights(rules: Any, play: Any, kind: int) -> int:
    """Gathers the best moves of a wasp (captures first, then the caterpillars left near a wasp) by their
    numbers; returns how many they are."""
    largest = ties = 0
    for k in range(play.ways[kind]):
        start, passed, arrival = flight(rules, play, kind, k)
        near = near_wasps(rules, play.two if start == play.one else play.one, arrival)
        left = caterpillars_on(rules, play, near) - on_place(play, near, arrival)
        left -= on_place(play, near, passed) * (passed != arrival)
        merit = loss(rules, play, passed, arrival) * CAPTURES_FIRST + left
        largest, ties = gather(play, largest, ties, k, merit)
    return ties


@lean
def caterpillars_on(rules: Any, play: Any, places: Any) -> int:
    """Caterpillars on a set of places."""
    total = 0
    for level in range(rules.levels):
        total += members(both(places, row(play.above, level)))
    return total


@lean
def on_place(play: Any, places: Any, place: int) -> Any:
    """Caterpillars on ``place`` if it is one of ``places``."""
    word = places[0] if place < 64 else places[1]
    return play.counts[place] * np.int64(word >> np.uint64(place & 63) & np.uint64(1))


@lean
def best_step_card(play: Any, kind: int) -> int:
    """The card whose step counts most of those that ``kind`` stands for."""
    if kind == SOLEIL:
        kind = 2
        while play.ways[kind] == 0:
            kind -= 1
    return kind


@lean
def best_steps(rules: Any, play: Any, kind: int) -> Any:
    """Where a step should start (near a wasp, if it can) and end (away from the wasps, if it can)."""
    near = near_wasps(rules, play.one, play.two)
    start, to = row(play.taken, kind), row(play.free, kind + 1)
    leaving, safe = both(start, near), without(to, near)
    return (leaving if some(leaving) else start), (safe if some(safe) else to)
