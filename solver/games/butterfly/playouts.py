"""Compiled play-outs of Butterfly: blocks of games played with the tables of one game."""

from __future__ import annotations

from collections.abc import Sequence
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
        room, results = _room(game), (points, lengths, counters)
        if any(searches):
            _play_searching(game, tables, room, codes, kept, searches, weights, keys, first, results)
        else:
            arrays = (*tables, *room, codes, kept, keys, first, *results)
            kernel_playouts.play(*arrays)
        stopped = np.zeros(count, np.bool_)
        return from_standing(first, points.astype(np.float64), points, lengths, stopped, counters)

    return block


def _play_searching(
    game: Butterfly, tables: Any, room: Any, codes: Any, kept: Any, searches: Sequence[Search | None],
    weights: Sequence[int] | None, keys: Any, first: int, results: Any,
) -> None:  # fmt: skip
    """What :func:`kernel_playouts.play` does, with some seats that search; the search is a kernel of its own,
    which compiles in half the time that both together would take."""
    extent, placer, box, reach, nets, adds, points, first_worth = tables
    board, lines, held, worth, pile, bag, streams, sight, values, now = room
    table, left = (board, lines, held, worth, bag), sum(game.stock) - game.rows * game.cols
    thinker = Thinker(game, tables, [search for search in searches if search], weights)
    given = (reach, nets, adds, points, codes, kept, board, lines, held, worth, pile, bag, streams)
    for row in range(len(results[0])):
        kernel_playouts.lay_out(
            first + row, extent, box, first_worth, board, lines, held, worth, pile, bag, streams, kept, keys
        )
        start = kernel_playouts.begin(extent, placer, first_worth, codes, board, sight, values, streams)
        if start == kernel_playouts.SEARCHED:
            start = thinker.start(table, searches[placer], placer, 0, left, range(len(values)))
        kernel_playouts.put_down(extent, start, left, now)
        code = kernel_playouts.SEARCHED
        while not kernel_playouts.moves(code, now, *given):
            place, facing, seat, remaining, _ = now.tolist()
            code = thinker.move(table, searches[seat], seat, place, facing, remaining)
        kernel_playouts.note(row, placer, points, held, streams, now, *results)


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
        np.zeros(5, np.int64),
    )
