"""Rules for 61 Feuilles d'automne that can be remembered, and the candidates they were chosen from.

``bench/human_rules.py`` chooses the lines of :data:`CHOSEN` (see :mod:`fable_solve.solver.decisions`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fable_solve.solver.decisions import Line, Trial, Wish, remembered
from fable_solve.solver.games.feuilles.play import Choice, Feuilles, Sheet, State
from fable_solve.solver.games.feuilles.sheet import EMPTY, FACES, Rows

Choices = Sequence[Choice]


def of_sheet(value: Callable[[Feuilles, State, Sheet, Sheet, Choice], float]) -> Wish:
    """A wish for the sheet after a choice: ``value(game, state, before, after, choice)``."""

    def wish(game: Feuilles, state: State, seat: int, actions: Choices) -> list[float]:
        sheet, roll = state.sheets[seat], state.roll
        assert roll is not None
        return [value(game, state, sheet, game.after(sheet, roll, choice), choice) for choice in actions]

    return wish


def points(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
    return (
        game.score(after) - game.score(before) + game.rules.zone_bonus * len(completed(state, before, after))
    )


def completed(state: State, before: Sheet, after: Sheet) -> list[int]:
    """Zones whose bonus a choice earns."""
    return [
        zone
        for zone, (old, new) in enumerate(zip(before.zones, after.zones, strict=True), 1)
        if old != new and zone not in state.closed and not lacks(new)
    ]


def lacks(rows: Rows) -> int:
    """Empty cells."""
    return sum(row.count(EMPTY) for row in rows)


def nearest(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
    """Minus the cells that the zone written in still lacks."""
    return -min(
        (lacks(new) for old, new in zip(before.zones, after.zones, strict=True) if old != new), default=99
    )


def small_leaf(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
    return -choice.leaf


def bonus(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
    """Whether the leaves earn a bonus."""
    return float(any(game.rules.earned(before.leaf_total, after.leaf_total)))


def bonus_near(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
    """Whether the next bonus is one to six leaves away, or just earned."""
    total = after.leaf_total
    ahead = [at - total for at in game.rules.bonus_at if at >= total]
    return float((bool(ahead) and min(ahead) <= 6) or bool(bonus(game, state, before, after, choice)))


def passed_none(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
    """Whether no bonus is jumped over."""
    return -sum(before.leaf_total < at < after.leaf_total for at in game.rules.bonus_at)


def open_numbers(game: Feuilles, sheet: Sheet) -> int:
    """Of the 36 (zone, number), those that can still be written."""
    pairs = zip(game.rules.zones, sheet.zones, strict=True)
    return sum(bool(zone.moves(rows, face)) for zone, rows in pairs for face in FACES)


def welcome(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
    return open_numbers(game, after)


def points_leaf(weight: float) -> Callable[[Feuilles, State, Sheet, Sheet, Choice], float]:
    def value(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
        return points(game, state, before, after, choice) - weight * choice.leaf

    return value


def starts_no_row(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
    """Whether no further row of a pumpkin or skewer is begun while another is unfinished."""
    begun = [
        sum(EMPTY in row and row.strip(EMPTY) != "" for row in sheet.zones[zone])
        for sheet in (before, after)
        for zone in (0, 2)
    ]
    return -(begun[2] + begun[3] - begun[0] - begun[1])


def in_zone(*zones: int) -> Callable[[Feuilles, State, Sheet, Sheet, Choice], float]:
    return lambda game, state, before, after, choice: float(choice.zone in zones)


def advances(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
    """Points, each part of a pumpkin or skewer counted 1.5 as it comes, not the row when it is full."""
    total = points(game, state, before, after, choice)
    for zone in (0, 2):
        old, new, rule = before.zones[zone], after.zones[zone], game.rules.zones[zone]
        total += 1.5 * (lacks(old) - lacks(new)) - (rule.points(new) - rule.points(old))
    return total


CELLS = (1.5, 1.5, 1.0, 0.5, 2.0, 2.0)
"""What a cell of each zone counts before its zone is full."""


def cells(leaf: float, numbers: float) -> Callable[[Feuilles, State, Sheet, Sheet, Choice], float]:
    """Cells filled by :data:`CELLS`, bonuses as printed, less a part of the die for the leaves, plus a part
    of the numbers still welcome."""

    def value(game: Feuilles, state: State, before: Sheet, after: Sheet, choice: Choice) -> float:
        filled = [lacks(old) - lacks(new) for old, new in zip(before.zones, after.zones, strict=True)]
        bonuses = game.rules.zone_bonus * len(completed(state, before, after))
        total = bonuses + after.leaf_points - before.leaf_points - leaf * choice.leaf
        total += sum(worth * count for worth, count in zip(CELLS, filled, strict=True))
        return total + numbers * open_numbers(game, after) if numbers else total

    return value


_COUNTED = (
    "A cell of burrow or mushrooms counts 2, of lilies or pumpkins 1.5, of skewers 1, a mug a half, a bonus "
    "as printed: take most, less a quarter of the die for the leaves"
)
_CANDIDATES = {
    "points": Line("What brings most points now, zone bonus and leaf bonus included.", of_sheet(points)),
    "small": Line("The smallest die for the leaves.", of_sheet(small_leaf)),
    "bonus": Line("A leaf total that earns a bonus.", of_sheet(bonus)),
    "bonus_near": Line("A leaf total from which one die can reach the next bonus.", of_sheet(bonus_near)),
    "passed": Line("Jump over no leaf bonus.", of_sheet(passed_none)),
    "nearest": Line("The zone that is then nearest to being full.", of_sheet(nearest)),
    "welcome": Line("Leave the most numbers welcome, counted zone by zone.", of_sheet(welcome)),
    "points_leaf": Line("Most points now, less half the die for the leaves.", of_sheet(points_leaf(0.5))),
    "advances": Line("Most points now, each part of a pumpkin or skewer 1.5.", of_sheet(advances)),
    "cells": Line(f"{_COUNTED}.", of_sheet(cells(0.25, 0.0))),
    "cells_open": Line(
        f"{_COUNTED}, plus an eighth for each (zone, number) still welcome.", of_sheet(cells(0.25, 0.125))
    ),
    "rows": Line("Begin no second row of pumpkins or skewers.", of_sheet(starts_no_row)),
    "mugs": Line("Not the mugs.", of_sheet(in_zone(0, 1, 2, 3, 5, 6))),
}
CANDIDATES = {"exact": _CANDIDATES, "reach": _CANDIDATES}
TRIALS = {
    reading: Trial("feuilles", "optimised", "score", 1, (0,), changes={"leaf_bonus": reading})
    for reading in ("exact", "reach")
}
TITLES = {reading: f"A rule to remember (leaf bonus {reading})" for reading in TRIALS}
GAMES = 200
"""Games in a report."""
TRAINING_GAMES = 80
TRAINING: dict[str, str] = {}
CHOSEN: dict[str, tuple[str, ...]] = {
    "exact": ("cells_open", "nearest"),
    "reach": ("cells_open",),
}
POLICY = remembered(CHOSEN, CANDIDATES, lambda game, state, seat: str(game.rules.leaf_bonus))
