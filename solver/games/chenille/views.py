"""Tables and charts of the study."""

from __future__ import annotations

from collections.abc import Sequence

from fable_solve.solver.games.chenille.cells import SIDES, SMALL, Cell, Exact, Small
from fable_solve.solver.games.chenille.rules import CHENILLES
from fable_solve.solver.result import Chart, Series, Table


def wins_table(cells: Sequence[Cell]) -> Table:
    """Win share, length and stopped games of every cell."""
    import polars as pl

    rows = [
        {
            "deck": cell.reading.deck,
            "redraw": cell.reading.redraw,
            "guepe": cell.policies[0],
            "chenilles": cell.policies[1],
            "games": cell.games,
            "chenilles_win": cell.wins.mean,
            "win_low": cell.wins.low,
            "win_high": cell.wins.high,
            "length": cell.length.mean,
            "length_se": cell.length.se,
            "stopped": int(cell.side(CHENILLES)["stopped"].sum()),
        }
        for cell in cells
    ]
    columns = {
        "deck": "reading of the deck",
        "redraw": "whether the second card is optional or forced",
        "guepe": "policy of the Guepe",
        "chenilles": "policy of the Chenilles",
        "games": "games played",
        "chenilles_win": "share of games the Chenilles win",
        "win_low": "lower end of Wilson's 95 % interval",
        "win_high": "upper end of Wilson's 95 % interval",
        "length": "mean number of decisions of a game",
        "length_se": "standard error of the length",
        "stopped": "games stopped by the turn limit, counted for the Guepe",
    }
    return Table("win_rates", "Win shares by reading", pl.DataFrame(rows), columns)


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
                    pl.lit(cell.reading.deck).alias("deck"),
                    pl.lit(cell.reading.redraw).alias("redraw"),
                    pl.lit(cell.policies[0]).alias("guepe"),
                    pl.lit(cell.policies[1]).alias("chenilles"),
                    pl.lit(what).alias("what"),
                    pl.col("score").cast(pl.Int64).alias("number"),
                    pl.col("games").cast(pl.Int64),
                )
            )
    columns = {
        "deck": "reading of the deck",
        "redraw": "whether the second card is optional or forced",
        "guepe": "policy of the Guepe",
        "chenilles": "policy of the Chenilles",
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
        shares = ", ".join(f"{cell.reading.label} {cell.wins.mean:.1%}" for cell in chosen)
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
        worths = ", ".join(f"{item.reading.label} {item.value:.3g}" for item in chosen)
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
