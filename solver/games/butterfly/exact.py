"""Exact solution of two-player positions of Butterfly, small enough for a table of their states.

What a collection is worth to the rest of the game is a small automaton for each category of tiles: a node
is (tiles of the category still to be had, tiles held), and nodes from which every later tile brings the
same points are one node. So states that differ only in tiles that cannot matter any more, or not yet
differ, are searched once. The search itself is :mod:`fable_solve.solver.games.butterfly.kernel`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fable_solve.solver.errors import TooLarge
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.butterfly import kernel
from fable_solve.solver.games.butterfly.play import GAP, NOWHERE, Butterfly, State
from fable_solve.solver.games.butterfly.sweeps import HINT, refuse_large
from fable_solve.solver.games.butterfly.tiles import (
    CATEGORIES,
    CATEGORY,
    GRASSHOPPERS,
    Scoring,
    counts,
)
from fable_solve.solver.study import silent

MAX_TILES = 62
MAX_NODES = 500_000
MAX_OF_A_CATEGORY = 200
FEWER = "play on until fewer tiles are left"
FIRST_CAPACITY = 1 << 16
CHUNK = 1 << 18
"""States between two reports of progress, and between two chances to interrupt."""


class Automaton:
    """Gains to come in each category, for one seat.

    ``rows[node]`` holds for each slot the next node if this seat takes the tile, the next node if the rival
    does, and this seat's gain; then the rank of the node among those with the same tiles still to be had.
    """

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring
        self.rows: list[list[int]] = []
        self._nodes: dict[tuple[int, bytes, bytes], int] = {}
        self._classes: dict[tuple[int, bytes, tuple[int, ...]], int] = {}
        self._ranks: dict[tuple[int, bytes], int] = {}

    def node(self, category: int, left: bytes, held: bytes) -> int:
        """The node of a seat that holds ``held`` while ``left`` is still to be had (both by slot)."""
        key = (category, left, held)
        if key not in self._nodes:
            if len(self._nodes) >= MAX_NODES:
                raise TooLarge("states of one category", len(self._nodes) + 1, MAX_NODES, hint=FEWER)
            self._nodes[key] = self._classify(category, left, self._row(category, left, held))
        return self._nodes[key]

    def _row(self, category: int, left: bytes, held: bytes) -> tuple[int, ...]:
        mine, other, gain = ([0] * kernel.SLOTS for _ in range(3))
        before = self.scoring.points(category, held)
        for slot, count in enumerate(left):
            if count:
                fewer = bytes([*left[:slot], count - 1, *left[slot + 1 :]])
                more = bytearray(len(held) if category == GRASSHOPPERS else held)
                more[slot] += 1
                mine[slot] = self.node(category, fewer, bytes(more))
                other[slot] = self.node(category, fewer, held)
                gain[slot] = self.scoring.points(category, bytes(more)) - before
        return (*mine, *other, *gain)

    def _classify(self, category: int, left: bytes, row: tuple[int, ...]) -> int:
        """The node whose later gains are those of ``row``, new if there is none."""
        key = (category, left, row)
        if key not in self._classes:
            rank = self._ranks.get((category, left), 0)
            self._ranks[category, left] = rank + 1
            self._classes[key] = len(self.rows)
            self.rows.append([*row, rank])
        return self._classes[key]

    def ranks(self, category: int) -> int:
        """Largest number of nodes with the same tiles still to be had."""
        return max((n for (c, _), n in self._ranks.items() if c == category), default=1)


@dataclass
class _Table:
    keys: Any
    values: Any
    states: int = 0

    @classmethod
    def empty(cls, capacity: int, words: int) -> _Table:
        return cls(np.full((capacity, words), -1, np.int64), np.zeros(capacity))

    @property
    def room(self) -> int:
        """States it may hold before it must grow: searching a fuller one is slow."""
        return len(self.values) * 3 // 4

    def grown(self, max_states: int) -> _Table:
        """The table with twice the places, or as many as ``max_states`` need if these are fewer."""
        capacity = min(2 * len(self.values), max_states * 4 // 3 + 4)
        larger = _Table.empty(capacity, self.keys.shape[1])
        kernel.rehash(self.keys, self.values, larger.keys, larger.values)
        larger.states = self.states
        return larger


class Endgame:
    """Values of a two-player state of Butterfly and of every state that can follow it."""

    def __init__(
        self,
        game: Butterfly,
        root: State,
        max_states: int,
        progress: Callable[[int, int | None], None] = silent,
    ) -> None:
        """Raises :class:`TooLarge` for a state whose description does not fit the tables."""
        self.game, self.max_states, self.progress = game, max_states, progress
        self.win = game.objective == "win"
        self.tiles = [square for square, kind in enumerate(root.board) if kind != GAP]
        if len(self.tiles) > MAX_TILES:
            raise TooLarge("tiles on the board", len(self.tiles), MAX_TILES, hint=FEWER)
        refuse_large(game, root, max_states)
        self.bag_kinds = [k for k, count in enumerate(root.bag) if count] if any(game.is_net) else []
        kinds = [root.board[square] for square in self.tiles] + self.bag_kinds
        self.categories = sorted({CATEGORY[kind] for kind in kinds})
        left = self._left(root)
        most = max((sum(left[CATEGORIES[category]]) for category in self.categories), default=0)
        if most > MAX_OF_A_CATEGORY:
            raise TooLarge("tiles of one category", most, MAX_OF_A_CATEGORY, hint=FEWER)
        self.automaton = Automaton(game.scoring)
        for seat in range(2):
            self._nodes(root, seat)
        self.span = int(np.ptp(game.scoring.bounds(game.stock))) if self.win else -1
        self.pieces = np.array([self._piece(kind) for kind in kinds], np.int64).reshape(-1, 2)
        self.rows = np.array(self.automaton.rows or [[0] * (kernel.RANK + 1)], np.int32)
        self.squares = self._squares()
        self.fields, words = self._layout(root)
        self.table = _Table.empty(FIRST_CAPACITY, words)

    def _piece(self, kind: int) -> tuple[int, int]:
        category = CATEGORY[kind]
        return self.categories.index(category), kind - CATEGORIES[category].start

    def _squares(self) -> Any:
        rows = np.full((len(self.game.rays), 6), -1, np.int64)
        for square, rays in enumerate(self.game.rays):
            rows[square, 1] = self.game.is_net[square]
            rows[square, 2:] = [len(ray) for ray in rays]
        rows[self.tiles, 0] = np.arange(len(self.tiles))
        return rows

    def _layout(self, root: State) -> tuple[Any, int]:
        """Word and multiplier of each field of a key: mixed radix, as many 62-bit words as it takes."""
        sizes = [self.automaton.ranks(category) for category in self.categories for _ in range(2)]
        sizes += [root.bag[kind] + 1 for kind in self.bag_kinds]
        sizes += [1 << len(self.tiles), len(self.game.rays), 5, 2 * max(self.span, 0) + 1]
        fields, word, used = [], 0, 1
        for size in sizes:
            if used * size > 1 << 62:
                word, used = word + 1, 1
            fields.append((word, used))
            used *= size
        return np.array(fields, np.int64), word + 1

    def _left(self, state: State) -> bytes:
        """Numbers of tiles of each kind still to be had."""
        left = bytearray(counts(kind for kind in state.board if kind != GAP))
        for kind in self.bag_kinds:
            left[kind] += state.bag[kind]
        return bytes(left)

    def _nodes(self, state: State, seat: int) -> list[int]:
        left, held = self._left(state), state.held[seat]
        parts = [(category, CATEGORIES[category]) for category in self.categories]
        return [self.automaton.node(category, left[part], held[part]) for category, part in parts]

    @property
    def states(self) -> int:
        """States in the table."""
        return self.table.states

    def value(self, state: State) -> float:
        """Seat 0's expected return under optimal play; raises :class:`TooLarge`."""
        mover = self.game.player_to_move(state)
        if mover == TERMINAL:
            return self.game.returns(state)[0]
        if mover == CHANCE:
            outcomes = self.game.chance_outcomes(state)
            return sum(p * self.value(self.game.successor(state, outcome)) for outcome, p in outcomes)
        if state.square == NOWHERE:
            starts = (self.value(self.game.successor(state, start)) for start in self.game.starts(state))
            return max(starts) if mover == 0 else min(starts)
        scores = self.game.scores(state)
        margin = int(scores[mover] - scores[1 - mover])
        found = self._search(state, mover, margin)
        if self.win:
            return found if mover == 0 else 1.0 - found
        return margin + found if mover == 0 else -(margin + found)

    def _search(self, state: State, mover: int, margin: int) -> float:
        mask = sum(1 << i for i, square in enumerate(self.tiles) if state.board[square] != GAP)
        node = np.array([self._nodes(state, seat) for seat in range(2)], np.int64)
        bag = np.array([state.bag[kind] for kind in self.bag_kinds], np.int64)
        while True:
            room = min(self.table.room, self.table.states + CHUNK)
            meta = np.array([self.table.states, min(room, self.max_states), 0], np.int64)
            found = kernel.value(
                np.int64(mask), state.square, state.facing, mover, max(self.span, 0) + margin * self.win,
                self.span, self.game.cols, node.copy(), bag.copy(), self.squares, self.pieces, self.rows,
                self.fields, self.table.keys, self.table.values, meta,
            )  # fmt: skip
            self.table.states = int(meta[0])
            self.progress(self.table.states, None)
            if not meta[2]:
                return float(found)
            if self.table.states >= self.max_states:
                raise TooLarge("states", self.max_states + 1, self.max_states, hint=HINT)
            if self.table.states >= self.table.room:
                self.table = self.table.grown(self.max_states)
