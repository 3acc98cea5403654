"""Answers and studies on the terminal: a table, a JSON document or comma-separated values.

Data goes to stdout, talk to stderr. Away from a terminal the width is fixed and there is no colour,
so that one command always prints the same bytes.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fable_solve.reports.cells import clean, heading, is_number, plain, show, show_column, sure
from fable_solve.reports.documents import (
    FINDING_COLUMNS,
    csv_text,
    finding_rows,
    json_text,
    study_document,
)
from fable_solve.reports.palette import board_colours, ink
from fable_solve.solver.result import Answer, Board, Result

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WIDTH = 100
"""Columns where stdout is not a terminal."""

MAX_ROWS = 24
"""Rows of a study's table shown here; the files hold all of them."""

_MAX_TEXT = 28
_GAP = 3


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
        _talk(f"note: {note}")


def print_result(result: Result, output: str, files: Sequence[str] = (), out: str | None = None) -> None:
    """Print a study; ``files`` were written under ``out``, whose report is named on stderr."""
    if output == "json":
        place = {} if out is None else {"out": out}
        _write_json(study_document(result, files) | place)
    elif output == "csv":
        _write(csv_text(FINDING_COLUMNS, finding_rows(result)))
    else:
        with _console() as console:
            _study(console, result)
    if out is not None:
        _talk(f"report: {out.rstrip('/')}/report.html")


def _answer(console: Console, answer: Answer) -> None:
    if answer.title:
        console.print(_text(answer.title, "bold"))
    if answer.columns:
        _table(console, answer.columns, answer.rows)
    for line in answer.footer:
        console.print(_text(line))


def _study(console: Console, result: Result) -> None:
    console.print(_text(result.title, "bold"))
    console.print(_text(result.question, "italic"))
    console.print()
    for sentence in result.summary:
        console.print(_text(sentence))
    if result.findings:
        _findings(console, result)
    for board in result.boards:
        _heading(console, board.title)
        _board(console, board)
    for table in result.tables:
        if table.headline:
            _heading(console, table.title)
            _table(console, table.frame.columns, table.frame.head(MAX_ROWS).rows())
            _more(console, table.frame.height, table.name)
            if table.note:
                console.print(_text(table.note))
    _assumptions(console, result)


def _more(console: Console, rows: int, name: str) -> None:
    if rows > MAX_ROWS:
        console.print(_text(f"… {rows - MAX_ROWS:,} more rows in tables/{name}.csv"))


def _findings(console: Console, result: Result) -> None:
    _heading(console, "Headline numbers")
    rows = [
        (item.name, show(item.value), item.unit, item.certificate.kind, sure(item.certificate))
        for item in result.findings
    ]
    _table(console, ("what", "value", "unit", "certificate", "how sure"), rows, right=("value",))


def _assumptions(console: Console, result: Result) -> None:
    changed = result.rules.get("changed") or {}
    if result.assumptions:
        _heading(console, "Data nobody publishes, assumed here")
        _table(console, ("data", "what is assumed, and what it changes"), result.assumptions)
    if changed:
        _heading(console, "Rule data changed for this run")
        _table(console, ("data", "value"), [(key, value) for key, value in changed.items()])


def _heading(console: Console, text: str) -> None:
    console.print()
    console.print(_text(text, "bold"))


def _board(console: Console, board: Board) -> None:
    """The board with row and column numbers; a marked square stands in brackets."""
    from rich.text import Text

    fills = board_colours(board.legend)
    labels = [clean(cell[0]) for row in board.cells for cell in row if cell]
    width = max((len(label) for label in labels), default=1)
    margin = len(str(len(board.cells)))
    across = max((len(row) for row in board.cells), default=0)
    head = "".join(str(column).center(width + 2) + " " for column in range(across))
    console.print(_text(" " * (margin + 2) + head))
    for number, row in enumerate(board.cells):
        line = Text(f" {number:>{margin}} ", no_wrap=True)
        for cell in row:
            line.append_text(_square(cell, width, fills)).append(" ")
        console.print(line)
    console.print(_legend(board, fills))
    if board.caption:
        console.print(_text(board.caption))


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
        line.append("[ ] marked")
    line.rstrip()
    return line


def _table(
    console: Console, columns: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[str] = ()
) -> None:
    """A table that shows every cell whole: wide ones continue below with their first column repeated."""
    values = [[plain(row[at]) for row in rows] for at in range(len(columns))]
    cells = [show_column(column) for column in values]
    numeric = [
        name in right or (any(map(is_number, column)) and all(v is None or is_number(v) for v in column))
        for name, column in zip(columns, values, strict=True)
    ]
    names = [heading(name) for name in columns]
    widths = [_least_width(names[at], cells[at], numeric[at]) for at in range(len(names))]
    for number, panel in enumerate(_panels(widths, console.width)):
        if number:
            console.print()
        console.print(_grid(panel, names, cells, numeric, widths))


def _least_width(name: str, cells: Sequence[str], numeric: bool) -> int:
    """Narrowest width at which neither the heading's words nor a number are broken."""
    words = max((len(word) for word in name.split()), default=1)
    longest = max((len(line) for cell in cells for line in cell.splitlines()), default=1)
    return max(words, longest if numeric else min(longest, _MAX_TEXT))


def _panels(widths: Sequence[int], total: int) -> list[list[int]]:
    """Columns packed into as few tables as fit side by side, the first column leading each."""
    panels, used = [[0]], widths[0] + _GAP
    for at in range(1, len(widths)):
        if used + widths[at] + _GAP > total and len(panels[-1]) > 1:
            panels.append([0])
            used = widths[0] + _GAP
        panels[-1].append(at)
        used += widths[at] + _GAP
    return panels


def _grid(
    panel: Sequence[int],
    names: Sequence[str],
    cells: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    widths: Sequence[int],
) -> RenderableType:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for at in panel:
        justify: Any = "right" if numeric[at] else "left"
        grid.add_column(Text(names[at]), justify=justify, min_width=widths[at], overflow="fold")
    for number in range(len(cells[0])):
        grid.add_row(*(Text(cells[at][number]) for at in panel))
    return grid


def _text(text: str, style: str = "") -> Any:
    from rich.text import Text

    return Text(clean(text), style=style, overflow="fold")


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


def _talk(text: str) -> None:
    print(clean(text), file=sys.stderr)  # noqa: T201
