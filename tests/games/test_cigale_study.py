"""The report of a round: numbers against independent computations, every mode and objective, same bytes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from fable_solve.cli.main import run
from fable_solve.solver.games.cigale import squares as squares_module
from fable_solve.solver.games.cigale.cards import parse_card, type_of
from fable_solve.solver.games.cigale.chains import legal_chains
from fable_solve.solver.games.cigale.studies import run as study
from fable_solve.solver.matrix import MatrixGame, solve
from fable_solve.solver.result import Result
from fable_solve.solver.rules import Layer, load_rules
from fable_solve.solver.study import Request


def result(mode: str = "hiver", objective: str | None = None, boards: int = 30, **changes: Any) -> Result:
    players = changes.pop("players", (2,))
    rules = load_rules("cigale", [Layer("test", changes)])
    return study(Request(rules, mode, players, objective, 0, {"boards": boards, "position": None}))


def table(found: Result, name: str) -> pl.DataFrame:
    return next(item.frame for item in found.tables if item.name == name)


def finding(found: Result, name: str) -> float:
    return next(item.value for item in found.findings if item.name == name)


def test_value_of_dealt_squares_by_an_independent_solver() -> None:
    # Each stored square read back from its text; every chain's matrix of card counts solved by the
    # certified matrix solver (distinct counts once).
    chains = legal_chains(4, 4, frozenset(), 6, "path")
    known: dict[tuple[int, ...], float] = {}
    for row in table(result(boards=6), "squares").to_dicts():
        cards = [parse_card(text, "test") for text in row["board"].replace("/", " ").split()]
        best = -np.inf
        for chain in chains:
            kinds = [type_of(cards[square]) for square in chain]
            counts = tuple(sorted(kinds.count(kind) for kind in set(kinds)))
            if counts not in known:
                matrix = [[-n if i == j else n for j in range(len(counts))] for i, n in enumerate(counts)]
                value = solve(MatrixGame(matrix)).value
                assert value is not None
                known[counts] = value
            best = max(best, known[counts])
        assert row["value"] == pytest.approx(best, abs=1e-9)


def test_findings_summarise_the_squares() -> None:
    found = result("automne", boards=40)
    rows = table(found, "squares")
    assert finding(found, "round_value") == pytest.approx(rows["value"].mean())
    lost = rows["value"] - rows["ant_most_cards"]
    assert finding(found, "points_lost_by_naming_most_cards") == pytest.approx(lost.mean())
    lost = rows["cigale_frequent_guess"] - rows["value"]
    assert finding(found, "points_lost_by_guessing_the_frequent_type") == pytest.approx(lost.mean())


def test_cards_do_not_depend_on_the_mode() -> None:
    # The stake of a round for cards is the same in both modes, so the same squares have the same values.
    first, second = table(result("automne", "cards"), "squares"), table(result("hiver", "cards"), "squares")
    assert first["value"].equals(second["value"])


@pytest.mark.parametrize("mode", ["automne", "hiver"])
@pytest.mark.parametrize("objective", ["cards", "points"])
def test_every_mode_and_objective(mode: str, objective: str) -> None:
    found = result(mode, objective, boards=8, players=(2, 3, 4))
    assert found.objective == objective
    assert len(found.summary) == 3
    names = {item.name for item in (*found.tables, *found.charts, *found.boards)}
    assert {name for section in found.sections for name in section.show} <= names
    reds = {"red_ant_cards_at_least", "red_ant_cards_at_most"} & {item.name for item in found.findings}
    assert len(reds) == (2 if (mode, objective) == ("hiver", "cards") else 0)
    rules = table(found, "chain_rules")
    assert rules["chains"].to_list() == [1444, 496, 260, 148]  # counts stated with the rules
    # More chains to choose from cannot be worth less to the Ant: touching > connected > path > strict.
    assert rules["value"].to_list() == sorted(rules["value"].to_list(), reverse=True)


def test_what_the_ant_may_choose_is_a_range() -> None:
    # Every square here holds both best shapes: a Red Ant draws with 2/9 on 2-2-2, 5/18 on 2-2-1-1.
    found = result(boards=30, players=(3,))
    both = table(found, "shapes").filter(pl.col("shape").is_in(["2-2-2", "2-2-1-1"]))
    assert both["best"].to_list() == [1.0, 1.0]
    assert finding(found, "red_ant_cards_at_least") == pytest.approx(2 / 9)
    assert finding(found, "red_ant_cards_at_most") == pytest.approx(5 / 18)


def test_assumed_data_is_listed_with_its_effect() -> None:
    found = result("automne", "points", boards=10)
    assert [key for key, _ in found.assumptions] == ["chain_rule", "insect_cards", "insect_points"]
    assert finding(found, "value_change_without_insects") < 0
    bare = result("automne", "points", boards=10, insect_points=[0, 0])
    expected = finding(found, "round_value") + finding(found, "value_change_without_insects")
    assert finding(bare, "round_value") == pytest.approx(expected)


def test_changed_rules_reach_the_study() -> None:
    # Three ants in a row on a 1x6 board of 12 yellow cards only: always guessed, worth -3.
    deck = {"path_cards": {"Y": 12, "B": 0, "N": 0, "R": 0}, "insect_cards": dict.fromkeys("abcdef", "")}
    found = result("automne", "cards", boards=3, board=[1, 6], ants=3, **deck)
    assert finding(found, "round_value") == -3.0
    assert found.rules["changed"]["ants"] == 3


def test_blocks_do_not_change_the_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = table(result(boards=30), "squares")
    monkeypatch.setattr(squares_module, "BLOCK", 7)
    monkeypatch.setattr(squares_module.blocks, "__defaults__", (7,))
    assert table(result(boards=30), "squares").equals(whole)


def digest(folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def test_same_command_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for out in ("one", "two"):
        assert run(["cigale", "--mode", "hiver", "--players", "2-4", "--boards", "20", "--out", out]) == 0
    assert digest(tmp_path / "one") == digest(tmp_path / "two")
    assert run(["cigale", "--mode", "hiver", "--boards", "20", "--seed", "1", "--out", "two"]) == 0
    assert digest(tmp_path / "one") != digest(tmp_path / "two")


def test_json_of_a_study(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cigale", "--boards", "5", "--out", "-", "--format", "json", "--set", "ants=5"]) == 0
    document = json.loads(capsys.readouterr().out)
    expected = {"game", "mode", "players", "objective", "seed", "version", "rules", "results", "files"}
    assert expected <= set(document)
    assert document["rules"]["changed"] == {"ants": 5}
    assert {"digest", "assumed", "changed"} <= set(document["rules"])
    assert all({"name", "value", "certificate"} <= set(item) for item in document["results"])
    assert document["files"] == []


def test_the_square_of_a_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "square.toml"
    path.write_text('game = "cigale"\nboard = ["Y B . R", "Y B N R"]\n[rules]\nants = 3\n')
    assert run(["cigale", "--boards", "3", "--out", "-", "--position", str(path)]) == 0
    assert "The square of the position" in capsys.readouterr().out
