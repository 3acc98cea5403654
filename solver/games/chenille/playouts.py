"""Whole games by the named policies, compiled: tables are built here, games are played by ``kernel_play``."""

from __future__ import annotations

from collections import Counter
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver import rollout
from fable_solve.solver.blocks import Block
from fable_solve.solver.games.chenille.kernel_play import play_block
from fable_solve.solver.games.chenille.kernel_play_offers import MOST, number_hands
from fable_solve.solver.games.chenille.kernel_play_table import PLAY, SLOTS
from fable_solve.solver.games.chenille.play import Chenille
from fable_solve.solver.games.chenille.policies import NINTHS, loss, near
from fable_solve.solver.games.chenille.ring import slots, wasp_moves
from fable_solve.solver.rollout import Compiled

POLICIES = ("random", "greedy")
"""Policies by their number in the kernels."""
HANDS = 1 << 14
"""Of a deck with more hands than this the offers are not listed beforehand."""
NO_LIMIT = 1 << 60
WORD = 64


def compiled(game: Chenille, policies: tuple[str, ...]) -> Compiled | None:
    """Play-outs of any rules by any of the named policies; ``None`` for a policy without a kernel."""
    if not set(policies) <= set(POLICIES):
        return None
    setting = np.zeros(1, PLAY)
    _set_rules(setting[0], game)
    _set_flights(setting[0], sum(game.rules.ring.values()))
    setting[["guepe", "chenilles"]] = tuple(POLICIES.index(name) for name in policies)
    first, offers = _offers(setting[0], game)

    def play(number: int, count: int, keys: NDArray[np.uint64]) -> Block:
        columns: Any = (
            np.empty((count, 2)),
            np.empty((count, 2), np.int8),
            np.empty((count, 2), np.int8),
            np.empty(count, np.int32),
            np.empty(count, np.bool_),
            np.empty((count, len(keys)), np.uint64),
        )
        scratch = offers if first.size else offers.copy()
        play_block(setting.copy()[0], first, scratch, number, keys, *columns)
        return Block(number, *columns)

    return play


def _set_rules(play: Any, game: Chenille) -> None:
    rules = game.rules
    ring = sorted(Counter(rules.ring).elements())
    kinds = {place[0] for place in ring}
    play["places"], play["levels"] = len(ring), max(map(slots, ring))
    play["units"][: len(ring)] = [slots(place) + (place[0] == "T") * (SLOTS + 1) for place in ring]
    play["caterpillars"] = rules.caterpillars
    play["butterflies"], play["captures"] = rules.butterflies_to_win, rules.captures_to_win
    play["turns"] = NO_LIMIT if game.turn_limit is None else game.turn_limit
    play["decisions"] = rollout.MAX_DECISIONS
    play["optional"], play["open"] = rules.redraw == "optional", game.open
    play["usable"] = [game.usable(kinds, *one) for one in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    play["offer"], play["least"] = rules.offer_size, rules.offer_favourable
    play["deck"] = game.deck
    play["gain"] = [ninths * rules.captures_to_win for ninths in NINTHS.values()]
    play["loss"] = [0, loss(game, "T"), loss(game, "C")]


def _set_flights(play: Any, places: int) -> None:
    """Wasps' moves as the rules list them, on a ring of so many places of any kind."""
    ring = ("T1",) * places
    for card, kind in enumerate(("plus1", "plus2", "traverse")):
        for start in range(places):
            moves = wasp_moves(ring, (start, start), kind)
            play["choices"][card] = len(moves)
            play["passed"][card, start, : len(moves)] = [move[1] for move in moves]
            play["arrival"][card, start, : len(moves)] = [move[-1] for move in moves]
    for wasp in range(places):
        for place in near(places, wasp):
            play["near"][wasp, place // WORD] |= np.uint64(1 << place % WORD)


def _offers(play: Any, game: Chenille) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The offers of every hand, as ``kernel_play_offers`` describes them."""
    sizes = [count + 1 for count in game.deck]
    if prod(sizes) > HANDS:
        return np.empty(0, np.int32), np.empty(MOST, np.int32)
    play["radix"] = [prod(sizes[:kind]) for kind in range(len(sizes))]
    first, packed = np.empty(prod(sizes) + 1, np.int32), np.empty(MOST * prod(sizes), np.int32)
    return first, packed[: number_hands(play, first, packed)].copy()
