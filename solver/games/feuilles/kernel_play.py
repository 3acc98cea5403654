"""Whole games of 61 Feuilles d'automne, compiled: the same games as the rules and the policies play.

Lines, moves and the other words are described in :mod:`kernel_play_words`. ``sheets[seats + 1, 8]`` has the
line of every zone of a seat, and a row to try jokers on; ``wide`` is ``None``, or what
:mod:`kernel_play_wide` needs for a sheet with too many states.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.feuilles.kernel_play_wide import narrowed, rule_out, wipe
from fable_solve.solver.games.feuilles.kernel_play_words import (
    JOKER,
    LINES,
    LISTINGS,
    ZONES,
    high,
    line_after,
    low,
    middle,
)
from fable_solve.solver.jit import lean
from fable_solve.solver.kernel_bits import nth, size
from fable_solve.solver.kernel_rng import below, start

THROWS = 216
RANDOM, GREEDY = 0, 1
"""Numbers of the policies; they choose by listings ``2 * policy`` and ``2 * policy + 1``."""
NONE = -1
LEAST = -(1 << 60)
"""Below every rank."""
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
def way_word(tables: Any, wide: Any, sheets: Any, seat: Any, way: Any) -> Any:
    """The word of a way to use a throw."""
    zone, letter = low(way), middle(way)
    return word_of(tables, wide, seat, zone, np.int64(sheets[seat, zone]) + letter, letter)


@lean
def random_move(tables: Any, wide: Any, throw: Any, sheets: Any, seat: Any, counter: Any) -> Any:
    """(counter, way, move): something to write, uniform; ``NONE`` if there is nothing."""
    counts = np.uint64(0)
    for way in range(6):
        counts |= in_byte(low(way_word(tables, wide, sheets, seat, tables.ways[throw, way])), way)
    if counts == np.uint64(0):
        return counter, 0, NONE
    counter, way, place = choose(counts, counter)
    return counter, way, chosen(way_word(tables, wide, sheets, seat, tables.ways[throw, way]), place)


@lean
def joker_points(tables: Any, sheets: Any, seat: Any, jokers: Any) -> Any:
    """What ``jokers`` bring to a sheet, each put where it gains most, the first place among equals."""
    last, total = sheets.shape[0] - 1, 0
    for zone in range(ZONES):
        sheets[last, zone] = sheets[seat, zone]
    for _ in range(jokers):
        best, most = 0, 0
        for zone in range(ZONES):
            word = tables.lines[np.int64(sheets[last, zone]) + JOKER]
            if low(word) and (low(most) == 0 or high(word) > high(most)):
                best, most = zone, word
        if low(most) == 0:
            break
        total += high(most)
        sheets[last, best] = line_after(tables.moves[chosen(most, 0)])
    return total


@lean
def points_after(tables: Any, sheets: Any, seat: Any, zone: Any, move: Any, jokers: Any) -> Any:
    """What ``jokers`` bring to a sheet after a move in a zone."""
    before = sheets[seat, zone]
    sheets[seat, zone] = line_after(move)
    points = joker_points(tables, sheets, seat, jokers)
    sheets[seat, zone] = before
    return points


@lean
def most_elsewhere(tables: Any, sheets: Any, seat: Any, zone: Any) -> Any:
    """What a joker gains in the best of the other zones."""
    most = 0
    for other in range(ZONES):
        points = high(tables.lines[np.int64(sheets[seat, other]) + JOKER])
        most = max(most, points if other != zone else 0)
    return most


@lean
def with_jokers(tables: Any, wide: Any, sheets: Any, seat: Any, zone: Any, letter: Any, jokers: Any) -> Any:
    """The word of a letter in a zone if its moves are worth what they gain with the jokers that follow."""
    line, elsewhere = np.int64(sheets[seat, zone]) + letter, most_elsewhere(tables, sheets, seat, zone)
    every = low(word_of(tables, wide, seat, zone, line % (tables.lines.shape[0] // 2), letter))
    first = middle(word_of(tables, wide, seat, zone, line, letter))
    most, among = 0, 0
    for place in range(LINES):
        if (every >> place) & 1:
            move = tables.moves[first + place]
            if jokers == 1:
                more = max(elsewhere, high(tables.lines[line_after(move) + JOKER]))
            else:
                more = points_after(tables, sheets, seat, zone, move, jokers)
            if high(move) + more > most:
                most, among = high(move) + more, 0
            if high(move) + more == most:
                among |= 1 << place
    return among | first << 8 | most << 32


@lean
def greedy_word(tables: Any, wide: Any, sheets: Any, seat: Any, way: Any, jokers: Any) -> Any:
    """The word of a way to use a throw whose leaf earns ``jokers``."""
    if jokers == 0:
        return way_word(tables, wide, sheets, seat, way)
    return with_jokers(tables, wide, sheets, seat, low(way), middle(way), jokers)


@lean
def greedy_move(tables: Any, wide: Any, throw: Any, sheets: Any, seat: Any, leaf: Any, counter: Any) -> Any:
    """(counter, way, move): what gains most, ties by the smallest leaf, then by lot; ``NONE`` to write."""
    best, counts = LEAST, np.uint64(0)
    for way in range(6):
        use = tables.ways[throw, way]
        leaves = tables.earned[leaf, high(use)]
        word = greedy_word(tables, wide, sheets, seat, use, low(leaves))
        rank = 8 * (high(word) + high(leaves)) - high(use) if low(word) else LEAST
        counts = np.uint64(0) if rank > best else counts
        best = max(best, rank)
        counts |= in_byte(low(word) if rank == best else 0, way)
    if counts == np.uint64(0):
        return counter, 0, NONE
    counter, way, place = choose(counts, counter)
    use = tables.ways[throw, way]
    word = greedy_word(tables, wide, sheets, seat, use, low(tables.earned[leaf, high(use)]))
    return counter, way, chosen(word, place)


@lean
def die_of(tables: Any, throw: Any, place: Any) -> Any:
    """One of the three dice of a throw, ascending: the ways of the rules give each to a zone twice."""
    return low(tables.ways[throw, 2 * place]) + 1


@lean
def greedy_leaf(tables: Any, throw: Any, sheets: Any, seat: Any, leaf: Any, counter: Any) -> Any:
    """(counter, die for the leaves) when nothing can be written."""
    best, counts = LEAST, np.uint64(0)
    for place in range(3):
        die = die_of(tables, throw, place)
        leaves = tables.earned[leaf, die]
        rank = 8 * (high(leaves) + joker_points(tables, sheets, seat, low(leaves))) - die
        counts = np.uint64(0) if rank > best else counts
        best = max(best, rank)
        counts |= in_byte(rank == best, place)
    counter, place, _ = choose(counts, counter)
    return counter, die_of(tables, throw, place)


@lean
def joker_move(tables: Any, sheets: Any, seat: Any, counter: Any) -> Any:
    """(counter, zone, move): a joker where the listing gains most; ``NONE`` if it fits nowhere."""
    most, counts = NONE, np.uint64(0)
    for zone in range(ZONES):
        word = tables.lines[np.int64(sheets[seat, zone]) + JOKER]
        points = high(word) if low(word) else NONE
        counts = np.uint64(0) if points > most else counts
        most = max(most, points)
        counts |= in_byte(low(word) if points == most else 0, zone)
    if counts == np.uint64(0):
        return counter, 0, NONE
    counter, zone, place = choose(counts, counter)
    return counter, zone, chosen(tables.lines[np.int64(sheets[seat, zone]) + JOKER], place)


@lean
def write(tables: Any, wide: Any, sheets: Any, seat: Any, zone: Any, letter: Any, move: Any) -> Any:
    """(points, bit of the zone if it is full now) of a letter written; nothing for the move ``NONE``."""
    if move == NONE:
        return 0, 0
    word = tables.moves[move]
    sheets[seat, zone] = line_after(word)
    if wide is not None:
        rule_out(wide, seat, zone, letter, move)
    return high(word), (word & 1) << zone


@lean
def turn(
    tables: Any, wide: Any, throw: Any, sheets: Any, seat: Any, policy: Any, leaf: Any, counter: Any
) -> Any:
    """(counter, die for the leaves, points, bits of the zones filled) of what a seat does with a throw."""
    if policy == RANDOM:
        counter, way, move = random_move(tables, wide, throw, sheets, seat, counter)
    else:
        counter, way, move = greedy_move(tables, wide, throw, sheets, seat, leaf, counter)
    use = tables.ways[throw, way]
    die = high(use)
    if move == NONE:
        if policy == RANDOM:
            counter, place = below(counter, 3)
            die = die_of(tables, throw, place)
        else:
            counter, die = greedy_leaf(tables, throw, sheets, seat, leaf, counter)
    points, filled = write(tables, wide, sheets, seat, low(use), middle(use), move)
    for _ in range(low(tables.earned[leaf, die])):
        counter, zone, move = joker_move(tables, sheets, seat, counter)
        more, also = write(tables, wide, sheets, seat, zone, JOKER, move)
        points, filled = points + more, filled | also
    return counter, die, points + high(tables.earned[leaf, die]), filled


@lean
def close(sheets: Any, zones: Any, listing: Any) -> None:
    """Has all sheets use the next listing, ``listing`` lines further, in ``zones``: their bonus is gone."""
    for seat in range(sheets.shape[0] - 1):
        for zone in range(ZONES):
            sheets[seat, zone] += listing * ((zones >> zone) & 1)


@lean
def play(
    first: Any,
    keys: Any,
    policies: Any,
    tables: Any,
    wide: Any,
    sheets: Any,
    leaves: Any,
    scores: Any,
    lengths: Any,
    counters: Any,
) -> None:
    """Plays game ``first + g`` into row ``g`` of ``scores[n, seats]``, ``lengths[n]`` and ``counters``.

    ``keys[1 + seats]`` are those of the dice and of every seat, ``counters[n, 1 + seats]`` the final states
    of their streams; ``policies[seats]`` are numbers, ``leaves[seats]`` and ``sheets`` room to work in.
    """
    games, seats = scores.shape
    listing = tables.lines.shape[0] // LISTINGS
    for game in range(games):
        counters[game, 0] = start(keys[0], first + game)
        for seat in range(seats):
            counters[game, 1 + seat] = start(keys[1 + seat], first + game)
            leaves[seat] = scores[game, seat] = 0
            for zone in range(ZONES):
                sheets[seat, zone] = tables.empty[zone] + 2 * policies[seat] * listing
        if wide is not None:
            wipe(wide)
        closed, length, over = 0, 0, False
        while not over:
            counters[game, 0], throw = below(counters[game, 0], THROWS)
            length += 1
            over = length == tables.rounds
            completed = 0
            for seat in range(seats):
                counters[game, 1 + seat], die, points, filled = turn(
                    tables, wide, throw, sheets, seat, policies[seat], leaves[seat], counters[game, 1 + seat]
                )
                leaves[seat] += die
                scores[game, seat] += points
                completed |= filled
                over |= leaves[seat] >= tables.target
            if completed & ~closed:
                close(sheets, completed & ~closed, listing)
                closed |= completed
        lengths[game] = length
