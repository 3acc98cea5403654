"""``fable-solve simulate``: output, files, precision, and every way of asking wrongly."""

import json

import polars as pl
import pytest

from fable_solve.cli.main import run
from fable_solve.cli.progress import COMPILING
from fable_solve.solver import registry, simulation


def simulate(capsys, *arguments):
    code = run(["simulate", *arguments])
    out, err = capsys.readouterr()
    return code, out, err.replace(COMPILING + "\n", "")


@pytest.mark.parametrize("game", registry.names())
def test_json_of_every_game(capsys, game):
    code, out, err = simulate(capsys, game, "--games", "5", "--format", "json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["game"] == game
    assert document["players"] == registry.get(game).default_players
    assert document["policies"] == ["random"]
    assert document["games"] == 5
    assert {"seat", "policy", "mean", "sd", "se", "quantiles", "win", "win_low", "win_high"} <= document[
        "seats"
    ][0].keys()
    assert {"mean", "se"} <= document["length"].keys()
    assert document["rules"].keys() == {"digest", "assumed", "changed"}


def test_one_game_has_no_error_to_tell(capsys):
    # One sample has a mean but no spread: null, as JSON has no nan.
    _, out, _ = simulate(capsys, "feuilles", "--games", "1", "--format", "json")
    assert json.loads(out)["seats"][0]["sd"] is None


def test_the_same_command_prints_the_same_bytes_whatever_the_jobs(capsys):
    arguments = ("butterfly", "--games", "300", "--seed", "4")
    once = simulate(capsys, *arguments, "--jobs", "1")
    assert simulate(capsys, *arguments, "--jobs", "2") == once
    assert simulate(capsys, "butterfly", "--games", "300", "--seed", "5") != once


def test_policies_and_rules_reach_the_game(capsys):
    arguments = ("cigale", "--mode", "hiver", "--players", "3", "--policies", "random,greedy,random")
    code, out, _ = simulate(
        capsys, *arguments, "--set", "red_ant_reward=miss", "--games", "3", "--format", "json"
    )
    document = json.loads(out)
    assert code == 0
    assert [seat["policy"] for seat in document["seats"]] == ["random", "greedy", "random"]
    assert document["mode"] == "hiver"
    assert document["rules"]["changed"] == {"red_ant_reward": "miss"}


def test_chenille_is_measured_by_its_sides_wins(capsys):
    # Five players are two sides; a side's mean is its share of wins, score what it has on the table.
    code, out, _ = simulate(capsys, "chenille", "--players", "5", "--games", "20", "--format", "json")
    document = json.loads(out)
    assert code == 0
    assert document["players"] == 5
    assert [seat["mean"] for seat in document["seats"]] == [seat["win"] for seat in document["seats"]]
    assert sum(seat["mean"] for seat in document["seats"]) == pytest.approx(1.0)


def test_csv_and_table_show_each_seat(capsys):
    _, out, _ = simulate(capsys, "butterfly", "--games", "4", "--players", "3", "--format", "csv")
    heading, *rows = out.splitlines()
    assert heading.startswith("seat,policy,mean,sd,se,5,25,50,75,95,win,")
    assert [row.split(",")[0] for row in rows] == ["0", "1", "2"]
    _, out, _ = simulate(capsys, "butterfly", "--games", "4", "--players", "3")
    assert "butterfly, 3 players: 4 games by random" in out
    assert "assumed:" in out


def test_files(capsys, tmp_path):
    folder = tmp_path / "run"
    code, out, _ = simulate(
        capsys, "feuilles", "--players", "2", "--games", "6", "--out", str(folder), "--format", "json"
    )
    assert code == 0
    summary = json.loads((folder / "summary.json").read_text())
    (block,) = (folder / "blocks").iterdir()
    assert summary["files"] == ["run.json", f"blocks/{block.name}", "seats.csv", "summary.json"]
    assert sorted(file.name for file in folder.iterdir()) == [
        "blocks",
        "run.json",
        "seats.csv",
        "summary.json",
    ]
    assert json.loads(out)["seats"] == summary["seats"]
    episodes = pl.read_parquet(block)
    assert episodes.height == 12
    assert episodes.filter(pl.col("seat") == 1)["score"].mean() == pytest.approx(summary["seats"][1]["mean"])


def test_a_folder_of_ours_is_replaced_and_any_other_refused(capsys, tmp_path):
    ours, other = str(tmp_path / "ours"), tmp_path / "other"
    assert simulate(capsys, "feuilles", "--games", "2", "--out", ours)[0] == 0
    assert simulate(capsys, "feuilles", "--games", "3", "--out", ours)[0] == 0
    assert json.loads((tmp_path / "ours" / "summary.json").read_text())["games"] == 3
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    code, out, err = simulate(capsys, "feuilles", "--games", "2", "--out", str(other))
    assert (code, out) == (1, "")
    assert "expected a new or empty folder" in err
    assert [file.name for file in other.iterdir()] == ["mine.txt"]


def test_precision_reached_and_not(capsys):
    # 61 Feuilles by random: sd about 6.2; at 1,100 games a confidence sequence is +-4 standard errors: 0.8.
    code, out, err = simulate(capsys, "feuilles", "--precision", "1.5", "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["half_width"] < 1.5
    code, out, err = simulate(capsys, "feuilles", "--precision", "0.1", "--games", "1100", "--format", "json")
    assert code == 3
    assert json.loads(out)["games"] == 1100
    assert "expected a half-width below 0.1, got 0." in err
    assert "after 1,100 games" in err


WRONG = [
    (["butterflyy"], 2, "nearest: butterfly"),
    ([], 2, "expected GAME, got nothing"),
    (["butterfly", "--players", "9"], 2, "--players: expected 2 to 5 players, got 9"),
    (["butterfly", "--players", "-1"], 2, "--players"),
    (["butterfly", "--players", "two"], 2, "--players"),
    (["butterfly", "--games", "0"], 2, "--games"),
    (["butterfly", "--games", "1000000000001"], 2, "--games"),
    (["butterfly", "--precision", "nan"], 2, "expected a finite number, got nan"),
    (["butterfly", "--precision", "inf"], 2, "expected a finite number, got inf"),
    (["butterfly", "--precision", "0"], 2, "--precision"),
    (["butterfly", "--policies", "greddy"], 2, "nearest: greedy), got 'greddy'"),
    (["butterfly", "--policies", ""], 2, "--policies: expected one of"),
    (["butterfly", "--policies", "random,random,random"], 2, "expected 1 or 2 policies, got 3"),
    (
        ["chenille", "--players", "3", "--policies", "random,random,random"],
        2,
        "expected 1 or 2 policies, got 3",
    ),
    (["feuilles", "--policies", "random,random"], 2, "expected 1 policy, got 2"),
    (["butterfly", "--mode", "hiver"], 2, "--mode: expected no mode"),
    (["cigale", "--mode", "ete"], 2, "expected one of automne, hiver, got 'ete'"),
    (["cigale", "--set", "antz=3"], 2, "nearest: ants"),
    (["cigale", "--set", "ants"], 2, "--set: expected KEY=VALUE"),
    (["cigale", "--chain-rule", "path", "--set", "chain_rule=path"], 2, "got both"),
    (["cigale", "--rules", "none.toml"], 2, "none.toml: expected a readable file"),
    (["butterfly", "--jobs", "0"], 2, "--jobs"),
    (["butterfly", "--seed", "-1"], 2, "--seed"),
    (["butterfly", "--engine", "ray"], 2, "--engine"),
    (["butterfly", "--scheduler", "127.0.0.1:8786"], 2, "expected --engine dask beside it"),
    (["butterfly", "--resume"], 2, "--resume: expected --out DIR beside it, got none"),
    (["butterfly", "--shared"], 2, "--shared: expected --out DIR beside it, got none"),
    (["butterfly", "--keep", "counts"], 2, "--keep counts: expected --out DIR beside it, got none"),
    (["butterfly", "--keep", "all"], 2, "--keep: expected one of"),
    (["butterfly", "--block", "0"], 2, "--block"),
    (["butterfly", "--out", ""], 2, "--out: expected a folder or -, got ''"),
]


@pytest.mark.parametrize(
    ("arguments", "expected", "message"),
    WRONG,
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_input_is_one_line(capsys, arguments, expected, message):
    code, out, err = simulate(capsys, *arguments)
    assert (code, out) == (expected, "")
    assert len(err.splitlines()) == 1
    assert err.startswith("error: ")
    assert message in err


def test_an_interrupted_run_prints_its_finished_blocks(capsys, monkeypatch, tmp_path):
    played = simulation._played

    def two_blocks(*arguments):
        blocks = played(*arguments)
        yield next(blocks)
        yield next(blocks)
        raise KeyboardInterrupt

    arguments = ("feuilles", "--block", "500", "--format", "json")
    whole = json.loads(simulate(capsys, *arguments, "--games", "1000")[1])
    monkeypatch.setattr(simulation, "_played", two_blocks)
    code, printed, err = simulate(capsys, *arguments, "--games", "5000")
    assert (code, err) == (130, "error: interrupted after 1,000 games, which were printed\n")
    document = json.loads(printed)
    assert [seat["mean"] for seat in document["seats"]] == [seat["mean"] for seat in whole["seats"]]
    assert document["intervals"] == "at any time"


def test_an_interrupt_before_the_first_block_is_told(capsys, monkeypatch):
    def nothing(*arguments):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(simulation, "_played", nothing)
    code, out, err = simulate(capsys, "feuilles", "--games", "5000")
    assert (code, out) == (130, "")
    assert err == "error: interrupted after 0 games; nothing was written\n"


def test_a_finished_run_is_not_replaced_in_silence(tmp_path, capsys):
    out = str(tmp_path / "run")
    assert run(["simulate", "feuilles", "--games", "30", "--out", out]) == 0
    assert "replaced" not in capsys.readouterr().err
    assert run(["simulate", "feuilles", "--games", "20", "--seed", "3", "--out", out]) == 0
    assert f"note: the finished run in {out} is replaced (games: 30)" in capsys.readouterr().err


def test_an_interrupt_before_the_first_game_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("fable_solve.solver.rollout.setup", interrupted)
    out = str(tmp_path / "run")
    assert run(["simulate", "feuilles", "--out", out]) == 130
    assert f"what {out} held is there, --resume goes on from it" in capsys.readouterr().err
    assert run(["simulate", "feuilles"]) == 130
    assert capsys.readouterr().err == "error: interrupted before the first game\n"
