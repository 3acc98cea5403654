"""What a comparison of games found, as a result to be read: the answer first, charts on a common axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from fable_solve.solver import stops
from fable_solve.solver.balance import Balance, Cell, Step, label
from fable_solve.solver.balance_tables import tables
from fable_solve.solver.estimate import Interval
from fable_solve.solver.luck import CHANCE, PLAY
from fable_solve.solver.result import Chart, Finding, Result, Section, Series
from fable_solve.solver.rules import RuleData
from fable_solve.solver.stops import Stops

QUESTION = (
    "Is it fair, for how many players, how long does it last, how much of the result is luck and how much is "
    "skill?"
)


MEET = "how they meet"
"""What no source explains alone."""


def balance_result(
    found: Balance, rules: Sequence[RuleData], seed: int, command: str, parameters: dict[str, Any]
) -> Result:
    """The report on ``found``; ``rules`` are those of each game."""
    names = ", ".join(data.game for data in rules)
    made, charts = tables(found), tuple(_charts(found))
    return Result(
        game=names,
        title=f"Balance: {names}",
        question=QUESTION,
        summary=tuple(_summary(found)),
        mode=common([cell.run.mode for cell in found.cells]),
        players=tuple(sorted({cell.run.players for cell in found.cells})),
        objective="win",
        seed=seed,
        rules=joint_rules(rules),
        assumptions=assumptions(rules),
        findings=tuple(_findings(found)),
        tables=made,
        charts=charts,
        sections=_sections([*(table.name for table in made), *(chart.name for chart in charts)]),
        method=_method(found),
        parameters=parameters,
        command=command,
    )


def joint_rules(rules: Sequence[RuleData]) -> dict[str, Any]:
    """The ``rules`` part of a document on several games: keys are led by the name of their game."""
    if len(rules) == 1:
        return rules[0].document()
    return {
        "digest": " ".join(data.digest for data in rules),
        "assumed": [f"{data.game}.{key}" for data in rules for key in data.assumed],
        "changed": {f"{data.game}.{key}": value for data in rules for key, value in data.changed.items()},
    }


def assumptions(rules: Sequence[RuleData]) -> tuple[tuple[str, str], ...]:
    """What nobody publishes, and the command that shows what it changes."""
    return tuple(
        (f"{data.game}.{key}", f"fable-solve balance {data.game} --against {key}=... shows what it changes")
        for data in rules
        for key in data.assumed
    )


def common(values: Sequence[Any]) -> Any:
    """The value that all share, else ``None``."""
    return values[0] if len(set(values)) == 1 else None


def _summary(found: Balance) -> Iterator[str]:
    rivals = [cell for cell in found.cells if cell.seats > 1]
    if rivals:
        fair, unfair = (pick(rivals, key=_unevenness) for pick in (min, max))
        yield f"Least fair: {_fairness(unfair, unfair.uneven, found.z)}"
        if fair is not unfair:
            yield f"Fairest: {_fairness(fair, fair.uneven, found.z)}"
    else:
        yield f"{found.cells[0].label}: {_points(found.cells[0], found.z)}; there is nobody to win against."
    lucky = [(cell.label, share) for cell in rivals for share in _chance(cell)]
    if lucky:
        yield _luck(*max(lucky, key=lambda one: one[1].value))
    steps = [step for step in found.steps if step.win]
    if steps:
        better, little = (pick(steps, key=lambda step: step.edge or 0) for pick in (max, min))
        if (better.edge or 0) <= 0:
            told = "No later policy of the list wins more than an earlier one; the best is in"
            yield f"{told} {_skill(better)}."
        else:
            yield f"Skill counts most in {_skill(better)}."
        if little is not better and (better.edge or 0) > 0:
            yield f"It counts least in {_skill(little)}."
    yield from stops.told(Stops(cell.label, cell.tally.stopped, cell.tally.games) for cell in found.cells)


def _first(cell: Cell) -> float:
    return cell.advantage()


def _unevenness(cell: Cell) -> float:
    return abs(cell.advantage(cell.uneven))


def _fairness(cell: Cell, seat: int, z: float) -> str:
    won = cell.win(seat, z)
    return (
        f"{cell.label}, where {cell.seat_name(seat)} wins {won.mean:.1%} ({won.low:.1%} to {won.high:.1%}) "
        f"and an even share is {1 / cell.seats:.1%}."
    )


def _points(cell: Cell, z: float) -> str:
    scored = cell.score(0, z)
    return f"{scored.value:.1f} points on average ({scored.low:.1f} to {scored.high:.1f})"


def _chance(cell: Cell) -> Iterator[Interval]:
    """What all sources of chance together explain of the seats' shares of the win, where they vary."""
    if cell.luck:
        yield from (effect.alone for effect in cell.luck.wins if effect.group == CHANCE)


def _luck(label: str, share: Interval) -> str:
    if share.low <= 0:
        return "Chance alone is not shown to explain any of who wins: it counts by how it meets the play."
    return (
        f"Of who wins chance alone explains most in {label}: {share.value:.1%} "
        f"({share.low:.1%} to {share.high:.1%})."
    )


def _skill(step: Step) -> str:
    assert step.win is not None
    return (
        f"{label(step.run)}, where one {step.stronger} seat among {step.run.policies[0]} ones wins "
        f"{step.win.mean:.1%} and an even share is {1 / step.seats:.1%}"
    )


def _findings(found: Balance) -> Iterator[Finding]:
    for cell in found.cells:
        if cell.seats > 1:
            won = cell.win(0, found.z)
            yield Finding(f"win share of the first seat ({cell.label})", won.mean, won.certificate, "share")
        else:
            scored = cell.score(0, found.z)
            yield Finding(f"score ({cell.label})", scored.value, scored.certificate, "points")


def _charts(found: Balance) -> Iterator[Chart]:
    yield from _fairness_charts(found)
    yield from _luck_charts(found)


def _fairness_charts(found: Balance) -> Iterator[Chart]:
    rivals = [cell for cell in found.cells if cell.seats > 1]
    for policy in dict.fromkeys(cell.run.policies[0] for cell in rivals):
        cells = [cell for cell in rivals if cell.run.policies[0] == policy]
        for kind, title, value in (
            ("first", "share of the win of the first seat beyond an even one", _first),
            ("uneven", "how far the most uneven seat is from an even share", _unevenness),
        ):
            ends = [(value(cell), cell.label) for cell in cells]
            (low, lowest), (high, highest) = min(ends), max(ends)
            yield Chart(
                f"{kind}_{policy}",
                "line",
                f"All {policy}: {title}",
                "seats",
                "in even shares",
                f"From {low:+.2f} ({lowest}) to {high:+.2f} ({highest}); 0 is fair.",
                series=tuple(_series(cells, value, found.z)),
            )


def _luck_charts(found: Balance) -> Iterator[Chart]:
    """What each source explains alone, and what is left to how they meet, on one axis for all cells."""
    kinds = {kind: [(cell.label, _parts(cell, kind)) for cell in found.cells] for kind in ("win", "points")}
    named = [{name for _, shares in cells for name in shares} for cells in kinds.values()]
    order = sorted(
        {*named[0], *named[1]} - {PLAY}, key=lambda name: (sum(name in own for own in named) < 2, name)
    )
    for kind, what in (("win", "who wins"), ("points", "the points")):
        parts = {label: shares for label, shares in kinds[kind] if shares}
        if not parts:
            continue
        names = [PLAY, *order]  # in an order that gives a source the same colour in both
        parts = {label: shares | {MEET: 1 - sum(shares.values())} for label, shares in parts.items()}
        (low, least), (high, most) = (
            pick((p[MEET], label) for label, p in parts.items()) for pick in (min, max)
        )
        own = {name: [label for label in parts if name in parts[label]] for name in (*names, MEET)}
        yield Chart(
            f"luck_{kind}",
            "stack",
            f"How much of {what} each source explains alone",
            "cell",
            "share of the variance",
            f"What no source explains alone, but how they meet: from {low:.0%} ({least}) to {high:.0%} "
            f"({most}).",
            tuple(Series(name, on, [parts[label][name] for label in on]) for name, on in own.items() if on),
            percent=True,
        )


def _parts(cell: Cell, kind: str) -> dict[str, float]:
    """Share of the variance that each source and the seats' own choices explain alone, as far as it is above
    0; nothing where there is no such variance."""
    if not cell.luck or (kind == "points" and not cell.run.by_points):
        return {}
    effects = cell.luck.wins if kind == "win" else cell.luck.points
    return {
        effect.group: max(0.0, effect.alone.value)
        for effect in effects
        if effect.group != CHANCE and effect.in_all.value != 0
    }


def _series(cells: Sequence[Cell], value: Callable[[Cell], float], z: float) -> Iterator[Series]:
    """One line a game, mode and reading over the number of seats."""
    for game in dict.fromkeys(map(_line, cells)):
        own = [cell for cell in cells if _line(cell) == game]
        seats, reaches = (
            [cell.seats for cell in own],
            [cell.win(0, z).half_width * cell.seats for cell in own],
        )
        yield Series(game, seats, [value(cell) for cell in own], reaches)


def _line(cell: Cell) -> str:
    run = cell.run
    return " ".join(word for word in (run.game, run.mode, run.reading) if word)


def _sections(there: Sequence[str]) -> tuple[Section, ...]:
    """The tables and charts that are there, in order."""
    charts = [name for name in there if name.startswith(("first_", "uneven_"))]
    lucky = [name for name in there if name in ("luck_win", "luck_points")]
    luck = (
        "A source explains a share of the result alone, and more together with the others. Where all of them "
        "explain little alone, no single throw or card decides who wins: how they meet does."
    )
    wanted = [
        ("Fairness", (), ["balance", *charts, "seats"]),
        ("Luck", (luck,), [*lucky, "luck"]),
        ("Skill", ("How far a better policy brings one seat among weaker ones.",), ["skill"]),
        ("The course of a game", (), ["course", "endings"]),
    ]
    return tuple(
        Section(title, paragraphs, shown)
        for title, paragraphs, names in wanted
        if (shown := tuple(name for name in names if name in there))
    )


def _method(found: Balance) -> tuple[str, ...]:
    lines = [
        f"{found.cells[0].tally.games:,} games a cell, all seats with the same policy. Win shares have "
        f"Wilson's interval, means a normal one, each at {found.z:.2f} standard errors, so that all "
        "intervals of cells and of seats hold together with 95 % (Bonferroni).",
        "What a number says of a seat it says under this policy: other play may favour another seat.",
    ]
    effects = [effect for cell in found.cells if cell.luck for effect in (*cell.luck.wins, *cell.luck.points)]
    if effects:
        lines.append(
            f"Luck: {effects[0].alone.n:,} pairs of games for each index, in which one source of chance is "
            "drawn anew and the others kept (alone: the other way round); variances are summed over the "
            "seats."
        )
    if found.steps:
        lines.append("Skill: one seat plays the next policy of the list, each seat in turn, same episodes.")
    return tuple(lines)
