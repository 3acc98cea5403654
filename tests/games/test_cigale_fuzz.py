"""Mutated positions of Cigale are answered or refused in one clean line, never anything else."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import pytest

from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.positions import parse_position

AUTOMNE: dict[str, Any] = {
    "game": "cigale",
    "mode": "automne",
    "players": 2,
    "board": ["Y Ba N", "Yc B .", "Y N Rd"],
    "ant": 0,
    "cigale": 1,
    "shelves": [[0, 1, 0, 0], [2, 0, 0, 0]],
    "insects": [["a", "Yc"], []],
    "deck": ["Y", "Ba"],
    "removed": ["Y"],
    "round": 3,
    "rules": {"ants": 3, "chain_rule": "path", "shelf_points": [0, 1, 3], "shelves_to_end": 2},
}
HIVER: dict[str, Any] = {
    "game": "cigale",
    "mode": "hiver",
    "players": 3,
    "board": ["Y Ba N", "Yc B R", "Y N Rd"],
    "ant": 2,
    "reserves": [["Y", "Na"], ["N"], []],
    "provisions": [["red"], [], []],
    "row": ["blue", "red", "yellow"],
    "discard": ["R"],
    "provision_pile": ["orange"],
    "rules": {"ants": 4, "swap_target": "uncovered", "red_ant_reward": "miss"},
}
ODD = [
    0,
    -1,
    1,
    2,
    3,
    5,
    10**30,
    1.5,
    True,
    "",
    "Y",
    "Yz",
    ".",
    "cigale",
    [],
    [[]],
    {},
    {"x": 1},
    ["Y B"],
    [0, 0],
    "é",
]


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place inside a document."""
    found = [path] if path else []
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, entry in entries:
        found += paths(entry, (*path, key))
    return found


def mutate(document: dict[str, Any], random: Random) -> dict[str, Any]:
    """``document`` with one or two places replaced, removed or doubled, or a key added."""
    document = deepcopy(document)
    for _ in range(random.randint(1, 2)):
        *parents, key = random.choice(paths(document))
        inside: Any = document
        for parent in parents:
            inside = inside[parent]
        change = random.randrange(4)
        if change == 0:
            del inside[key]
        elif change == 1 and isinstance(inside, list):
            inside.insert(0, deepcopy(inside[key]))
        elif change == 2 and isinstance(inside, dict):
            inside[random.choice(["x", "ants", "row", "shelves", "deck"])] = random.choice(ODD)
        else:
            inside[key] = deepcopy(random.choice(ODD))
    return document


@pytest.mark.parametrize("base", [AUTOMNE, HIVER], ids=["automne", "hiver"])
def test_mutated_positions(base: dict[str, Any]) -> None:
    random, answered = Random(11), 0
    for _ in range(1500):
        document = mutate(base, random)
        try:
            position = parse_position(document, "test")
            module = position.spec.position
            answers = [module.score(position), module.enumerate_actions(position)]
            answers += [module.advise(position, objective, 3) for objective in ("cards", "points")]
            if position.game.players == 2 and position.mode == "automne":
                answers.append(module.solve(position, "margin", 50))
            assert all(isinstance(answer.document, dict) for answer in answers)
            answered += 1
        except (BadInput, TooLarge) as error:
            assert "\n" not in str(error)
            assert str(error).startswith(("test", "too large"))
    assert answered > 50  # the positions themselves can be answered, so not all mutations may fail
