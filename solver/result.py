"""What the library answers with: plain data with certificates, and no way of showing it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Certificate:
    """How sure a number is.

    ``exact``: proved, with the numerical ``tolerance``. ``bracket``: a proved ``low`` and ``high``.
    ``sampled``: the mean of ``n`` independent samples with its 95 % interval ``low``, ``high``.
    """

    kind: Literal["exact", "bracket", "sampled"]
    tolerance: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    note: str = ""

    @classmethod
    def exact(cls, tolerance: float = 1e-9, note: str = "") -> Certificate:
        return cls("exact", tolerance=tolerance, note=note)

    @classmethod
    def bracket(cls, low: float, high: float, note: str = "") -> Certificate:
        return cls("bracket", low=low, high=high, note=note)

    @classmethod
    def sampled(cls, low: float, high: float, n: int, note: str = "") -> Certificate:
        return cls("sampled", low=low, high=high, n=n, note=note)

    def document(self) -> dict[str, Any]:
        values = {
            "kind": self.kind,
            "tolerance": self.tolerance,
            "low": self.low,
            "high": self.high,
            "n": self.n,
            "note": self.note or None,
        }
        return {key: value for key, value in values.items() if value is not None}

    def __str__(self) -> str:
        if self.kind == "exact":
            return f"exact (±{self.tolerance:.0e})"
        if self.kind == "bracket":
            return f"between {self.low:.4g} and {self.high:.4g} (proved)"
        return f"{self.low:.4g} to {self.high:.4g} (95 %, n = {self.n:,})"


@dataclass(frozen=True)
class Finding:
    """One headline number: a name, the value in ``unit``, its certificate and a sentence for a reader."""

    name: str
    value: float
    certificate: Certificate
    unit: str = ""
    sentence: str = ""

    def document(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "sentence": self.sentence,
            "certificate": self.certificate.document(),
        }


@dataclass(frozen=True)
class Answer:
    """Answer of a generic command: a JSON document, the same as a table, and notes for a reader."""

    document: dict[str, Any]
    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    title: str = ""
    notes: tuple[str, ...] = ()
    footer: tuple[str, ...] = ()
    """Sentences printed under the table."""
    small: tuple[str, ...] = ()
    """Columns in which the table shows a number however near to 0; elsewhere it may be rounding."""


@dataclass(frozen=True)
class Table:
    """One table of a study: stored as Parquet and CSV under ``name``, shown with ``title``.

    ``columns`` explains each column (name -> meaning with unit). ``headline`` tables are shown on the
    terminal and in the report; the others are stored only.
    """

    name: str
    title: str
    frame: pl.DataFrame
    columns: dict[str, str] = field(default_factory=dict)
    headline: bool = True
    note: str = ""


@dataclass(frozen=True)
class Series:
    """One line, or one group of bars: ``x`` (numbers or labels), ``y``, optional half-widths ``error``."""

    label: str
    x: Sequence[Any]
    y: Sequence[float]
    error: Sequence[float] | None = None


@dataclass(frozen=True)
class Chart:
    """A chart as plain data.

    ``kind``: ``bar`` (grouped bars), ``stack`` (parts of a whole, the last series what is left), ``line``,
    ``step`` (a histogram or distribution), or ``heatmap`` (``cells`` is rows of numbers, ``x_labels`` and
    ``y_labels`` name columns and rows).
    ``alt`` is the text alternative: what a reader who cannot see the chart must know.
    """

    name: str
    kind: Literal["bar", "stack", "line", "step", "heatmap"]
    title: str
    x_label: str
    y_label: str
    alt: str
    series: tuple[Series, ...] = ()
    cells: tuple[tuple[float, ...], ...] = ()
    x_labels: tuple[str, ...] = ()
    y_labels: tuple[str, ...] = ()
    value_label: str = ""
    value_format: str = ".2f"
    percent: bool = False


@dataclass(frozen=True)
class Board:
    """A drawn board: ``cells[r][c]`` is (label, colour key, marked?), ``None`` for a hole.

    Colour keys are path types ``Y B N R`` or any game's own short keys listed in ``legend``.
    """

    name: str
    title: str
    cells: tuple[tuple[tuple[str, str, bool] | None, ...], ...]
    legend: dict[str, str]
    caption: str
    alt: str


@dataclass(frozen=True)
class Explorer:
    """Something to try out in the page of a report.

    ``script`` is the body of a JavaScript function of ``root`` (an empty element), ``data`` and ``text``
    (labels: texts, or lists of them); ``style`` is CSS for what it puts there.
    """

    name: str
    title: str
    paragraph: str
    script: str
    style: str
    data: dict[str, Any]
    text: dict[str, Any]


@dataclass(frozen=True)
class Section:
    """Part of a report: a heading, paragraphs, then the named tables, charts and boards in this order."""

    title: str
    paragraphs: tuple[str, ...] = ()
    show: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """Everything a study found out; what the terminal, the files and the report are made from."""

    game: str
    title: str
    question: str
    summary: tuple[str, ...]
    """The answer first: about three sentences with numbers."""
    mode: str | None
    players: tuple[int, ...]
    objective: str | None
    seed: int
    rules: dict[str, Any]
    """``RuleData.document()``: digest, assumed, changed."""
    assumptions: tuple[tuple[str, str], ...]
    """(key, what is assumed and what it changes) of the data the numbers rest on."""
    findings: tuple[Finding, ...]
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    boards: tuple[Board, ...] = ()
    sections: tuple[Section, ...] = ()
    explorers: tuple[Explorer, ...] = ()
    method: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    """Options the study ran with, as the command line would take them (to reproduce)."""
    command: str = ""
