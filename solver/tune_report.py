"""What a sweep of rule data found, as a result to be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fable_solve.solver import stops
from fable_solve.solver.balance_report import assumptions
from fable_solve.solver.result import Chart, Finding, Result, Section, Series, Table
from fable_solve.solver.rules import RuleData
from fable_solve.solver.stops import Stops
from fable_solve.solver.tabulated import ends, tabulated
from fable_solve.solver.tune import Param, Setting, Tuning

GIVEN_UP = "given up"


def tune_result(found: Tuning, rules: RuleData, command: str, parameters: dict[str, Any]) -> Result:
    """The report on ``found``; ``rules`` are those that the settings change."""
    run, measure = found.settings[0].run, found.goal.measure
    chart = _chart(found)
    return Result(
        game=run.game,
        title=f"Tuning of {run.game}: {measure.name} towards {found.goal.target:g}",
        question=f"Which rule data bring {measure.name} ({measure.meaning}) nearest to "
        f"{found.goal.target:g}?",
        summary=tuple(_summary(found)),
        mode=run.mode,
        players=(run.players,),
        objective=None,
        seed=run.seed,
        rules=rules.document(),
        assumptions=assumptions([rules]),
        findings=tuple(_findings(found)),
        tables=(_table(found),),
        charts=(chart,),
        sections=(Section("Response", (), (chart.name, "settings")),),
        method=_method(found),
        parameters=parameters,
        command=command,
    )


def _summary(found: Tuning) -> Iterator[str]:
    goal, best = found.goal, found.nearest
    level = goal.level(best)
    yield (
        f"Nearest to {goal.target:g} is {best.label}: {goal.measure.name} {level.value:.4g} "
        f"({level.low:.4g} to {level.high:.4g}, {best.games:,} games)."
    )
    if not level.low <= goal.target <= level.high:
        yield f"It misses the target: with it {goal.measure.name} is not {goal.target:g}."
    others = found.undecided
    if others:
        named = "; ".join(setting.label for setting in others[:5])
        more = f" and {len(others) - 5} more" if len(others) > 5 else ""
        yield f"As near, for all that these games tell: {named}{more}."
    elif len(found.settings) > 1:
        yield "Every other setting is farther off, beyond what chance explains."
    yield from stops.told(Stops(one.label, one.stopped, one.games) for one in found.settings)


def _findings(found: Tuning) -> Iterator[Finding]:
    goal = found.goal
    for setting in sorted(found.settings, key=lambda one: (not one.open, goal.distance(one))):
        level = goal.level(setting)
        yield Finding(f"{goal.measure.name} ({setting.label})", level.value, level.certificate,
                      goal.measure.unit)  # fmt: skip


def _table(found: Tuning) -> Table:
    goal = found.goal
    rows = [
        {
            **setting.values,
            **ends(goal.measure.name, goal.level(setting)),
            "off": goal.distance(setting),
            "games": setting.games,
            "state": _state(found, setting),
        }
        for setting in found.settings
    ]
    meaning = {
        goal.measure.name: goal.measure.meaning,
        "off": "distance of the mean from the target",
        "games": "played before it was given up, or in all",
        "state": "nearest; open: cannot be told from it; given up: farther off for sure",
    }
    return tabulated("settings", "Settings and their response", rows, meaning)


def _state(found: Tuning, setting: Setting) -> str:
    if setting is found.nearest:
        return "nearest"
    return "open" if setting.open else GIVEN_UP


def _chart(found: Tuning) -> Chart:
    """A line over one number, cells over two parameters, else bars."""
    measure, title = found.goal.measure, f"{found.goal.measure.name} by setting"
    alt = f"Nearest to {found.goal.target:g}: {found.nearest.label}, {found.nearest.mean:.4g}."
    if len(found.params) == 2:
        across, down = found.params[1], found.params[0]
        means = iter(setting.mean for setting in found.settings)
        cells = tuple(tuple(next(means) for _ in across.values) for _ in down.values)
        return Chart("response", "heatmap", title, across.key, down.key, alt, cells=cells,
                     x_labels=across.values, y_labels=down.values, value_label=measure.name,
                     percent=measure.unit == "share")  # fmt: skip
    levels = [found.goal.level(setting) for setting in found.settings]
    numbers = _numbers(found.params)
    x: Sequence[Any] = numbers or [setting.label for setting in found.settings]
    bars = [Series(measure.name, x, [one.value for one in levels], [one.half_width for one in levels])]
    if numbers:
        bars.append(Series("target", [min(numbers), max(numbers)], [found.goal.target] * 2))
    label = found.params[0].key if len(found.params) == 1 else "setting"
    return Chart("response", "line" if numbers else "bar", title, label, f"{measure.name} ({measure.unit})",
                 alt, tuple(bars), percent=measure.unit == "share")  # fmt: skip


def _numbers(params: tuple[Param, ...]) -> list[float] | None:
    """The values of a single parameter, if they are rising numbers."""
    try:
        values = [float(value) for value in params[0].values]
    except ValueError:
        return None
    rising = len(params) == 1 and len(values) > 1 and values == sorted(values)
    return [int(value) if value.is_integer() else value for value in values] if rising else None


def _method(found: Tuning) -> tuple[str, ...]:
    policies = ", ".join(found.settings[0].run.policies)
    kind = "proved at every number of games" if found.goal.measure.bounds else "asymptotic"
    return (
        f"{len(found.settings)} settings, played by {policies} on the same episodes: looked at after 1,024 "
        "games each, then after twice as many each time.",
        "A setting was given up once confidence sequences of its difference from the nearest one, and of "
        "their sum, told that it is farther off. All sequences hold together, at every look, with 95 % "
        f"(Bonferroni); they are {kind}.",
    )
