"""Every position format is written back: what ``score --format json`` prints reads as the same position."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fable_solve.cli.main import run
from fable_solve.solver.positions import read_position

CASES = sorted((Path(__file__).parent / "cases").glob("*.toml"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_round_trip(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["score", str(path), "--format", "json"]) == 0
    written = tmp_path / "again.json"
    document = json.loads(capsys.readouterr().out)["position"]
    written.write_text(json.dumps(document))
    before, after = read_position(str(path)), read_position(str(written))
    assert after.state == before.state
    assert after.rules.values == before.rules.values
    assert run(["score", str(written), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["position"] == document
