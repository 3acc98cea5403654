"""Tables and charts of the study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fable_solve.solver.games.chenille.cells import SIDES, SMALL, Cell, Exact, Small
from fable_solve.solver.games.chenille.compare import Difference
from fable_solve.solver.games.chenille.readings import Reading
from fable_solve.solver.result import Chart, Series, Table

ROW = {
    "deck": "reading of the deck",
    "redraw": "whether the second card is optional or forced",
    "guepe": "policy of the Guepe",
    "chenilles": "policy of the Chenilles",
}
"""The columns that say which cell a row is about."""

DECISIONS = (
    "decisions of a game: start, offers, moves and, where the redraw is optional, each choice whether to "
    "turn a second card, so that numbers of optional and forced redraw cannot be compared"
)


def row(cell: Cell) -> dict[str, Any]:
    """The entries of :data:`ROW`."""
    guepe, chenilles = cell.policies
    return {
        "deck": cell.reading.deck,
        "redraw": cell.reading.redraw,
        "guepe": guepe,
        "chenilles": chenilles,
    }


def wins_table(cells: Sequence[Cell]) -> Table:
    """Win share of every cell, to be shown."""
    import polars as pl

    rows = [
        {**row(cell), "win": cell.wins.mean, "low": cell.wins.low, "high": cell.wins.high} for cell in cells
    ]
    columns = {
        **ROW,
        "win": "share of games the Chenilles win",
        "low": "lower end of Wilson's 95 % interval",
        "high": "upper end of Wilson's 95 % interval",
    }
    stopped = sum(cell.stopped for cell in cells)
    note = f"{cells[0].games:,} games a row; {stopped or 'none'} stopped by the turn limit."
    return Table("wins", "Win share of the Chenilles by reading", pl.DataFrame(rows), columns, note=note)


def games_table(cells: Sequence[Cell]) -> Table:
    """Win share, length and stopped games of every cell, to be stored."""
    import polars as pl

    rows = [
        {
            **row(cell),
            "games": cell.games,
            "chenilles_win": cell.wins.mean,
            "win_low": cell.wins.low,
            "win_high": cell.wins.high,
            "decisions": cell.length.mean,
            "decisions_se": cell.length.se,
            "stopped": cell.stopped,
        }
        for cell in cells
    ]
    columns = {
        **ROW,
        "games": "games played",
        "chenilles_win": "share of games the Chenilles win",
        "win_low": "lower end of Wilson's 95 % interval",
        "win_high": "upper end of Wilson's 95 % interval",
        "decisions": f"mean number of {DECISIONS}",
        "decisions_se": "standard error of that mean",
        "stopped": "games stopped by the turn limit, counted for the Guepe",
    }
    title = "Win shares and decisions a game by reading"
    return Table("win_rates", title, pl.DataFrame(rows), columns, headline=False)


def differences_table(found: Sequence[Difference], first: Reading) -> Table:
    """Which readings can be told from the first one."""
    import polars as pl

    rows = [
        {
            **row(item.cell),
            "difference": item.value,
            "low": item.low,
            "high": item.high,
            "chenilles_win": item.apart,
        }
        for item in found
    ]
    columns = {
        **ROW,
        "difference": f"win share of the Chenilles less that with {first.label}, same policies",
        "low": "lower end of its interval",
        "high": "upper end of its interval",
        "chenilles_win": "more or less often than with the first reading, or open: the interval holds 0",
    }
    note = "Intervals by Newcombe, 95 % for all rows of one pair of policies together; open: it holds 0."
    title = f"Difference of the win share from that with {first.label}"
    return Table("differences", title, pl.DataFrame(rows), columns, note=note)


def exact_table(values: Sequence[Exact]) -> Table:
    """Exact values of the small games."""
    import polars as pl

    rows = [
        {
            "game": item.small.name,
            "deck": item.reading.deck,
            "redraw": item.reading.redraw,
            "value": item.value,
            "tolerance": item.error,
            "start": f"{item.start[0]} and {item.start[1]}",
            "states": item.states,
        }
        for item in values
    ]
    columns = {
        "game": "which small game",
        "deck": "reading of the deck",
        "redraw": "whether the second card is optional or forced",
        "value": "probability that the Chenilles win, both sides optimal, discards open",
        "tolerance": "proved bound of the error",
        "start": "a best pair of places for the wasps",
        "states": "states solved",
    }
    return Table(
        "exact_values", "Exact values of small games", pl.DataFrame(rows), columns, note=small_note()
    )


def scores_table(cells: Sequence[Cell]) -> Table:
    """How many games ended with each number of captures and of butterflies."""
    import polars as pl

    frames = []
    for cell in cells:
        for seat, what in enumerate(("captured", "butterflies")):
            counts = cell.side(seat).group_by("score").len("games").sort("score")
            frames.append(
                counts.select(
                    *(pl.lit(text).alias(name) for name, text in row(cell).items()),
                    pl.lit(what).alias("what"),
                    pl.col("score").cast(pl.Int64).alias("number"),
                    pl.col("games").cast(pl.Int64),
                )
            )
    columns = {
        **ROW,
        "what": "captured caterpillars or butterflies at the end",
        "number": "how many",
        "games": "games that ended with this number",
    }
    return Table("scores", "Captures and butterflies at the end", pl.concat(frames), columns, headline=False)


def small_note() -> str:
    parts = [
        f"{small.name}: {' '.join(small.ring)}, {small.caterpillars} caterpillars, "
        f"butterflies to win {small.butterflies_to_win}, captures to win {small.captures_to_win}"
        for small in SMALL
    ]
    return "; ".join(parts) + "."


def win_charts(cells: Sequence[Cell]) -> list[Chart]:
    """One chart a pair of policies: win share by deck, one series a rule for the second card."""
    charts = []
    for pair in SIDES:
        chosen = [cell for cell in cells if cell.policies == pair]
        series = [
            Series(
                f"redraw {redraw}",
                [cell.reading.deck for cell in chosen if cell.reading.redraw == redraw],
                [cell.wins.mean for cell in chosen if cell.reading.redraw == redraw],
                [cell.wins.half_width for cell in chosen if cell.reading.redraw == redraw],
            )
            for redraw in dict.fromkeys(cell.reading.redraw for cell in chosen)
        ]
        shares = "; ".join(f"{cell.reading.label} {cell.wins.mean:.1%}" for cell in chosen)
        charts.append(
            Chart(
                f"wins_{pair[0]}",
                "bar",
                f"How often the Chenilles win, both sides {pair[0]}",
                "deck",
                "win share of the Chenilles",
                f"Win share of the Chenilles when both sides play {pair[0]}: {shares}.",
                tuple(series),
                percent=True,
            )
        )
    return charts


def exact_charts(values: Sequence[Exact]) -> list[Chart]:
    """One chart a small game: exact value by deck, one series a rule for the second card."""
    charts = []
    for small in SMALL:
        chosen = [item for item in values if item.small == small]
        series = [
            Series(
                f"redraw {redraw}",
                [item.reading.deck for item in chosen if item.reading.redraw == redraw],
                [item.value for item in chosen if item.reading.redraw == redraw],
            )
            for redraw in dict.fromkeys(item.reading.redraw for item in chosen)
        ]
        worths = "; ".join(f"{item.reading.label} {item.probability}" for item in chosen)
        charts.append(
            Chart(
                chart_name(small),
                "bar",
                f"Best play on the {small.name} (small game)",
                "deck",
                "probability that the Chenilles win",
                f"Exact win probability of the Chenilles on the {small.name}: {worths}.",
                tuple(series),
                value_format=".2g",
            )
        )
    return charts


def chart_name(small: Small) -> str:
    return f"exact_{small.name.replace(' ', '_')}"
