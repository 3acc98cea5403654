"""Whole games of Butterfly, compiled: the rules and policies of the package, draw for draw.

A game under way is

=========  =====================  ================================================================
array      shape                  holds
=========  =====================  ================================================================
board      [places] uint8         kind dealt to each place (it stays when the tile is taken)
lines      [64] uint64            where tiles lie (``kernel_board``)
held       [seats + 1, 3] uint64  collections (``kernel_collection``); the last row is for trials
worth      [seats + 1, 64] int64  gain of each kind, kept for greedy seats only; likewise
pile       [tiles] uint8          what is not dealt yet: the bag is its first ``left`` units
streams    [3 + seats] uint64     counters of the random streams: deal, bag, start, seats
=========  =====================  ================================================================

and its place, facing, seat and ``left``. The tables of the rules do not change: ``size`` (rows and columns),
``box`` (kinds of all tiles, sorted), ``reach`` and ``nets`` (``kernel_board``), ``adds`` and ``points``
(``kernel_collection``), ``first_worth[64]`` (gains of an empty collection).
"""

from __future__ import annotations

from typing import Any

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
from fable_solve.solver.games.butterfly.kernel_collection import refresh, score, take
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import bit, lowest, nth, size

RANDOM, GREEDY = 0, 1
DEAL, BAG, START, SEATS = 0, 1, 2, 3
CHANCE = -1
NONE = -(1 << 30)
"""Less than any gain: no tile."""


@kernel
def draw(pile: Any, left: Any, counter: Any) -> Any:
    """(counter, kind): a unit comes off the pile of ``left`` units, the last one takes its place."""
    counter, at = kernel_rng.below(counter, left)
    kind = pile[at]
    pile[at] = pile[left - 1]
    return counter, kind


@kernel
def deal(rows: int, cols: int, box: Any, pile: Any, board: Any, lines: Any, counter: Any) -> Any:
    """Fill the square in reading order; returns the counter."""
    left = len(box)
    for unit in range(left):
        pile[unit] = box[unit]
    for row in range(rows):
        for col in range(cols):
            counter, kind = draw(pile, left, counter)
            board[row << 5 | col] = kind
            left -= 1
    fill(lines, rows, cols)
    return counter


@kernel
def start_at(cols: int, k: Any) -> Any:
    """(place, facing) of the k-th start: every square with every facing."""
    square = k >> 2
    return np.uint64(square // cols << 5 | square % cols), np.uint64(k & 3)


@kernel
def see(rows: int, cols: int, board: Any, worth: Any, best: Any) -> None:
    """Most points in sight of each place of the full square in each direction: ``best[4, places]``."""
    for row in range(rows):
        for col in range(cols):
            place = row << 5 | col
            best[0, place] = max(best[0, place - 32], worth[board[place - 32]]) if row else NONE
            best[3, place] = max(best[3, place - 1], worth[board[place - 1]]) if col else NONE
    for row in range(rows - 1, -1, -1):
        for col in range(cols - 1, -1, -1):
            place = row << 5 | col
            below, right = row < rows - 1, col < cols - 1
            best[2, place] = max(best[2, place + 32], worth[board[place + 32]]) if below else NONE
            best[1, place] = max(best[1, place + 1], worth[board[place + 1]]) if right else NONE


@kernel
def catch(best: Any, place: Any, facing: Any) -> Any:
    """Most points the first move can bring from a start; 0 where there is none."""
    most = NONE
    for turn in range(4):
        if turn != (facing + np.uint64(2)) & np.uint64(3):
            most = max(most, best[turn, place])
    return 0 if most == NONE else most


@kernel
def greedy_start(rows: int, cols: int, board: Any, worth: Any, best: Any, sign: Any, counter: Any) -> Any:
    """(counter, number of the start): the catch that ``sign`` makes largest, equal ones uniformly."""
    see(rows, cols, board, worth, best)
    most, equal = NONE, 0
    for k in range(4 * rows * cols):
        place, facing = start_at(cols, k)
        value = sign * catch(best, place, facing)
        if value > most:
            most, equal = value, 0
        equal += value == most
    counter, chosen = kernel_rng.below(counter, equal)
    for k in range(4 * rows * cols):
        place, facing = start_at(cols, k)
        chosen -= sign * catch(best, place, facing) == most
        if chosen < 0:
            return counter, k
    return counter, -1


@kernel
def crosses(open_nets: Any, place: Any, to: Any) -> Any:
    """Whether a net lies open between a place and bit ``to`` of its cross."""
    return (between(place, to) & open_nets) != 0


@kernel
def drawn_points(
    seat: Any, kind: Any, left: Any, pile: Any, held: Any, worth: Any, adds: Any, points: Any
) -> Any:  # fmt: skip
    """Points that the tiles of the bag, each on its own, bring the seat after it took a tile of ``kind``."""
    trial = len(held) - 1
    for word in range(3):
        held[trial, word] = held[seat, word]
    for other in range(64):
        worth[trial, other] = worth[seat, other]
    take(held, trial, kind, adds)
    refresh(held, trial, kind, points, worth, trial)
    total = 0
    for unit in range(left):
        total += worth[trial, pile[unit]]
    return total


@kernel
def greedy_move(
    seat: Any, place: Any, choices: Any, open_nets: Any, left: Any, board: Any, pile: Any, held: Any,
    worth: Any, adds: Any, points: Any, counter: Any,
) -> Any:  # fmt: skip
    """(counter, bit of the destination, whether to draw)."""
    most, equal, draws = NONE, np.uint64(0), np.uint64(0)
    while choices:
        to = np.uint64(lowest(choices))
        choices &= choices - ONE
        kind = np.int64(board[arrival(place, to)])
        value = worth[seat, kind]
        if open_nets:
            value *= left
            if crosses(open_nets, place, to):
                more = drawn_points(seat, kind, left, pile, held, worth, adds, points)
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
def play(
    extent: Any, placer: int, box: Any, reach: Any, nets: Any, adds: Any, points: Any, first_worth: Any,
    policies: Any, keys: Any, first: int, scores: Any, lengths: Any, counters: Any,
) -> None:  # fmt: skip
    """Play ``len(lengths)`` games from number ``first``.

    ``placer`` is the seat that puts the hedgehog on the square, or CHANCE; ``policies[seats]`` are RANDOM or
    GREEDY; ``keys[3 + seats]``. Filled are ``scores[games, seats]``, ``lengths[games]`` and
    ``counters[games, 3 + seats]``.
    """
    seats, rows, cols = len(policies), extent[0], extent[1]
    board, lines, pile = np.zeros(PLACES, np.uint8), np.zeros(2 * SIDE, np.uint64), np.empty_like(box)
    held, worth = np.zeros((seats + 1, 3), np.uint64), np.zeros((seats + 1, 64), np.int64)
    best, streams = np.zeros((4, PLACES), np.int64), np.zeros(3 + seats, np.uint64)
    starts = 4 * rows * cols
    start_stream = START if placer == CHANCE else SEATS + placer
    greedy_placer = placer != CHANCE and policies[placer] == GREEDY
    for game in range(len(lengths)):
        for stream in range(len(keys)):
            streams[stream] = kernel_rng.start(keys[stream], first + game)
        for seat in range(seats):
            for word in range(3):
                held[seat, word] = 0
            if policies[seat] == GREEDY:
                for kind in range(64):
                    worth[seat, kind] = first_worth[kind]
        streams[DEAL] = deal(rows, cols, box, pile, board, lines, streams[DEAL])
        if greedy_placer:
            sign = 1 if placer == 0 else -1
            counter, k = greedy_start(rows, cols, board, first_worth, best, sign, streams[start_stream])
        else:
            counter, k = kernel_rng.below(streams[start_stream], starts)
        streams[start_stream] = counter
        place, facing = start_at(cols, k)
        left, seat = len(pile) - rows * cols, 0
        count = np.int64(placer != CHANCE)
        while True:
            tiles, way = cross(lines, place), ahead(reach, place, facing)
            choices = tiles & way
            if not choices:
                break
            open_nets = nets[place] & way & ~tiles if left else np.uint64(0)
            counter = streams[SEATS + seat]
            if policies[seat] == RANDOM:
                counter, to, draws = random_move(place, choices, open_nets, counter)
            else:
                counter, to, draws = greedy_move(
                    seat, place, choices, open_nets, left, board, pile, held, worth, adds, points, counter
                )
            streams[SEATS + seat] = counter
            place, facing = arrival(place, to), heading(place, to)
            remove(lines, place)
            kind = np.int64(board[place])
            take(held, seat, kind, adds)
            if policies[seat] == GREEDY:
                refresh(held, seat, kind, points, worth, seat)
            if draws:
                counter, drawn = draw(pile, left, streams[BAG])
                streams[BAG] = counter
                kind, left = np.int64(drawn), left - 1
                take(held, seat, kind, adds)
                if policies[seat] == GREEDY:
                    refresh(held, seat, kind, points, worth, seat)
            count += 1
            seat = seat + 1 if seat + 1 < seats else 0
        lengths[game] = count
        for seat in range(seats):
            scores[game, seat] = score(held, seat, points)
        for stream in range(len(keys)):
            counters[game, stream] = streams[stream]
