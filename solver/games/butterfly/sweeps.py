"""A lower bound on the states that solving a position of Butterfly must visit, without visiting them.

A sweep goes over the board in one direction, say south: every move goes south, east or west. It never comes
back to a tile, and no two sweeps from the same state take the same tiles: what a sweep takes of a row lies on
one side of the square where it came in (that one included), the farthest tile is where it left, and it came
into the next row it touched in that column. So the sweeps from a state lead to as many different boards, and
a search that looks at every move meets at least so many states.

The sweeps are counted backwards, last row first, with ``n(square, heading)`` the sweeps that start there::

    n(square, south) = 1 + sum over tiles south  of n(tile, south)
                         + sum over tiles east   of n(tile, east)
                         + sum over tiles west   of n(tile, west)
    n(square, east)  = 1 + sum over tiles east   of n(tile, east)
                         + sum over tiles south  of n(tile, south)
"""

from __future__ import annotations

from collections.abc import Iterator

from fable_solve.solver.errors import TooLarge
from fable_solve.solver.game import CHANCE
from fable_solve.solver.games.butterfly.play import GAP, NOWHERE, Butterfly, State

DEPTH = 3
"""Actions after which sweeps may begin."""
WIDTH = 200
"""States beyond which no further action is looked at."""
HINT = "play on until fewer tiles are left, or raise --max-states"


def refuse_large(game: Butterfly, state: State, max_states: int, hint: str = HINT) -> None:
    """Raise :class:`TooLarge` if more than ``max_states`` states are certain to follow ``state``."""
    for after in _soon(game, state):
        least = max(sweeps(game, after, down) for down in range(4))
        if least > max_states:
            raise TooLarge("states", least, max_states, hint=hint)


def _soon(game: Butterfly, state: State) -> Iterator[State]:
    """States with a hedgehog that follow ``state`` after a few actions without a draw, nearest first."""
    layer = [state]
    for _ in range(DEPTH):
        yield from (state for state in layer if state.square != NOWHERE)
        if len(layer) > WIDTH:
            return
        layer = list(dict.fromkeys(after for state in layer for after in _next(game, state)))


def _next(game: Butterfly, state: State) -> list[State]:
    mover = game.player_to_move(state)
    if mover == CHANCE:
        return [game.successor(state, outcome) for outcome, _ in game.chance_outcomes(state)]
    actions = game.legal_actions(state, mover)
    return [game.successor(state, a) for a in actions if not getattr(a, "draw", None)]


def sweeps(game: Butterfly, state: State, down: int) -> int:
    """Number of sweeps in the direction ``down`` (a facing) from ``state``, the one of no move included."""
    board, rays = state.board, game.rays
    sides = ((down + 1) % 4, (down + 3) % 4)
    count: dict[tuple[int, int], int] = {}

    def from_here(square: int, *headings: int) -> int:
        return 1 + sum(count[to, way] for way in headings for to in rays[square][way] if board[to] != GAP)

    tiles = [square for square, kind in enumerate(board) if kind != GAP]
    for depth in sorted({len(rays[square][down]) for square in tiles}):
        row = [square for square in tiles if len(rays[square][down]) == depth]
        for side in sides:
            for square in sorted(row, key=lambda square: len(rays[square][side])):
                count[square, side] = from_here(square, side, down)
        for square in row:
            count[square, down] = from_here(square, down, *sides)
    back = (state.facing + 2) % 4
    return from_here(state.square, *(way for way in (down, *sides) if way != back))
