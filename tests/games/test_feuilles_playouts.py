"""Compiled games of 61 Feuilles d'automne are those of the rules and the policies, draw by draw."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fable_solve.solver.blocks import Block
from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.feuilles import playouts
from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.games.feuilles.sheet import Zone, is_full
from fable_solve.solver.games.feuilles.zonestates import LETTERS, MOST, ZoneStates, zone_states
from fable_solve.solver.registry import get
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import Match, setup
from fable_solve.solver.rules import Layer, load_rules

NONE = dict.fromkeys(("11", "21", "31", "41", "51", "61"), 0)
"""Leaf bonuses that cancel the shipped ones: tables of rule data merge."""

OPTIONS: dict[str, dict[str, Any]] = {
    "a leaf bonus passed counts": {"leaf_bonus": "reach"},
    "no leaf bonus": {"leaf_bonuses": NONE},
    "a joker a leaf": {"leaf_bonuses": {str(total): "X" for total in range(1, 67)}},
    "several jokers at once": {
        "leaf_bonus": "reach",
        "leaf_bonuses": {str(total): "X" if total % 3 else total for total in range(1, 40)},
    },
    "no zone bonus": {"zone_bonus": 0},
    "the largest zone bonus": {"zone_bonus": 1000},
    "one round": {"rounds": 1},
    "long past a full sheet": {"rounds": 70, "leaf_target": 300},
    "a target of one leaf": {"leaf_target": 1},
    "a near target": {"leaf_target": 20, "leaf_bonus": "reach"},
    "cells without points": {"lily_points": (0, 0, 0), "burrow_points": ((0, 0), (0,))},
    "cells of many points": {"mug_points": (1000, 5, 0, 999, 7, 1), "mushroom_points": (1000,) * 6},
    "pumpkins of 1 and 3 eyes": {"pumpkin_sizes": (3, 1), "pumpkin_points": (4, 0)},
    "skewers alike": {"skewer_sizes": (2, 2, 2), "skewer_points": (3, 3, 3)},
    "single cells": {
        "pumpkin_sizes": (1,), "pumpkin_points": (2,), "skewer_sizes": (1,), "skewer_points": (2,),
        "lily_points": (1,), "mushroom_points": (1,), "burrow_points": ((5,),),
    },
}  # fmt: skip


LARGE: dict[str, dict[str, Any]] = {
    "four pumpkins of 6 eyes": {"pumpkin_sizes": (6, 6, 6, 6), "pumpkin_points": (3, 9, 0, 3)},
    "four skewers": {"skewer_sizes": (6, 1, 5, 4), "skewer_points": (3, 3, 0, 1000), "rounds": 60,
                     "leaf_target": 400},
    "a burrow of four rows": {"burrow_points": ((1, 1, 1, 1), (2, 2, 2), (4, 4), (8,))},
    "a burrow of six rows": {
        "burrow_points": ((1,) * 6, (2, 0, 2, 1, 2), (1,) * 4, (3,) * 3, (4, 5), (9,)),
        "leaf_bonuses": NONE | {str(total): "X" for total in range(3, 60, 4)},
        "leaf_bonus": "reach",
    },
    "two jokers at once": {"burrow_points": ((1,) * 4, (2,) * 3, (3,) * 2, (4,)), "leaf_bonus": "reach",
                           "leaf_bonuses": NONE | {"7": "X", "8": "X", "20": "X", "21": "X", "22": "X"}},
}  # fmt: skip


def match(players: int, policies: tuple[str, ...], seed: int = 1, **data: Any) -> Match:
    rules = load_rules("feuilles", [Layer("test", data)])
    return setup(get("feuilles"), players, policies, rules, seed=seed).build()


def check_same(played: Match, numbers: range) -> None:
    """The compiled games are those of the rules."""
    assert played.compiled is not None
    check_equal(played.block(numbers), played.by_rules(numbers))


def check_equal(found: Block, expected: Block) -> None:
    """Every column is the same, the final states of the streams included."""
    assert found.first == expected.first
    for field in fields(expected)[1:]:
        arrays = getattr(found, field.name), getattr(expected, field.name)
        np.testing.assert_array_equal(*arrays, field.name, strict=True)


@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("players", range(1, 13))
def test_compiled_games_are_those_of_the_rules(players: int, policy: str) -> None:
    check_same(match(players, (policy,)), range(100))


OPTIMISED = [("optimised",), ("optimised", "greedy"), ("greedy", "optimised", "random", "optimised"),
             ("random",) * 11 + ("optimised",)]  # fmt: skip


@pytest.mark.parametrize("policies", OPTIMISED)
def test_compiled_games_look_ahead_as_by_the_rules(policies: tuple[str, ...]) -> None:
    check_same(match(len(policies), policies, seed=3), range(20 if len(policies) < 5 else 6))


SAME_ZONES = ("a leaf bonus passed counts", "several jokers at once", "one round", "long past a full sheet",
              "a target of one leaf", "a near target", "the largest zone bonus")  # fmt: skip


@pytest.mark.parametrize("option", SAME_ZONES)
def test_compiled_games_look_ahead_by_other_rules(option: str) -> None:
    check_same(match(2, ("optimised", "greedy"), **OPTIONS[option]), range(4))


@pytest.mark.slow
@pytest.mark.parametrize("players", range(1, 13))
def test_many_compiled_games_look_ahead_as_by_the_rules(players: int) -> None:
    check_same(match(players, ("optimised",)), range(100 // players))


def test_no_values_are_learned_for_other_zones() -> None:
    with pytest.raises(BadInput, match="zones as shipped for the policy optimised"):
        match(1, ("optimised",), lily_points=(1, 1))


@pytest.mark.parametrize("policies", [("random", "greedy"), ("greedy", "random", "random", "greedy")])
def test_compiled_games_of_mixed_policies(policies: tuple[str, ...]) -> None:
    check_same(match(len(policies), policies, seed=7), range(10**6, 10**6 + 60))


@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("option", OPTIONS)
def test_compiled_games_of_other_rules(option: str, policy: str) -> None:
    for players in (1, 3):
        check_same(match(players, (policy,), **OPTIONS[option]), range(30))


@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("option", LARGE)
def test_compiled_games_of_sheets_with_many_states(option: str, policy: str) -> None:
    zones = load_rules("feuilles", [Layer("test", LARGE[option])]).model.zones
    assert any(zone_states(zone, most=MOST) is None for zone in zones)
    for players in (1, 3):
        check_same(match(players, (policy,), **LARGE[option]), range(30))


@pytest.mark.parametrize("option", OPTIONS)
def test_states_of_cells_alone_serve_every_sheet(option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is needed for a sheet with many states plays the same games on any other."""
    numbered = match(2, ("random", "greedy"), **OPTIONS[option]).block(range(300))
    monkeypatch.setattr(playouts, "MOST", 0)
    check_equal(match(2, ("random", "greedy"), **OPTIONS[option]).block(range(300)), numbered)


def test_compiled_games_do_not_depend_on_the_block() -> None:
    played = match(2, ("greedy",))
    whole, part = played.block(range(50)), played.block(range(20, 30))
    np.testing.assert_array_equal(whole.counters[20:30], part.counters)
    np.testing.assert_array_equal(whole.scores[20:30], part.scores)


def test_throws_have_the_chances_of_the_rolls() -> None:
    game = make_game(load_rules("feuilles").model, 1)
    start = game.initial_state()
    draw = game.chance_draw(start)
    assert (draw.source, draw.pile) == ("dice", "")
    counted = {roll: Fraction(n, len(draw.units)) for roll, n in Counter(draw.units).items()}
    # every probability is a number of the 216 throws
    assert counted == {roll: Fraction(p).limit_denominator(216) for roll, p in game.chance_outcomes(start)}


def states_of(zone: Zone) -> ZoneStates:
    states = zone_states(zone)
    assert states is not None
    return states


def test_zones_have_the_states_counted_by_hand() -> None:
    counts = [len(states_of(zone).rows) for zone in load_rules("feuilles").model.zones]
    # a pumpkin is empty, holds one of seven letters or is full; a skewer of three holds them once or twice;
    # n lilies hold some of the six numbers and jokers: sum of C(6, k), k <= n <= 5; a mug is full or not;
    # n mushrooms end in one of seven letters
    assert [counts[0], counts[1], counts[2], counts[3], counts[5]] == [9 * 9, 192, 9 * 16, 2**6, 1 + 5 * 7]


def test_states_have_the_moves_of_the_zones() -> None:
    """Whatever letters led to a state, its moves are those of the real zone, cell by cell."""
    stream = Stream(5)
    for zone in load_rules("feuilles").model.zones * 40:
        states, rows, state = states_of(zone), zone.empty, 0
        while not is_full(rows):
            letter = stream.below(len(LETTERS))
            placements, moves = zone.moves(rows, LETTERS[letter]), states.moves[state][letter]
            found = [(move.cell, move.gain, move.completes) for move in moves]
            assert found == [(cell, gain, completes) for cell, _, gain, completes in placements]
            if moves:
                place = stream.below(len(moves))
                rows, state = placements[place].rows, moves[place].then
