"""Automne round by round against the generic solver over the pure rules, and by hand."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from fable_solve.solver import dynamic
from fable_solve.solver.errors import TooLarge
from fable_solve.solver.games.cigale.advise import ranked
from fable_solve.solver.games.cigale.exact import AutomneValues, mirrors, refills, table_of
from fable_solve.solver.games.cigale.kernel_guess import gap
from fable_solve.solver.games.cigale.rules import make_game
from fable_solve.solver.positions import Position, parse_position

SHAPES = [(1, 3, 2), (2, 2, 2), (2, 2, 3), (1, 4, 3), (2, 3, 3)]
"""Height, width and ants of small squares."""


def random_position(random: Random) -> Position:
    height, width, ants = random.choice(SHAPES)
    insects = ["", "", "a", "b"]

    def cards(count: int, holes: float = 0.0) -> list[str]:
        return [
            "." if random.random() < holes else random.choice("YBNR") + random.choice(insects)
            for _ in range(count)
        ]

    document = {
        "game": "cigale",
        "board": [" ".join(cards(width, 0.05)) for _ in range(height)],
        "ant": random.randint(0, 1),
        "shelves": [[random.randint(0, 2) for _ in range(4)] for _ in range(2)],
        "insects": [random.choices("ab", k=random.randint(0, 2)) for _ in range(2)],
        "deck": cards(random.randint(0, 3)),
        "rules": {
            "ants": ants,
            "chain_rule": random.choice(["touching", "connected", "path", "strict"]),
            "shelf_points": random.choice([[0, 1, 3, 6], [0, 2, 3]]),
            "shelves_to_end": random.choice([1, 2]),
        },
    }
    return parse_position(document, "test")


def games(position: Position, objective: str) -> Any:
    size = {"height": position.game.height, "width": position.game.width}
    return make_game(position.rules.model, 2, "automne", objective, **size)


def test_agrees_with_the_generic_solver() -> None:
    random, solved = Random(7), 0
    while solved < 15:
        position = random_position(random)
        if not position.game.chains(position.state) or position.game.is_over(position.state):
            continue
        for objective in ("margin", "win"):
            game = games(position, objective)
            values = AutomneValues(game, 10**6)
            mine = values.value(table_of(position.state))
            found = dynamic.solve(game, position.state, max_states=10**6)
            assert mine == pytest.approx(found.values[position.state.ant], abs=1e-9)
            best = ranked(position, objective)[0]
            assert best.guess.value == pytest.approx(mine, abs=1e-9)
            assert best.guess.exploitability < 1e-9
        solved += 1


def test_mirrors_of_squares() -> None:
    assert len(mirrors(2, 3)) == 4 and len(mirrors(3, 3)) == 8 and len(mirrors(1, 1)) == 1
    assert mirrors(1, 3) == ((0, 1, 2), (2, 1, 0))


def test_refills_sum_to_one() -> None:
    found = list(refills((-1, 5, -1), (1, 1, 2)))
    # Ordered draws of two from {1, 1, 2}: 11, 12, 21 with 1/3 each.
    assert [(board, left) for board, left, _ in found] == [
        ((1, 5, 1), (2,)),
        ((1, 5, 2), (1,)),
        ((2, 5, 1), (1,)),
    ]
    assert [weight for _, _, weight in found] == pytest.approx([1 / 3] * 3)


def test_changes_that_are_only_rounding_are_none() -> None:
    # Two sums of the same numbers in another order differ by rounding; dividing by it gave wrong values.
    assert gap(0.1 + 0.2, -0.3) == 0.0
    assert gap(1.0, -1.0 + 1e-9) == pytest.approx(1e-9)


def test_too_large() -> None:
    document = {
        "game": "cigale",
        "board": ["Y B N", "N R Y"],
        "deck": ["Y", "B", "N", "R"],
        "rules": {"ants": 3},
    }
    position = parse_position(document, "test")
    with pytest.raises(TooLarge, match="the limit is 50"):
        AutomneValues(games(position, "margin"), 50).value(table_of(position.state))
