"""Upper bounds on the expected score of one sheet, however it is played.

*Proved*: prices for what zones and leaf row share take the sheet apart
(:mod:`fable_solve.solver.games.feuilles.kernel_bound`): whatever the prices, the parts are worth at least the
sheet, and the best prices are looked for by subgradients.

*With a sampling error*: for any values ``w`` of sheets, the score of a play is ``T w`` of the empty sheet,
luck of mean 0, and ``x``, what its choices lose by ``w`` and what ``w`` is wrong by on its way
(:mod:`fable_solve.solver.games.feuilles.kernel_dual`). Whoever plays, by Jensen's inequality and since a sum
of positive numbers is at least each of them, for any ``theta > 0``::

    E x  <=  log(E exp(theta x)) / theta  <=  log(E sum over all plays exp(theta x)) / theta

The last mean is that of the weights of random games. The better ``w``, the nearer the bound.

Sources: Brown, Smith and Sun, "Information relaxations and duality in stochastic dynamic programs", 2010 (the
penalty is theirs: luck as ``w`` sees it; they know the dice and look for the play with the largest ``x``,
which there are too many of here); Adelman and Mersereau, "Relaxations of weakly coupled stochastic dynamic
programs", 2008 (prices).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import Z95
from fable_solve.solver.games.feuilles import kernel_bound, kernel_dual
from fable_solve.solver.games.feuilles.kernel_bound import Parts
from fable_solve.solver.games.feuilles.kernel_dual import Sheets
from fable_solve.solver.games.feuilles.kernel_play_words import LINES, LISTINGS, NOTHING
from fable_solve.solver.games.feuilles.play import ROLLS, THROWS, Choice, Feuilles, Sheet, State
from fable_solve.solver.games.feuilles.playouts import tables_of
from fable_solve.solver.games.feuilles.rules import Rules
from fable_solve.solver.games.feuilles.worth import learned, places
from fable_solve.solver.rng import stream_key

STEPS, RATE = 150, 1.0
"""Steps towards the best prices, and the length of the first (points a unit of excess)."""
THETA = 6.0
"""Weights grow by its exponential a point: small, poor plays count; large, what ``w`` is wrong by."""


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


@dataclass(frozen=True)
class Above:
    """An upper bound on the expected score of one sheet, from the weights of ``n`` random games."""

    bound: float
    se: float
    """Its standard error."""
    n: int
    theta: float
    start: float
    """``T w`` of the empty sheet."""
    largest: float
    """Share of the largest weight in their sum: near 1 the standard error says nothing."""

    @property
    def ends(self) -> tuple[float, float]:
        """95 % interval."""
        return self.bound - Z95 * self.se, self.bound + Z95 * self.se


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
        np.where(letters == NOTHING, kernel_dual.NOWHERE, use).astype(np.int64),
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


def above(rules: Rules, games: int, seed: int, theta: float = THETA) -> Above:
    """The bound from the weights of ``games`` random games."""
    sheets = sheets_of(rules)
    logs = np.zeros(games)
    kernel_dual.log_weights(sheets, theta, np.uint64(stream_key(seed, "feuilles", "weights")), logs)
    weights = np.exp(logs - logs.max())
    start = kernel_dual.start_value(sheets)
    bound = start + (logs.max() + np.log(weights.mean())) / theta
    se = weights.std() / weights.mean() / np.sqrt(games) / theta
    return Above(bound, se, games, theta, start, weights.max() / weights.sum())


def last_loss(sheets: Sheets, game: Feuilles, state: State, choice: Choice) -> float:
    """Points that a choice on one sheet loses, exactly; at most three rounds to come, this one included."""
    left, sheet, later = game.rules.rounds - state.round - 1, state.sheets[0], game.successor(state, choice)
    assert state.roll is not None
    roll, after = [roll for roll, _ in ROLLS].index(state.roll), later.sheets[0]
    most = kernel_dual.most_of_roll(sheets, left, roll, rows_of(game, sheet), sheet.leaf_total)
    value = float(game.score(after) - game.score(sheet))
    if not game.is_over(later):
        desks = kernel_dual.desks_of(sheets)
        value += kernel_dual.worth(sheets, left, rows_of(game, after), after.leaf_total, desks)
    return float(most) - value


def rows_of(game: Feuilles, sheet: Sheet) -> Any:
    """The state of each zone of a sheet (:class:`Sheets`)."""
    pairs = zip(places(game.rules.zones), game.rules.zones, sheet.zones, strict=True)
    return np.array([place[zone.essence_in_place(rows)] for place, zone, rows in pairs])
