"""A study's result as ``report.json`` beside its tables, so that it can be shown again in another form."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from math import nan
from pathlib import Path
from typing import Any

from fable_solve.reports.documents import PROGRAM, json_text, package_version
from fable_solve.solver.errors import Refused
from fable_solve.solver.result import (
    Board,
    Certificate,
    Chart,
    Explorer,
    Finding,
    Result,
    Section,
    Series,
    Table,
)

ARCHIVE = "report.json"


def dump(result: Result) -> bytes:
    """Everything of ``result`` but the content of its tables, which have files of their own."""
    tables = [asdict(replace(table, frame=table.frame.clear())) | {"frame": None} for table in result.tables]
    document = asdict(replace(result, tables=())) | {"tables": tables}
    return json_text({"program": PROGRAM, "version": package_version(), "result": document}).encode()


def load(folder: Path) -> Result:
    """The result of the study whose report lies in ``folder``.

    Raises :class:`Refused` where there is none, or one that was damaged or made by another version.
    """
    import polars as pl

    path = folder / ARCHIVE
    if folder.is_dir() and not path.exists():
        raise Refused(f"{folder}: expected the folder of a report, got one without {ARCHIVE}")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["program"] != PROGRAM or document["version"] != package_version():
            made = f"{document['program']} {document['version']}"
            raise Refused(f"{path}: expected a report of {PROGRAM} {package_version()}, got one of {made}")
        return _result(document["result"], folder)
    except OSError as error:
        raise Refused(f"{folder}: expected the folder of a report, got: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, RecursionError, pl.exceptions.PolarsError) as error:
        raise Refused(f"{path}: expected the report of a study, got a damaged one") from error


def _result(document: dict[str, Any], folder: Path) -> Result:
    import polars as pl

    read = {key: _frozen(value) for key, value in document.items()}
    made: dict[str, list[Any]] = {
        "findings": [Finding(**_with(item, certificate=Certificate)) for item in read["findings"]],
        "tables": [
            Table(**item | {"frame": pl.read_parquet(folder / "tables" / f"{item['name']}.parquet")})
            for item in read["tables"]
        ],
        "charts": [_chart(item) for item in read["charts"]],
        "explorers": [Explorer(**item) for item in read["explorers"]],
        "boards": [Board(**item) for item in read["boards"]],
        "sections": [Section(**item) for item in read["sections"]],
    }
    return Result(**read | {key: tuple(items) for key, items in made.items()})


def _with(item: dict[str, Any], **classes: type) -> dict[str, Any]:
    return item | {key: made(**item[key]) for key, made in classes.items()}


def _chart(item: dict[str, Any]) -> Chart:
    """A chart; its gaps, which JSON has no number for, are ``nan`` again."""
    series = tuple(Series(**one | {"y": _filled(one["y"])}) for one in item["series"])
    return Chart(**item | {"series": series, "cells": tuple(map(_filled, item["cells"]))})


def _filled(values: tuple[float | None, ...]) -> tuple[float, ...]:
    return tuple(nan if value is None else value for value in values)


def _frozen(value: Any) -> Any:
    """Lists as tuples, at every depth."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value
