"""Exact values of automne for two players, round by round.

Three facts make this far quicker than the generic solver, which the tests compare it with:

- a round is one matrix in closed form per chain, and a chain matters only through the cards of each type
  under it, so what follows a collection is valued once per set of cards and collector;
- both seats have the same rules, so a table is seen from the Ant: its worth to the Cigale is the opposite
  (margin) or the rest (win share);
- refilling is fair to all places, so mirrored squares have equal values (and transposed ones, if square).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fable_solve.solver.errors import TooLarge
from fable_solve.solver.games.cigale.automne import Automne
from fable_solve.solver.games.cigale.cards import HOLE, NO_INSECT, insect_of, type_of
from fable_solve.solver.games.cigale.chains import Chain
from fable_solve.solver.games.cigale.kernel_guess import guess_value
from fable_solve.solver.games.cigale.state import State
from fable_solve.solver.result import Certificate
from fable_solve.solver.study import silent

Board = tuple[int, ...]
Side = tuple[tuple[int, ...], tuple[int, ...]]
"""One player's shelves ``[4]`` and kept insects by species ``[6]``."""

PROGRESS_EVERY = 256

TOLERANCE = 1e-9
"""Largest error of a value, from floating point alone."""


class Table(NamedTuple):
    """A square to be played, seen from the Ant; :func:`table_of` makes it from a state."""

    board: Board
    pile: tuple[int, ...]
    ant: Side
    cigale: Side


@dataclass
class AutomneValues:
    """Values of tables under optimal play; each table is worked out once, up to mirrors of its square.

    ``value(table)`` is the Ant's: final margin in points, or win share. Raises :class:`TooLarge` beyond
    ``max_states`` tables.
    """

    game: Automne
    max_states: int
    progress: Callable[[int, int | None], None] = silent
    known: dict[Table, float] = field(default_factory=dict)
    mirrors: tuple[tuple[int, ...], ...] = ()

    @property
    def certificate(self) -> Certificate:
        return Certificate.exact(TOLERANCE, "backward induction over rounds, guessing games in closed form")

    def __post_init__(self) -> None:
        self.mirrors = mirrors(self.game.height, self.game.width)

    def value(self, table: Table) -> float:
        """The Ant's value of a table whose round is about to begin, or of one that is over."""
        chains = self._chains(table.board)
        if not chains or self._full(table.ant) or self._full(table.cigale):
            return self.final(table.ant, table.cigale)
        table = table._replace(board=min(tuple(table.board[i] for i in mirror) for mirror in self.mirrors))
        value = self.known.get(table)
        if value is None:
            if len(self.known) >= self.max_states:
                raise TooLarge("tables", len(self.known) + 1, self.max_states)
            value = self.known[table] = max(w for _, w in self.rounds(table, self._chains(table.board)))
            if len(self.known) % PROGRESS_EVERY == 0:
                self.progress(len(self.known), None)
        return value

    def rounds(self, table: Table, chains: Sequence[Chain]) -> Iterator[tuple[Chain, float]]:
        """Every chain with its value to the Ant."""
        after: dict[tuple[int, ...], tuple[float, float]] = {}
        for chain in chains:
            sets = by_type(table.board, chain)
            for cards in sets:
                if cards not in after:
                    after[cards] = self.collected(table, cards)
            pairs = np.array([after[cards] for cards in sets])
            yield chain, guess_value(pairs[:, 0].copy(), -pairs[:, 1], len(sets))

    def collected(self, table: Table, cards: tuple[int, ...]) -> tuple[float, float]:
        """The Ant's expected value after it, and after the Cigale, collects ``cards`` (all of one type)."""
        taken = [table.board[cell] for cell in cards]
        board = tuple(HOLE if cell in cards else code for cell, code in enumerate(table.board))
        ant, cigale = self._with(table.ant, taken), self._with(table.cigale, taken)
        swapped = self._next(board, table.pile, table.cigale, ant)
        return self.other(swapped), self._next(board, table.pile, table.ant, cigale)

    def other(self, value: float) -> float:
        """The Cigale's value where the Ant's is ``value``."""
        return 1.0 - value if self.game.objective == "win" else -value

    def final(self, ant: Side, cigale: Side) -> float:
        """The Ant's return when the game is over."""
        state = State(0, 0, 1, (), (), shelves=(ant[0], cigale[0]), insects=(ant[1], cigale[1]))
        return float(self.game.returns(state)[0])

    def _next(self, board: Board, pile: tuple[int, ...], ant: Side, cigale: Side) -> float:
        """Value to the next Ant of a square with holes: over, or refilled from the pile."""
        if self._full(ant) or self._full(cigale) or board.count(HOLE) > len(pile):
            return self.final(ant, cigale)
        return sum(
            weight * self.value(Table(filled, left, ant, cigale))
            for filled, left, weight in refills(board, pile)
        )

    def _with(self, side: Side, taken: Sequence[int]) -> Side:
        """``side`` after collecting cards of one type."""
        shelves, insects = list(side[0]), list(side[1])
        kind, top = type_of(taken[0]), len(self.game.rules.shelf_points) - 1
        shelves[kind] = min(shelves[kind] + len(taken), top)
        for code in taken:
            if insect_of(code) != NO_INSECT:
                insects[insect_of(code)] += 1
        return tuple(shelves), tuple(insects)

    def _full(self, side: Side) -> bool:
        top = len(self.game.rules.shelf_points) - 1
        return side[0].count(top) >= self.game.rules.shelves_to_end

    def _chains(self, board: Board) -> tuple[Chain, ...]:
        return self.game.chains(State(0, 0, 1, board, ()))


def table_of(state: State) -> Table:
    """The table of a state between two rounds."""
    ant, cigale = ((state.shelves[seat], state.insects[seat]) for seat in (state.ant, state.cigale))
    return Table(state.board, state.pile, ant, cigale)


def mirrors(height: int, width: int) -> tuple[tuple[int, ...], ...]:
    """The symmetries of the square as places to read from; 4 of a rectangle, 8 of a square.

    >>> mirrors(1, 2)
    ((0, 1), (1, 0))
    """
    rows, columns = range(height), range(width)
    found = []
    for down in (rows, rows[::-1]):
        for across in (columns, columns[::-1]):
            found.append(tuple(r * width + c for r in down for c in across))
            if height == width:
                found.append(tuple(r * width + c for c in across for r in down))
    return tuple(dict.fromkeys(found))


def by_type(board: Board, chain: Chain) -> list[tuple[int, ...]]:
    """The places under ``chain`` of each type, types in order."""
    found: dict[int, list[int]] = {}
    for cell in chain:
        found.setdefault(type_of(board[cell]), []).append(cell)
    return [tuple(found[kind]) for kind in sorted(found)]


def refills(board: Board, pile: tuple[int, ...]) -> Iterator[tuple[Board, tuple[int, ...], float]]:
    """Every way of filling the holes from the pile, with the pile left and the probability.

    >>> list(refills((0, -1), (7, 7, 8)))
    [((0, 7), (7, 8), 0.6666666666666666), ((0, 8), (7, 7), 0.3333333333333333)]
    """
    if HOLE not in board:
        yield board, pile, 1.0
        return
    hole = board.index(HOLE)
    for place, code in enumerate(pile):
        if place and pile[place - 1] == code:
            continue
        filled, left = (*board[:hole], code, *board[hole + 1 :]), pile[:place] + pile[place + 1 :]
        for final, rest, weight in refills(filled, left):
            yield final, rest, weight * pile.count(code) / len(pile)
