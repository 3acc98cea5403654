"""Charts and boards as SVG: the same bytes on every run, readable in grey and by colour-blind readers.

Text is drawn as outlines, so a figure looks the same wherever it is opened. Identifiers carry the
figure's name, so that several figures can stand in one page.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from html import escape
from textwrap import fill
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from fable_solve.reports.cells import clean, is_number
from fable_solve.reports.language import current
from fable_solve.reports.palette import SERIES, board_colours, ink
from fable_solve.solver.result import Board, Chart, Series

REST = "#E4E4E4"
"""What the parts of a bar leave."""

WIDTH = 8.0
"""Inches; 768 px on a screen."""

HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo", "--")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "fable-solve",
    "svg.fonttype": "path",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "figure.titlesize": 12.5,
    "figure.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#444444",
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "hatch.linewidth": 0.8,
    "legend.frameon": False,
}
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


@dataclass(frozen=True)
class Drawing:
    """One figure: its ``<svg>`` element, which names and describes itself to a screen reader."""

    name: str
    svg: str

    def file(self) -> str:
        return f'<?xml version="1.0" encoding="utf-8"?>\n{self.svg}\n'


def draw(item: Chart | Board) -> Drawing:
    """``item`` as SVG; nothing of matplotlib's global state is left changed."""
    with _style():
        figure = _board(item) if isinstance(item, Board) else _chart(item)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata=_NO_METADATA)
    return Drawing(item.name, _element(stream.getvalue(), item.name, item.title, item.alt))


@contextmanager
def _style() -> Iterator[None]:
    """Our settings over matplotlib's own defaults, whatever the user's matplotlibrc says."""
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def _element(document: str, name: str, title: str, alt: str) -> str:
    """The ``<svg>`` element of ``document`` with prefixed ids, a title and a description."""
    svg = document[document.index("<svg") :].strip()
    svg = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(\sid="|href="#|url\(#)', rf"\g<1>{name}-", svg)
    head, body = svg.split(">", 1)
    labels = f'role="img" aria-labelledby="{name}-title {name}-desc"'
    texts = f'<title id="{name}-title">{_xml(title)}</title>\n<desc id="{name}-desc">{_xml(alt)}</desc>'
    return f"{head} {labels}>\n{texts}{body}"


def _xml(text: str) -> str:
    return escape(clean(text))


def _chart(chart: Chart) -> Figure:
    if chart.kind == "line" and len(_categories(chart)) == 1:
        chart = _one_place(chart)
    draw_axes: dict[str, Callable[[Any, Chart], None]] = {
        "bar": _bars,
        "stack": _stack,
        "line": _lines,
        "step": _lines,
        "heatmap": _heatmap,
    }
    figure = Figure(figsize=(WIDTH, _height(chart)), layout="constrained")
    axes = figure.add_subplot()
    figure.suptitle(fill(clean(chart.title), 78), x=0.01, ha="left")
    axes.set_xlabel(clean(chart.x_label))
    axes.set_ylabel(fill(clean(chart.y_label), 48))
    draw_axes[chart.kind](axes, chart)
    if len(chart.series) > 1:
        longest = max(len(series.label) for series in chart.series)
        columns = max(1, min(4, len(chart.series), 90 // (longest + 6)))
        figure.legend(loc="outside lower center", ncols=columns, handlelength=2.5)
    return figure


def _one_place(chart: Chart) -> Chart:
    """Lines that all are one point, as a bar each."""
    labels = [series.label or chart.title for series in chart.series]
    errors = [series.error[0] if series.error is not None else 0.0 for series in chart.series]
    bars = Series("", labels, [series.y[0] for series in chart.series], errors)
    return replace(chart, kind="bar", x_label=f"{chart.x_label}: {_categories(chart)[0]}", series=(bars,))


def _height(chart: Chart) -> float:
    """Inches: room for every bar of a lying chart and every row of a heat map."""
    if chart.kind == "heatmap":
        return min(12.0, max(3.0, 1.6 + 0.42 * len(chart.cells)))
    if chart.kind == "stack":
        return min(18.0, max(3.0, 1.8 + 0.27 * len(_categories(chart))))
    if _is_lying(chart):
        return min(14.0, max(3.0, 1.5 + 0.24 * len(_categories(chart)) * max(1, len(chart.series))))
    return 4.5


def _categories(chart: Chart) -> list[Any]:
    """Every ``x`` of the chart's series, in the order met."""
    return list(dict.fromkeys(x for series in chart.series for x in series.x))


def _is_lying(chart: Chart) -> bool:
    """Do the labels of these bars need a line each?"""
    labels = [str(x) for x in _categories(chart)]
    return chart.kind == "bar" and max(map(len, labels), default=0) * len(labels) > 70


def _bars(axes: Any, chart: Chart) -> None:
    """Grouped bars with 95 % error bars; lying where the labels are long."""
    categories, lying = _categories(chart), _is_lying(chart)
    place = {x: number for number, x in enumerate(categories)}
    thickness = 0.8 / max(1, len(chart.series))
    for number, series in enumerate(chart.series):
        offset = (number - (len(chart.series) - 1) / 2) * thickness
        at = [place[x] + offset for x in series.x]
        look = {"color": SERIES[number % 8], "hatch": HATCHES[number % 8], "edgecolor": "white"}
        _bar(axes, lying, at, series, thickness, look)
    labels = [clean(str(x)) for x in categories]
    if lying:
        axes.set_yticks(range(len(labels)), labels)
        axes.invert_yaxis()
        axes.set_xlabel(clean(chart.y_label))
        axes.set_ylabel(clean(chart.x_label))
    else:
        axes.set_xticks(range(len(labels)), labels)
    values = axes.xaxis if lying else axes.yaxis
    values.grid(True)
    _ticks(values, chart.percent)


def _stack(axes: Any, chart: Chart) -> None:
    """Lying bars, a line each, whose parts follow one another; the last is the rest, pale."""
    ends = dict.fromkeys(_categories(chart), 0.0)
    for number, series in enumerate(chart.series):
        look: dict[str, Any] = {
            "color": SERIES[number % 8],
            "hatch": HATCHES[number % 8],
            "edgecolor": "white",
        }
        if series is chart.series[-1]:
            look = {"color": REST}
        places = [list(ends).index(x) for x in series.x]
        axes.barh(
            places, list(series.y), 0.75, [ends[x] for x in series.x], label=clean(series.label), **look
        )
        for x, y in zip(series.x, series.y, strict=True):
            ends[x] += y
    axes.set_yticks(range(len(ends)), [clean(str(x)) for x in ends])
    axes.invert_yaxis()
    axes.set_xlabel(fill(clean(chart.y_label), 48))
    axes.set_ylabel(clean(chart.x_label))
    axes.xaxis.grid(True)
    axes.margins(x=0, y=0.01)
    _ticks(axes.xaxis, chart.percent)


def _bar(
    axes: Any, lying: bool, at: Sequence[float], series: Series, thickness: float, look: dict[str, Any]
) -> None:
    error = None if series.error is None else list(series.error)
    whiskers: dict[str, Any] = {"error_kw": {"ecolor": "#222222", "capsize": 3, "elinewidth": 1.2}}
    label = clean(series.label)
    if lying:
        axes.barh(at, list(series.y), thickness, xerr=error, label=label, **look, **whiskers)
    else:
        axes.bar(at, list(series.y), thickness, yerr=error, label=label, **look, **whiskers)


def _lines(axes: Any, chart: Chart) -> None:
    """Lines with markers and bands, or steps around each ``x`` for a distribution."""
    for number, series in enumerate(chart.series):
        colour, dash = SERIES[number % 8], LINES[number % 4]
        if chart.kind == "step":
            axes.step(
                series.x, series.y, where="mid", color=colour, linestyle=dash, label=clean(series.label)
            )
        else:
            _line(axes, series, colour, dash, MARKERS[number % 8])
    if all(isinstance(x, int) for x in _categories(chart)):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if all(map(is_number, _categories(chart))):
        _ticks(axes.xaxis)
    axes.grid(True)
    _ticks(axes.yaxis, chart.percent)


def _line(axes: Any, series: Series, colour: str, dash: str, marker: str) -> None:
    few = len(series.x) <= 40
    axes.plot(series.x, series.y, dash, color=colour, marker=marker if few else "", label=clean(series.label))
    if series.error is not None:
        pairs = list(zip(series.y, series.error, strict=True))
        low, high = [y - e for y, e in pairs], [y + e for y, e in pairs]
        axes.fill_between(series.x, low, high, color=colour, alpha=0.18, linewidth=0)


def _heatmap(axes: Any, chart: Chart) -> None:
    """Cells shaded by value, each with its number while there is room."""
    colours = mpl.colormaps["cividis"].resampled(48)  # a colour bar of more than 50 would be a picture
    mesh = axes.pcolormesh([list(row) for row in chart.cells], cmap=colours, edgecolors="white", linewidth=1)
    rows, columns = len(chart.cells), max((len(row) for row in chart.cells), default=0)
    axes.set_xticks([at + 0.5 for at in range(columns)], [clean(label) for label in chart.x_labels])
    axes.set_yticks([at + 0.5 for at in range(rows)], [clean(label) for label in chart.y_labels])
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    bar = axes.figure.colorbar(mesh, ax=axes, label=clean(chart.value_label), pad=0.02)
    bar.outline.set_visible(False)
    bar.solids.set_edgecolor("face")
    _ticks(bar.ax.yaxis, chart.percent)
    if columns <= 14:
        _numbers(axes, chart, mesh)


def _numbers(axes: Any, chart: Chart, mesh: Any) -> None:
    from matplotlib.colors import to_hex

    spec = chart.value_format
    if chart.percent and not spec.endswith("%"):
        spec = ".0%"
    for r, row in enumerate(chart.cells):
        for c, value in enumerate(row):
            colour = ink(to_hex(mesh.cmap(mesh.norm(value))).upper())
            text = "–" if math.isnan(value) else current().number(format(value, spec))
            axes.text(c + 0.5, r + 0.5, text, ha="center", va="center", color=colour, fontsize=9.5)


class _Numbers(ScalarFormatter):
    """Numbers at the ticks in the language's signs."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return current().number(super().__call__(x, pos))


def _ticks(axis: Any, percent: bool = False) -> None:
    if percent:
        axis.set_major_formatter(lambda x, _: current().number(f"{round(100 * x, 6) + 0.0:.4g}%"))
    else:
        axis.set_major_formatter(_Numbers())


def _board(board: Board) -> Figure:
    """Squares with their labels; a marked one has a thick frame and a dot in its corner."""
    rows, columns = len(board.cells), max((len(row) for row in board.cells), default=0)
    fills = board_colours(board.legend)
    side = min(0.8, 6.5 / max(columns, 1))
    legend = 0.35 * -(-len(board.legend) // 4)
    figure = Figure(figsize=(max(5.0, side * columns + 1), side * rows + 1.3 + legend))
    axes = figure.add_axes(
        (0.0, legend / figure.get_figheight(), 1.0, 1 - (legend + 0.5) / figure.get_figheight())
    )
    axes.set_aspect("equal")
    axes.set_xlim(-0.6, columns + 0.1)
    axes.set_ylim(rows + 0.1, -0.6)
    axes.axis("off")
    figure.text(0.03, 1 - 0.3 / figure.get_figheight(), clean(board.title), weight="bold", fontsize=12.5)
    for r, row in enumerate(board.cells):
        axes.text(-0.3, r + 0.5, str(r), ha="center", va="center", color="#555555", fontsize=9)
        for c, cell in enumerate(row):
            _square(axes, r, c, cell, fills)
    for c in range(columns):
        axes.text(c + 0.5, -0.3, str(c), ha="center", va="center", color="#555555", fontsize=9)
    handles = [Rectangle((0, 0), 1, 1, facecolor=fills[key], edgecolor="#444444") for key in board.legend]
    names = [f"{clean(key)}  {clean(text)}" for key, text in board.legend.items()]
    figure.legend(handles, names, loc="lower center", ncols=4, fontsize=9.5)
    return figure


def _square(axes: Any, r: int, c: int, cell: tuple[str, str, bool] | None, fills: dict[str, str]) -> None:
    if cell is None:
        axes.add_patch(
            Rectangle((c + 0.06, r + 0.06), 0.88, 0.88, fill=False, edgecolor="#999999", linestyle=":")
        )
        return
    label, key, marked = cell
    fill = fills.get(key, "#BBBBBB")
    frame: dict[str, Any] = (
        {"edgecolor": "#000000", "linewidth": 3.5} if marked else {"edgecolor": "#777777", "linewidth": 0.8}
    )
    axes.add_patch(Rectangle((c + 0.06, r + 0.06), 0.88, 0.88, facecolor=fill, **frame))
    axes.text(
        c + 0.5,
        r + 0.5,
        clean(label),
        ha="center",
        va="center",
        color=ink(fill),
        fontsize=13,
        weight="bold" if marked else "normal",
    )
    if marked:
        axes.add_patch(Circle((c + 0.2, r + 0.2), 0.08, facecolor=ink(fill), edgecolor="none"))
