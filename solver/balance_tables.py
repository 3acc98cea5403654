"""The tables of a comparison of games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from fable_solve.solver.balance import Balance, Cell, Step, label, widened
from fable_solve.solver.estimate import Z95, Interval, Mean, mean, wilson
from fable_solve.solver.luck import CHANCE, PLAY
from fable_solve.solver.result import Table
from fable_solve.solver.tabulated import ends, tabulated

SHOWN = (5, 50, 95)
"""Quantiles of the scores that are shown, in per cent."""


def tables(found: Balance) -> tuple[Table, ...]:
    """All tables that have rows."""
    made = (
        _balance(found), _seats(found), _luck(found), _skill(found), _course(found), _endings(found),
        _cells(found),
    )  # fmt: skip
    return tuple(table for table in made if table.frame.height)


def _balance(found: Balance) -> Table:
    return tabulated(
        "balance",
        "All cells on common axes",
        (_balance_row(cell, found.z) for cell in found.cells),
        {
            "cell": "game, mode, players, policy of every seat; a reading of the rules",
            "first": "share of the win of the first seat",
            "first_low": "lower end of its interval (all of this table and of the seats hold together)",
            "first_high": "upper end",
            "advantage": "share of the first seat in even shares, less 1: 0 is fair, 0.1 a tenth more",
            "uneven_seat": "the seat whose share is farthest from an even one",
            "uneven": "its share in even shares, less 1",
            "gap": "points of the first seat less the mean of the others",
            "gap_reach": "half-width of the interval of the gap",
            "mean": "points of a seat, averaged over the seats",
            "sd": "standard deviation of the first seat's points",
            "spread": "points of the winner less those of the second",
            "ties": "share of games whose win is shared",
            "length": "decisions of a game; a simultaneous choice is one",
            "stopped": "share of games stopped before their end",
        },
    )


def _balance_row(cell: Cell, z: float) -> dict[str, Any]:
    means = {name: found.mean for name, found in cell.means.items()}
    return {
        "cell": cell.label,
        **ends("first", cell.win(0, z) if cell.seats > 1 else None),
        "advantage": cell.advantage() if cell.seats > 1 else None,
        "uneven_seat": cell.uneven if cell.seats > 1 else None,
        "uneven": cell.advantage(cell.uneven) if cell.seats > 1 else None,
        "gap": means.get("gap"),
        "gap_reach": z * cell.means["gap"].se if "gap" in means else None,
        "mean": means.get("mean"),
        "sd": cell.tally.scores[0].estimate().sd if cell.run.by_points else None,
        "spread": means.get("spread"),
        "ties": means.get("ties"),
        "length": means["length"],
        "stopped": cell.tally.stopped / cell.tally.games,
    }


def _seats(found: Balance) -> Table:
    return tabulated(
        "seats",
        "Win share and score by seat",
        (_seat_row(cell, seat, found.z) for cell in found.cells for seat in range(cell.seats)),
        {
            "win": "share of the win, with its interval",
            "score": "mean of the game's own points, with its interval",
            "sd": "standard deviation of the points",
            **{f"q{level}": f"points that {level} % of the games do not exceed" for level in SHOWN},
        },
    )


def _seat_row(cell: Cell, seat: int, z: float) -> dict[str, Any]:
    scores = cell.tally.scores[seat]
    return {
        "cell": cell.label,
        "seat": seat,
        **ends("win", cell.win(seat, z)),
        **ends("score", cell.score(seat, z)),
        "sd": scores.estimate().sd,
        **{f"q{level}": value for level, value in scores.quantiles(SHOWN).items()},
    }


def _luck(found: Balance) -> Table:
    return tabulated(
        "luck",
        "How much of the result is luck, by source",
        (row for cell in found.cells for row in _luck_rows(cell)),
        {
            "source": f"a source of chance, {CHANCE}, or {PLAY}: the seats' own random choices",
            "of": "what varies: the seats' shares of the win, or their points",
            "alone": "share of the variance that the source explains by itself (first-order index)",
            "in_all": "share that stays open while all but the source is known (total index)",
        },
        note="Intervals are 95 % each. What it does in all beyond alone, it does by meeting others. Sources "
        "that changed no game are left out.",
    )


def _luck_rows(cell: Cell) -> Iterator[dict[str, Any]]:
    if cell.luck:
        kinds = {"win": cell.luck.wins} | ({"points": cell.luck.points} if cell.run.by_points else {})
        for kind, effects in kinds.items():
            for effect in effects:
                if effect.in_all.value == 0:  # no game was another for it
                    continue
                yield {
                    "cell": cell.label,
                    "source": effect.group,
                    "of": kind,
                    **ends("alone", effect.alone),
                    **ends("in_all", effect.in_all),
                }


def _skill(found: Balance) -> Table:
    return tabulated(
        "skill",
        "What one seat gains by playing better",
        map(_skill_row, found.steps),
        {
            "stronger": "policy of the one seat; the others keep the policy of the cell",
            "win": "its share of the win, every seat in turn",
            "times": "the same in even shares: 1 is what it wins without playing better",
            "edge": "how far it is from an even share (0) to all the wins (1)",
            "points": "its points less the mean of the others (alone: less its own at the lower level)",
        },
        note="Intervals are 95 % each.",
    )


def _skill_row(step: Step) -> dict[str, Any]:
    return {
        "cell": label(step.run),
        "stronger": step.stronger,
        **ends("win", _each(step.win)),
        "times": step.times,
        "edge": step.edge,
        **ends("points", _each(step.points)),
    }


def _each(estimate: Mean | None) -> Interval | None:
    """The 95 % interval of one mean by itself."""
    return widened(estimate, Z95) if estimate else None


def _course(found: Balance) -> Table:
    return tabulated(
        "course",
        "The course of a game",
        (_course_row(cell) for cell in found.cells if cell.courses),
        {
            "games": "watched as they were played by the rules",
            "choices": "choices of one seat in a game, the mean over the seats",
            "options": "legal actions at a choice, the mean over all choices",
            "forced": "share of choices with one legal action only",
            "leads": "how often another seat took the lead alone",
        },
        note="Intervals are 95 % each.",
    )


def _course_row(cell: Cell) -> dict[str, Any]:
    choices = mean([len(one.options) / cell.seats for one in cell.courses])
    leads = mean([one.leads for one in cell.courses]) if cell.run.by_points and cell.seats > 1 else None
    options = [count for one in cell.courses for count in one.options]
    return {
        "cell": cell.label,
        "games": len(cell.courses),
        **ends("choices", _each(choices)),
        "options": sum(options) / max(len(options), 1),
        "most_options": max(options, default=0),
        "forced": options.count(1) / max(len(options), 1),
        **ends("leads", _each(leads)),
    }


def _endings(found: Balance) -> Table:
    return tabulated(
        "endings",
        "How games end",
        (row for cell in found.cells for row in _ending_rows(cell)),
        {"share": "of the watched games, with a 95 % interval each (Wilson)"},
    )


def _ending_rows(cell: Cell) -> Iterator[dict[str, Any]]:
    n = len(cell.courses)
    for name, count in sorted(Counter(one.ending for one in cell.courses).items()):
        yield {"cell": cell.label, "ending": name, **ends("share", wilson(count / n, n))}


def _cells(found: Balance) -> Table:
    rows = (
        {
            "cell": cell.label,
            "game": cell.run.game,
            "mode": cell.run.mode,
            "reading": cell.run.reading or None,
            "players": cell.run.players,
            "seats": cell.seats,
            "policy": cell.run.policies[0],
            "games": cell.tally.games,
        }
        for cell in found.cells
    )
    return tabulated("cells", "What each cell is", rows, headline=False)
