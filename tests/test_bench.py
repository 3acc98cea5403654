"""``bench`` runs every kernel and says what the contract asks for; no number of it is judged."""

from __future__ import annotations

import json

import pytest

from fable_solve.cli.main import run


def test_rows_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--seconds", "0.01", "--jobs", "2", "--format", "json"]) == 0
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    names = {kernel["name"] for kernel in kernels}
    expected = {"cigale.squares", "cigale.automne.random.2", "butterfly.random.2", "butterfly.greedy.2"}
    assert {*expected, "feuilles.random.1", "cigale.hiver.stage.2"} <= names
    for kernel in kernels:
        assert {"name", "per_second", "cores", "unit"} <= set(kernel)
        assert kernel["per_second"] > 0
    assert names == {kernel["name"] for kernel in kernels if kernel["cores"] == 1}
    assert {kernel["cores"] for kernel in kernels} == {1, 2}


def test_other_numbers_of_players_are_timed_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bench", "--seconds", "0.01", "--jobs", "1", "--only", "feuilles.random.4", "--format"]
    assert run([*arguments, "json"]) == 0
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    assert [(kernel["name"], kernel["cores"]) for kernel in kernels] == [("feuilles.random.4", 1)]
    assert run([*arguments, "csv", "--starts"]) == 0
    out, err = capsys.readouterr()
    assert "first_start_seconds,warm_start_seconds" in out
    assert [line.split(": ")[-1] for line in err.splitlines()[-2:]] == [
        "first start in a new process ...",
        "warm start in a new process ...",
    ]


def test_an_unknown_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--only", "nothing"]) == 2
    assert "--only: expected part of one of" in capsys.readouterr().err
