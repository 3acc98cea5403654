"""What a sheet is worth after a round, and the choice that leads to the best: 61 Feuilles d'automne.

With ``left`` rounds to come and ``leaf`` leaves, the points that a sheet is still expected to bring are::

    rows[left, row of zone 1] + .. + rows[left, row of zone 6] + leaves[left, leaf]
        + relu(h[0]) + .. + relu(h[K/2 - 1]) - relu(h[K/2]) - .. - relu(h[K - 1])

    h = bias[left, leaf] + units[row of zone 1] + .. + units[row of zone 6]        relu(x) = max(x, 0)

The first line weighs every zone by itself; the others are what zones and leaves are worth together. A row is
a state of a zone with its bonus to be had or gone: ``line // 8`` of listings 0 and 1
(:mod:`fable_solve.solver.games.feuilles.kernel_play_words`). All numbers are whole, ``unit`` to a point, so
that sums are the same in any order (while they are learned they are floats, and ``unit`` is 1).

``race[6]`` is the fewest cells that a rival lacks in each zone, or ``NO_RIVAL``. A bonus that is still open
is looked upon as partly gone, the more so the nearer a rival is to it. With ``d`` the cells that the seat
lacks less those of the rival, its row is::

    (1 - share) * (the row of a bonus to be had) + share * (that of a bonus gone)

    d       -3 or less   -2    -1    0     1     2 or more
    share   0            1/8   3/8   5/8   7/8   1
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.feuilles.kernel_play_words import (
    JOKER,
    LINES,
    ZONES,
    high,
    line_after,
    low,
    middle,
)
from fable_solve.solver.jit import lean

NONE = -1
NO_RIVAL = 1000
PACE = (10, 3)
"""Leaves that a rival is taken to add, and in how many rounds."""
SHARES = (0.0, 0.125, 0.375, 0.625, 0.875, 1.0)
"""By how much a bonus counts as gone, by the difference of lacking cells; at ``EVEN`` there is none."""
EVEN = 3
NOTHING = -1_000_000_000
"""Below every value."""


class Worth(NamedTuple):
    """Tables of values (see above)."""

    rows: Any
    """``[rounds, shares * states]``"""
    leaves: Any
    """``[rounds, target]``"""
    units: Any
    """``[shares * states, K]``"""
    bias: Any
    """``[rounds, target, K]``"""
    missing: Any
    """``[2 * states]``: empty cells of the zone."""
    unit: Any


@lean
def row_of(worth: Any, race: Any, sheets: Any, seat: Any, zone: Any) -> Any:
    """The row of a zone, by how much its bonus counts as gone."""
    row, states, last = np.int64(sheets[seat, zone]) >> 3, worth.missing.shape[0] // 2, len(SHARES) - 1
    if row >= states:
        return row + (last - 1) * states
    return row + min(max(worth.missing[row] - race[zone] + EVEN, 0), last) * states


@lean
def worth_of(worth: Any, race: Any, sheets: Any, seat: Any, leaf: Any, left: Any) -> Any:
    """Units still to come for a row of ``sheets[n, 8]`` after a round; 0 once the game is over."""
    if left <= 0 or leaf >= worth.leaves.shape[1]:
        return 0 * worth.unit
    a, b = row_of(worth, race, sheets, seat, 0), row_of(worth, race, sheets, seat, 1)
    c, d = row_of(worth, race, sheets, seat, 2), row_of(worth, race, sheets, seat, 3)
    e, f = row_of(worth, race, sheets, seat, 4), row_of(worth, race, sheets, seat, 5)
    rows, units, bias = worth.rows, worth.units, worth.bias
    total = rows[left, a] + rows[left, b] + rows[left, c] + rows[left, d] + rows[left, e] + rows[left, f]
    total += worth.leaves[left, leaf]
    half = units.shape[1] // 2
    for k in range(half):
        more = units[a, k] + units[b, k] + units[c, k] + units[d, k] + units[e, k] + units[f, k]
        less = units[a, half + k] + units[b, half + k] + units[c, half + k]
        less += units[d, half + k] + units[e, half + k] + units[f, half + k]
        total += max(0 * worth.unit, more + bias[left, leaf, k])
        total -= max(0 * worth.unit, less + bias[left, leaf, half + k])
    return total


@lean
def rounds_to_come(left: Any, target: Any, leaf: Any) -> Any:
    """Rounds after this one, ``left`` at most, when the fullest leaf row of a rival holds ``leaf``.

    A rival is taken to add leaves at ``PACE``; without one ``leaf`` is ``NONE``.
    """
    if leaf == NONE:
        return left
    return min(left, (target - 1 - leaf) * PACE[1] // PACE[0])


@lean
def best_joker(tables: Any, worth: Any, race: Any, sheets: Any, seat: Any, leaf: Any, left: Any) -> Any:
    """(value, zone, move) of the best place for a joker; ``NONE`` for the move if it fits nowhere."""
    best, where, what = NOTHING * worth.unit, 0, NONE
    for zone in range(ZONES):
        line = np.int64(sheets[seat, zone])
        word = tables.lines[line + JOKER]
        for place in range(LINES):
            if (low(word) >> place) & 1:
                move = middle(word) + place
                sheets[seat, zone] = line_after(tables.moves[move])
                value = high(tables.moves[move]) * worth.unit
                value += worth_of(worth, race, sheets, seat, leaf, left)
                if value > best:
                    best, where, what = value, zone, move
        sheets[seat, zone] = line
    return best, where, what


@lean
def with_leaf(
    tables: Any, worth: Any, race: Any, sheets: Any, seat: Any, leaf: Any, die: Any, left: Any
) -> Any:
    """Value of adding a die to the leaves, its jokers placed one after the other; changes the sheet."""
    earned = tables.earned[leaf, die]
    value = high(earned) * worth.unit
    for joker in range(low(earned)):
        own, zone, move = best_joker(tables, worth, race, sheets, seat, leaf + die, left)
        if move == NONE:
            break
        if joker == low(earned) - 1:
            return value + own
        value += high(tables.moves[move]) * worth.unit
        sheets[seat, zone] = line_after(tables.moves[move])
    return value + worth_of(worth, race, sheets, seat, leaf + die, left)


@lean
def copy_sheet(sheets: Any, seat: Any) -> Any:
    """The last row of ``sheets``, which serves to try things, filled with that of a seat; its number."""
    last = sheets.shape[0] - 1
    for zone in range(ZONES):
        sheets[last, zone] = sheets[seat, zone]
    return last


@lean
def best_choice(
    tables: Any, worth: Any, race: Any, throw: Any, sheets: Any, seat: Any, leaf: Any, left: Any
) -> Any:
    """(value, way, move, die): the first of the best choices; the move ``NONE`` where none is possible."""
    best, best_way, best_move, best_die = NOTHING * worth.unit, 0, NONE, 0
    for way in range(ZONES):
        use = tables.ways[throw, way]
        zone, die = low(use), high(use)
        word = tables.lines[np.int64(sheets[seat, zone]) + middle(use)]
        for place in range(LINES):
            if (low(word) >> place) & 1:
                move = middle(word) + place
                last = copy_sheet(sheets, seat)
                sheets[last, zone] = line_after(tables.moves[move])
                value = high(tables.moves[move]) * worth.unit
                value += with_leaf(tables, worth, race, sheets, last, leaf, die, left)
                if value > best:
                    best, best_way, best_move, best_die = value, way, move, die
    if best_move == NONE:
        for place in range(3):
            die = low(tables.ways[throw, 2 * place]) + 1
            value = with_leaf(tables, worth, race, sheets, copy_sheet(sheets, seat), leaf, die, left)
            if value > best:
                best, best_die = value, die
    return best, best_way, best_move, best_die
