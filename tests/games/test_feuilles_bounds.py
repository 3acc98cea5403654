"""Upper bounds of 61 Feuilles d'automne lie above what the exact solver finds, and fall with prices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.feuilles.bounds import (
    Bound,
    at_prices,
    last_loss,
    proved,
    sheets_of,
)
from fable_solve.solver.games.feuilles.kernel_last import most_of_roll
from fable_solve.solver.games.feuilles.play import ROLLS
from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.games.feuilles.values import sheet_value
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import Layer, load_rules

SHORT: dict[str, dict[str, Any]] = {
    "one round": {"rounds": 1},
    "two rounds": {"rounds": 2},
    "two rounds, a joker early": {"rounds": 2, "leaf_bonuses": {"3": "X", "6": 4}, "leaf_bonus": "reach"},
    "ended by the leaves": {"rounds": 2, "leaf_target": 4},
}
OTHER_ZONES: dict[str, Any] = {"rounds": 2, "lily_points": (2, 2), "zone_bonus": 9}
LONGER: dict[str, Any] = {"rounds": 4, "leaf_target": 5, "leaf_bonuses": {"3": "X", "5": 4}}
"""Four rounds, of which the leaves mostly leave one or two: small enough to be solved."""


def short(option: str) -> Any:
    return load_rules("feuilles", [Layer("test", SHORT[option])]).model


def exact(rules: Any) -> float:
    game = make_game(rules, 1)
    return sheet_value(game, game.initial_state()).value


@pytest.mark.parametrize("changes", [*SHORT.values(), OTHER_ZONES])
def test_prices_lie_above_the_exact_value(changes: dict[str, Any]) -> None:
    rules = load_rules("feuilles", [Layer("test", changes)]).model
    assert Bound(rules, steps=30).priced[0] > exact(rules) - 1e-9


def test_any_prices_give_a_bound() -> None:
    """Weak duality: random prices bound the exact value from above, only less tightly."""
    rules = short("two rounds, a joker early")
    value = exact(rules)
    parts, rng, rounds = Bound(rules).parts, np.random.default_rng(3), rules.rounds + 1
    for _ in range(20):
        prices, fees = rng.uniform(0, 3, (rounds, len(ROLLS), 3)), rng.uniform(0, 6, rounds)
        assert at_prices(parts, prices, fees) > value


def test_better_prices_lower_the_bound() -> None:
    rules = short("two rounds")
    assert Bound(rules, steps=30).priced[0] < Bound(rules, steps=3).priced[0]


@pytest.mark.slow
@pytest.mark.parametrize("option", SHORT)
def test_the_last_rounds_are_exact(option: str) -> None:
    """Two independent ways: the kernels of the bounds, and backward induction over layers of sheets."""
    rules = short(option)
    sheets, left = sheets_of(rules), rules.rounds - 1
    best = [most_of_roll(sheets, left, roll, sheets.empty.copy(), 0) for roll in range(len(ROLLS))]
    assert sheets.chances @ best == pytest.approx(exact(rules), abs=1e-9)


def test_stored_prices_bound_what_optimised_scores() -> None:
    """The bounds of the shipped rules, from prices found beforehand, in whole units."""
    for reading, bound in {"exact": 53.47, "reach": 59.50}.items():  # found by 150 steps, in floating point
        rules = load_rules("feuilles", [Layer("test", {"leaf_bonus": reading})]).model
        assert proved(rules) == pytest.approx(bound, abs=0.015)


@pytest.mark.parametrize("option", SHORT)
def test_stored_prices_bound_other_rules_too(option: str) -> None:
    assert proved(short(option)) > exact(short(option))


def test_several_jokers_for_a_die_are_refused() -> None:
    changes = {"leaf_bonuses": {"3": "X", "4": "X"}, "leaf_bonus": "reach"}
    rules = load_rules("feuilles", [Layer("test", changes)]).model
    with pytest.raises(BadInput, match="at most one joker"):
        sheets_of(rules)


@pytest.mark.slow
def test_losses_of_last_choices_are_those_of_the_exact_solver() -> None:
    """Every choice with one or two rounds to come in a few games of greedy play, both ways."""
    rules = load_rules("feuilles")
    match = setup(get("feuilles"), 1, ("greedy",), rules, seed=5).build()
    game, sheets, judged = match.game, sheets_of(rules.model), 0
    for number in range(6):
        chance, seats = match.streams(number)
        state = game.initial_state()
        while not game.is_over(state):
            state = game.successor(state, chance.outcome(game, state))
            if game.rules.rounds - state.round <= 2:
                (roll,) = sheet_value(game, state).rolls
                for choice, value in roll.choices:
                    loss = roll.choices[0][1] - value
                    assert last_loss(sheets, game, state, choice) == pytest.approx(loss, abs=1e-9)
                    judged += 1
            state = game.successor(state, match.policies[0](game, state, 0, seats[0]))
    assert judged > 20
