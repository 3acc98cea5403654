"""Answers and studies on the terminal: a table, a JSON document or comma-separated values.

Data goes to stdout, talk to stderr. Away from a terminal the width is fixed and there is no colour,
so that one command always prints the same bytes.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, Any

from fable_solve.reports.cells import (
    certificate_key,
    clean,
    heading,
    is_numeric,
    plain,
    show_by_unit,
    show_column,
    sure,
)
from fable_solve.reports.documents import (
    FINDING_COLUMNS,
    csv_text,
    finding_rows,
    json_text,
    study_document,
)
from fable_solve.reports.language import NAMES, current, translated
from fable_solve.reports.markdown import markdown
from fable_solve.reports.palette import board_colours, ink
from fable_solve.solver.result import Answer, Board, Result

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WIDTH = 100
"""Columns where stdout is not a terminal."""

MAX_ROWS = 24
"""Rows of a study's table shown here; the files hold all of them."""

_LIMITS = (28, 20, 14)
"""Widths under which text may wrap, tried in this order to fit a table side by side."""

_WORD = 40
"""Words longer than this are broken."""

_GAP = 3
"""Columns between two fields."""


def print_answer(answer: Answer, output: str) -> None:
    """Print ``answer`` as ``table``, ``json`` or ``csv``; its notes go to stderr."""
    if output == "json":
        _write_json(answer.document)
    elif output == "csv":
        _write(csv_text(answer.columns, answer.rows))
    else:
        with _console() as console:
            _answer(console, answer)
    for note in answer.notes:
        tell("note", current()(note))


def print_result(result: Result, output: str, files: Sequence[str] = (), out: str | None = None) -> None:
    """Print a study; ``files`` were written under ``out``, whose report is named on stderr."""
    if output == "json":
        place = {} if out is None else {"out": out}
        _write_json(study_document(result, files) | place)
    elif output == "csv":
        _write(csv_text(FINDING_COLUMNS, finding_rows(result)))
    elif output == "md":
        _write(markdown(translated(result, current()), None if out is None else f"{out.rstrip('/')}/"))
    else:
        with _console() as console:
            _study(console, result)
    if out is not None:
        tell("report", f"{out.rstrip('/')}/report.html")


def _answer(console: Console, answer: Answer) -> None:
    if answer.title:
        _print(console, current()(answer.title), "bold")
    if answer.columns:
        _table(console, answer.columns, answer.rows, small=answer.small)
    for line in answer.footer:
        _print(console, current()(line))


def _study(console: Console, result: Result) -> None:
    shown = translated(result, current())
    _print(console, shown.title, "bold")
    _print(console, shown.question, "italic")
    console.print()
    for sentence in shown.summary:
        _print(console, sentence)
    if result.findings:
        _findings(console, result)
    for board in shown.boards:
        _heading(console, board.title)
        _board(console, board)
    for table in shown.tables:
        if table.headline:
            _heading(console, table.title)
            _table(console, table.frame.columns, table.frame.head(MAX_ROWS).rows())
            _more(console, table.frame.height, table.name)
            if table.note:
                _print(console, table.note)
    _assumptions(console, result)


def _more(console: Console, rows: int, name: str) -> None:
    if rows > MAX_ROWS:
        _print(console, f"{current()(f'… {rows - MAX_ROWS:,} more rows in')} tables/{name}.csv")


def _findings(console: Console, result: Result) -> None:
    _heading(console, current()("Headline numbers"))
    t = current()
    values = show_by_unit([f.value for f in result.findings], [f.unit for f in result.findings])
    rows = [
        (heading(item.name), value, item.unit, f"{item.certificate.kind}, {sure(item.certificate)}")
        for item, value in zip(result.findings, values, strict=True)
    ]
    _table(console, ("what", "value", "unit", "certificate"), rows, right=("value",))
    for kind, text in certificate_key(item.certificate for item in result.findings).items():
        _print(console, f"{t(kind)}{t.colon}{t(text)}", "dim")


def _assumptions(console: Console, result: Result) -> None:
    changed = result.rules.get("changed") or {}
    if result.assumptions:
        _heading(console, current()("Data nobody publishes, assumed here"))
        _table(console, ("data", "what is assumed, and what it changes"), result.assumptions)
    if changed:
        _heading(console, current()("Rule data changed for this run"))
        _table(console, ("data", "value"), list(changed.items()), names=("data", "value"))


def _heading(console: Console, text: str) -> None:
    console.print()
    _print(console, text, "bold")


def _board(console: Console, board: Board) -> None:
    """The board with row and column numbers; a marked square stands in brackets."""
    from rich.text import Text

    fills = board_colours(board.legend)
    labels = [clean(cell[0]) for row in board.cells for cell in row if cell]
    width = max((len(label) for label in labels), default=1)
    margin = len(str(len(board.cells)))
    across = max((len(row) for row in board.cells), default=0)
    head = "".join(str(column).center(width + 2) + " " for column in range(across))
    _print(console, " " * (margin + 2) + head)
    for number, row in enumerate(board.cells):
        line = Text(f" {number:>{margin}} ", no_wrap=True)
        for cell in row:
            line.append_text(_square(cell, width, fills)).append(" ")
        console.print(line)
    console.print(_legend(board, fills))
    if board.caption:
        _print(console, board.caption)


def _square(cell: tuple[str, str, bool] | None, width: int, fills: dict[str, str]) -> Any:
    from rich.text import Text

    if cell is None:
        return Text("·".center(width + 2), style="dim")
    label, key, marked = cell
    left, right = "[]" if marked else "  "
    fill = fills.get(key, "#BBBBBB")
    style = f"{'bold ' if marked else ''}{ink(fill)} on {fill}"
    return Text(f"{left}{clean(label).center(width)}{right}", style=style)


def _legend(board: Board, fills: dict[str, str]) -> Any:
    from rich.text import Text

    line = Text("    ")
    for key, meaning in board.legend.items():
        line.append(f" {clean(key)} ", style=f"{ink(fills[key])} on {fills[key]}")
        line.append(f" {clean(meaning)}   ")
    if any(cell and cell[2] for row in board.cells for cell in row):
        line.append(current()("[ ] marked"))
    line.rstrip()
    return line


def _table(
    console: Console,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    right: Sequence[str] = (),
    small: Sequence[str] = (),
    names: Sequence[str] = NAMES,
) -> None:
    """A table that shows every cell whole: wide ones continue below with their first column repeated."""
    fields = [
        _field(name, [plain(row[at]) for row in rows], name in right, name in small, name in names)
        for at, name in enumerate(columns)
    ]
    for number, panel in enumerate(_panels(fields, console.width)):
        if number:
            console.print()
        console.print(_grid(panel, console.width))


@dataclass(frozen=True)
class _Field:
    """One column, ready to print: ``whole`` is its width unbroken, ``words`` that of its longest word."""

    name: str
    cells: list[str]
    numeric: bool
    whole: int
    words: int

    def least(self, limit: int) -> int:
        """Narrowest good width: numbers and words stay whole, text wraps no tighter than ``limit``."""
        return self.words if self.numeric else max(self.words, min(self.whole, limit))


def _field(name: str, values: list[Any], right: bool, small: bool, named: bool) -> _Field:
    from rich.cells import cell_len

    t = current()
    cells, title = show_column(values, small=small), t(heading(name))
    cells = cells if named else [t(cell) for cell in cells]
    numeric = right or is_numeric(values)
    lines = [line for cell in cells for line in cell.splitlines()]
    parts = lines if numeric else [word for line in lines for word in line.split(" ")]
    whole = max((cell_len(line) for line in [title, *lines]), default=1)
    words = max((cell_len(part) for part in [*title.split(" "), *parts]), default=1)
    return _Field(title, cells, numeric, whole, words if numeric else min(words, _WORD))


def _panels(fields: Sequence[_Field], total: int) -> list[list[tuple[_Field, int]]]:
    """(field, least width) packed into as few tables as fit ``total``, the first field leading each."""
    for limit in _LIMITS:
        widths = [field.least(limit) for field in fields]
        if sum(widths) + _GAP * (len(widths) - 1) <= total:
            return [list(zip(fields, widths, strict=True))]
    pairs = [(field, field.least(_LIMITS[0])) for field in fields]
    panels = [pairs[:1]]
    for pair in pairs[1:]:
        used = sum(width + _GAP for _, width in panels[-1])
        if used + pair[1] > total and len(panels[-1]) > 1:
            panels.append(pairs[:1])
        panels[-1].append(pair)
    return panels


def _widths(panel: Sequence[tuple[_Field, int]], total: int) -> list[int]:
    """The least widths, widened in turn towards whole cells while there is room."""
    widths = [width for _, width in panel]
    room = total - sum(widths) - _GAP * (len(widths) - 1)
    for at in sorted(range(len(panel)), key=lambda at: panel[at][0].whole - widths[at]):
        more = max(0, min(room, panel[at][0].whole - widths[at]))
        widths[at] += more
        room -= more
    return widths


def _grid(panel: Sequence[tuple[_Field, int]], total: int) -> RenderableType:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    widths = _widths(panel, total)
    for (field, _), width in zip(panel, widths, strict=True):
        justify: Any = "right" if field.numeric else "left"
        grid.add_column(Text(_filled(field.name, width)), justify=justify, width=width, overflow="fold")
    for row in zip(*(field.cells for field, _ in panel), strict=True):
        grid.add_row(*(Text(_filled(cell, width)) for cell, width in zip(row, widths, strict=True)))
    return grid


def _print(console: Console, text: str, style: str = "") -> None:
    from rich.text import Text

    console.print(Text(_filled(clean(text), console.width), style=style, overflow="fold"))


def _filled(text: str, width: int) -> str:
    """``text`` in lines of ``width``, broken at plain spaces only."""
    wrap = partial(fill, width=width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(map(wrap, text.split("\n")))


@contextmanager
def _console() -> Iterator[Console]:
    """The terminal itself, or a page of fixed width without colour and trailing blanks."""
    from rich.console import Console

    if sys.stdout.isatty():
        yield Console(markup=False, highlight=False, emoji=False)
        return
    page = io.StringIO()
    yield Console(
        file=page,
        width=WIDTH,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        markup=False,
        highlight=False,
        emoji=False,
    )
    _write("".join(line.rstrip() + "\n" for line in page.getvalue().splitlines()))


def _write(text: str) -> None:
    """Write data to stdout; what its encoding lacks is escaped, never an error."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def _write_json(document: Any) -> None:
    unicode = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
    _write(json_text(document, ascii_only=not unicode))


def tell(kind: str, text: str) -> None:
    """One line on stderr: what kind of thing is said (``note``, ``warning``, ``report``), and the text."""
    print(clean(f"{current()(kind)}{current().colon}{text}"), file=sys.stderr)  # noqa: T201
