"""Learns the values of the policy `optimised` and writes `solver/games/feuilles/learned.npz`.

    python bench/learn_feuilles.py [--games 600000] [--seed 0] [--out FILE]

For both readings of the leaf bonuses, some minutes each. One player fills sheet after sheet and draws every
choice with a chance in proportion to ``exp(THETA * value)``, so that what is nearly as good as the best is
learned as well; some zone bonuses are taken away at random, and in every other game the dice favour one
number, so that rare luck is met. Every sheet it comes to is moved towards what it is worth one round ahead,
the mean over all 56 rolls of fair dice of the best choice, which is exact with one or two rounds to come
(temporal differences without the noise of dice). Steps are those of AdaGrad, but old slopes fade, for the
large errors of the beginning would make all later steps short; and they shrink to nothing at the end. Prints
how far values are from that, and what the best choices by them score on dice of their own. The best prices
for what zones and leaf row share (:mod:`fable_solve.solver.games.feuilles.bounds`) are stored beside.

Sources: Sutton, "Learning to predict by the methods of temporal differences", 1988; Duchi, Hazan and Singer,
"Adaptive subgradient methods for online learning and stochastic optimization", 2011.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from fable_solve.solver.games.feuilles import worth
from fable_solve.solver.games.feuilles.bounds import Bound, sheets_of
from fable_solve.solver.games.feuilles.kernel_last import (
    DICE,
    desks_of,
    draw,
    learned_value,
    round_of,
    sums,
    uniform,
)
from fable_solve.solver.games.feuilles.kernel_last import worth as one_ahead
from fable_solve.solver.games.feuilles.kernel_play_words import ZONES
from fable_solve.solver.games.feuilles.rules import Rules
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_rng import below
from fable_solve.solver.rng import stream_key
from fable_solve.solver.rules import Layer, load_rules

UNITS = 16
STRIDE = 10_000
"""Games between two reports."""
THETA, GREEDY = 4.0, 1e6
"""How much a point makes a choice likelier (by its exponential); the best choice for certain."""
CLOSING = 25
"""Percent of the zones whose bonus is taken away."""
LOADED = 50
"""Percent of the games in which every third die shows one number that is favoured."""
STEP, STEP_UNITS = 0.2, 0.06
FADE = 0.5
"""What is kept every ``STRIDE`` games of the sums of squared slopes."""
SETTLING = 0.6
"""Share of the games, the last ones, in which steps shrink."""
READINGS = ("exact", "reach")
FILE = Path(worth.__file__).with_name("learned.npz")


class Learned(NamedTuple):
    """What is learned, and likewise the sums of its squared slopes."""

    knots: Any
    """``[2 * states, knots]``"""
    leaves: Any
    units: Any
    bias: Any
    """``[rounds, K, target + 6]``"""


@kernel
def step(values: Any, squares: Any, place: Any, slope: Any, rate: Any) -> Any:
    """One step of AdaGrad; how far."""
    squares[place] += slope * slope
    length = rate * slope / np.sqrt(squares[place] + 0.01)
    values[place] -= length
    return length


@kernel
def improve(
    sheets: Any,
    knots: Any,
    squares: Any,
    weights: Any,
    hidden: Any,
    rows: Any,
    leaf: Any,
    left: Any,
    error: Any,
    pace: Any,
) -> None:
    """Moves all that the value of a sheet is made of against its error."""
    units, bias = sheets.units, sheets.bias
    for k in range(hidden.shape[0]):
        if hidden[k] + bias[left, k, leaf] > 0:
            slope = error if k < hidden.shape[0] // 2 else -error
            for zone in range(ZONES):
                step(units[rows[zone]], squares.units[rows[zone]], k, slope, pace * STEP_UNITS)
            step(bias[left, k], squares.bias[left, k], leaf, slope, pace * STEP_UNITS)
    step(sheets.leaves[left], squares.leaves[left], leaf, error, pace * STEP)
    for zone in range(ZONES):
        row = rows[zone]
        for knot in range(weights.shape[1]):
            if weights[left, knot] > 0:
                slope = error * weights[left, knot]
                length = step(knots[row], squares.knots[row], knot, slope, pace * STEP)
                for rounds in range(1, weights.shape[0]):
                    sheets.zones[rounds, row] -= weights[rounds, knot] * length


@kernel
def values_of(sheets: Any, left: Any, kids: Any, size: Any, hidden: Any) -> Any:
    """Adds to the sheets of a list their learned values; the most."""
    top = -1e9
    for kid in range(size):
        if left and kids.leaves[kid] < sheets.leaves.shape[1]:
            total = sums(sheets, left, kids.rows[kid], hidden)
            kids.values[kid] += learned_value(sheets, left, hidden, total, kids.leaves[kid])
        top = max(top, kids.values[kid])
    return top


@kernel
def favour(counter: Any, throw: Any, face: Any) -> Any:
    """(counter, the throw with every third die turned to a face)."""
    place = 1
    for _ in range(3):
        counter, chance = below(counter, 3)
        if chance == 0:
            throw += (face - throw // place % DICE) * place
        place *= DICE
    return counter, throw


@kernel
def play(
    sheets: Any, knots: Any, squares: Any, weights: Any, theta: Any, counter: Any, scores: Any, pace: Any
) -> Any:
    """(counter, sum of squared errors, how many) of games with their ``scores[n]``.

    They teach if steps have a length, ``pace`` times the usual one.
    """
    desks, hidden, closes = desks_of(sheets), np.zeros(sheets.units.shape[1]), np.zeros(ZONES, np.int64)
    kids, gone, squared, count = desks[3], sheets.units.shape[0] // 2, 0.0, 0
    gains = np.zeros(kids.values.shape[0])
    for game in range(scores.shape[0]):
        rows, leaf, scores[game] = sheets.empty.copy(), 0, 0.0
        counter, chance = below(counter, 100)
        counter, face = below(counter, DICE)
        loaded = pace > 0 and chance < LOADED
        for zone in range(ZONES):
            counter, chance = below(counter, 100)
            counter, closing = below(counter, sheets.zones.shape[0] - 1)
            closes[zone] = closing + 1 if pace > 0 and chance < CLOSING else 0
        for left in range(sheets.zones.shape[0] - 1, -1, -1):
            counter, throw = below(counter, 216)
            if loaded:
                counter, throw = favour(counter, throw, face)
            size = round_of(sheets, sheets.throws[throw], rows, leaf, kids)
            gains[:] = kids.values
            top = values_of(sheets, left, kids, size, hidden)
            counter, choice = uniform(counter)
            kid, _ = draw(kids, size, top, theta, choice)
            scores[game] += gains[kid]
            rows[:], leaf = kids.rows[kid], kids.leaves[kid]
            for zone in range(ZONES):
                if left and closes[zone] == left:
                    rows[zone] += gone
            if leaf >= sheets.leaves.shape[1]:
                break
            if pace > 0 and left:
                total = sums(sheets, left, rows, hidden)
                error = learned_value(sheets, left, hidden, total, leaf)
                error -= one_ahead(sheets, left, rows, leaf, desks)
                squared, count = squared + error * error, count + 1
                improve(sheets, knots, squares, weights, hidden, rows, leaf, left, error, pace)
    return counter, squared, count


def rules_of(reading: str) -> Rules:
    rules: Rules = load_rules("feuilles", [Layer("learn", {"leaf_bonus": reading})]).model
    return rules


def learn(reading: str, games: int, seed: int) -> Learned:
    """What ``games`` games teach about one reading of the leaf bonuses."""
    rules = rules_of(reading)
    key = stream_key(seed, "feuilles", "learn", reading)
    weights = worth.between(rules.rounds)
    sheets = sheets_of(rules)
    states, target = sheets.units.shape[0], rules.leaf_target
    units = np.random.default_rng(key).normal(0, 0.1, (states, UNITS))
    learned = Learned(
        np.zeros((states, weights.shape[1])),
        np.zeros((rules.rounds, target)),
        units,
        np.zeros((rules.rounds, UNITS, target + 6)),
    )
    sheets = sheets._replace(
        zones=np.zeros((rules.rounds, states)), leaves=learned.leaves, units=units, bias=learned.bias
    )
    squares, counter = Learned(*map(np.zeros_like, learned)), key
    for done in range(STRIDE, games + 1, STRIDE):
        given = sheets, learned.knots, squares, weights
        pace = min(1.0, (games + STRIDE - done) / (SETTLING * games))
        counter, squared, count = play(*given, THETA, np.uint64(counter), np.zeros(STRIDE), pace)
        squares = Learned(*(FADE * old for old in squares))
        scores = np.zeros(STRIDE // 2)
        play(*given, GREEDY, np.uint64(stream_key(seed, "feuilles", "learn", "check")), scores, 0.0)
        print(
            f"{reading}: {done} games, errors {np.sqrt(squared / count):.3f}, scores {scores.mean():.2f} "
            f"+- {1.96 * scores.std() / np.sqrt(len(scores)):.2f}",
            flush=True,
        )
    return learned


def whole(array: Any) -> Any:
    """An array in whole units, as it is shipped."""
    units = np.rint(array * worth.UNIT)
    assert abs(units).max() < 2**15
    return units.astype(np.int16)


@click.command()
@click.option("--games", default=600_000, help="Games of each reading.")
@click.option("--seed", default=0)
@click.option("--out", default=FILE, type=click.Path(path_type=Path))
def main(games: int, seed: int, out: Path) -> None:
    arrays = {}
    for reading in READINGS:
        knots, leaves, units, bias = learn(reading, games, seed)
        bias = bias[:, :, : leaves.shape[1]].transpose(0, 2, 1)
        found = {"knots": knots, "leaves": leaves, "units": units, "bias": bias}
        _, found["prices"], found["fees"] = Bound(rules_of(reading)).priced
        arrays |= {f"{reading} {name}": whole(array) for name, array in found.items()}
    digest = load_rules("feuilles").digest
    np.savez_compressed(out, about=np.array([f"rules {digest}", f"seed {seed}", f"games {games}"]), **arrays)


if __name__ == "__main__":
    main()
