"""The documentation: links lead somewhere, positions can be read, numbers in it are right."""

from __future__ import annotations

import doctest
import importlib.util
import re
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

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


def regenerate() -> Any:
    spec = importlib.util.spec_from_file_location("regenerate", ROOT / "docs" / "regenerate.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_of_commands_is_what_help_prints() -> None:
    made = regenerate()
    assert made.commands() == made.COMMANDS.read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize(
    "page", [p for p in PAGES if "<!-- run -->" in p.read_text()], ids=lambda page: page.name
)
def test_what_pages_show_is_what_prints(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert regenerate().page(text) == text


@pytest.mark.long
def test_pictures_are_those_of_the_reports() -> None:
    for path, text in regenerate().pictures().items():
        assert path.read_text(encoding="utf-8") == text
