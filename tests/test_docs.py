"""The documentation: links lead somewhere, positions can be read, numbers in it are right."""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from fable_solve.solver.games.cigale.shapes import exact_value
from fable_solve.solver.positions import parse_position

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


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
