"""Compiled play-outs of Butterfly: blocks of games played with the tables of one game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fable_solve.solver.blocks import Block, from_standing
from fable_solve.solver.games.butterfly import kernel_playouts
from fable_solve.solver.games.butterfly.kernel_board import PLACES, SIDE
from fable_solve.solver.games.butterfly.play import Butterfly
from fable_solve.solver.games.butterfly.policies import Search, searched
from fable_solve.solver.games.butterfly.search import Thinker
from fable_solve.solver.games.butterfly.tables import build, fits
from fable_solve.solver.rollout import Compiled

CODES = {
    "random": kernel_playouts.RANDOM,
    "greedy": kernel_playouts.GREEDY,
    "lookahead": kernel_playouts.LOOKAHEAD,
}


def compiled(
    game: Butterfly, policies: tuple[str, ...], weights: Sequence[int] | None = None
) -> Compiled | None:
    """A function ``(first, count, keys) -> Block`` that plays ``game``, ``policies`` naming one a seat.

    ``weights`` are those of the searches' estimates, if not their own.

    ``None`` for a board or a stock beyond what rule data can describe (a position can): the words of the
    kernels have no room for it, or the tiles do not fill the square.
    """
    if not (fits(game) and 0 < game.rows * game.cols <= sum(game.stock)):
        return None
    tables = build(game)
    codes = np.array([CODES.get(name, kernel_playouts.SEARCH) for name in policies], np.int64)
    kept = np.array([_looked_at(policies, seat) for seat in range(game.players)])
    searches = [searched(name) for name in policies]

    def block(first: int, count: int, keys: Any) -> Block:
        points = np.empty((count, game.players), np.int64)
        lengths = np.empty(count, np.int32)
        counters = np.empty((count, len(keys)), np.uint64)
        room = _room(game)
        decide = _searching(game, tables, room, searches, weights) if any(searches) else None
        arrays = (*tables, *room, codes, kept, keys, first, points, lengths, counters)
        code = kernel_playouts.SEARCHED
        while not kernel_playouts.play(code, *arrays):
            assert decide is not None
            code = decide()
        stopped = np.zeros(count, np.bool_)
        return from_standing(first, points.astype(np.float64), points, lengths, stopped, counters)

    return block


def _searching(
    game: Butterfly, tables: Any, room: Any, searches: Sequence[Search | None], weights: Sequence[int] | None
) -> Callable[[], int]:
    """What the searching seat that is to act in ``room`` decides; the search is a kernel of its own, which
    compiles in half the time that both together would take."""
    placer = tables[1]
    board, lines, held, worth, _, bag, _, _, values, now = room
    table, left = (board, lines, held, worth, bag), sum(game.stock) - game.rows * game.cols
    thinker = Thinker(game, tables, [search for search in searches if search], weights)

    def decide() -> int:
        place, facing, seat, remaining, _, _, stage = now.tolist()
        if stage == kernel_playouts.PLACING:
            return thinker.start(table, searches[placer], placer, 0, left, range(len(values)))
        return thinker.move(table, searches[seat], seat, place, facing, remaining)

    return decide


def _looked_at(policies: tuple[str, ...], seat: int) -> bool:
    """Whether a policy reads what tiles bring to ``seat``: its own, a search, or that of the seat before."""
    searching = any(name not in CODES for name in policies)
    return searching or policies[seat] != "random" or policies[seat - 1] == "lookahead"


def _room(game: Butterfly) -> tuple[Any, ...]:
    """Arrays for one game under way, in the order of :func:`kernel_playouts.play`'s parameters."""
    return (
        np.zeros(PLACES, np.uint8),
        np.zeros(2 * SIDE, np.uint64),
        np.zeros((game.players + 1, 3), np.uint64),
        np.zeros((game.players + 1, 64), np.int32),
        np.zeros(sum(game.stock), np.uint8),
        np.zeros(64, np.int32),
        np.zeros(3 + game.players, np.uint64),
        np.zeros((2, PLACES + SIDE), np.int32),
        np.zeros(4 * game.rows * game.cols, np.int32),
        np.zeros(kernel_playouts.NOW, np.int64),
    )
