"""Whole games of automne on any square, played by any named policies.

Streams of an episode: the deal, then the seats. ``rules``, ``table``, ``chains``, ``sets`` and ``stage`` are
the tuples of arrays described here, in :mod:`kernel_chains` and in :mod:`kernel_round`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.cigale.kernel_chains import any_of, first_class, largest_sum, lift, put, split
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
    types_in,
    under,
)
from fable_solve.solver.jit import lean, step
from fable_solve.solver.kernel_bits import lowest, size
from fable_solve.solver.kernel_rng import start_streams

DEAL, SEATS = 0, 1
"""Streams of an episode: the deal, then one a seat."""


class AutumnRules(NamedTuple):
    """Rule data of automne as arrays."""

    deck: Any
    """Codes, sorted; ``[cards]``."""
    unit: Any
    """Word of counts of each code; ``[28]``."""
    shelf: Any
    """Points of each place on a shelf."""
    insects: Any
    """Points for 0, 1, ... insects of a species."""
    shelves_to_end: int
    most_alike: int
    """Largest number of equal cards in the deck."""


class AutumnTable(NamedTuple):
    """The table in the course of a game."""

    streams: Any
    pile: Any
    """Codes; what is left comes first."""
    code: Any
    """Codes on the square; ``[places]``."""
    shelves: Any
    """Places reached; ``[seats, 4]``."""
    full: Any
    """Full shelves; ``[seats]``."""
    kept: Any
    """Cards collected, by the insect part of their code: entry 0 has the plain ones, entry 1 + s those of
    species s; ``[seats, 7]``."""
    taken: Any
    """Places collected last; ``[ants]``."""
    worths: Any
    """Worth of each type under the ants to a greedy seat; ``[4]``."""


@step
def step_gain(scale: Any, place: int, steps: int) -> Any:
    """Points gained by ``steps`` from ``place`` on a scale whose last entry is the top."""
    top = scale.shape[0] - 1
    return scale[min(place + steps, top)] - scale[min(place, top)]


@step
def insect_gain(rules: Any, table: Any, seat: int, code: int) -> Any:
    """Points that the insect of a card would bring a seat if it came alone."""
    mark = code % MARKS
    return step_gain(rules.insects, table.kept[seat, mark], 1) if mark > 0 else 0


@step
def expect(rules: Any, table: Any, sets: Any, seat: int) -> None:
    """Writes what a greedy seat would gain into ``sets.points`` and ``sets.bonus``."""
    for path_type in range(TYPES):
        for count in range(sets.points.shape[2]):
            gain = step_gain(rules.shelf, table.shelves[seat, path_type], count)
            sets.points[seat, path_type, count] = gain
    for place in range(sets.bonus.shape[0]):
        sets.bonus[place] = insect_gain(rules, table, seat, table.code[place])


@step
def lay(policy: int, seat: int, rules: Any, table: Any, chains: Any, sets: Any, stage: Any) -> Any:
    """Chain laid by the Ant."""
    if policy == RANDOM:
        return one_of(table.streams, SEATS + seat, chains.places.shape[0])
    split(sets)
    if policy == GREEDY:
        expect(rules, table, sets, seat)
        largest_sum(sets, chains, seat)
    else:
        first_class(sets, stage)
    return any_of(sets.best, table.streams, SEATS + seat)


@step
def weigh(rules: Any, table: Any, places: Any, chain: int, word: Any, seat: int) -> None:
    """Writes what each type under the ants is worth to a greedy seat."""
    for path_type in range(TYPES):
        count = cards_of(word, path_type)
        gain = step_gain(rules.shelf, table.shelves[seat, path_type], count)
        table.worths[path_type] = POINT * gain + count
    for i in range(places.shape[1]):
        card = table.code[places[chain, i]]
        table.worths[card // MARKS] += POINT * insect_gain(rules, table, seat, card)


@step
def name(
    policy: int, seat: int, role: int, rules: Any, table: Any, places: Any, chain: int, word: Any, stage: Any
) -> Any:
    """Type named by a seat in a role."""
    if policy == RANDOM:
        return any_type(types_in(word), table.streams, SEATS + seat)
    if policy == GREEDY:
        weigh(rules, table, places, chain, word, seat)
        return by_worth(table.worths, types_in(word), table.streams, SEATS + seat)
    return in_equilibrium(stage, word, role, table.streams, SEATS + seat)


@step
def collect(rules: Any, table: Any, places: Any, chain: int, choice: int, seat: int) -> Any:
    """A seat takes the cards of a type under a chain; writes their places, returns their number."""
    count = 0
    for i in range(places.shape[1]):
        place = places[chain, i]
        table.taken[count] = place
        count += table.code[place] // MARKS == choice
    for i in range(count):
        table.kept[seat, table.code[table.taken[i]] % MARKS] += 1
    top = rules.shelf.shape[0] - 1
    before = table.shelves[seat, choice]
    after = min(before + count, top)
    table.shelves[seat, choice] = after
    table.full[seat] += before < top and after == top
    return count


@step
def deal_to(place: int, left: int, rules: Any, table: Any, chains: Any, sets: Any, counting: bool) -> None:
    """A card off a pile of ``left`` comes to a place."""
    counter, card = off_pile(table.streams[DEAL], table.pile, left, rules.most_alike)
    table.streams[DEAL] = counter
    table.code[place] = card
    if counting:
        put(sets, chains, place, card // MARKS)


@step
def deal(rules: Any, table: Any, chains: Any, sets: Any, counting: bool) -> Any:
    """A new game: the square is dealt; returns what is left of the pile."""
    left = rules.deck.shape[0]
    for i in range(left):
        table.pile[i] = rules.deck[i]
    table.shelves[:] = 0
    table.full[:] = 0
    table.kept[:] = 0
    sets.planes[:] = np.uint64(0)
    for place in range(min(left, table.code.shape[0])):
        deal_to(place, left, rules, table, chains, sets, counting)
        left -= 1
    return left


@step
def record(rules: Any, table: Any, game: int, scores: Any, standing: Any) -> None:
    """Points of each seat, and the key ``points * (cards + 1) + insects`` that the win goes by."""
    for seat in range(scores.shape[1]):
        points, insects = 0, 0
        for mark in range(1, MARKS):
            points += set_points(rules, table.kept[seat, mark])
            insects += table.kept[seat, mark]
        enter(rules, table, game, seat, points, insects, scores, standing)


@step
def set_points(rules: Any, insects: int) -> Any:
    """Points of so many insects of a species."""
    return rules.insects[min(insects, rules.insects.shape[0] - 1)]


@step
def enter(
    rules: Any, table: Any, game: int, seat: int, points: Any, insects: int, scores: Any, standing: Any
) -> None:
    """Score and key of a seat with ``points`` for its insects."""
    for path_type in range(TYPES):
        points += rules.shelf[table.shelves[seat, path_type]]
    scores[game, seat] = points
    standing[game, seat] = points * (rules.deck.shape[0] + 1) + insects


@lean
def play_autumns(
    first: int,
    keys: Any,
    policies: Any,
    counting: bool,
    rules: Any,
    table: Any,
    chains: Any,
    sets: Any,
    stage: Any,
    scores: Any,
    standing: Any,
    lengths: Any,
    counters: Any,
) -> None:
    """Plays games ``first`` ... and writes a row of each array a game (see ``blocks.from_standing``).

    ``counting``: whether cards are to be counted for every chain, as all but random players need it.
    """
    places = chains.places
    for game in range(lengths.shape[0]):
        start_streams(table.streams, keys, first + game)
        left = deal(rules, table, chains, sets, counting)
        ant, cigale, decisions = ZERO, ZERO + 1, ZERO
        while places.shape[0] > 0:
            chain = lay(policies[ant], ant, rules, table, chains, sets, stage)
            word = under(table.code, places, chain, rules.unit)
            choice = guess = lowest(types_in(word))
            decisions += 1
            if size(types_in(word)) > 1:
                choice = name(policies[ant], ant, ANT, rules, table, places, chain, word, stage)
                guess = name(policies[cigale], cigale, CIGALE, rules, table, places, chain, word, stage)
                decisions += 1
            collector = cigale if guess == choice else ant
            count = collect(rules, table, places, chain, choice, collector)
            if table.full[collector] >= rules.shelves_to_end or count > left:
                break
            for i in range(count):
                if counting:
                    lift(sets, chains, table.taken[i], choice)
                deal_to(table.taken[i], left - i, rules, table, chains, sets, counting)
            left -= count
            ant, cigale = next_roles(ant, cigale, collector, policies.shape[0])
        lengths[game] = decisions
        record(rules, table, game, scores, standing)
        for stream in range(keys.shape[0]):
            counters[game, stream] = table.streams[stream]
