"""``report.html``: one page that opens without a network, a script or a colour screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from fable_solve.reports.cells import (
    certificate_key,
    clean,
    heading,
    is_numeric,
    plain,
    show,
    show_by_unit,
    show_column,
    sure,
)
from fable_solve.reports.documents import package_version
from fable_solve.reports.figures import Drawing, draw
from fable_solve.reports.language import current, said, sections
from fable_solve.solver.result import Board, Chart, Result, Table

MAX_ROWS = 200
"""Rows of a table shown in the page; its file holds all of them."""


@dataclass(frozen=True)
class Chapter:
    """One study of a page."""

    result: Result
    files: str = ""
    """Path of its folder as seen from the page: nothing, or ending in a slash."""
    prefix: str = ""
    """What its identifiers start with, so that several studies can stand in one page."""


def page(result: Result, drawings: Mapping[str, Drawing]) -> str:
    """The report of ``result`` with its charts and boards from ``drawings``; all text is escaped."""
    return _render([_view(Chapter(result), drawings)], result.title)


def book(chapters: Sequence[Chapter], title: str) -> str:
    """Studies in one page; several with contents under a ``title`` of their own."""
    title = title if len(chapters) > 1 else chapters[0].result.title
    numbered = [replace(chapter, prefix=f"s{at}-") for at, chapter in enumerate(chapters, 1)]
    return _render([_view(chapter, drawings(chapter.result, chapter.prefix)) for chapter in numbered], title)


def drawings(result: Result, prefix: str = "") -> dict[str, Drawing]:
    """Every chart and board of ``result``, by name; ``prefix`` leads their identifiers."""
    items: tuple[Chart | Board, ...] = (*result.charts, *result.boards)
    return {item.name: draw(replace(item, name=f"{prefix}{item.name}")) for item in items}


def _view(chapter: Chapter, figures: Mapping[str, Drawing]) -> dict[str, Any]:
    """What the template shows of a study."""
    result = chapter.result
    return {
        "result": result,
        "files": chapter.files,
        "prefix": chapter.prefix,
        "sections": sections(result),
        "figures": _items(result, figures),
        "certificates": certificate_key(finding.certificate for finding in result.findings),
        "numbers": show_by_unit([f.value for f in result.findings], [f.unit for f in result.findings]),
        "changed": result.rules.get("changed") or {},
    }


def _render(chapters: Sequence[Mapping[str, Any]], title: str) -> str:
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        finalize=_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    language = current()
    environment.globals |= {"include_raw": _raw, "sure": sure, "t": language, "language": language}
    environment.filters |= {"show": show, "heading": heading, "raw": Markup}
    template = environment.get_template("report.html")
    return template.render(chapters=chapters, title=title, version=package_version())


def _printable(value: Any) -> Any:
    """Text from outside without control characters; marked-up text of ours as it is."""
    return clean(value) if type(value) is str else value


def _template(name: str) -> str:
    return files("fable_solve.reports").joinpath("templates", name).read_text(encoding="utf-8")


def _raw(name: str) -> Any:
    """A style sheet or script of ours, put into the page as it is."""
    from markupsafe import Markup

    return Markup(_template(name))


def _items(result: Result, drawings: Mapping[str, Drawing]) -> dict[str, dict[str, Any]]:
    """Everything a section can show, by name, ready for the template."""
    from markupsafe import Markup

    items = {table.name: _table(table) for table in result.tables}
    captions = [("chart", chart.name, chart.alt) for chart in result.charts]
    captions += [("board", board.name, board.caption) for board in result.boards]
    figures = {
        name: {"kind": kind, "svg": Markup(drawings[name].svg), "caption": caption}
        for kind, name, caption in captions
    }
    return items | figures


def _table(table: Table) -> dict[str, Any]:
    """Columns with heading, meaning and alignment; rows of (text, sort key) pairs."""
    frame = table.frame.head(MAX_ROWS)
    values = [[plain(value) for value in frame[name].to_list()] for name in frame.columns]
    t = current()
    cells = [
        list(zip(said(name, show_column(column), t), column, strict=True))
        for name, column in zip(frame.columns, values, strict=True)
    ]
    columns = [
        {
            "heading": heading(name),
            "meaning": table.columns.get(name, ""),
            "number": is_numeric(column),
        }
        for name, column in zip(frame.columns, values, strict=True)
    ]
    rows = list(zip(*cells, strict=True))
    return {"table": table, "columns": columns, "rows": rows, "hidden": table.frame.height - len(rows)}
