"""What strong play shows: one sheet of ``optimised``, and the same dice with one thing changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fable_solve.solver.estimate import Mean, mean, share
from fable_solve.solver.games.feuilles.findings import READINGS
from fable_solve.solver.games.feuilles.sampling import filled
from fable_solve.solver.games.feuilles.sheet import NAMES
from fable_solve.solver.games.feuilles.tables import frame
from fable_solve.solver.games.feuilles.whatif import Solo
from fable_solve.solver.registry import get
from fable_solve.solver.result import Certificate, Chart, Finding, Section, Series, Table
from fable_solve.solver.rollout import setup
from fable_solve.solver.study import Request

MOST = 400_000
"""Rounds of one sheet that are looked at."""
JOKERS_EVERY = 3
"""Rounds between two at which a joker is given."""
LATEST = 4
"""Most rounds to come at which ending is looked at."""
FEWEST = 10
"""Games below which a mean is not shown."""
READING = "reading of the leaf bonuses"
LOW, HIGH = "lower end of its 95 % interval", "upper end of its 95 % interval"


@dataclass(frozen=True)
class Strong:
    """The part of a result that is about one sheet of ``optimised``."""

    findings: tuple[Finding, ...]
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]
    sections: tuple[Section, ...]


def look(request: Request) -> Strong:
    """Zones by round, jokers, leaf bonuses and early ends, under both readings with the same dice."""
    games = min(int(request.options["games"]), MOST // request.rules.model.rounds)
    solos = {reading: _solo(request, reading, games) for reading in READINGS}
    own = request.rules.model.leaf_bonus
    jokers, bonuses = _jokers(solos), _bonuses(solos)
    choices, rules = _choices(solos), _rules(solos)
    every = (_zone_speed(solos), _zone_rounds(solos), jokers, bonuses, _early(solos), choices, rules)
    tables = tuple(table for table in every if table.frame.height)
    findings = (*_joker_findings(jokers, own), *_rule_findings(rules, own, request.rules.model.rounds))
    charts = (_filled_chart(solos[own]), _written_chart(solos[own]))
    shown = {table.name for table in tables} | {chart.name for chart in charts}
    return Strong(findings, tables, charts, _sections(own, shown, findings))


def _solo(request: Request, reading: str, games: int) -> Solo:
    model = request.rules.model.model_copy(update={"leaf_bonus": reading})
    rules = replace(request.rules, model=model)
    return Solo(setup(get("feuilles"), 1, ("optimised",), rules, seed=request.seed).build(), games)


def _between(found: Mean) -> dict[str, float]:
    return {"low": found.certificate.low or 0.0, "high": found.certificate.high or 0.0}


# --- zones


def _zone_speed(solos: dict[str, Solo]) -> Table:
    rows = []
    for reading, solo in solos.items():
        rounds, last = filled(solo.course)[:, 0], solo.rules.rounds
        for zone, name in enumerate(NAMES):
            own = rounds[:, zone]
            row = {f"by_{at}": float((own <= at).mean()) for at in _quarters(last)}
            full, when = share(own <= last), own[own <= last]
            ends = {"full": full.mean, "low": full.low, "high": full.high}
            median = float(np.median(when)) if len(when) else None
            rows.append(
                {"leaf_bonus": reading, "name": name, "games": len(own), **row, **ends, "median": median}
            )
    last = next(iter(solos.values())).rules.rounds
    columns = {
        "leaf_bonus": READING,
        "name": "name of the zone",
        "games": "games of one sheet played by optimised",
        **{f"by_{at}": f"share of sheets that have filled it after round {at}" for at in _quarters(last)},
        "full": "share of sheets that fill it",
        "low": LOW,
        "high": HIGH,
        "median": "round that fills it, the median of the sheets that do",
    }
    return Table("zone_speed", "When zones are filled", frame(rows), columns)


def _quarters(rounds: int) -> list[int]:
    """Half and three quarters of the rounds."""
    return [rounds // 2, 3 * rounds // 4]


def _zone_rounds(solos: dict[str, Solo]) -> Table:
    rows = []
    for reading, solo in solos.items():
        lacks, written = solo.course.lacks[:, :, 0], _written(solo)
        cells = [sum(map(len, zone.empty)) for zone in solo.rules.zones]
        for zone, name in enumerate(NAMES):
            for at in range(solo.rules.rounds):
                rows.append(
                    {
                        "leaf_bonus": reading,
                        "name": name,
                        "round": at + 1,
                        "cells": float(cells[zone] - lacks[:, at, zone].mean()),
                        "full": float((lacks[:, at, zone] == 0).mean()),
                        "written": written[zone][at],
                    }
                )
    columns = {
        "leaf_bonus": READING,
        "name": "name of the zone",
        "round": "round, from 1; a game that has ended stays as it is",
        "cells": "mean number of its cells filled after the round",
        "full": "share of sheets that have filled it",
        "written": "share of sheets that write a number in it in this round",
    }
    return Table("zone_rounds", "Zones round by round", frame(rows), columns, headline=False)


def _written(solo: Solo) -> list[list[float]]:
    """Share of sheets that write in a zone in each round: ``[zones][rounds]``."""
    wrote, rounds = solo.course.wrote[:, :, 0], np.arange(solo.rules.rounds)
    wrote = np.where(rounds < solo.course.block.lengths[:, None], wrote, 0)
    return [(wrote == zone).mean(axis=0).tolist() for zone in range(1, len(NAMES) + 1)]


def _filled_chart(solo: Solo) -> Chart:
    lacks = solo.course.lacks[:, :, 0] == 0
    rounds = list(range(1, solo.rules.rounds + 1))
    series = tuple(
        Series(name, rounds, lacks[:, :, zone].mean(axis=0).tolist()) for zone, name in enumerate(NAMES)
    )
    words = ", ".join(f"{line.label} {100 * line.y[-1]:.0f} %" for line in series)
    return Chart(
        "zones_filled",
        "line",
        f"Sheets that have filled a zone, leaf bonus {solo.rules.leaf_bonus}",
        "round",
        "share of sheets",
        f"At the end: {words}.",
        series,
        percent=True,
    )


def _written_chart(solo: Solo) -> Chart:
    cells = tuple(tuple(100 * share for share in row) for row in _written(solo))
    firsts = ", ".join(f"{name} {row[0]:.0f} %" for name, row in zip(NAMES, cells, strict=True))
    return Chart(
        "zones_written",
        "heatmap",
        f"Where the number of a round goes, leaf bonus {solo.rules.leaf_bonus}",
        "round",
        "zone",
        f"In the first round: {firsts}.",
        cells=cells,
        x_labels=tuple(str(at) for at in range(1, solo.rules.rounds + 1)),
        y_labels=NAMES,
        value_label="% of sheets",
        value_format=".0f",
    )


# --- jokers and leaf bonuses


def _jokers(solos: dict[str, Solo]) -> Table:
    rows = []
    for reading, solo in solos.items():
        for rounds in range(1, solo.rules.rounds, JOKERS_EVERY):
            played, learned = solo.jokers(rounds)
            if len(played) >= FEWEST:
                found, said = mean(played), {"learned": float(learned.mean())}
                key = {"leaf_bonus": reading, "rounds": rounds, "games": found.n}
                rows.append({**key, "brings": found.mean, **_between(found), **said})
    columns = {
        "leaf_bonus": READING,
        "rounds": "rounds completed when the X is given",
        "games": "games that play on then",
        "brings": "points that it adds to the final score, the same dice",
        "low": LOW,
        "high": HIGH,
        "learned": "the same by the learned values; early X are not in the play they were learned from",
    }
    return Table("jokers", "What one X more brings", frame(rows), columns)


def _bonuses(solos: dict[str, Solo]) -> Table:
    rows = []
    for reading, solo in solos.items():
        for total, bonus in sorted(solo.rules.bonus_at.items()):
            earned = share(_earns(solo, total))
            hoped, known = (mean(solo.without(total, known)) for known in (False, True))
            rows.append(
                {
                    "leaf_bonus": reading,
                    "total": total,
                    "bonus": str(bonus),
                    "games": solo.games,
                    "earned": earned.mean,
                    "lost": hoped.mean,
                    **_between(hoped),
                    "lost_known": known.mean,
                    **{f"{end}_known": value for end, value in _between(known).items()},
                }
            )
    columns = {
        "leaf_bonus": READING,
        "total": "leaf total",
        "bonus": "its bonus: points, or X",
        "games": "games of one sheet played by optimised",
        "earned": "share of sheets that earn it",
        "lost": "points that a sheet loses if it is not paid, and the player finds out too late",
        "low": LOW,
        "high": HIGH,
        "lost_known": "the same if the player knows it when choosing, though not what it changes later",
        "low_known": LOW,
        "high_known": HIGH,
    }
    note = "Who learned to play without the bonus would lose less: both are upper limits of what it is worth."
    return Table("bonuses", "What each leaf bonus is worth", frame(rows), columns, note=note)


def _earns(solo: Solo, total: int) -> Any:
    """Whether each sheet earns the bonus at a leaf total."""
    leaves = solo.course.leaves[:, :, 0]
    return (leaves == total).any(1) if solo.rules.leaf_bonus == "exact" else leaves[:, -1] >= total


# --- when to end


def _early(solos: dict[str, Solo]) -> Table:
    rows = []
    for reading, solo in solos.items():
        rules, leaves = solo.rules, solo.course.leaves[:, -1, 0]
        early = (leaves >= rules.leaf_target) & (solo.course.block.lengths < rules.rounds)
        ended, hit = share(early), leaves[early] == rules.leaf_target
        rows.append(
            {
                "leaf_bonus": reading,
                "games": ended.n,
                "early": ended.mean,
                "low": ended.low,
                "high": ended.high,
                "hit": _mean_of(hit),
                "early_score": _mean_of(solo.scores[early]),
                "late_score": _mean_of(solo.scores[~early]),
            }
        )
    columns = {
        "leaf_bonus": READING,
        "games": "games of one sheet played by optimised",
        "early": "share of them that a leaf total ends before the last round",
        "low": LOW,
        "high": HIGH,
        "hit": "of these, the share that ends on the very target",
        "early_score": "their mean score, points",
        "late_score": "mean score of the others, points",
    }
    return Table("early_ends", "Games that end early", frame(rows), columns)


def _mean_of(values: Any) -> float | None:
    return float(values.mean()) if len(values) else None


def _choices(solos: dict[str, Solo]) -> Table:
    rows = []
    for reading, solo in solos.items():
        for left in range(1, min(LATEST, solo.rules.rounds - 1) + 1):
            _, stop, on = solo.choices(solo.rules.rounds - left - 1)
            if len(stop) >= FEWEST:
                found, key = mean(stop - on), {"leaf_bonus": reading, "left": left, "games": len(stop)}
                means = {"ending": float(stop.mean()), "playing_on": float(on.mean())}
                rows.append({**key, **means, "difference": found.mean, **_between(found)})
    columns = {
        "leaf_bonus": READING,
        "left": "rounds to come after this one",
        "games": "games in which the roll allows both (exact: to end on the very target)",
        "ending": "mean points still made if the round ends the game",
        "playing_on": "mean points still made if it does not",
        "difference": "ending less playing on, the same dice, points",
        "low": LOW,
        "high": HIGH,
    }
    return Table("ending", "To end the game or to play on", frame(rows), columns)


def _rules(solos: dict[str, Solo]) -> Table:
    rows = []
    for reading, solo in solos.items():
        for left in range(min(LATEST, solo.rules.rounds - 1) + 1):
            points, ends = solo.ending(left)
            found, early = mean(points - solo.scores), ends[:, 0] < solo.rules.rounds
            key = {"leaf_bonus": reading, "left": left, "games": found.n, "early": float(early.mean())}
            rows.append({**key, "difference": found.mean, **_between(found)})
    columns = {
        "leaf_bonus": READING,
        "left": "rounds to come after the first in which the rule ends the game; it avoids it before",
        "games": "games of one sheet",
        "early": "share of games that it ends before the last round",
        "difference": "its score less that of optimised, which weighs every case, points",
        "low": LOW,
        "high": HIGH,
    }
    return Table("ending_rules", "Simple rules for the end", frame(rows), columns)


# --- what is said


def _joker_findings(jokers: Table, own: str) -> list[Finding]:
    """At the first and the last of the rounds at which one is given."""
    rows = [row for row in jokers.frame.to_dicts() if row["leaf_bonus"] == own]
    return [
        Finding(
            f"one X more after round {row['rounds']}",
            row["brings"],
            _certificate(row),
            "points",
            f"Given to a sheet of optimised play where it is worth most, leaf bonus {own}, the same dice.",
        )
        for row in (rows if len(rows) < 2 else (rows[0], rows[-1]))
    ]


def _rule_findings(rules: Table, own: str, last: int) -> list[Finding]:
    rows = [row for row in rules.frame.to_dicts() if row["leaf_bonus"] == own]
    best = max(rows, key=lambda row: row["difference"])
    how = "on the very target" if own == "exact" else "at the target or above"
    return [
        Finding(
            f"ending {how} from round {last - best['left']} on",
            best["difference"],
            _certificate(best),
            "points",
            f"Score less that of optimised play; the best of {len(rows)} simple rules, leaf bonus {own}.",
        )
    ]


def _certificate(row: dict[str, Any]) -> Certificate:
    return Certificate.sampled(row["low"], row["high"], row["games"])


def _joker_sentence(jokers: Sequence[Finding]) -> Iterator[str]:
    given = [f"{_number(found)} {found.name.removeprefix('one X more ')}" for found in jokers]
    if given:
        yield f"One X more brings optimised play, in points, {' and '.join(given)}."


def _rule_sentence(rule: Finding) -> str:
    return (
        f"The best simple rule for the end, {rule.name} and not before, scores {_number(rule)} points "
        "against optimised play."
    )


def _number(found: Finding) -> str:
    return f"{found.value:+.2f} ({found.certificate.low:+.2f} to {found.certificate.high:+.2f})"


def _sections(own: str, shown: set[str], findings: Sequence[Finding]) -> tuple[Section, ...]:
    *jokers, rule = findings
    sections = (
        Section(
            "Zones over time",
            (f"One sheet of optimised play (the charts: leaf bonus {own}).",),
            ("zones_filled", "zone_speed", "zones_written"),
        ),
        Section(
            "What an X and the leaf bonuses are worth",
            ("The same games played twice with the same dice: with an X more, put where it is worth most by "
             "the learned values; and without one of the leaf bonuses.", *_joker_sentence(jokers)),
            ("jokers", "bonuses"),
        ),
        Section(
            "When to end the game",
            ("Where a roll allows both, the same dice are played both ways, and optimised goes on. A simple "
             "rule is played in whole games.", _rule_sentence(rule)),
            ("early_ends", "ending", "ending_rules"),
        ),
    )  # fmt: skip
    return tuple(
        replace(section, show=tuple(name for name in section.show if name in shown)) for section in sections
    )
