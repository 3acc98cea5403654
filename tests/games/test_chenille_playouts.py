"""Compiled play-outs of Chenille are the games that its rules and policies play, draw by draw.

Every case compares whole blocks: scores, winners, ranks, lengths, stops, and the final counters of the random
streams, which prove that both drew the same number of random numbers.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from fable_solve.solver import rollout
from fable_solve.solver.blocks import Block
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.chenille import GAME
from fable_solve.solver.games.chenille import playouts as compiled_playouts
from fable_solve.solver.games.chenille.play import Chenille
from fable_solve.solver.policy import uniform
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import Match, setup
from fable_solve.solver.rules import Layer, load_rules

COLUMNS = ("scores", "winners", "ranks", "lengths", "stopped", "counters")
PAIRS = list(product(compiled_playouts.POLICIES, repeat=2))
"""Every policy of the Guepe with every policy of the Chenilles."""


def match(players: int = 2, policies: tuple[str, ...] = ("random",), **values: Any) -> Match:
    return setup(GAME, players, policies, load_rules("chenille", [Layer("test", values)])).build()


def same(played: Match, games: range) -> Block:
    """The games, if compiled and by the rules they are the same in every column."""
    assert played.compiled is not None
    block, expected = played.block(games), played.by_rules(games)
    assert block.first == expected.first
    for column in COLUMNS:
        own, wanted = getattr(block, column), getattr(expected, column)
        assert own.dtype == wanted.dtype, column
        np.testing.assert_array_equal(own, wanted, err_msg=column)
    return expected


@pytest.mark.parametrize("policies", PAIRS, ids="-".join)
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_every_number_of_players(players: int, policies: tuple[str, str]) -> None:
    same(match(players, policies), range(100))


FEW = {"oeuf": 1, "cocon": 1, "envol": 1, "soleil": 1, "plus1": 1, "meme": 1}
MANY = dict.fromkeys(("oeuf", "cocon", "envol", "soleil", "plus1", "plus2", "traverse", "meme"), 3)

OPTIONS: dict[str, dict[str, Any]] = {
    "plus2": {"deck": "plus2"},  # 14 cards: the last offer has two
    "plus3": {"deck": "plus3"},
    "replace_sun": {"deck": "replace_sun"},
    "forced": {"redraw": "forced"},
    "open": {"discards": "open"},
    "open forced": {"discards": "open", "redraw": "forced", "deck": "plus3"},
    "hidden plus3": {"discards": "hidden", "deck": "plus3"},
    "two cards": {"offer_size": 2, "deck": FEW},
    "one card": {"offer_size": 1, "offer_favourable": 0},
    "one favourable card": {"offer_size": 1, "deck": {"soleil": 3, "envol": 1}},
    "two favourable": {"offer_favourable": 2, "deck": {"oeuf": 4, "cocon": 3, "soleil": 2, "plus2": 2}},
    "any offer": {"offer_favourable": 0, "deck": FEW},
    "three favourable": {"offer_favourable": 3, "deck": {"oeuf": 2, "cocon": 2, "envol": 2}},
    "last offer of one": {"deck": {"oeuf": 2, "soleil": 2, "cocon": 1, "plus1": 1, "meme": 1}},
    "one card in all": {"deck": {"soleil": 1}},
    "a hand for each number": {"deck": {**MANY, "meme": 0}},  # 4^7 = 2^14 hands
    "too many hands": {"deck": MANY},  # 4^8 hands
    "hundreds of cards": {"deck": {**MANY, "soleil": 1000, "plus1": 500, "meme": 600}},
    "no traverse": {"deck": {"oeuf": 3, "cocon": 3, "envol": 3, "plus2": 3}},
    "no slots on Terre": {"ring": {"C1": 6}},
    "no slots on Ciel": {"ring": {"T2": 6}},
    "no envol": {"deck": {"oeuf": 3, "cocon": 3, "plus1": 3}},
    "too few caterpillars": {"caterpillars": 4},
    "just enough caterpillars": {"caterpillars": 5},
    "ring of 2": {"ring": {"T2": 1, "C3": 1}},
    "ring of 4": {"ring": {"T1": 2, "C1": 2}},
    "ring of 4, one Ciel": {"ring": {"T1": 3, "C9": 1}},
    "ring of 6": {"ring": {"T1": 1, "T2": 2, "C4": 3}},
    "ring of 62": {"ring": {"T1": 31, "C2": 31}},
    "ring of 64": {"ring": {"T3": 31, "C1": 33}},
    "ring of 66": {"ring": {"T1": 40, "C2": 26}},
    "ring of 100": {"ring": {"T9": 20, "T1": 33, "C7": 45, "C1": 2}, "caterpillars": 60,
                    "butterflies_to_win": 30, "captures_to_win": 30},
    "a Ciel among 100": {"ring": {"T5": 99, "C1": 1}},
    "nine slots": {"ring": {"T9": 3, "C9": 3}, "caterpillars": 40, "butterflies_to_win": 20,
                   "captures_to_win": 20},
    "one caterpillar": {"caterpillars": 1, "butterflies_to_win": 1, "captures_to_win": 1},
    "a thousand": {"caterpillars": 1000, "captures_to_win": 7},
    "long way": {"caterpillars": 30, "butterflies_to_win": 18, "captures_to_win": 12},
    "one butterfly": {"butterflies_to_win": 1},
    "one capture": {"captures_to_win": 1},
    "captures never win": {"captures_to_win": 999},
    "one turn": {"turn_limit": 1},
    "seven turns": {"turn_limit": 7},
    "a million turns": {"turn_limit": 1_000_000},
}  # fmt: skip


@pytest.mark.parametrize("policies", PAIRS, ids="-".join)
@pytest.mark.parametrize("values", OPTIONS.values(), ids=OPTIONS.keys())
def test_every_option(values: dict[str, Any], policies: tuple[str, str]) -> None:
    long = values.get("caterpillars", 8) > 8
    same(match(2, policies, **values), range(500, 505 if long else 515))


def test_options_reach_what_they_are_for() -> None:
    """Hopeless games have no decision; limits stop games; the others are played to an end."""
    for name in ("no slots on Terre", "no slots on Ciel", "no envol", "too few caterpillars"):
        block = match(**OPTIONS[name]).block(range(5))
        assert not block.lengths.any() and not block.stopped.any() and block.winners[:, 0].all()
    limited = match(**OPTIONS["seven turns"]).block(range(50))
    assert limited.stopped.any() and limited.winners[limited.stopped, 0].all()
    assert limited.lengths.max() <= 1 + 3 * 7  # the start, and three decisions a turn at most
    assert not match(**OPTIONS["a million turns"]).block(range(50)).stopped.any()


@pytest.mark.parametrize("policies", PAIRS, ids="-".join)
@pytest.mark.parametrize("most", [0, 1, 2, 9, 20, 21, 22, 23])
def test_too_many_decisions(most: int, policies: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A play given up is shared; ranks go by the table as it stands, in the middle of a turn or not."""
    monkeypatch.setattr(rollout, "MAX_DECISIONS", most)
    block = same(match(2, policies, deck="plus3"), range(30))
    assert (block.winners[block.lengths < most] < 2).all()
    assert (block.winners[block.stopped] == 2).all() and block.stopped.any()


def test_games_do_not_depend_on_the_block() -> None:
    played = match(2, ("greedy",))
    whole = played.block(range(40, 80))
    for start, end in ((40, 41), (41, 60), (60, 80)):
        part = played.block(range(start, end))
        for column in COLUMNS:
            own, wanted = getattr(part, column), getattr(whole, column)[start - 40 : end - 40]
            np.testing.assert_array_equal(own, wanted)


def test_an_unknown_policy_has_no_kernel() -> None:
    game = Chenille(load_rules("chenille").model, 10)
    assert compiled_playouts.compiled(game, ("random", "other")) is None


@pytest.mark.parametrize("values", [{}, {"deck": "plus2"}, {"offer_size": 2, "redraw": "forced"}], ids=str)
def test_units_are_drawn_as_often_as_the_rules_say(values: dict[str, Any]) -> None:
    """At every chance node of random play the share of each unit is the probability of its outcome."""
    game, nodes = match(**values).game, 0
    for episode in range(20):
        state, stream = game.initial_state(), Stream(3, episode)
        while (mover := game.player_to_move(state)) != TERMINAL:
            if mover != CHANCE:
                state = game.successor(state, uniform(game, state, mover, stream))
                continue
            units = game.chance_draw(state).units
            shares = {unit: Fraction(count, len(units)) for unit, count in Counter(units).items()}
            outcomes = game.chance_outcomes(state)
            assert shares == {unit: Fraction(p).limit_denominator(100) for unit, p in outcomes}
            assert all(float(shares[unit]) == p for unit, p in outcomes)
            state, nodes = game.successor(state, stream.choice(units)), nodes + 1
    assert nodes > 20 * 12  # the places of the ring alone
