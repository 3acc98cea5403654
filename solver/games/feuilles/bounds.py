"""A proved upper bound on the expected score of one sheet, however it is played.

Two steps. Prices for what zones and leaf row share take the sheet apart
(:mod:`fable_solve.solver.games.feuilles.kernel_bound`): whatever the prices, the parts are worth at least the
sheet, and the best prices are looked for by subgradients. Then every path of dice is bounded with the dice
known beforehand, less a penalty made of the parts' values, which nobody without it pays on average
(weak duality); on each path the prices are lowered once more. The mean over paths is a bound with a sampling
error only.

Sources: Brown, Smith and Sun, "Information relaxations and duality in stochastic dynamic programs", 2010;
Ye, Zhu and Zhou, "Weakly coupled dynamic programs: information and Lagrangian relaxations", 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np

from fable_solve.solver.estimate import Mean, mean
from fable_solve.solver.games.feuilles import kernel_bound
from fable_solve.solver.games.feuilles.kernel_bound import Parts
from fable_solve.solver.games.feuilles.kernel_play_words import LINES, LISTINGS
from fable_solve.solver.games.feuilles.play import ROLLS, THROWS
from fable_solve.solver.games.feuilles.playouts import tables_of
from fable_solve.solver.games.feuilles.rules import Rules
from fable_solve.solver.rng import Stream

STEPS, RATE = 400, 1.0
"""Steps towards the best prices of all paths, and the length of the first (points a unit of excess)."""
PATH_STEPS, PATH_RATE = 300, 0.3


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
    """Prices for the rules of one sheet, and the bounds they give."""

    rules: Rules
    steps: int = STEPS

    @cached_property
    def parts(self) -> Parts:
        return parts_of(self.rules)

    @cached_property
    def priced(self) -> tuple[float, Any, Any]:
        """(bound before any path is known, prices, fees)."""
        rounds = self.rules.rounds
        prices, fees = np.full((rounds + 1, len(ROLLS), 3), 1.0), np.full(rounds + 1, 3.0)
        best = np.zeros_like(prices), np.zeros_like(fees)
        lowest = kernel_bound.descend(self.parts, prices, fees, self.steps, RATE, *best)
        return float(lowest), *best

    def paths(self, count: int, seed: int) -> Mean:
        """The mean bound of ``count`` random paths of dice: an upper bound on the expected score."""
        _, prices, fees = self.priced
        shape = self.rules.rounds + 1, len(self.parts.zone)
        zones, after = np.zeros(shape), np.zeros(shape)
        leaves = np.zeros((shape[0], self.parts.earned.shape[0]))
        kernel_bound.values(self.parts, prices, fees, zones, after, leaves)
        given = (prices, fees, zones, after, leaves, PATH_STEPS, PATH_RATE)
        rolls = {roll: number for number, (roll, _) in enumerate(ROLLS)}
        bounds = []
        for number in range(count):
            stream = Stream(seed, number)
            path = np.array([rolls[stream.choice(THROWS)] for _ in range(shape[0])])
            bounds.append(kernel_bound.path_bound(self.parts, path, *given))
        return mean(np.array(bounds))
