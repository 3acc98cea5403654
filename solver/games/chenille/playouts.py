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
from fable_solve.solver.games.chenille.kernel_play_offers import number_hands
from fable_solve.solver.games.chenille.kernel_play_table import HANDS, PLAY, RULES, SLOTS
from fable_solve.solver.games.chenille.play import Chenille
from fable_solve.solver.games.chenille.policies import NINTHS, loss, near
from fable_solve.solver.games.chenille.ring import slots, wasp_moves
from fable_solve.solver.rollout import Compiled

POLICIES = ("random", "greedy")
"""Policies by their number in the kernels."""
NO_LIMIT = 1 << 60
WORD = 64


def compiled(game: Chenille, policies: tuple[str, ...]) -> Compiled | None:
    """Play-outs of any rules by any of the named policies; ``None`` for a policy without a kernel."""
    if not set(policies) <= set(POLICIES):
        return None
    (rules,) = np.zeros(1, RULES).view(np.recarray)  # fields are attributes, compiled or not
    _set_rules(rules, game)
    rules["guepe"], rules["chenilles"] = (POLICIES.index(name) for name in policies)

    def play(number: int, count: int, keys: NDArray[np.uint64]) -> Block:
        columns: Any = (
            np.empty((count, 2)),
            np.empty((count, 2), np.int8),
            np.empty((count, 2), np.int8),
            np.empty(count, np.int32),
            np.empty(count, np.bool_),
            np.empty((count, len(keys)), np.uint64),
        )
        play_block(rules, np.zeros(1, PLAY).view(np.recarray)[0], number, keys, *columns)
        return Block(number, *columns)

    return play


def _set_rules(own: Any, game: Chenille) -> None:
    rules = game.rules
    ring = sorted(Counter(rules.ring).elements())
    kinds = {place[0] for place in ring}
    own["places"], own["levels"] = len(ring), max(map(slots, ring))
    own["units"][: len(ring)] = [slots(place) + (place[0] == "T") * (SLOTS + 1) for place in ring]
    own["caterpillars"] = rules.caterpillars
    own["butterflies"], own["captures"] = rules.butterflies_to_win, rules.captures_to_win
    own["turns"] = NO_LIMIT if game.turn_limit is None else game.turn_limit
    own["decisions"] = rollout.MAX_DECISIONS
    own["optional"], own["open"] = rules.redraw == "optional", game.open
    own["of_kind"] = [0, sum(place[0] == "T" for place in ring), sum(place[0] == "C" for place in ring)]
    own["usable"] = [game.usable(kinds, *one) for one in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    own["gain"] = [ninths * rules.captures_to_win for ninths in NINTHS.values()]
    own["loss"] = [0, loss(game, "T"), loss(game, "C")]
    _set_flights(own, len(ring))
    _set_offers(own, game)


def _set_flights(own: Any, places: int) -> None:
    """Wasps' moves as the rules list them, on a ring of so many places of any kind."""
    ring = ("T1",) * places
    for card, kind in enumerate(("plus1", "plus2", "traverse")):
        for start in range(places):
            moves = wasp_moves(ring, (start, start), kind)
            own["choices"][card] = len(moves)
            own["passed"][card, start, : len(moves)] = [move[1] for move in moves]
            own["arrival"][card, start, : len(moves)] = [move[-1] for move in moves]
    for wasp in range(places):
        for place in near(places, wasp):
            own["near"][wasp, place // WORD] |= np.uint64(1 << place % WORD)


def _set_offers(own: Any, game: Chenille) -> None:
    """The offers of every hand, if there are not too many."""
    own["offer"], own["least"] = game.rules.offer_size, game.rules.offer_favourable
    own["deck"], own["cards"] = game.deck, sum(game.deck)
    sizes = [count + 1 for count in game.deck]
    if prod(sizes) <= HANDS:
        own["hands"] = prod(sizes)
        own["radix"] = [prod(sizes[:kind]) for kind in range(len(sizes))]
        number_hands(own, np.empty(len(sizes), np.int64))
