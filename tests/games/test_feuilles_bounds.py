"""Upper bounds of 61 Feuilles d'automne lie above what the exact solver finds, and fall with prices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fable_solve.solver.games.feuilles import kernel_bound
from fable_solve.solver.games.feuilles.bounds import Bound
from fable_solve.solver.games.feuilles.play import ROLLS
from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.games.feuilles.values import sheet_value
from fable_solve.solver.rules import Layer, load_rules

SHORT: dict[str, dict[str, Any]] = {
    "one round": {"rounds": 1},
    "two rounds": {"rounds": 2},
    "two rounds, a joker early": {"rounds": 2, "leaf_bonuses": {"3": "X", "6": 4}, "leaf_bonus": "reach"},
    "ended by the leaves": {"rounds": 2, "leaf_target": 4},
    "a zone that is soon full": {"rounds": 2, "lily_points": (2, 2), "zone_bonus": 9},
}


def short(option: str) -> Any:
    return load_rules("feuilles", [Layer("test", SHORT[option])]).model


@pytest.mark.parametrize("option", SHORT)
def test_bounds_lie_above_the_exact_value(option: str) -> None:
    rules, bound = short(option), Bound(short(option), steps=30)
    game = make_game(rules, 1)
    exact = sheet_value(game, game.initial_state()).value
    paths = bound.paths(30, seed=1)
    assert bound.priced[0] > exact - 1e-9
    assert paths.mean > exact - 4 * paths.se - 1e-9
    # what is known of the dice is paid for, so paths cannot be far above either: at most what the prices give
    assert paths.mean < bound.priced[0] + 4 * paths.se + 1e-9


def test_any_prices_give_a_bound() -> None:
    """Weak duality: random prices bound the exact value from above, only less tightly."""
    rules = short("two rounds, a joker early")
    game = make_game(rules, 1)
    exact = sheet_value(game, game.initial_state()).value
    parts, rng = Bound(rules).parts, np.random.default_rng(3)
    shape = rules.rounds + 1, len(parts.zone)
    for _ in range(20):
        prices, fees = rng.uniform(0, 3, (shape[0], len(ROLLS), 3)), rng.uniform(0, 6, shape[0])
        zones, after, leaves = np.zeros(shape), np.zeros(shape), np.zeros((shape[0], len(parts.earned)))
        assert kernel_bound.values(parts, prices, fees, zones, after, leaves) > exact


def test_better_prices_lower_the_bound() -> None:
    rules = short("two rounds")
    assert Bound(rules, steps=30).priced[0] < Bound(rules, steps=3).priced[0]
