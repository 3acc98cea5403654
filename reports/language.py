"""The language of reports and of the terminal: every text of ours is written in English and looked up here.

A catalogue ``languages/CODE.toml`` has two tables. ``texts`` gives whole texts; ``{}`` in an entry stands for
any part, which is looked up in its turn, so one entry serves a sentence whatever its numbers are::

    "{} of {} games were stopped." = "{} parties sur {} ont été arrêtées."

A translation that needs the parts in another order numbers them from 0: ``{1}``, ``{0}``. ``numbers`` gives
the signs for decimals and thousands. What a catalogue lacks stays English: names, commands, keys.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from fable_solve.solver.result import Board, Chart, Explorer, Finding, Result, Section, Table

ENGLISH = "en"
CODES = (ENGLISH, "fr")

NUMBER = re.compile(
    r"(?<![\w.,])[-+±]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w.]?\d)|(?<![\w.,])[-+±]?\d+\.\d+(?![\w.]?\d)"
)
"""A number as ``cells.show`` writes it, with a sign for thousands or decimals in it."""

_HOLE = re.compile(r"\{(\d*)\}")


@dataclass(frozen=True)
class Language:
    """A language by its ``code``, with its ``texts`` and the signs it writes numbers with."""

    code: str
    texts: dict[str, str] = field(default_factory=dict)
    decimal: str = "."
    thousands: str = ","

    def __call__(self, text: str) -> str:
        """``text`` in this language; what is not known stays as it is, but for its numbers."""
        if self.code == ENGLISH or not text:
            return text
        found = self.find(text)
        return self.number(text) if found is None else found

    def find(self, text: str) -> str | None:
        """``text`` in this language, ``None`` if the catalogue lacks it."""
        if text in self.texts:
            return self.texts[text]
        for pattern, entry in self._patterns:
            match = pattern.fullmatch(text)
            if match:
                return _filled(entry, [self(part) for part in match.groups()])
        return None

    def number(self, text: str) -> str:
        """``text`` with its numbers in this language's signs.

        >>> Language("fr", {}, ",", " ").number("12,345.6 of 99.5 %, version 0.1.0")
        '12 345,6 of 99,5 %, version 0.1.0'
        """
        signs = {",": self.thousands, ".": self.decimal}
        return NUMBER.sub(lambda found: "".join(signs.get(sign, sign) for sign in found[0]), text)

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str]]:
        """Entries with parts to be filled, those with most text of their own first."""
        keys = sorted((key for key in self.texts if "{}" in key), key=lambda key: (-len(key), key))
        return [(_pattern(key), self.texts[key]) for key in keys]


def _pattern(key: str) -> re.Pattern[str]:
    return re.compile("(.+?)".join(map(re.escape, key.split("{}"))), re.DOTALL)


def _filled(entry: str, parts: list[str]) -> str:
    """``entry`` with ``{}`` filled in order and ``{n}`` by number."""
    following = iter(parts)
    return _HOLE.sub(lambda hole: parts[int(hole[1])] if hole[1] else next(following), entry)


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
    data: dict[str, Any] = tomllib.loads(
        files("fable_solve.reports").joinpath("languages", f"{code}.toml").read_text(encoding="utf-8")
    )
    return Language(code, data["texts"], **data["numbers"])
