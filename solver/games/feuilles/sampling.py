"""Finished games, sheet by sheet: what a study counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fable_solve.solver.blocks import Block
from fable_solve.solver.games.feuilles.kernel_play_words import LEAF, LINES, WROTE, ZONES
from fable_solve.solver.games.feuilles.playouts import states_of, tables_of, traced
from fable_solve.solver.games.feuilles.rules import Rules
from fable_solve.solver.games.feuilles.sheet import EMPTY, NAMES
from fable_solve.solver.rollout import Match, Setup

if TYPE_CHECKING:
    import polars as pl

KEPT = 240_000
"""Rounds of sheets that are kept at once."""


@dataclass(frozen=True)
class Course:
    """Games round by round; a round that was not played repeats the last one."""

    block: Block
    lacks: Any
    """Empty cells after every round: ``[n, rounds, seats, zones]``."""
    points: Any
    """Points of the zones, bonuses not counted: the same shape."""
    leaves: Any
    """Leaf totals: ``[n, rounds, seats]``."""
    wrote: Any
    """Zone written in (from 1), 0 for none: the same shape."""
    lines: Any
    """The zones as the kernel's lines, all bonuses open: ``[n, rounds, seats, zones]``."""

    @property
    def last(self) -> Any:
        """Index of the last round of every game."""
        return np.arange(self.block.games), self.block.lengths - 1


def course(match: Match, numbers: range) -> Course:
    """Games of consecutive numbers, played by kernel."""
    block, trace = traced(match, numbers)
    rounds = np.minimum(np.arange(trace.shape[1]), block.lengths[:, None] - 1)
    trace = trace[np.arange(len(trace))[:, None], rounds].astype(np.int64)
    lacks, points = _of_states(match.game.rules)  # type: ignore[attr-defined]
    state = trace[..., :ZONES] // LINES % len(lacks)
    return Course(block, lacks[state], points[state], trace[..., LEAF], trace[..., WROTE], LINES * state)


def _of_states(rules: Rules) -> tuple[Any, Any]:
    """Empty cells and points of every state of all zones: ``[states]``."""
    rows = [
        (zone, rows)
        for zone, states in zip(rules.zones, states_of(rules), strict=True)
        for rows in states.rows
    ]
    lacks = [sum(row.count(EMPTY) for row in own) for _, own in rows]
    return np.array(lacks), np.array([zone.points(own) for zone, own in rows])


@dataclass(frozen=True)
class Sample:
    """Games of one policy under one reading of the leaf bonuses, in every seat or in seat 0 alone.

    ``sheets`` has one row a game and seat, by game: seat, score, win_share, rounds, by_leaves (whether a leaf
    total ended the game), leaf_points, jokers, passes, and for each zone its points (``NAME``), whether it
    is full (``full NAME``) and whether its bonus was earned (``bonus NAME``).
    """

    players: int
    reading: str
    policy: str
    games: int
    seats: int
    """Seats that play the policy, the first ones."""
    sheets: pl.DataFrame

    def column(self, name: str) -> Any:
        """``[games, players]``"""
        return self.sheets[name].to_numpy().reshape(self.games, self.players)

    def by_game(self, name: str) -> Any:
        """``[games]``, of a column that is the same for all seats."""
        return self.column(name)[:, 0]

    def own(self, name: str) -> Any:
        """The same of the seats that play the policy."""
        return self.column(name)[:, : self.seats]


def sample(run: Setup, reading: str, games: int, played: Callable[[int], object]) -> Sample:
    """``games`` games of ``run``; game g is episode g of a simulation with the same seed and rule data."""
    import polars as pl

    match, parts = run.build(), list[pl.DataFrame]()
    for numbers in batches(games, KEPT // (run.players * run.rules.model.rounds) or 1):
        parts.append(pl.DataFrame(_columns(match, course(match, numbers))))
        played(len(numbers))
    seats = run.players if len(set(match.names)) == 1 else 1
    return Sample(run.players, reading, match.names[0], games, seats, pl.concat(parts))


def batches(games: int, size: int) -> Iterator[range]:
    """The numbers of ``games`` games, ``size`` at a time."""
    for first in range(0, games, size):
        yield range(first, min(first + size, games))


def _columns(match: Match, games: Course) -> dict[str, Any]:
    block, rules = games.block, match.game.rules  # type: ignore[attr-defined]
    shape = block.scores.shape
    lacks = games.lacks[games.last]
    played = np.arange(games.wrote.shape[1])[:, None] < block.lengths[:, None, None]
    writings, cells = ((games.wrote > 0) & played).sum(1), _cells(rules) - lacks.sum(-1)
    over = (games.leaves[games.last] >= rules.leaf_target).any(1)
    columns = {
        "seat": np.broadcast_to(np.arange(shape[1]), shape),
        "score": block.scores,
        "win_share": block.win_shares,
        "rounds": np.broadcast_to(block.lengths[:, None], shape),
        "by_leaves": np.broadcast_to(over[:, None], shape),
        "leaf_points": leaf_points(rules, games.leaves),
        "jokers": cells - writings,
        "passes": block.lengths[:, None] - writings,
    }
    first = filled(games)
    earned = (first <= games.lacks.shape[1]) & (first == first.min(1, keepdims=True))
    for zone, name in enumerate(NAMES):
        columns[name] = games.points[games.last][..., zone]
        columns[f"full {name}"] = lacks[..., zone] == 0
        columns[f"bonus {name}"] = earned[..., zone]
    return {name: _compact(column).ravel() for name, column in columns.items()}


def _compact(column: Any) -> Any:
    return np.ascontiguousarray(column, np.int16 if column.dtype.kind == "i" else None)


def _cells(rules: Rules) -> int:
    """Cells of a sheet."""
    return sum(row.count(EMPTY) for zone in rules.zones for row in zone.empty)


def filled(games: Course) -> Any:
    """The round, from 1, that fills each zone: ``[n, seats, zones]``; one after the last if none does."""
    return 1 + (games.lacks > 0).sum(1)


def leaf_points(rules: Rules, leaves: Any) -> Any:
    """Points of leaf bonuses of totals ``[n, rounds, seats]``: ``[n, seats]``."""
    before = np.concatenate([np.zeros_like(leaves[:, :1]), leaves[:, :-1]], 1)
    earned, dice = tables_of(rules).earned >> 32, leaves - before
    return (earned[np.minimum(before, len(earned) - 1), dice] * (dice > 0)).sum(1)
