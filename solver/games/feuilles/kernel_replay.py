"""One sheet of 61 Feuilles d'automne played on by ``optimised`` from any round, and with other wishes.

A start is a row ``[8]`` as games are recorded in: the lines of the zones, the leaf total, and at ``ROUND``
the rounds completed. Zones that are full have their bonus closed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.feuilles.kernel_play import NONE, THROWS, best_turn, close
from fable_solve.solver.games.feuilles.kernel_play_words import LEAF, LISTINGS, WROTE, ZONES, high, line_after
from fable_solve.solver.games.feuilles.kernel_worth import NO_RIVAL, best_joker, worth_of
from fable_solve.solver.jit import lean
from fable_solve.solver.kernel_rng import below, start

ROUND = WROTE


@lean
def alone(room: Any) -> None:
    """A table without rivals."""
    for zone in range(ZONES):
        room.race[zone] = room.fewest[0, zone] = room.fewest[1, zone] = NO_RIVAL


@lean
def replay(
    numbers: Any,
    starts: Any,
    switches: Any,
    key: Any,
    early: Any,
    late: Any,
    tables: Any,
    worth: Any,
    room: Any,
    gains: Any,
    ends: Any,
) -> None:
    """Plays on from ``starts[n, 8]`` with the dice that games ``numbers[n]`` have left.

    With more than ``switches[n]`` rounds after this one the choice is that of a seat that takes ``early`` for
    the rules, then ``late``; in the last round nobody is mistaken. ``gains[n]`` are the points from then on,
    ``ends[n, 2]`` the rounds played in all and the last leaf total.
    """
    alone(room)
    listing = tables.lines.shape[0] // LISTINGS
    for index in range(len(numbers)):
        counter, length = start(key, numbers[index]), np.int64(starts[index, ROUND])
        for _ in range(length):
            counter, _ = below(counter, THROWS)
        for zone in range(ZONES):
            room.sheets[0, zone] = starts[index, zone]
        leaf, points = np.int64(starts[index, LEAF]), 0
        while length < tables.rounds and leaf < tables.target:
            counter, throw = below(counter, THROWS)
            length += 1
            left = tables.rounds - length
            seen = early if left > switches[index] else late
            if left == 0:
                seen = tables
            die, more, filled = best_turn(tables, seen, worth, throw, room, 0, leaf, NONE, left)
            close(room.sheets, filled, listing)
            leaf, points = leaf + die, points + more
        gains[index], ends[index, 0], ends[index, 1] = points, length, leaf


@lean
def grant(starts: Any, tables: Any, worth: Any, room: Any, points: Any, units: Any) -> None:
    """Places a joker on every sheet of ``starts[n, 8]`` where it is worth most; rounds must have been played.

    ``points[n]`` are those it brings at once, ``units[n]`` what it adds to the sheet by the learned values,
    these points included.
    """
    alone(room)
    listing = tables.lines.shape[0] // LISTINGS
    for index in range(len(starts)):
        for zone in range(ZONES):
            room.sheets[0, zone] = starts[index, zone]
        leaf, left = np.int64(starts[index, LEAF]), tables.rounds - np.int64(starts[index, ROUND])
        before = worth_of(worth, room.race, room.sheets, 0, leaf, left)
        value, zone, move = best_joker(tables, worth, room.race, room.sheets, 0, leaf, left)
        points[index] = units[index] = 0
        if move != NONE:
            word = tables.moves[move]
            points[index], units[index] = high(word), value - before
            starts[index, zone] = line_after(word) + (word & 1) * listing
