"""How large a position is at least, told without playing it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import comb
from typing import Any

from fable_solve.solver.errors import TooLarge
from fable_solve.solver.games.cigale.cards import HOLE, type_of
from fable_solve.solver.games.cigale.chains import Chain
from fable_solve.solver.games.cigale.exact import by_type, mirrors
from fable_solve.solver.games.cigale.state import State


def check_size(game: Any, state: State, max_states: int) -> None:
    """Raise :class:`TooLarge` at once where more than ``max_states`` states are certain."""
    least = least_states(game, state)
    if least > max_states:
        raise TooLarge("states", least, max_states)


def least_states(game: Any, state: State) -> int:
    """A lower bound of the different states that can follow ``state`` (two players, before a round).

    Chains that share no place are laid one after the other, over two types or more, so that either player
    may collect; what is collected is refilled in every possible way and nobody disturbs it again. So every
    sequence of that many cards from the pile gives another square, up to mirrors. A collection that would
    end the game is left out.
    """
    used: set[int] = set()
    drawn, shelves = 0, [list(places) for places in state.shelves]
    if HOLE in state.board:
        return 1
    for chain, cells in _collections(game, state):
        fits = not used & set(chain) and drawn + len(cells) <= len(state.pile)
        if fits and _may_collect(game, shelves, type_of(state.board[cells[0]]), len(cells)):
            used.update(chain)
            drawn += len(cells)
    return max(1, sequences(state.pile, drawn) // len(mirrors(game.height, game.width)))


def _collections(game: Any, state: State) -> list[tuple[Chain, tuple[int, ...]]]:
    """Chains over two types or more with the most cards each can bring, largest first; few rounds."""
    found = []
    for chain in game.chains(state):
        sets = by_type(state.board, chain)
        if len(sets) > 1:
            found.append((chain, max(sets, key=len)))
    return sorted(found, key=lambda pair: -len(pair[1]))


def _may_collect(game: Any, shelves: list[list[int]], kind: int, cards: int) -> bool:
    """Whether one player can take the cards and the game go on (always in hiver); moves that cube."""
    if not shelves:
        return True
    top = len(game.rules.shelf_points) - 1
    for places in shelves:
        moved = [*places[:kind], min(places[kind] + cards, top), *places[kind + 1 :]]
        if moved.count(top) < game.rules.shelves_to_end:
            places[:] = moved
            return True
    return False


def sequences(pile: Sequence[int], length: int) -> int:
    """Different sequences of ``length`` cards drawn from a pile: ``length!`` times a coefficient.

    The coefficient of ``x**length`` in the product over cards of ``sum over k <= count of x**k / k!``.

    >>> sequences((1, 1, 2), 2)
    3
    """
    ways = [1] + [0] * length
    for count in Counter(pile).values():
        ways = [
            sum(comb(total, k) * ways[total - k] for k in range(min(count, total) + 1))
            for total in range(length + 1)
        ]
    return ways[length]
