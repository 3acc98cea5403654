"""What the kernels of Butterfly are told of one game: its board, its tiles and what they score."""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.butterfly import kernel_collection as layout
from fable_solve.solver.games.butterfly import kernel_playouts
from fable_solve.solver.games.butterfly.kernel_board import PLACES, SIDE
from fable_solve.solver.games.butterfly.play import Butterfly
from fable_solve.solver.games.butterfly.tiles import (
    BEES,
    CATEGORIES,
    CATEGORY,
    DRAGONFLIES,
    FIREFLIES,
    FLOWERS,
    GRASSHOPPERS,
    NOTHING,
    WASPS,
    listed,
)

ALL_BITS = (1 << 64) - 1


def fits(game: Butterfly) -> bool:
    """Whether the words of the kernels can hold the board and every collection from the stock.

    What rule data can describe always fits; a position need not.
    """
    stock = game.stock
    printed = [sum(v * count for v, count in enumerate(stock[part][:5], 1)) for part in CATEGORIES[:FLOWERS]]
    wasps = -game.scoring.points(WASPS, stock[CATEGORIES[WASPS]])
    few = max(stock[CATEGORIES[FLOWERS]] + stock[CATEGORIES[BEES]])
    return max(game.rows, game.cols) <= SIDE and max(*printed, wasps) < 1 << 10 and few < layout.MOST


def build(game: Butterfly) -> tuple[Any, ...]:
    """The tables of a game, in the order of :func:`kernel_playouts.play`'s parameters."""
    scoring = game.scoring
    placer = {"first": 0, "last": game.players - 1, "random": kernel_playouts.CHANCE}[game.rules.placer]
    flowers = [scoring.points(FLOWERS, bytes([count])) for count in range(layout.MOST + 1)]
    return (
        np.array([game.rows, game.cols], np.int64),
        placer,
        np.array(listed(game.stock), np.uint8),
        *_crosses(game),
        np.array([_adds(kind) for kind in range(layout.KINDS)], np.uint64),
        np.array([scoring.double, scoring.bee_points, *flowers], np.int64),
        np.array([scoring.gain(NOTHING, kind) for kind in range(layout.KINDS)] + [0], np.int32),
    )


def _crosses(game: Butterfly) -> tuple[Any, Any]:
    """``reach[4 * places]`` and ``nets[places]``."""
    reach, nets = np.zeros((4, PLACES), np.uint64), np.zeros(PLACES, np.uint64)
    for square, rays in enumerate(game.rays):
        place = place_of(game, square)
        bits = [sum(_bit(game, to, facing) for to in ray) for facing, ray in enumerate(rays)]
        for facing in range(4):
            reach[facing, place] = sum(bits) - bits[(facing + 2) % 4]
        nets[place] = sum(
            _bit(game, to, facing) for facing, ray in enumerate(rays) for to in ray if game.is_net[to]
        )
    return reach.ravel(), nets


def place_of(game: Butterfly, square: int) -> int:
    row, col = divmod(square, game.cols)
    return row * SIDE + col


def _bit(game: Butterfly, to: int, facing: int) -> int:
    """The bit of a square in the cross from which it lies in direction ``facing``."""
    row, col = divmod(to, game.cols)
    return 1 << (col if facing % 2 else SIDE + row)


def _adds(kind: int) -> tuple[int, int, int, int]:
    """What a tile does to the words of a collection: sums, honeycombs, marks, marks that stay."""
    category, slot = CATEGORY[kind], kind - CATEGORIES[CATEGORY[kind]].start
    if category < FLOWERS:
        return (0, 0, 1 << category, ALL_BITS) if slot == 5 else (slot + 1 << 10 * category, 0, 0, ALL_BITS)
    if category == GRASSHOPPERS:
        return 0, 0, slot + 1 << layout.LAST_AT, ALL_BITS ^ 15 << layout.LAST_AT
    if category == BEES and slot:
        return 0, 1 << layout.COMB_BITS * (slot - 1), 0, ALL_BITS
    if category in (DRAGONFLIES, FIREFLIES):
        at = layout.DRAGONFLIES_AT if category == DRAGONFLIES else layout.FIREFLIES_AT
        return 0, 0, 1 << at + slot, ALL_BITS
    added = {FLOWERS: 1 << layout.FLOWERS_AT, WASPS: slot + 4 << layout.WASPS_AT, BEES: 1 << layout.BEES_AT}
    return added[category], 0, 0, ALL_BITS
