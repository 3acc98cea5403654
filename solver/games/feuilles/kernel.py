"""Compiled backward induction over sheets: which sheets a round can lead to, and what they are worth.

A sheet is one 64-bit key in mixed radix, zone 1 the lowest digit and the leaf total the highest::

    key = local[0] + sizes[0] * (local[1] + sizes[1] * (... + sizes[5] * leaf))

``local[z]`` numbers the state of zone ``z`` in its table, ``leaf`` counts from a common base. The tables of
all zones lie in one list: line ``(offset[z] + local) * 7 + letter`` (letters 0..5 are the numbers 1..6, 6 is
the joker) holds the moves ``first[line] .. first[line + 1] - 1``, each with the state it leads to (``then``)
and the points it gains (``gain``). ``points[leaf, die]`` and ``jokers[leaf, die]`` (0 or 1) are the leaf
bonuses of adding a die; a leaf of ``target`` or more ends the game.

Arrays: ``keys[n]``, ``rolls[56, 3]``, ``chances[56]``, and the tuple ``tables`` = (``sizes[6]``,
``offset[6]``, ``first[lines + 1]``, ``then[moves]``, ``gain[moves]``, ``points``, ``jokers``, ``target``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.jit import kernel

ZONES = 6
JOKER = 6
NOTHING = -1.0
"""Below every value: gains are never negative."""


@kernel
def decode(key: Any, sizes: Any, local: Any) -> Any:
    """Writes the zone states of a key into ``local[6]`` and returns its leaf total."""
    for zone in range(ZONES):
        local[zone] = key % sizes[zone]
        key //= sizes[zone]
    return key


@kernel
def strides_of(sizes: Any) -> Any:
    """Weight of each zone's digit, and last of the leaf total: ``[7]``."""
    strides = np.ones(ZONES + 1, np.int64)
    for zone in range(ZONES):
        strides[zone + 1] = strides[zone] * sizes[zone]
    return strides


@kernel
def can_write(local: Any, offset: Any, first: Any, legal: Any) -> None:
    """Writes into ``legal[6, 6]`` whether each number fits anywhere in each zone."""
    for zone in range(ZONES):
        for number in range(6):
            line = (offset[zone] + local[zone]) * 7 + number
            legal[zone, number] = first[line + 1] > first[line]


@kernel
def must_pass(roll: Any, legal: Any) -> bool:
    """Whether three dice allow no number to be written."""
    for i in range(3):
        for j in range(3):
            if i != j and legal[roll[i] - 1, roll[j] - 1]:
                return False
    return True


@kernel
def spread(key: Any, local: Any, joker: Any, strides: Any, tables: Any, out: Any, size: Any) -> Any:
    """Adds to ``out`` the sheet ``key``, or with a joker every sheet that placing it gives; the new size.

    The size goes on counting when ``out`` is full.
    """
    _, offset, first, then = tables[:4]
    found = False
    if joker:
        for zone in range(ZONES):
            line = (offset[zone] + local[zone]) * 7 + JOKER
            for move in range(first[line], first[line + 1]):
                found = True
                if size < out.shape[0]:
                    out[size] = key + (then[move] - local[zone]) * strides[zone]
                size += 1
    if not found:
        if size < out.shape[0]:
            out[size] = key
        size += 1
    return size


@kernel
def successors(keys: Any, tables: Any, rolls: Any, out: Any) -> Any:
    """Writes every sheet that a round can make of ``keys`` and that plays on, repeats included; how many."""
    sizes, offset, first, then, _, _, jokers, target = tables
    strides = strides_of(sizes)
    local = np.zeros(ZONES, np.int64)
    legal = np.zeros((ZONES, 6), np.bool_)
    size = 0
    for key in keys:
        leaf = decode(key, sizes, local)
        can_write(local, offset, first, legal)
        for zone in range(ZONES):
            here = local[zone]
            for number in range(6):
                line = (offset[zone] + here) * 7 + number
                for move in range(first[line], first[line + 1]):
                    local[zone] = then[move]
                    moved = key + (then[move] - here) * strides[zone]
                    for die in range(1, min(7, target - leaf)):
                        onward = moved + die * strides[ZONES]
                        size = spread(onward, local, jokers[leaf, die], strides, tables, out, size)
            local[zone] = here
        for roll in rolls:
            if must_pass(roll, legal):
                for die in roll:
                    if leaf + die < target:
                        onward = key + die * strides[ZONES]
                        size = spread(onward, local, jokers[leaf, die], strides, tables, out, size)
    return size


@kernel
def later_value(key: Any, ended: Any, later: Any) -> Any:
    """Points still to come after a round: 0 once the game has ended."""
    if ended:
        return 0.0
    return later[1][np.searchsorted(later[0], key)]


@kernel
def joker_value(key: Any, local: Any, joker: Any, ended: Any, strides: Any, tables: Any, later: Any) -> Any:
    """Points still to come of a sheet after its leaf, the joker placed in the best cell if there is one."""
    _, offset, first, then, gain = tables[:5]
    best = NOTHING
    if joker:
        for zone in range(ZONES):
            line = (offset[zone] + local[zone]) * 7 + JOKER
            for move in range(first[line], first[line + 1]):
                moved = key + (then[move] - local[zone]) * strides[zone]
                best = max(best, gain[move] + later_value(moved, ended, later))
    if best == NOTHING:
        best = later_value(key, ended, later)
    return best


@kernel
def best_shares(
    key: Any, leaf: Any, local: Any, last: Any, strides: Any, tables: Any, later: Any, best: Any, idle: Any
) -> None:
    """Fills ``best[zone, number, die]`` and ``idle[die]``: the most each way to use three dice can bring."""
    _, offset, first, then, gain, points, jokers, target = tables
    best[:] = NOTHING
    for die in range(1, 7):
        joker = jokers[leaf, die]
        ended = last or leaf + die >= target
        leaves = key + die * strides[ZONES]
        idle[die] = NOTHING
        for zone in range(ZONES):
            here = local[zone]
            for number in range(6):
                line = (offset[zone] + here) * 7 + number
                for move in range(first[line], first[line + 1]):
                    local[zone] = then[move]
                    moved = leaves + (then[move] - here) * strides[zone]
                    worth = gain[move] + joker_value(moved, local, joker, ended, strides, tables, later)
                    best[zone, number, die] = max(best[zone, number, die], points[leaf, die] + worth)
            local[zone] = here


@kernel
def best_of_roll(dice: Any, best: Any) -> Any:
    """The most that three dice can bring when a number can be written."""
    top = NOTHING
    for i in range(3):
        for j in range(3):
            if i != j:
                top = max(top, best[dice[i] - 1, dice[j] - 1, dice[3 - i - j]])
    return top


@kernel
def values_before(keys: Any, tables: Any, rolls: Any, chances: Any, last: Any, later: Any) -> Any:
    """Expected points still to come of each sheet of ``keys`` before a roll: ``[n]``.

    ``later`` is (keys ascending, values) of one round later; ``last``: there is none.
    """
    sizes, offset, first, _, _, points, jokers, target = tables
    strides = strides_of(sizes)
    local = np.zeros(ZONES, np.int64)
    legal = np.zeros((ZONES, 6), np.bool_)
    best, idle = np.zeros((ZONES, 6, 7)), np.zeros(7)
    values = np.zeros(keys.shape[0])
    for index in range(keys.shape[0]):
        key = keys[index]
        leaf = decode(key, sizes, local)
        can_write(local, offset, first, legal)
        best_shares(key, leaf, local, last, strides, tables, later, best, idle)
        for roll in range(rolls.shape[0]):
            top = best_of_roll(rolls[roll], best)
            if top == NOTHING:
                for die in rolls[roll]:
                    if idle[die] == NOTHING:
                        joker, ended = jokers[leaf, die], last or leaf + die >= target
                        moved = key + die * strides[ZONES]
                        idle[die] = points[leaf, die] + joker_value(
                            moved, local, joker, ended, strides, tables, later
                        )
                    top = max(top, idle[die])
            values[index] += chances[roll] * top
    return values
