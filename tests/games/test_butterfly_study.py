"""The study of Butterfly: its tables, findings and certificates, and that it repeats."""

from __future__ import annotations

import pytest

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.butterfly import studies
from fable_solve.solver.registry import get
from fable_solve.solver.result import Result
from fable_solve.solver.rollout import setup, simulate
from fable_solve.solver.rules import Layer, load_rules
from fable_solve.solver.study import Request


def study(
    players: tuple[int, ...] = (2,), objective: str | None = None, games: int = 12, **rules: object
) -> Result:
    data = load_rules("butterfly", [Layer("test", rules)])
    return studies.run(Request(data, None, players, objective, 4, {"games": games}))


def test_every_cell_is_played_and_shown() -> None:
    """2 policies x 3 layouts x (2 + 3) seats; every table, chart and section refers to what there is."""
    result = study((2, 3))
    tables = {table.name: table.frame for table in result.tables}
    assert tables["scores"].height == 2 * 3 * (2 + 3)
    assert tables["lengths"].height == 2 * 3 * 2
    shares = tables["scores"].group_by("players", "policy", "nets").sum()["win"].to_list()
    assert shares == pytest.approx([1.0] * 12)  # the shares of a game sum to 1
    names = {item.name for item in (*result.tables, *result.charts)}
    shown = {name for section in result.sections for name in section.show}
    assert shown == names - {"distribution"}
    assert len(result.findings) == 2 * 2 * 2 + 2 * 2 * 2
    assert all(finding.certificate.kind == "sampled" for finding in result.findings)
    assert all(f.certificate.low <= f.value <= f.certificate.high for f in result.findings)
    assert result.rules["assumed"] == ["nets"] and result.assumptions[0][0] == "nets"


def test_the_numbers_are_those_of_the_simulation() -> None:
    """The greedy cell is the run that ``simulate`` makes with the same seed."""
    table = next(table for table in study().tables if table.name == "scores").frame
    run = simulate(setup(get("butterfly"), 2, ["greedy"], load_rules("butterfly"), seed=4), 12)
    own = run.episodes.filter(run.episodes["seat"] == 1)["score"].mean()
    row = table.filter((table["policy"] == "greedy") & (table["nets"] == "four") & (table["seat"] == 1))
    assert row["mean"].item() == pytest.approx(own)


def test_it_repeats_and_objectives_choose_the_headline() -> None:
    first, again = study(), study()
    assert first.findings == again.findings
    assert study(objective="margin").findings[0].name == "margin of seat 0 (2 players, all random)"
    assert study(objective="score").findings[0].name == "score of seat 0 (2 players, all random)"
    with pytest.raises(BadInput, match="--players: expected 2 players with the margin, got 2, 3"):
        study((2, 3), "margin")


def test_nets_as_given_are_compared_with_every_layout() -> None:
    table = next(t for t in study(games=3, nets=[[0, 0]]).tables if t.name == "lengths").frame
    assert table["nets"].unique(maintain_order=True).to_list() == ["as given", "none", "four", "eight"]
