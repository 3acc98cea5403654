"""Whole games by the named policies, compiled: tables are built here, games are played by ``kernel_play``."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver import rollout
from fable_solve.solver.blocks import Block
from fable_solve.solver.games.chenille.kernel_play import Plan, play_block
from fable_solve.solver.games.chenille.kernel_play_greedy import Worth
from fable_solve.solver.games.chenille.kernel_play_offers import KINDS, MOST, Offers, number_hands
from fable_solve.solver.games.chenille.kernel_play_table import SLOTS, Flights
from fable_solve.solver.games.chenille.play import Chenille
from fable_solve.solver.games.chenille.policies import NINTHS, loss, near
from fable_solve.solver.games.chenille.ring import slots, wasp_moves
from fable_solve.solver.rollout import Compiled

POLICIES = ("random", "greedy")
"""Policies by their number in the kernels."""
HANDS = 1 << 14
"""Of a deck with more hands than this the offers are not listed beforehand."""
WORD = 64
NO_LIMIT = 1 << 60


def compiled(game: Chenille, policies: tuple[str, ...]) -> Compiled | None:
    """Play-outs of any rules by any of the named policies; ``None`` for a policy without a kernel."""
    if not set(policies) <= set(POLICIES):
        return None
    plan = _plan(game, *(POLICIES.index(name) for name in policies))

    def play(first: int, count: int, keys: NDArray[np.uint64]) -> Block:
        columns: Any = (
            np.empty((count, 2)),
            np.empty((count, 2), np.int8),
            np.empty((count, 2), np.int8),
            np.empty(count, np.int32),
            np.empty(count, np.bool_),
            np.empty((count, len(keys)), np.uint64),
        )
        play_block(plan, first, keys, *columns)
        return Block(first, *columns)

    return play


def _plan(game: Chenille, guepe: int, chenilles: int) -> Plan:
    rules = game.rules
    pile = sorted(place for place, count in rules.ring.items() for _ in range(count))
    kinds = {place[0] for place in pile}
    return Plan(
        wide=None if len(pile) + 2 <= WORD else True,
        levels=max(map(slots, pile)),
        pile=np.array([slots(place) + (place[0] == "T") * (SLOTS + 1) for place in pile]),
        caterpillars=rules.caterpillars,
        butterflies=rules.butterflies_to_win,
        captures=rules.captures_to_win,
        turns=NO_LIMIT if game.turn_limit is None else game.turn_limit,
        decisions=rollout.MAX_DECISIONS,
        optional=rules.redraw == "optional",
        open=game.open,
        usable=np.array([game.usable(kinds, *np.eye(3, dtype=int)[stage]) for stage in range(3)]),
        guepe=guepe,
        chenilles=chenilles,
        offers=_offers(game),
        flights=_flights(len(pile)),
        worth=Worth(
            np.array([NINTHS[card] * rules.captures_to_win for card in NINTHS]),
            np.array([0, loss(game, "T"), loss(game, "C")]),
        ),
    )


def _offers(game: Chenille) -> Offers:
    deck = np.array(game.deck)
    hands = prod(count + 1 for count in game.deck)
    numbered = hands <= HANDS
    radix = np.cumprod([1, *(deck[:-1] + 1)]) if numbered else np.zeros(KINDS, np.int64)
    first = np.zeros(hands + 1 if numbered else 0, np.int32)
    packed = np.zeros(MOST * hands if numbered else MOST, np.int32)
    offers = Offers(game.rules.offer_size, game.rules.offer_favourable, deck, radix, first, packed)
    if not numbered:
        return offers
    return offers._replace(packed=packed[: number_hands(offers, first, packed)].copy())


def _flights(places: int) -> Flights:
    """Wasps' moves as the rules list them, on a ring of so many places of any kind."""
    ring = ("T1",) * places
    paths = np.zeros((2, 3, places, 2), np.int64)
    choices = np.zeros(3, np.int64)
    for card, kind in enumerate(("plus1", "plus2", "traverse")):
        for start in range(places):
            moves = wasp_moves(ring, (start, start), kind)
            choices[card] = len(moves)
            for k, move in enumerate(moves):
                paths[:, card, start, k] = move[1], move[-1]
    return Flights(choices, *paths, np.array([_words(near(places, wasp)) for wasp in range(places)]))


def _words(places: Iterable[int]) -> list[np.uint64]:
    """A set of places as two words."""
    bits = sum(1 << place for place in places)
    return [np.uint64(bits & (1 << WORD) - 1), np.uint64(bits >> WORD)]
