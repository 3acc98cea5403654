"""Results as JSON and CSV text: full precision, the same bytes for the same result."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any

from fable_solve.reports.cells import plain
from fable_solve.solver.result import Result

PROGRAM = "fable-solve"
"""The distribution's name, by which a ``summary.json`` is recognised as ours."""

FINDING_COLUMNS = ("name", "value", "unit", "certificate", "low", "high", "n", "tolerance")


def package_version() -> str:
    return version(PROGRAM)


def study_document(result: Result, files: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON document of a study: what was asked, headline numbers and tables, the data they rest on."""
    return {
        "game": result.game,
        "mode": result.mode,
        "players": list(result.players),
        "objective": result.objective,
        "seed": result.seed,
        "program": PROGRAM,
        "version": package_version(),
        "rules": result.rules,
        "title": result.title,
        "question": result.question,
        "summary": list(result.summary),
        "results": [finding.document() for finding in result.findings],
        "tables": {table.name: table.frame.to_dicts() for table in result.tables if table.headline},
        "assumptions": [{"key": key, "effect": effect} for key, effect in result.assumptions],
        "parameters": result.parameters,
        "command": result.command,
        "files": list(files),
    }


def json_text(document: Any, *, ascii_only: bool = False) -> str:
    """``document`` as indented JSON; numbers that are not finite become null."""
    return json.dumps(plain(document), indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n"


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Comma-separated text with a heading line; lists are written as JSON, truth values as true, false."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_cell(plain(value)) for value in row] for row in rows)
    return stream.getvalue()


def _csv_cell(value: Any) -> Any:
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False)
    return value


def finding_rows(result: Result) -> list[tuple[Any, ...]]:
    """One row of ``FINDING_COLUMNS`` for each headline number."""
    return [
        (finding.name, finding.value, finding.unit, sure.kind, sure.low, sure.high, sure.n, sure.tolerance)
        for finding in result.findings
        for sure in [finding.certificate]
    ]
