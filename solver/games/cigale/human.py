"""Rules for both modes of Cigale that can be remembered, and the candidates they were chosen from.

``bench/human_rules.py`` chooses the lines of :data:`CHOSEN` (see :mod:`fable_solve.solver.decisions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from fable_solve.solver.decisions import Line, Trial, remembered
from fable_solve.solver.games.cigale.cards import TYPES, type_of
from fable_solve.solver.games.cigale.policies import (
    incidence_of,
    purchase_rank,
    swap_rank,
    type_worths,
    worths_of,
)
from fable_solve.solver.games.cigale.state import BUY, CHOOSE, LAY, SWAP, State

Values = Sequence[float]


def counts(state: State, chain: Sequence[int]) -> list[int]:
    """Cards of each type under a chain."""
    types = [type_of(state.board[cell]) for cell in chain]
    return [types.count(kind) for kind in range(len(TYPES))]


@lru_cache(maxsize=64)
def laid(board: tuple[int, ...], chains: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
    state = State(LAY, 0, 1, board, ())
    return tuple(tuple(counts(state, chain)) for chain in chains)


def even(game: Any, state: State, seat: int, actions: Any) -> Values:
    """Whether the ants cover three types twice each, or two twice and two once."""
    if state.phase != LAY:
        return []
    shapes = (sorted(row, reverse=True) for row in laid(state.board, tuple(actions)))
    return [shape[:2] == [2, 2] and shape[2] in (1, 2) for shape in shapes]


def many(game: Any, state: State, seat: int, actions: Any) -> Values:
    if state.phase != LAY:
        return []
    return [sum(count > 0 for count in row) for row in laid(state.board, tuple(actions))]


def wanted(game: Any, state: State, seat: int, actions: Any) -> Values:
    """The points that each of the types covered would bring, added up."""
    if state.phase != LAY:
        return []
    worths = type_worths(game, state, seat)
    return [float(value) for value in np.floor(np.where(worths > 0, worths, 0.0) / 100).sum(axis=1)]


def unwanted(game: Any, state: State, seat: int, actions: Any) -> Values:
    """Minus the points that the types covered would bring the Cigale, added up."""
    if state.phase != LAY:
        return []
    worths = type_worths(game, state, state.cigale)
    return [-float(value) for value in np.floor(np.where(worths > 0, worths, 0.0) / 100).sum(axis=1)]


def own_points(game: Any, state: State, seat: int, types: Sequence[int]) -> list[float]:
    """Points that each type under the ants would bring a seat at once."""
    worths = worths_of(game, state, seat, incidence_of(state.chain, len(state.board)))[0]
    return [float(worths[kind] // 100) for kind in types]


def held(state: State, types: Sequence[int]) -> list[float]:
    row = counts(state, state.chain)
    return [float(row[kind]) for kind in types]


def role(who: str, value: Any) -> Any:
    """A wish of the Ant's Choix or of the Cigale's guess."""

    def wish(game: Any, state: State, seat: int, actions: Any) -> Values:
        if state.phase != CHOOSE or seat != getattr(state, who):
            return []
        found: list[float] = value(game, state, seat, actions)
        return found

    return wish


def rewarding(game: Any, state: State, seat: int, types: Sequence[int]) -> list[float]:
    return [float(points > 0) for points in own_points(game, state, seat, types)]


def most_points(game: Any, state: State, seat: int, types: Sequence[int]) -> list[float]:
    return own_points(game, state, seat, types)


def not_best(game: Any, state: State, seat: int, types: Sequence[int]) -> list[float]:
    points = own_points(game, state, seat, types)
    return [float(point < max(points) or points.count(max(points)) > 1) for point in points]


def the_others(game: Any, state: State, seat: int, types: Sequence[int]) -> list[float]:
    """Points that each type would bring the Ant."""
    return own_points(game, state, state.ant, types)


def fewest(game: Any, state: State, seat: int, types: Sequence[int]) -> list[float]:
    return [-count for count in held(state, types)]


def most_cards(game: Any, state: State, seat: int, types: Sequence[int]) -> list[float]:
    return held(state, types)


def purchase(game: Any, state: State, seat: int, actions: Any) -> Values:
    """Points of a purchase, none the worst."""
    return [] if state.phase != BUY else [purchase_rank(game, state, seat, one)[0] for one in actions]


def cheap(game: Any, state: State, seat: int, actions: Any) -> Values:
    return [] if state.phase != BUY else [purchase_rank(game, state, seat, one)[1] for one in actions]


def swap(game: Any, state: State, seat: int, actions: Any) -> Values:
    return [] if state.phase != SWAP else [swap_rank(game, state, seat, one)[0] for one in actions]


_BOTH = {
    "even": Line("Ant: cover three types twice each, or two twice and two once.", even),
    "many": Line("Ant: cover as many types as you can.", many),
    "wanted": Line("Ant: cover types whose cards bring you most points now, added up.", wanted),
    "unwanted": Line("Ant: cover types whose cards bring the Cigale fewest points now, added up.", unwanted),
    "ant_any": Line("Ant: name a type that brings you a point now.", role("ant", rewarding)),
    "ant_most": Line("Ant: name the type that brings you most points now.", role("ant", most_points)),
    "ant_second": Line("Ant: do not name the type that brings you most points now.", role("ant", not_best)),
    "ant_few": Line("Ant: name a type with the fewest ants.", role("ant", fewest)),
    "guess_own": Line("Cigale: guess the type that brings you most points now.", role("cigale", most_points)),
    "guess_any": Line("Cigale: guess a type that brings you a point now.", role("cigale", rewarding)),
    "guess_ant": Line(
        "Cigale: guess the type that brings the Ant most points now.", role("cigale", the_others)
    ),
    "guess_most": Line("Cigale: guess a type with the most ants.", role("cigale", most_cards)),
}
_HIVER = {
    "buy": Line("Buy the Provision that brings most points, always one if you can.", purchase),
    "cheap": Line("Pay with as few cards as you can.", cheap),
    "swap": Line("Swap insects for the better purchase.", swap),
}
CANDIDATES = {"automne": _BOTH, "hiver": _BOTH | _HIVER}
TRIALS = {
    "automne": Trial("cigale", "stage", "win", 2, (0, 1), "automne"),
    "hiver": Trial("cigale", "stage", "win", 2, (0, 1), "hiver"),
}
TITLES = dict.fromkeys(TRIALS, "A rule to remember")
GAMES = 200
"""Games of each seat in a report."""
TRAINING_GAMES = 50
TRAINING: dict[str, str] = {}
CHOSEN: dict[str, tuple[str, ...]] = {
    "automne": ("guess_ant",),
    "hiver": ("guess_own",),
}
POLICY = remembered(CHOSEN, CANDIDATES, lambda game, state, seat: "automne" if state.shelves else "hiver")
