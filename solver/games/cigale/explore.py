"""A square the reader of a report can change: what ``explore.js`` is given."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from fable_solve.solver.games.cigale.advise import TYPE_NAMES
from fable_solve.solver.games.cigale.cards import HOLE, NO_INSECT, insect_of, type_of
from fable_solve.solver.games.cigale.chains import Chain
from fable_solve.solver.games.cigale.rules import Rules
from fable_solve.solver.result import Explorer

TOP = 5
"""Chains shown."""

TEXTS = {
    "square": "The square",
    "types": list(TYPE_NAMES.values()),
    "hole": "no card",
    "insect": "insect",
    "noInsect": "no insect",
    "objective": "A round is played for",
    "cards": "cards",
    "points": "points",
    "shelves": ["The Ant's shelves", "The Cigale's shelves"],
    "kept": "Insects kept",
    "chain": "cards under the ants",
    "value": "value to the Ant",
    "ant": "the Ant names",
    "cigale": "the Cigale guesses",
    "legal": "legal chains; the best:",
    "none": "No legal chain.",
    "answer": "The best chains",
}


def square_explorer(
    rules: Rules,
    mode: str,
    objective: str,
    board: Sequence[int],
    width: int,
    chains: Sequence[Chain],
    shelves: Sequence[Sequence[int]],
    kept: Sequence[Sequence[int]],
) -> Explorer:
    """The square ``board`` to start from, with every legal chain of a full one; ``shelves[2, 4]`` and
    ``kept[2, 6]`` (insects) are the Ant's and the Cigale's.

    Points are those of automne; in hiver a round is played for cards (what a purchase brings depends on the
    whole market).
    """
    objectives = dict.fromkeys([objective, "points", "cards"]) if mode == "automne" else ["cards"]
    data = {
        "width": width,
        "chains": [list(chain) for chain in chains],
        "objectives": list(objectives),
        "shelfPoints": list(rules.shelf_points),
        "insectPoints": list(rules.insect_points),
        "top": TOP,
        "start": {
            "types": [None if code == HOLE else type_of(code) for code in board],
            "insects": [
                None if code == HOLE or insect_of(code) == NO_INSECT else insect_of(code) for code in board
            ],
            "shelves": [list(places) for places in shelves],
            "kept": [list(counts) for counts in kept],
        },
    }
    folder = files("fable_solve.solver.games.cigale")
    return Explorer(
        "explore",
        "A square of your own",
        "Tap a card to change its path, the letter under it to change its insect; the best chains and both "
        "mixtures are worked out in this page, in closed form. A round is valued alone, for two players.",
        folder.joinpath("explore.js").read_text(encoding="utf-8"),
        folder.joinpath("explore.css").read_text(encoding="utf-8"),
        data,
        TEXTS,
    )
