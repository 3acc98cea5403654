"""What the study of a round measures: every number of the report, before it is worded or drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fable_solve.solver.estimate import Mean, Share, mean, share
from fable_solve.solver.games.cigale.cards import TYPES
from fable_solve.solver.games.cigale.chains import CHAIN_RULES
from fable_solve.solver.games.cigale.opening import opening_squares
from fable_solve.solver.games.cigale.rules import Rules
from fable_solve.solver.games.cigale.shapes import Shape, ShapeGame, shape_game
from fable_solve.solver.games.cigale.squares import (
    Board,
    Squares,
    deal,
    fresh_tables,
    solve_dealt,
    solved,
    study_board,
    tables_at,
)
from fable_solve.solver.study import silent

TIE = 1e-9
SLOW_SQUARES = 100
"""Squares of a side question whose chains must be solved one by one (Provision points)."""
GRID_SQUARES = 300
MAX_GRID = 9

Solver = Callable[[Board, int], Squares]


@dataclass(frozen=True)
class Habits:
    """What plain habits lose against best play, under one objective; paired by square."""

    objective: str
    most_cards: Mean
    """An Ant that lays the most cards of one type and names them."""
    frequent_guess: Mean
    """A Cigale that always stands on the most frequent type."""


@dataclass(frozen=True)
class ShapeEvidence:
    """One shape over all squares."""

    game: ShapeGame
    available: Share
    """Share of squares with at least one chain of the shape."""
    best: Share
    """Share of squares on which it is worth as much as the best chain."""
    value: Mean | None
    """Value of the best chain of the shape, over the squares that have one."""


@dataclass(frozen=True)
class ChainRuleEvidence:
    """One reading of the chain rule on the same squares; ``change`` is paired with the reading in use."""

    rule: str
    chains: int
    value: Mean
    change: Mean


@dataclass(frozen=True)
class ShelfCell:
    """The round when the places on one shelf differ: the Ant's and the Cigale's, all else at the start."""

    ant: int
    cigale: int
    value: Mean
    names: float
    """Mean probability that the Ant names that type."""
    guesses: float


@dataclass(frozen=True)
class Evidence:
    """Everything measured."""

    rules: Rules
    mode: str
    objective: str
    board: Board
    squares: Squares
    shapes: tuple[ShapeEvidence, ...]
    habits: tuple[Habits, ...]
    chain_rules: tuple[ChainRuleEvidence, ...]
    shelves: tuple[ShelfCell, ...]
    without_insects: Mean | None
    """Automne points: change of a square's value when insects score nothing, paired."""

    @property
    def value(self) -> Mean:
        return mean(self.squares.value)

    @property
    def varies(self) -> bool:
        """Whether the squares differ in value."""
        return bool(np.ptp(self.squares.value) > TIE)

    def over_best(self, of_shape: Callable[[ShapeGame], float]) -> tuple[Mean, Mean]:
        """Least and most of a number of the guessing game for cards, over the best shapes of each square.

        The Ant may choose among chains of equal value, so such a number is a range on each square.
        """
        best = self.squares.by_shape >= self.squares.value[:, None] - TIE
        numbers = np.array([of_shape(item.game) for item in self.shapes])
        least = np.where(best, numbers, np.inf).min(axis=1)
        most = np.where(best, numbers, -np.inf).max(axis=1)
        return mean(least), mean(most)

    def red_ant(self, game: ShapeGame) -> float:
        """Expected number of cards of a Red Ant that names well against a shape."""
        return 1 - game.caught if self.rules.red_ant_reward == "miss" else game.red_chance


def gather(
    rules: Rules, mode: str, objective: str, players: int, boards: int, seed: int, progress: object = silent
) -> Evidence:
    """Deals ``boards`` squares and measures everything; the same seed gives the same evidence."""
    board = study_board(rules)
    main = _solver(rules, mode, objective, players, seed, progress)
    squares = main(board, boards)
    quiet = _solver(rules, mode, objective, players, seed, silent)

    def asked(other: str) -> Squares:
        count = boards if _additive(mode, other) else min(boards, SLOW_SQUARES)
        return _solver(rules, mode, other, players, seed, silent)(board, count)

    few = boards if _additive(mode, objective) else min(boards, SLOW_SQUARES)
    return Evidence(
        rules,
        mode,
        objective,
        board,
        squares,
        tuple(_shape(board, squares, index) for index in range(len(board.shapes))),
        tuple(
            _habits(other, squares if other == objective and few == boards else asked(other))
            for other in ("cards", "points")
        ),
        tuple(_chain_rules(rules, quiet, few, squares if few == boards else None)),
        tuple(_shelf_grid(rules, board, min(boards, GRID_SQUARES), seed)) if mode == "automne" else (),
        _without_insects(rules, board, squares, boards, seed)
        if (mode, objective) == ("automne", "points")
        else None,
    )


def _additive(mode: str, objective: str) -> bool:
    return objective == "cards" or mode == "automne"


def _solver(rules: Rules, mode: str, objective: str, players: int, seed: int, progress: object) -> Solver:
    """How squares are solved under the objective."""
    if _additive(mode, objective):
        tables = fresh_tables(rules, objective)
        return lambda board, count: solved(board, count, seed, tables, progress)
    return lambda board, count: opening_squares(rules, board, players, count, seed, progress)


def _shape(board: Board, squares: Squares, index: int) -> ShapeEvidence:
    values = squares.by_shape[:, index]
    there = values > -np.inf
    reach = TIE * max(1.0, float(np.abs(squares.value).max()))
    return ShapeEvidence(
        shape_game(board.shapes[index]),
        share(there),
        share(there & (values >= squares.value - reach)),
        mean(values[there]) if there.sum() > 1 else None,
    )


def _habits(objective: str, squares: Squares) -> Habits:
    lost = squares.naive - squares.value[:, None]
    return Habits(objective, mean(-lost[:, 0]), mean(lost[:, 1]))


def _chain_rules(rules: Rules, solver: Solver, count: int, own: Squares | None) -> list[ChainRuleEvidence]:
    """The readings on ``count`` squares; ``own`` are those squares under the reading in use, if solved."""
    boards = {rule: study_board(rules, rule) for rule in CHAIN_RULES}
    solved_by = {rule: own if rule == rules.chain_rule else None for rule in CHAIN_RULES}
    values = {rule: (solved_by[rule] or solver(board, count)).value for rule, board in boards.items()}
    used = values[rules.chain_rule]
    return [
        ChainRuleEvidence(rule, len(boards[rule].chains), mean(values[rule]), mean(values[rule] - used))
        for rule in CHAIN_RULES
    ]


def _shelf_grid(rules: Rules, board: Board, count: int, seed: int) -> list[ShelfCell]:
    """Yellow's shelf at every pair of places; the same squares for every pair."""
    top = len(rules.shelf_points) - 1
    places = sorted({round(i * top / (min(top, MAX_GRID - 1))) for i in range(min(top, MAX_GRID - 1) + 1)})
    types, species = deal(board, count, seed)
    cells = []
    for ant in places:
        for cigale in places:
            shelves = [[ant, *[0] * (len(TYPES) - 1)], [cigale, *[0] * (len(TYPES) - 1)]]
            squares = solve_dealt(board, types, species, tables_at(rules, "points", shelves))
            named, guessed = squares.mixtures[:, 0, 0].mean(), squares.mixtures[:, 1, 0].mean()
            cells.append(ShelfCell(ant, cigale, mean(squares.value), float(named), float(guessed)))
    return cells


def _without_insects(rules: Rules, board: Board, squares: Squares, boards: int, seed: int) -> Mean:
    steps, sets = fresh_tables(rules, "points")
    bare = solved(board, boards, seed, (steps, np.zeros_like(sets)), silent)
    return mean(bare.value - squares.value)


def best_shapes(evidence: Evidence, least: float = 0.5) -> list[Shape]:
    """Shapes that are best on at least ``least`` of the squares, most often best first."""
    ranked = sorted(evidence.shapes, key=lambda shape: -shape.best.mean)
    return [shape.game.shape for shape in ranked if shape.best.mean >= least]
