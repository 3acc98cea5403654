"""``bench`` runs every kernel and says what the contract asks for; no number of it is judged."""

from __future__ import annotations

import json

import pytest

from fable_solve.cli.main import run


def test_rows_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--seconds", "0.01", "--format", "json"]) == 0
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    names = {kernel["name"] for kernel in kernels}
    expected = {"cigale.squares", "cigale.automne.random.2", "butterfly.random.2", "butterfly.greedy.2"}
    assert {*expected, "feuilles.random.1", "cigale.hiver.stage.2"} <= names
    for kernel in kernels:
        assert {"name", "per_second", "cores", "unit"} <= set(kernel)
        assert kernel["cores"] == 1 and kernel["per_second"] > 0


def test_an_unknown_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--only", "nothing"]) == 2
    assert "--only: expected part of one of" in capsys.readouterr().err
