"""Whole games of 61 Feuilles d'automne, compiled: the same games as the rules and the policies play.

The states of all zones are numbered through (:mod:`fable_solve.solver.games.feuilles.zonestates`), and each
has eight lines, one a letter. A sheet keeps, for every zone, the first line of its state::

    line = 8 * state + letter      letter 0..5 the numbers 1..6, 6 the joker, 7 nothing (has no moves)

A policy chooses by a *listing* of the moves of every line:

    ======= ================================================= =========================
    listing moves that are chosen among                       used by
    ======= ================================================= =========================
    0       all, as the rules list them                       random
    1       those that gain most                              greedy, zone bonus gone
    2       those that gain most, the zone bonus included     greedy, zone bonus open
    ======= ================================================= =========================

Another policy that weighs each zone by itself is one more listing. Words, from the lowest bit on:

    ======================== =========== ============= ===========================================
    word                     bits 0-7    8-31          32-62
    ======================== =========== ============= ===========================================
    ``lines[listing, line]`` their count first of them points the best gain (0 in listing 0)
    ``ways[throw, way]``     zone 0..5   letter        die left for the leaves
    ``earned[total, die]``   jokers      (nothing)     points
    ======================== =========== ============= ===========================================

    ``moves[move]``: bit 0 whether the zone is filled by it, bits 0-31 without the lowest three the line it
    leads to, bits 32-62 the points it gains, zone bonus not included

The moves of a line that are not chosen among follow those that are. ``ways[216, 6]`` are the ways to use a
throw in the order of the rules, with letter 7 where a way repeats an earlier one. ``empty[6]`` is an empty
sheet, ``dice[216, 3]`` a throw, ``limits`` = (leaf target, rounds, zone bonus).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import size
from fable_solve.solver.kernel_rng import below, start

ZONES = 6
LINES = 8
"""Lines of a state."""
JOKER = 6
THROWS = 216
RANDOM, GREEDY = 0, 1
"""Numbers of the policies."""
NONE = -1
LEAST = -(1 << 60)
"""Below every rank."""
LINE = 0xFFFFFFF8
_ONES = np.uint64(0x010101010101)
_HIGH = np.uint64(0x808080808080)
_SIX_BYTES = np.uint64(0xFFFFFFFFFFFF)


@kernel
def count_of(word: Any) -> Any:
    """Moves of a line that are chosen among; the zone of a way; the jokers earned."""
    return word & 0xFF


@kernel
def first_of(word: Any) -> Any:
    """First move of a line; the letter of a way."""
    return (word >> 8) & 0xFFFFFF


@kernel
def points_of(word: Any) -> Any:
    """Points of a line, a move or a leaf; the leaf of a way."""
    return (word >> 32) & 0x7FFFFFFF


@kernel
def in_byte(count: Any, byte: Any) -> Any:
    """A count in one of the bytes of a word."""
    return np.uint64(count) << np.uint64(8 * byte)


@kernel
def choose(counts: Any, counter: Any) -> Any:
    """(counter, byte, place): one of the things counted in six bytes, uniform; together 1 to 127 of them.

    With the sums of the bytes so far, the thing ``k`` drawn lies in the first byte whose sum exceeds ``k``::

        (k + 128) - sum   has its high bit set exactly when   k >= sum
    """
    sums = (counts * _ONES) & _SIX_BYTES
    counter, k = below(counter, np.int64(sums >> np.uint64(40)))
    byte = size(((np.uint64(k) * _ONES | _HIGH) - sums) & _HIGH)
    before = np.int64((sums << np.uint64(8)) >> np.uint64(8 * byte)) & 0xFF
    return counter, byte, k - before


@kernel
def listing(policy: Any, closed: Any, zone: Any) -> Any:
    """The listing a policy chooses by in a zone; bit ``zone`` of ``closed``: its bonus is gone."""
    return 0 if policy == RANDOM else 2 - ((closed >> zone) & 1)


@kernel
def random_move(lines: Any, ways: Any, throw: Any, sheets: Any, seat: Any, counter: Any) -> Any:
    """(counter, way, move): something to write, uniform; ``NONE`` if there is nothing."""
    counts = np.uint64(0)
    for way in range(6):
        word = ways[throw, way]
        line = np.int64(sheets[seat, count_of(word)]) + first_of(word)
        counts |= in_byte(count_of(lines[0, line]), way)
    if counts == np.uint64(0):
        return counter, 0, NONE
    counter, way, place = choose(counts, counter)
    word = ways[throw, way]
    line = np.int64(sheets[seat, count_of(word)]) + first_of(word)
    return counter, way, first_of(lines[0, line]) + place


@kernel
def joker_points(lines: Any, moves: Any, sheets: Any, seat: Any, closed: Any, jokers: Any) -> Any:
    """What ``jokers`` bring to a sheet, each put where it gains most, the first place among equals."""
    last = sheets.shape[0] - 1
    for zone in range(ZONES):
        sheets[last, zone] = sheets[seat, zone]
    total = 0
    for _ in range(jokers):
        most, best, move = NONE, 0, 0
        for zone in range(ZONES):
            word = lines[listing(GREEDY, closed, zone), np.int64(sheets[last, zone]) + JOKER]
            if count_of(word) > 0 and points_of(word) > most:
                most, best, move = points_of(word), zone, first_of(word)
        if most == NONE:
            break
        total += most
        sheets[last, best] = moves[move] & LINE
    return total


@kernel
def move_points(
    lines: Any, moves: Any, sheets: Any, seat: Any, closed: Any, bonus: Any, zone: Any, move: Any, jokers: Any
) -> Any:
    """What a move of a zone gains, with the jokers placed after it."""
    before, word = sheets[seat, zone], moves[move]
    sheets[seat, zone] = word & LINE
    more = joker_points(lines, moves, sheets, seat, closed, jokers)
    sheets[seat, zone] = before
    paid = bonus * (word & 1 & ~(closed >> zone))
    return points_of(word) + paid + more


@kernel
def best_with_jokers(
    lines: Any, moves: Any, sheets: Any, seat: Any, closed: Any, bonus: Any, zone: Any, line: Any, jokers: Any
) -> Any:
    """(points, count) of the best moves of a line when jokers follow."""
    most, ties = LEAST, 0
    word = lines[0, line]
    for move in range(first_of(word), first_of(word) + count_of(word)):
        points = move_points(lines, moves, sheets, seat, closed, bonus, zone, move, jokers)
        if points > most:
            most, ties = points, 0
        ties += points == most
    return most, ties


@kernel
def nth_with_jokers(
    lines: Any, moves: Any, sheets: Any, seat: Any, closed: Any, bonus: Any, zone: Any, line: Any, jokers: Any,
    most: Any, place: Any
) -> Any:  # fmt: skip
    """The move that is number ``place`` among those of a line that bring ``most`` when jokers follow."""
    move = first_of(lines[0, line])
    while True:
        if move_points(lines, moves, sheets, seat, closed, bonus, zone, move, jokers) == most:
            if place == 0:
                return move
            place -= 1
        move += 1


@kernel
def greedy_move(
    lines: Any, moves: Any, ways: Any, earned: Any, throw: Any, sheets: Any, seat: Any, leaf: Any, closed: Any,
    bonus: Any, counter: Any
) -> Any:  # fmt: skip
    """(counter, way, move): what gains most, ties by the smallest leaf, then by lot; ``NONE`` to write."""
    best, counts = LEAST, np.uint64(0)
    for way in range(6):
        word = ways[throw, way]
        zone, die = count_of(word), points_of(word)
        line = np.int64(sheets[seat, zone]) + first_of(word)
        moved, leaves = lines[listing(GREEDY, closed, zone), line], earned[leaf, die]
        points, ties = points_of(moved), count_of(moved)
        if ties > 0 and count_of(leaves) > 0:
            points, ties = best_with_jokers(
                lines, moves, sheets, seat, closed, bonus, zone, line, count_of(leaves)
            )
        rank = 8 * (points + points_of(leaves)) - die if ties > 0 else LEAST
        if rank > best:
            best, counts = rank, np.uint64(0)
        if rank == best:
            counts |= in_byte(ties, way)
    if counts == np.uint64(0):
        return counter, 0, NONE
    counter, way, place = choose(counts, counter)
    word = ways[throw, way]
    zone, die = count_of(word), points_of(word)
    line = np.int64(sheets[seat, zone]) + first_of(word)
    leaves = earned[leaf, die]
    if count_of(leaves) > 0:
        most = ((best + die) >> 3) - points_of(leaves)
        return (
            counter,
            way,
            nth_with_jokers(
                lines, moves, sheets, seat, closed, bonus, zone, line, count_of(leaves), most, place
            ),
        )
    return counter, way, first_of(lines[listing(GREEDY, closed, zone), line]) + place


@kernel
def greedy_leaf(
    lines: Any, moves: Any, dice: Any, earned: Any, throw: Any, sheets: Any, seat: Any, leaf: Any, closed: Any,
    counter: Any
) -> Any:  # fmt: skip
    """(counter, die for the leaves) when nothing can be written."""
    best, counts = LEAST, np.uint64(0)
    for place in range(3):
        die = np.int64(dice[throw, place])
        leaves = earned[leaf, die]
        points = points_of(leaves) + joker_points(lines, moves, sheets, seat, closed, count_of(leaves))
        rank = 8 * points - die
        if rank > best:
            best, counts = rank, np.uint64(0)
        if rank == best:
            counts |= in_byte(1, place)
    counter, place, _ = choose(counts, counter)
    return counter, np.int64(dice[throw, place])


@kernel
def joker_move(lines: Any, sheets: Any, seat: Any, policy: Any, closed: Any, counter: Any) -> Any:
    """(counter, zone, move): a joker anywhere, or where it gains most; ``NONE`` if it fits nowhere."""
    most, counts = NONE, np.uint64(0)
    for zone in range(ZONES):
        word = lines[listing(policy, closed, zone), np.int64(sheets[seat, zone]) + JOKER]
        points, ties = points_of(word), count_of(word)
        if ties > 0 and points > most:
            most, counts = points, np.uint64(0)
        if points == most:
            counts |= in_byte(ties, zone)
    if counts == np.uint64(0):
        return counter, 0, NONE
    counter, zone, place = choose(counts, counter)
    word = lines[listing(policy, closed, zone), np.int64(sheets[seat, zone]) + JOKER]
    return counter, zone, first_of(word) + place


@kernel
def play(
    first: Any, keys: Any, policies: Any, lines: Any, moves: Any, ways: Any, dice: Any, earned: Any, empty: Any,
    limits: Any, standing: Any, lengths: Any, counters: Any
) -> None:  # fmt: skip
    """Plays game ``first + g`` into row ``g`` of ``standing[n, seats]``, ``lengths[n]`` and ``counters``.

    ``keys[1 + seats]`` are those of the dice and of every seat, ``counters[n, 1 + seats]`` the final states
    of their streams; ``policies[seats]`` are numbers.
    """
    games, seats = standing.shape
    target, rounds, bonus = limits
    sheets = np.zeros((seats + 1, LINES), np.uint32)  # one more to try jokers on
    leaves, filled = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    for game in range(games):
        for stream in range(1 + seats):
            counters[game, stream] = start(keys[stream], first + game)
        for seat in range(seats):
            leaves[seat] = standing[game, seat] = 0
            for zone in range(ZONES):
                sheets[seat, zone] = empty[zone]
        closed, length, over = 0, 0, False
        while not over:
            counters[game, 0], throw = below(counters[game, 0], THROWS)
            length += 1
            over = length == rounds
            completed = 0
            for seat in range(seats):
                leaf, counter, policy = leaves[seat], counters[game, 1 + seat], policies[seat]
                if policy == RANDOM:
                    counter, way, move = random_move(lines, ways, throw, sheets, seat, counter)
                else:
                    counter, way, move = greedy_move(
                        lines, moves, ways, earned, throw, sheets, seat, leaf, closed, bonus, counter
                    )
                points, done, die = 0, 0, points_of(ways[throw, way])
                if move != NONE:
                    zone, word = count_of(ways[throw, way]), moves[move]
                    sheets[seat, zone] = word & LINE
                    points, done = points_of(word), (word & 1) << zone
                elif policy == RANDOM:
                    counter, place = below(counter, 3)
                    die = np.int64(dice[throw, place])
                else:
                    counter, die = greedy_leaf(
                        lines, moves, dice, earned, throw, sheets, seat, leaf, closed, counter
                    )
                bonuses = earned[leaf, die]
                points += points_of(bonuses)
                for _ in range(count_of(bonuses)):
                    counter, zone, move = joker_move(lines, sheets, seat, policy, closed, counter)
                    if move != NONE:
                        word = moves[move]
                        sheets[seat, zone] = word & LINE
                        points += points_of(word)
                        done |= (word & 1) << zone
                leaves[seat] = leaf + die
                standing[game, seat] += points
                over |= leaf + die >= target
                counters[game, 1 + seat] = counter
                filled[seat] = done
                completed |= done
            if completed & ~closed:
                for seat in range(seats):
                    standing[game, seat] += bonus * size(np.uint64(filled[seat] & ~closed))
                closed |= completed
        lengths[game] = length
