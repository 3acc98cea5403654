"""Whole games by compiled kernels, for any named policies at the seats."""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.blocks import Block, from_standing
from fable_solve.solver.games.cigale.hiver import Hiver
from fable_solve.solver.games.cigale.kernel_automne import play_autumns
from fable_solve.solver.games.cigale.kernel_automne_random import play_random_autumns
from fable_solve.solver.games.cigale.kernel_hiver import play_winters
from fable_solve.solver.games.cigale.kernel_round import Stage
from fable_solve.solver.games.cigale.play import NO_HOLES, Cigale
from fable_solve.solver.games.cigale.playtables import (
    automne_rules,
    automne_sets,
    automne_table,
    chain_tables,
    hiver_rules,
    hiver_sets,
    hiver_table,
    market_tables,
    small_square,
    stage_tables,
)
from fable_solve.solver.games.cigale.policies import POLICIES
from fable_solve.solver.rollout import Compiled

MOST_ANTS = 64
"""Most ants for which all rounds are tabulated (48,000 of them)."""


def compiled(game: Cigale, policies: tuple[str, ...]) -> Compiled | None:
    """``(first, count, keys[sources + seats]) -> Block`` with ``policies`` at the seats.

    ``None`` only under ``stage`` with more than ``MOST_ANTS`` ants: its rounds are too many for a table.
    """
    if "stage" in policies and game.rules.ants > MOST_ANTS:
        return None
    names = list(POLICIES)
    ids = np.array([names.index(policy) for policy in policies])
    stage = stage_tables(game.rules.ants if "stage" in policies else 1)
    return _hiver(game, ids, stage) if isinstance(game, Hiver) else _automne(game, ids, stage)


def _automne(game: Cigale, policies: Any, stage: Stage) -> Compiled:
    holes = frozenset(range(len(game.rules.deck), game.height * game.width))
    chains, rules = chain_tables(game, holes), automne_rules(game)
    square = small_square(game, chains) if not policies.any() and not holes else None

    def play(first: int, count: int, keys: Any) -> Block:
        scores, standing, lengths, counters = _columns(game, count, len(keys))
        written, table = (scores, standing, lengths, counters), automne_table(game, len(keys))
        if square is None:
            sets = automne_sets(game, chains)
            play_autumns(
                first, keys, policies, bool(policies.any()), rules, table, chains, sets, stage, *written
            )
        else:
            kept = np.zeros(game.players, np.uint64)
            play_random_autumns(first, keys, rules, table, square, kept, *written)
        return from_standing(first, scores, standing, lengths, np.zeros(count, np.bool_), counters)

    return play


def _hiver(game: Cigale, policies: Any, stage: Stage) -> Compiled:
    chains, market, rules = chain_tables(game, NO_HOLES), market_tables(game), hiver_rules(game)

    def play(first: int, count: int, keys: Any) -> Block:
        scores, standing, lengths, counters = _columns(game, count, len(keys))
        stopped, written = np.empty(count, np.bool_), (scores, standing, lengths)
        table, sets = hiver_table(game, market, len(keys)), hiver_sets(game, chains)
        given = (rules, market, table, chains, sets, stage)
        play_winters(first, keys, policies, bool(policies.any()), *given, *written, stopped, counters)
        block = from_standing(first, scores, standing, lengths, stopped, counters)
        block.winners[stopped] = game.players
        return block

    return play


def _columns(game: Cigale, count: int, streams: int) -> tuple[Any, Any, Any, Any]:
    """Columns of a block to be filled: scores, standing, lengths, counters."""
    seats = game.players
    scores, standing = np.empty((count, seats)), np.empty((count, seats), np.int64)
    return scores, standing, np.empty(count, np.int32), np.empty((count, streams), np.uint64)
