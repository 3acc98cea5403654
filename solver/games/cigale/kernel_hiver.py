"""Whole games of hiver on any square, played by any named policies.

Streams of an episode: the deal, the Provisions, then the seats. ``stock`` has the numbers that draws
change::

    LEFT        cards of the draw pile
    ON_OFFER    Provisions in the row
    TO_COME     Provisions of the pile
    HOLES       places without a card

A place without a card has the code ``BARE``. ``rules``, ``market``, ``table``, ``chains``, ``sets`` and
``stage`` are the tuples of arrays described here, in :mod:`kernel_market`, :mod:`kernel_chains` and
:mod:`kernel_round`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.cigale.kernel_chains import (
    any_of,
    first_class,
    largest_sum,
    lift,
    members,
    put,
    split,
)
from fable_solve.solver.games.cigale.kernel_market import (
    ALL,
    buying_gain,
    can_buy,
    ceiling,
    copies_worth,
    count_subsets,
    fewest_cards,
    find_purchase,
    find_swap,
    gains_by_type,
    list_swaps,
    pay,
    rank_swap,
)
from fable_solve.solver.games.cigale.kernel_pile import ZERO, off_pile, one_of
from fable_solve.solver.games.cigale.kernel_round import (
    ANT,
    CIGALE,
    GREEDY,
    MARKS,
    POINT,
    RANDOM,
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
from fable_solve.solver.jit import lean, step
from fable_solve.solver.kernel_bits import lowest, size
from fable_solve.solver.kernel_rng import start_streams

DEAL, PROVISIONS, SEATS = 0, 1, 2
LEFT, ON_OFFER, TO_COME, HOLES = range(4)
CODES = TYPES * MARKS
BARE = CODES
NOTHING = -1
MANY = 1 << 60
"""More than the number of purchases."""


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


# --- draws


@step
def next_card(rules: Any, table: Any) -> Any:
    """A card off the pile, which is the shuffled discard once it is empty; ``NOTHING`` if both are."""
    stock = table.stock
    if stock[LEFT] == 0:
        for code in range(CODES):
            for _ in range(table.discard[code]):
                table.pile[stock[LEFT]] = code
                stock[LEFT] += 1
            table.discard[code] = 0
    if stock[LEFT] == 0:
        return NOTHING
    table.streams[DEAL], card = off_pile(table.streams[DEAL], table.pile, stock[LEFT], rules.most_alike)
    stock[LEFT] -= 1
    return np.int64(card)


@step
def hold(table: Any, seat: int, card: int) -> None:
    """A seat gets a card."""
    table.held[seat, card] += 1
    table.typed[seat, card // MARKS] += 1
    table.hands[seat] += 1


@step
def draw(rules: Any, table: Any, seat: int) -> None:
    """A seat draws a card, if there is one."""
    card = next_card(rules, table)
    if card != NOTHING:
        hold(table, seat, card)


@step
def fill_square(rules: Any, table: Any, chains: Any, sets: Any, counting: bool) -> None:
    """Holes get cards in reading order, as long as there are any."""
    place = ZERO
    while table.stock[HOLES] > 0 and place < table.code.shape[0]:
        if table.code[place] == BARE:
            card = next_card(rules, table)
            if card == NOTHING:
                return
            table.code[place] = card
            table.stock[HOLES] -= 1
            if counting:
                put(sets, chains, place, card // MARKS)
        place += 1


@step
def fill_row(rules: Any, table: Any) -> None:
    """The row gets Provisions, as long as there are any."""
    stock = table.stock
    while stock[ON_OFFER] < rules.row_size and stock[TO_COME] > 0:
        counter, kind = off_pile(
            table.streams[PROVISIONS], table.provisions, stock[TO_COME], rules.most_copies
        )
        table.streams[PROVISIONS] = counter
        stock[TO_COME] -= 1
        table.row[kind] += 1
        stock[ON_OFFER] += 1


@step
def clear(rules: Any, table: Any, sets: Any) -> None:
    """Everything back into the box."""
    for i in range(rules.deck.shape[0]):
        table.pile[i] = rules.deck[i]
    for i in range(rules.provisions.shape[0]):
        table.provisions[i] = rules.provisions[i]
    table.code[:] = BARE
    table.row[:] = 0
    table.discard[:] = 0
    table.owned[:] = 0
    table.points[:] = 0
    table.held[:] = 0
    table.typed[:] = 0
    table.hands[:] = 0
    sets.planes[:] = np.uint64(0)
    table.stock[LEFT], table.stock[HOLES] = rules.deck.shape[0], table.code.shape[0]
    table.stock[ON_OFFER], table.stock[TO_COME] = 0, rules.provisions.shape[0]


# --- decisions


@step
def allow(table: Any, chains: Any, sets: Any) -> None:
    """Writes the chains that avoid all holes into ``sets.legal``."""
    for w in range(sets.legal.shape[0]):
        sets.legal[w] = chains.every[w]
    if table.stock[HOLES] > 0:
        for place in range(table.code.shape[0]):
            if table.code[place] == BARE:
                for w in range(sets.legal.shape[0]):
                    sets.legal[w] &= ~chains.covering[place, w]


@step
def lay(
    policies: Any, ant: int, cigale: int, market: Any, table: Any, chains: Any, sets: Any, stage: Any
) -> Any:
    """Chain laid by the Ant; what Ant and Cigale would gain is worked out for the round where it counts."""
    for seat in range(policies.shape[0]):
        if policies[seat] == GREEDY:
            expect(market, table, sets, ant, cigale)
            break
    if policies[ant] == RANDOM:
        return any_of(sets.legal, table.streams, SEATS + ant)
    split(sets)
    if policies[ant] == GREEDY:
        largest_sum(sets, chains, ant)
    else:
        first_class(sets, stage)
    return any_of(sets.best, table.streams, SEATS + ant)


@step
def expect(market: Any, table: Any, sets: Any, ant: int, cigale: int) -> None:
    """Writes what Ant and Cigale would gain into ``sets.points``."""
    for seat in range(sets.points.shape[0]):
        if seat in (ant, cigale):
            gains_by_type(market, table, seat, sets.points)


@step
def weigh(table: Any, sets: Any, seat: int, word: Any) -> None:
    """Writes what each type under the ants is worth to a greedy seat."""
    for path_type in range(TYPES):
        count = cards_of(word, path_type)
        table.worths[path_type] = POINT * sets.points[seat, path_type, count] + count


@step
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


@step
def name(policy: int, seat: int, ant: int, cigale: int, table: Any, sets: Any, word: Any, stage: Any) -> Any:
    """Type named by a seat: the Ant, the Cigale or a Red Ant."""
    streams, stream, present = table.streams, SEATS + seat, types_in(word)
    red = seat not in (ant, cigale)
    if policy == RANDOM:
        return np.int64(any_type(present, streams, stream))
    if policy == GREEDY:
        weigh(table, sets, cigale if seat == cigale else ant, word)
        if red:
            return np.int64(of_most_worth(table.worths, present, streams, stream))
        return np.int64(by_worth(table.worths, present, streams, stream))
    if red:
        return np.int64(any_type(stage.red[row_of(stage, word)], streams, stream))
    return np.int64(in_equilibrium(stage, word, ANT if seat == ant else CIGALE, streams, stream))


@step
def name_all(policies: Any, ant: int, cigale: int, table: Any, sets: Any, word: Any, stage: Any) -> Any:
    """All seats name a type at the same time; returns 0 if there is one type only, and so no decision."""
    several = size(types_in(word)) > 1
    for seat in range(policies.shape[0]):
        table.named[seat] = lowest(types_in(word))
        if several:
            table.named[seat] = name(policies[seat], seat, ant, cigale, table, sets, word, stage)
    return np.int64(several)


@step
def best_swap(market: Any, table: Any, ant: int, count: int, outcomes: int) -> Any:
    """A uniform outcome of those of the highest rank; once it cannot be surpassed, the others have less."""
    most = ceiling(market, table, ant, table.hands[ant] + count) * (count + 1) + count
    highest, ties, number = ZERO - 1, ZERO, ZERO
    while number < outcomes and highest < most:
        rank = rank_swap(market, table, ant, number, count)
        if rank > highest:
            highest, ties = rank, 0
        ties += rank == highest
        number += 1
    drawn, number = one_of(table.streams, SEATS + ant, ties), ZERO - 1
    while drawn >= 0:
        number += 1
        drawn -= rank_swap(market, table, ant, number, count) == highest
    return number


@step
def collect(table: Any, places: Any, chain: int, choice: int) -> Any:
    """Writes the places of a type under a chain into ``table.taken``; returns their number."""
    count = 0
    for i in range(places.shape[1]):
        place = places[chain, i]
        table.taken[count] = place
        count += table.code[place] // MARKS == choice
    return count


@step
def swap(
    policy: int, ant: int, rules: Any, market: Any, table: Any, places: Any, chain: int, count: int
) -> Any:
    """The Ant may swap what it collects; returns whether that was a decision."""
    outcomes = list_swaps(table, places, chain, count, rules.uncovered)
    if outcomes == 1:
        return 0
    if policy == RANDOM:
        number = one_of(table.streams, SEATS + ant, outcomes)
    else:
        number = best_swap(market, table, ant, count, outcomes)
    find_swap(table, number, table.taken)
    return 1


@step
def take(table: Any, seat: int, count: int, chains: Any, sets: Any, counting: bool) -> None:
    """A seat takes the cards on ``table.taken[:count]``."""
    for i in range(count):
        place = table.taken[i]
        card: Any = np.int64(table.code[place])
        hold(table, seat, card)
        table.code[place] = BARE
        if counting:
            lift(sets, chains, place, card // MARKS)
    table.stock[HOLES] += count


@step
def reward(rules: Any, table: Any, ant: int, cigale: int) -> None:
    """The Cigale missed: Red Ants draw, from the Ant's left."""
    seats = table.hands.shape[0]
    for further in range(1, seats):
        seat = (ant + further) % seats
        if seat != cigale and (rules.every_miss or table.named[seat] == table.named[ant]):
            draw(rules, table, seat)


@step
def purchase(policy: int, seat: int, market: Any, table: Any) -> Any:
    """The collector may buy; returns the kind, or ``NOTHING``."""
    count_subsets(table, seat)
    gain, least, most, none = ALL, 0, table.hands[seat], 1
    if policy != RANDOM:
        gain = buying_gain(market, table, seat, table.typed, seat)
        least = most = fewest_cards(market, table, seat, gain)
        none = 0
    number, kind, payment = ZERO + MANY, NOTHING, NOTHING
    for _ in range(2):  # all are counted first, then the one drawn is found
        kind, payment, left = find_purchase(market, table, seat, gain, least, most, number)
        if kind == NOTHING:
            number = one_of(table.streams, SEATS + seat, none + number - left) - none
            if number < 0:
                return NOTHING
    pay(market, table, seat, payment, left)
    return kind


@step
def gain_provision(market: Any, table: Any, seat: int, kind: int) -> None:
    """A Provision goes from the row to a seat."""
    table.row[kind] -= 1
    table.stock[ON_OFFER] -= 1
    if table.owned[seat, kind] > 0:
        table.points[seat] -= copies_worth(market.scale, table.owned[seat, kind])
    table.owned[seat, kind] += 1
    table.points[seat] += copies_worth(market.scale, table.owned[seat, kind])


# --- games


@step
def prepare(rules: Any, table: Any, chains: Any, sets: Any, counting: bool, number: int) -> Any:
    """Square and row for round ``number``, and first cards before the first; whether it is played."""
    fill_square(rules, table, chains, sets, counting)
    if number == 1:
        for i in range(rules.starting_cards * table.hands.shape[0]):
            draw(rules, table, i % table.hands.shape[0])
    fill_row(rules, table)
    allow(table, chains, sets)
    return number <= rules.stall_guard and members(sets.legal) > 0


@step
def trade(policy: int, seat: int, rules: Any, market: Any, table: Any) -> Any:
    """The collector may buy: (number of decisions, whether that wins the game)."""
    if not can_buy(market, table, seat):
        return 0, False
    kind = purchase(policy, seat, market, table)
    if kind == NOTHING:
        return 1, False
    gain_provision(market, table, seat, kind)
    won = table.points[seat] >= rules.points_to_win
    if rules.empty_hand_bonus and table.hands[seat] == 0 and not won:
        draw(rules, table, seat)
    return 1, won


@step
def record(table: Any, cards: int, stopped: bool, game: int, scores: Any, standing: Any) -> None:
    """Points of each seat, and the key ``points * (cards + 1) + path cards`` that the win goes by."""
    for seat in range(scores.shape[1]):
        scores[game, seat] = table.points[seat]
        standing[game, seat] = table.points[seat] * (cards + 1)
        if not stopped:
            standing[game, seat] += table.hands[seat]


@lean
def play_winters(
    first: int,
    keys: Any,
    policies: Any,
    counting: bool,
    rules: Any,
    market: Any,
    table: Any,
    chains: Any,
    sets: Any,
    stage: Any,
    scores: Any,
    standing: Any,
    lengths: Any,
    stopped: Any,
    counters: Any,
) -> None:
    """Plays games ``first`` ... and writes a row of each array a game (see ``blocks.from_standing``).

    ``counting``: whether cards are to be counted for every chain, as all but random players need it.
    """
    seats, places = policies.shape[0], chains.places
    for game in range(lengths.shape[0]):
        start_streams(table.streams, keys, first + game)
        clear(rules, table, sets)
        ant, cigale, decisions, number = ZERO, ZERO + 1, ZERO, ZERO + 1
        while prepare(rules, table, chains, sets, counting, number):
            chain = lay(policies, ant, cigale, market, table, chains, sets, stage)
            word = under(table.code, places, chain, rules.unit)
            decisions += 1 + name_all(policies, ant, cigale, table, sets, word, stage)
            missed = table.named[cigale] != table.named[ant]
            collector = ant if missed else cigale
            count = collect(table, places, chain, table.named[ant])
            if missed:
                decisions += swap(policies[ant], ant, rules, market, table, places, chain, count)
            take(table, collector, count, chains, sets, counting)
            if missed:
                reward(rules, table, ant, cigale)
            trades, won = trade(policies[collector], collector, rules, market, table)
            decisions += trades
            if won:
                break
            ant, cigale = next_roles(ant, cigale, collector, seats)
            number += 1
        lengths[game], stopped[game] = decisions, number > rules.stall_guard
        record(table, rules.deck.shape[0], stopped[game], game, scores, standing)
        for stream in range(keys.shape[0]):
            counters[game, stream] = table.streams[stream]
