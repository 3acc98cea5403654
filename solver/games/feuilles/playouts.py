"""Whole games by kernel: the tables that :mod:`fable_solve.solver.games.feuilles.kernel_play` plays with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from fable_solve.solver.blocks import Block, from_standing
from fable_solve.solver.games.feuilles import kernel_play
from fable_solve.solver.games.feuilles.kernel_play import GREEDY, OPTIMISED, RANDOM
from fable_solve.solver.games.feuilles.kernel_play_words import JOKER, LINES, NOTHING, ZONES, Room, Tables
from fable_solve.solver.games.feuilles.play import THROWS, Feuilles, Roll
from fable_solve.solver.games.feuilles.rules import Rules
from fable_solve.solver.games.feuilles.sheet import Zone
from fable_solve.solver.games.feuilles.worth import raced
from fable_solve.solver.games.feuilles.zonestates import (
    LETTERS,
    MOST,
    ZoneStates,
    conflicts,
    joker_states,
    zone_states,
)
from fable_solve.solver.rollout import Compiled, Match

NUMBERS = {"random": RANDOM, "greedy": GREEDY, "optimised": OPTIMISED}


def compiled(game: Feuilles, policies: tuple[str, ...]) -> Compiled:
    """Games of ``policies``, one name a seat, played by kernel.

    Raises :class:`BadInput` for ``optimised`` on a sheet whose values were not learned.
    """
    play = _player(game, policies)
    none = np.empty((0, 1, 1, LINES), np.uint32)

    def block(first: int, count: int, keys: Any) -> Block:
        return play(first, count, keys, none)

    return block


def traced(match: Match, numbers: range) -> tuple[Block, Any]:
    """Games of consecutive numbers, and their sheets after every round: ``[n, rounds, seats, 8]``.

    A row holds the line of every zone, the leaf total and the zone last written in (0: none); rounds that
    were not played are left as they are.
    """
    game: Any = match.game
    trace = np.zeros((len(numbers), game.rules.rounds, game.players, LINES), np.uint32)
    keys = np.array(match.keys, np.uint64)
    return _player(game, match.names)(numbers.start, len(numbers), keys, trace), trace


def _player(game: Feuilles, policies: tuple[str, ...]) -> Callable[[int, int, Any, Any], Block]:
    rules, seats = game.rules, game.players
    states = _states(rules.zones)
    tables = tables_of(rules)
    worth = raced(rules) if "optimised" in policies else None
    numbers = np.array([NUMBERS[name] for name in policies], np.int64)

    def play(first: int, count: int, keys: Any, trace: Any) -> Block:
        scores, lengths = np.empty((count, seats), np.int64), np.empty(count, np.int32)
        counters, stopped = np.empty((count, 1 + seats), np.uint64), np.zeros(count, np.bool_)
        wide, room = None if states else _wide(rules.zones, seats), room_of(seats)
        kernel_play.play(first, keys, numbers, tables, wide, worth, room, scores, lengths, counters, trace)
        return from_standing(first, scores.astype(np.float64), scores, lengths, stopped, counters)

    return play


def tables_of(rules: Rules) -> Tables:
    """The rules as the kernel's arrays."""
    lines, moves, empty = _lines_and_moves(states_of(rules), rules.zone_bonus)
    return Tables(lines, moves, _ways(), _earned(rules), empty, rules.leaf_target, rules.rounds)


def states_of(rules: Rules) -> tuple[ZoneStates, ...]:
    """The states that the lines of each zone belong to: cells alone where there are too many."""
    return _states(rules.zones) or tuple(map(joker_states, rules.zones))


def room_of(seats: int) -> Room:
    return Room(
        np.empty((seats + 1, LINES), np.uint32),
        np.empty(seats, np.int64),
        np.empty(ZONES, np.int64),
        np.empty(ZONES, np.int64),
        np.empty((2, ZONES), np.int64),
    )


def _states(zones: tuple[Zone, ...]) -> tuple[ZoneStates, ...] | None:
    """The states of every zone, unless one has too many."""
    found = tuple(states for zone in zones if (states := zone_states(zone, most=MOST)))
    return found if len(found) == len(zones) else None


@lru_cache(8)
def _lines_and_moves(states: tuple[ZoneStates, ...], bonus: int) -> tuple[Any, Any, Any]:
    """``lines``, ``moves`` and ``empty[6]`` of the kernel."""
    sizes = [LINES * len(zone.rows) for zone in states]
    *bases, size = map(int, np.cumsum([0, *sizes]))
    lines, moves = list[int](), list[int]()
    for listing, (best, paid) in enumerate([(False, bonus), (False, 0), (True, bonus), (True, 0)]):
        for base, zone in zip(bases, states, strict=True):
            for line in (line for state in zone.moves for line in (*state, ())):
                gains = [move.gain + paid * move.completes for move in line]
                lines.append(_line(gains if best else [0] * len(line), len(moves)))
                moves += [
                    listing * size + base + LINES * move.then | move.completes | gain << 32
                    for move, gain in zip(line, gains, strict=True)
                ]
    return np.array(lines, np.int64), np.array(moves, np.int64), np.array(bases, np.uint32)


def _line(worth: Sequence[int], first: int) -> int:
    """The word of a line whose moves are worth so much, from move ``first`` on."""
    most = max(worth, default=0)
    return sum(1 << place for place, own in enumerate(worth) if own == most) | first << 8 | most << 32


def _ways() -> Any:
    """``ways[216, 6]`` of the kernel: for every throw (zone, letter, leaf), each marked once."""
    return np.array([_ways_of(roll) for roll in THROWS], np.int64)


def _ways_of(roll: Roll) -> list[int]:
    ways = list(permutations(roll))
    letters = [NOTHING if way in ways[:place] else way[1] - 1 for place, way in enumerate(ways)]
    return [
        zone - 1 | letter << 8 | leaf << 32 for (zone, _, leaf), letter in zip(ways, letters, strict=True)
    ]


def _earned(rules: Rules) -> Any:
    """``earned[leaf total, die]`` of the kernel, for the leaf totals that play on."""
    most = min(rules.leaf_target, 6 * rules.rounds)
    earned = [[rules.earned(leaf, leaf + die) for die in range(7)] for leaf in range(most)]
    return np.array([[jokers | points << 32 for points, jokers in row] for row in earned], np.int64)


def _wide(zones: tuple[Zone, ...], seats: int) -> tuple[Any, ...]:
    """``taken``, ``bare``, ``cells`` and ``rules_out`` of the kernel."""
    found = [conflicts(zone) for zone in zones]
    bare = np.array([zone.bare for zone in found], np.uint32)
    cells = [move.cell for zone in zones for state in joker_states(zone).moves for move in state[JOKER]]
    most = max(len(zone.rules_out) for zone in found)
    rules_out = np.zeros((ZONES, most, len(LETTERS), JOKER), np.uint32)
    for index, zone in enumerate(found):
        rules_out[index, : len(zone.rules_out)] = zone.rules_out
    return np.zeros((seats, *bare.shape), np.uint32), bare, np.array(4 * cells, np.uint8), rules_out
