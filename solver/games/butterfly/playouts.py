"""Compiled play-outs of Butterfly: blocks of games played with the tables of one game."""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.blocks import Block, from_standing
from fable_solve.solver.games.butterfly import kernel_playouts, search
from fable_solve.solver.games.butterfly.kernel_board import PLACES, SIDE
from fable_solve.solver.games.butterfly.play import Butterfly
from fable_solve.solver.games.butterfly.policies import nodes_of
from fable_solve.solver.games.butterfly.tables import build, fits
from fable_solve.solver.rollout import Compiled

CODES = {
    "random": kernel_playouts.RANDOM,
    "greedy": kernel_playouts.GREEDY,
    "lookahead": kernel_playouts.LOOKAHEAD,
}


def compiled(
    game: Butterfly, policies: tuple[str, ...], weights: tuple[int, int] | None = None
) -> Compiled | None:
    """A function ``(first, count, keys) -> Block`` that plays ``game``, ``policies`` naming one a seat.

    ``weights`` are those of the search's estimate, if not its own.

    ``None`` for a board or a stock beyond what rule data can describe (a position can): the words of the
    kernels have no room for it, or the tiles do not fill the square.
    """
    if not (fits(game) and 0 < game.rows * game.cols <= sum(game.stock)):
        return None
    tables = build(game)
    codes = np.array([CODES.get(name, kernel_playouts.SEARCH) for name in policies], np.int64)
    kept = np.array([_looked_at(policies, seat) for seat in range(game.players)])
    nodes = [nodes_of(name) or 0 for name in policies]
    limits = np.array([search.limits(count) for count in nodes], np.int64)

    def block(first: int, count: int, keys: Any) -> Block:
        points = np.empty((count, game.players), np.int64)
        lengths = np.empty(count, np.int32)
        counters = np.empty((count, len(keys)), np.uint64)
        brain = search.brain(game, tables, max(nodes), weights) if any(nodes) else None
        settings = (codes, kept, limits, brain, keys, first)
        arrays = (*tables, *_room(game), *settings, points, lengths, counters)
        kernel_playouts.play(*arrays)
        stopped = np.zeros(count, np.bool_)
        return from_standing(first, points.astype(np.float64), points, lengths, stopped, counters)

    return block


def _looked_at(policies: tuple[str, ...], seat: int) -> bool:
    """Whether a policy reads what tiles bring to ``seat``: its own, a search, or that of the seat before."""
    searched = any(name not in CODES for name in policies)
    return searched or policies[seat] != "random" or policies[seat - 1] == "lookahead"


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
    )
