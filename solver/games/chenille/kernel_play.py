"""Whole games, compiled: what the rules of ``play`` and the policies of ``policies`` do, draw by draw.

Policies are numbered: 0 random, 1 greedy.
"""

from __future__ import annotations

from typing import Any

from fable_solve.solver.games.chenille.kernel_play_greedy import (
    best_flights,
    best_offers,
    best_starts,
    best_step_card,
    best_steps,
    second_card_gain,
)
from fable_solve.solver.games.chenille.kernel_play_offers import LEFT, card, drop, offer_at, offers_of_hand
from fable_solve.solver.games.chenille.kernel_play_table import (
    CAPTURED,
    CIEL,
    KINDS,
    SAVED,
    SOLEIL,
    TERRE,
    WASP_CARDS,
    count_flights,
    count_steps,
    flight,
    fly,
    lay_place,
    members,
    pick,
    row,
    set_up,
    step,
)
from fable_solve.solver.jit import lean
from fable_solve.solver.kernel_rng import below, start

RING, CARDS, GUEPE, CHENILLES = 0, 1, 2, 3
"""The random streams."""
LOST, WON, STOPPED, GIVEN_UP = 0, 1, 2, 3
"""How a play ends for the Chenilles; stopped by the turn limit, or (shared) by that of decisions."""
BROKEN_OFF = -1
"""Instead of a number of ways: the limit of decisions was reached."""


@lean
def draw(play: Any, stream: int, n: int) -> Any:
    """A number below ``n`` of a stream."""
    play.streams[stream], number = below(play.streams[stream], n)
    return number


@lean
def draw_best(play: Any, stream: int, ties: int) -> Any:
    """One of the actions gathered."""
    return play.best[draw(play, stream, ties)]


@lean
def deal(rules: Any, play: Any) -> None:
    """Lays the ring."""
    set_up(rules, play)
    places = rules.places
    for place in range(places):
        play.pile[place] = rules.units[place]
    for place in range(places):
        drawn = draw(play, RING, places - place)
        lay_place(play, place, play.pile[drawn])
        play.pile[drawn] = play.pile[places - place - 1]
    count_steps(play)


@lean
def hopeless(rules: Any, play: Any) -> Any:
    """Whether the Chenilles can never have enough butterflies."""
    on, usable = play.on, rules.usable
    saved = on[SAVED] + on[0] * usable[0] + on[TERRE] * usable[TERRE] + on[CIEL] * usable[CIEL]
    return saved < rules.butterflies


@lean
def place_wasps(rules: Any, play: Any) -> None:
    """The Guepe chooses an opposite pair."""
    half = rules.places // 2
    if rules.guepe == 0:
        play.one = draw(play, GUEPE, half)
    else:
        play.one = draw_best(play, GUEPE, best_starts(rules, play))
    play.two = play.one + half
    count_flights(rules, play)
    play.length += 1


@lean
def take_all(rules: Any, play: Any) -> None:
    """The Guepe takes all cards back."""
    play.number = rules.hands - 1
    play.held = rules.cards
    for kind in range(KINDS):
        play.hand[kind] = play.unseen[kind] = rules.deck[kind]


@lean
def lay(rules: Any, play: Any, cards: int) -> Any:
    """The Guepe lays an offer; returns it packed."""
    start, number = offers_of_hand(rules, play)
    if rules.guepe == 0 or number == 1:
        chosen = start + draw(play, GUEPE, number)
    else:
        found = best_offers(rules, play, start, number, cards)
        chosen = start + pick(found, draw(play, GUEPE, members(found)))
    offer = offer_at(rules, play, chosen)
    play.number = offer >> LEFT
    play.held -= cards
    play.length += 1
    if rules.hands == 0:
        for place in range(cards):
            play.hand[card(offer, place)] -= 1
    return offer


@lean
def turn(play: Any, offer: int, cards: int) -> Any:
    """(the card turned of ``cards`` face down, the others)."""
    place = draw(play, CARDS, cards)
    kind = card(offer, place)
    play.unseen[kind] -= 1
    return kind, drop(offer, place)


@lean
def to_carry_out(rules: Any, play: Any, offer: int, cards: int) -> Any:
    """(the card of the offer to be carried out, number of ways), after a second one is turned or declined."""
    kind, others = turn(play, offer, cards)
    number = play.ways[kind]
    if number > 0 or kind == SOLEIL or cards == 1:
        return kind, number
    if rules.optional:
        if play.length == rules.decisions:
            return kind, BROKEN_OFF
        play.length += 1
        if rules.chenilles and second_card_gain(rules, play, others, cards - 1) <= 0:
            return kind, 0
    kind, others = turn(play, others, cards - 1)
    return kind, play.ways[kind]


@lean
def nth_step(play: Any, kind: int, k: int) -> Any:
    """(card that it is a step by, its number among those) of the ``k``-th step that ``kind`` allows."""
    first, second = play.ways[0], play.ways[0] + play.ways[1]
    k += (kind == 1) * first + (kind == 2) * second
    if k >= second:
        return 2, k - second
    if k >= first:
        return 1, k - first
    return 0, k


@lean
def carry_step(rules: Any, play: Any, kind: int, number: int) -> None:
    """The Chenilles carry out a card that allows ``number`` steps."""
    if rules.chenilles == 0:
        kind, k = nth_step(play, kind, draw(play, CHENILLES, number))
        starts, ends = row(play.taken, kind), row(play.free, kind + 1)
    else:
        kind = best_step_card(play, kind)
        starts, ends = best_steps(rules, play, kind)
        k = draw(play, CHENILLES, members(starts) * members(ends))
    each = members(ends)
    step(play, kind, pick(starts, k // each), pick(ends, k % each))


@lean
def carry_flight(rules: Any, play: Any, kind: int, number: int) -> None:
    """The Guepe carries out a card that allows ``number`` moves."""
    if rules.guepe == 0 or number == 1:
        k = draw(play, GUEPE, number)
    else:
        k = draw_best(play, GUEPE, best_flights(rules, play, kind))
    start, passed, arrival = flight(rules, play, kind, k)
    fly(rules, play, start, passed, arrival)


@lean
def play_turn(rules: Any, play: Any) -> bool:
    """A turn; returns whether it was played to its end."""
    cards = min(rules.offer, play.held)
    offer = lay(rules, play, cards)
    kind, number = to_carry_out(rules, play, offer, cards)
    if number != 0:
        if number == BROKEN_OFF or play.length == rules.decisions:
            return False
        play.length += 1
        if kind >= WASP_CARDS:
            carry_flight(rules, play, kind, number)
        else:
            carry_step(rules, play, kind, number)
    if play.held == 0:
        take_all(rules, play)
    return True


@lean
def play_game(rules: Any, play: Any) -> int:
    """One game; returns how it ends."""
    play.length = 0
    deal(rules, play)
    if hopeless(rules, play):
        return LOST
    if rules.decisions == 0:
        return GIVEN_UP
    place_wasps(rules, play)
    take_all(rules, play)
    for _ in range(rules.turns):
        if play.length == rules.decisions or not play_turn(rules, play):
            return GIVEN_UP
        if play.on[SAVED] >= rules.butterflies:
            return WON
        if play.on[CAPTURED] >= rules.captures or hopeless(rules, play):
            return LOST
    return STOPPED


@lean
def record(play: Any, ending: int, scores: Any, winners: Any, ranks: Any) -> None:
    """Fills one game's ``scores``, ``winners`` and ``ranks`` [2]."""
    captured, saved = play.on[CAPTURED], play.on[SAVED]
    scores[0], scores[1] = captured, saved
    won = ending == WON
    winners[0], winners[1] = not won, won
    ranks[0], ranks[1] = 1 + won, 2 - won
    if ending == GIVEN_UP:
        winners[0] = winners[1] = 2
        ranks[0], ranks[1] = 1 + (saved > captured), 1 + (captured > saved)


@lean
def play_block(
    rules: Any,
    play: Any,
    first: int,
    keys: Any,
    scores: Any,
    winners: Any,
    ranks: Any,
    lengths: Any,
    stopped: Any,
    counters: Any,
) -> None:
    """Plays the games from number ``first`` on, one an entry of ``lengths``; fills the columns of a block.

    ``rules`` is a record of ``RULES``, ``play`` one of ``PLAY`` to work in.
    """
    for game in range(lengths.size):
        for stream in range(keys.size):
            play.streams[stream] = start(keys[stream], first + game)
        ending = play_game(rules, play)
        record(play, ending, scores[game], winners[game], ranks[game])
        lengths[game] = play.length
        stopped[game] = ending >= STOPPED
        for stream in range(keys.size):
            counters[game, stream] = play.streams[stream]
