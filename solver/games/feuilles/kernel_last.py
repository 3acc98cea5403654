"""Learned values of one sheet, looked one round ahead, and exact ones near the end: 61 Feuilles d'automne.

``left`` counts the rounds to come. A value ``w[left]`` of sheets between two rounds is that of the learned
tables one round ahead, and exact with one or two rounds to come::

    w[1] = T 0        w[2] = T w[1]        w[left] = T learned[left - 1]

where ``(T v)(sheet)`` is the mean over the rolls of the best of *gain + v(sheet after it)*.

Sums of learned values are exact: all are multiples of 1/512.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.feuilles.kernel_play_words import JOKER, LINES, ZONES, high, low, middle
from fable_solve.solver.jit import kernel, lean
from fable_solve.solver.kernel_rng import bits

DICE = 6
NOWHERE = DICE * ZONES * 7
NOTHING = -1e9
"""Below every value."""


class Sheets(NamedTuple):
    """The rules and the learned values as arrays; states are those of all zones (``line // 8``)."""

    lines: Any
    moves: Any
    ways: Any
    """``[56, 6]``: ``(6 * zone + letter) * 7 + die for the leaves``, or ``NOWHERE`` for a repeated way."""
    rolls: Any
    """``[56, 3]``"""
    throws: Any
    """``[216]``: the roll of each throw."""
    chances: Any
    points: Any
    """``[target, 7]``: points for the leaves of adding a die."""
    jokers: Any
    """``[target, 7]``: whether that earns a joker."""
    any_joker: Any
    """``[target]``: whether any die does."""
    empty: Any
    zones: Any
    """``[rounds, states]``: learned values of states; in the second half their bonus is gone."""
    leaves: Any
    """``[rounds, target]``"""
    units: Any
    """``[states, K]``"""
    bias: Any
    """``[rounds, K, target + 6]``"""


class Desk(NamedTuple):
    """What the look one round ahead is worked out in."""

    hidden: Any
    """``[K]``: sum of the units of all zones, and below with a number written."""
    written: Any
    six: Any
    """``[7]``: values by die."""
    best: Any
    """``[NOWHERE + 1]``: the most by zone, letter and die, ``NOTHING`` last."""
    idle: Any
    """``[7]``: the same where nothing is written."""


class Kids(NamedTuple):
    """Sheets that a round leads to."""

    rows: Any
    """``[n, 6]``"""
    leaves: Any
    values: Any


@kernel
def desk_of(sheets: Any) -> Any:
    """An empty desk."""
    units = sheets.units.shape[1]
    return Desk(np.zeros(units), np.zeros(units), np.zeros(7), np.zeros(NOWHERE + 1), np.zeros(7))


@kernel
def kids_of(room: Any) -> Any:
    """An empty list."""
    return Kids(np.zeros((room, ZONES), np.int64), np.zeros(room, np.int64), np.zeros(room))


@lean
def target_of(move: Any) -> Any:
    """The state that a move leads to."""
    return (move & 0xFFFFFFFF) >> 3


@lean
def sums(sheets: Any, left: Any, rows: Any, hidden: Any) -> Any:
    """Fills ``hidden``, the sum of the zones' units; the sum of their values."""
    total = 0.0
    for k in range(hidden.shape[0]):
        hidden[k] = 0.0
    for zone in range(ZONES):
        total += sheets.zones[left, rows[zone]]
        for k in range(hidden.shape[0]):
            hidden[k] += sheets.units[rows[zone], k]
    return total


@lean
def learned(sheets: Any, left: Any, hidden: Any, total: Any, leaf: Any, six: Any) -> None:
    """``six[die]``: learned value with ``left`` rounds to come once a die is added to ``leaf``.

    ``hidden`` and ``total`` are the sums over the zones of units and values; see ``kernel_worth``.
    """
    half, bias = hidden.shape[0] // 2, sheets.bias
    a = b = c = d = e = f = total
    for k in range(half):
        more, less = hidden[k], hidden[half + k]
        a += max(0.0, more + bias[left, k, leaf + 1]) - max(0.0, less + bias[left, half + k, leaf + 1])
        b += max(0.0, more + bias[left, k, leaf + 2]) - max(0.0, less + bias[left, half + k, leaf + 2])
        c += max(0.0, more + bias[left, k, leaf + 3]) - max(0.0, less + bias[left, half + k, leaf + 3])
        d += max(0.0, more + bias[left, k, leaf + 4]) - max(0.0, less + bias[left, half + k, leaf + 4])
        e += max(0.0, more + bias[left, k, leaf + 5]) - max(0.0, less + bias[left, half + k, leaf + 5])
        f += max(0.0, more + bias[left, k, leaf + 6]) - max(0.0, less + bias[left, half + k, leaf + 6])
    six[1], six[2], six[3], six[4], six[5], six[6] = a, b, c, d, e, f
    for die in range(1, 7):
        if leaf + die < sheets.leaves.shape[1]:
            six[die] += sheets.leaves[left, leaf + die]
        else:
            six[die] = 0.0


@lean
def learned_value(sheets: Any, left: Any, hidden: Any, total: Any, leaf: Any) -> Any:
    """The same for the leaf total there is, the game not over."""
    half, value = hidden.shape[0] // 2, total + sheets.leaves[left, leaf]
    for k in range(half):
        value += max(0.0, hidden[k] + sheets.bias[left, k, leaf])
        value -= max(0.0, hidden[half + k] + sheets.bias[left, half + k, leaf])
    return value


@lean
def learned_one(sheets: Any, left: Any, hidden: Any, old: Any, new: Any, total: Any, leaf: Any) -> Any:
    """The same with the state ``new`` in place of ``old``."""
    half, units, bias = hidden.shape[0] // 2, sheets.units, sheets.bias
    value = total + sheets.leaves[left, leaf] - sheets.zones[left, old] + sheets.zones[left, new]
    for k in range(half):
        value += max(0.0, hidden[k] - units[old, k] + units[new, k] + bias[left, k, leaf])
        less = hidden[half + k] - units[old, half + k] + units[new, half + k]
        value -= max(0.0, less + bias[left, half + k, leaf])
    return value


@lean
def with_joker(sheets: Any, left: Any, rows: Any, hidden: Any, total: Any, leaf: Any) -> Any:
    """The most that a joker and what comes after it bring, ``NOTHING`` if it fits nowhere."""
    best = NOTHING
    for zone in range(ZONES):
        old = rows[zone]
        word = sheets.lines[old * LINES + JOKER]
        for place in range(LINES):
            if (low(word) >> place) & 1:
                move = sheets.moves[middle(word) + place]
                value = float(high(move))
                if left > 0 and leaf < sheets.leaves.shape[1]:
                    value += learned_one(sheets, left, hidden, old, target_of(move), total, leaf)
                best = max(best, value)
    return best


@lean
def leaf_values(sheets: Any, left: Any, rows: Any, hidden: Any, total: Any, leaf: Any, six: Any) -> None:
    """``six[die]``: points for the die given to the leaves and the learned value after it, jokers placed."""
    if left > 0:
        learned(sheets, left, hidden, total, leaf, six)
    else:
        six[:] = 0.0
    for die in range(1, 7):
        if sheets.jokers[leaf, die]:
            most = with_joker(sheets, left, rows, hidden, total, leaf + die)
            if most > NOTHING:
                six[die] = most
        six[die] += sheets.points[leaf, die]


@kernel
def look_ahead(sheets: Any, left: Any, rows: Any, leaf: Any, desk: Any) -> Any:
    """``T learned[left - 1]`` of a sheet; exact with one round to come."""
    hidden, written, six, best, idle = desk
    best[:] = NOTHING
    total, tables, units = sums(sheets, left - 1, rows, hidden), sheets.zones, sheets.units
    if left == 1:
        leaf_values(sheets, 0, rows, hidden, total, leaf, six)
    for zone in range(ZONES):
        old = rows[zone]
        for letter in range(DICE):
            word, cell = sheets.lines[old * LINES + letter], (zone * DICE + letter) * 7
            for place in range(LINES):
                if (low(word) >> place) & 1:
                    move = sheets.moves[middle(word) + place]
                    new, gain = target_of(move), high(move)
                    rows[zone] = new
                    if left > 1:
                        for k in range(hidden.shape[0]):
                            written[k] = hidden[k] - units[old, k] + units[new, k]
                        after = total - tables[left - 1, old] + tables[left - 1, new]
                        leaf_values(sheets, left - 1, rows, written, after, leaf, six)
                    elif sheets.any_joker[leaf]:
                        leaf_values(sheets, 0, rows, hidden, total, leaf, six)
                    rows[zone] = old
                    for die in range(1, 7):
                        best[cell + die] = max(best[cell + die], gain + six[die])
    if must_pass(sheets, best):
        leaf_values(sheets, left - 1, rows, hidden, total, leaf, idle)
    return mean_best(sheets, best, idle)


@lean
def best_of(sheets: Any, roll: Any, best: Any, idle: Any) -> Any:
    """The most a roll brings; a die may go to the leaves alone only where no number can be written."""
    top = NOTHING
    for way in range(ZONES):
        top = max(top, best[sheets.ways[roll, way]])
    if top == NOTHING:
        for place in range(3):
            top = max(top, idle[sheets.rolls[roll, place]])
    return top


@lean
def must_pass(sheets: Any, best: Any) -> Any:
    """Whether some roll allows no number to be written."""
    for roll in range(sheets.chances.shape[0]):
        top = NOTHING
        for way in range(ZONES):
            top = max(top, best[sheets.ways[roll, way]])
        if top == NOTHING:
            return True
    return False


@kernel
def mean_best(sheets: Any, best: Any, idle: Any) -> Any:
    """Mean over the rolls of :func:`best_of`."""
    total = 0.0
    for roll in range(sheets.chances.shape[0]):
        total += sheets.chances[roll] * best_of(sheets, roll, best, idle)
    return total


@lean
def add(kids: Any, size: Any, rows: Any, leaf: Any, value: Any) -> Any:
    """Adds a sheet unless it is there; how many there are."""
    for kid in range(size):
        same = kids.leaves[kid] == leaf
        for zone in range(ZONES):
            same &= kids.rows[kid, zone] == rows[zone]
        if same:
            kids.values[kid] = max(kids.values[kid], value)
            return size
    for zone in range(ZONES):
        kids.rows[size, zone] = rows[zone]
    kids.leaves[size] = leaf
    kids.values[size] = value
    return size + 1


@kernel
def add_leaf(sheets: Any, rows: Any, leaf: Any, die: Any, gain: Any, kids: Any, size: Any) -> Any:
    """Adds what a die for the leaves makes of a sheet, with its points: one for every place of a joker."""
    value, found = gain + sheets.points[leaf, die], False
    for zone in range(ZONES if sheets.jokers[leaf, die] else 0):
        old = rows[zone]
        word = sheets.lines[old * LINES + JOKER]
        for place in range(LINES):
            if (low(word) >> place) & 1:
                move, found = sheets.moves[middle(word) + place], True
                rows[zone] = target_of(move)
                size = add(kids, size, rows, leaf + die, value + high(move))
        rows[zone] = old
    return size if found else add(kids, size, rows, leaf + die, value)


@kernel
def add_written(
    sheets: Any, rows: Any, leaf: Any, zone: Any, letter: Any, die: Any, kids: Any, size: Any
) -> Any:
    """Adds what writing a letter into a zone makes of a sheet."""
    old = rows[zone]
    word = sheets.lines[old * LINES + letter]
    for place in range(LINES):
        if (low(word) >> place) & 1:
            move = sheets.moves[middle(word) + place]
            rows[zone] = target_of(move)
            size = add_leaf(sheets, rows, leaf, die, high(move), kids, size)
    rows[zone] = old
    return size


@kernel
def exact_value(sheets: Any, rows: Any, leaf: Any, desks: Any) -> Any:
    """``w[2] = T w[1]`` of a sheet, the value of optimal play."""
    first, second, kids = desks[0], desks[1], desks[2]
    second.best[:] = NOTHING
    for die in range(1, 7):
        for zone in range(ZONES):
            for letter in range(DICE):
                size = add_written(sheets, rows, leaf, zone, letter, die, kids, 0)
                second.best[(zone * DICE + letter) * 7 + die] = most_ahead(sheets, 1, kids, size, first)
    if must_pass(sheets, second.best):
        for die in range(1, 7):
            size = add_leaf(sheets, rows, leaf, die, 0, kids, 0)
            second.idle[die] = most_ahead(sheets, 1, kids, size, first)
    return mean_best(sheets, second.best, second.idle)


@kernel
def most_ahead(sheets: Any, left: Any, kids: Any, size: Any, desk: Any) -> Any:
    """The most of a list by :func:`look_ahead`, which is added to the values; ``NOTHING`` if it is empty."""
    top = NOTHING
    for kid in range(size):
        if kids.leaves[kid] < sheets.leaves.shape[1]:
            kids.values[kid] += look_ahead(sheets, left, kids.rows[kid], kids.leaves[kid], desk)
        top = max(top, kids.values[kid])
    return top


@kernel
def worth(sheets: Any, left: Any, rows: Any, leaf: Any, desks: Any) -> Any:
    """``w[left]`` of a sheet."""
    if left == 2:
        return exact_value(sheets, rows, leaf, desks)
    return look_ahead(sheets, left, rows, leaf, desks[0])


@kernel
def most(sheets: Any, left: Any, kids: Any, size: Any, desks: Any) -> Any:
    """The most of a list by ``w[left]``, which is added to the values; ``NOTHING`` if it is empty."""
    top = NOTHING
    for kid in range(size):
        if left and kids.leaves[kid] < sheets.leaves.shape[1]:
            kids.values[kid] += worth(sheets, left, kids.rows[kid], kids.leaves[kid], desks)
        top = max(top, kids.values[kid])
    return top


@kernel
def desks_of(sheets: Any) -> Any:
    """Room for two depths."""
    return desk_of(sheets), desk_of(sheets), kids_of(300), kids_of(300)


@kernel
def uniform(counter: Any) -> Any:
    """(counter, a uniform number below 1)."""
    counter, word = bits(counter)
    return counter, float(word >> np.uint64(11)) / 2.0**53


@kernel
def draw(kids: Any, size: Any, top: Any, theta: Any, chance: Any) -> Any:
    """(sheet drawn, log of the sum of ``exp(theta * (value - top))``, which the chances are parts of)."""
    total = 0.0
    for kid in range(size):
        total += np.exp(theta * (kids.values[kid] - top))
    rest, drawn = total * chance, 0
    for kid in range(size):
        drawn = kid
        rest -= np.exp(theta * (kids.values[kid] - top))
        if rest < 0:
            break
    return drawn, np.log(total)


@kernel
def round_of(sheets: Any, roll: Any, rows: Any, leaf: Any, kids: Any) -> Any:
    """Lists the sheets that a roll leads to, with their points; how many."""
    size = 0
    for way in range(ZONES):
        use = sheets.ways[roll, way]
        if use != NOWHERE:
            zone, letter, die = use // 42, use // 7 % DICE, use % 7
            size = add_written(sheets, rows, leaf, zone, letter, die, kids, size)
    if size == 0:
        for place in range(3):
            size = add_leaf(sheets, rows, leaf, sheets.rolls[roll, place], 0, kids, size)
    return size


@kernel
def most_of_roll(sheets: Any, left: Any, roll: Any, rows: Any, leaf: Any) -> Any:
    """The most that a roll can bring with ``left`` more rounds to come, by ``w[left]``."""
    desks = desks_of(sheets)
    return most(sheets, left, desks[3], round_of(sheets, roll, rows, leaf, desks[3]), desks)
