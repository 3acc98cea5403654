"""Tree search of Butterfly from a state: what it finds, how deep it got and how sure that is.

The search itself is :mod:`fable_solve.solver.games.butterfly.kernel_tree`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from fable_solve.solver.games.butterfly import kernel_collection, kernel_search, kernel_tree
from fable_solve.solver.games.butterfly.kernel_board import PLACES, SIDE
from fable_solve.solver.games.butterfly.play import GAP, NOWHERE, Butterfly, Move, Start, State
from fable_solve.solver.games.butterfly.tables import build, place_of
from fable_solve.solver.games.butterfly.tiles import (
    BEES,
    CATEGORY,
    DRAGONFLIES,
    FIREFLIES,
    FLOWERS,
    GRASSHOPPERS,
    listed,
)
from fable_solve.solver.rng import Stream, stream_key

START = 8
"""How many times as many nodes a start gets: one decision of a game, with dozens of candidates."""
LARGEST = 1 << 22
"""Places of the largest table."""
WEIGHTS = {2: (12, 24), 3: (8, 24), 4: (8, 24), 5: (8, 24)}
"""Of the estimate, in 64ths, by players: what the tiles that lie would bring, and the next catch."""
GROUPS = {FLOWERS: 4, DRAGONFLIES: 5, FIREFLIES: 6, GRASSHOPPERS: 7, BEES: kernel_search.BEES_GROUP}


def limits(nodes: int) -> tuple[int, int, int, int]:
    """Nodes and mask of the table, for a move and for a start."""
    return nodes, _places(nodes) - 1, START * nodes, _places(START * nodes) - 1


def _places(nodes: int) -> int:
    """A power of 2, at least twice ``nodes`` if that is not too many."""
    return min(1 << (2 * nodes - 1).bit_length(), LARGEST)


def brain(
    game: Butterfly, tables: Any, nodes: int, weights: tuple[int, int] | None = None
) -> tuple[Any, ...]:
    """``rules``, ``tree`` and ``roots`` of the search (:mod:`kernel_search`), for up to ``nodes`` a move."""
    reach, nets, adds, points = tables[3:7]
    rules = (
        reach,
        nets,
        adds,
        points,
        _groups(),
        _zobrist(),
        np.array(weights or WEIGHTS[game.players], np.int64),
    )
    squares, places = game.rows * game.cols, _places(START * nodes)
    plies = 2 * squares + 4
    tree = (
        np.zeros((plies, kernel_search.FRAME), np.int64),
        np.zeros((plies, 128), np.int64),
        np.zeros((plies, 4), np.uint64),
        np.zeros(64, np.int32),
        np.zeros(10, np.int32),
        np.zeros(kernel_search.META, np.int64),
        np.zeros(1, np.uint64),
        np.zeros(places, np.uint64),
        np.zeros(places, np.int64),
        np.zeros((plies, kernel_tree.LINE), np.int64),
    )
    return rules, tree, np.zeros((max(4 * squares, 128), 3), np.int64)


def _groups() -> Any:
    """``group[kind]`` of :mod:`kernel_search`."""
    groups = np.full(64, kernel_search.LOOSE, np.int64)
    for kind, category in enumerate(CATEGORY):
        groups[kind] = GROUPS.get(category, kernel_search.LOOSE)
        if category < FLOWERS and kind % 6 == 5:
            groups[kind] = category
    return groups


@lru_cache
def _zobrist() -> Any:
    """Fixed keys: the draws of one stream."""
    stream = Stream(stream_key(0, "butterfly", "zobrist"))
    return np.array([[stream.bits() for _ in range(PLACES)] for _ in range(4)], np.uint64)


@dataclass(frozen=True)
class Found:
    """What a search found: values are points that the searching seat is ahead of the mean of the others, at
    the end of the game, from now on (what it has already is left out)."""

    values: tuple[tuple[Start | Move, float], ...]
    """Actions with their values, best first: every one of them, or the best alone. Of a draw that is counted
    with its average there is only the better of using the net and leaving it."""
    line: tuple[Start | Move, ...]
    """Best play from the best action on, up to a draw."""
    depth: int | None
    """Actions looked ahead by the last complete round; ``None`` if every line was played to its end."""
    nodes: int
    averaged: bool
    """Whether a draw was counted with its average."""

    @property
    def exact(self) -> bool:
        return self.depth is None and not self.averaged


class Searcher:
    """Searches the states of one game, up to ``nodes`` nodes each."""

    def __init__(self, game: Butterfly, nodes: int) -> None:
        self.game, self.nodes = game, nodes
        self.tables = build(game)
        self.rules, self.tree, self.roots = brain(game, self.tables, nodes)
        self.table = (
            np.zeros(PLACES, np.uint8),
            np.zeros(2 * SIDE, np.uint64),
            np.zeros((game.players + 1, 3), np.uint64),
            np.zeros((game.players + 1, 64), np.int32),
            np.zeros(64, np.int32),
        )

    def best(self, state: State) -> Start | Move:
        """The best action of the seat to act."""
        return self.find(state).values[0][0]

    def find(self, state: State, every: bool = False) -> Found:
        """The best action of the seat to act, or with ``every`` the values of all."""
        self._set_up(state)
        starts = self.game.starts(state) if state.square == NOWHERE else ()
        numbers = [4 * start.square + start.facing for start in starts]
        self.roots[: len(starts), 0] = numbers
        placer = self.game.placer(state) if starts else None
        place, facing = (0, 0) if starts else (place_of(self.game, state.square), state.facing)
        move_nodes, move_mask, start_nodes, start_mask = limits(self.nodes)
        count, depth = kernel_tree.think(
            self.tables[0], self.game.players, state.seat if placer is None else placer, state.seat,
            np.uint64(place), np.uint64(facing), sum(state.bag), start_nodes if starts else move_nodes,
            start_mask if starts else move_mask, len(starts), every, self.roots, self.rules, self.table,
            self.tree,
        )  # fmt: skip
        return self._found(state, count, depth, every)

    def _set_up(self, state: State) -> None:
        board, lines, held, worth, bag = self.table
        adds, points, first_worth = self.tables[5:8]
        lines[:] = 0
        for square, kind in enumerate(state.board):
            if kind != GAP:
                row, col = divmod(square, self.game.cols)
                board[row * SIDE + col] = kind
                lines[row] |= np.uint64(1 << col)
                lines[SIDE + col] |= np.uint64(1 << SIDE + row)
        held[:], worth[:], bag[:-1] = 0, first_worth, list(state.bag)
        for seat, collection in enumerate(state.held):
            for kind in listed(collection):
                kernel_collection.take(held, seat, kind, adds)
                kernel_collection.refresh(held, seat, kind, points, worth, seat)

    def _found(self, state: State, count: int, depth: int, every: bool) -> Found:
        meta, line = self.tree[5], self.tree[9][-1].tolist()
        unit = kernel_search.UNIT * (self.game.players - 1)
        rows = self.roots[: count if every else 1].tolist()
        values = [(self.action(state, row[0]), row[1] / unit) for row in rows]
        best, codes = values[0][0], line[1 : line.index(-1)] if -1 in line else []
        steps = (best, *self._line(self.after(state, best), codes))
        whole = None if depth == kernel_tree.WHOLE else int(depth)
        averaged = bool(meta[kernel_search.AVERAGED])
        return Found(tuple(values), steps, whole, int(meta[kernel_search.NODES]), averaged)

    def action(self, state: State, code: int) -> Start | Move:
        """The action with the number of a start or the code of a move (units above it do not matter)."""
        if state.square == NOWHERE:
            return Start(*divmod(code, 4))
        row, col = divmod(state.square, self.game.cols)
        at = code & kernel_search.TO
        row, col = (row, at) if at < SIDE else (at - SIDE, col)
        there = [move for move in self.game.moves(state) if move.to == row * self.game.cols + col]
        return there[-1] if code & (kernel_search.DRAW | kernel_search.MEAN) else there[0]

    def after(self, state: State, action: Start | Move) -> State | None:
        """The state after an action, a draw from the bag left out; ``None`` where the search does not."""
        few = sum(state.bag) <= kernel_search.FEW
        if isinstance(action, Move) and action.draw:
            return None if few else self.game.successor(state, action._replace(draw=False))
        return self.game.successor(state, action)

    def _line(self, state: State | None, codes: Sequence[int]) -> Iterator[Start | Move]:
        for code in codes:
            if state is None:
                return
            action = self.action(state, code)
            yield action
            state = self.after(state, action)
