"""Whole games of Butterfly, compiled: the rules and policies of the package, draw for draw.

A game is played on the lines of :mod:`~fable_solve.solver.games.butterfly.kernel_board` and on one collection
a seat (:mod:`~fable_solve.solver.games.butterfly.kernel_collection`), with ``board[place]`` the kind dealt to
a place. The bag is the first ``left`` units of the pile off which the square is dealt.

Counters of the random streams: deal, bag, start, then one a seat.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver import kernel_rng
from fable_solve.solver.games.butterfly.kernel_board import (
    ONE,
    PLACES,
    SIDE,
    ahead,
    arrival,
    between,
    cross,
    fill,
    heading,
    remove,
)
from fable_solve.solver.games.butterfly.kernel_collection import KINDS, refresh, score, take
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import bit, lowest, nth, size

RANDOM, GREEDY = 0, 1
DEAL, BAG, START, SEATS = 0, 1, 2, 3
CHANCE = -1
NONE = -(1 << 30)
"""Less than any gain: no tile."""


class Tables(NamedTuple):
    """What does not change from game to game."""

    rows: int
    cols: int
    placer: int
    """Seat that puts the hedgehog on the square, or ``CHANCE``."""
    pile: Any
    """``[tiles]``, uint8: kinds in the box, sorted."""
    reach: Any
    """``[4 * places]``, uint64."""
    nets: Any
    """``[places]``, uint64."""
    adds: Any
    """``[kinds, 4]``, uint64."""
    points: Any
    """``[131]``, int64."""
    worth: Any
    """``[kinds]``, int64: gain of each kind to an empty collection."""


class Table(NamedTuple):
    """One game under way; allocated once a block."""

    pile: Any
    board: Any
    lines: Any
    held: Any
    """``[seats, 3]``, uint64."""
    worth: Any
    """``[seats, kinds]``, int64: gain of each kind; kept for greedy seats only."""
    trial: Any
    """``[kinds]``, int64: the same for a collection as it might be."""
    best: Any
    """``[4, places]``, int64: most points in sight of each place in each direction, at the start."""


@kernel
def new_table(tables: Any, seats: int) -> Any:
    return Table(
        np.empty_like(tables.pile),
        np.zeros(PLACES, np.uint8),
        np.zeros(2 * SIDE, np.uint64),
        np.zeros((seats, 3), np.uint64),
        np.zeros((seats, KINDS), np.int64),
        np.zeros(KINDS, np.int64),
        np.zeros((4, PLACES), np.int64),
    )


@kernel
def draw(pile: Any, left: int, counter: Any) -> Any:
    """(counter, kind): a unit comes off the pile of ``left`` units, the last one takes its place."""
    counter, at = kernel_rng.below(counter, left)
    kind = pile[at]
    pile[at] = pile[left - 1]
    return counter, kind


@kernel
def deal(tables: Any, table: Any, counter: Any) -> Any:
    """Fill the square in reading order; returns the counter."""
    left = len(table.pile)
    for unit in range(left):
        table.pile[unit] = tables.pile[unit]
    for row in range(tables.rows):
        for col in range(tables.cols):
            counter, kind = draw(table.pile, left, counter)
            table.board[row << 5 | col] = kind
            left -= 1
    fill(table.lines, tables.rows, tables.cols)
    return counter


@kernel
def start_at(tables: Any, k: int) -> Any:
    """(place, facing) of the k-th start: every square with every facing."""
    square = k >> 2
    return np.uint64(square // tables.cols << 5 | square % tables.cols), np.uint64(k & 3)


@kernel
def see(tables: Any, table: Any) -> None:
    """Most points in sight of each place of the full square, for a seat that holds nothing."""
    best, board, worth = table.best, table.board, tables.worth
    for row in range(tables.rows):
        for col in range(tables.cols):
            place = row << 5 | col
            best[0, place] = max(best[0, place - 32], worth[board[place - 32]]) if row else NONE
            best[3, place] = max(best[3, place - 1], worth[board[place - 1]]) if col else NONE
    for row in range(tables.rows - 1, -1, -1):
        for col in range(tables.cols - 1, -1, -1):
            place = row << 5 | col
            last, edge = row == tables.rows - 1, col == tables.cols - 1
            best[2, place] = NONE if last else max(best[2, place + 32], worth[board[place + 32]])
            best[1, place] = NONE if edge else max(best[1, place + 1], worth[board[place + 1]])


@kernel
def catch(table: Any, place: int, facing: int) -> Any:
    """Most points the first move can bring from a start; 0 where there is none."""
    most = NONE
    for turn in range(4):
        if turn != (facing + 2) & 3:
            most = max(most, table.best[turn, place])
    return 0 if most == NONE else most


@kernel
def greedy_start(tables: Any, table: Any, sign: int, counter: Any) -> Any:
    """(counter, number of the start): the catch that ``sign`` makes largest, equal ones uniformly."""
    see(tables, table)
    most, equal = NONE, 0
    for k in range(4 * tables.rows * tables.cols):
        place, facing = start_at(tables, k)
        value = sign * catch(table, place, facing)
        if value > most:
            most, equal = value, 0
        equal += value == most
    counter, chosen = kernel_rng.below(counter, equal)
    for k in range(4 * tables.rows * tables.cols):
        place, facing = start_at(tables, k)
        if sign * catch(table, place, facing) == most:
            if chosen == 0:
                return counter, k
            chosen -= 1
    return counter, -1


@kernel
def begin(tables: Any, table: Any, policies: Any, counters: Any) -> Any:
    """Number of the start."""
    stream = START if tables.placer == CHANCE else SEATS + tables.placer
    if tables.placer != CHANCE and policies[tables.placer] == GREEDY:
        counters[stream], k = greedy_start(tables, table, 1 if tables.placer == 0 else -1, counters[stream])
        return k
    counters[stream], k = kernel_rng.below(counters[stream], 4 * tables.rows * tables.cols)
    return k


@kernel
def crosses(open_nets: Any, place: Any, to: Any) -> Any:
    """Whether a net lies open between a place and bit ``to`` of its cross."""
    return (between(place, to) & open_nets) != 0


@kernel
def drawn_points(tables: Any, table: Any, seat: int, kind: Any, left: int) -> Any:
    """Points that the tiles of the bag, each on its own, bring the seat after it took a tile of ``kind``."""
    trial, worth, pile = table.trial, table.worth, table.pile
    after = table.held[seat].copy()
    take(after, kind, tables.adds)
    for other in range(KINDS):
        trial[other] = worth[seat, other]
    refresh(after, kind, tables.points, trial)
    total = 0
    for unit in range(left):
        total += trial[pile[unit]]
    return total


@kernel
def greedy_move(
    tables: Any, table: Any, seat: int, place: Any, choices: Any, open_nets: Any, left: int, counter: Any
) -> Any:  # fmt: skip
    """(counter, bit of the destination, whether to draw)."""
    most, equal, draws = NONE, np.uint64(0), np.uint64(0)
    while choices:
        to = np.uint64(lowest(choices))
        choices &= choices - ONE
        kind = np.int64(table.board[arrival(place, to)])
        value = table.worth[seat, kind]
        if open_nets:
            value *= left
            if crosses(open_nets, place, to):
                more = drawn_points(tables, table, seat, kind, left)
                if more > 0:
                    value += more
                    draws |= bit(to)
        if value > most:
            most, equal = value, np.uint64(0)
        if value == most:
            equal |= bit(to)
    counter, k = kernel_rng.below(counter, size(equal))
    to = np.uint64(nth(equal, k))
    return counter, to, (draws >> to & ONE) != 0


@kernel
def random_move(place: Any, choices: Any, open_nets: Any, counter: Any) -> Any:
    """(counter, bit of the destination, whether to draw)."""
    counter, k = kernel_rng.below(counter, size(choices))
    to = np.uint64(nth(choices, k))
    draws = False
    if crosses(open_nets, place, to):
        counter, coin = kernel_rng.below(counter, 2)
        draws = coin == 1
    return counter, to, draws


@kernel
def receive(tables: Any, table: Any, policies: Any, seat: int, kind: Any) -> None:
    """A seat gets a tile."""
    take(table.held[seat], kind, tables.adds)
    if policies[seat] == GREEDY:
        refresh(table.held[seat], kind, tables.points, table.worth[seat])


@kernel
def moves(tables: Any, table: Any, policies: Any, counters: Any, start: int) -> Any:
    """Play from a start to the end; returns the number of moves."""
    seats, lines = len(policies), table.lines
    left = len(table.pile) - tables.rows * tables.cols
    place, facing = start_at(tables, start)
    count, seat = 0, 0
    while True:
        tiles, way = cross(lines, place), ahead(tables.reach, place, facing)
        choices = tiles & way
        if not choices:
            return count
        open_nets = tables.nets[place] & way & ~tiles if left else np.uint64(0)
        stream = SEATS + seat
        if policies[seat] == RANDOM:
            counter, to, draws = random_move(place, choices, open_nets, counters[stream])
        else:
            counter, to, draws = greedy_move(
                tables, table, seat, place, choices, open_nets, left, counters[stream]
            )
        counters[stream] = counter
        place, facing = arrival(place, to), heading(place, to)
        remove(lines, place)
        receive(tables, table, policies, seat, np.int64(table.board[place]))
        if draws:
            counters[BAG], kind = draw(table.pile, left, counters[BAG])
            left -= 1
            receive(tables, table, policies, seat, np.int64(kind))
        count += 1
        seat = seat + 1 if seat + 1 < seats else 0


@kernel
def play(tables: Any, policies: Any, keys: Any, first: int, scores: Any, lengths: Any, counters: Any) -> None:
    """Play ``len(lengths)`` games from number ``first``.

    ``policies[seats]`` are RANDOM or GREEDY; ``keys[3 + seats]``; filled are ``scores[games, seats]``,
    ``lengths[games]`` and ``counters[games, 3 + seats]``.
    """
    seats = len(policies)
    table = new_table(tables, seats)
    for game in range(len(lengths)):
        for stream in range(len(keys)):
            counters[game, stream] = kernel_rng.start(keys[stream], first + game)
        table.held[:] = 0
        for seat in range(seats):
            if policies[seat] == GREEDY:
                table.worth[seat] = tables.worth
        own = counters[game]
        own[DEAL] = deal(tables, table, own[DEAL])
        start = begin(tables, table, policies, own)
        placed = tables.placer != CHANCE
        lengths[game] = moves(tables, table, policies, own, start) + placed
        for seat in range(seats):
            scores[game, seat] = score(table.held[seat], tables.points)
