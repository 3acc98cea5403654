"""Chains valued by the rest of the game: the guessing game on exact values of what follows.

Naming type i unguessed is worth ``a[i]``, the value of the table after the Ant collects it; guessed it is
worth ``-b[i]``, that of the table after the Cigale does. Both are the Ant's: final margin or win share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from fable_solve.solver.dynamic import evaluate
from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.cigale.advise import ChainGame
from fable_solve.solver.games.cigale.automne import Automne
from fable_solve.solver.games.cigale.cards import type_of
from fable_solve.solver.games.cigale.chains import Chain
from fable_solve.solver.games.cigale.exact import AutomneValues, by_type, table_of
from fable_solve.solver.games.cigale.guessing import solve_guess
from fable_solve.solver.games.cigale.play import types_under
from fable_solve.solver.games.cigale.rules import make_game
from fable_solve.solver.games.cigale.size import check_size
from fable_solve.solver.games.cigale.state import State
from fable_solve.solver.positions import Position

OBJECTIVES = ("margin", "win")
MAX_STATES = 500_000
"""States an advice may visit: some seconds."""


def ranked_by_game(position: Position, objective: str) -> list[ChainGame]:
    """All chains as guessing games over the rest of the game, best for the Ant first.

    Raises :class:`BadInput` for another objective, other than 2 players or a pile that cannot be told, and
    :class:`TooLarge` beyond ``MAX_STATES`` states.
    """
    game = whole_game(position, objective)
    state, chains = position.state, game.chains(position.state)
    check_size(game, state, MAX_STATES)
    if isinstance(game, Automne):
        return _best_first(_automne_games(game, state, chains))
    tables = {chain: _outcomes(game, state, chain) for chain in chains}
    roots = list(
        dict.fromkeys(child for pair in tables.values() for sides in pair.values() for child in sides)
    )
    values = evaluate(game, roots, max_states=MAX_STATES)
    worth = {root: value[state.ant] for root, value in zip(roots, values, strict=True)}
    sides = {
        chain: {kind: (worth[a], worth[b]) for kind, (a, b) in tables[chain].items()} for chain in chains
    }
    return _best_first(_chain_game(state, chain, sides[chain]) for chain in chains)


def _best_first(games: Iterable[ChainGame]) -> list[ChainGame]:
    return sorted(games, key=lambda item: -round(item.guess.value, 12))


def _automne_games(game: Automne, state: State, chains: Sequence[Chain]) -> Iterator[ChainGame]:
    values, table = AutomneValues(game, MAX_STATES), table_of(state)
    known = cache(lambda cells: values.collected(table, cells))
    for chain in chains:
        sets = by_type(state.board, chain)
        yield _chain_game(state, chain, {type_of(state.board[cells[0]]): known(cells) for cells in sets})


def whole_game(position: Position, objective: str) -> Any:
    """The two-player game of a position whose draw pile is known; raises :class:`BadInput`."""
    if objective not in OBJECTIVES:
        raise BadInput(f"one of cards, points, {', '.join(OBJECTIVES)}", repr(objective), where="--objective")
    players = position.game.players
    if players != 2:
        expected = "2 players (an exact value is defined for two)"
        raise BadInput(expected, players, where=f"{position.source}: players")
    position.details.require_pile()
    size = {"height": position.game.height, "width": position.game.width}
    return make_game(position.rules.model, players, position.mode, objective, **size)


def _outcomes(game: Any, state: Any, chain: tuple[int, ...]) -> dict[int, tuple[Any, Any]]:
    """For each type under the chain the tables after the Ant and after the Cigale collects it."""
    laid = game.successor(state, chain)
    kinds = types_under(state.board, chain)
    if len(kinds) == 1:
        return {kinds[0]: (laid, laid)}
    return {
        kind: (
            game.successor(laid, _joint(state, kind, next(other for other in kinds if other != kind))),
            game.successor(laid, _joint(state, kind, kind)),
        )
        for kind in kinds
    }


def _joint(state: Any, choice: int, guess: int) -> tuple[int, int]:
    return (choice, guess) if state.ant == 0 else (guess, choice)


def _chain_game(state: State, chain: Chain, values: dict[int, tuple[float, float]]) -> ChainGame:
    """``values``: for each type the Ant's value after it, and after the Cigale, collects."""
    kinds = tuple(values)
    a = tuple(values[kind][0] for kind in kinds)
    b = tuple(-values[kind][1] for kind in kinds)
    counts = tuple(sum(type_of(state.board[square]) == kind for square in chain) for kind in kinds)
    return ChainGame(chain, kinds, counts, a, b, solve_guess(a, b))
