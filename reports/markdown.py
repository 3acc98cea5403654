"""A study as Markdown: for a wiki, an issue or a handout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fable_solve.reports.cells import clean, heading, is_numeric, plain, show, show_by_unit, show_column, sure
from fable_solve.reports.documents import package_version
from fable_solve.reports.language import current, said, sections
from fable_solve.solver.result import Board, Chart, Result, Section, Table

MAX_ROWS = 50
"""Rows of a table shown; its file holds all of them."""


def markdown(result: Result, files: str | None = "", level: int = 1) -> str:
    """``result`` under a heading of ``level``; figures are linked under ``files`` (a path ending in /), or
    told by their text alternative where no file was written (``None``).

    Text of ours is escaped where Markdown would take it for a mark.
    """
    return "\n".join(_lines(result, files, level)).rstrip() + "\n"


def booklet(chapters: Sequence[tuple[Result, str]], title: str) -> str:
    """Studies, each with the path of its files; several under one title, with contents."""
    if len(chapters) == 1:
        return markdown(*chapters[0])
    contents = [f"{at}. {_text(result.title)}" for at, (result, _) in enumerate(chapters, 1)]
    parts = [markdown(result, files, 2) for result, files in chapters]
    return "\n".join([f"# {_text(title)}", "", *contents, "", *parts])


def _lines(result: Result, files: str | None, level: int) -> Iterator[str]:
    t, marks = current(), "#" * (level + 1)
    yield from (f"{'#' * level} {_text(result.title)}", "", f"*{_text(result.question)}*", "")
    for sentence in result.summary:
        yield from (_text(sentence), "")
    if result.findings:
        yield from (f"{marks} {t('Headline numbers')}", "", *_findings(result), "")
    for section in sections(result):
        yield from _section(section, result, files, marks)
    yield from (f"{marks} {t('Data these numbers rest on')}", "", *_data(result), "")
    if result.method:
        yield from (f"{marks} {t('Method')}", "")
        for paragraph in result.method:
            yield from (_text(paragraph), "")
    yield from (f"{marks} {t('Where this comes from')}", "", *_provenance(result))


def _figures(result: Result) -> dict[str, tuple[str, str]]:
    """Title and text alternative of every figure, by name."""
    items: tuple[Board | Chart, ...] = (*result.boards, *result.charts)
    return {item.name: (item.title, item.alt) for item in items}


def _figure(title: str, alt: str, files: str | None, name: str) -> str:
    if files is None:
        return f"**{_text(title)}**{current().colon}{_text(alt)}"
    return f"![{_text(alt)}]({files}plots/{name}.svg)"


def _findings(result: Result) -> Iterator[str]:
    t = current()
    values = show_by_unit([f.value for f in result.findings], [f.unit for f in result.findings])
    rows = [
        (
            t(heading(f.name)),
            f"{t(value)} {f.unit}".strip(),
            f"{t(f.certificate.kind)}, {t(sure(f.certificate))}",
        )
        for f, value in zip(result.findings, values, strict=True)
    ]
    return _grid([t("what"), t("value"), t("how sure")], rows, [False, True, False])


def _section(section: Section, result: Result, files: str | None, marks: str) -> Iterator[str]:
    yield from (f"{marks} {_text(section.title)}", "")
    for paragraph in section.paragraphs:
        yield from (_text(paragraph), "")
    tables = {table.name: table for table in result.tables}
    figures = _figures(result)
    for name in section.show:
        if name in tables:
            yield from (*_table(tables[name]), "")
        elif name in figures:
            yield from (_figure(*figures[name], files, name), "")


def _table(table: Table) -> Iterator[str]:
    t, frame = current(), table.frame.head(MAX_ROWS)
    columns = [[plain(value) for value in frame[name].to_list()] for name in frame.columns]
    yield from (f"**{_text(table.title)}**", "")
    cells = [said(name, show_column(column), t) for name, column in zip(frame.columns, columns, strict=True)]
    heads = [t(heading(name)) for name in frame.columns]
    yield from _grid(heads, zip(*cells, strict=True), [is_numeric(column) for column in columns])
    if table.frame.height > frame.height:
        rows = show(table.frame.height)
        yield from ("", t(f"The first {frame.height} of {rows} rows; the file has them all."))
    if table.note:
        yield from ("", _text(table.note))


def _data(result: Result) -> Iterator[str]:
    t, changed = current(), result.rules.get("changed") or {}
    if not result.assumptions:
        yield t("No value is assumed: all are published or read off a public implementation.")
    for key, effect in result.assumptions:
        yield f"- `{key}`{t.colon}{_text(effect)}"
    if changed:
        yield from ("", f"{t('Changed for this run')}{t.colon}".rstrip(), "")
        yield from (f"- `{key}` = {_text(show(value))}" for key, value in changed.items())


def _provenance(result: Result) -> Iterator[str]:
    t = current()
    if result.command:
        yield f"- {t('Command')}{t.colon}`{clean(result.command)}`"
    yield f"- {t('Version')}{t.colon}fable-solve {package_version()}"
    yield f"- {t('Seed')}{t.colon}{result.seed}"
    yield from (
        f"- {_text(t(key))}{t.colon}{_text(t(show(value)))}" for key, value in result.parameters.items()
    )
    yield f"- {t('Rule data')}{t.colon}`{result.rules.get('digest')}`"


def _grid(heads: Sequence[str], rows: Iterable[Sequence[Any]], numeric: Sequence[bool]) -> Iterator[str]:
    yield _row(heads)
    yield "|" + "|".join("---:" if right else "---" for right in numeric) + "|"
    yield from map(_row, rows)


def _row(cells: Sequence[Any]) -> str:
    return "| " + " | ".join(_text(str(cell)).replace("\n", " ") for cell in cells) + " |"


def _text(text: str) -> str:
    """``text`` with the signs escaped that Markdown or HTML would take for their own."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in clean(text))
