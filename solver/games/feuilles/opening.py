"""What to do with each first roll of an empty sheet, by the learned values of ``optimised``."""

from __future__ import annotations

from typing import Any

from fable_solve.solver.games.feuilles.coach import Judge
from fable_solve.solver.games.feuilles.play import ROLLS, Choice
from fable_solve.solver.games.feuilles.rules import Rules, make_game
from fable_solve.solver.games.feuilles.sheet import NAMES
from fable_solve.solver.result import Table

COLUMNS = {
    "dice": "roll",
    "probability": "its probability",
    "zone": "zone to write in",
    "number": "number to write",
    "leaf": "die for the leaves",
    "value": "score to expect, by learned values",
    "zone_loss": "points that the best choice in another zone loses",
    "leaf_loss": "points that the best choice with another die for the leaves loses",
}


def opening(rules: Rules) -> Table:
    """The best choice of each of the 56 rolls on one empty sheet, and what others lose.

    Raises :class:`BadInput` for a sheet whose values were not learned.
    """
    import polars as pl

    game = make_game(rules, 1, None, "score")
    judge, start = Judge(game), game.initial_state()
    rows = [_row(roll, chance, judge.choices(start._replace(roll=roll), 0)) for roll, chance in ROLLS]
    return Table("opening", "The first round", pl.DataFrame(rows), COLUMNS)


def _row(roll: tuple[int, ...], chance: float, choices: dict[Choice, float]) -> dict[str, Any]:
    best = min(choices, key=lambda choice: (-choices[choice], choice))
    others = {
        "zone_loss": [value for choice, value in choices.items() if choice.zone != best.zone],
        "leaf_loss": [value for choice, value in choices.items() if choice.leaf != best.leaf],
    }
    return {
        "dice": " ".join(map(str, roll)),
        "probability": chance,
        "zone": NAMES[best.zone - 1],
        "number": best.number,
        "leaf": best.leaf,
        "value": choices[best],
        **{name: choices[best] - max(values) if values else None for name, values in others.items()},
    }
