"""Whole games of 61 Feuilles d'automne, compiled: the same games as the rules and the policies play.

Lines, moves and the other words, ``tables`` and ``room``: see :mod:`kernel_play_words`. ``wide`` is ``None``,
or what :mod:`kernel_play_wide` needs for a sheet with too many states; ``worth`` is ``None``, or the tables
of values if a seat plays ``OPTIMISED``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.feuilles.kernel_play_wide import narrowed, rule_out, wipe
from fable_solve.solver.games.feuilles.kernel_play_words import (
    JOKER,
    LEAF,
    LINES,
    LISTINGS,
    WROTE,
    ZONES,
    high,
    line_after,
    low,
    middle,
)
from fable_solve.solver.games.feuilles.kernel_worth import (
    NO_RIVAL,
    best_choice,
    best_joker,
    rounds_to_come,
)
from fable_solve.solver.jit import lean
from fable_solve.solver.kernel_bits import nth, size
from fable_solve.solver.kernel_rng import below, start

THROWS = 216
RANDOM, GREEDY, OPTIMISED = 0, 1, 2
"""Numbers of the policies; ``GREEDY`` chooses by listings 2 and 3, the others by 0 and 1."""
NONE = -1
_ONES = np.uint64(0x010101010101)
_HIGH = np.uint64(0x808080808080)
_SIX_BYTES = np.uint64(0xFFFFFFFFFFFF)


@lean
def in_byte(among: Any, byte: Any) -> Any:
    """The number of bits set, as one of the bytes of a word."""
    return np.uint64(size(np.uint64(among))) << np.uint64(8 * byte)


@lean
def choose(counts: Any, counter: Any) -> Any:
    """(counter, byte, place): one of the things counted in six bytes, uniform; together 1 to 127 of them.

    With the sums of the bytes so far, the thing ``k`` drawn lies in the first byte whose sum exceeds ``k``::

        (k + 128) - sum   has its high bit set exactly when   k >= sum
    """
    sums: Any = (counts * _ONES) & _SIX_BYTES
    together: Any = np.int64(sums >> np.uint64(40))
    counter, k = below(counter, together)
    byte = size(((np.uint64(k) * _ONES | _HIGH) - sums) & _HIGH)
    before = np.int64((sums << np.uint64(8)) >> np.uint64(8 * byte)) & 0xFF
    return counter, byte, k - before


@lean
def chosen(word: Any, place: Any) -> Any:
    """The move that is number ``place`` among those a line chooses among."""
    return middle(word) + nth(np.uint64(low(word)), place)


@lean
def word_of(tables: Any, wide: Any, seat: Any, zone: Any, line: Any, letter: Any) -> Any:
    """The word of a line, which is that of a letter in a zone of a seat."""
    if wide is None:
        return tables.lines[line]
    return narrowed(tables, wide, seat, zone, line, letter)


@lean
def way_word(tables: Any, wide: Any, room: Any, seat: Any, way: Any) -> Any:
    """The word of a way to use a throw."""
    zone, letter = low(way), middle(way)
    return word_of(tables, wide, seat, zone, np.int64(room.sheets[seat, zone]) + letter, letter)


@lean
def random_move(tables: Any, wide: Any, throw: Any, room: Any, seat: Any, counter: Any) -> Any:
    """(counter, way, move): something to write, uniform; ``NONE`` if there is nothing."""
    counts = np.uint64(0)
    for way in range(6):
        counts |= in_byte(low(way_word(tables, wide, room, seat, tables.ways[throw, way])), way)
    if counts == np.uint64(0):
        return counter, 0, NONE
    counter, way, place = choose(counts, counter)
    return counter, way, chosen(way_word(tables, wide, room, seat, tables.ways[throw, way]), place)


@lean
def joker_points(tables: Any, room: Any, seat: Any, jokers: Any) -> Any:
    """What ``jokers`` bring to a sheet, each put where it gains most, the first place among equals."""
    last, total = room.sheets.shape[0] - 1, 0
    for zone in range(ZONES):
        room.sheets[last, zone] = room.sheets[seat, zone]
    for _ in range(jokers):
        best, most = 0, 0
        for zone in range(ZONES):
            word = tables.lines[np.int64(room.sheets[last, zone]) + JOKER]
            if low(word) and (low(most) == 0 or high(word) > high(most)):
                best, most = zone, word
        if low(most) == 0:
            break
        total += high(most)
        room.sheets[last, best] = line_after(tables.moves[chosen(most, 0)])
    return total


@lean
def points_after(tables: Any, room: Any, seat: Any, zone: Any, move: Any, jokers: Any) -> Any:
    """What ``jokers`` bring to a sheet after a move in a zone."""
    before = room.sheets[seat, zone]
    room.sheets[seat, zone] = line_after(move)
    points = joker_points(tables, room, seat, jokers)
    room.sheets[seat, zone] = before
    return points


@lean
def most_elsewhere(tables: Any, room: Any, seat: Any, zone: Any) -> Any:
    """What a joker gains in the best of the other zones."""
    most = 0
    for other in range(ZONES):
        points = high(tables.lines[np.int64(room.sheets[seat, other]) + JOKER])
        most = max(most, points if other != zone else 0)
    return most


@lean
def with_jokers(tables: Any, wide: Any, room: Any, seat: Any, zone: Any, letter: Any, jokers: Any) -> Any:
    """The word of a letter in a zone if its moves are worth what they gain with the jokers that follow."""
    line, elsewhere = np.int64(room.sheets[seat, zone]) + letter, most_elsewhere(tables, room, seat, zone)
    every = low(word_of(tables, wide, seat, zone, line % (tables.lines.shape[0] // 2), letter))
    first = middle(word_of(tables, wide, seat, zone, line, letter))
    most, among = 0, 0
    for place in range(LINES):
        if (every >> place) & 1:
            move = tables.moves[first + place]
            if jokers == 1:
                more = max(elsewhere, high(tables.lines[line_after(move) + JOKER]))
            else:
                more = points_after(tables, room, seat, zone, move, jokers)
            if high(move) + more > most:
                most, among = high(move) + more, 0
            if high(move) + more == most:
                among |= 1 << place
    return among | first << 8 | most << 32


@lean
def greedy_word(tables: Any, wide: Any, room: Any, seat: Any, way: Any, jokers: Any) -> Any:
    """The word of a way to use a throw whose leaf earns ``jokers``."""
    if jokers == 0:
        return way_word(tables, wide, room, seat, way)
    return with_jokers(tables, wide, room, seat, low(way), middle(way), jokers)


@lean
def best_of(room: Any, count: Any) -> Any:
    """The moves chosen among of the best of ``count`` ranked words, counted in a byte a word."""
    best, counts = 0, np.uint64(0)
    for index in range(count):
        best = max(best, room.ranked[index] >> 8)
    for index in range(count):
        counts |= in_byte(low(room.ranked[index]) * (room.ranked[index] >> 8 == best), index)
    return counts


@lean
def greedy_move(tables: Any, wide: Any, throw: Any, room: Any, seat: Any, leaf: Any, counter: Any) -> Any:
    """(counter, way, move): what gains most, ties by the smallest leaf, then by lot; ``NONE`` to write."""
    for way in range(6):
        use = tables.ways[throw, way]
        leaves = tables.earned[leaf, high(use)]
        word = greedy_word(tables, wide, room, seat, use, low(leaves))
        rank = (8 * (high(word) + high(leaves) + 1) - high(use)) * (low(word) > 0)
        room.ranked[way] = low(word) | rank << 8
    counts = best_of(room, 6)
    if counts == np.uint64(0):
        return counter, 0, NONE
    counter, way, place = choose(counts, counter)
    first = middle(way_word(tables, wide, room, seat, tables.ways[throw, way]))
    return counter, way, first + nth(np.uint64(low(room.ranked[way])), place)


@lean
def die_of(tables: Any, throw: Any, place: Any) -> Any:
    """One of the three dice of a throw, ascending: the ways of the rules give each to a zone twice."""
    return low(tables.ways[throw, 2 * place]) + 1


@lean
def greedy_leaf(tables: Any, throw: Any, room: Any, seat: Any, leaf: Any, counter: Any) -> Any:
    """(counter, die for the leaves) when nothing can be written."""
    for place in range(3):
        die = die_of(tables, throw, place)
        leaves = tables.earned[leaf, die]
        points = high(leaves) + joker_points(tables, room, seat, low(leaves))
        room.ranked[place] = 1 | (8 * (points + 1) - die) << 8
    counter, place, _ = choose(best_of(room, 3), counter)
    return counter, die_of(tables, throw, place)


@lean
def joker_move(tables: Any, room: Any, seat: Any, counter: Any) -> Any:
    """(counter, zone, move): a joker where the listing gains most; ``NONE`` if it fits nowhere."""
    for zone in range(ZONES):
        word = tables.lines[np.int64(room.sheets[seat, zone]) + JOKER]
        room.ranked[zone] = low(word) | ((high(word) + 1) * (low(word) > 0)) << 8
    counts = best_of(room, ZONES)
    if counts == np.uint64(0):
        return counter, 0, NONE
    counter, zone, place = choose(counts, counter)
    return counter, zone, chosen(tables.lines[np.int64(room.sheets[seat, zone]) + JOKER], place)


@lean
def write(tables: Any, wide: Any, room: Any, seat: Any, zone: Any, letter: Any, move: Any) -> Any:
    """(points, bit of the zone if it is full now) of a letter written; nothing for the move ``NONE``."""
    if move == NONE:
        return 0, 0
    word = tables.moves[move]
    room.sheets[seat, zone] = line_after(word)
    if wide is not None:
        rule_out(wide, seat, zone, letter, move)
    return high(word), (word & 1) << zone


@lean
def turn(
    tables: Any, wide: Any, throw: Any, room: Any, seat: Any, policy: Any, leaf: Any, counter: Any
) -> Any:
    """(counter, die for the leaves, points, bits of the zones filled) of what a seat does with a throw."""
    if policy == RANDOM:
        counter, way, move = random_move(tables, wide, throw, room, seat, counter)
    else:
        counter, way, move = greedy_move(tables, wide, throw, room, seat, leaf, counter)
    use = tables.ways[throw, way]
    die = high(use)
    if move == NONE:
        if policy == RANDOM:
            counter, place = below(counter, 3)
            die = die_of(tables, throw, place)
        else:
            counter, die = greedy_leaf(tables, throw, room, seat, leaf, counter)
    room.sheets[seat, WROTE] = (low(use) + 1) * (move != NONE)
    points, filled = write(tables, wide, room, seat, low(use), middle(use), move)
    for _ in range(low(tables.earned[leaf, die])):
        counter, zone, move = joker_move(tables, room, seat, counter)
        more, also = write(tables, wide, room, seat, zone, JOKER, move)
        points, filled = points + more, filled | also
    return counter, die, points + high(tables.earned[leaf, die]), filled


@lean
def best_turn(
    tables: Any, seen: Any, worth: Any, throw: Any, room: Any, seat: Any, leaf: Any, rival: Any, left: Any
) -> Any:
    """The same of a seat that plays ``OPTIMISED``, which draws nothing by lot.

    It takes ``seen`` for the rules when it chooses. ``rival`` is the largest leaf total of the others,
    ``left`` the number of rounds after this one.
    """
    sheets, race = room.sheets, room.race
    for zone in range(ZONES):
        own = worth.missing[np.int64(sheets[seat, zone]) >> 3]
        race[zone] = room.fewest[np.int64(own == room.fewest[0, zone]), zone]
    left = rounds_to_come(left, tables.target, rival)
    _, way, move, die = best_choice(seen, worth, race, throw, sheets, seat, leaf, left)
    use = tables.ways[throw, way]
    sheets[seat, WROTE] = (low(use) + 1) * (move != NONE)
    points, filled = write(tables, None, room, seat, low(use), middle(use), move)
    earned = tables.earned[leaf, die]
    for _ in range(low(earned)):
        _, zone, move = best_joker(tables, worth, race, sheets, seat, leaf + die, left)
        more, also = write(tables, None, room, seat, zone, JOKER, move)
        points, filled = points + more, filled | also
    return die, points + high(earned), filled


@lean
def look_round(worth: Any, room: Any, seats: Any) -> Any:
    """(largest, next largest) leaf total before a round; notes ``room.fewest``."""
    most, second = 0, 0
    for zone in range(ZONES):
        room.fewest[0, zone] = room.fewest[1, zone] = NO_RIVAL
    for seat in range(seats):
        leaf = room.leaves[seat]
        second = max(second, min(leaf, most))
        most = max(leaf, most)
        for zone in range(ZONES):
            lacks = worth.missing[(np.int64(room.sheets[seat, zone]) >> 3) % worth.missing.shape[0]]
            fewest = room.fewest[0, zone]
            room.fewest[1, zone] = min(room.fewest[1, zone], max(lacks, fewest))
            room.fewest[0, zone] = min(lacks, fewest)
    return most, second


@lean
def close(sheets: Any, zones: Any, listing: Any) -> None:
    """Has all sheets use the next listing, ``listing`` lines further, in ``zones``: their bonus is gone."""
    for seat in range(sheets.shape[0] - 1):
        for zone in range(ZONES):
            sheets[seat, zone] += listing * ((zones >> zone) & 1)


@lean
def record(room: Any, rows: Any) -> None:
    """Writes the sheets of a round into ``rows[seats, 8]``."""
    for seat in range(rows.shape[0]):
        for zone in range(ZONES):
            rows[seat, zone] = room.sheets[seat, zone]
        rows[seat, LEAF] = room.leaves[seat]
        rows[seat, WROTE] = room.sheets[seat, WROTE]


@lean
def play(
    first: Any,
    keys: Any,
    policies: Any,
    tables: Any,
    wide: Any,
    worth: Any,
    room: Any,
    scores: Any,
    lengths: Any,
    counters: Any,
    trace: Any,
) -> None:
    """Plays game ``first + g`` into row ``g`` of ``scores[n, seats]``, ``lengths[n]`` and ``counters``.

    ``keys[1 + seats]`` are those of the dice and of every seat, ``counters[n, 1 + seats]`` the final states
    of their streams; ``policies[seats]`` are numbers. ``trace[n or 0, rounds, seats, 8]`` takes the rows of
    ``Room.sheets`` after every round.
    """
    games, seats = scores.shape
    sheets, leaves = room.sheets, room.leaves
    listing = tables.lines.shape[0] // LISTINGS
    for game in range(games):
        counters[game, 0] = start(keys[0], first + game)
        for seat in range(seats):
            counters[game, 1 + seat] = start(keys[1 + seat], first + game)
            leaves[seat] = scores[game, seat] = 0
            for zone in range(ZONES):
                sheets[seat, zone] = tables.empty[zone] + 2 * (policies[seat] == GREEDY) * listing
        if wide is not None:
            wipe(wide)
        closed, length, over = 0, 0, False
        while not over:
            counters[game, 0], throw = below(counters[game, 0], THROWS)
            length += 1
            over = length == tables.rounds
            completed = 0
            most = second = 0
            if worth is not None:
                most, second = look_round(worth, room, seats)
            for seat in range(seats):
                if worth is not None and policies[seat] == OPTIMISED:
                    rival = second if leaves[seat] == most else most
                    rival = NONE if seats == 1 else rival
                    left = tables.rounds - length
                    die, points, filled = best_turn(
                        tables, tables, worth, throw, room, seat, leaves[seat], rival, left
                    )
                else:
                    counters[game, 1 + seat], die, points, filled = turn(
                        tables,
                        wide,
                        throw,
                        room,
                        seat,
                        policies[seat],
                        leaves[seat],
                        counters[game, 1 + seat],
                    )
                leaves[seat] += die
                scores[game, seat] += points
                completed |= filled
                over |= leaves[seat] >= tables.target
            if game < trace.shape[0]:
                record(room, trace[game, length - 1])
            if completed & ~closed:
                close(sheets, completed & ~closed, listing)
                closed |= completed
        lengths[game] = length
