"""Whole games of hiver on any square, played by any named policies.

Streams of an episode: the deal, the Provisions, then the seats. ``stock`` holds the numbers that draws change::

    LEFT        cards of the draw pile
    DISCARDED   cards of the discard
    ON_OFFER    Provisions in the row
    TO_COME     Provisions of the pile
    HOLES       places without a card

A place without a card has the code ``BARE``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.cigale.kernel_chains import any_of, first_class, largest_sum, lift, members, put
from fable_solve.solver.games.cigale.kernel_market import (
    ALL,
    MARKS,
    buying_gain,
    can_buy,
    ceiling,
    copies_worth,
    count_purchases,
    count_subsets,
    fewest_cards,
    find_purchase,
    find_swap,
    gains_by_type,
    list_swaps,
    pay,
)
from fable_solve.solver.games.cigale.kernel_pile import off_pile, one_of, start_streams
from fable_solve.solver.games.cigale.kernel_round import (
    ANT,
    CIGALE,
    GREEDY,
    RANDOM,
    STAGE,
    TYPES,
    any_type,
    by_worth,
    cards_of,
    in_equilibrium,
    next_roles,
    row_of,
    types_in,
    under,
)
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import length, lowest, size

DEAL, PROVISIONS, SEATS = 0, 1, 2
LEFT, DISCARDED, ON_OFFER, TO_COME, HOLES = range(5)
CODES = TYPES * MARKS
BARE = CODES
POINT = 100.0
"""What a greedy player counts for a point; a card is 1."""


class WinterRules(NamedTuple):
    """Rule data of hiver as arrays."""

    deck: Any
    """Codes, sorted; ``[cards]``."""
    unit: Any
    """Word of counts of each code; ``[28]``."""
    provisions: Any
    """Kinds of all Provisions, sorted; ``[Provisions]``."""
    most_alike: int
    """Largest number of equal cards in the deck."""
    most_copies: int
    """Largest number of Provisions of one kind."""
    starting_cards: int
    row_size: int
    points_to_win: int
    stall_guard: int
    empty_hand_bonus: bool
    uncovered: bool
    """Whether swaps take cards without an ant only."""
    every_miss: bool
    """Whether every Red Ant draws when the Cigale missed."""
    sum_bits: int
    """Bits that hold the points a greedy Ant sees in any chain."""


@kernel
def next_card(streams: Any, pile: Any, discard: Any, stock: Any, most: int) -> Any:
    """A card off the pile, which is the shuffled discard once it is empty; -1 if both are."""
    if stock[LEFT] == 0:
        for code in range(CODES):
            for _ in range(discard[code]):
                pile[stock[LEFT]] = code
                stock[LEFT] += 1
            discard[code] = 0
        stock[DISCARDED] = 0
        if stock[LEFT] == 0:
            return -1
    streams[DEAL], code = off_pile(streams[DEAL], pile, stock[LEFT], most)
    stock[LEFT] -= 1
    return np.int64(code)


@kernel
def hold(held: Any, typed: Any, hands: Any, seat: int, code: int) -> None:
    """A seat gets a card."""
    held[seat, code] += 1
    typed[seat, code // MARKS] += 1
    hands[seat] += 1


@kernel
def fill_square(
    streams: Any,
    pile: Any,
    discard: Any,
    stock: Any,
    most: int,
    code: Any,
    counting: bool,
    planes: Any,
    covering: Any,
) -> None:
    """Holes get cards in reading order, as long as there are any."""
    place = 0
    while stock[HOLES] > 0 and place < code.shape[0]:
        if code[place] == BARE:
            card = next_card(streams, pile, discard, stock, most)
            if card < 0:
                return
            code[place] = card
            stock[HOLES] -= 1
            if counting:
                put(planes, covering, place, card // MARKS)
        place += 1


@kernel
def fill_row(streams: Any, provisions: Any, stock: Any, most: int, row: Any, row_size: int) -> None:
    """The row gets Provisions, as long as there are any."""
    while stock[ON_OFFER] < row_size and stock[TO_COME] > 0:
        streams[PROVISIONS], kind = off_pile(streams[PROVISIONS], provisions, stock[TO_COME], most)
        stock[TO_COME] -= 1
        row[kind] += 1
        stock[ON_OFFER] += 1


@kernel
def allow(every: Any, covering: Any, code: Any, holes: int, legal: Any) -> None:
    """Writes the chains that avoid all holes."""
    for w in range(every.shape[0]):
        legal[w] = every[w]
    if holes > 0:
        for place in range(code.shape[0]):
            if code[place] == BARE:
                for w in range(every.shape[0]):
                    legal[w] &= ~covering[place, w]


@kernel
def weigh(points: Any, seat: int, word: Any, worths: Any) -> None:
    """Writes what each type under the ants is worth to a greedy seat by its ``points[seat, type, cards]``."""
    for path_type in range(TYPES):
        count = cards_of(word, path_type)
        worths[path_type] = POINT * points[seat, path_type, count] + count


@kernel
def of_most_worth(worths: Any, present: Any, streams: Any, stream: int) -> Any:
    """A uniform type of those worth most."""
    best, types = -1.0, np.uint64(0)
    for path_type in range(TYPES):
        here = np.uint64(1) << np.uint64(path_type)
        if present & here:
            if worths[path_type] > best:
                best, types = worths[path_type], np.uint64(0)
            if worths[path_type] == best:
                types |= here
    return any_type(types, streams, stream)


@kernel
def rank_swap(
    prices: Any,
    scale: Any,
    stand_ins: Any,
    row: Any,
    owned: Any,
    typed: Any,
    seat: int,
    code: Any,
    count: int,
    leaving: Any,
    kept: int,
    after: Any,
) -> int:
    """Rank of an outcome that leaves with ``leaving[:count]``: first the purchase it allows, then the
    collected cards kept; ``after[1, 4]`` is scratch."""
    for path_type in range(TYPES):
        after[0, path_type] = typed[seat, path_type]
    for i in range(count):
        after[0, code[leaving[i]] // MARKS] += 1
    gain = buying_gain(prices, scale, stand_ins, row, owned, seat, after, 0)
    return gain * (count + 1) + kept


@kernel
def play_winters(
    first: int,
    keys: Any,
    policies: Any,
    rules: Any,
    market: Any,
    chains: Any,
    stage: Any,
    scores: Any,
    standing: Any,
    lengths: Any,
    stopped: Any,
    counters: Any,
) -> None:
    """Plays games ``first`` ... and writes a row of each array a game (see ``blocks.from_standing``)."""
    deck, unit, all_provisions = rules.deck, rules.unit, rules.provisions
    places, covering, every = chains.places, chains.covering, chains.every
    counts, starts, rows, limits, red = stage.counts, stage.starts, stage.row, stage.limits, stage.red
    prices, scale, stand_ins = market.prices, market.scale, market.stand_ins
    payments, cards, kinds_at = market.pays, market.cards, market.starts
    most, kinds = rules.most_alike, prices.shape[0]
    seats, ants, words, cells = policies.shape[0], places.shape[1], every.shape[0], covering.shape[0]
    span = ants + 1
    streams, stock = np.zeros(keys.shape[0], np.uint64), np.zeros(5, np.int64)
    pile, code = np.zeros(deck.shape[0], np.uint8), np.zeros(cells, np.uint8)
    provisions, row = np.zeros(all_provisions.shape[0], np.uint8), np.zeros(kinds, np.int64)
    discard, owned = np.zeros(CODES, np.int64), np.zeros((seats, kinds), np.int64)
    held, typed = np.zeros((seats, CODES), np.int64), np.zeros((seats, TYPES), np.int64)
    hands, points_of, named = np.zeros(seats, np.int64), np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    taken, leaving, after = np.zeros(ants, np.int64), np.zeros(ants, np.int64), np.zeros((1, TYPES), np.int64)
    own, several = np.zeros(MARKS, np.int64), np.zeros(MARKS, np.int64)
    options = np.zeros((MARKS, cells), np.int64)
    subsets = np.zeros((TYPES, MARKS + 1, market.most + 1), np.int64)
    planes = np.zeros((words, TYPES, length(ants)), np.uint64)
    exact, best = np.zeros((words, TYPES, 1 << length(ants)), np.uint64), np.zeros(words, np.uint64)
    legal, sums = np.zeros(words, np.uint64), np.zeros((words, rules.sum_bits), np.uint64)
    points, worths = np.zeros((seats, TYPES, span), np.int64), np.zeros(TYPES)
    no_bonus = np.zeros(0, np.int64)
    where = np.zeros((TYPES, rules.sum_bits, span), np.uint16)
    counting, thinking = False, False
    for seat in range(seats):
        counting |= policies[seat] != RANDOM
        thinking |= policies[seat] == GREEDY

    for game in range(lengths.shape[0]):
        start_streams(streams, keys, first + game)
        for i in range(deck.shape[0]):
            pile[i] = deck[i]
        for i in range(all_provisions.shape[0]):
            provisions[i] = all_provisions[i]
        for place in range(cells):
            code[place] = BARE
        row[:], discard[:], owned[:], held[:], typed[:], hands[:], points_of[:] = 0, 0, 0, 0, 0, 0, 0
        planes[:] = np.uint64(0)
        stock[LEFT], stock[DISCARDED], stock[ON_OFFER] = deck.shape[0], 0, 0
        stock[TO_COME], stock[HOLES] = all_provisions.shape[0], cells
        fill_square(streams, pile, discard, stock, most, code, counting, planes, covering)
        for _ in range(rules.starting_cards):
            for seat in range(seats):
                card = next_card(streams, pile, discard, stock, most)
                if card >= 0:
                    hold(held, typed, hands, seat, card)
        fill_row(streams, provisions, stock, rules.most_copies, row, rules.row_size)
        ant, cigale, decisions, number = 0, 1, 0, 1
        won = False
        while number <= rules.stall_guard:
            allow(every, covering, code, stock[HOLES], legal)
            if members(legal) == 0:
                break

            # the Ant lays
            if thinking:
                gains_by_type(prices, scale, stand_ins, row, owned, typed, ant, points)
                gains_by_type(prices, scale, stand_ins, row, owned, typed, cigale, points)
            if policies[ant] == STAGE:
                first_class(planes, legal, counts, starts, exact, best)
            elif policies[ant] == GREEDY:
                largest_sum(planes, covering, legal, points, ant, no_bonus, exact, sums, where, best)
            chain = any_of(legal if policies[ant] == RANDOM else best, streams, SEATS + ant)
            decisions += 1

            # Choix, guess and names
            word = under(code, places, chain, unit)
            present = types_in(word)
            choice = lowest(present)
            for seat in range(seats):
                named[seat] = choice
            several_types = size(present) > 1
            if several_types:
                decisions += 1
                for seat in range(seats):
                    stream = SEATS + seat
                    if policies[seat] == RANDOM:
                        named[seat] = any_type(present, streams, stream)
                    elif policies[seat] == GREEDY:
                        weigh(points, cigale if seat == cigale else ant, word, worths)
                        if seat in (ant, cigale):
                            named[seat] = by_worth(worths, present, streams, stream)
                        else:
                            named[seat] = of_most_worth(worths, present, streams, stream)
                    elif seat in (ant, cigale):
                        role = ANT if seat == ant else CIGALE
                        named[seat] = in_equilibrium(limits, row_of(rows, word, span), role, streams, stream)
                    else:
                        named[seat] = any_type(red[row_of(rows, word, span)], streams, stream)
            choice = named[ant]
            missed = named[cigale] != choice
            collector = ant if missed else cigale

            # collection, with the Ant's swaps
            count = 0
            for i in range(ants):
                place = np.int64(places[chain, i])
                taken[count] = place
                count += code[place] // MARKS == choice
            if missed:
                outcomes = list_swaps(
                    code, places, chain, taken, count, rules.uncovered, own, several, options
                )
                if outcomes > 1:
                    decisions += 1
                    if policies[ant] == RANDOM:
                        swap = one_of(streams, SEATS + ant, outcomes)
                    else:
                        highest, ties, swap = -1, 0, 0
                        most_gain = ceiling(market.cards_asked, scale, row, owned, ant, hands[ant] + count)
                        while swap < outcomes and highest < most_gain * (count + 1) + count:
                            kept = find_swap(own, several, options, swap, leaving)
                            rank = rank_swap(
                                prices,
                                scale,
                                stand_ins,
                                row,
                                owned,
                                typed,
                                ant,
                                code,
                                count,
                                leaving,
                                kept,
                                after,
                            )
                            if rank > highest:
                                highest, ties = rank, 0
                            ties += rank == highest
                            swap += 1
                        drawn = one_of(streams, SEATS + ant, ties)
                        swap = -1
                        while drawn >= 0:
                            swap += 1
                            kept = find_swap(own, several, options, swap, leaving)
                            rank = rank_swap(
                                prices,
                                scale,
                                stand_ins,
                                row,
                                owned,
                                typed,
                                ant,
                                code,
                                count,
                                leaving,
                                kept,
                                after,
                            )
                            drawn -= rank == highest
                    find_swap(own, several, options, swap, taken)
            for i in range(count):
                place = taken[i]
                card = code[place]
                hold(held, typed, hands, collector, card)
                code[place] = BARE
                if counting:
                    lift(planes, covering, place, card // MARKS)
            stock[HOLES] += count

            # Red Ants draw
            if missed:
                for step in range(1, seats):
                    seat = (ant + step) % seats
                    if seat != cigale and (rules.every_miss or named[seat] == choice):
                        card = next_card(streams, pile, discard, stock, most)
                        if card >= 0:
                            hold(held, typed, hands, seat, card)

            # the purchase
            kind = -1
            if can_buy(prices, stand_ins, row, typed, collector):
                decisions += 1
                count_subsets(held, typed, collector, subsets)
                gain, least, dearest, none = ALL, 0, hands[collector], 1
                if policies[collector] != RANDOM:
                    gain = buying_gain(prices, scale, stand_ins, row, owned, collector, typed, collector)
                    least = fewest_cards(
                        payments, cards, kinds_at, scale, row, owned, typed, collector, gain, dearest
                    )
                    dearest, none = least, 0
                total = count_purchases(
                    payments,
                    cards,
                    kinds_at,
                    scale,
                    row,
                    owned,
                    typed,
                    collector,
                    gain,
                    least,
                    dearest,
                    subsets,
                )
                drawn = one_of(streams, SEATS + collector, none + total) - none
                if drawn >= 0:
                    kind, payment, drawn = find_purchase(
                        payments,
                        cards,
                        kinds_at,
                        scale,
                        row,
                        owned,
                        typed,
                        collector,
                        gain,
                        least,
                        dearest,
                        subsets,
                        drawn,
                    )
                    pay(payments, payment, drawn, subsets, held, typed, collector, discard)
                    hands[collector] -= cards[payment]
                    stock[DISCARDED] += cards[payment]
                    row[kind] -= 1
                    stock[ON_OFFER] -= 1
                    if owned[collector, kind] > 0:
                        points_of[collector] -= copies_worth(scale, owned[collector, kind])
                    owned[collector, kind] += 1
                    points_of[collector] += copies_worth(scale, owned[collector, kind])
                    won = points_of[collector] >= rules.points_to_win
                    if won:
                        break

            # roles and refill
            ant, cigale = next_roles(ant, cigale, collector, seats)
            number += 1
            if kind >= 0 and rules.empty_hand_bonus and hands[collector] == 0:
                card = next_card(streams, pile, discard, stock, most)
                if card >= 0:
                    hold(held, typed, hands, collector, card)
            fill_square(streams, pile, discard, stock, most, code, counting, planes, covering)
            fill_row(streams, provisions, stock, rules.most_copies, row, rules.row_size)
        lengths[game] = decisions
        stopped[game] = number > rules.stall_guard and not won
        for seat in range(seats):
            scores[game, seat] = points_of[seat]
            standing[game, seat] = points_of[seat] * (deck.shape[0] + 1)
            if not stopped[game]:
                standing[game, seat] += hands[seat]
        for stream in range(streams.shape[0]):
            counters[game, stream] = streams[stream]
