"""Whole games, compiled: what the rules of ``play`` and the policies of ``policies`` do, draw by draw.

Policies are numbered: 0 random, 1 greedy.
"""

from __future__ import annotations

from typing import Any

from fable_solve.solver.games.chenille.kernel_play_greedy import (
    best,
    best_step_card,
    best_steps,
    card_gains,
    flight_merits,
    nth_equal,
    offer_merits,
    second_card_gain,
    start_merits,
)
from fable_solve.solver.games.chenille.kernel_play_offers import LEFT, card, drop, offers_of_hand
from fable_solve.solver.games.chenille.kernel_play_table import (
    CAPTURED,
    CIEL,
    SAVED,
    SOLEIL,
    TERRE,
    WASP_CARDS,
    flight,
    flights,
    fly,
    lay_place,
    members,
    pick,
    row,
    set_up,
    step,
    steps,
)
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_rng import below, start

RING, CARDS, GUEPE, CHENILLES = 0, 1, 2, 3
"""The random streams."""
LOST, WON, STOPPED, GIVEN_UP = 0, 1, 2, 3
"""How a play ends for the Chenilles; stopped by the turn limit, or (shared) by that of decisions."""
BROKEN_OFF = -1
"""Instead of a number of ways: the limit of decisions was reached."""


@kernel
def draw(play: Any, stream: int, n: int) -> int:
    """A number below ``n`` of a stream."""
    play.streams[stream], number = below(play.streams[stream], n)
    return number


@kernel
def draw_best(play: Any, stream: int, number: int) -> int:
    """One of the actions of largest merit."""
    largest, ties = best(play.merits, number)
    return nth_equal(play.merits, largest, draw(play, stream, ties))


@kernel
def deal(play: Any) -> None:
    """Lays the ring."""
    set_up(play)
    places = play.places
    play.pile[:places] = play.units[:places]
    for place in range(places):
        drawn = draw(play, RING, places - place)
        lay_place(play, place, play.pile[drawn])
        play.pile[drawn] = play.pile[places - place - 1]


@kernel
def hopeless(play: Any) -> bool:
    """Whether the Chenilles can never have enough butterflies."""
    on, usable = play.on, play.usable
    saved = on[SAVED] + on[0] * usable[0] + on[TERRE] * usable[TERRE] + on[CIEL] * usable[CIEL]
    return saved < play.butterflies


@kernel
def place_wasps(play: Any) -> None:
    """The Guepe chooses an opposite pair."""
    half = play.places // 2
    play.one = draw(play, GUEPE, half) if play.guepe == 0 else draw_best(play, GUEPE, start_merits(play))
    play.two = play.one + half
    play.length += 1


@kernel
def take_all(play: Any, first: Any) -> None:
    """The Guepe takes all cards back."""
    play.number = max(first.size - 2, 0)
    play.held = play.deck.sum()
    play.hand[:] = play.deck
    play.unseen[:] = play.deck


@kernel
def lay(play: Any, first: Any, packed: Any, cards: int) -> int:
    """The Guepe lays an offer; returns it packed."""
    start, end = offers_of_hand(play, first, packed)
    if play.guepe == 0:
        k = draw(play, GUEPE, end - start)
    else:
        card_gains(play)
        k = draw_best(play, GUEPE, offer_merits(play, packed, start, end, cards))
    offer = packed[start + k]
    play.number = offer >> LEFT
    play.held -= cards
    play.length += 1
    if first.size == 0:
        for place in range(cards):
            play.hand[card(offer, place)] -= 1
    return offer


@kernel
def turn(play: Any, offer: int, cards: int) -> Any:
    """(the card turned of ``cards`` face down, the others)."""
    place = draw(play, CARDS, cards)
    kind = card(offer, place)
    play.unseen[kind] -= 1
    return kind, drop(offer, place)


@kernel
def ways(play: Any, kind: int) -> int:
    """Number of ways of carrying out a card."""
    if kind >= WASP_CARDS:
        return flights(play, kind)
    if kind == SOLEIL:
        return steps(play, 0) + steps(play, 1) + steps(play, 2)
    return steps(play, kind)


@kernel
def to_carry_out(play: Any, offer: int, cards: int) -> Any:
    """(the card of the offer to be carried out, number of ways), after a second one is turned or declined."""
    kind, others = turn(play, offer, cards)
    number = ways(play, kind)
    if number > 0 or kind == SOLEIL or cards == 1:
        return kind, number
    if play.optional:
        if play.length == play.decisions:
            return kind, BROKEN_OFF
        play.length += 1
        if play.chenilles and second_card_gain(play, others, cards - 1) <= 0:
            return kind, 0
    kind, others = turn(play, others, cards - 1)
    return kind, ways(play, kind)


@kernel
def carry_step(play: Any, kind: int, number: int) -> None:
    """The Chenilles carry out a card that allows ``number`` steps."""
    if play.chenilles == 0:
        k = draw(play, CHENILLES, number)
        if kind == SOLEIL:
            kind = 0
            while k >= steps(play, kind):
                k -= steps(play, kind)
                kind += 1
        starts, ends = row(play.taken, kind), row(play.free, kind + 1)
    else:
        kind = best_step_card(play, kind)
        starts, ends = best_steps(play, kind)
        k = draw(play, CHENILLES, members(starts) * members(ends))
    each = members(ends)
    step(play, kind, pick(starts, k // each), pick(ends, k % each))


@kernel
def carry_flight(play: Any, kind: int, number: int) -> None:
    """The Guepe carries out a card that allows ``number`` moves."""
    if play.guepe == 0:
        k = draw(play, GUEPE, number)
    else:
        k = draw_best(play, GUEPE, flight_merits(play, kind, number))
    start, passed, arrival = flight(play, kind, k)
    fly(play, start, passed, arrival)


@kernel
def play_turn(play: Any, first: Any, packed: Any) -> bool:
    """A turn; returns whether it was played to its end."""
    cards = min(play.offer, play.held)
    offer = lay(play, first, packed, cards)
    kind, number = to_carry_out(play, offer, cards)
    if number != 0:
        if number == BROKEN_OFF or play.length == play.decisions:
            return False
        play.length += 1
        if kind >= WASP_CARDS:
            carry_flight(play, kind, number)
        else:
            carry_step(play, kind, number)
    if play.held == 0:
        take_all(play, first)
    return True


@kernel
def play_game(play: Any, first: Any, packed: Any) -> int:
    """One game; returns how it ends."""
    play.length = 0
    deal(play)
    if hopeless(play):
        return LOST
    if play.decisions == 0:
        return GIVEN_UP
    place_wasps(play)
    take_all(play, first)
    for _ in range(play.turns):
        if play.length == play.decisions or not play_turn(play, first, packed):
            return GIVEN_UP
        if play.on[SAVED] >= play.butterflies:
            return WON
        if play.on[CAPTURED] >= play.captures or hopeless(play):
            return LOST
    return STOPPED


@kernel
def record(play: Any, ending: int, scores: Any, winners: Any, ranks: Any) -> None:
    """Fills one game's ``scores``, ``winners`` and ``ranks`` [2]."""
    captured, saved = play.on[CAPTURED], play.on[SAVED]
    scores[0], scores[1] = captured, saved
    won = ending == WON
    winners[0], winners[1] = not won, won
    ranks[0], ranks[1] = 1 + won, 2 - won
    if ending == GIVEN_UP:
        winners[:] = 2
        ranks[0], ranks[1] = 1 + (saved > captured), 1 + (captured > saved)


@kernel
def play_block(
    play: Any,
    offer_first: Any,
    offers: Any,
    first: int,
    keys: Any,
    scores: Any,
    winners: Any,
    ranks: Any,
    lengths: Any,
    stopped: Any,
    counters: Any,
) -> None:
    """Plays the games from number ``first`` on by the rules in ``play`` (a record of ``PLAY``), one an entry
    of ``lengths``; fills the columns of a block. The offers are those of ``kernel_play_offers``."""
    for game in range(lengths.size):
        for stream in range(keys.size):
            play.streams[stream] = start(keys[stream], first + game)
        ending = play_game(play, offer_first, offers)
        record(play, ending, scores[game], winners[game], ranks[game])
        lengths[game] = play.length
        stopped[game] = ending >= STOPPED
        counters[game] = play.streams
