"""balance, tournament and tune as commands: the same bytes for any workers, files, errors, Ctrl-C."""

import json
import re
from pathlib import Path

import click
import polars as pl
import pytest

from fable_solve.cli import studied
from fable_solve.cli.main import run
from fable_solve.solver.errors import ExitCode

QUICK = {
    "balance": ["balance", "feuilles", "--players", "1-2", "--games", "100", "--pairs", "50", "--watch", "2"],
    "reading": ["balance", "butterfly", "--players", "2", "--games", "100", "--pairs", "50", "--watch", "2",
                "--reading", "nets=none"],
    "against": ["balance", "butterfly", "--players", "2", "--games", "100", "--pairs", "50",
                "--against", "nets=none"],
    "tournament": ["tournament", "chenille", "--games", "1024"],
    "tune": ["tune", "chenille", "--param", "captures_to_win=4,8", "--target", "0.5", "--games", "1500"],
}  # fmt: skip


def printed(capsys, arguments):
    assert run(arguments) == ExitCode.DONE, capsys.readouterr().err
    return capsys.readouterr().out


@pytest.mark.parametrize("name", QUICK)
def test_the_same_bytes_for_any_workers(capsys, name):
    outputs = {printed(capsys, [*QUICK[name], "--out", "-", "--jobs", jobs]) for jobs in ("1", "2")}
    assert len(outputs) == 1


@pytest.mark.parametrize("name", QUICK)
def test_json_and_files(capsys, tmp_path, name):
    folder = tmp_path / "study"
    document = json.loads(printed(capsys, [*QUICK[name], "--out", str(folder), "--format", "json"]))
    assert {"game", "mode", "players", "objective", "seed", "version", "rules", "results", "files"} <= set(
        document
    )
    assert all(result["certificate"]["kind"] == "sampled" for result in document["results"])
    assert document["results"]
    for file in document["files"]:
        assert (folder / file).is_file()
    assert (folder / "report.html").is_file()
    # The command that is told gives the same numbers again.
    command = document["command"].split()
    assert command[0] == "fable-solve"
    again = json.loads(printed(capsys, [*command[1:], "--out", "-", "--format", "json"]))
    assert again["results"] == document["results"]


def test_json_has_what_the_tables_show(capsys):
    tables = json.loads(printed(capsys, [*QUICK["balance"], "--out", "-", "--format", "json"]))["tables"]
    shares = [row["win"] for row in tables["seats"] if row["cell"] == "feuilles 2 greedy"]
    assert sum(shares) == pytest.approx(1)
    assert {row["ending"] for row in tables["endings"]} <= {"leaf total", "last round"}


def test_readings_are_cells_beside_the_rules_as_given(capsys, tmp_path):
    def study(name, *words):
        quick = ["--players", "1-2", "--games", "50", "--pairs", "0", "--watch", "0", "--format", "json"]
        out = ["--out", str(tmp_path / name)]
        return json.loads(printed(capsys, ["balance", "feuilles", *words, *quick, *out]))

    both = study("both", "--reading", "leaf_bonus=exact,reach")
    alone, given = study("alone", "--set", "leaf_bonus=reach"), study("given")
    cells = [row["cell"] for row in given["tables"]["balance"]]
    read = [f"{cell} leaf_bonus=reach" for cell in cells]
    rows = both["tables"]["seats"]
    # exact is what ships: no second cell of it
    assert [row["cell"] for row in both["tables"]["balance"]] == cells + read
    assert [row["score"] for row in rows] == [
        row["score"] for row in [*given["tables"]["seats"], *alone["tables"]["seats"]]
    ]
    told = pl.read_parquet(tmp_path / "both" / "tables" / "cells.parquet")["reading"]
    assert told.to_list() == [None] * 4 + ["leaf_bonus=reach"] * 4


def test_the_report_goes_where_studies_go(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed(capsys, QUICK["tune"])
    assert Path("fable-report/tune/summary.json").is_file()


def test_policies_that_think_long_are_played_as_often_as_asked_in_all(capsys):
    arguments = ["balance", "butterfly", "--players", "2", "--policies", "search@20", "--games", "6"]
    document = json.loads(printed(capsys, [*arguments, "--out", "-", "--format", "json"]))
    assert {row["alone"] for row in document["tables"]["luck"]}  # of 6 pairs, not of 20,000
    assert [row["games"] for row in document["tables"]["course"]] == [6]
    assert document["results"][0]["certificate"]["n"] == 6


@pytest.mark.parametrize("name", QUICK)
def test_markdown_links_figures_that_are_there_alone(capsys, tmp_path, name):
    printed_only = printed(capsys, [*QUICK[name], "--out", "-", "--format", "md"])
    assert "](" not in printed_only  # no link where nothing is written: what the figure shows is told
    folder = tmp_path / "study"
    linked = printed(capsys, [*QUICK[name], "--out", str(folder), "--format", "md"])
    links = re.findall(r"]\((.*?)\)", linked)
    assert links and all(Path(link).is_file() for link in links)
    for alt in re.findall(r"!\[(.*)\]\(", linked):
        assert f": {alt}\n" in printed_only


STOPPED = {
    # By turn_limit = 1 every game is stopped after its first turn (rules of chenille): all of them.
    "balance": (["balance", "chenille", "--policies", "random", "--games", "40", "--pairs", "0",
                 "--watch", "0", "--set", "turn_limit=1"], "40 of 40 games of chenille random."),
    "against": (["balance", "chenille", "--policies", "random", "--games", "40", "--pairs", "0",
                 "--against", "turn_limit=1"], "40 of 80 games of chenille random."),
    "tune": (["tune", "chenille", "--param", "turn_limit=1,9999", "--target", "0.5", "--games", "1024"],
             "1,024 of 1,024 games of turn_limit=1."),
    "tournament": (["tournament", "chenille", "--policies", "random,greedy", "--games", "1024",
                    "--set", "turn_limit=1"], "4,096 of 4,096 games of chenille."),
}  # fmt: skip


@pytest.mark.parametrize("name", STOPPED)
def test_games_that_were_stopped_are_told_first(capsys, name):
    arguments, told = STOPPED[name]
    head = printed(capsys, [*arguments, "--out", "-"]).split("Headline numbers")[0]
    assert f"Stopped before their end: {told}" in " ".join(head.split())
    whole = [word for word in arguments if word != "turn_limit=1"][: len(arguments)]
    if name == "balance":
        assert "Stopped" not in printed(capsys, [*whole[:-1], "--out", "-"])


@pytest.mark.parametrize("name", ["balance", "against", "tune", "tournament"])
def test_rule_data_by_which_nothing_is_played_is_warned_of(capsys, name):
    # Sixteen ants that touch only in a row do not lie on 4 x 4 squares (test_rollout: no decision)
    settings = ["--set", "ants=16", "--set", "chain_rule=strict", "--mode", "automne"]
    small = ["--games", "4", "--pairs", "0", "--policies", "random"]
    arguments = {
        "balance": ["balance", "cigale", "--players", "2", *small, "--watch", "0", *settings],
        "against": ["balance", "cigale", "--players", "2", *small, "--against", "ants=16",
                    "--mode", "automne", "--set", "chain_rule=strict"],
        "tune": ["tune", "cigale", "--param", "shelves_to_end=1", "--target", "0.5", "--games", "1024",
                 *settings],
        "tournament": ["tournament", "cigale", "--policies", "random,greedy", "--games", "1024", *settings],
    }[name]  # fmt: skip
    assert run([*arguments, "--out", "-"]) == 0
    assert capsys.readouterr().err.count("warning: by this rule data a game is over before") == 1
    assert run([*arguments, "--out", "-", "--lang", "fr"]) == 0
    assert "attention\u00a0: avec ces données" in capsys.readouterr().err


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("target", ["1e-300", "1e9", "-1e9", "-0.0"])
def test_far_targets_are_compared_without_overflow(capsys, target):
    arguments = [
        "tune",
        "chenille",
        "--param",
        "captures_to_win=4,8",
        "--games",
        "1024",
        "--metric",
        "length",
    ]
    printed(capsys, [*arguments, f"--target={target}", "--out", "-"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["balance", "chess"], "error: GAME: expected one of "),
        (["balance", "butterfly", "--players", "1"], "error: balance: --players: expected 2 to 5 (as"),
        (["balance", "--players", "1"], "error: --players: expected 2 to 5 players (butterfly), got 1"),
        (["balance", "--set", "ants=5"], "error: balance: --set: expected one GAME beside it, got 4"),
        (["balance", "cigale", "butterfly", "--against", "ants=5"],
         "error: balance: --against: expected one GAME beside it, got 2"),
        (["balance", "cigale", "--against", "ant=5"], "error: --against: ant: expected a known key"),
        (["balance", "cigale", "--against", "ants"], "error: --against: expected KEY=VALUE, got"),
        (["balance", "cigale", "--reading", "ants"], "error: --reading: expected KEY=V1,V2,..., got 'ants'"),
        (["balance", "cigale", "--reading", "chain_rule=path,bent"],
         "error: --reading: chain_rule: expected 'touching', 'connected', 'path' or 'strict', got 'bent'"),
        (["tournament", "butterfly", "cigale"],
         "error: tournament: expected no further argument, got cigale"),
        (["tournament", "butterfly", "--policies", "random,random"],
         "error: --policies: expected at least two different policies, got random"),
        (["tune", "cigale", "--param", "chain_rule=path", "--chain-rule", "strict", "--target", "0.5"],
         "error: tune: --param: expected no key that is set already, got chain_rule"),
        (["tune", "chenille", "--param", "deck.envol=0,1", "--set", "deck.envol=2", "--target", "0.5"],
         "error: tune: --param: expected no key that is set already, got deck.envol"),
        (["balance", "--reading", "ants=5"], "error: balance: --reading: expected one GAME beside it, got 4"),
        (["balance", "cigale", "--policies", "random,best"], "error: --policies: expected one of random"),
        # A value that fits what ships nowhere: 16 squares (4 x 4) hold no 17 ants, a deck of 12 cards has 6
        # favourable ones (the data file), so 6 others leave an offer of one card without
        (["balance", "cigale", "--against", "ants=17"],
         "error: --against: ants: expected a value that fits the others (board: at least 17 squares (one an "
         "ant), not 16), got 17"),
        (["tune", "cigale", "--param", "shelves_to_end=1,2", "--param", "ants=17,5", "--target", "0.5"],
         "error: --param: ants: expected a value that fits"),
        (["tune", "chenille", "--param", "offer_size=1,3", "--target", "0.5"],
         "error: --param: offer_size: expected a value that fits the others (deck: at least 1 favourable"),
        (["tune", "cigale", "--param", "path_cards.B=0,3", "--target", "0.5"],
         "error: --param: path_cards: expected a value that fits the others (insect_cards: at most 0"),
        (["balance", "butterfly", "--mode", "hiver"], "error: --mode: expected no mode"),
        (["balance", "butterfly", "--pairs", "1"], "error: balance: --pairs: expected 0 or at least 2"),
        (["balance", "butterfly", "--out", ""], "error: balance: --out: expected a folder or -, got ''"),
        (["tournament", "butterfly", "--policies", "random"], "error: --policies: expected at least two"),
        (["tournament", "feuilles", "--players", "1"], "error: --players: expected 2 to 12 players, got 1"),
        (["tournament", "feuilles", "--players", "13"], "error: --players: expected 2 to 12 players, got 13"),
        # a search of 20,000 nodes a move (the game's module) is not played 160,000 times unasked
        *((words, f"error: {words[0]}: --games: expected a number (such as {few}) beside --policies search, "
           "whose games take about 20,000 times as long")
          for words, few in ((["balance", "butterfly", "--policies", "greedy,search"], 200),
                             (["tournament", "butterfly", "--policies", "search,greedy"], 1024),
                             (["tune", "butterfly", "--param", "nets=none,four", "--target", "0.5",
                               "--policies", "search"], 1024))),
        # 9 digits: butterfly's policies; 0 and an empty number are none
        *((["balance", "butterfly", "--policies", f"search@{number}"],
           "error: --policies: expected search@N, N a whole number from 1 to 999999999, got "
           f"'search@{number}'")
          for number in ("0", "", "-1", "1e3", "x", "1000000000")),
        (["tune", "cigale", "--param", "ants=5,6", "--target", "0.5", "--policies", "greedy@5"],
         "error: --policies: expected greedy without a number, got 'greedy@5'"),
        (["tournament", "butterfly", "--players", "9"], "error: --players: expected 2 to 5 players, got 9"),
        (["tune", "chenille", "--param", "deck=1"], "error: tune: expected --target, got nothing"),
        (["tune", "chenille", "--target", "nan", "--param", "x=1"], "error: tune: --target: expected"),
        *((["tune", "chenille", f"--target={target}", "--param", "captures_to_win=4,8", "--metric", "length"],
           "error: tune: --target: expected a")
          for target in ("1e300", "-1e300", "1e308", "-1.1e9", "inf", "-inf", "nan", "x")),
        (["tune", "chenille", "--target", "50", "--param", "captures_to_win=4,8"],
         "error: --target: expected from 0 to 1, as first_seat is a share, got 50"),
        (["tune", "chenille", "--target", "0.5", "--param", "decks=1"], "error: --param: decks: expected"),
        (["tune", "chenille", "--target", "0.5", "--param", "deck.envol=1,-1"], "error: --param: deck.envol"),
        (["tune", "chenille", "--target", "0.5", "--param", "turn_limit=1,2", "--metric", "gap"],
         "error: --metric: expected one of first_seat"),
    ],
)  # fmt: skip
def test_one_line_says_what_is_wrong(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == ExitCode.BAD_INPUT
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message), err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_folder_of_others_is_refused_before_anything_is_played(capsys, tmp_path):
    (tmp_path / "mine").write_text("")
    assert run([*QUICK["tournament"], "--out", str(tmp_path), "--games", "10000000"]) == ExitCode.REFUSED
    assert "expected a new or empty folder" in capsys.readouterr().err


@pytest.mark.parametrize("name", QUICK)
def test_an_interrupt_is_one_line(capsys, tmp_path, monkeypatch, name):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("fable_solve.solver.sampling.play_block", interrupted)
    assert run([*QUICK[name], "--jobs", "1", "--out", str(tmp_path / "study")]) == ExitCode.INTERRUPTED
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "error: interrupted after 0 games; nothing was written\n"
    assert not (tmp_path / "study").exists()


def test_commands_are_told_as_they_were_given():
    @click.command("sample")
    @click.argument("games", nargs=-1)
    @click.option("--set", "settings", multiple=True)
    @click.option("--jobs")
    @click.option("--seed", default=0)
    @click.pass_context
    def command(ctx, **_given):
        ctx.obj.append(studied.reproduced(ctx))

    told = []
    words = ["a", "b", "--set", "x=1", "--set", "y=[1, 2]", "--jobs", "2"]
    command.main(words, prog_name="sample", standalone_mode=False, obj=told)
    assert told == ["fable-solve sample a b --set x=1 --set 'y=[1, 2]'"]


def test_names_between_commas():
    assert studied.names_of("random, greedy,random") == ["random", "greedy"]
