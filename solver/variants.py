"""Two rule readings on the same luck: what a change of the rule data changes, cell by cell.

Random streams are keyed by game, mode and players and not by the rules, so episode g of both readings has
the same deal and the same dice as long as play draws alike, and every change is the mean of a difference of
paired games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from fable_solve.solver import stops
from fable_solve.solver.balance import Plan, label, needed, together, widened
from fable_solve.solver.balance_report import assumptions
from fable_solve.solver.estimate import Interval
from fable_solve.solver.luck import by_chance
from fable_solve.solver.measures import Measure, measures
from fable_solve.solver.paired import paired
from fable_solve.solver.result import Chart, Finding, Result, Section, Series, Table
from fable_solve.solver.rollout import Setup
from fable_solve.solver.rules import RuleData
from fable_solve.solver.sampling import counted, rekeyed, sample
from fable_solve.solver.stops import Stops
from fable_solve.solver.tabulated import ends, tabulated

LUCK = "luck"
"""Share of the variance of the results that chance alone explains."""

HEADLINES = ("first_seat", "mean", "gap", "length", LUCK)


@dataclass(frozen=True)
class Change:
    """One measure of a cell under both readings; ``factor`` is how many times as many games it would take
    without pairs."""

    run: Setup
    measure: str
    unit: str
    first: float
    second: float
    change: Interval
    factor: float | None
    stops: Stops
    """Of the games of both readings."""


def changes(pairs: Sequence[tuple[Setup, Setup]], plan: Plan) -> list[Change]:
    """Every measure of every cell, second reading less first; all intervals hold together."""
    rows = [1 + len(_measured(run)) for run, _ in pairs]
    z = together(sum(rows))
    games = plan.games or needed(z)
    played = counted(plan.progress, len(pairs) * 2 * (games + 2 * plan.paired))
    return [change for pair in pairs for change in _changes(*pair, games, z, plan, played)]


def _measured(run: Setup) -> dict[str, Measure]:
    """All measures but the first seat's second name."""
    found = measures(run.build().game.players, run.by_points)
    return {name: one for name, one in found.items() if name != "win.0"}


def _changes(
    first: Setup, second: Setup, games: int, z: float, plan: Plan, played: Callable[[int], None]
) -> Iterator[Change]:
    blocks = [sample(run, range(games), plan.jobs, played) for run in (first, second)]
    halted = Stops(label(first), sum(int(block.stopped.sum()) for block in blocks), 2 * games)
    for name, one in _measured(first).items():
        found = paired(one.of(blocks[1]), one.of(blocks[0]))
        change = widened(found.difference, z)
        yield Change(first, name, one.unit, found.second.mean, found.first.mean, change, found.factor, halted)
    if plan.paired:
        shares = [by_chance(rekeyed(run), plan.paired, plan.jobs, played) for run in (first, second)]
        before, after = shares
        if before and after:
            change = (after - before).interval(z)
            yield Change(first, LUCK, "share", before.value, after.value, change, None, halted)


def changes_result(
    found: Sequence[Change],
    rules: tuple[RuleData, RuleData],
    told: str,
    seed: int,
    command: str,
    parameters: dict[str, Any],
) -> Result:
    """The report on ``found``, between two readings of the rules; ``told`` says what the second sets."""
    first, second = rules
    chart, tables = _chart(found), tuple(_tables(found, told))
    modes = {one.run.mode for one in found}
    return Result(
        game=first.game,
        title=f"{first.game}: what {told} changes",
        question=f"What does {told} change for the seats, the scores, the length and the luck?",
        summary=tuple(_summary(found, told)),
        mode=next(iter(modes)) if len(modes) == 1 else None,
        players=tuple(sorted({one.run.players for one in found})),
        objective="win",
        seed=seed,
        rules=first.document() | {"against": second.document()},
        assumptions=assumptions([first]),
        findings=tuple(_findings(found)),
        tables=tables,
        charts=chart,
        sections=(Section("Changes", (), (*(one.name for one in chart), *(one.name for one in tables))),),
        method=(
            "Both readings play the same episodes: every source of chance and every seat has random numbers "
            "of its own, which the rule data do not touch. A change is the mean of the games' differences.",
            "luck is the share of the variance of the seats' points (of their shares of the win, where there "
            "are no points) that all chance explains alone: how well games agree in which only the players' "
            "own random choices are drawn anew.",
            "Intervals are normal ones, each so wide that all of them hold together (Bonferroni).",
        ),
        parameters=parameters,
        command=command,
    )


def _summary(found: Sequence[Change], told: str) -> Iterator[str]:
    yield from _changed(found, told)
    yield from stops.told(one.stops for one in found)


def _changed(found: Sequence[Change], told: str) -> Iterator[str]:
    sure = [one for one in found if not one.change.low <= 0 <= one.change.high]
    if not sure:
        yield f"No change is shown of any measure by {told}."
        return
    largest = {one.measure: one for one in sorted(sure, key=lambda one: abs(one.change.value))}
    for name in HEADLINES:
        if name in largest:
            one = largest[name]
            yield (
                f"{name} changes most in {label(one.run)}: from {one.first:.4g} to {one.second:.4g} "
                f"{one.unit} ({_signed(one.change)})."
            )
    still = [name for name in HEADLINES if name not in largest and any(one.measure == name for one in found)]
    if still:
        yield f"No change is shown of {', '.join(still)}."


def _signed(change: Interval) -> str:
    """A change and the ends of its interval, to two digits of the half-width.

    >>> _signed(Interval(-8.2e-05, -0.00016, -4e-06, 20_000))
    '-0.000082, -0.000160 to -0.000004'
    >>> _signed(Interval(12.3456, 11.0, 13.6912, 100))
    '+12.3, +11.0 to +13.7'
    """
    digits = max(0, 1 - floor(log10(change.half_width))) if change.half_width > 0 else 4
    return "{:+.{d}f}, {:+.{d}f} to {:+.{d}f}".format(change.value, change.low, change.high, d=digits)


def _findings(found: Sequence[Change]) -> Iterator[Finding]:
    for one in found:
        if one.measure in HEADLINES:
            name = f"change of {one.measure} ({label(one.run)})"
            yield Finding(name, one.change.value, one.change.certificate, one.unit)


def _tables(found: Sequence[Change], told: str) -> Iterator[Table]:
    """A table a unit."""
    for unit in dict.fromkeys(one.unit for one in found):
        yield tabulated(
            f"changes_{unit}",
            f"What {told} changes, in {unit}",
            (_row(one) for one in found if one.unit == unit),
            {
                "before": "under the rule data as given",
                "after": f"with {told}",
                "change": "after less before, on the same luck; all intervals hold together with 95 %",
                "factor": "how many times as many games it would take without pairs",
            },
        )


def _row(one: Change) -> dict[str, Any]:
    return {
        "cell": label(one.run),
        "measure": one.measure,
        "before": one.first,
        "after": one.second,
        **ends("change", one.change),
        "factor": one.factor,
    }


def _chart(found: Sequence[Change]) -> tuple[Chart, ...]:
    rows = [one for one in found if one.measure == "first_seat"]
    if not rows:
        return ()
    alt = "; ".join(f"{label(one.run)} {one.change.value:+.3f}" for one in rows)
    bars = Series(
        "change",
        [label(one.run) for one in rows],
        [one.change.value for one in rows],
        [one.change.half_width for one in rows],
    )
    title = "Change of the first seat's share of the win"
    return (Chart("first_seat", "bar", title, "cell", "change of the share", alt, (bars,), percent=True),)
