"""Games of automne between random players on a square of at most 16 places, in registers.

The square is one word with 16 bits a type, and so are the legal chains, repeated for each type::

    bits 48-63   32-47   16-31   0-15
           R       N       B      Y        bit p of a part: a card of this type lies on (an ant on) place p

A seat's insect cards are one word too, ten bits a species. Streams: the deal, then the seats.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.cigale.kernel_automne import DEAL, SEATS, enter, set_points
from fable_solve.solver.games.cigale.kernel_pile import ZERO, off_pile
from fable_solve.solver.games.cigale.kernel_round import TYPES, next_roles
from fable_solve.solver.jit import lean, step
from fable_solve.solver.kernel_bits import lowest, nth, size
from fable_solve.solver.kernel_rng import below, start

SPECIES = 6
MOST_PLACES = 16
INSECT_BITS = 10
"""A species has at most ``2**INSECT_BITS - 1`` cards."""

_ONE = np.uint64(1)
_NONE = np.uint64(0)
_PART = np.uint64(0xFFFF)
_TOPS = np.uint64(0x8000_8000_8000_8000)
_INSECT = np.uint64((1 << INSECT_BITS) - 1)


class SmallSquare(NamedTuple):
    """Tables of the words."""

    chains: Any
    """Legal chains; ``[chains]``."""
    shift: Any
    """Lowest bit of each code's type; ``[28]``."""
    insect: Any
    """One card of each code's species; ``[28]``."""


@step
def parts_in_use(word: Any) -> Any:
    """The top bit of every part that is not empty."""
    return (((word & ~_TOPS) + ~_TOPS) | word) & _TOPS


@step
def deal_square(rules: Any, table: Any, square: Any, kept: Any, counter: Any) -> Any:
    """A new game: (counter, the square as a word)."""
    left = rules.deck.shape[0]
    for i in range(left):
        table.pile[i] = rules.deck[i]
    for seat in range(kept.shape[0]):
        table.full[seat], kept[seat] = 0, _NONE
        for path_type in range(TYPES):
            table.shelves[seat, path_type] = 0
    cards = _NONE
    for place in range(table.code.shape[0]):
        counter, card = off_pile(counter, table.pile, left, rules.most_alike)
        left -= 1
        table.code[place] = card
        cards |= _ONE << np.uint64(square.shift[card] + place)
    return counter, cards


@step
def name_types(present: Any, own: Any, other: Any) -> Any:
    """(the Ant's counter, the Cigale's, Choix, guess): top bits of parts; one type is not named."""
    types = size(present)
    choice = guess = lowest(present)
    if types > 1:
        own, k = below(own, types)
        choice = nth(present, k)
        other, k = below(other, types)
        guess = nth(present, k)
    return own, other, choice, guess


@step
def climb(table: Any, seat: int, path_type: int, steps: int, top: int) -> None:
    """A seat's cube goes up a shelf."""
    before = table.shelves[seat, path_type]
    after = min(before + steps, top)
    table.shelves[seat, path_type] = after
    table.full[seat] += (before < top) & (after == top)


@step
def keep_insects(table: Any, square: Any, kept: Any, taken: Any, seat: int) -> None:
    """A seat keeps the insects of the places ``taken``."""
    while taken != _NONE:
        kept[seat] += square.insect[table.code[lowest(taken)]]
        taken &= taken - _ONE


@step
def refill(
    rules: Any, table: Any, square: Any, kept: Any, taken: Any, seat: int, left: int, counter: Any
) -> Any:
    """The same, and each gets a card off a pile of ``left``: (counter, the new cards as a word)."""
    cards, got = _NONE, kept[seat]
    while taken != _NONE:
        place = lowest(taken)
        taken &= taken - _ONE
        got += square.insect[table.code[place]]
        counter, card = off_pile(counter, table.pile, left, rules.most_alike)
        left -= 1
        table.code[place] = card
        cards |= _ONE << np.uint64(square.shift[card] + place)
    kept[seat] = got
    return counter, cards


@step
def record(rules: Any, table: Any, kept: Any, game: int, scores: Any, standing: Any) -> None:
    """Points of each seat, and the key ``points * (cards + 1) + insects`` that the win goes by."""
    for seat in range(scores.shape[1]):
        points, insects = 0, 0
        for species in range(SPECIES):
            here: Any = np.int64(kept[seat] >> np.uint64(INSECT_BITS * species) & _INSECT)
            points += set_points(rules, here)
            insects += here
        enter(rules, table, game, seat, points, insects, scores, standing)


@lean
def play_random_autumns(
    first: int,
    keys: Any,
    rules: Any,
    table: Any,
    square: Any,
    kept: Any,
    scores: Any,
    standing: Any,
    lengths: Any,
    counters: Any,
) -> None:
    """Plays games ``first`` ... and writes a row of each array a game (see ``blocks.from_standing``);
    ``kept[seats]`` are the insect words."""
    seats, top = scores.shape[1], rules.shelf.shape[0] - 1
    for game in range(lengths.shape[0]):
        for stream in range(keys.shape[0]):
            counters[game, stream] = start(keys[stream], first + game)
        counter, cards = deal_square(rules, table, square, kept, counters[game, DEAL])
        left = rules.deck.shape[0] - table.code.shape[0]
        ant, cigale, decisions = ZERO, ZERO + 1, ZERO
        while True:
            own, chain = below(counters[game, SEATS + ant], square.chains.shape[0])
            covered = cards & square.chains[chain]
            present = parts_in_use(covered)
            decisions += 1 + (size(present) > 1)
            own, other, choice, guess = name_types(present, own, counters[game, SEATS + cigale])
            counters[game, SEATS + ant], counters[game, SEATS + cigale] = own, other
            collector = cigale if guess == choice else ant
            part = np.uint64(choice >> 4 << 4)
            taken = (covered >> part) & _PART
            count = size(taken)
            climb(table, collector, choice >> 4, count, top)
            if table.full[collector] >= rules.shelves_to_end or count > left:
                keep_insects(table, square, kept, taken, collector)
                break
            counter, fresh = refill(rules, table, square, kept, taken, collector, left, counter)
            cards = cards & ~(taken << part) | fresh
            left -= count
            ant, cigale = next_roles(ant, cigale, collector, seats)
        counters[game, DEAL] = counter
        lengths[game] = decisions
        record(rules, table, kept, game, scores, standing)
