"""What the commands print, and where."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from fable_solve.reports.cells import show_column
from fable_solve.reports.terminal import MAX_ROWS, WIDTH, print_answer, print_result
from fable_solve.solver.result import Answer, Result

ANSWER = Answer(
    document={"game": "cigale", "value": 2 / 3, "cells": [[0, 1], [1, 1]]},
    columns=("chain", "value"),
    rows=[("(0,1) (1,1)", 2 / 3), ("(0,0) (0,1)", None)],
    title="Best chains",
    notes=("objective points by default",),
    footer=("Lay the first.",),
)


def test_answer_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(ANSWER, "table")
    out, err = capsys.readouterr()
    assert [line.split() for line in out.splitlines() if "─" not in line] == [
        ["Best", "chains"],
        ["chain", "value"],
        ["(0,1)", "(1,1)", "0.6667"],
        ["(0,0)", "(0,1)", "–"],
        ["Lay", "the", "first."],
    ]
    assert err == "note: objective points by default\n"


def test_answer_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(ANSWER, "json")
    out = capsys.readouterr().out
    assert json.loads(out) == ANSWER.document
    assert list(json.loads(out)) == ["game", "value", "cells"]
    assert out.startswith('{\n  "game"') and out.endswith("}\n")


def test_answer_as_csv_reads_back(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(ANSWER, "csv")
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert rows[0] == ["chain", "value"]
    assert float(rows[1][1]) == 2 / 3
    assert rows[2] == ["(0,0) (0,1)", ""]


def test_no_rows_and_no_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_answer(Answer({}, ("chain", "value"), []), "table")
    assert "chain" in capsys.readouterr().out
    print_answer(Answer({}, (), [], footer=("Nothing to do.",)), "table")
    assert capsys.readouterr().out == "Nothing to do.\n"


@pytest.mark.parametrize("columns", [1, 2, 9, 30])
@pytest.mark.parametrize("length", [1, 12, 60, 300])
def test_every_cell_is_shown_whole(columns: int, length: int, capsys: pytest.CaptureFixture[str]) -> None:
    names = tuple(f"column_{at}" for at in range(columns))
    row = tuple(chr(ord("a") + at % 26) * length for at in range(columns))
    print_answer(Answer({}, names, [row, tuple(range(10**9, 10**9 + columns))]), "table")
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= WIDTH
    for at, text in enumerate(row[1:26], 1):
        assert out.count(text[0]) >= length, f"column {at} lost letters"
    assert all(f"{10**9 + at:,}" in out for at in range(columns))


@pytest.mark.parametrize("seed", range(40))
def test_headings_and_numbers_of_any_table_are_whole(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    random = Random(seed)
    names = tuple(
        "_".join("h" * random.randint(1, 12) for _ in range(random.randint(1, 4)))
        for _ in range(random.randint(1, 20))
    )
    scales = [10.0 ** random.randint(-3, 7) for _ in names]
    rows = [tuple(random.uniform(1, 9) * scale for scale in scales) for _ in range(4)]
    print_answer(Answer({}, ("seat", *names), [("x", *row) for row in rows]), "table")
    out = capsys.readouterr().out
    words = Counter(out.split())
    assert max(map(len, out.splitlines())) <= WIDTH
    wanted = Counter(word for name in names for word in name.split("_"))
    for at in range(len(names)):
        wanted.update(show_column([row[at] for row in rows]))
    # Nothing but the repeated first column, its heading and the rules stands beside what was asked for.
    assert {word: n for word, n in words.items() if word.strip("─") not in ("", "x", "seat")} == wanted


def test_study_says_the_answer_first(result: Result, capsys: pytest.CaptureFixture[str]) -> None:
    print_result(result, "table", ("report.html",), "folder/")
    out, err = capsys.readouterr()
    order = [result.question, result.summary[0], "Headline numbers", "0.6667", "The example square"]
    places = [out.index(text) for text in [*order, "Shapes by value", "insect_points", "chain_rule"]]
    assert places == sorted(places)
    assert "sampled, 0.5171 to 0.5255, n = 54,321" in out
    assert "Stored only" not in out
    assert f"{250 - MAX_ROWS} more rows in tables/many.csv" in out
    assert err == "report: folder/report.html\n"


def test_marked_squares_show_without_colour(result: Result, capsys: pytest.CaptureFixture[str]) -> None:
    print_result(result, "table")
    out, err = capsys.readouterr()
    # The top row of the example: three marked cards, one left alone; the hole is a dot.
    assert " 0 [Y ] [Ba] [N ]  R" in out
    assert " 2 [Y ] [B ]  ·    R" in out
    assert "\x1b" not in out and err == ""


def test_colour_on_a_terminal_only(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "72")
    monkeypatch.setattr(sys, "stdout", Terminal())
    print_result(result, "table")
    assert isinstance(sys.stdout, Terminal)
    text = sys.stdout.getvalue()
    assert "\x1b[" in text and "[Ba]" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert max(map(len, plain.splitlines())) <= 72


def test_study_as_json(result: Result, capsys: pytest.CaptureFixture[str]) -> None:
    print_result(result, "json", ("report.html", "summary.json"), "folder")
    document = json.loads(capsys.readouterr().out)
    wanted = {"game", "mode", "players", "objective", "seed", "version", "rules", "results", "files"}
    assert wanted <= set(document)
    assert set(document["rules"]) == {"digest", "assumed", "changed"}
    assert document["files"] == ["report.html", "summary.json"]
    assert document["results"][1]["certificate"] == {
        "kind": "sampled",
        "low": 0.5171,
        "high": 0.5255,
        "n": 54321,
    }
    assert document["results"][0]["value"] == 2 / 3


def test_study_as_csv(result: Result, capsys: pytest.CaptureFixture[str]) -> None:
    print_result(result, "csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert list(rows[0]) == ["name", "value", "unit", "certificate", "low", "high", "n", "tolerance"]
    assert [row["certificate"] for row in rows] == ["exact", "sampled", "bracket", "exact"]
    assert float(rows[0]["value"]) == 2 / 3 and rows[0]["low"] == ""


def test_stdout_that_lacks_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    for output in ("table", "json", "csv"):
        stream = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stream, encoding="ascii"))
        print_answer(Answer({"name": "Été"}, ("name",), [("Été",), (None,)]), output)
        sys.stdout.flush()
        assert stream.getvalue().isascii()
        if output == "json":
            assert json.loads(stream.getvalue()) == {"name": "Été"}


def test_importing_the_printer_is_light() -> None:
    code = "import sys, fable_solve.reports.terminal; print(sorted(sys.modules))"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = ("matplotlib", "polars", "numpy", "rich", "jinja2", "numba", "scipy")
    assert not [name for name in heavy if f"'{name}'" in modules]
