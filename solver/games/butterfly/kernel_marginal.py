"""Choices of Butterfly by what tiles bring at once, compiled: the moves of ``greedy`` and ``lookahead``.

The arrays are those of :mod:`fable_solve.solver.games.butterfly.kernel_playouts`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver import kernel_rng
from fable_solve.solver.games.butterfly.kernel_board import ONE, ahead, arrival, cross, heading
from fable_solve.solver.games.butterfly.kernel_collection import peers, refresh, take
from fable_solve.solver.jit import step
from fable_solve.solver.kernel_bits import bit, lowest, nth, size

NONE: Any = -(1 << 30)
"""Less than any gain: no tile."""


@step
def bag_points(seat: Any, bag: Any, worth: Any) -> Any:
    """Points that the tiles of the bag bring a seat, each on its own."""
    total = np.int32(0)
    for kind in range(64):
        total += bag[kind] * worth[seat, kind]
    return np.int64(total)


@step
def change(seat: Any, kind: Any, bag: Any, held: Any, worth: Any, adds: Any, points: Any) -> Any:
    """By how much a tile of ``kind`` raises the seat's :func:`bag_points`."""
    trial = len(held) - 1
    for word in range(3):
        held[trial, word] = held[seat, word]
    take(held, trial, kind, adds)
    refresh(held, trial, kind, points, worth, trial)
    first, end = peers(kind)
    total = 0
    for other in range(first, end):
        total += np.int64(bag[other]) * (worth[trial, other] - worth[seat, other])
    return total


@step
def most_in_reach(seat: Any, place: Any, choices: Any, board: Any, worth: Any) -> Any:
    """Most points that one tile of the destinations ``choices`` brings a seat; 0 without a destination."""
    most = NONE if choices else 0
    while choices:
        to = np.uint64(lowest(choices))
        choices &= choices - ONE
        most = max(most, np.int64(worth[seat, board[arrival(place, to)]]))
    return most


@step
def marginal_move(
    seat: Any, rivals: Any, place: Any, choices: Any, offers: Any, left: Any, reach: Any, lines: Any,
    board: Any, bag: Any, held: Any, worth: Any, adds: Any, points: Any, counter: Any,
) -> Any:  # fmt: skip
    """(counter, bit of the destination, whether to draw): ``offers`` are the destinations with a net on the
    way. Points are compared times the tiles of the bag, so that averages are whole.

    With ``rivals`` above 0 the points count so many times, and those that the next seat can then make once
    against them (``lookahead``); with 0 only the own ones count (``greedy``)."""
    most, equal, draws = NONE, np.uint64(0), np.uint64(0)
    scale, average = (left, bag_points(seat, bag, worth)) if offers else (1, np.int64(0))
    while choices:
        to = np.uint64(lowest(choices))
        choices &= choices - ONE
        kind = np.int64(board[arrival(place, to)])
        value = np.int64(worth[seat, kind]) * scale
        if offers >> to & ONE:
            more = average + change(seat, kind, bag, held, worth, adds, points)
            if more > 0:
                value += more
                draws |= bit(to)
        if rivals:
            there, ahead_of = arrival(place, to), heading(place, to)
            then = cross(lines, there) & ahead(reach, there, ahead_of)
            after = seat + 1 if seat < rivals else 0
            value = rivals * value - scale * most_in_reach(after, there, then, board, worth)
        if value > most:
            most, equal = value, np.uint64(0)
        if value == most:
            equal |= bit(to)
    counter, k = kernel_rng.below(counter, size(equal))
    to = np.uint64(nth(equal, k))
    return counter, to, draws >> to & ONE
