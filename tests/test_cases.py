"""Positions with values computed by independent programs, run through the command line as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fable_solve.cli.main import fable_solve

CASES = Path(__file__).parent / "cases"
EXPECTED: dict[str, list[dict[str, Any]]] = json.loads((CASES / "expected.json").read_text())
CHECKS = [
    pytest.param(name, check, id=f"{name}-{' '.join(check['args'])}-{check['key']}")
    for name, checks in EXPECTED.items()
    for check in checks
]


def at(document: Any, key: str) -> Any:
    """The entry at a dotted key; numbers index lists."""
    for part in key.split("."):
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


@pytest.mark.parametrize(("name", "check"), CHECKS)
def test_case(name: str, check: dict[str, Any]) -> None:
    command, *options = check["args"]
    arguments = [command, str(CASES / f"{name}.toml"), *options, "--format", "json"]
    result = CliRunner().invoke(fable_solve, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    value = at(json.loads(result.stdout), check["key"])
    if check["value"] is not None:
        assert value == pytest.approx(check["value"], abs=check["tol"], rel=0)
