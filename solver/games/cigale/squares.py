"""Many dealt squares, every chain of each solved, folded block by block into one row a square."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.games.cigale import kernel
from fable_solve.solver.games.cigale.cards import TYPES, insect_of, type_of
from fable_solve.solver.games.cigale.chains import Chain, legal_chains
from fable_solve.solver.games.cigale.rules import Rules
from fable_solve.solver.games.cigale.shapes import Shape, shapes
from fable_solve.solver.games.cigale.stakes import additive_tables
from fable_solve.solver.games.cigale.state import State
from fable_solve.solver.rng import stream_key

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
BLOCK = 2000
"""Squares solved at a time: what bounds the memory of a study."""


@dataclass(frozen=True)
class Board:
    """What all squares of a study share: the deck, the size, the chains and the shapes they can have."""

    deck: NDArray[np.int8]
    """Type and insect of each card, ``[cards, 2]``."""
    height: int
    width: int
    chains: tuple[Chain, ...]
    shapes: tuple[Shape, ...]
    shape_index: Ints
    """Index into ``shapes`` by packed counts ``Y + B m + N m^2 + R m^3`` with ``m = ants + 1``."""

    @property
    def ants(self) -> int:
        return len(self.chains[0])

    @property
    def chain_array(self) -> Ints:
        return np.array(self.chains, np.int64)


@dataclass(frozen=True)
class Squares:
    """One row a dealt square; ``n`` squares, ``s`` shapes."""

    types: NDArray[np.int8]
    """Path type 0..3, ``[n, cells]``."""
    species: NDArray[np.int8]
    """Insect 0..5 or -1, ``[n, cells]``."""
    value: Floats
    """Value of the best chain to the Ant, ``[n]``."""
    best: Ints
    """Index of the best chain, first in reading order, ``[n]``."""
    counts: Ints
    """Cards of each type under the best chain, ``[n, 4]``."""
    insects: Ints
    """Insects on the cards of each type under the best chain, ``[n, 4]``."""
    mixtures: Floats
    """Ant's and Cigale's mixtures by type on the best chain, ``[n, 2, 4]``."""
    naive: Floats
    """Payoffs of the plain habits of :func:`kernel.naive_payoffs`, ``[n, 2]``."""
    by_shape: Floats
    """Value of the best chain of each shape, -inf where the square has none, ``[n, s]``."""
    shape: Ints
    """Index of the best chain's shape, ``[n]``."""


def study_board(rules: Rules, chain_rule: str | None = None) -> Board:
    """The board of the rule data; raises :class:`BadInput` where no square can be dealt or no chain laid."""
    height, width = rules.board
    deck = np.array([(type_of(code), insect_of(code)) for code in rules.deck], np.int8).reshape(-1, 2)
    if height * width > len(deck):
        raise BadInput(f"at least {height * width} path cards for the square", len(deck), where="path_cards")
    if max(rules.path_cards.values()) > kernel.MAX_RANK:
        raise TooLarge("cards of one type", max(rules.path_cards.values()), kernel.MAX_RANK)
    chains = legal_chains(height, width, frozenset(), rules.ants, chain_rule or rules.chain_rule)
    if not chains:
        raise BadInput("a square on which the ants can form a chain", "none", where="ants")
    known = tuple(shapes(rules.ants))
    base = rules.ants + 1
    index = np.full(base ** len(TYPES), -1, np.int64)
    places = {shape: i for i, shape in enumerate(known)}
    for counts in np.ndindex(*[base] * len(TYPES)):
        shape = tuple(sorted((count for count in counts if count), reverse=True))
        if shape in places:
            index[sum(count * base**i for i, count in enumerate(counts))] = places[shape]
    return Board(deck, height, width, chains, known, index)


def deal(board: Board, count: int, seed: int, first: int = 0, extra: int = 0) -> tuple[Any, Any]:
    """Squares ``first .. first + count - 1`` of the seed: types and species, ``[count, cells + extra]``.

    The columns after the square's cells are the next cards of the same shuffle.
    """
    cells = board.height * board.width + extra
    types, species = np.empty((count, cells), np.int8), np.empty((count, cells), np.int8)
    key = np.uint64(stream_key(seed, "cigale", "square"))
    kernel.deal_squares(board.deck, key, first, types, species)
    return types, species


def solve_dealt(board: Board, types: Any, species: Any, tables: tuple[Floats, Floats]) -> Squares:
    """One block solved for gains that add up."""
    n, chains = len(types), board.chain_array
    values, best = np.empty((n, len(chains))), np.empty(n, np.int64)
    mixtures, naive = np.empty((n, 2, len(TYPES))), np.empty((n, 2))
    kernel.solve_squares(types, species, chains, *tables, values, best, mixtures, naive)
    return fold(board, types, species, values, best, mixtures, naive)


def fold(
    board: Board, types: Any, species: Any, values: Floats, best: Ints, mixtures: Floats, naive: Floats
) -> Squares:
    """Rows of a block from the values of all its chains."""
    chains, rows = board.chain_array, np.arange(len(types))
    under = types[:, chains]
    base, counts = board.ants + 1, [(under == kind).sum(axis=2) for kind in range(len(TYPES))]
    shape = board.shape_index[sum(count * base**kind for kind, count in enumerate(counts))]
    by_shape = np.full((len(types), len(board.shapes)), -np.inf)
    for index in range(len(board.shapes)):
        by_shape[:, index] = np.where(shape == index, values, -np.inf).max(axis=1)
    return Squares(
        types,
        species,
        values[rows, best],
        best,
        np.stack([count[rows, best] for count in counts], axis=1),
        _insects(types, species, chains[best]),
        mixtures,
        naive,
        by_shape,
        shape[rows, best],
    )


def _insects(types: Any, species: Any, chain: Ints) -> Ints:
    """Insects by type under one chain a square, ``chain[n, ants]``; ``[n, 4]``."""
    rows = np.arange(len(types))[:, None]
    kinds, there = types[rows, chain], species[rows, chain] >= 0
    return np.stack([(there & (kinds == kind)).sum(axis=1) for kind in range(len(TYPES))], axis=1)


def blocks(count: int, size: int = BLOCK) -> Iterator[tuple[int, int]]:
    """(first, number) of each block of ``count`` squares."""
    for first in range(0, count, size):
        yield first, min(size, count - first)


def solved(board: Board, count: int, seed: int, tables: tuple[Floats, Floats], progress: Any) -> Squares:
    """``count`` dealt squares solved for gains that add up."""
    parts = []
    for first, number in blocks(count):
        types, species = deal(board, number, seed, first)
        parts.append(solve_dealt(board, types, species, tables))
        progress(first + number, count)
    return joined(parts)


def joined(parts: list[Squares]) -> Squares:
    """Blocks one after the other."""
    if len(parts) == 1:
        return parts[0]
    return Squares(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Squares))
    )


def fresh_tables(rules: Rules, objective: str) -> tuple[Floats, Floats]:
    """Gains at the start of the game: empty shelves, no insects."""
    return tables_at(rules, objective, [[0] * len(TYPES)] * 2)


def tables_at(rules: Rules, objective: str, shelves: list[list[int]]) -> tuple[Floats, Floats]:
    """Gains with the Ant's and the Cigale's places on the shelves given, no insects kept."""
    none = (0,) * 6
    state = State(0, 0, 1, (), (), shelves=tuple(map(tuple, shelves)), insects=(none, none))
    return additive_tables(rules, state, objective, rules.ants)
