"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import fable_solve.cli
import fable_solve.reports
import fable_solve.seeds
import fable_solve.solver

PACKAGES = (fable_solve.cli, fable_solve.reports, fable_solve.seeds, fable_solve.solver)


def modules() -> list[str]:
    names = []
    for package in PACKAGES:
        names.append(package.__name__)
        names += [found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    return names


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.failed == 0


def test_all_modules_are_walked() -> None:
    files = [path for package in PACKAGES for path in Path(package.__path__[0]).rglob("*.py")]
    assert len(modules()) == len(files)
