"""Compiled games of 61 Feuilles d'automne are those of the rules and the policies, draw by draw."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.games.feuilles.zonestates import zone_states
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import Match, setup
from fable_solve.solver.rules import Layer, load_rules

OPTIONS: dict[str, dict[str, Any]] = {
    "a leaf bonus passed counts": {"leaf_bonus": "reach"},
    "no leaf bonus": {"leaf_bonuses": {}},
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


def match(players: int, policies: tuple[str, ...], seed: int = 1, **data: Any) -> Match:
    rules = load_rules("feuilles", [Layer("test", data)])
    return setup(get("feuilles"), players, policies, rules, seed=seed).build()


def check_same(played: Match, numbers: range) -> None:
    """Every column of the compiled games, the streams' final states included, is that of the rules."""
    assert played.compiled is not None
    compiled, by_rules = played.block(numbers), played.by_rules(numbers)
    for field in fields(by_rules):
        np.testing.assert_array_equal(
            getattr(compiled, field.name),
            getattr(by_rules, field.name),
            field.name,
            strict=field.name != "first",
        )


@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("players", range(1, 13))
def test_compiled_games_are_those_of_the_rules(players: int, policy: str) -> None:
    check_same(match(players, (policy,)), range(100))


@pytest.mark.parametrize("policies", [("random", "greedy"), ("greedy", "random", "random", "greedy")])
def test_compiled_games_of_mixed_policies(policies: tuple[str, ...]) -> None:
    check_same(match(len(policies), policies, seed=7), range(10**6, 10**6 + 60))


@pytest.mark.parametrize("policy", ["random", "greedy"])
@pytest.mark.parametrize("option", OPTIONS)
def test_compiled_games_of_other_rules(option: str, policy: str) -> None:
    for players in (1, 3):
        check_same(match(players, (policy,), **OPTIONS[option]), range(30))


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


def test_zones_have_the_states_counted_by_hand() -> None:
    zones = load_rules("feuilles").model.zones
    counts = [len(zone_states(zone).rows) for zone in zones]
    # a pumpkin is empty, holds one of seven letters or is full; a skewer of three holds them once or twice;
    # n lilies hold some of the six numbers and jokers: sum of C(6, k), k <= n <= 5; a mug is full or not;
    # n mushrooms end in one of seven letters
    assert [counts[0], counts[1], counts[2], counts[3], counts[5]] == [9 * 9, 192, 9 * 16, 2**6, 1 + 5 * 7]


def test_states_have_the_moves_of_the_zones() -> None:
    for zone in load_rules("feuilles").model.zones:
        states = zone_states(zone)
        for rows, moves in zip(states.rows, states.moves, strict=True):
            for letter, line in zip("123456X", moves, strict=True):
                placements = zone.moves(rows, letter)
                assert [move.gain for move in line] == [placement.gain for placement in placements]
                assert [states.points[move.then] for move in line] == [
                    zone.points(placement.rows) for placement in placements
                ]
