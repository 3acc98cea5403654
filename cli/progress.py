"""Progress on a terminal's stderr, silent everywhere else; Ctrl-C says how far the work was."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from fable_solve.cli.process import repeat_interrupt
from fable_solve.solver import compiling
from fable_solve.solver.errors import Interrupted

COMPILING = "compiling for this machine, once: some seconds"


Note = Callable[[], str]


def nothing() -> str:
    """No more is to be said."""
    return ""


class Progress(Protocol):
    """Told how much is done, how much there is in all where that is known, and what says more when it is
    shown."""

    def __call__(self, done: int, total: int | None, note: Note = ...) -> None: ...


@contextmanager
def counter(unit: str) -> Iterator[Progress]:
    """A progress bar counting ``unit``; raises :class:`Interrupted` with the last count on Ctrl-C."""
    last = 0

    def counted(done: int, total: int | None, note: Note = nothing) -> None:
        nonlocal last
        last = done
        repeat_interrupt()
        show(done, total, note)

    with _compiling(), _bar(unit) as show:
        try:
            yield counted
        except KeyboardInterrupt:
            done = f"{last:,} {unit.removesuffix('s') if last == 1 else unit}"
            raise Interrupted(f"interrupted after {done}; nothing was written") from None


@contextmanager
def _compiling() -> Iterator[None]:
    """Says once that kernels are compiled, if any is."""

    def told() -> None:
        if told in compiling.listeners:
            compiling.listeners.remove(told)
            print(COMPILING, file=sys.stderr)  # noqa: T201

    compiling.listeners.append(told)
    try:
        yield
    finally:
        if told in compiling.listeners:
            compiling.listeners.remove(told)


@contextmanager
def _bar(unit: str) -> Iterator[Progress]:
    if not sys.stderr.isatty():
        yield lambda done, total, note=nothing: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Task, TextColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Pace(TextColumn):
        """Units a second and the time left, by all that was done so far."""

        def render(self, task: Task) -> Text:
            elapsed, done = task.elapsed or 0.0, task.completed
            if not elapsed or not done:
                return Text("")
            left = f", {duration((task.total - done) * elapsed / done)} left" if task.total else ""
            return Text(f"{done / elapsed:,.0f}/s{left}")

    class Said(TextColumn):
        """What more there is to say, asked for when it is shown."""

        def render(self, task: Task) -> Text:
            return Text(task.fields["note"]())

    columns = (
        TextColumn("{task.completed:>12,.0f} " + unit),
        BarColumn(bar_width=24),
        Pace(""),
        Said(""),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(unit, total=None, note=nothing)
        yield lambda done, total, note=nothing: bar.update(task, completed=done, total=total, note=note)


def duration(seconds: float) -> str:
    """A time to wait, in the two units that matter.

    >>> duration(9.2), duration(75), duration(3720), duration(200_000)
    ('9 s', '1 min 15 s', '1 h 2 min', '2 d 7 h')
    """
    whole = max(0, round(seconds))
    for size, unit, small, part in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // small} {part}"
    return f"{whole} s"
