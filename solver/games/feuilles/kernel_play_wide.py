"""Sheets whose zones have too many states to number them all, such as a burrow of six rows.

Only what is filled is numbered then: the lines are those of zones filled with jokers alone, which may stand
wherever a number may. What the numbers rule out is kept beside them, a bit a cell. The four arrays of
``wide``:

``taken[seats, zone, number]``           cells that do not take a number
``bare[zone, number]``                   the same of an empty zone
``cells[move]``                          the cell written by a move
``rules_out[zone, cell, letter, number]``  cells that a letter in a cell rules out for a number
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.feuilles.kernel_play_words import JOKER, ZONES, high, low, middle
from fable_solve.solver.jit import lean


@lean
def wipe(wide: Any) -> None:
    """Empties all sheets."""
    taken, bare, _, _ = wide
    for seat in range(taken.shape[0]):
        for zone in range(ZONES):
            for number in range(JOKER):
                taken[seat, zone, number] = bare[zone, number]


@lean
def narrowed(tables: Any, wide: Any, seat: Any, zone: Any, line: Any, letter: Any) -> Any:
    """The word of a line: that of the joker with the cells alone that take the letter."""
    if letter >= JOKER:
        return tables.lines[line]
    taken, _, cells, _ = wide
    half, state = tables.lines.shape[0] // 2, line - letter
    joker, every = tables.lines[state + JOKER], low(tables.lines[state % half + JOKER])
    is_random, ruled_out = line < half, np.int64(taken[seat, zone, letter])
    most, among = 0, 0
    for place in range(8):
        move = middle(joker) + place
        if (every >> place) & 1 and not (ruled_out >> np.int64(cells[move])) & 1:
            points = 0 if is_random else high(tables.moves[move])
            if points > most:
                most, among = points, 0
            if points == most:
                among |= 1 << place
    return among | middle(joker) << 8 | most << 32


@lean
def rule_out(wide: Any, seat: Any, zone: Any, letter: Any, move: Any) -> None:
    """Notes what a letter just written rules out."""
    taken, _, cells, rules_out = wide
    for number in range(JOKER):
        taken[seat, zone, number] |= rules_out[zone, cells[move], letter, number]
