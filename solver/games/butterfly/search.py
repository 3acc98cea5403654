"""Tree search of Butterfly from a state: what it finds, how deep it got and how sure that is.

The search itself is :mod:`fable_solve.solver.games.butterfly.kernel_tree`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from fable_solve.solver.games.butterfly import kernel_collection, kernel_maxn, kernel_search, kernel_tree
from fable_solve.solver.games.butterfly.kernel_board import PLACES, SIDE
from fable_solve.solver.games.butterfly.play import GAP, NOWHERE, Butterfly, Move, Start, State
from fable_solve.solver.games.butterfly.policies import Search
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
METHODS = {"paranoid": kernel_search.PARANOID, "maxn": kernel_search.MAXN}
STRONGER = {2: "paranoid", 3: "maxn", 4: "maxn", 5: "maxn"}
"""What ``search`` means, by players; with 2 *paranoid* is the game itself."""
WEIGHTS = {2: (12, 24, 0, 0), 3: (8, 24, 0, 0), 4: (8, 24, 0, 0), 5: (8, 24, 0, 0)}
MAXN_WEIGHTS = (8, 24, 64, 8)
"""Of the estimate, in 64ths: what the tiles that lie would bring, and the next catch; for max^n, points and
points a tile that make a win twice as likely (:mod:`kernel_maxn`)."""
GROUPS = {FLOWERS: 4, DRAGONFLIES: 5, FIREFLIES: 6, GRASSHOPPERS: 7, BEES: kernel_search.BEES_GROUP}


def method_of(search: Search, players: int) -> str:
    """The method of a search: ``paranoid`` or ``maxn``."""
    return STRONGER[players] if search.method == "search" else search.method


class Thinker:
    """Searches of states of one game that kernels play; the arrays are those of :mod:`kernel_search`."""

    def __init__(
        self, game: Butterfly, tables: Any, searches: Sequence[Search], weights: Sequence[int] | None = None
    ) -> None:
        """``weights`` are those of the estimate, if not its own."""
        vectors = any(method_of(search, game.players) == "maxn" for search in searches)
        own = [weights or WEIGHTS[game.players], weights or MAXN_WEIGHTS]
        squares, places = game.rows * game.cols, _places(START * max(search.nodes for search in searches))
        plies, seats = 2 * squares + 4, game.players
        self.seats = seats
        self.rules = (*tables[3:7], _groups(), _zobrist(), np.array(own, np.int64), _powers())
        self.roots = np.zeros((max(4 * squares, 128), 3), np.int64)
        self.meta = np.zeros(kernel_search.META, np.int64)
        self.meta[kernel_search.ROWS : kernel_search.SEATS + 1] = game.rows, game.cols, seats
        self.rounds = np.zeros((kernel_tree.DEEPEST, 3), np.int64)
        self.line = np.zeros((plies, kernel_tree.LINE), np.int64)
        self.tree = (
            np.zeros((plies, kernel_search.FRAME), np.int64),
            np.zeros((plies, 128), np.int64),
            np.zeros((plies, 4), np.uint64),
            np.zeros(64, np.int32),
            np.zeros(10, np.int32),
            self.meta,
            np.zeros(1, np.uint64),
            np.zeros(places, np.uint64),
            np.zeros(places, np.int64),
            self.line,
            np.zeros(seats, np.int64),
            np.zeros((plies, seats), np.int64),
            np.zeros((places if vectors else 1, seats), np.int32),
            self.rounds,
        )

    def move(
        self, table: Any, search: Search, seat: int, place: int, facing: int, left: int, every: bool = False
    ) -> int:
        """Code of the best move of a seat; ``left`` tiles are in the bag. See :func:`kernel_tree.think`."""
        asked = (seat, seat, place, facing, left, search.nodes, _places(search.nodes) - 1, 0, every)
        return self._think(table, search, asked)

    def start(
        self, table: Any, search: Search, hero: int, seat: int, left: int, starts: Sequence[int],
        every: bool = False,
    ) -> int:  # fmt: skip
        """Number of the best start for the hero; ``seat`` then moves first."""
        self.roots[: len(starts), 0] = starts
        nodes = START * search.nodes
        asked = (hero, seat, 0, 0, left, nodes, _places(nodes) - 1, len(starts), every)
        return self._think(table, search, asked)

    def _think(self, table: Any, search: Search, asked: tuple[int, ...]) -> int:
        self.meta[: kernel_search.ASKED] = METHODS[method_of(search, self.seats)], *asked
        self.rounds[:, 0] = 0
        self.count, self.depth = kernel_tree.think(self.roots, self.rules, table, self.tree)
        return int(self.roots[0, 0])

    def completed(self) -> list[list[int]]:
        """Nodes, best candidate and its value after each complete round of the last search."""
        return [row for row in self.rounds.tolist() if row[0]]


def _places(nodes: int) -> int:
    """A power of 2, at least twice ``nodes`` if that is not too many."""
    return min(1 << (2 * nodes - 1).bit_length(), LARGEST)


@lru_cache
def _powers() -> Any:
    steps = 30 * kernel_maxn.STEPS
    return np.array([*(round(2 ** (30 - k / kernel_maxn.STEPS)) for k in range(steps)), 0], np.int64)


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
class Round:
    """What a search found when it had looked so many actions ahead."""

    depth: int
    nodes: int
    """Nodes until then."""
    best: Start | Move
    value: float


@dataclass(frozen=True)
class Found:
    """What a search found.

    By *paranoid* search, values are points that the searching seat is ahead of the mean of the others at the
    end of the game, from now on (what it has already is left out); by max^n its shares of the win.
    """

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
    rounds: tuple[Round, ...]
    """The complete rounds, one action deeper each."""

    @property
    def exact(self) -> bool:
        return self.depth is None and not self.averaged

    @property
    def settled(self) -> int:
        """How many of the last rounds found the same best action."""
        last = [found.best == self.rounds[-1].best for found in reversed(self.rounds)]
        return last.index(False) if False in last else len(last)


class Searcher:
    """Searches the states of one game, up to ``nodes`` nodes each."""

    def __init__(self, game: Butterfly, nodes: int, method: str = "search") -> None:
        self.game, self.search = game, Search(method, nodes)
        self.tables = build(game)
        self.thinker = Thinker(game, self.tables, [self.search])
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
        seat, left = state.seat, sum(state.bag)
        if state.square == NOWHERE:
            numbers = [4 * start.square + start.facing for start in self.game.starts(state)]
            placer = self.game.placer(state)
            hero = seat if placer is None else placer
            self.thinker.start(self.table, self.search, hero, seat, left, numbers, every)
        else:
            place = place_of(self.game, state.square)
            self.thinker.move(self.table, self.search, seat, place, state.facing, left, every)
        return self._found(state, every)

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

    def _found(self, state: State, every: bool) -> Found:
        thinker, maxn = self.thinker, method_of(self.search, self.game.players) == "maxn"
        unit = kernel_maxn.WHOLE if maxn else kernel_search.UNIT * (self.game.players - 1)
        rows = thinker.roots[: thinker.count if every else 1].tolist()
        values = [(self.action(state, row[0]), row[1] / unit) for row in rows]
        best, line = values[0][0], thinker.line[-1].tolist()
        codes = line[1 : line.index(-1)] if -1 in line else []
        steps = (best, *self._line(self.after(state, best), codes))
        whole = thinker.depth == kernel_tree.WHOLE
        rounds = tuple(
            Round(depth, nodes, self.action(state, code), value / unit)
            for depth, (nodes, code, value) in enumerate(thinker.completed(), 1)
        )
        return Found(
            tuple(values), steps, None if whole else thinker.depth, int(thinker.meta[kernel_search.NODES]),
            bool(thinker.meta[kernel_search.AVERAGED]), rounds,
        )  # fmt: skip

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
