"""The language of reports and of the terminal.

A catalogue is the folder ``languages/CODE``: its files have tables ``texts`` and ``parts`` (see ``phrases``),
one also ``signs``. A plain space before ``: ; ! ? % »`` or after ``«`` is one where no line breaks.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from fable_solve.reports.phrases import ENGLISH, Language
from fable_solve.solver.result import Board, Chart, Explorer, Finding, Result, Section, Table

CODES = (ENGLISH, "fr")


NAMES = ("key", "data")
"""Columns of names that are the same in every language, as users type them."""


def said(column: str, cells: Sequence[str], t: Language) -> list[str]:
    """The cells of a column in the language ``t``."""
    return list(cells) if column in NAMES else [t(cell) for cell in cells]


def translated(result: Result, t: Language) -> Result:
    """``result`` with its sentences, titles and labels in the language ``t``; names and numbers are kept."""
    return replace(
        result,
        title=t(result.title),
        question=t(result.question),
        summary=_all(result.summary, t),
        assumptions=tuple((key, t(effect)) for key, effect in result.assumptions),
        findings=tuple(_finding(item, t) for item in result.findings),
        tables=tuple(_table(item, t) for item in result.tables),
        charts=tuple(_chart(item, t) for item in result.charts),
        boards=tuple(_board(item, t) for item in result.boards),
        sections=tuple(
            Section(t(item.title), _all(item.paragraphs, t), item.show) for item in result.sections
        ),
        explorers=tuple(_explorer(item, t) for item in result.explorers),
        method=_all(result.method, t),
    )


def _all(texts: Iterable[Any], t: Language) -> tuple[Any, ...]:
    return tuple(t(text) if isinstance(text, str) else text for text in texts)


def _finding(item: Finding, t: Language) -> Finding:
    sure = replace(item.certificate, note=t(item.certificate.note))
    return replace(item, unit=t(item.unit), sentence=t(item.sentence), certificate=sure)


def _table(item: Table, t: Language) -> Table:
    meanings = {name: t(meaning) for name, meaning in item.columns.items()}
    return replace(item, title=t(item.title), note=t(item.note), columns=meanings)


def _chart(item: Chart, t: Language) -> Chart:
    return replace(
        item,
        title=t(item.title),
        x_label=t(item.x_label),
        y_label=t(item.y_label),
        value_label=t(item.value_label),
        alt=t(item.alt),
        series=tuple(replace(one, label=t(one.label), x=_all(one.x, t)) for one in item.series),
        x_labels=_all(item.x_labels, t),
        y_labels=_all(item.y_labels, t),
    )


def _explorer(item: Explorer, t: Language) -> Explorer:
    text = {key: t(one) if isinstance(one, str) else _all(one, t) for key, one in item.text.items()}
    return replace(item, title=t(item.title), paragraph=t(item.paragraph), text=text)


def _board(item: Board, t: Language) -> Board:
    legend = {key: t(meaning) for key, meaning in item.legend.items()}
    return replace(item, title=t(item.title), caption=t(item.caption), alt=t(item.alt), legend=legend)


_current: ContextVar[str] = ContextVar("language", default=ENGLISH)


def current() -> Language:
    """The language asked for."""
    return language(_current.get())


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Print and write in this language inside the block."""
    token = _current.set(code)
    try:
        yield
    finally:
        _current.reset(token)


@cache
def language(code: str) -> Language:
    """The language of a code of ``CODES``, read from its catalogue."""
    if code == ENGLISH:
        return Language(ENGLISH)
    found = list(catalogue(code))
    texts, parts = (
        {key: unbroken(entry) for name, table in found if name == wanted for key, entry in table.items()}
        for wanted in ("texts", "parts")
    )
    return Language(code, texts, parts, **dict(found)["signs"])


def catalogue(code: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every table of a language's files, by name."""
    folder = files("fable_solve.reports").joinpath("languages", code)
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        yield from tomllib.loads(file.read_text(encoding="utf-8")).items()


def unbroken(text: str) -> str:
    """``text`` with spaces that keep a line together beside ``: % « »``, narrow ones before ``; ! ?``."""
    return re.sub(r" (?=[;!?])", "\u202f", re.sub(r" (?=[:%»])|(?<=«) ", "\u00a0", text))


def sections(result: Result) -> list[Section]:
    """The sections in order, and a last one for what none of them shows."""
    shown = {name for section in result.sections for name in section.show}
    names = [board.name for board in result.boards] + [chart.name for chart in result.charts]
    names += [table.name for table in result.tables if table.headline]
    rest = tuple(name for name in names if name not in shown)
    return [*result.sections, *([Section(current()("More results"), show=rest)] if rest else [])]
