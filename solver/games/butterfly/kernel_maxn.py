"""What max^n adds to the tree search of Butterfly: every seat's share of the win at each node.

In max^n (Luckhardt and Irani 1986) a node has one value for each seat, and the seat to move picks the move
whose values are best for itself; among equal ones those that are worst for the seat after it, then for the
one after that, so that the values of a tree do not depend on the order of its moves. Nothing is cut off.

A value is a share of the win, of ``WHOLE``: the rules ask who wins, and points that change nothing of that
are worth nothing. ``totals[seats]`` are the units that each seat has, ``values[plies, seats]`` the values of
the frames, ``vectors[size, seats]`` those of the table. Where the search stops, a final score is taken to be
what the seat has, a share of what lies and, for the mover, of the next catch. The shares of the win are then
as ``2 ** (score / h)`` with ``h = weights[2] + weights[3] * (tiles that lie)`` 64ths of a point: the fewer
tiles are left, the surer a lead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.butterfly.kernel_marginal import most_in_reach
from fable_solve.solver.games.butterfly.kernel_search import (
    BEST,
    INFINITE,
    MAXN,
    SEAT,
    UNIT,
    lying,
)
from fable_solve.solver.jit import step

WHOLE = UNIT << 16
"""The whole win: shares of up to 5 seats, averaged over draws, are whole numbers."""
STEPS = 16
"""Steps in which a power of 2 falls by half."""


@step
def copy(source: Any, row: Any, target: Any, to: Any) -> None:
    """Copy the values of all seats."""
    for seat in range(source.shape[1]):
        target[to, seat] = source[row, seat]


@step
def clear(p: Any, values: Any) -> None:
    """No values yet at a chance node."""
    for seat in range(values.shape[1]):
        values[p, seat] = 0


@step
def add(p: Any, times: Any, values: Any) -> None:
    """Count the values of frame ``p + 1`` so many times for frame ``p``, a chance node."""
    for seat in range(values.shape[1]):
        values[p, seat] += times * values[p + 1, seat]


@step
def share_out(p: Any, times: Any, values: Any) -> None:
    """Averages at a chance node all of whose outcomes were counted."""
    for seat in range(values.shape[1]):
        values[p, seat] //= times


@step
def prefers(p: Any, frames: Any, values: Any) -> Any:
    """Whether the mover of frame ``p`` prefers the values of frame ``p + 1`` to the best so far."""
    if frames[p, BEST] == -INFINITE:
        return True
    seats = values.shape[1]
    for k in range(seats):
        seat = (frames[p, SEAT] + k) % seats
        if values[p + 1, seat] != values[p, seat]:
            return (values[p + 1, seat] > values[p, seat]) == (k == 0)
    return False


@step
def judge(p: Any, place: Any, choices: Any, rules: Any, table: Any, tree: Any) -> None:
    """Fill ``values[p]`` where the search goes no deeper; without ``choices`` the game is over."""
    frames, lies, totals, values = tree[0], tree[3], tree[10], tree[11]
    weights, board, worth = rules[6], table[0], table[3]
    mover, half = frames[p, SEAT], np.int64(0)
    for seat in range(len(totals)):
        values[p, seat] = totals[seat]
    if choices:
        for seat in range(len(totals)):
            values[p, seat] += weights[MAXN, 0] * lying(seat, lies, worth) * UNIT // 64
        catch = most_in_reach(mover, place, choices, board, worth)
        values[p, mover] += weights[MAXN, 1] * catch * UNIT // 64
        half = (weights[MAXN, 2] + weights[MAXN, 3] * np.int64(lies.sum())) * UNIT // 64
    share_win(p, half, rules[7], values)


@step
def share_win(p: Any, half: Any, powers: Any, values: Any) -> None:
    """Final scores become shares of the win: half as much for each ``half`` units less; all of it for the
    best if that is 0. ``powers[k]`` falls by half every ``STEPS``; its last entry is 0."""
    top, total, last = -INFINITE, np.int64(0), len(powers) - 1
    for seat in range(values.shape[1]):
        top = max(top, values[p, seat])
    for seat in range(values.shape[1]):
        behind = top - values[p, seat]
        steps = behind * STEPS // half if half else behind * last
        values[p, seat] = powers[min(steps, last)]
        total += values[p, seat]
    for seat in range(values.shape[1]):
        values[p, seat] = WHOLE * values[p, seat] // total
