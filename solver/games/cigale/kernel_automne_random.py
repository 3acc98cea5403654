"""Games of automne between random players on a square of at most 16 places, in registers.

The square is one word with 16 bits a type, and so are the legal chains, repeated for each type::

    bits 48-63   32-47   16-31   0-15
           R       N       B      Y        bit p of a part: a card of this type lies on (an ant on) place p

A seat's insect cards are one word too, ten bits a species. Streams: the deal, then the seats.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.cigale.kernel_pile import off_pile
from fable_solve.solver.games.cigale.kernel_round import next_roles
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import lowest, nth, size
from fable_solve.solver.kernel_rng import below, start

TYPES, SPECIES = 4, 6
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


@kernel
def parts_in_use(word: Any) -> Any:
    """The top bit of every part that is not empty."""
    return (((word & ~_TOPS) + ~_TOPS) | word) & _TOPS


@kernel
def play_random_autumns(
    first: int,
    keys: Any,
    seats: int,
    rules: Any,
    square: Any,
    places: int,
    scores: Any,
    standing: Any,
    lengths: Any,
    counters: Any,
) -> None:
    """Plays games ``first`` ... and writes a row of each array a game (see ``blocks.from_standing``)."""
    deck, shelf, sets = rules.deck, rules.shelf, rules.sets
    chains, shift, insect = square.chains, square.shift, square.insect
    most, top = rules.most_alike, shelf.shape[0] - 1
    pile, code = np.zeros(deck.shape[0], np.uint8), np.zeros(places, np.uint8)
    shelves, full, kept = (
        np.zeros((seats, TYPES), np.int64),
        np.zeros(seats, np.int64),
        np.zeros(seats, np.uint64),
    )
    for game in range(lengths.shape[0]):
        for stream in range(keys.shape[0]):
            counters[game, stream] = start(keys[stream], first + game)
        left = deck.shape[0]
        for i in range(left):
            pile[i] = deck[i]
        for seat in range(seats):
            full[seat], kept[seat] = 0, _NONE
            for path_type in range(TYPES):
                shelves[seat, path_type] = 0
        deal, cards = counters[game, 0], _NONE
        for place in range(places):
            deal, card = off_pile(deal, pile, left, most)
            left -= 1
            code[place] = card
            cards |= _ONE << np.uint64(shift[card] + place)
        ant, cigale, decisions = 0, 1, 0
        while True:
            own, chain = below(counters[game, 1 + ant], chains.shape[0])
            covered = cards & chains[chain]
            present = parts_in_use(covered)
            types = size(present)
            choice = guess = lowest(present)
            decisions += 1
            if types > 1:
                decisions += 1
                own, k = below(own, types)
                choice = nth(present, k)
                counters[game, 1 + cigale], k = below(counters[game, 1 + cigale], types)
                guess = nth(present, k)
            counters[game, 1 + ant] = own
            collector = cigale if guess == choice else ant
            path_type = choice >> 4
            part = np.uint64(path_type << 4)
            taken = (covered >> part) & _PART
            count = size(taken)
            before = shelves[collector, path_type]
            after = min(before + count, top)
            shelves[collector, path_type] = after
            full[collector] += (before < top) & (after == top)
            cards &= ~(taken << part)
            got = kept[collector]
            if full[collector] >= rules.shelves_to_end or count > left:
                while taken != _NONE:
                    got += insect[code[lowest(taken)]]
                    taken &= taken - _ONE
                kept[collector] = got
                break
            while taken != _NONE:
                place = lowest(taken)
                taken &= taken - _ONE
                got += insect[code[place]]
                deal, card = off_pile(deal, pile, left, most)
                left -= 1
                code[place] = card
                cards |= _ONE << np.uint64(shift[card] + place)
            kept[collector] = got
            ant, cigale = next_roles(ant, cigale, collector, seats)
        counters[game, 0] = deal
        lengths[game] = decisions
        for seat in range(seats):
            points, insects = 0, 0
            for path_type in range(TYPES):
                points += shelf[shelves[seat, path_type]]
            for species in range(SPECIES):
                here = np.int64(kept[seat] >> np.uint64(INSECT_BITS * species) & _INSECT)
                points += sets[min(here, sets.shape[0] - 1)]
                insects += here
            scores[game, seat] = points
            standing[game, seat] = points * (deck.shape[0] + 1) + insects
