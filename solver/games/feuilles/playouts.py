"""Whole games by kernel: the tables that :mod:`fable_solve.solver.games.feuilles.kernel_play` plays with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from fable_solve.solver.blocks import Block, from_standing
from fable_solve.solver.games.feuilles import kernel_play
from fable_solve.solver.games.feuilles.kernel_play import GREEDY, LINES, RANDOM, ZONES
from fable_solve.solver.games.feuilles.play import THROWS, Feuilles, Roll
from fable_solve.solver.games.feuilles.rules import Rules
from fable_solve.solver.games.feuilles.zonestates import LETTERS, Move, zone_states

NUMBERS = {"random": RANDOM, "greedy": GREEDY}
NOTHING = len(LETTERS)
"""The letter of a line without moves."""


def compiled(game: Feuilles, policies: tuple[str, ...]) -> Callable[[int, int, Any], Block]:
    """Games of ``policies``, one name a seat, played by kernel."""
    rules = game.rules
    tables = (*_lines_and_moves(rules), _ways(), np.array(THROWS, np.uint8), _earned(rules), _empty(rules))
    limits = (rules.leaf_target, rules.rounds, rules.zone_bonus)
    numbers = np.array([NUMBERS[name] for name in policies], np.int64)

    def block(first: int, count: int, keys: Any) -> Block:
        standing = np.zeros((count, game.players), np.int64)
        lengths, counters = np.empty(count, np.int32), np.empty((count, 1 + game.players), np.uint64)
        kernel_play.play(first, keys, numbers, *tables, limits, standing, lengths, counters)
        scores, stopped = standing.astype(np.float64), np.zeros(count, np.bool_)
        return from_standing(first, scores, standing, lengths, stopped, counters)

    return block


def _empty(rules: Rules) -> Any:
    """``empty[6]`` of the kernel: the first line of every zone."""
    sizes = [len(zone_states(zone).rows) for zone in rules.zones]
    return (LINES * np.cumsum([0, *sizes])[:ZONES]).astype(np.uint32)


def _lines_and_moves(rules: Rules) -> tuple[Any, Any]:
    """``lines[3, lines]`` and ``moves`` of the kernel."""
    listed: list[list[tuple[int, Move]]] = [
        [(base + LINES * move.then, move) for move in moves]
        for base, zone in zip(map(int, _empty(rules)), rules.zones, strict=True)
        for state in zone_states(zone).moves
        for moves in (*state, ())
    ]
    lines, moves = [], list[int]()
    for worth in (_nothing, _gain(0), _gain(rules.zone_bonus)):
        words = []
        for line in listed:
            gains = [worth(move) for _, move in line]
            most = max(gains, default=0)
            words.append(gains.count(most) | len(moves) << 8 | most << 32)
            moves += [
                then | move.completes | move.gain << 32
                for _, (then, move) in sorted(zip(gains, line, strict=True), key=lambda pair: -pair[0])
            ]
        lines.append(words)
    return np.array(lines, np.int64), np.array(moves, np.int64)


def _nothing(move: Move) -> int:
    return 0


def _gain(bonus: int) -> Callable[[Move], int]:
    """Points of a move where filling the zone brings ``bonus``."""
    return lambda move: move.gain + bonus * move.completes


def _ways() -> Any:
    """``ways[216, 6]`` of the kernel: for every throw (zone, letter, leaf), none twice."""
    return np.array([_ways_of(roll) for roll in THROWS], np.int64)


def _ways_of(roll: Roll) -> Sequence[int]:
    ways = sorted(permutations(roll))
    letters = [NOTHING if way in ways[:place] else way[1] - 1 for place, way in enumerate(ways)]
    return [
        (zone - 1) | letter << 8 | leaf << 32 for (zone, _, leaf), letter in zip(ways, letters, strict=True)
    ]


def _earned(rules: Rules) -> Any:
    """``earned[leaf total, die]`` of the kernel, for the leaf totals that play on."""
    most = min(rules.leaf_target, 6 * rules.rounds)
    earned = [[rules.earned(leaf, leaf + die) for die in range(7)] for leaf in range(most)]
    return np.array([[jokers | points << 32 for points, jokers in row] for row in earned], np.int64)
