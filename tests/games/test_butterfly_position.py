"""Positions of Butterfly: reading, writing back, bad input, and the commands on them."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fable_solve.cli.main import fable_solve
from fable_solve.cli.main import run as main
from fable_solve.solver.errors import BadInput, FableSolveError
from fable_solve.solver.games.butterfly import advise, position
from fable_solve.solver.games.butterfly.play import Start
from fable_solve.solver.games.butterfly.tiles import KINDS, listed
from fable_solve.solver.positions import Position, parse_position
from fable_solve.solver.rng import Stream, stream_key
from fable_solve.solver.rules import load_rules

EXAMPLE: dict[str, Any] = {
    "game": "butterfly",
    "players": 2,
    "board": ["r1 . d5 F", "rx h12 B .", "s3 s7 . w4", "l2 y5 F F"],
    "nets": [[0, 1], [2, 2]],
    "hedgehog": {"row": 1, "col": 3, "facing": "W"},
    "collections": [["F", "B", "s2"], ["h10", "l9", "r3"]],
    "discarded": ["s1"],
    "bag": ["w7", "F"],
    "to_move": 0,
}


def read(**changes: Any) -> Position:
    """The example with keys changed, or left out where the change is ``None``."""
    document = {key: value for key, value in {**EXAMPLE, **changes}.items() if value is not None}
    return parse_position(document, "p.toml")


def test_the_example_is_read() -> None:
    place = read()
    assert (place.game.rows, place.game.cols, place.game.players) == (4, 4, 2)
    assert place.game.scores(place.state) == (1 - 3 + 2, 0 + 9 + 3)  # F, lone bee, s2; lone h10, l9, r3
    assert [KINDS[kind] for kind in listed(place.state.bag)] == ["F", "w7"]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"hedgehog": None},
        {"bag": None},
        {"nets": []},
        {"players": 3, "collections": [["s9", "s1"], ["l9", "F"], []], "to_move": 2},
        {"rules": {"placer": "first", "double": 3}},
        {"collections": [["s9", "s8"], ["y1", "r1"]]},
        {"board": ["."], "nets": [[0, 0]], "hedgehog": {"row": 0, "col": 0, "facing": "S"}},
    ],
)
def test_a_position_is_written_back(changes: dict[str, Any]) -> None:
    place = read(**changes)
    document = position.dump(place)
    again = parse_position(json.loads(json.dumps(document)), "again")
    assert again.state == place.state
    assert position.dump(again) == document
    for key in ("board", "nets", "collections", "discarded", "to_move"):
        if key in changes or key in EXAMPLE:
            assert document[key] == {**EXAMPLE, **changes}[key]
    assert document.get("hedgehog") == {**EXAMPLE, **changes}["hedgehog"]


def test_a_state_reached_by_play_is_written_in_the_order_of_the_tiles() -> None:
    """Collections of the example in the order of the tile list, with the tile taken: F (1 flower more)."""
    place = read()
    move = next(move for move in place.game.moves(place.state) if move.to == 3)
    moved = Position(
        place.spec, None, place.rules, place.game, place.game.successor(place.state, move), "", place.details
    )
    document = position.dump(moved)
    assert document["collections"] == [["F", "F", "s2", "B"], ["h10", "l9", "r3"]]
    assert document["board"][0] == "r1 . d5 ."
    assert document["hedgehog"] == {"row": 0, "col": 3, "facing": "N"}


def test_the_bag_is_the_box_less_all_that_is_seen() -> None:
    """100 tiles less 13 on the board, 6 collected and 1 discarded; 3 F lie on the board, 1 is collected."""
    place = read(bag=None)
    assert sum(place.state.bag) == 100 - 13 - 6 - 1
    names = [KINDS[kind] for kind in listed(place.state.bag)]
    assert names.count("F") == 13 - 3 - 1 and "s1" not in names and names.count("r1") == 1


def test_nets_that_are_not_given() -> None:
    """Those of the rule data on a full-size square (6x6 for 2), none elsewhere; a list always holds."""
    six, empty = [" ".join(["."] * 6)] * 6, [[], []]
    full = {"board": six, "nets": None, "collections": empty, "bag": None, "hedgehog": None}
    assert len(read(**full).game.nets) == 4
    assert len(read(**full, rules={"nets": "eight"}).game.nets) == 8
    assert read(**full, rules={"nets": "none"}).game.nets == ()
    assert read(nets=None).game.nets == ()
    assert read(nets=None, rules={"nets": [[3, 3]]}).game.nets == ((3, 3),)
    assert read(**{**full, "players": 3, "collections": [[], [], []]}).game.nets == ()


def test_tiles_must_fit_the_box_only_where_the_bag_is_needed() -> None:
    """14 flowers and 3 on the board are more than there are. They can be scored (14 squared); without nets,
    or with a bag given, they can be played with too."""
    many = [["F"] * 14, []]
    message = "p.toml: expected at most 13 F (no bag is given, so the tiles must fit the box), got 17"
    place = read(collections=many, bag=None)
    assert position.score(place).document["scores"] == [196, 0]
    for command in (position.enumerate_actions, position.advise, position.solve):
        with pytest.raises(BadInput) as error:
            command(place)
        assert str(error.value) == message
    assert position.enumerate_actions(read(collections=many, bag=None, nets=[])).document["count"]
    assert position.enumerate_actions(read(collections=many)).document["count"]


def at(row: int, col: int, facing: str) -> dict[str, Any]:
    return {"row": row, "col": col, "facing": facing}


MANY = "expected at most 255 tiles of a kind in all, got more of F"
HOG = "a table with row, col and facing"
MISSING = "expected a value (the key is required), got none"
TILE = "a tile (r, b, g, y + 1-5 or x, F, d1-d9, l1-l9, s1-s9, B, h10-h15, w4-w7)"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"board": None}, f"board: {MISSING}"),
        ({"board": []}, "board: expected at least one row of at least one square, got []"),
        ({"board": [""]}, "board: expected at least one row of at least one square, got ['']"),
        ({"board": "F F"}, "board: expected a list, got 'F F'"),
        ({"board": ["F F", "F"]}, "board[1]: expected 2 squares as in the first row, got 1"),
        ({"board": ["F q3"]}, f"board[0]: expected {TILE}, got 'q3'"),
        ({"board": ["F r6"]}, f"board[0]: expected {TILE}, got 'r6'"),
        ({"board": ["F", 3]}, "board[1]: expected a valid string, got 3"),
        ({"board": ["F " * 1025]}, "board: expected at most 1024 squares, got 1025"),
        ({"players": 1}, "players: expected greater than or equal to 2, got 1"),
        ({"players": 6}, "players: expected less than or equal to 5, got 6"),
        ({"players": "2"}, "players: expected a valid integer, got '2'"),
        ({"players": 3}, "collections: expected 3 lists, one a player, got 2"),
        ({"players": None, "collections": [[]]}, "collections: expected 2 to 5 lists, one a player, got 1"),
        ({"collections": [["F"], ["x"]]}, f"collections[1][0]: expected {TILE}, got 'x'"),
        ({"collections": ["F", "B"]}, "collections[0]: expected a list, got 'F'"),
        ({"discarded": ["F"]}, "discarded[0]: expected a grasshopper (s1-s9), got 'F'"),
        ({"bag": ["F", "h9"]}, f"bag[1]: expected {TILE}, got 'h9'"),
        ({"to_move": 2}, "to_move: expected a seat from 0 to 1, got 2"),
        ({"to_move": -1}, "to_move: expected a seat from 0 to 1, got -1"),
        ({"to_move": True}, "to_move: expected a valid integer, got True"),
        ({"nets": [[4, 0]]}, "nets[0]: expected a square of the 4x4 board, got [4, 0]"),
        ({"nets": [[0, 1], [0, -1]]}, "nets[1]: expected a square of the 4x4 board, got [0, -1]"),
        ({"nets": [[0, 1], [0, 1]]}, "nets[1]: expected each net once, got [0, 1] twice"),
        ({"nets": [[0]]}, "nets[0]: expected [row, col], got [0]"),
        ({"nets": [3]}, "nets[0]: expected [row, col], got 3"),
        ({"nets": "four"}, "nets: expected a list, got 'four'"),
        ({"hedgehog": at(4, 0, "N")}, "hedgehog.row: expected a number from 0 to 3, got 4"),
        ({"hedgehog": at(0, -1, "N")}, "hedgehog.col: expected a number from 0 to 3, got -1"),
        ({"hedgehog": at(0, 0, "n")}, "hedgehog.facing: expected N, E, S or W, got 'n'"),
        ({"hedgehog": at(0, 0, "")}, "hedgehog.facing: expected N, E, S or W, got ''"),
        ({"hedgehog": {"row": 0, "col": 0}}, f"hedgehog.facing: {MISSING}"),
        ({"hedgehog": {**at(0, 0, "N"), "x": 1}}, "hedgehog.x: expected a known key (nearest: row), got 'x'"),
        ({"hedgehog": [0, 0, "N"]}, f"hedgehog: expected {HOG}, got [0, 0, 'N']"),
        ({"hedgehog": "N"}, f"hedgehog: expected {HOG}, got 'N'"),
        ({"bag": ["F"] * 3000}, f"bag: {MANY}"),
        ({"rules": {"nets": [[0, 0], [1]]}}, "rules.nets[1]: expected [row, col], got [1]"),
        ({"hegehog": {}}, "hegehog: expected a known key (nearest: hedgehog), got 'hegehog'"),
        ({"mode": "automne"}, "mode: expected a known key (nearest: to_move), got 'mode'"),
        ({"collections": [["F"] * 256, []]}, f"collections[0]: {MANY}"),
        (
            {"rules": {"nets": [[9, 9]]}, "nets": None},
            "rules.nets[0]: expected a square of the 4x4 board, got [9, 9]",
        ),
        ({"rules": {"bees": -1}}, "rules.bees: expected greater than or equal to 0, got -1"),
    ],
)  # fmt: skip
def test_bad_input(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as error:
        read(**changes)
    assert str(error.value) == "p.toml: " + message


def test_bad_objectives() -> None:
    """The command line says it in one line, with exit code 2."""
    three = read(players=3, collections=[[], [], []])
    for place, objective, allowed in (
        (read(), "cards", "margin, win, score with 2 players"),
        (three, "margin", "win, score with 3 players"),
    ):
        for command in (position.solve, position.advise):
            with pytest.raises(BadInput) as error:
                command(place, objective)
            assert str(error.value) == f"--objective: expected one of {allowed}, got {objective!r}"


OFF = "expected a square of the {}x{} board, got [{}, {}]"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["solve", "@", "--set", "nets=[[9,9]]"], f"--set: nets[0]: {OFF.format(4, 4, 9, 9)}"),
        (["solve", "@", "--set", "nets=[[1,1],7]"], "--set: nets[1]: expected [row, col], got 7"),
        (
            ["simulate", "butterfly", "--set", "nets=[[1,1],[6,0]]"],
            f"--set: nets[1]: {OFF.format(6, 6, 6, 0)}",
        ),
        (["enumerate", "butterfly", "--rules", "#"], f"#: nets[0]: {OFF.format(6, 6, 7, 7)}"),
    ],
)
def test_a_net_off_the_board_is_blamed_on_who_set_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], message: str
) -> None:
    place, rules = tmp_path / "p.json", tmp_path / "r.toml"
    place.write_text(json.dumps({key: value for key, value in EXAMPLE.items() if key != "nets"}))
    rules.write_text("nets = [[7, 7]]")
    names = {"@": str(place), "#": str(rules)}
    assert main([names.get(word, word) for word in command]) == 2
    assert capsys.readouterr().err == f"error: {message.replace('#', str(rules))}\n"


@pytest.mark.parametrize(
    ("placer", "seat", "value"), [("last", 1, 3.0), ("first", 0, -3.0), ("random", 0, -3.0)]
)
def test_nothing_to_start_on(placer: str, seat: int, value: float) -> None:
    """1 flower against 4 points. The value is that of the seat that would put the hedgehog, or move first."""
    over = read(board=[". ."], nets=[], hedgehog=None, collections=[["F"], ["r4"]], rules={"placer": placer})
    solved = position.solve(over)
    assert (solved.document["seat"], solved.document["value"], solved.document["starts"]) == (seat, value, [])
    assert solved.title.startswith(
        "Butterfly, no tile to start on (the game is over): expected final margin of"
    )
    with pytest.raises(BadInput) as error:
        position.advise(over)
    expected = (
        "p.toml: expected a position in which a seat is to act, got no tile to start on (the game is over)"
    )
    assert str(error.value) == expected


def test_titles_say_who_acts() -> None:
    titles = {
        "Butterfly, seat 1 to act:": read(hedgehog=None, board=["F r1"], nets=[]),
        "Butterfly, the start is drawn at random:": read(
            hedgehog=None, board=["F r1"], nets=[], rules={"placer": "random"}
        ),
        "Butterfly, no legal move (the game is over):": read(board=[". ."], nets=[], hedgehog=at(0, 0, "N")),
    }
    for start, place in titles.items():
        assert position.solve(place).title.startswith(start)


def test_values_are_floats() -> None:
    """Three actions: the far tile ends the game, the others lead on."""
    row = {"board": ["F r5 w4 b5"], "nets": [], "hedgehog": at(0, 0, "E"), "collections": None}
    for players, objective in ((2, "margin"), (2, "win"), (2, "score"), (3, "win"), (3, "score")):
        place = read(**row, players=players)
        for command in (position.solve, position.advise):
            document = command(place, objective).document
            values = [document["value"], *(item["value"] for item in document["actions"])]
            assert len(values) == 4 and {type(value) for value in values} == {float}


def test_nothing_to_advise() -> None:
    over = read(board=["."], nets=[], hedgehog={"row": 0, "col": 0, "facing": "N"})
    with pytest.raises(BadInput, match=r"p\.toml: expected a position .*, got no legal move"):
        position.advise(over)
    by_chance = read(hedgehog=None, rules={"placer": "random"})
    with pytest.raises(BadInput, match="got the start is drawn at random"):
        position.advise(by_chance)


ODD: list[Any] = [
    None, True, -1, 0, 7, 2**70, 0.5, "", "F", ".", "N", "zz", [], [[]], [0, 0], ["F"], {}, {"row": 0},
    "F " * 40, ["F . F", ". F ."], [["s1", "s2"], ["h15"]], "\x00", "é",
]  # fmt: skip


def spoiled(document: dict[str, Any], stream: Stream) -> dict[str, Any]:
    """The document with one or two places replaced by something odd, removed, doubled or swapped."""
    result = deepcopy(document)
    for _ in range(1 + stream.below(2)):
        spots = [(result, key) for key in result if key != "game"]
        spots += [(part, k) for part in result.values() if isinstance(part, list) for k in range(len(part))]
        spots += [(part, k) for part in result.values() if isinstance(part, dict) for k in part]
        holder, key = stream.choice(spots)
        kind = stream.below(5)
        if kind == 0 and isinstance(holder, dict):
            del holder[key]
        elif kind == 1 and isinstance(holder, list):
            holder.append(deepcopy(holder[key]))
        elif kind == 4 and isinstance(holder, list):
            other = stream.below(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        elif kind == 2 and isinstance(holder[key], str) and holder[key]:
            at = stream.below(len(holder[key]))
            holder[key] = holder[key][:at] + stream.choice("FBrx. 59\n") + holder[key][at + 1 :]
        else:
            holder[key] = deepcopy(stream.choice(ODD))
    return result


def test_fuzz() -> None:
    """Every spoiled position is answered or refused in one clean line, and what is read is written back."""
    answered = refused = 0
    for episode in range(1500):
        document = spoiled(EXAMPLE, Stream(stream_key(0, "fuzz"), episode))
        try:
            place = parse_position(document, "p")
            written = parse_position(position.dump(place), "p")
            assert written.state == place.state or place.details.bag_error
            position.score(place)
            count = position.enumerate_actions(place).document["count"]
            if sum(place.state.bag) < 5 and episode % 5 == 0:
                position.solve(place, None, 300)
            answered += 1
            assert count >= 0
        except FableSolveError as error:
            assert ("\n" not in str(error) and "expected" in str(error)) or "too large" in str(error)
            refused += 1
    assert min(answered, refused) > 200


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(fable_solve, [*arguments, "--format", "json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "p.json"
    file.write_text(json.dumps(EXAMPLE))
    return str(file)


def test_enumerate_a_position(path: str) -> None:
    """By hand. From (1, 3) facing W: rx, h12, B in the row; F (0, 3), w4 (2, 3), F (3, 3) in the column."""
    found = run("enumerate", path)
    assert found["count"] == len(found["items"]) == 6
    assert found["items"][0] == {"move": {"facing": "W", "to": [1, 0]}, "draw": None}
    assert [tuple(item["move"]["to"]) for item in found["items"]] == [
        (1, 0),
        (1, 1),
        (1, 2),
        (0, 3),
        (2, 3),
        (3, 3),
    ]


def test_enumerate_with_a_net_and_without_a_hedgehog() -> None:
    """From (0, 0) E: d5 and F lie behind the open net at (0, 1): two items each; S: rx, s3, l2."""
    place = read(hedgehog={"row": 0, "col": 0, "facing": "E"})
    draws = [item["draw"] for item in position.enumerate_actions(place).document["items"]]
    assert draws == [False, True, False, True, None, None, None]
    starts = position.enumerate_actions(read(hedgehog=None)).document
    assert starts["count"] == 13 * 4  # tiles x facings
    assert starts["items"][0] == {"row": 0, "col": 0, "facing": "N"}


def test_enumerate_the_game() -> None:
    """36 tiles x 4 facings."""
    found = run("enumerate", "butterfly")
    assert found["count"] == len(found["items"]) == 144


def test_score_and_solve_and_advise(path: str) -> None:
    """``solve`` and ``advise`` agree, and the best action is worth the position."""
    scored = run("score", path)
    assert (scored["game"], scored["scores"]) == ("butterfly", [0, 12])
    solved, advised = run("solve", path), run("advise", path, "--top", "0")
    best = solved["value"]
    losing = [action | {"loss": best - action["value"]} for action in solved["actions"]]
    assert losing == advised["actions"]
    assert solved["value"] == advised["value"] == solved["actions"][0]["value"]
    assert (solved["objective"], solved["certificate"]["kind"], solved["seat"]) == ("margin", "exact", 0)
    assert len(solved["actions"]) == 6
    assert len(run("advise", path, "--top", "2")["actions"]) == 2
    won = run("solve", path, "--objective", "win")
    assert all(0 <= action["value"] <= 1 for action in won["actions"])


def test_no_matrix_to_export(path: str) -> None:
    result = CliRunner().invoke(fable_solve, ["advise", path, "--export", "nfg"])
    assert result.exit_code == 2
    assert "--export: expected a game with simultaneous choices, got butterfly" in result.output


def test_advice_by_roll_outs_is_labelled_and_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full square is too large; asked for scores, every value carries its interval."""
    monkeypatch.setattr(advise, "PLAYOUTS", 200)
    game = load_rules("butterfly")
    board = [" ".join(KINDS[kind] for kind in listed(game.model.components)[k:36:6]) for k in range(6)]
    place = parse_position(
        {"game": "butterfly", "board": board, "hedgehog": {"row": 0, "col": 0, "facing": "E"}}, "p"
    )
    first, again = (position.advise(place, "score", top=3).document for _ in range(2))
    assert first == again
    assert first["certificate"]["kind"] == "sampled"
    values = [action["value"] for action in first["actions"]]
    assert values == sorted(values, reverse=True) and len(values) == 3
    for action in first["actions"]:
        assert action["certificate"]["low"] <= action["value"] <= action["certificate"]["high"]
        assert action["certificate"]["n"] >= 30


def test_more_than_two_players_are_solved_by_max_n() -> None:
    """By hand: after r5 somebody else gets b5 (at once, or over w4) and shares the win; after w4 seat 0 is
    behind; b5 at once ends the game with 5 : 0 : 0."""
    row = {"game": "butterfly", "players": 3, "board": ["F r5 w4 b5"], "bag": []}
    place = parse_position({**row, "hedgehog": {"row": 0, "col": 0, "facing": "E"}}, "p")
    solved = position.solve(place).document
    assert solved["objective"] == "win"
    assert solved["value"] == 1.0
    assert solved["actions"][0]["move"]["to"] == [0, 3]


def test_solving_a_start_names_the_starts() -> None:
    """By hand on the row r1 b5: the placer (seat 1) sends seat 0 where it must take r1 (-1 for itself), or
    off the end where there is no move (0): from r1 facing W, or from b5 facing E."""
    place = parse_position({"game": "butterfly", "board": ["r1 b5"]}, "p")
    solved = position.solve(place).document
    assert (solved["seat"], solved["value"], len(solved["starts"])) == (1, 0.0, 8)
    assert solved["starts"][0] == {"row": 0, "col": 0, "facing": "W", "value": 0.0}
    assert {start["value"] for start in solved["starts"]} == {0.0, -1.0, -5.0}
    assert isinstance(place.game.starts(place.state)[0], Start)
