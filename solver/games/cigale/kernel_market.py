"""Hiver's trades in a play-out: what a purchase brings, every payment, and the Ant's swaps.

A seat's path cards are counted by code, ``held[seat, 28]``, and by type, ``typed[seat, 4]``. Options come in
the order of ``Hiver.legal_actions``, so that option k here is option k there; nothing is listed, options are
counted and the one drawn is found by its number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.jit import kernel

TYPES = 4
MARKS = 7
"""Insect parts of a card's code: none, and six species."""
ALL = -1
"""No condition on the gain of a purchase."""


class Market(NamedTuple):
    """Prices of the kinds of Provision in use, sorted by name."""

    prices: Any
    """Cards of each type; ``[kinds, 4]``."""
    pays: Any
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
    most: int
    """Most cards of one type in any payment."""


@kernel
def copies_worth(scale: Any, copies: int) -> int:
    """Points of some copies of one kind."""
    return int(scale[min(copies, scale.shape[0] - 1)])


@kernel
def copy_gain(scale: Any, owned: Any, seat: int, kind: int) -> int:
    """Points that one more copy of a kind brings."""
    copies = owned[seat, kind]
    return copies_worth(scale, copies + 1) - copies_worth(scale, copies)


@kernel
def pays(prices: Any, stand_ins: Any, kind: int, typed: Any, seat: int) -> bool:
    """Whether a seat's cards of each type pay a kind (see ``market.affords``)."""
    missing, spare = 0, 0
    for path_type in range(TYPES):
        rest = typed[seat, path_type] - prices[kind, path_type]
        missing += max(0, -rest)
        spare += stand_ins[max(0, rest)]
    return bool(missing <= spare)


@kernel
def buying_gain(
    prices: Any, scale: Any, stand_ins: Any, row: Any, owned: Any, buyer: int, typed: Any, seat: int
) -> int:
    """Most points one purchase from the row brings the buyer with the cards ``typed[seat]``."""
    best = 0
    for kind in range(row.shape[0]):
        if row[kind] > 0:
            gain = copy_gain(scale, owned, buyer, kind)
            if gain > best and pays(prices, stand_ins, kind, typed, seat):
                best = gain
    return best


@kernel
def gains_by_type(
    prices: Any, scale: Any, stand_ins: Any, row: Any, owned: Any, typed: Any, seat: int, points: Any
) -> None:
    """Writes a seat's :func:`buying_gain` with 0, 1, ... more cards of one type into
    ``points[seat, type, cards]``."""
    for path_type in range(TYPES):
        for more in range(points.shape[2]):
            points[seat, path_type, more] = 0
    for kind in range(row.shape[0]):
        gain = copy_gain(scale, owned, seat, kind) if row[kind] > 0 else 0
        if gain > 0:
            short = 0
            for path_type in range(TYPES):
                rest = typed[seat, path_type] - prices[kind, path_type]
                short += max(0, -rest) - stand_ins[max(0, rest)]
            for path_type in range(TYPES):
                rest = typed[seat, path_type] - prices[kind, path_type]
                others = short - max(0, -rest) + stand_ins[max(0, rest)]
                for more in range(points.shape[2]):
                    left = rest + more
                    if others + max(0, -left) <= stand_ins[max(0, left)]:
                        points[seat, path_type, more] = max(points[seat, path_type, more], gain)


@kernel
def ceiling(cards_asked: Any, scale: Any, row: Any, owned: Any, seat: int, hand: int) -> int:
    """Most points a purchase could bring a seat with ``hand`` cards of the best types."""
    best = 0
    for kind in range(row.shape[0]):
        if row[kind] > 0 and cards_asked[kind] <= hand:
            best = max(best, copy_gain(scale, owned, seat, kind))
    return best


# --- payments


@kernel
def can_buy(prices: Any, stand_ins: Any, row: Any, typed: Any, seat: int) -> bool:
    """Whether a seat can pay for anything in the row."""
    for kind in range(row.shape[0]):
        if row[kind] > 0 and pays(prices, stand_ins, kind, typed, seat):
            return True
    return False


@kernel
def count_subsets(held: Any, typed: Any, seat: int, subsets: Any) -> None:
    """Writes into ``subsets[type, mark, n]`` how many multisets of n cards of a type a seat can take of those
    with insect parts ``mark`` and above, for all n it has; ``[4, 8, most + 1]``."""
    for path_type in range(TYPES):
        counts = min(typed[seat, path_type] + 1, subsets.shape[2])
        for count in range(counts):
            subsets[path_type, MARKS, count] = count == 0
        for mark in range(MARKS - 1, -1, -1):
            most = held[seat, path_type * MARKS + mark]
            for count in range(counts):
                total = subsets[path_type, mark + 1, count]
                for here in range(1, min(most, count) + 1):
                    total += subsets[path_type, mark + 1, count - here]
                subsets[path_type, mark, count] = total


@kernel
def enough(payments: Any, payment: int, typed: Any, seat: int) -> bool:
    """Whether a seat has the cards of a payment."""
    return bool(
        (payments[payment, 0] <= typed[seat, 0])
        & (payments[payment, 1] <= typed[seat, 1])
        & (payments[payment, 2] <= typed[seat, 2])
        & (payments[payment, 3] <= typed[seat, 3])
    )


@kernel
def ways(payments: Any, payment: int, subsets: Any) -> int:
    """How many multisets of a seat's cards are a payment by type."""
    total = 1
    for path_type in range(TYPES):
        total *= subsets[path_type, 0, payments[payment, path_type]]
    return total


@kernel
def wanted(scale: Any, row: Any, owned: Any, seat: int, kind: int, gain: int) -> bool:
    """Whether a kind lies in the row and brings ``gain`` points (or ``ALL``)."""
    return bool(row[kind] > 0 and (gain == ALL or copy_gain(scale, owned, seat, kind) == gain))


@kernel
def count_purchases(
    payments: Any,
    cards: Any,
    starts: Any,
    scale: Any,
    row: Any,
    owned: Any,
    typed: Any,
    seat: int,
    gain: int,
    least: int,
    most: int,
    subsets: Any,
) -> int:
    """How many purchases there are that bring ``gain`` points (or ``ALL``) for ``least`` to ``most`` cards."""
    total = 0
    for kind in range(row.shape[0]):
        if wanted(scale, row, owned, seat, kind, gain):
            for payment in range(starts[kind], starts[kind + 1]):
                if cards[payment] > most:
                    break
                if cards[payment] >= least and enough(payments, payment, typed, seat):
                    total += ways(payments, payment, subsets)
    return total


@kernel
def fewest_cards(
    payments: Any,
    cards: Any,
    starts: Any,
    scale: Any,
    row: Any,
    owned: Any,
    typed: Any,
    seat: int,
    gain: int,
    most: int,
) -> int:
    """Fewest cards, up to ``most``, that buy something that brings ``gain`` points."""
    for kind in range(row.shape[0]):
        if wanted(scale, row, owned, seat, kind, gain):
            for payment in range(starts[kind], starts[kind + 1]):
                if cards[payment] >= most:
                    break
                if enough(payments, payment, typed, seat):
                    most = np.int64(cards[payment])
    return most


@kernel
def find_purchase(
    payments: Any,
    cards: Any,
    starts: Any,
    scale: Any,
    row: Any,
    owned: Any,
    typed: Any,
    seat: int,
    gain: int,
    least: int,
    most: int,
    subsets: Any,
    number: int,
) -> tuple[int, int, int]:
    """Kind, payment and number within it of purchase ``number`` of those of :func:`count_purchases`."""
    for kind in range(row.shape[0]):
        if wanted(scale, row, owned, seat, kind, gain):
            for payment in range(starts[kind], starts[kind + 1]):
                if cards[payment] > most:
                    break
                if cards[payment] >= least and enough(payments, payment, typed, seat):
                    here = ways(payments, payment, subsets)
                    if number < here:
                        return kind, payment, number
                    number -= here
    return -1, -1, -1


@kernel
def pay(
    payments: Any, payment: int, number: int, subsets: Any, held: Any, typed: Any, seat: int, discard: Any
) -> None:
    """A seat pays: multiset ``number`` of a payment goes to the discard, counted by code.

    The last type's cards change first; of a type, more cards of the lower codes come first.
    """
    for path_type in range(TYPES - 1, -1, -1):
        count = int(payments[payment, path_type])
        typed[seat, path_type] -= count
        here = subsets[path_type, 0, count]
        rank = number % here
        number //= here
        for mark in range(MARKS):
            code = path_type * MARKS + mark
            given = min(held[seat, code], count)
            while rank >= subsets[path_type, mark + 1, count - given]:
                rank -= subsets[path_type, mark + 1, count - given]
                given -= 1
            held[seat, code] -= given
            discard[code] += given
            count -= given


# --- swaps


@kernel
def choose(n: int, k: int) -> int:
    """Binomial coefficient."""
    total = 1
    for i in range(k):
        total = total * (n - i) // (i + 1)
    return total


@kernel
def list_swaps(
    code: Any,
    places: Any,
    chain: int,
    taken: Any,
    count: int,
    uncovered: bool,
    own: Any,
    several: Any,
    options: Any,
) -> int:
    """Lists for each species the places the Ant may take; returns the number of outcomes.

    ``taken[:count]`` are the collected places. ``own[7]`` becomes how many of them show each species,
    ``several[7]`` on how many places it may be had, ``options[7, places]`` those, collected ones first.
    """
    for mark in range(MARKS):
        own[mark] = 0
    for i in range(count):
        mark = code[taken[i]] % MARKS
        options[mark, own[mark]] = taken[i]
        own[mark] += 1
    for mark in range(MARKS):
        several[mark] = own[mark]
    if own[0] == count:
        return 1
    for place in range(code.shape[0]):
        mark = code[place] % MARKS
        if mark > 0 and own[mark] > 0 and code[place] < TYPES * MARKS:
            if not among(taken, count, place) and not (uncovered and under_ants(places, chain, place)):
                options[mark, several[mark]] = place
                several[mark] += 1
    total = 1
    for mark in range(1, MARKS):
        total *= choose(several[mark], own[mark])
    return total


@kernel
def among(items: Any, count: int, item: int) -> bool:
    """Whether ``items[:count]`` has an item."""
    for i in range(count):
        if items[i] == item:
            return True
    return False


@kernel
def under_ants(places: Any, chain: int, place: int) -> bool:
    """Whether a chain has an ant on a place."""
    for i in range(places.shape[1]):
        if places[chain, i] == place:
            return True
    return False


@kernel
def find_swap(own: Any, several: Any, options: Any, number: int, leaving: Any) -> int:
    """Writes the places of outcome ``number`` into ``leaving``; returns how many of them were collected.

    Plain cards stay collected; the combinations of the last species change first, in lexicographic order.
    """
    size = 0
    for i in range(own[0]):
        leaving[size] = options[0, i]
        size += 1
    kept = size
    for mark in range(MARKS - 1, 0, -1):
        if own[mark] > 0:
            here = choose(several[mark], own[mark])
            rank = number % here
            number //= here
            need, at = own[mark], 0
            while need > 0:
                with_it = choose(several[mark] - at - 1, need - 1)
                if rank < with_it:
                    leaving[size] = options[mark, at]
                    size += 1
                    kept += at < own[mark]
                    need -= 1
                else:
                    rank -= with_it
                at += 1
    return kept
