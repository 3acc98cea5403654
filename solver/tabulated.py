"""Tables of a result from rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from fable_solve.solver.result import Table


def tabulated(
    name: str,
    title: str,
    rows: Iterable[Mapping[str, Any]],
    columns: Mapping[str, str] | None = None,
    *,
    headline: bool = True,
    note: str = "",
) -> Table:
    """A table of rows (column -> value) with the same columns each; ``columns`` explains them."""
    import polars as pl

    frame = pl.DataFrame(list(rows), infer_schema_length=None)
    return Table(name, title, frame, dict(columns or {}), headline, note)


def ends(name: str, found: Any) -> dict[str, float | None]:
    """The value of an estimate with its interval as columns ``NAME``, ``NAME_low``, ``NAME_high``; empty
    ones for ``None``. ``found`` is an :class:`fable_solve.solver.estimate.Interval`."""
    if found is None:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
