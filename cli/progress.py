"""Progress on a terminal's stderr, silent everywhere else; Ctrl-C says how far the work was."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fable_solve.solver.errors import Interrupted

Progress = Callable[[int, int | None], None]
"""Called with how much is done, and how much there is in all where that is known."""


@contextmanager
def counter(unit: str) -> Iterator[Progress]:
    """A progress bar counting ``unit``; raises :class:`Interrupted` with the last count on Ctrl-C."""
    last = 0

    def counted(done: int, total: int | None) -> None:
        nonlocal last
        last = done
        show(done, total)

    with _bar(unit) as show:
        try:
            yield counted
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted after {last:,} {unit}; nothing was written") from None


@contextmanager
def _bar(unit: str) -> Iterator[Progress]:
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from fable_solve.solver.jit import is_cold

    if is_cold():
        print("compiling for this machine, once: some seconds", file=sys.stderr)  # noqa: T201
    columns = (
        TextColumn("{task.completed:>12,.0f} " + unit),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(unit, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
