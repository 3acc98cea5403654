"""Positions of 61 Feuilles d'automne: reading, writing back, what is refused and how, scores and listings."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from fable_solve.solver.documents import read_document
from fable_solve.solver.errors import BadInput, FableSolveError
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL
from fable_solve.solver.games.feuilles import position as module
from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.positions import Position, parse_position
from fable_solve.solver.rng import Stream
from fable_solve.solver.rules import load_rules

CASES = Path(__file__).parents[1] / "cases"

# the example of the position format
SHEET: dict[str, Any] = {
    "pumpkins": ["3-", "--"],
    "lilies": "352",
    "skewers": ["2-", "44-"],
    "mugs": "1-3--6",
    "burrow": ["142", "5-", "-"],
    "mushrooms": "234",
    "leaf_total": 48,
    "leaf_points": 2,
    "zone_bonus": [],
}
DOCUMENT: dict[str, Any] = {
    "game": "feuilles",
    "players": 1,
    "round": 18,
    "dice": [2, 4, 5],
    "closed_bonus": [4],
    "sheets": [SHEET],
}
SECOND = {**SHEET, "pumpkins": ["33", "4X"], "zone_bonus": [1], "leaf_points": 0}
TWO: dict[str, Any] = {**DOCUMENT, "players": 2, "closed_bonus": [1, 4], "sheets": [SHEET, SECOND]}


def parse(document: dict[str, Any]) -> Position:
    return parse_position(document, "p.toml")


@pytest.mark.parametrize("document", [DOCUMENT, TWO])
def test_a_document_is_written_back_as_it_was(document: dict[str, Any]) -> None:
    position = parse(document)
    assert module.dump(position) == document
    assert parse(module.dump(position)).state == position.state


@pytest.mark.parametrize("path", sorted(CASES.glob("feuilles-*.toml")), ids=lambda path: path.stem)
def test_cases_are_written_back(path: Path) -> None:
    document, _ = read_document(str(path))
    position = parse(document)
    again = parse(json.loads(json.dumps(module.dump(position))))
    assert (again.state, again.rules.digest) == (position.state, position.rules.digest)
    # eyes and marshmallows stay where they were
    assert module.dump(position)["sheets"][0]["skewers"] == document["sheets"][0]["skewers"]


def test_rules_are_written_back() -> None:
    document = {**DOCUMENT, "rules": {"leaf_bonus": "reach", "rounds": 19}}
    assert module.dump(parse(document))["rules"] == document["rules"]


@pytest.mark.parametrize("players", [1, 2, 5, 12])
def test_every_table_of_a_random_game_is_written_back(players: int) -> None:
    rules, stream = load_rules("feuilles"), Stream(players)
    game = make_game(rules.model, players)
    state = game.initial_state()
    while True:
        position = Position(module_spec(), None, rules, game, state, "")
        assert parse(module.dump(position)).state == state
        if (mover := game.player_to_move(state)) == TERMINAL:
            break
        joint: Any
        if mover == CHANCE:
            joint = stream.weighted(game.chance_outcomes(state))
        else:
            joint = tuple(stream.choice(game.legal_actions(state, seat)) for seat in range(players))
            joint = joint if mover == SIMULTANEOUS else joint[0]
        state = game.successor(state, joint)


def module_spec() -> Any:
    from fable_solve.solver.registry import get

    return get("feuilles")


def test_dice_may_come_in_any_order() -> None:
    assert parse({**DOCUMENT, "dice": [5, 2, 4]}).state == parse(DOCUMENT).state


def test_players_and_empty_lists_may_be_left_out() -> None:
    document = {key: value for key, value in DOCUMENT.items() if key not in ("players", "closed_bonus")}
    sheet = {key: value for key, value in SHEET.items() if key not in ("zone_bonus", "leaf_points")}
    state = parse({**document, "sheets": [sheet, sheet]}).state
    assert (len(state.sheets), state.closed, state.sheets[0].leaf_points) == (2, (), 0)


def test_a_zone_full_on_one_sheet_is_closed_to_all() -> None:
    document = {**TWO, "closed_bonus": []}
    assert parse(document).state.closed == (1,)


# by hand: pumpkins 0, lilies 1 + 1 + 2, skewers 0, mugs 3, burrow 3 + 2, mushrooms 1 + 2 + 2, leaves 2 = 19
# the second: two pumpkins 6 and their bonus 3 more, and no leaf points
def test_score_by_hand() -> None:
    assert module.score(parse(DOCUMENT)).document["scores"] == [19]
    assert module.score(parse(TWO)).document["scores"] == [19, 26]


# by hand for dice 2 4 5 on the example: zone 2 takes 4 (3 5 2 are used); zone 4 takes 2 and 5; zone 5 cell 4
# touches 4, 2 and 5: nothing. Leaf 5, 5, 2.
ITEMS = [
    {"zone": 2, "number": 4, "leaf": 5, "cell": 3, "x": []},
    {"zone": 4, "number": 2, "leaf": 5, "cell": 1, "x": []},
    {"zone": 4, "number": 5, "leaf": 2, "cell": 4, "x": []},
]


def test_enumerate_lists_every_choice() -> None:
    document = module.enumerate_actions(parse(DOCUMENT)).document
    assert document == {"game": "feuilles", "count": 3, "items": ITEMS}


def test_enumerate_with_a_joker() -> None:
    # leaf 5 from 46 hits 51: after lily 4, a joker in pumpkins 0 1, lily 4, skewers 0 1, mugs 1 3 4, burrow 4
    # and mushroom 3: 10; after mug 2 there is a mug less: 9; after mug 5 with leaf 2 no joker: 1
    sheet = {**SHEET, "leaf_total": 46}
    document = module.enumerate_actions(parse({**DOCUMENT, "sheets": [sheet]})).document
    assert document["count"] == 20
    assert {"zone": 2, "number": 4, "leaf": 5, "cell": 3, "x": [{"zone": 5, "cell": 4}]} in document["items"]


def test_enumerate_names_the_seat_among_several() -> None:
    items = module.enumerate_actions(parse(TWO)).document["items"]
    assert items[0] == {"seat": 0, **ITEMS[0]}
    assert {item["seat"] for item in items} == {0, 1}


def test_enumerate_a_pass() -> None:
    # a 3 fits no skewer of 2s or 4s, and a triple leaves no other choice
    sheet = {**SHEET, "leaf_total": 32}
    document = module.enumerate_actions(parse({**DOCUMENT, "dice": [3, 3, 3], "sheets": [sheet]})).document
    assert document["items"] == [{"zone": None, "number": None, "leaf": 3, "cell": None, "x": []}]


def test_enumerate_before_the_roll_lists_every_roll() -> None:
    document = {key: value for key, value in DOCUMENT.items() if key != "dice"}
    listed = module.enumerate_actions(parse(document)).document["items"]
    by_roll: list[Any] = []
    for first in range(1, 7):
        for second in range(first, 7):
            for third in range(second, 7):
                rolled = parse({**document, "dice": [first, second, third]})
                by_roll += module.enumerate_actions(rolled).document["items"]
    assert sorted(map(str, listed)) == sorted({str(item) for item in by_roll})


def test_enumerate_the_game() -> None:
    # every ordered (zone, number, leaf) on an empty sheet: 36 x (2 + 1 + 2 + 1 + 3 + 1)
    assert module.enumerate_game(load_rules("feuilles"), None).document["count"] == 360


@pytest.mark.parametrize("end", [{"round": 20}, {"sheets": [{**SHEET, "leaf_total": 61}]}])
def test_nothing_is_left_once_the_game_is_over(end: dict[str, Any]) -> None:
    undecided = {key: value for key, value in DOCUMENT.items() if key != "dice"}
    position = parse({**undecided, **end})
    assert module.enumerate_actions(position).document["count"] == 0
    solved = module.solve(position, None, 1000, lambda done, total: None).document
    assert (solved["value"], solved["actions"]) == (19, [])
    assert module.advise(position, None, 5).document["actions"] == []


@pytest.mark.parametrize(
    "end", [{"round": 20}, {"sheets": [{**SHEET, "leaf_total": 61}]}, {"rules": {"rounds": 18}}]
)
def test_dice_of_a_game_that_is_over_are_refused(end: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        parse({**DOCUMENT, **end})
    assert str(caught.value) == "p.toml: dice: expected no dice (the game is over), got [2, 4, 5]"


def changed(path: str, value: Any) -> dict[str, Any]:
    """The example with one entry replaced; ``sheet.KEY`` is inside its sheet."""
    document = deepcopy(DOCUMENT)
    target = document["sheets"][0] if path.startswith("sheet.") else document
    target[path.removeprefix("sheet.")] = value
    return document


BAD = [
    ("players", 0, "players: expected 1 to 12 players, got 0"),
    ("players", 13, "players: expected 1 to 12 players, got 13"),
    ("players", 2, "sheets: expected 2 sheets, got 1"),
    ("players", "1", "players: expected a valid integer, got '1'"),
    ("round", -1, "round: expected 0 to 20, got -1"),
    ("round", 21, "round: expected 0 to 20, got 21"),
    ("round", 10**4000, f"round: expected 0 to 20, got {'1' + 56 * '0'}..."),  # 57 of the 4001 digits
    ("round", 16**5000, "round: expected 0 to 20, got a number of more than 4300 digits"),
    ("rules", {"rounds": 16**5000},
     "rules.rounds: expected less than or equal to 1000, got a number of more than 4300 digits"),
    ("round", 1.5, "round: expected a valid integer, got 1.5"),
    ("dice", [1, 2], "dice: expected three dice, got 2"),
    ("dice", [], "dice: expected three dice, got 0"),
    ("dice", "123", "dice: expected a list, got '123'"),
    ("dice", [1, 2, 7], "dice[2]: expected less than or equal to 6, got 7"),
    ("dice", [0, 2, 3], "dice[0]: expected greater than or equal to 1, got 0"),
    ("dice", [1, 2, 3, 4], "dice: expected three dice, got 4"),
    ("closed_bonus", [7], "closed_bonus[0]: expected 1 to 6, got 7"),
    ("closed_bonus", [2, 2], "closed_bonus[1]: expected every zone at most once, got 2 again"),
    ("closed_bonus", 3, "closed_bonus: expected a list, got 3"),
    ("sheets", [], "sheets: expected 1 sheet, got 0"),
    ("sheets", {}, "sheets: expected a list, got {}"),
    ("sheets", [3], "sheets[0]: expected a table, got 3"),
    ("shets", [], "shets: expected a known key (nearest: sheets), got 'shets'"),
    ("mode", "hiver", "mode: expected a known key"),
    ("rules", {"leaf_bonus": "pass"}, "rules.leaf_bonus: expected 'exact' or 'reach', got 'pass'"),
    ("rules", {"lily": 3}, "rules.lily: expected a known key (nearest: lily_points), got 'lily'"),
    ("rules", {"lily_points": []}, "rules.lily_points: expected"),
    ("rules", {"mug_points": [1, 2]}, "rules.mug_points: expected"),
    ("rules", {"burrow_points": [[1, 1], [2, 2]]}, "rules.burrow_points[1]: expected 1 cells over 2, got 2"),
    ("rules", {"skewer_points": [3]}, "rules.skewer_points: expected 2 values, as in skewer_sizes, got 1"),
    ("rules", {"leaf_bonuses": {"x": 3}}, "rules.leaf_bonuses: expected leaf totals from 1 to"),
    ("rules", {"leaf_bonuses": {"5": "Y"}}, "rules.leaf_bonuses.5: expected 'X' or a valid integer, got 'Y'"),
    ("rules", {"leaf_bonuses": {"5": {"a": 1}}},
     "rules.leaf_bonuses.5: expected 'X' or a valid integer, got {'a': 1}"),
    ("rules", {"leaf_bonuses": 5}, "rules.leaf_bonuses: expected a table, got 5"),
    ("sheet.pumpkins", ["3-"], "@.pumpkins: expected 2 rows, got 1"),
    ("sheet.pumpkins", ["3-", "---"], "@.pumpkins[1]: expected 2 cells, got '---'"),
    ("sheet.pumpkins", ["34", "--"], "@.pumpkins[0]: expected equal numbers, got '34'"),
    ("sheet.pumpkins", ["3x", "--"],
     "@.pumpkins[0]: expected cells of '-', '1' to '6' or 'X', got 'x'"),
    ("sheet.pumpkins", "3---", "@.pumpkins: expected a list, got '3---'"),
    ("sheet.pumpkins", [3, 4], "@.pumpkins[0]: expected a valid string, got 3"),
    ("sheet.lilies", "353", "@.lilies: expected different numbers, got '353'"),
    ("sheet.lilies", "3-5", "@.lilies: expected at most 5 filled cells in order, got '3-5'"),
    ("sheet.lilies", "123456", "@.lilies: expected at most 5 filled cells in order, got '123456'"),
    ("sheet.lilies", "370", "@.lilies: expected cells of '-', '1' to '6' or 'X', got '7'"),
    ("sheet.skewers", ["22", "445"], "@.skewers[1]: expected equal numbers, got '445'"),
    ("sheet.skewers", ["22-", "44-"], "@.skewers[0]: expected 2 cells, got '22-'"),
    ("sheet.mugs", "12345", "@.mugs: expected 6 cells, got '12345'"),
    ("sheet.mugs", "21----", "@.mugs: expected '-', '1' or 'X' in mug 1, got '21----'"),
    ("sheet.burrow", ["142", "5-"], "@.burrow: expected 3 rows, got 2"),
    ("sheet.burrow", ["112", "--", "-"], "@.burrow[0]: expected touching cells to differ, got '112'"),
    ("sheet.burrow", ["142", "4-", "-"], "@.burrow[0]: expected touching cells to differ, got '142'"),
    ("sheet.burrow", ["1-2", "5-", "-"],
     "@.burrow[1]: expected both cells under a filled cell filled, got '5-'"),
    ("sheet.burrow", ["142", "5-", "6"],
     "@.burrow[2]: expected both cells under a filled cell filled, got '6'"),
    ("sheet.mushrooms", "25",
     "@.mushrooms: expected a neighbour of 2 after it (6 and 1 are neighbours), got '25'"),
    ("sheet.mushrooms", "22", "@.mushrooms: expected a neighbour of 2 after it"),
    ("sheet.leaf_total", -1, "@.leaf_total: expected 0 to 66, got -1"),
    ("sheet.leaf_total", 67, "@.leaf_total: expected 0 to 66, got 67"),
    ("sheet.leaf_total", True, "@.leaf_total: expected a valid integer, got True"),
    ("sheet.leaf_points", 11, "@.leaf_points: expected 0 to 10, got 11"),
    ("sheet.zone_bonus", [0], "@.zone_bonus[0]: expected 1 to 6, got 0"),
    ("sheet.zone_bonus", [2], "@.zone_bonus: expected zones that are full on this sheet, got 2"),
    ("sheet.mug", "------", "@.mug: expected a known key (nearest: mugs), got 'mug'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value", "message"), BAD, ids=[f"{at}-{path}" for at, (path, _, _) in enumerate(BAD)]
)
def test_bad_positions(path: str, value: Any, message: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(changed(path, value))
    assert str(caught.value).startswith("p.toml: " + message.replace("@", "sheets[0]"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["round", "sheets"])
def test_missing_keys(key: str) -> None:
    document = {name: value for name, value in DOCUMENT.items() if name != key}
    with pytest.raises(BadInput, match=f"p.toml: {key}: expected a value"):
        parse(document)


def mutations(stream: Stream, document: dict[str, Any]) -> dict[str, Any]:
    """``document`` with one entry somewhere inside changed, removed or added."""
    copy = deepcopy(document)
    junk = [None, True, -1, 7, 10**30, 1.5, "", "X", "-", "999", "3-3", [], [1], ["--", "--"], {}, {"a": 1}]
    target: Any = copy
    if stream.below(3):
        target = copy["sheets"][0]
    key = stream.choice(sorted(target))
    inside = target[key]
    kind = stream.below(4)
    if kind == 0:
        del target[key]
    elif kind == 1:
        target[key] = stream.choice(junk)
    elif kind == 2 and isinstance(inside, list) and inside:
        inside[stream.below(len(inside))] = stream.choice([*junk, "1-", "X5", "653", 3])
    elif isinstance(inside, str) and inside:
        place = stream.below(len(inside))
        target[key] = inside[:place] + stream.choice("123456X-x07 é") + inside[place + 1 :]
    else:
        target[stream.choice(["extra", "rules", "dice"])] = stream.choice(junk)
    return copy


def test_mutated_positions_are_refused_cleanly_or_answered() -> None:
    stream, answered = Stream(3), 0
    for number in range(2000):
        document = mutations(stream, [DOCUMENT, TWO][number % 2])
        try:
            position = parse(document)
            module.score(position)
            module.enumerate_actions(position)
            assert parse(module.dump(position)).state == position.state
            answered += 1
        except FableSolveError as error:
            assert "\n" not in str(error)
    assert 200 < answered < 1800  # the mutations are neither all fatal nor all harmless
