"""Whole games, compiled: what the rules of ``play`` and the policies of ``policies`` do, draw by draw.

A block of games is played with one set of arrays; a play allocates nothing. Policies are numbered as in
``playouts.POLICIES``: 0 random, 1 greedy.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.chenille.kernel_play_greedy import (
    Worth,
    best,
    best_steps,
    card_gains,
    flight_merits,
    nth_equal,
    offer_merits,
    start_pair,
    step_card,
)
from fable_solve.solver.games.chenille.kernel_play_offers import (
    KINDS,
    LEFT,
    MOST,
    Offers,
    card,
    drop,
    offers_of,
)
from fable_solve.solver.games.chenille.kernel_play_table import (
    CAPTURED,
    CIEL,
    SAVED,
    SOLEIL,
    TERRE,
    WASP_CARDS,
    Flights,
    Table,
    capture,
    ends,
    flight,
    flights,
    lay_ring,
    members,
    new_table,
    pick,
    set_up,
    starts,
    step,
    steps,
)
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_rng import below, start

RING, CARDS, GUEPE, CHENILLES = 0, 1, 2, 3
"""The random streams."""
LOST, WON, STOPPED, GIVEN_UP = 0, 1, 2, 3
"""How a play ends for the Chenilles; stopped by the turn limit (lost), or by the limit of decisions (shared)."""
PASS = -1


class Plan(NamedTuple):
    """The rules and the policies of a block of games."""

    wide: Any
    levels: int
    """Most slots of a place."""
    pile: Any
    """``[n]``: the places of the ring as units of the pile, sorted."""
    caterpillars: int
    butterflies: int
    captures: int
    turns: int
    decisions: int
    optional: bool
    """Whether the Chenilles may decline a second card."""
    open: bool
    usable: Any
    """``[3]``: 1 for the stages from which a caterpillar can still become a butterfly."""
    guepe: int
    chenilles: int
    """Policies."""
    offers: Offers
    flights: Flights
    worth: Worth


class Play(NamedTuple):
    """What changes during a play beside the table."""

    streams: Any
    """``[4]``: counters of the random streams."""
    pile: Any
    """``[n]``: the pile of the ring."""
    hand: Any
    """``[8]``: cards held, where hands have no numbers."""
    unseen: Any
    """``[8]``: cards the Chenilles have not seen since all were last taken back."""
    gains: Any
    """``[8]``: gain of each card, packed."""
    merits: Any
    """Merits of the actions."""


@kernel
def draw(play: Play, stream: int, n: int) -> int:
    """A number below ``n`` of a stream."""
    play.streams[stream], number = below(play.streams[stream], n)
    return number


@kernel
def draw_best(play: Play, stream: int, number: int) -> int:
    """One of the actions of largest merit."""
    largest, ties = best(play.merits, number)
    return nth_equal(play.merits, largest, draw(play, stream, ties))


@kernel
def deal(plan: Plan, play: Play, table: Table) -> None:
    """Lays the ring."""
    set_up(table, plan.caterpillars)
    places = plan.pile.size
    play.pile[:] = plan.pile
    for place in range(places):
        drawn = draw(play, RING, places - place)
        lay_ring(table, place, play.pile[drawn])
        play.pile[drawn] = play.pile[places - place - 1]


@kernel
def hopeless(plan: Plan, table: Table) -> bool:
    """Whether the Chenilles can never have enough butterflies."""
    on, usable = table.on, plan.usable
    saved = on[SAVED] + on[0] * usable[0] + on[TERRE] * usable[TERRE] + on[CIEL] * usable[CIEL]
    return saved < plan.butterflies


@kernel
def choose_start(plan: Plan, play: Play, table: Table) -> int:
    """The first place of the starting pair."""
    if plan.guepe == 0:
        return draw(play, GUEPE, plan.pile.size // 2)
    return draw_best(play, GUEPE, start_pair(table, plan.flights, play.merits))


@kernel
def choose_offer(plan: Plan, play: Play, table: Table, one: int, two: int, number: int, cards: int) -> int:
    """The packed offer the Guepe lays from the hand ``number``."""
    packed = plan.offers.packed
    first, end = offers_of(plan.offers, play.hand, number)
    if plan.guepe == 0:
        return packed[first + draw(play, GUEPE, end - first)]
    card_gains(table, plan.flights, plan.worth, one, two, play.gains)
    found = offer_merits(packed, first, end, cards, play.gains, plan.optional, play.merits)
    return packed[first + draw_best(play, GUEPE, found)]


@kernel
def declines(plan: Plan, play: Play, table: Table, one: int, two: int, offer: int, cards: int) -> bool:
    """Whether the Chenilles decline one of the ``cards`` of ``offer`` still face down."""
    if plan.chenilles == 0:
        return False
    card_gains(table, plan.flights, plan.worth, one, two, play.gains)
    gain = 0
    if plan.open:
        for place in range(cards):
            gain += play.gains[card(offer, place)] >> 2
    else:
        for kind in range(KINDS):
            gain += play.unseen[kind] * (play.gains[kind] >> 2)
    return gain <= 0


@kernel
def turn(play: Play, offer: int, cards: int) -> Any:
    """(the card turned of ``cards`` face down, the others)."""
    place = draw(play, CARDS, cards)
    kind = card(offer, place)
    play.unseen[kind] -= 1
    return kind, drop(offer, place)


@kernel
def moves(plan: Plan, table: Table, kind: int, one: int, two: int) -> int:
    """Number of ways of carrying out a card."""
    if kind >= WASP_CARDS:
        return flights(table, plan.flights, kind, one, two)
    if kind == SOLEIL:
        return steps(table, 0) + steps(table, 1) + steps(table, 2)
    return steps(table, kind)


@kernel
def carry_step(plan: Plan, play: Play, table: Table, kind: int, number: int, one: int, two: int) -> None:
    """The Chenilles carry out a card that allows ``number`` steps."""
    if plan.chenilles == 0:
        k = draw(play, CHENILLES, number)
        if kind == SOLEIL:
            kind = 0
            while k >= steps(table, kind):
                k -= steps(table, kind)
                kind += 1
        begin, to = starts(table, kind), ends(table, kind)
    else:
        kind = step_card(table, kind)
        begin, to = best_steps(table, plan.flights, kind, one, two)
        k = draw(play, CHENILLES, members(begin) * members(to))
    each = members(to)
    step(table, kind, pick(begin, k // each), pick(to, k % each))


@kernel
def carry_flight(plan: Plan, play: Play, table: Table, kind: int, number: int, one: int, two: int) -> Any:
    """The Guepe carries out a card that allows ``number`` moves; returns the wasps' places, in order."""
    if plan.guepe == 0:
        k = draw(play, GUEPE, number)
    else:
        flight_merits(table, plan.flights, plan.worth, kind, one, two, play.merits)
        k = draw_best(play, GUEPE, number)
    left, passed, arrival = flight(table, plan.flights, kind, one, two, k)
    capture(table, passed)
    capture(table, arrival)
    other = two if left == one else one
    return min(other, arrival), max(other, arrival)


@kernel
def take_all(plan: Plan, play: Play) -> Any:
    """The Guepe takes all cards back; returns (number of the hand, cards)."""
    play.hand[:] = plan.offers.deck
    play.unseen[:] = plan.offers.deck
    return max(plan.offers.first.size - 2, 0), plan.offers.deck.sum()


@kernel
def lay(play: Play, offer: int, cards: int) -> None:
    """Takes the cards of an offer off a hand without a number."""
    for place in range(cards):
        play.hand[card(offer, place)] -= 1


@kernel
def play_game(plan: Plan, play: Play, table: Table) -> Any:
    """One game; returns (decisions, how it ends)."""
    deal(plan, play, table)
    if hopeless(plan, table):
        return 0, LOST
    if plan.decisions == 0:
        return 0, GIVEN_UP
    one = choose_start(plan, play, table)
    two = one + plan.pile.size // 2
    number, held = take_all(plan, play)
    length, turns, numbered = 1, 0, plan.offers.first.size > 0
    while turns < plan.turns:
        if length == plan.decisions:
            return length, GIVEN_UP
        cards = min(plan.offers.size, held)
        offer = choose_offer(plan, play, table, one, two, number, cards)
        length += 1
        number = offer >> LEFT
        held -= cards
        if not numbered:
            lay(play, offer, cards)
        kind, others = turn(play, offer, cards)
        ways = moves(plan, table, kind, one, two)
        if ways == 0 and kind != SOLEIL and cards > 1:
            passed = False
            if plan.optional:
                if length == plan.decisions:
                    return length, GIVEN_UP
                passed = declines(plan, play, table, one, two, others, cards - 1)
                length += 1
            if not passed:
                kind, others = turn(play, others, cards - 1)
                ways = moves(plan, table, kind, one, two)
        if ways > 0:
            if length == plan.decisions:
                return length, GIVEN_UP
            if kind >= WASP_CARDS:
                one, two = carry_flight(plan, play, table, kind, ways, one, two)
            else:
                carry_step(plan, play, table, kind, ways, one, two)
            length += 1
        if held == 0:
            number, held = take_all(plan, play)
        turns += 1
        if table.on[SAVED] >= plan.butterflies:
            return length, WON
        if table.on[CAPTURED] >= plan.captures or hopeless(plan, table):
            return length, LOST
    return length, STOPPED


@kernel
def record(table: Table, ending: int, scores: Any, winners: Any, ranks: Any) -> None:
    """Fills one game's ``scores``, ``winners`` and ``ranks`` [2]."""
    captured, saved = table.on[CAPTURED], table.on[SAVED]
    scores[0], scores[1] = captured, saved
    won = ending == WON
    winners[0], winners[1] = not won, won
    ranks[0], ranks[1] = 1 + won, 2 - won
    if ending == GIVEN_UP:
        winners[:] = 2
        ranks[0], ranks[1] = 1 + (saved > captured), 1 + (captured > saved)


@kernel
def play_block(
    plan: Plan,
    first: int,
    keys: Any,
    scores: Any,
    winners: Any,
    ranks: Any,
    lengths: Any,
    stopped: Any,
    counters: Any,
) -> None:
    """Plays the games from number ``first`` on, one an entry of ``lengths``; fills the columns of a block."""
    places = plan.pile.size
    table = new_table(plan.wide, places, plan.levels)
    play = Play(
        np.zeros(4, np.uint64),
        np.empty(places, np.int64),
        np.empty(KINDS, np.int64),
        np.empty(KINDS, np.int64),
        np.empty(KINDS, np.int64),
        np.empty(max(MOST, 2 * places), np.int64),
    )
    for game in range(lengths.size):
        for stream in range(4):
            play.streams[stream] = start(keys[stream], first + game)
        lengths[game], ending = play_game(plan, play, table)
        record(table, ending, scores[game], winners[game], ranks[game])
        stopped[game] = ending >= STOPPED
        counters[game] = play.streams
