"""Hiver's trades in a play-out: what a purchase brings, every payment, and the Ant's swaps.

Options come in the order of ``Hiver.legal_actions``, so that option k here is option k there; nothing is
listed, options are counted and the one drawn is found by its number. ``market`` and ``table`` are the tuples
of arrays described here; ``typed[seat, 4]`` are cards by type, a seat's or those it might hold.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.cigale.kernel_pile import ZERO
from fable_solve.solver.games.cigale.kernel_round import MARKS, TYPES
from fable_solve.solver.jit import step

ALL = -1
"""No condition on the gain of a purchase."""


class Market(NamedTuple):
    """Prices of the kinds of Provision in use, sorted by name."""

    prices: Any
    """Cards of each type; ``[kinds, 4]``."""
    payments: Any
    """Payments by type of all kinds, one kind after the other, in the order of ``type_payments``;
    ``[payments, 4]``."""
    cards: Any
    """Cards of each payment; ``[payments]``."""
    starts: Any
    """Where the payments of each kind start, and their number; ``[kinds + 1]``."""
    scale: Any
    """Points for 0, 1, ... copies of a kind."""
    stand_ins: Any
    """How many cards of other types 0, 1, ... cards of a type stand for; ``[cards + ants + 1]``."""
    cards_asked: Any
    """Cards of each price; ``[kinds]``."""


class WinterTable(NamedTuple):
    """The table in the course of a game of hiver."""

    streams: Any
    pile: Any
    """Codes; what is left comes first."""
    code: Any
    """Codes on the square; ``[places]``."""
    provisions: Any
    """Kinds of the Provisions to come first, then those that came."""
    stock: Any
    """Numbers that draws change (see :mod:`kernel_hiver`); ``[5]``."""
    row: Any
    """Provisions on offer by kind; ``[kinds]``."""
    discard: Any
    """Cards of the discard by code; ``[28]``."""
    owned: Any
    """Provisions bought by kind; ``[seats, kinds]``."""
    points: Any
    """``[seats]``."""
    held: Any
    """Path cards by code; ``[seats, 28]``."""
    typed: Any
    """Path cards by type; ``[seats, 4]``."""
    hands: Any
    """Path cards; ``[seats]``."""
    named: Any
    """Types named this round; ``[seats]``."""
    taken: Any
    """Places that leave the square; ``[ants]``."""
    swapped: Any
    """The same in an outcome looked at; ``[ants]``."""
    after: Any
    """Cards by type after it; ``[1, 4]``."""
    own: Any
    """Collected cards by insect part; ``[7]``."""
    several: Any
    """Places where the Ant may have each species; ``[7]``."""
    options: Any
    """Those places, collected ones first; ``[7, places]``."""
    subsets: Any
    """Multisets of a seat's cards (see :func:`count_subsets`); ``[4, 8, most + 1]``."""
    worths: Any
    """Worth of each type under the ants to a greedy seat; ``[4]``."""


@step
def copies_worth(scale: Any, copies: int) -> Any:
    """Points of some copies of one kind."""
    return scale[min(copies, scale.shape[0] - 1)]


@step
def copy_gain(market: Any, table: Any, seat: int, kind: int) -> Any:
    """Points that one more copy of a kind brings."""
    copies = table.owned[seat, kind]
    return copies_worth(market.scale, copies + 1) - copies_worth(market.scale, copies)


@step
def shortage(market: Any, kind: int, path_type: int, cards: int) -> Any:
    """Cards missing for a price with ``cards`` of a type, less those that spare ones stand for."""
    rest = cards - market.prices[kind, path_type]
    return max(0, -rest) - market.stand_ins[max(0, rest)]


@step
def pays(market: Any, kind: int, typed: Any, seat: int) -> Any:
    """Whether cards pay a kind (see ``market.affords``)."""
    missing = 0
    for path_type in range(TYPES):
        missing += shortage(market, kind, path_type, typed[seat, path_type])
    return missing <= 0


@step
def buying_gain(market: Any, table: Any, buyer: int, typed: Any, seat: int) -> Any:
    """Most points one purchase from the row brings the buyer with the cards ``typed[seat]``."""
    best = 0
    for kind in range(table.row.shape[0]):
        if table.row[kind] > 0:
            gain = copy_gain(market, table, buyer, kind)
            if gain > best and pays(market, kind, typed, seat):
                best = gain
    return best


@step
def gains_by_type(market: Any, table: Any, seat: int, points: Any) -> None:
    """Writes a seat's :func:`buying_gain` with 0, 1, ... more cards of one type into
    ``points[seat, type, cards]``."""
    points[seat, :, :] = 0
    for kind in range(table.row.shape[0]):
        gain = copy_gain(market, table, seat, kind) if table.row[kind] > 0 else 0
        if gain > 0:
            missing = 0
            for path_type in range(TYPES):
                missing += shortage(market, kind, path_type, table.typed[seat, path_type])
            for path_type in range(TYPES):
                cards = table.typed[seat, path_type]
                others = missing - shortage(market, kind, path_type, cards)
                for more in range(points.shape[2]):
                    if others + shortage(market, kind, path_type, cards + more) <= 0:
                        points[seat, path_type, more] = max(points[seat, path_type, more], gain)


@step
def ceiling(market: Any, table: Any, seat: int, hand: int) -> Any:
    """Most points a purchase could bring a seat with ``hand`` cards of the best types."""
    best = 0
    for kind in range(table.row.shape[0]):
        if table.row[kind] > 0 and market.cards_asked[kind] <= hand:
            best = max(best, copy_gain(market, table, seat, kind))
    return best


# --- payments


@step
def can_buy(market: Any, table: Any, seat: int) -> Any:
    """Whether a seat can pay for anything in the row."""
    found = False
    for kind in range(table.row.shape[0]):
        found |= table.row[kind] > 0 and pays(market, kind, table.typed, seat)
    return found


@step
def count_subsets(table: Any, seat: int) -> None:
    """Writes into ``subsets[type, mark, n]`` how many multisets of n cards of a type a seat can take of those
    with insect parts ``mark`` and above, for all n it has."""
    subsets = table.subsets
    for path_type in range(TYPES):
        counts = min(table.typed[seat, path_type] + 1, subsets.shape[2])
        for count in range(counts):
            subsets[path_type, MARKS, count] = count == 0
        for mark in range(MARKS - 1, -1, -1):
            most = table.held[seat, path_type * MARKS + mark]
            for count in range(counts):
                total = subsets[path_type, mark + 1, count]
                for here in range(1, min(most, count) + 1):
                    total += subsets[path_type, mark + 1, count - here]
                subsets[path_type, mark, count] = total


@step
def ways(market: Any, table: Any, payment: int, seat: int) -> Any:
    """How many multisets of a seat's cards are a payment by type; none if it lacks cards."""
    total = 1
    for path_type in range(TYPES):
        count = market.payments[payment, path_type]
        if count > table.typed[seat, path_type]:
            return 0
        total *= table.subsets[path_type, 0, count]
    return total


@step
def wanted(market: Any, table: Any, seat: int, kind: int, gain: int) -> Any:
    """Whether a kind lies in the row and brings ``gain`` points (or ``ALL``)."""
    return table.row[kind] > 0 and (gain == ALL or copy_gain(market, table, seat, kind) == gain)


@step
def fewest_cards(market: Any, table: Any, seat: int, gain: int) -> Any:
    """Fewest cards that buy something that brings ``gain`` points."""
    fewest = table.hands[seat]
    for kind in range(table.row.shape[0]):
        if wanted(market, table, seat, kind, gain):
            for payment in range(market.starts[kind], market.starts[kind + 1]):
                if market.cards[payment] >= fewest:
                    break
                if ways(market, table, payment, seat) > 0:
                    fewest = market.cards[payment]
    return fewest


@step
def find_purchase(market: Any, table: Any, seat: int, gain: int, least: int, most: int, number: int) -> Any:
    """(kind, payment, number left): purchase ``number`` of those that bring ``gain`` points (or ``ALL``) for
    ``least`` to ``most`` cards. If there are fewer, the kind is -1, and ``number`` less theirs is left.
    """
    for kind in range(table.row.shape[0]):
        if wanted(market, table, seat, kind, gain):
            for payment in range(market.starts[kind], market.starts[kind + 1]):
                if market.cards[payment] > most:
                    break
                if market.cards[payment] >= least:
                    here = ways(market, table, payment, seat)
                    if number < here:
                        return kind, payment, number
                    number -= here
    return -1, -1, number


@step
def pay(market: Any, table: Any, seat: int, payment: int, number: int) -> None:
    """A seat pays: multiset ``number`` of a payment by type goes to the discard.

    The last type's cards change first; of a type, more cards of the lower codes come first.
    """
    subsets = table.subsets
    table.hands[seat] -= market.cards[payment]
    for path_type in range(TYPES - 1, -1, -1):
        count: Any = np.int64(market.payments[payment, path_type])
        table.typed[seat, path_type] -= count
        here = subsets[path_type, 0, count]
        rank = number % here
        number //= here
        for mark in range(MARKS):
            code = path_type * MARKS + mark
            given = min(table.held[seat, code], count)
            while rank >= subsets[path_type, mark + 1, count - given]:
                rank -= subsets[path_type, mark + 1, count - given]
                given -= 1
            table.held[seat, code] -= given
            table.discard[code] += given
            count -= given


# --- swaps


@step
def choose(n: int, k: int) -> int:
    """Binomial coefficient."""
    total = 1
    for i in range(k):
        total = total * (n - i) // (i + 1)
    return total


@step
def has(items: Any, count: int, item: int) -> Any:
    """Whether ``items[:count]`` has an item."""
    found = False
    for i in range(count):
        found |= items[i] == item
    return found


@step
def list_swaps(table: Any, places: Any, chain: int, count: int, uncovered: bool) -> Any:
    """Lists for each species the places the Ant may take, who collects ``taken[:count]``; returns the number
    of outcomes."""
    own, several = table.own, table.several
    own[:] = 0
    for i in range(count):
        mark = table.code[table.taken[i]] % MARKS
        table.options[mark, own[mark]] = table.taken[i]
        own[mark] += 1
    if own[0] == count:
        return 1
    for mark in range(MARKS):
        several[mark] = own[mark]
    for place in range(table.code.shape[0]):
        mark = table.code[place] % MARKS
        if mark > 0 and own[mark] > 0 and table.code[place] < TYPES * MARKS:
            if uncovered:
                barred = has(places[chain], places.shape[1], place)
            else:
                barred = has(table.taken, count, place)
            if not barred:
                table.options[mark, several[mark]] = place
                several[mark] += 1
    total = 1
    for mark in range(1, MARKS):
        total *= choose(several[mark], own[mark])
    return total


@step
def find_swap(table: Any, number: int, leaving: Any) -> Any:
    """Writes the places of outcome ``number`` into ``leaving``; returns how many of them were collected.

    Plain cards stay collected; the combinations of the last species change first, in lexicographic order.
    """
    size = 0
    for i in range(table.own[0]):
        leaving[size] = table.options[0, i]
        size += 1
    kept = size
    for mark in range(MARKS - 1, 0, -1):
        need, at = table.own[mark], 0
        rank = 0
        if need > 0:
            here = choose(table.several[mark], need)
            rank = number % here
            number //= here
        while need > 0:
            with_it = choose(table.several[mark] - at - 1, need - 1)
            if rank < with_it:
                leaving[size] = table.options[mark, at]
                size += 1
                kept += at < table.own[mark]
                need -= 1
            else:
                rank -= with_it
            at += 1
    return kept


@step
def rank_swap(market: Any, table: Any, seat: int, number: int, count: int) -> Any:
    """Rank of outcome ``number``, which takes ``count`` cards: first the purchase it allows, then the
    collected cards kept."""
    kept = find_swap(table, number, table.swapped)
    for path_type in range(TYPES):
        table.after[0, path_type] = table.typed[seat, path_type]
    for i in range(count):
        table.after[0, table.code[table.swapped[i]] // MARKS] += 1
    return buying_gain(market, table, seat, table.after, ZERO) * (count + 1) + kept
