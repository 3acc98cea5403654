"""The documentation: links lead somewhere, positions can be read, numbers in it are right."""

from __future__ import annotations

import doctest
import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from fable_solve.cli.main import run
from fable_solve.solver.games.cigale.shapes import exact_value
from fable_solve.solver.positions import parse_position

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", [p for p in PAGES if ">>>" in p.read_text()], ids=lambda page: page.name)
def test_examples(page: Path) -> None:
    assert doctest.testfile(str(page), module_relative=False, encoding="utf-8").failed == 0


def positions() -> list[object]:
    found = []
    for page in PAGES:
        for number, block in enumerate(re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL)):
            if "game =" in block:
                found.append(pytest.param(block, id=f"{page.name}-{number}"))
    return found


@pytest.mark.parametrize("block", positions())
def test_positions_can_be_read(block: str) -> None:
    assert parse_position(tomllib.loads(block), "docs").state is not None


def test_values_of_shapes() -> None:
    text = (ROOT / "docs" / "cigale.md").read_text()
    rows = re.findall(r"^\| ([\d-]+) \| (\d+/\d+) \|", text, re.MULTILINE)
    assert len(rows) == 5
    for shape, value in rows:
        assert exact_value(tuple(map(int, shape.split("-")))) == Fraction(value)


def blocks(page: str, start: str) -> list[str]:
    """Lines of the first code block of ``page`` that contains ``start``, from there on."""
    found = [b for b in re.findall(r"```\w*\n(.*?)```", (ROOT / page).read_text(), re.DOTALL) if start in b]
    return found[0][found[0].index(start) :].splitlines()


def test_the_report_in_the_readme_is_what_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cigale", "--mode", "hiver", "--out", "-"]) == 0
    printed = capsys.readouterr().out
    shown = "\n".join(blocks("README.md", "La Cigale et la Fourmi, hiver"))
    for paragraph in shown.split("\n\n"):
        assert paragraph.rstrip(".").strip() in printed


def test_the_advice_in_the_readme_is_what_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "square.toml"
    path.write_text("\n".join(blocks("README.md", 'game = "cigale"')))
    assert run(["advise", str(path), "--top", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == blocks("README.md", "260 legal chains")
