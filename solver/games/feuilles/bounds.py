"""An upper bound on the expected score of one sheet, however it is played, and exact losses near its end.

Prices for what zones and leaf row share take the sheet apart
(:mod:`fable_solve.solver.games.feuilles.kernel_bound`): whatever the prices, the parts are worth at least the
sheet, and the best prices are looked for by subgradients.

Source: Adelman and Mersereau, "Relaxations of weakly coupled stochastic dynamic programs", 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.feuilles import kernel_bound, kernel_last
from fable_solve.solver.games.feuilles.kernel_bound import Parts
from fable_solve.solver.games.feuilles.kernel_last import Sheets
from fable_solve.solver.games.feuilles.kernel_play_words import LINES, LISTINGS, NOTHING
from fable_solve.solver.games.feuilles.play import ROLLS, THROWS, Choice, Feuilles, Sheet, State
from fable_solve.solver.games.feuilles.playouts import tables_of
from fable_solve.solver.games.feuilles.rules import Rules
from fable_solve.solver.games.feuilles.worth import UNIT, learned, places, stored

STEPS, RATE = 150, 1.0
"""Steps towards the best prices, and the length of the first (points a unit of excess)."""


def parts_of(rules: Rules) -> Parts:
    """The rules as the kernel's arrays; the zones must have few enough states to be numbered."""
    tables = tables_of(rules)
    throws = [THROWS.index(roll) for roll, _ in ROLLS]
    rolls = np.array([roll for roll, _ in ROLLS])
    firsts = np.array([[roll.index(die) for die in roll] for roll, _ in ROLLS])
    places = np.array([[roll.index(way[2]) for way in permutations(roll)] for roll, _ in ROLLS])
    states = tables.lines.shape[0] // LISTINGS // LINES
    empty = tables.empty.astype(np.int64) // LINES
    return Parts(
        tables.lines,
        tables.moves,
        tables.ways[throws],
        places,
        np.where(firsts == np.arange(3), rolls, 0),
        np.array([chance for _, chance in ROLLS]),
        tables.earned,
        np.searchsorted(empty, np.arange(states), side="right") - 1,
        empty,
        int((tables.earned & 0xFF).max()),
    )


@dataclass(frozen=True)
class Bound:
    """Prices for the rules of one sheet, and the bound they give."""

    rules: Rules
    steps: int = STEPS

    @cached_property
    def parts(self) -> Parts:
        return parts_of(self.rules)

    @cached_property
    def priced(self) -> tuple[float, Any, Any]:
        """(bound, prices, fees)."""
        rounds = self.rules.rounds
        prices, fees = np.full((rounds + 1, len(ROLLS), 3), 1.0), np.full(rounds + 1, 3.0)
        best = np.zeros_like(prices), np.zeros_like(fees)
        lowest = kernel_bound.descend(self.parts, prices, fees, self.steps, RATE, *best)
        return float(lowest), *best


def at_prices(parts: Parts, prices: Any, fees: Any) -> float:
    """The bound that any ``prices[rounds + 1, 56, 3]`` and ``fees[rounds + 1]`` give."""
    shape = len(fees), len(parts.zone)
    zones, after, leaves = np.zeros(shape), np.zeros(shape), np.zeros((len(fees), len(parts.earned)))
    return float(kernel_bound.values(parts, prices, fees, zones, after, leaves))


def proved(rules: Rules) -> float:
    """The bound by the prices stored with the learned values, the best for the shipped rules."""
    prices, fees = (stored()[f"{rules.leaf_bonus} {name}"] / UNIT for name in ("prices", "fees"))
    left = np.minimum(np.arange(rules.rounds + 1), len(fees) - 1)
    return at_prices(parts_of(rules), prices[left], fees[left])


def sheets_of(rules: Rules) -> Sheets:
    """The rules and the learned values as the kernel's arrays.

    Raises :class:`BadInput` for leaves that earn several jokers at once, and for a sheet of unknown values.
    """
    parts, tables, values = parts_of(rules), tables_of(rules), learned(rules)
    if parts.most_jokers > 1:
        raise BadInput("at most one joker for a die", parts.most_jokers, where="leaf_bonuses")
    letters = (parts.ways >> 8) & 0xFFFFFF
    use = ((parts.ways & 0xFF) * 6 + letters) * 7 + (parts.ways >> 32)
    jokers = parts.earned & 0xFF > 0
    bias = np.zeros((rules.rounds, values.units.shape[1], rules.leaf_target + 6))
    bias[:, :, : rules.leaf_target] = values.bias.transpose(0, 2, 1) / values.unit
    rolls = [roll for roll, _ in ROLLS]
    return Sheets(
        tables.lines.astype(np.int64),
        tables.moves.astype(np.int64),
        np.where(letters == NOTHING, kernel_last.NOWHERE, use).astype(np.int64),
        np.array(rolls),
        np.array([rolls.index(roll) for roll in THROWS]),
        parts.chances,
        (parts.earned >> 32).astype(np.float64),
        jokers,
        jokers.any(axis=1),
        parts.empty,
        values.rows / values.unit,
        values.leaves / values.unit,
        values.units / values.unit,
        bias,
    )


def last_loss(sheets: Sheets, game: Feuilles, state: State, choice: Choice) -> float:
    """Points that a choice on one sheet loses, exactly; at most three rounds to come, this one included."""
    left, sheet, later = game.rules.rounds - state.round - 1, state.sheets[0], game.successor(state, choice)
    assert state.roll is not None
    roll, after = [roll for roll, _ in ROLLS].index(state.roll), later.sheets[0]
    most = kernel_last.most_of_roll(sheets, left, roll, rows_of(game, sheet), sheet.leaf_total)
    value = float(game.score(after) - game.score(sheet))
    if not game.is_over(later):
        desks = kernel_last.desks_of(sheets)
        value += kernel_last.worth(sheets, left, rows_of(game, after), after.leaf_total, desks)
    return float(most) - value


def rows_of(game: Feuilles, sheet: Sheet) -> Any:
    """The state of each zone of a sheet (:class:`Sheets`)."""
    pairs = zip(places(game.rules.zones), game.rules.zones, sheet.zones, strict=True)
    return np.array([place[zone.essence_in_place(rows)] for place, zone, rows in pairs])
