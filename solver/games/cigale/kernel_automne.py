"""Whole games of automne on any square, played by any named policies.

Streams of an episode: the deal, then the seats. ``kept[seat, 7]`` counts a seat's cards by the insect part
of their code: entry 0 has the plain ones, entry 1 + s those of species s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.cigale.kernel_chains import any_of, first_class, largest_sum, lift, put
from fable_solve.solver.games.cigale.kernel_pile import off_pile, one_of, start_streams
from fable_solve.solver.games.cigale.kernel_round import (
    ANT,
    GREEDY,
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
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import length, lowest, size

MARKS = 7
"""Insect parts of a card's code: none, and six species."""
DEAL, SEATS = 0, 1
"""Streams of an episode: the deal, then one a seat."""
POINT = 100.0
"""What a greedy player counts for a point; a card is 1."""


class AutumnRules(NamedTuple):
    """Rule data of automne as arrays."""

    deck: Any
    """Codes, sorted; ``[cards]``."""
    unit: Any
    """Word of counts of each code; ``[28]``."""
    shelf: Any
    """Points of each place on a shelf."""
    sets: Any
    """Points for 0, 1, ... insects of a species."""
    shelves_to_end: int
    most_alike: int
    """Largest number of equal cards in the deck."""
    sum_bits: int
    """Bits that hold the points of any chain."""


@kernel
def step_gain(scale: Any, place: int, steps: int) -> int:
    """Points gained by ``steps`` from ``place`` on a scale whose last entry is the top."""
    top = scale.shape[0] - 1
    return int(scale[min(place + steps, top)] - scale[min(place, top)])


@kernel
def insect_gain(sets: Any, kept: Any, seat: int, code: int) -> int:
    """Points that the insect of a card would bring a seat if it came alone."""
    mark = code % MARKS
    return step_gain(sets, kept[seat, mark], 1) if mark > 0 else 0


@kernel
def expect(
    shelf: Any, sets: Any, code: Any, shelves: Any, kept: Any, seat: int, points: Any, bonus: Any
) -> None:
    """Writes what a greedy seat would gain: ``points[seat, type, cards]``, ``bonus[places]``
    by the insect of each place."""
    for path_type in range(TYPES):
        for count in range(points.shape[2]):
            points[seat, path_type, count] = step_gain(shelf, shelves[seat, path_type], count)
    for place in range(code.shape[0]):
        bonus[place] = insect_gain(sets, kept, seat, code[place])


@kernel
def weigh(
    shelf: Any,
    sets: Any,
    code: Any,
    shelves: Any,
    kept: Any,
    seat: int,
    places: Any,
    chain: int,
    word: Any,
    worths: Any,
) -> None:
    """Writes what each type under the ants is worth to a greedy seat."""
    for path_type in range(TYPES):
        count = cards_of(word, path_type)
        worths[path_type] = POINT * step_gain(shelf, shelves[seat, path_type], count) + count
    for i in range(places.shape[1]):
        card = code[places[chain, i]]
        worths[card // MARKS] += POINT * insect_gain(sets, kept, seat, card)


@kernel
def take(code: Any, places: Any, chain: int, choice: int, kept: Any, seat: int, taken: Any) -> int:
    """A seat takes the cards of a type under a chain; writes their places, returns their number."""
    count = 0
    for i in range(places.shape[1]):
        place = places[chain, i]
        taken[count] = place
        count += code[place] // MARKS == choice
    for i in range(count):
        kept[seat, code[taken[i]] % MARKS] += 1
    return count


@kernel
def climb(shelves: Any, full: Any, seat: int, choice: int, steps: int, top: int) -> None:
    """A seat's cube goes up a shelf; ``full[seats]`` counts the full ones."""
    before = shelves[seat, choice]
    after = min(before + steps, top)
    shelves[seat, choice] = after
    full[seat] += before < top and after == top


@kernel
def record(
    shelf: Any, sets: Any, shelves: Any, kept: Any, cards: int, game: int, scores: Any, standing: Any
) -> None:
    """Points of each seat, and the key ``points * (cards + 1) + insects`` that the win goes by."""
    for seat in range(shelves.shape[0]):
        points, insects = 0, 0
        for path_type in range(TYPES):
            points += shelf[shelves[seat, path_type]]
        for mark in range(1, MARKS):
            points += sets[min(kept[seat, mark], sets.shape[0] - 1)]
            insects += kept[seat, mark]
        scores[game, seat] = points
        standing[game, seat] = points * (cards + 1) + insects


@kernel
def play_autumns(
    first: int,
    keys: Any,
    policies: Any,
    rules: Any,
    chains: Any,
    stage: Any,
    scores: Any,
    standing: Any,
    lengths: Any,
    counters: Any,
) -> None:
    """Plays games ``first`` ... and writes a row of each array a game (see ``blocks.from_standing``)."""
    deck, unit, shelf, sets = rules.deck, rules.unit, rules.shelf, rules.sets
    places, covering, every = chains.places, chains.covering, chains.every
    counts, starts, rows, limits = stage.counts, stage.starts, stage.row, stage.limits
    seats, ants, words = policies.shape[0], places.shape[1], every.shape[0]
    cells, span, top = covering.shape[0], ants + 1, shelf.shape[0] - 1
    streams = np.zeros(keys.shape[0], np.uint64)
    pile, code = np.zeros(deck.shape[0], np.uint8), np.zeros(cells, np.uint8)
    shelves, full = np.zeros((seats, TYPES), np.int64), np.zeros(seats, np.int64)
    kept, taken = np.zeros((seats, MARKS), np.int64), np.zeros(ants, np.int64)
    planes = np.zeros((words, TYPES, length(ants)), np.uint64)
    exact, best = np.zeros((words, TYPES, 1 << length(ants)), np.uint64), np.zeros(words, np.uint64)
    sums, points = np.zeros((words, rules.sum_bits), np.uint64), np.zeros((seats, TYPES, span), np.int64)
    bonus, worths = np.zeros(cells, np.int64), np.zeros(TYPES)
    where = np.zeros((TYPES, rules.sum_bits, span), np.uint16)
    counting = False
    for seat in range(seats):
        counting |= policies[seat] != RANDOM

    for game in range(lengths.shape[0]):
        start_streams(streams, keys, first + game)
        left = deck.shape[0]
        for i in range(left):
            pile[i] = deck[i]
        shelves[:], full[:], kept[:] = 0, 0, 0
        if counting:
            planes[:] = np.uint64(0)
        for place in range(min(cells, left)):
            streams[DEAL], code[place] = off_pile(streams[DEAL], pile, left, rules.most_alike)
            left -= 1
            if counting:
                put(planes, covering, place, code[place] // MARKS)
        ant, cigale, decisions = 0, 1, 0
        while places.shape[0] > 0:
            if policies[ant] == RANDOM:
                chain = one_of(streams, SEATS + ant, places.shape[0])
            else:
                if policies[ant] == GREEDY:
                    expect(shelf, sets, code, shelves, kept, ant, points, bonus)
                    largest_sum(planes, covering, every, points, ant, bonus, exact, sums, where, best)
                else:
                    first_class(planes, every, counts, starts, exact, best)
                chain = any_of(best, streams, SEATS + ant)
            decisions += 1
            word = under(code, places, chain, unit)
            present = types_in(word)
            choice = guess = lowest(present)
            if size(present) > 1:
                decisions += 1
                for role in range(2):
                    seat = cigale if role else ant
                    if policies[seat] == RANDOM:
                        named = any_type(present, streams, SEATS + seat)
                    elif policies[seat] == GREEDY:
                        weigh(shelf, sets, code, shelves, kept, seat, places, chain, word, worths)
                        named = by_worth(worths, present, streams, SEATS + seat)
                    else:
                        named = in_equilibrium(limits, row_of(rows, word, span), role, streams, SEATS + seat)
                    if role == ANT:
                        choice = named
                    else:
                        guess = named
            collector = cigale if guess == choice else ant
            count = take(code, places, chain, choice, kept, collector, taken)
            climb(shelves, full, collector, choice, count, top)
            if full[collector] >= rules.shelves_to_end or count > left:
                break
            for i in range(count):
                place = taken[i]
                streams[DEAL], card = off_pile(streams[DEAL], pile, left, rules.most_alike)
                left -= 1
                code[place] = card
                if counting:
                    lift(planes, covering, place, choice)
                    put(planes, covering, place, card // MARKS)
            ant, cigale = next_roles(ant, cigale, collector, seats)
        lengths[game] = decisions
        record(shelf, sets, shelves, kept, deck.shape[0], game, scores, standing)
        for stream in range(streams.shape[0]):
            counters[game, stream] = streams[stream]
