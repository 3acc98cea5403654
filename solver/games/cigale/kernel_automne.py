"""Whole games of automne, played by any named policies.

``streams`` of an episode: the deal, then the seats. ``kept[seat, 7]`` counts a seat's insect cards by the
insect part of the card's code: entry 0 would be plain cards, entry 1 + s is species s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.cigale.kernel_chains import any_of, first_class, largest_sum, lift, members, put
from fable_solve.solver.games.cigale.kernel_round import (
    ANT,
    CIGALE,
    GREEDY,
    RANDOM,
    TYPES,
    any_type,
    by_worth,
    cards_of,
    covered,
    next_roles,
    stage_name,
    stage_row,
    types_in,
)
from fable_solve.solver.games.cigale.kernel_pile import off_pile, one_of
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import lowest, size
from fable_solve.solver.kernel_rng import start

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


class Table(NamedTuple):
    """One game's table; made once a block."""

    pile: Any
    code: Any
    """Codes on the square; ``[places]``."""
    shelves: Any
    """Places reached; ``[seats, 4]``."""
    full: Any
    """Full shelves of each seat; ``[seats]``."""
    kept: Any
    """``[seats, 7]``."""
    planes: Any
    """Cards of each type under each chain (see ``kernel_chains``)."""
    best: Any
    sums: Any
    points: Any
    """Scratch of a greedy seat: points for 0, 1, ... cards of each type; ``[4, ants + 1]``."""
    bonus: Any
    """The same: points of the insect of each place; ``[places]``."""
    worths: Any
    """The same: worth of each type under the ants; ``[4]``."""
    taken: Any
    """Places collected; ``[ants]``."""


@kernel
def fresh_table(rules: Any, chains: Any, seats: int) -> Any:
    """Arrays of a table."""
    places, words = chains.covering.shape
    ants = chains.places.shape[1]
    bits = 1
    while ants >> bits:
        bits += 1
    return Table(
        np.zeros(rules.deck.shape[0], np.uint8),
        np.zeros(places, np.uint8),
        np.zeros((seats, TYPES), np.int64),
        np.zeros(seats, np.int64),
        np.zeros((seats, MARKS), np.int64),
        np.zeros((TYPES, bits, words), np.uint64),
        np.zeros(words, np.uint64),
        np.zeros((rules.sum_bits, words), np.uint64),
        np.zeros((TYPES, ants + 1), np.int64),
        np.zeros(places, np.int64),
        np.zeros(TYPES),
        np.zeros(ants, np.int64),
    )


@kernel
def step_gain(scale: Any, place: int, steps: int) -> int:
    """Points gained by ``steps`` from ``place`` on a scale whose last entry is the top."""
    top = scale.shape[0] - 1
    return int(scale[min(place + steps, top)] - scale[min(place, top)])


@kernel
def insect_gain(rules: Any, table: Any, seat: int, code: int) -> int:
    """Points that the insect of a card would bring a seat if it came alone."""
    mark = code % MARKS
    return step_gain(rules.sets, table.kept[seat, mark], 1) if mark > 0 else 0


@kernel
def lay(policy: int, seat: int, rules: Any, chains: Any, stage: Any, table: Any, streams: Any) -> int:
    """Chain laid by the Ant on ``seat``."""
    if policy == RANDOM:
        return int(one_of(streams, SEATS + seat, chains.places.shape[0]))
    if policy == GREEDY:
        for path_type in range(TYPES):
            for count in range(table.points.shape[1]):
                table.points[path_type, count] = step_gain(rules.shelf, table.shelves[seat, path_type], count)
        for place in range(table.bonus.shape[0]):
            table.bonus[place] = insect_gain(rules, table, seat, table.code[place])
        largest_sum(
            table.planes, chains.covering, chains.every, table.points, table.bonus, table.sums, table.best
        )
    else:
        first_class(table.planes, chains.every, stage.counts, stage.starts, table.best)
    return any_of(table.best, members(table.best), streams, SEATS + seat)


@kernel
def weigh(rules: Any, table: Any, seat: int, word: Any, places: Any) -> None:
    """Writes what each type under the ants is worth to a greedy seat into ``table.worths``."""
    for path_type in range(TYPES):
        count = cards_of(word, path_type)
        gain = step_gain(rules.shelf, table.shelves[seat, path_type], count)
        table.worths[path_type] = POINT * gain + count
    for i in range(places.shape[0]):
        code = table.code[places[i]]
        table.worths[code // MARKS] += POINT * insect_gain(rules, table, seat, code)


@kernel
def name(
    policy: int,
    role: int,
    seat: int,
    word: Any,
    places: Any,
    rules: Any,
    stage: Any,
    table: Any,
    streams: Any,
) -> int:
    """Type named by the seat in a role."""
    if policy == RANDOM:
        return int(any_type(types_in(word), streams, SEATS + seat))
    if policy == GREEDY:
        weigh(rules, table, seat, word, places)
        return by_worth(table.worths, types_in(word), streams, SEATS + seat)
    return stage_name(stage, stage_row(stage, word, places.shape[0] + 1), role, streams, SEATS + seat)


@kernel
def collect(rules: Any, table: Any, places: Any, choice: int, seat: int) -> int:
    """The seat takes the cards of type ``choice`` on ``places``; returns their number."""
    count = 0
    for i in range(places.shape[0]):
        table.taken[count] = places[i]
        count += table.code[places[i]] // MARKS == choice
    for i in range(count):
        table.kept[seat, table.code[table.taken[i]] % MARKS] += 1
    top = rules.shelf.shape[0] - 1
    before = table.shelves[seat, choice]
    table.shelves[seat, choice] = min(before + count, top)
    table.full[seat] += before < top and before + count >= top
    return count


@kernel
def deal_to(
    place: int, left: int, rules: Any, chains: Any, table: Any, counting: bool, streams: Any
) -> None:
    """A card off a pile of ``left`` comes to a place."""
    code = off_pile(table.pile, left, rules.most_alike, streams, DEAL)
    table.code[place] = code
    if counting:
        put(table.planes, chains.covering, place, code // MARKS)


@kernel
def deal(rules: Any, chains: Any, table: Any, counting: bool, streams: Any) -> int:
    """A new game: the square is dealt; returns what is left of the pile."""
    left = rules.deck.shape[0]
    table.pile[:] = rules.deck
    table.shelves[:] = 0
    table.full[:] = 0
    table.kept[:] = 0
    if counting:
        table.planes[:] = np.uint64(0)
    for place in range(min(left, table.code.shape[0])):
        deal_to(place, left, rules, chains, table, counting, streams)
        left -= 1
    return left


@kernel
def play_one(
    policies: Any, counting: bool, rules: Any, chains: Any, stage: Any, table: Any, streams: Any
) -> int:
    """Plays a game to its end; returns its decisions."""
    seats = policies.shape[0]
    left = deal(rules, chains, table, counting, streams)
    ant, cigale, decisions = 0, 1, 0
    while chains.places.shape[0] > 0:
        places = chains.places[lay(policies[ant], ant, rules, chains, stage, table, streams)]
        word = covered(table.code, places, rules.unit)
        present = types_in(word)
        choice = guess = lowest(present)
        decisions += 1
        if size(present) > 1:
            choice = name(policies[ant], ANT, ant, word, places, rules, stage, table, streams)
            guess = name(policies[cigale], CIGALE, cigale, word, places, rules, stage, table, streams)
            decisions += 1
        collector = cigale if guess == choice else ant
        count = collect(rules, table, places, choice, collector)
        if table.full[collector] >= rules.shelves_to_end or count > left:
            break
        for i in range(count):
            if counting:
                lift(table.planes, chains.covering, table.taken[i], choice)
            deal_to(table.taken[i], left, rules, chains, table, counting, streams)
            left -= 1
        ant, cigale = next_roles(ant, cigale, collector, seats)
    return decisions


@kernel
def record(rules: Any, table: Any, scores: Any, standing: Any) -> None:
    """Points of each seat, and the key ``points * (cards + 1) + insects`` the win goes by."""
    for seat in range(scores.shape[0]):
        points, insects = 0, 0
        for path_type in range(TYPES):
            points += rules.shelf[table.shelves[seat, path_type]]
        for mark in range(1, MARKS):
            points += rules.sets[min(table.kept[seat, mark], rules.sets.shape[0] - 1)]
            insects += table.kept[seat, mark]
        scores[seat] = points
        standing[seat] = points * (rules.deck.shape[0] + 1) + insects


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
    table = fresh_table(rules, chains, policies.shape[0])
    counting = False
    for seat in range(policies.shape[0]):
        counting |= policies[seat] != RANDOM
    for game in range(lengths.shape[0]):
        streams = counters[game]
        for stream in range(keys.shape[0]):
            streams[stream] = start(keys[stream], first + game)
        lengths[game] = play_one(policies, counting, rules, chains, stage, table, streams)
        record(rules, table, scores[game], standing[game])
