"""Recorded games: what decisions lost and luck brought sums to the result; faults are named by their line."""

# ruff: noqa: E501 (a table is read by its rows)

from __future__ import annotations

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from fable_solve.cli.main import run
from fable_solve.solver import coach, dynamic, records, rollout
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.positions import Position
from fable_solve.solver.registry import get
from fable_solve.solver.rng import Stream
from fable_solve.solver.rules import Layer, load_rules

CASES = Path(__file__).parent / "cases"

BUTTERFLY = """
{"game": "butterfly", "board": ["F F B", "h12 w4 F"], "nets": [], "bag": [], "hedgehog": {"row": 1, "col": 1, "facing": "N"}}
{"seat": 0, "action": {"move": {"facing": "N", "to": [0, 1]}, "draw": null}}
{"seat": 1, "action": {"move": {"facing": "E", "to": [0, 2]}, "draw": null}}
{"seat": 0, "action": {"move": {"facing": "S", "to": [1, 2]}, "draw": null}}
{"seat": 1, "action": {"move": {"facing": "W", "to": [1, 1]}, "draw": null}}
{"seat": 0, "action": {"move": {"facing": "W", "to": [1, 0]}, "draw": null}}
{"seat": 1, "action": {"move": {"facing": "N", "to": [0, 0]}, "draw": null}}
""".strip()
FEUILLES = """
{"game": "feuilles", "round": 19, "sheets": [{"pumpkins": ["33", "1-"], "lilies": "352", "skewers": ["22", "444"], "mugs": "1-3--6", "burrow": ["142", "5-", "-"], "mushrooms": "23", "leaf_total": 48}]}
{"chance": {"dice": [5, 4, 1]}}
{"seat": 0, "action": {"zone": 4, "number": 5, "leaf": 1, "cell": 4, "x": []}}
""".strip()


def record(game: str, players: int, policy: str, number: int, **changes: Any) -> records.Record:
    """Episode ``number`` of a run of one policy, written and read again."""
    rules = load_rules(game, [Layer("test", changes)] if changes else [])
    setup = rollout.setup(get(game), players, [policy], rules, seed=3)
    return records.parse_record("\n".join(records.recorded(setup, number)), "game.jsonl")


def review(found: records.Record, nodes: int | None = None) -> dict[str, Any]:
    return coach.review(found, None, nodes).document


def adds_up(found: records.Record, nodes: int | None = None) -> None:
    """The identity of :mod:`fable_solve.solver.coach`, summed anew from the events; losses are not negative."""
    document, scores = review(found, nodes), found.position.game.scores(found.end)
    points = [scores[0] - scores[1], scores[1] - scores[0]] if document["objective"] == "margin" else scores
    for one, result in zip(document["seats"], points, strict=True):
        seat, total = one["seat"], one["start"]
        for event in document["events"]:
            total += sum(event[key][seat] for key in ("luck", "others", "model"))
            total -= event["loss"] if event.get("seat") == seat else 0.0
        assert total == pytest.approx(result, abs=1e-9)
        assert one["result"] == result
    assert all(event.get("loss", 0.0) >= 0.0 for event in document["events"])


@pytest.mark.parametrize("number", range(50))
def test_butterfly_adds_up(number: int) -> None:
    adds_up(record("butterfly", 2, "random", number), nodes=500)


@pytest.mark.parametrize("number", range(6))
def test_butterfly_of_more_adds_up(number: int) -> None:
    adds_up(record("butterfly", 3 + number % 3, "greedy", number, placer="random"))


@pytest.mark.parametrize("number", range(50))
def test_feuilles_adds_up(number: int) -> None:
    """One sheet, whose end is solved and therefore short, to three; fewer rounds than in the shipped rules."""
    players = 1 + number % 3
    adds_up(record("feuilles", players, "random", number, rounds=2 if players == 1 else 3))


def test_whole_games_of_feuilles_add_up() -> None:
    adds_up(record("feuilles", 1, "greedy", 0))
    adds_up(record("feuilles", 2, "random", 0))


def played(path: Path, seed: int) -> records.Record:
    """A random game from a position, written and read again."""
    position = records.read(str(path))
    assert isinstance(position, Position)
    game, state, stream, hooks = position.game, position.state, Stream(seed), position.spec.coach
    lines: list[dict[str, Any]] = [position.spec.position.dump(position)]
    while (mover := game.player_to_move(state)) != TERMINAL:
        if mover == CHANCE:
            action = stream.weighted(game.chance_outcomes(state))
            lines.append({"chance": hooks.item(game, state, action)})
        else:
            action = stream.choice(game.legal_actions(state, mover))
            lines.append({"seat": mover, "action": hooks.item(game, state, action)})
        state = game.successor(state, action)
    return records.parse_record("\n".join(map(json.dumps, lines)), "game.jsonl")


SMALL = ["butterfly-exact-00", "butterfly-nets-00", "butterfly-nets-03", "butterfly-nets-06", "feuilles-x-00"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", SMALL)
def test_small_games_are_judged_as_backward_induction_judges(name: str, seed: int) -> None:
    """The generic solver (:mod:`fable_solve.solver.dynamic`) values every state before and after each step;
    the coach uses a tree search or the sheets' own solver."""
    found = played(CASES / f"{name}.toml", seed)
    document, game = review(found), found.position.game
    assert document["certificate"]["kind"] == "exact"
    states = [step.state for step in found.steps] + [found.end]
    values = [one[0] for one in dynamic.evaluate(game, states)]
    sign = [-1.0 if step.mover == 1 else 1.0 for step in found.steps]
    for event, own, before, after in zip(document["events"], sign, values[:-1], values[1:], strict=True):
        assert event["value"][0] == pytest.approx(before)
        assert event["model"] == pytest.approx([0.0] * game.players)
        change = own * (after - before)  # of exact values: all of it is luck, or lost by the mover
        assert (event["luck"][0] if "chance" in event else -event["loss"]) == pytest.approx(change)


def write(tmp_path: Path, *lines: object) -> str:
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return str(path)


def told(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    assert run([*args, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


STRIP = {
    "game": "butterfly", "board": [". . F"], "nets": [[0, 1]], "bag": ["w7", "F"],
    "hedgehog": {"row": 0, "col": 0, "facing": "N"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("draw", "loss", "luck", "margin"),
    # By hand: the one flower is worth 1; with a draw 1 - 7 = -6 or 4 points, on average -1, so drawing loses
    # 2, and another flower brings 4 - (-1) = 5. Then nobody can move.
    [(False, 0.0, None, 1.0), (True, 2.0, ("F", 5.0), 4.0), (True, 2.0, ("w7", -5.0), -6.0)],
)
def test_a_draw_by_hand(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    draw: bool,
    loss: float,
    luck: tuple[str, float] | None,
    margin: float,
) -> None:
    lines: list[Any] = [STRIP, {"seat": 0, "action": {"move": {"facing": "E", "to": [0, 2]}, "draw": draw}}]
    lines += [{"chance": {"tile": luck[0]}}] if luck else []
    document = told(capsys, "advise", write(tmp_path, *lines))
    first, second = document["seats"]
    assert first == {
        "seat": 0, "start": 1.0, "loss": loss, "luck": luck[1] if luck else 0.0, "others": 0.0, "model": 0.0,
        "result": margin,
    }  # fmt: skip
    assert (second["others"], second["result"]) == (loss, -margin)


def test_a_position_on_standard_input_is_none_of_a_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(text: str) -> Any:
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text.encode())))
        return told(capsys, "advise", "-")

    assert answer(BUTTERFLY)["events"][0]["line"] == 2
    assert "actions" in answer(BUTTERFLY.splitlines()[0])
    assert "actions" in answer(json.dumps(STRIP, indent=1))


def test_a_simulation_writes_its_first_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "game.jsonl")
    args = [
        "simulate",
        "feuilles",
        "--policies",
        "optimised",
        "--games",
        "1",
        "--seed",
        "5",
        "--set",
        "rounds=4",
    ]
    summary = told(capsys, *args, "--record", path)
    document = told(capsys, "advise", path, "--set", "rounds=4")
    assert document["seats"][0]["result"] == summary["seats"][0]["mean"]  # the same game
    # what optimised plays before the exact rounds is what the same learned values say is best
    assert next(event["loss"] for event in document["events"] if "loss" in event) == 0.0
    assert run(["simulate", "cigale", "--games", "1", "--record", path]) == 2
    assert "--record: expected a game that can be recorded (butterfly, feuilles)" in capsys.readouterr().err


def lines(*, text: str = BUTTERFLY, **changed: str) -> str:
    """A record with some lines replaced: ``line3="..."``."""
    content = text.splitlines()
    for key, line in changed.items():
        content[int(key.removeprefix("line")) - 1] = line
    return "\n".join(content)


FIRST = BUTTERFLY.splitlines()[1]
FAULTS = [
    ("", "game.jsonl: expected a position on the first line, got an empty file"),
    (lines(line1="{"), "game.jsonl: line 1: expected valid JSON, got a fault"),
    (lines(line1="[1]"), "game.jsonl: line 1: expected a table of keys, got [1]"),
    (lines(line1=FIRST), "game.jsonl: line 1: action.draw: expected a value, got null"),
    (lines(line1='{"game": "butterfly", "board": ["F Q"]}'), "game.jsonl: line 1: board[0]: expected a tile"),
    (lines(line1='{"game": "cigale", "board": ["Y B N R", "Y B N R"]}'), "game.jsonl: line 1: game: expected a game that can be"),
    ("\n".join(BUTTERFLY.splitlines()[:3]), "game.jsonl: line 4: expected a decision of seat 0 (the game is not over), got the end of the file"),
    (BUTTERFLY[:-9], "game.jsonl: line 7: expected valid JSON, got a fault"),
    (BUTTERFLY + "\n" + FIRST, "game.jsonl: line 8: expected the end of the file (the game is over), got {"),
    (lines(line2=FIRST.replace("0, 1", "1, 2")), "game.jsonl: line 2: action: expected one of 3 legal actions of seat 0, such as {"),
    (lines(line2='{"seat": 0, "action": 7}'), "game.jsonl: line 2: action: expected an action as enumerate prints it, got 7"),
    (lines(line2=FIRST.replace("draw", "drew")), "game.jsonl: line 2: action.drew: expected a known key (nearest: draw), got 'drew'"),
    (lines(line2=FIRST.replace('"seat": 0', '"seat": 1')), "game.jsonl: line 2: seat: expected seat 0, got 1"),
    (lines(line2='{"seat": 0}'), "game.jsonl: line 2: expected a decision of seat 0 (keys seat, action), got {"),
    (lines(line2='{"chance": {"tile": "F"}}'), "game.jsonl: line 2: expected a decision of seat 0 (keys seat, action), got {"),
    (lines(text=FEUILLES, line2='{"chance": {"dice": [5, 4, 7]}}'), "game.jsonl: line 2: chance: expected one of 56 possible outcomes, such as {"),
    (lines(text=FEUILLES, line2='{"chance": [5, 4, 1]}'), "game.jsonl: line 2: chance: expected one of 56 possible outcomes"),
    (lines(text=FEUILLES, line2=FIRST), "game.jsonl: line 2: expected a chance event (keys chance), got {"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line"), FAULTS)
def test_faults_are_named_by_their_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game.jsonl").write_text(text)
    assert run(["advise", "game.jsonl"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith(f"error: {line}")


def test_the_examples_can_be_read() -> None:
    for text in (BUTTERFLY, FEUILLES):
        adds_up(records.parse_record(text, "game.jsonl"))


@pytest.mark.parametrize(
    "name", ["butterfly-nets-00", "chenille-exact-0", "cigale-round-00", "feuilles-exact-00"]
)
def test_advice_says_what_each_action_loses(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = told(capsys, "advise", str(CASES / f"{name}.toml"), "--top", "0")
    found = next(document[key] for key in coach.LISTS if key in document)
    if "dice" in found[0]:  # each roll's best choice: nothing stands beside it
        assert "loss" not in found[0]
    else:
        best = found[0]["value"]
        assert [one["loss"] for one in found] == [abs(best - one["value"]) for one in found]


def test_a_rough_judge_says_so(tmp_path, capsys):
    path = tmp_path / "three.jsonl"
    common = [
        "simulate",
        "butterfly",
        "--players",
        "3",
        "--policies",
        "greedy",
        "--games",
        "1",
        "--seed",
        "3",
    ]
    assert run([*common, "--record", str(path)]) == 0
    capsys.readouterr()
    assert run(["advise", str(path)]) == 0
    assert "the losses tell better moves from worse" in capsys.readouterr().err
