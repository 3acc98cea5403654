"""The table of first rolls: what the policy `optimised` does, valued as it values it."""

from __future__ import annotations

import pytest

from fable_solve.solver.games.feuilles.opening import opening
from fable_solve.solver.games.feuilles.play import ROLLS
from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.games.feuilles.sheet import NAMES
from fable_solve.solver.games.feuilles.worth import optimised, predicted
from fable_solve.solver.rng import Stream
from fable_solve.solver.rules import load_rules


def test_the_opening_is_what_optimised_does() -> None:
    rules = load_rules("feuilles").model
    rows, game = opening(rules).frame.to_dicts(), make_game(rules, 1)
    assert [row["dice"] for row in rows] == [" ".join(map(str, roll)) for roll, _ in ROLLS]
    for row, (roll, _) in zip(rows, ROLLS, strict=True):
        choice = optimised(game, game.initial_state()._replace(roll=roll), 0, Stream(0))
        assert (row["zone"], row["number"], row["leaf"]) == (
            NAMES[choice.zone - 1],
            choice.number,
            choice.leaf,
        )
        # a triple leaves nothing else to choose, a pair only one other zone and one other leaf
        losses = [row[name] for name in ("zone_loss", "leaf_loss")]
        assert all(loss is None for loss in losses) == (len(set(roll)) == 1)
        assert all(loss >= 0 for loss in losses if loss is not None)
    # the mean over the rolls is the value that the tables promise, added up elsewhere
    mean = sum(row["probability"] * row["value"] for row in rows)
    assert mean == pytest.approx(predicted(game), abs=1e-9)
