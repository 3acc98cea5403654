"""The policy ``greedy`` compiled: what ``policies.greedy`` does, with its ties and its draws.

Gains of cards are in the units of ``policies``, packed with a mark: ``4 gain + 1`` of an unplayable card that
leads to a second one, ``4 gain`` of any other (0 if not playable). So the sum of three of them holds the
offer's gains and how many second cards it may lead to.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.chenille.kernel_play_offers import CARD, KINDS
from fable_solve.solver.games.chenille.kernel_play_table import (
    MEME,
    SOLEIL,
    WASP_CARDS,
    Flights,
    Table,
    both,
    either,
    ends,
    flight,
    flights,
    members,
    pick,
    row,
    same_kind,
    some,
    starts,
    steps,
    without,
)
from fable_solve.solver.jit import kernel

CAPTURES_FIRST = 1024
"""More than the caterpillars on a whole ring."""


class Worth(NamedTuple):
    """What counts how much."""

    step: Any
    """``[3]``: gain of a step by each card."""
    loss: Any
    """``[3]``: loss of a caterpillar by its stage (1 Terre, 2 Ciel)."""


@kernel
def start_pair(table: Table, flights_: Flights, merits: Any) -> int:
    """Fills ``merits`` with the slots near each opposite pair; returns how many pairs there are."""
    places = table.stage.size
    half = places // 2
    for one in range(half):
        near = either(row(table.wide, flights_.near, one), row(table.wide, flights_.near, one + half))
        merits[one] = 0
        for k in range(members(near)):
            merits[one] += table.slots[pick(near, k)]
    return half


@kernel
def card_gains(table: Table, flights_: Flights, worth: Worth, one: int, two: int, gains: Any) -> None:
    """Fills ``gains`` [8] for wasps on ``one`` and ``two``, packed."""
    gains[SOLEIL] = 0
    for card in range(SOLEIL):
        if steps(table, card) > 0:
            gains[card] = 4 * worth.step[card]
            gains[SOLEIL] = gains[card]
        else:
            gains[card] = 1
    for card in range(WASP_CARDS, MEME):
        most = max(
            largest_flight(table, flights_, worth, card, one),
            largest_flight(table, flights_, worth, card, two),
        )
        gains[card] = -4 * most
    if some(same_kind(table, one)) or some(same_kind(table, two)):
        gains[MEME] = -4 * max(largest_jump(table, worth, one), largest_jump(table, worth, two))
    else:
        gains[MEME] = 1


@kernel
def loss(table: Table, worth: Worth, place: int) -> int:
    """What the Chenilles lose when a wasp arrives on ``place``."""
    return table.counts[place] * worth.loss[table.stage[place]]


@kernel
def loss_of_flight(table: Table, worth: Worth, passed: int, arrival: int) -> int:
    lost = loss(table, worth, arrival)
    return lost if passed == arrival else lost + loss(table, worth, passed)


@kernel
def largest_flight(table: Table, flights_: Flights, worth: Worth, card: int, start: int) -> int:
    """The most the Chenilles lose by Guepe+1, Guepe+2 or Traverse from ``start``."""
    kind, most = card - WASP_CARDS, 0
    for k in range(flights_.choices[kind]):
        most = max(
            most,
            loss_of_flight(table, worth, flights_.passed[kind, start, k], flights_.arrival[kind, start, k]),
        )
    return most


@kernel
def largest_jump(table: Table, worth: Worth, start: int) -> int:
    """The most they lose by MemeCarte from ``start``."""
    others = same_kind(table, start)
    level = 0
    while level < table.above.shape[0] - 1 and some(both(others, row(table.wide, table.above, level))):
        level += 1
    return level * worth.loss[table.stage[start]]


@kernel
def offer_merits(
    packed: Any, first: int, end: int, cards: int, gains: Any, optional: bool, merits: Any
) -> int:
    """Fills ``merits`` with the merit of each offer of ``cards`` cards for the Guepe; returns their number.

    With the gains' sum V (0 of an unplayable card) and u unplayable cards other than Soleil, twice the cards
    times the mean is 2 V + u W, where W is what a second card brings: V of three cards, 2 V of two, 0 of one;
    not below 0 if the Chenilles may pass.
    """
    for i in range(first, end):
        offer = packed[i]
        total = gains[offer & (KINDS - 1)]
        if cards > 1:
            total += gains[offer >> CARD & (KINDS - 1)]
        if cards > 2:
            total += gains[offer >> 2 * CARD & (KINDS - 1)]
        own, unplayable = total >> 2, total & 3
        second = 0 if cards == 1 else own if cards == 3 else 2 * own
        if optional:
            second = max(second, 0)
        merits[i - first] = -(2 * own + unplayable * second)
    return end - first


@kernel
def flight_merits(
    table: Table, flights_: Flights, worth: Worth, card: int, one: int, two: int, merits: Any
) -> int:
    """Fills ``merits`` with the merit of each move of a wasp: captures first, then the caterpillars left near
    a wasp; returns the number of moves."""
    number = flights(table, flights_, card, one, two)
    for k in range(number):
        start, passed, arrival = flight(table, flights_, card, one, two, k)
        other = two if start == one else one
        near = either(row(table.wide, flights_.near, other), row(table.wide, flights_.near, arrival))
        left = caterpillars_on(table, near) - on_place(table, near, arrival)
        if passed != arrival:
            left -= on_place(table, near, passed)
        merits[k] = loss_of_flight(table, worth, passed, arrival) * CAPTURES_FIRST + left
    return number


@kernel
def caterpillars_on(table: Table, places: Any) -> int:
    """Caterpillars on a set of places."""
    total = 0
    for level in range(table.above.shape[0] - 1):
        total += members(both(places, row(table.wide, table.above, level)))
    return total


@kernel
def on_place(table: Table, places: Any, place: int) -> int:
    """Caterpillars on ``place`` if it is one of ``places``."""
    word = places[0] if place < 64 else places[1]
    return table.counts[place] * np.int64(word >> np.uint64(place & 63) & np.uint64(1))


@kernel
def step_card(table: Table, card: int) -> int:
    """The step that counts most of those a card allows: the last one, for a Soleil."""
    if card != SOLEIL:
        return card
    for last in range(2, 0, -1):
        if steps(table, last) > 0:
            return last
    return 0


@kernel
def best_steps(table: Table, flights_: Flights, card: int, one: int, two: int) -> Any:
    """Where a step should start (near a wasp, if it can) and end (away from the wasps, if it can)."""
    near = either(row(table.wide, flights_.near, one), row(table.wide, flights_.near, two))
    start, to = starts(table, card), ends(table, card)
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
