"""Learned values of sheets, and the look-ahead of the policy ``optimised`` that goes by them.

``learned.npz`` holds, for each reading of the leaf bonuses, what ``bench/learn_feuilles.py`` learned by play
of the shipped rules. It serves every sheet with the zones as shipped; rounds, leaf target, leaf
bonuses and the zone bonus may differ, at a loss, since the values are those of the shipped ones.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.feuilles.kernel_worth import EVEN, NO_RIVAL, PACE, SHARES, Worth
from fable_solve.solver.games.feuilles.play import ROLLS, Choice, Feuilles, State, replaced
from fable_solve.solver.games.feuilles.rules import Rules
from fable_solve.solver.games.feuilles.sheet import EMPTY, Placement, Rows, Zone
from fable_solve.solver.games.feuilles.zonestates import ZoneStates, zone_states
from fable_solve.solver.rng import Stream

UNIT = 512
"""Whole units of a value to a point."""
KNOTS = (1, 2, 3, 5, 8, 12, 19)
"""Rounds left for which the values of a zone are learned; between them they are interpolated."""

Zones = tuple[Rows, ...]


def between(rounds: int) -> Any:
    """Weights of the knots: ``[rounds, knots]``; beyond the last one it alone counts.

    >>> between(5)[4].tolist()
    [0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0]
    """
    each = np.eye(len(KNOTS))
    return np.array([[np.interp(left, KNOTS, one) for one in each] for left in range(rounds)])


@cache
def stored() -> dict[str, Any]:
    """The arrays of ``learned.npz``; those of a reading bear its name."""
    with files(__package__).joinpath("learned.npz").open("rb") as file, np.load(file) as arrays:
        return dict(arrays)


def is_known(rules: Rules) -> bool:
    """Whether the values know the zones of these rules."""
    return rules.zones == _shipped()


def learned(rules: Rules) -> Worth:
    """The values for these rules, a row for a bonus to be had and one for a bonus gone.

    Raises :class:`BadInput` for a sheet that they do not know.
    """
    return _learned(*_known(rules))


def raced(rules: Rules) -> Worth:
    """The same with rows for bonuses that count as partly gone, as :mod:`kernel_worth` has them."""
    return _raced(*_known(rules))


def _known(rules: Rules) -> tuple[str, int, int, tuple[Zone, ...]]:
    if not is_known(rules):
        raise BadInput(
            "zones as shipped for the policy optimised (bench/learn_feuilles.py learns others)",
            "other sizes or points",
            where="policy optimised",
        )
    return rules.leaf_bonus, rules.rounds, rules.leaf_target, rules.zones


@cache
def _shipped() -> tuple[Zone, ...]:
    """The zones that the values were learned of."""
    from fable_solve.solver.rules import load_rules

    zones: tuple[Zone, ...] = load_rules("feuilles").model.zones
    return zones


@lru_cache(8)
def _learned(reading: str, rounds: int, target: int, zones: tuple[Zone, ...]) -> Worth:
    knots, leaves, units, bias = (
        stored()[f"{reading} {name}"].astype(np.int64) for name in ("knots", "leaves", "units", "bias")
    )
    rows = np.rint(between(rounds) @ knots.T.astype(np.float64)).astype(np.int64)
    left = np.minimum(np.arange(rounds), leaves.shape[0] - 1)[:, None]
    leaf = np.minimum(np.arange(target), leaves.shape[1] - 1)[None]
    return Worth(rows, leaves[left, leaf], units, bias[left, leaf], missing(_numbered(zones)), UNIT)


@lru_cache(8)
def _raced(*known: Any) -> Worth:
    worth = _learned(*known)
    rows, units = (_shared(array) for array in (worth.rows, worth.units.T))
    return worth._replace(rows=rows, units=np.ascontiguousarray(units.T))


def _shared(numbers: Any) -> Any:
    """``[n, shares * states]`` of numbers ``[n, 2 * states]``."""
    had, gone = np.split(numbers, 2, axis=1)
    blocks = [np.rint((1 - share) * had + share * gone) for share in SHARES]
    return np.concatenate(blocks, axis=1).astype(np.int64)


def missing(states: tuple[ZoneStates, ...]) -> Any:
    """Empty cells of each row: ``[2 * states]``."""
    lacks = [_lacks(rows) for zone in states for rows in zone.rows]
    return np.array(2 * lacks, np.int64)


@cache
def _numbered(zones: tuple[Zone, ...]) -> tuple[ZoneStates, ...]:
    found = tuple(zone_states(zone) for zone in zones)
    return tuple(states for states in found if states is not None)


@cache
def places(zones: tuple[Zone, ...]) -> list[dict[Rows, int]]:
    """The row of each state of each zone, its bonus to be had."""
    places, base = [], 0
    for states in _numbered(zones):
        places.append({rows: base + number for number, rows in enumerate(states.rows)})
        base += len(states.rows)
    return places


class View:
    """A table as one seat sees it that decides by learned values."""

    def __init__(self, game: Feuilles, state: State, seat: int) -> None:
        self.game, self.state, self.sheet = game, state, state.sheets[seat]
        self.worth, self.places = raced(game.rules), places(game.rules.zones)
        rivals = [sheet for other, sheet in enumerate(state.sheets) if other != seat]
        self.left = game.rules.rounds - state.round - 1
        for rival in rivals:
            self.left = min(self.left, (game.rules.leaf_target - 1 - rival.leaf_total) * PACE[1] // PACE[0])
        self.race = [
            min((_lacks(sheet.zones[zone]) for sheet in rivals), default=NO_RIVAL)
            for zone in range(len(self.places))
        ]

    @property
    def seen(self) -> tuple[Any, ...]:
        """All that a choice depends on: seats of equal sheets see the same."""
        sheet, state = self.sheet, self.state
        return self.game, sheet.zones, sheet.leaf_total, state.roll, state.closed, self.left, (*self.race,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, View) and self.seen == other.seen

    def __hash__(self) -> int:
        return hash(self.seen)

    def to_come(self, zones: Zones, leaf: int) -> int:
        """Units still expected after this round (see :mod:`kernel_worth`)."""
        rows, leaves, units, bias, lacks, _ = self.worth
        if self.left <= 0 or leaf >= self.game.rules.leaf_target:
            return 0
        where = []
        for index, (zone, own) in enumerate(zip(self.game.rules.zones, zones, strict=True)):
            row, last = self.places[index][zone.essence_in_place(own)], len(SHARES) - 1
            nearer = min(max(lacks[row] - self.race[index] + EVEN, 0), last)
            where.append(row + len(lacks) // 2 * (last if index + 1 in self.state.closed else nearer))
        hidden = np.maximum(0, units[where].sum(0) + bias[self.left, leaf])
        half = len(hidden) // 2
        together = hidden[:half].sum() - hidden[half:].sum()
        return int(rows[self.left, where].sum() + leaves[self.left, leaf] + together)

    def gain(self, zone: int, placement: Placement) -> int:
        """Units of a placement, with the zone bonus if it is still open."""
        return UNIT * self.game.gain(self.state, zone, placement)

    def jokers(self, zones: Zones, leaf: int, count: int) -> tuple[int, tuple[tuple[int, int], ...]]:
        """(units with what comes after them, spots) of jokers placed one after the other, each the best."""
        total, spots = 0, list[tuple[int, int]]()
        for _ in range(count):
            found = [
                (self.gain(spot[0], placement), replaced(zones, spot[0], placement.rows), spot)
                for spot, placement in self.game.jokers(zones)
            ]
            if not found:
                break
            gain, zones, spot = max(found, key=lambda one: one[0] + self.to_come(one[1], leaf))
            total, spots = total + gain, [*spots, spot]
        return total + self.to_come(zones, leaf), tuple(spots)

    def value(self, choice: Choice, placement: Placement | None) -> tuple[int, Choice]:
        """Units that a choice is worth, and the choice with its jokers."""
        zones, total = self.sheet.zones, 0
        if placement is not None:
            zones = replaced(zones, choice.zone, placement.rows)
            total = self.gain(choice.zone, placement)
        leaf = self.sheet.leaf_total + choice.leaf
        points, count = self.game.rules.earned(self.sheet.leaf_total, leaf)
        more, spots = self.jokers(zones, leaf, count)
        return total + UNIT * points + more, choice._replace(x=spots)


def _lacks(rows: Rows) -> int:
    return sum(row.count(EMPTY) for row in rows)


def optimised(game: Feuilles, state: State, seat: int, stream: Stream) -> Choice:
    """The choice that leads to the sheet worth most; the first of equals."""
    return _best(View(game, state, seat))


@lru_cache(64)
def _best(view: View) -> Choice:
    roll = view.state.roll
    assert roll is not None
    uses = view.game.uses(view.sheet, roll)
    return max((view.value(*one) for one in uses), key=lambda found: found[0])[1]


def contradiction(game: Feuilles, state: State, seat: int) -> float:
    """Points between the learned value of a sheet before a roll and that of its best choices."""
    view, ahead = View(game, state, seat), 0.0
    for roll, chance in ROLLS:
        ahead += chance * max(view.value(*use)[0] for use in game.uses(view.sheet, roll))
    view.left += 1
    if view.left >= game.rules.rounds:
        return 0.0
    return abs(ahead - view.to_come(view.sheet.zones, view.sheet.leaf_total)) / UNIT


def predicted(game: Feuilles) -> float:
    """Points that the learned values give an empty sheet: mean over first rolls of the best choice."""
    start = game.initial_state()
    total = 0.0
    for roll, chance in ROLLS:
        view = View(game, start._replace(roll=roll), 0)
        total += chance * max(view.value(*one)[0] for one in game.writings(view.sheet, roll))
    return total / UNIT
