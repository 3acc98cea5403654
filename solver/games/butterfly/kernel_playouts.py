"""Whole games of Butterfly, compiled: the rules and policies of the package, draw for draw.

A game under way is

=========  =====================  ================================================================
array      shape                  holds
=========  =====================  ================================================================
board      [places] uint8         kind dealt to each place (it stays when the tile is taken)
lines      [64] uint64            where tiles lie (``kernel_board``)
held       [seats + 1, 3] uint64  collections (``kernel_collection``); the last row is for trials
worth      [seats + 1, 64] int32  gain of each kind, for the seats of ``kept``; likewise
pile       [tiles] uint8          what is not dealt yet: the bag is its first ``left`` units
bag        [64] int32             tiles of each kind in the bag, if any seat is ``kept``
streams    [3 + seats] uint64     counters of the random streams: deal, bag, start, seats
now        [7] int64              place, facing, seat to move, ``left``, moves so far, row, stage
=========  =====================  ================================================================

``sight[2, places + 32]`` and ``values[starts]``, int32, are room for the choice of a start. The tables of the
rules stay as they are: ``extent`` (rows, columns), ``box`` (all tiles, sorted), ``reach`` and ``nets``
(``kernel_board``), ``adds`` and ``points`` (``kernel_collection``), ``first_worth[64]`` (gains of an empty
collection). ``kept[seats]`` says whose gains somebody looks at.

The row is that of the game in the results; its stage is ``NEW`` before it is laid out, ``PLACING`` until the
hedgehog is put down, then ``MOVING``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver import kernel_rng
from fable_solve.solver.games.butterfly.kernel_board import (
    ONE,
    SIDE,
    ahead,
    arrival,
    beyond,
    cross,
    fill,
    heading,
    remove,
)
from fable_solve.solver.games.butterfly.kernel_collection import refresh, score, take
from fable_solve.solver.games.butterfly.kernel_marginal import NONE, marginal_move
from fable_solve.solver.games.butterfly.kernel_search import DRAW, MEAN, TO
from fable_solve.solver.jit import lean, step
from fable_solve.solver.kernel_bits import nth, size

RANDOM, GREEDY, LOOKAHEAD, SEARCH = 0, 1, 2, 3
DEAL, BAG, START, SEATS = 0, 1, 2, 3
CHANCE = SEARCHED = -1
PLACE, FACING, SEAT, LEFT, LENGTH, ROW, STAGE = range(7)
NOW = 7
NEW, PLACING, MOVING = range(3)
DOWN = np.uint64(SIDE)


@step
def deal(rows: int, cols: int, box: Any, pile: Any, board: Any, lines: Any, counter: Any) -> Any:
    """Fill the square in reading order; returns the counter."""
    left = len(box)
    for unit in range(left):
        pile[unit] = box[unit]
    for row in range(rows):
        for col in range(cols):
            counter, kind = kernel_rng.off_pile(counter, pile, left)
            board[row << 5 | col] = kind
            left -= 1
    fill(lines, rows, cols)
    return counter


@step
def start_at(cols: int, k: Any) -> Any:
    """(place, facing) of the k-th start: every square with every facing."""
    square = k >> 2
    return np.uint64(square // cols << 5 | square % cols), np.uint64(k & 3)


@step
def catches(rows: int, cols: int, board: Any, worth: Any, sight: Any, values: Any) -> None:
    """Most points the first move can bring from each start on the full square, 0 where there is no move:
    ``values[starts]``. ``sight[2, places]`` keeps what is seen to the north and to the west; on the way back
    what is seen to the south takes the place of the former."""
    none = np.int32(NONE)
    for col in range(cols):
        sight[0, col] = none
    for row in range(rows):
        west = none
        for col in range(cols):
            place = np.uint64(row << 5 | col)
            here = worth[board[place]]
            sight[1, place] = west
            sight[0, place + DOWN] = max(sight[0, place], here)
            west = max(west, here)
    for col in range(cols):
        sight[0, rows << 5 | col] = none
    for row in range(rows - 1, -1, -1):
        east = none
        for col in range(cols - 1, -1, -1):
            place = np.uint64(row << 5 | col)
            here = worth[board[place]]
            north, west, south = sight[0, place], sight[1, place], sight[0, place + DOWN]
            start = np.uint64(4 * (row * cols + col))
            values[start] = _caught(north, max(east, west))
            values[start | np.uint64(1)] = _caught(east, max(north, south))
            values[start | np.uint64(2)] = _caught(south, max(east, west))
            values[start | np.uint64(3)] = _caught(west, max(north, south))
            sight[0, place] = max(south, here)
            east = max(east, here)


@step
def _caught(straight: Any, aside: Any) -> Any:
    most = max(straight, aside)
    return most if most > NONE else np.int32(0)


@step
def greedy_start(
    rows: int, cols: int, board: Any, worth: Any, sight: Any, values: Any, sign: Any, counter: Any
) -> Any:  # fmt: skip
    """(counter, number of the start): the catch that ``sign`` makes largest, equal ones uniformly."""
    catches(rows, cols, board, worth, sight, values)
    most, equal = sign * values[0], 0
    for start in range(1, len(values)):
        most = max(most, sign * values[start])
    most *= sign
    for start in range(len(values)):
        equal += values[start] == most
    counter, chosen = kernel_rng.below(counter, equal)
    start = 0
    while chosen or values[start] != most:
        chosen -= values[start] == most
        start += 1
    return counter, start


@step
def random_move(choices: Any, offers: Any, counter: Any) -> Any:
    """(counter, bit of the destination, whether to draw)."""
    counter, k = kernel_rng.below(counter, size(choices))
    to = np.uint64(nth(choices, k))
    draws = np.uint64(0)
    if offers >> to & ONE:
        counter, coin = kernel_rng.below(counter, 2)
        draws = np.uint64(coin)
    return counter, to, draws


@step
def prepare(first_worth: Any, kept: Any, held: Any, worth: Any) -> None:
    """Nobody holds anything."""
    for seat in range(len(kept)):
        for word in range(3):
            held[seat, word] = 0
        if kept[seat]:
            for kind in range(64):
                worth[seat, kind] = first_worth[kind]


@step
def count_bag(pile: Any, left: Any, bag: Any) -> None:
    """Numbers of tiles of each kind among the first ``left`` of the pile."""
    for kind in range(64):
        bag[kind] = 0
    for unit in range(left):
        bag[pile[unit]] += 1


@step
def begin(
    extent: Any, placer: Any, first_worth: Any, policies: Any, board: Any, sight: Any, values: Any,
    streams: Any,
) -> Any:  # fmt: skip
    """Number of the start; ``SEARCHED`` if a searching seat places."""
    stream = START if placer == CHANCE else SEATS + placer
    if placer != CHANCE and policies[placer] == SEARCH:
        return SEARCHED
    if placer != CHANCE and policies[placer] != RANDOM:
        sign = 1 if placer == 0 else -1
        counter, start = greedy_start(
            extent[0], extent[1], board, first_worth, sight, values, sign, streams[stream]
        )
    else:
        counter, start = kernel_rng.below(streams[stream], len(values))
    streams[stream] = counter
    return start


@step
def receive(seat: Any, kind: Any, kept: Any, held: Any, worth: Any, adds: Any, points: Any) -> None:
    """A seat gets a tile."""
    take(held, seat, kind, adds)
    if kept[seat]:
        refresh(held, seat, kind, points, worth, seat)


@step
def put_down(extent: Any, start: Any, left: Any, now: Any) -> None:
    """The hedgehog is put on the square; seat 0 is to move."""
    place, facing = start_at(extent[1], start)
    now[PLACE], now[FACING], now[SEAT], now[LEFT], now[LENGTH] = place, facing, 0, left, 0


@step
def moves(
    code: Any, now: Any, reach: Any, nets: Any, adds: Any, points: Any, policies: Any, kept: Any, board: Any,
    lines: Any, held: Any, worth: Any, pile: Any, bag: Any, streams: Any,
) -> Any:  # fmt: skip
    """Play on from ``now`` to the end; returns whether it was reached. Else a searching seat is to move: the
    ``code`` of its move is then due (``SEARCHED``: none is known)."""
    place, facing, seat = np.uint64(now[PLACE]), np.uint64(now[FACING]), now[SEAT]
    left, count = now[LEFT], now[LENGTH]
    while True:
        tiles, way = cross(lines, place), ahead(reach, place, facing)
        choices = tiles & way
        if not choices or (policies[seat] == SEARCH and code == SEARCHED):
            now[PLACE], now[FACING], now[SEAT], now[LEFT], now[LENGTH] = place, facing, seat, left, count
            return not choices
        offers = beyond(place, nets[place] & way & ~tiles) & choices if left else np.uint64(0)
        counter = streams[SEATS + seat]
        if policies[seat] == SEARCH:
            to, draws = np.uint64(code & TO), np.uint64((code & (DRAW | MEAN)) != 0)
            code = np.int64(SEARCHED)
        elif policies[seat] == RANDOM:
            counter, to, draws = random_move(choices, offers, counter)
        else:
            rivals = len(policies) - 1 if policies[seat] == LOOKAHEAD else 0
            counter, to, draws = marginal_move(
                seat, rivals, place, choices, offers, left, reach, lines, board, bag, held, worth, adds,
                points, counter,
            )  # fmt: skip
        streams[SEATS + seat] = counter
        place, facing = arrival(place, to), heading(place, to)
        remove(lines, place)
        kind = np.int64(board[place])
        while True:
            receive(seat, kind, kept, held, worth, adds, points)
            if not draws:
                break
            counter, drawn = kernel_rng.off_pile(streams[BAG], pile, left)
            kind, left, draws = np.int64(drawn), left - 1, np.uint64(0)
            streams[BAG] = counter
            bag[kind] -= 1
        count += 1
        seat = seat + 1 if seat + 1 < len(policies) else 0


@step
def lay_out(
    number: Any, extent: Any, box: Any, first_worth: Any, board: Any, lines: Any, held: Any, worth: Any,
    pile: Any, bag: Any, streams: Any, kept: Any, keys: Any,
) -> None:  # fmt: skip
    """A game of this number up to the start: streams, square, bag; nobody holds anything."""
    any_kept = False
    for seat in range(len(kept)):
        any_kept |= kept[seat]
    kernel_rng.start_streams(streams, keys, number)
    prepare(first_worth, kept, held, worth)
    streams[DEAL] = deal(extent[0], extent[1], box, pile, board, lines, streams[DEAL])
    if any_kept:
        count_bag(pile, len(pile) - extent[0] * extent[1], bag)


@step
def note(
    row: Any, placer: Any, points: Any, held: Any, streams: Any, now: Any, scores: Any, lengths: Any,
    counters: Any,
) -> None:  # fmt: skip
    """Write down how a game ended."""
    lengths[row] = now[LENGTH] + (placer != CHANCE)
    for seat in range(scores.shape[1]):
        scores[row, seat] = score(held, seat, points)
    for stream in range(len(streams)):
        counters[row, stream] = streams[stream]


@lean
def play(
    code: Any, extent: Any, placer: Any, box: Any, reach: Any, nets: Any, adds: Any, points: Any,
    first_worth: Any, board: Any, lines: Any, held: Any, worth: Any, pile: Any, bag: Any, streams: Any,
    sight: Any, values: Any, now: Any, policies: Any, kept: Any, keys: Any, first: Any, scores: Any,
    lengths: Any, counters: Any,
) -> Any:  # fmt: skip
    """Play on from ``now``, all of it 0 at first, ``len(lengths)`` games from number ``first``; returns
    whether all are played. Else a searching seat is to act: the next call is then given the ``code`` of its
    move or the number of its start (else ``SEARCHED``).

    ``placer`` is the seat that puts the hedgehog on the square, or CHANCE; ``policies[seats]`` are RANDOM,
    GREEDY, LOOKAHEAD or SEARCH; ``keys[3 + seats]``. Filled are ``scores[games, seats]``, ``lengths[games]``
    and ``counters[games, 3 + seats]``.
    """
    left, code = len(pile) - extent[0] * extent[1], np.int64(code)
    while now[ROW] < len(lengths):
        if now[STAGE] == NEW:
            number = first + now[ROW]
            lay_out(
                number, extent, box, first_worth, board, lines, held, worth, pile, bag, streams, kept, keys
            )
            now[STAGE] = PLACING
            code = np.int64(begin(extent, placer, first_worth, policies, board, sight, values, streams))
            if code == SEARCHED:
                return False
        if now[STAGE] == PLACING:
            put_down(extent, code, left, now)
            now[STAGE], code = MOVING, np.int64(SEARCHED)
        if not moves(
            code, now, reach, nets, adds, points, policies, kept, board, lines, held, worth, pile, bag,
            streams,
        ):  # fmt: skip
            return False
        note(now[ROW], placer, points, held, streams, now, scores, lengths, counters)
        now[ROW], now[STAGE], code = now[ROW] + 1, NEW, np.int64(SEARCHED)
    return True
