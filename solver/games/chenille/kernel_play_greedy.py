"""The policy ``greedy`` compiled: what ``policies.greedy`` does, with its ties and its draws.

Gains of cards are in the units of ``policies``, packed with a mark: ``4 gain + 1`` of an unplayable card that
leads to a second one, ``4 gain`` of any other (0 if not playable). So the sum of three of them holds the
offer's gains and how many second cards it may lead to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.chenille.kernel_play_offers import card, offer_at
from fable_solve.solver.games.chenille.kernel_play_table import (
    MEME,
    SOLEIL,
    WASP_CARDS,
    both,
    either,
    flight,
    members,
    pick,
    row,
    same_kind,
    some,
    steps,
    without,
)
from fable_solve.solver.jit import kernel

CAPTURES_FIRST = 1024
"""More than the caterpillars on a whole ring."""


@kernel
def near_wasps(rules: Any, one: int, two: int) -> Any:
    """The places near a wasp on ``one`` or on ``two``."""
    return either(row(rules.near, one), row(rules.near, two))


@kernel
def start_merits(rules: Any, play: Any) -> int:
    """Fills ``merits`` with the slots near each opposite pair; returns how many pairs there are."""
    half = rules.places // 2
    for one in range(half):
        near = near_wasps(rules, one, one + half)
        total = 0
        for k in range(members(near)):
            total += play.slots[pick(near, k)]
        play.merits[one] = total
    return half


@kernel
def card_gains(rules: Any, play: Any) -> None:
    """Fills ``gains``."""
    gains = play.gains
    gains[SOLEIL] = 0
    for kind in range(SOLEIL):
        gains[kind] = 1
        if steps(play, kind) > 0:
            gains[kind] = gains[SOLEIL] = 4 * rules.gain[kind]
    for kind in range(WASP_CARDS, MEME):
        gains[kind] = -4 * max(
            worst_flight(rules, play, kind, play.one), worst_flight(rules, play, kind, play.two)
        )
    gains[MEME] = 1
    if some(same_kind(play, play.one)) or some(same_kind(play, play.two)):
        gains[MEME] = -4 * max(worst_jump(rules, play, play.one), worst_jump(rules, play, play.two))


@kernel
def loss(rules: Any, play: Any, passed: int, arrival: int) -> int:
    """What the Chenilles lose by a wasp's move."""
    lost = play.counts[arrival] * rules.loss[play.stage[arrival]]
    return lost if passed == arrival else lost + play.counts[passed] * rules.loss[play.stage[passed]]


@kernel
def worst_flight(rules: Any, play: Any, kind: int, start: int) -> int:
    """The most they lose by Guepe+1, Guepe+2 or Traverse from ``start``."""
    most, kind = 0, kind - WASP_CARDS
    for k in range(rules.choices[kind]):
        most = max(most, loss(rules, play, rules.passed[kind, start, k], rules.arrival[kind, start, k]))
    return most


@kernel
def worst_jump(rules: Any, play: Any, start: int) -> int:
    """The most they lose by MemeCarte from ``start``."""
    others, level = same_kind(play, start), 0
    while level < rules.levels and some(both(others, row(play.above, level))):
        level += 1
    return level * rules.loss[play.stage[start]]


@kernel
def offer_merits(rules: Any, play: Any, start: int, number: int, cards: int) -> int:
    """Fills ``merits`` with the Guepe's merit of ``number`` offers of ``cards`` cards each; returns ``number``.

    With the gains' sum V (0 of an unplayable card) and u unplayable cards other than Soleil, twice the cards
    times the mean is 2 V + u W, where W is what a second card brings: V of three cards, 2 V of two, 0 of one;
    not below 0 if the Chenilles may decline.
    """
    weight = 0 if cards == 1 else 1 if cards == 3 else 2
    for i in range(number):
        offer, total = offer_at(rules, play, start + i), 0
        for place in range(cards):
            total += play.gains[card(offer, place)]
        own, unplayable = total >> 2, total & 3
        second = max(own, 0) if rules.optional else own
        play.merits[i] = -(2 * own + unplayable * weight * second)
    return number


@kernel
def second_card_gain(rules: Any, play: Any, offer: int, cards: int) -> int:
    """What a second card of the ``cards`` face down brings, as far as the Chenilles know, summed."""
    card_gains(rules, play)
    gain = 0
    if rules.open:
        for place in range(cards):
            gain += play.gains[card(offer, place)] >> 2
    else:
        for kind in range(play.gains.size):
            gain += play.unseen[kind] * (play.gains[kind] >> 2)
    return gain


@kernel
def flight_merits(rules: Any, play: Any, kind: int, number: int) -> int:
    """Fills ``merits`` with the merit of each move of a wasp: captures first, then the caterpillars left near
    a wasp; returns the number of moves."""
    for k in range(number):
        start, passed, arrival = flight(rules, play, kind, k)
        near = near_wasps(rules, play.two if start == play.one else play.one, arrival)
        left = caterpillars_on(rules, play, near) - on_place(play, near, arrival)
        if passed != arrival:
            left -= on_place(play, near, passed)
        play.merits[k] = loss(rules, play, passed, arrival) * CAPTURES_FIRST + left
    return number


@kernel
def caterpillars_on(rules: Any, play: Any, places: Any) -> int:
    """Caterpillars on a set of places."""
    total = 0
    for level in range(rules.levels):
        total += members(both(places, row(play.above, level)))
    return total


@kernel
def on_place(play: Any, places: Any, place: int) -> int:
    """Caterpillars on ``place`` if it is one of ``places``."""
    word = places[0] if place < 64 else places[1]
    return play.counts[place] * np.int64(word >> np.uint64(place & 63) & np.uint64(1))


@kernel
def best_step_card(play: Any, kind: int) -> int:
    """The card whose step counts most of those that ``kind`` stands for."""
    if kind == SOLEIL:
        kind = 2
        while steps(play, kind) == 0:
            kind -= 1
    return kind


@kernel
def best_steps(rules: Any, play: Any, kind: int) -> Any:
    """Where a step should start (near a wasp, if it can) and end (away from the wasps, if it can)."""
    near = near_wasps(rules, play.one, play.two)
    start, to = row(play.taken, kind), row(play.free, kind + 1)
    leaving, safe = both(start, near), without(to, near)
    return (leaving if some(leaving) else start), (safe if some(safe) else to)


@kernel
def best(merits: Any, number: int) -> Any:
    """(largest of ``merits[:number]``, how many have it)."""
    largest, ties = merits[0], 1
    for i in range(1, number):
        if merits[i] > largest:
            largest, ties = merits[i], 1
        elif merits[i] == largest:
            ties += 1
    return largest, ties


@kernel
def nth_equal(merits: Any, value: int, k: int) -> int:
    """Place of the ``k``-th of ``merits`` that equals ``value``."""
    place = 0
    while True:
        if merits[place] == value:
            if k == 0:
                return place
            k -= 1
        place += 1
