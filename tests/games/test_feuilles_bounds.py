"""Upper bounds of 61 Feuilles d'automne lie above what the exact solver finds, and fall with prices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.feuilles import bounds, kernel_bound, kernel_dual
from fable_solve.solver.games.feuilles.bounds import Bound, above, last_loss, sheets_of
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
    parts, rng = Bound(rules).parts, np.random.default_rng(3)
    shape = rules.rounds + 1, len(parts.zone)
    for _ in range(20):
        prices, fees = rng.uniform(0, 3, (shape[0], len(ROLLS), 3)), rng.uniform(0, 6, shape[0])
        zones, after, leaves = np.zeros(shape), np.zeros(shape), np.zeros((shape[0], len(parts.earned)))
        assert kernel_bound.values(parts, prices, fees, zones, after, leaves) > value


def test_better_prices_lower_the_bound() -> None:
    rules = short("two rounds")
    assert Bound(rules, steps=30).priced[0] < Bound(rules, steps=3).priced[0]


@pytest.mark.slow
@pytest.mark.parametrize("option", SHORT)
def test_the_last_rounds_are_exact(option: str) -> None:
    """Two independent ways: the kernels of the bounds, and backward induction over layers of sheets."""
    rules = short(option)
    assert kernel_dual.start_value(sheets_of(rules)) == pytest.approx(exact(rules), abs=1e-9)
    # nothing is drawn with so few rounds: all weights are 1 and the bound is the value
    assert above(rules, 3, seed=1).bound == pytest.approx(exact(rules), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("theta", [0.5, 3.0])
@pytest.mark.parametrize("wrong", [0.0, 1.5])
def test_weights_bound_the_exact_value(theta: float, wrong: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the values and theta; the values are those learned, or wrong by ``wrong`` points at random."""
    rules = load_rules("feuilles", [Layer("test", LONGER)]).model
    value, sheets = exact(rules), sheets_of(rules)
    zones = sheets.zones + np.random.default_rng(4).normal(0, wrong, sheets.zones.shape)
    monkeypatch.setattr(bounds, "sheets_of", lambda rules: sheets._replace(zones=zones))
    found = above(rules, 400, seed=2, theta=theta)
    assert found.bound + 4 * found.se > value
    # there are at most a few hundred plays a path: the sum over them adds at most log(1000) / theta
    assert found.bound - 4 * found.se < value + np.log(1000) / theta + 6 * wrong


def test_several_jokers_for_a_die_are_refused() -> None:
    changes = {"leaf_bonuses": {"3": "X", "4": "X"}, "leaf_bonus": "reach"}
    rules = load_rules("feuilles", [Layer("test", changes)]).model
    with pytest.raises(BadInput, match="at most one joker"):
        above(rules, 1, seed=1)


@pytest.mark.slow
def test_losses_of_last_choices_are_those_of_the_exact_solver() -> None:
    """Every choice with one or two rounds to come in a few games of random play, both ways."""
    rules = load_rules("feuilles")
    match = setup(get("feuilles"), 1, ("random",), rules, seed=5).build()
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
