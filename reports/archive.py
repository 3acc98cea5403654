"""A study's result as ``report.json`` beside its tables, so that it can be shown again in another form."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from hashlib import blake2b
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
    body = asdict(replace(result, tables=())) | {"tables": tables}
    head = {"program": PROGRAM, "version": package_version(), "digest": _digest(body)}
    return json_text(head | {"result": body}).encode()


def _digest(body: dict[str, Any]) -> str:
    """By which a report that was changed after it was written is known."""
    return blake2b(json_text(body).encode(), digest_size=8).hexdigest()


def load(folder: Path) -> Result:
    """The result of the study whose report lies in ``folder``.

    Raises :class:`Refused` where there is none, or one that was damaged or made by another version.
    """
    path = folder / ARCHIVE
    if folder.is_dir() and not path.is_file():
        raise Refused(f"{folder}: expected the folder of a report, got one without {ARCHIVE}")
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["program"] != PROGRAM or document["version"] != package_version():
            made = f"{document['program']} {document['version']}"
            raise Refused(f"{path}: expected a report of {PROGRAM} {package_version()}, got one of {made}")
        body = document["result"]
        if document["digest"] != _digest(body):
            raise ValueError("changed after it was written")
    except OSError as error:
        raise Refused(f"{folder}: expected the folder of a report, got: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        told = "expected the report of a study, got a damaged one; the study's command makes it again"
        raise Refused(f"{path}: {told}") from error
    return _result(body, folder)


def _result(document: dict[str, Any], folder: Path) -> Result:
    read = {key: _frozen(value) for key, value in document.items()}
    made: dict[str, list[Any]] = {
        "findings": [Finding(**_with(item, certificate=Certificate)) for item in read["findings"]],
        "tables": [_table(item, folder, read["command"]) for item in read["tables"]],
        "charts": [_chart(item) for item in read["charts"]],
        "explorers": [Explorer(**item) for item in read["explorers"]],
        "boards": [Board(**item) for item in read["boards"]],
        "sections": [Section(**item) for item in read["sections"]],
    }
    return Result(**read | {key: tuple(items) for key, items in made.items()})


def _table(item: dict[str, Any], folder: Path, command: str) -> Table:
    """A table with the content of its file; :class:`Refused` says how a lost one is made again."""
    import polars as pl

    path = folder / "tables" / f"{item['name']}.parquet"
    try:
        if not path.is_file():
            raise FileNotFoundError
        return Table(**item | {"frame": pl.read_parquet(path)})
    except (OSError, pl.exceptions.PolarsError) as error:
        got = "none" if isinstance(error, FileNotFoundError) else "a damaged one"
        again = f"{command or 'the command of the study'} --out {folder} makes it again"
        raise Refused(f"{path}: expected a table of the report, got {got}; {again}") from error


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
