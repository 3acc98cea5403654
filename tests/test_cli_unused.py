"""Options that say nothing beside the others of a command: refused, or told, never taken in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from fable_solve.cli.main import run
from fable_solve.solver import records, registry
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import load_rules

CASES = Path(__file__).parent / "cases"
SOLVED, ROUND = str(CASES / "butterfly-exact-00.toml"), str(CASES / "cigale-round-00.toml")
LARGE = (
    'game = "butterfly"\nnets = []\nhedgehog = {row = 0, col = 0, facing = "E"}\nbag = []\n'
    'board = ["F r1 F r2 F", "F F F F F", "F F F F F", "F F F F F", "F F F F F"]\n'
)
"""25 tiles, one more than are tried to be solved (and more flowers than the game has: nothing is drawn)."""


@pytest.fixture
def large(tmp_path: Path) -> str:
    path = tmp_path / "large.toml"
    path.write_text(LARGE)
    return str(path)


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    """A game of three, which no tree search judges."""
    path = tmp_path / "game.jsonl"
    played = setup(registry.get("butterfly"), 3, ("random",), load_rules("butterfly", []))
    path.write_text("\n".join(records.recorded(played)))
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["advise", ROUND, "--export", "nfg", "--top", "5"], "--top: expected none beside --export nfg"),
        (["advise", ROUND, "--export", "nfg", "--format", "csv"], "--format: expected none beside --export"),
        (["advise", "RECORDED", "--top", "3"], "--top: expected none beside a recorded game"),
        (["balance", "butterfly", "--against", "nets=none", "--watch", "3"],
         "--watch: expected none beside --against, which watches no games"),
        (["balance", "butterfly", "--against", "nets=none", "--reading", "placer=first"],
         "--reading: expected none beside --against, got both"),
        (["report", "DIR", "--title", "Games"], "--title: expected none beside one DIR"),
        (["simulate", "butterfly", "--keep", "episodes"], "--keep episodes: expected --out DIR beside it"),
    ],
)  # fmt: skip
def test_refused(capsys: pytest.CaptureFixture[str], recorded: str, arguments: list[str], line: str) -> None:
    assert run([recorded if word == "RECORDED" else word for word in arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"error: {arguments[0]}: {line}" in err


NODES = "note: --nodes changed nothing: no tree was searched here\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([SOLVED, "--nodes", "10"], True),  # small enough to be solved
        (["LARGE", "--nodes", "10", "--objective", "score"], True),  # a score is that of roll-outs
        (["RECORDED", "--nodes", "10"], True),
        (["LARGE", "--nodes", "10"], False),
        (["LARGE"], False),
        ([SOLVED], False),
    ],
)
def test_nodes_without_a_search_are_told(
    capsys: pytest.CaptureFixture[str], large: str, recorded: str, arguments: list[str], told: bool
) -> None:
    paths = {"LARGE": large, "RECORDED": recorded}
    assert run(["advise", *(paths.get(word, word) for word in arguments)]) == 0
    assert (NODES in capsys.readouterr().err) == told


def test_the_mode_of_rule_data_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "cigale"]) == 0
    plain = capsys.readouterr()
    assert run(["rules", "cigale", "--mode", "hiver"]) == 0
    out, err = capsys.readouterr()
    assert (out, plain.err) == (plain.out, "")
    assert err == "note: --mode changes nothing here: the rule data are those of all modes\n"
