"""Learns what sheets of 61 Feuilles d'automne are worth, by play against nobody: the data of ``optimised``.

    python bench/learn_feuilles.py [--games 100000] [--seed 0] [--out FILE]

Temporal differences on after-states: in every round the value of the sheet just reached is moved towards its
one-step look-ahead, the mean over all 56 rolls (so without the noise of dice) of the best choice's points and
value. Steps are those of AdaGrad. Play is the policy's own, one choice in twenty random; in a share of the
zones the bonus is taken away in a random round, as a rival would. Both readings of the leaf bonuses are
learned, one process each, in about ten minutes. Prints what the policy scores on fresh dice on the way.

Sources: Sutton, "Learning to predict by the methods of temporal differences", 1988; Duchi, Hazan and Singer,
"Adaptive subgradient methods for online learning and stochastic optimization", 2011.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from fable_solve.solver.games.feuilles import playouts, worth
from fable_solve.solver.games.feuilles.kernel_play_words import ZONES, high, line_after, low, middle
from fable_solve.solver.games.feuilles.kernel_worth import (
    NO_RIVAL,
    NONE,
    Worth,
    best_choice,
    best_joker,
    worth_of,
)
from fable_solve.solver.games.feuilles.play import ROLLS, THROWS
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_bits import nth, size
from fable_solve.solver.kernel_rng import below
from fable_solve.solver.rng import stream_key
from fable_solve.solver.rules import Layer, load_rules

UNITS = 16
STRIDE = 10_000
"""Games between two reports."""
EXPLORE, CLOSING = 5, 25
"""Percent of the choices made at random, and of the zones whose bonus is taken away."""
STEP, STEP_UNITS = 0.1, 0.03
READINGS = ("exact", "reach")
FILE = Path(worth.__file__).with_name("learned.npz")


class Learned(NamedTuple):
    """What is learned, and likewise the sums of its squared slopes."""

    knots: Any
    """``[2 * states, knots]``"""
    leaves: Any
    units: Any
    bias: Any


class Dice(NamedTuple):
    """The 56 rolls as numbers of throws, and their probabilities."""

    rolls: Any
    chances: Any


@kernel
def step(values: Any, squares: Any, place: Any, slope: Any, rate: Any) -> None:
    """One step of AdaGrad."""
    squares[place] += slope * slope
    values[place] -= rate * slope / np.sqrt(squares[place] + 0.01)


@kernel
def best(tables: Any, values: Any, race: Any, throw: Any, sheets: Any, leaf: Any, left: Any) -> Any:
    """:func:`best_choice` of the first sheet, compiled once."""
    return best_choice(tables, values, race, throw, sheets, 0, leaf, left)


@kernel
def look_ahead(tables: Any, values: Any, race: Any, dice: Any, sheets: Any, leaf: Any, left: Any) -> Any:
    """Mean over the rolls of the best choice."""
    total = 0.0
    for roll in range(dice.rolls.shape[0]):
        value, _, _, _ = best(tables, values, race, dice.rolls[roll], sheets, leaf, left)
        total += dice.chances[roll] * value
    return total


@kernel
def random_choice(tables: Any, throw: Any, sheets: Any, counter: Any) -> Any:
    """(counter, way, move): a move of the first way, from a random one on, that has any."""
    counter, first = below(counter, ZONES)
    for turn in range(ZONES):
        way = (first + turn) % ZONES
        use = tables.ways[throw, way]
        word = tables.lines[sheets[0, low(use)] + middle(use)]
        if low(word):
            counter, place = below(counter, size(np.uint64(low(word))))
            return counter, way, middle(word) + nth(np.uint64(low(word)), place)
    return counter, 0, NONE


@kernel
def take(tables: Any, sheets: Any, zone: Any, move: Any) -> Any:
    """Points of a move made."""
    if move == NONE:
        return 0
    sheets[0, zone] = line_after(tables.moves[move])
    return high(tables.moves[move])


@kernel
def play_round(
    tables: Any, values: Any, race: Any, sheets: Any, leaf: Any, left: Any, explore: Any, counter: Any
) -> Any:
    """(counter, die for the leaves, points) of a round."""
    counter, throw = below(counter, 216)
    counter, chance = below(counter, 100)
    _, way, move, die = best(tables, values, race, throw, sheets, leaf, left)
    if chance < explore and move != NONE:
        counter, way, move = random_choice(tables, throw, sheets, counter)
        die = high(tables.ways[throw, way])
    points = take(tables, sheets, low(tables.ways[throw, way]), move)
    earned = tables.earned[leaf, die]
    for _ in range(low(earned)):
        _, zone, move = best_joker(tables, values, race, sheets, 0, leaf + die, left)
        points += take(tables, sheets, zone, move)
    return counter, die, points + high(earned)


@kernel
def improve(
    values: Any, learned: Any, squares: Any, weights: Any, sheets: Any, leaf: Any, left: Any, error: Any
) -> None:
    """Moves all that the value of a sheet is made of against its error."""
    units, bias = learned.units, learned.bias
    for k in range(bias.shape[2]):
        active = bias[left, leaf, k]
        for zone in range(ZONES):
            active += units[sheets[0, zone] >> 3, k]
        if active > 0:
            slope = error if k < bias.shape[2] // 2 else -error
            for zone in range(ZONES):
                row = sheets[0, zone] >> 3
                step(units[row], squares.units[row], k, slope, STEP_UNITS)
            step(bias[left, leaf], squares.bias[left, leaf], k, slope, STEP_UNITS)
    step(learned.leaves[left], squares.leaves[left], leaf, error, STEP)
    for zone in range(ZONES):
        row = sheets[0, zone] >> 3
        for knot in range(weights.shape[1]):
            if weights[left, knot] > 0:
                step(learned.knots[row], squares.knots[row], knot, error * weights[left, knot], STEP)
        for rounds in range(1, weights.shape[0]):
            total = 0.0
            for knot in range(weights.shape[1]):
                total += weights[rounds, knot] * learned.knots[row, knot]
            values.rows[rounds, row] = total


@kernel
def play(
    scores: Any, counter: Any, tables: Any, values: Any, learned: Any, squares: Any, weights: Any, dice: Any,
    teach: Any,
) -> Any:  # fmt: skip
    """Games with their ``scores[n]``, learned from if ``teach``; the counter after them."""
    sheets, race = np.zeros((2, 8), np.int64), np.full(ZONES, NO_RIVAL)
    closes = np.zeros(ZONES, np.int64)
    gone = tables.lines.shape[0] // 4
    for game in range(scores.shape[0]):
        scores[game] = leaf = 0
        for zone in range(ZONES):
            sheets[0, zone] = tables.empty[zone]
            counter, chance = below(counter, 100)
            counter, closing = below(counter, tables.rounds - 1)
            closes[zone] = closing + 1 if teach and chance < CLOSING else 0
        for number in range(1, tables.rounds + 1):
            left = tables.rounds - number
            counter, die, points = play_round(
                tables, values, race, sheets, leaf, left, EXPLORE if teach else 0, counter
            )
            scores[game] += points
            leaf += die
            for zone in range(ZONES):
                if closes[zone] == number:
                    sheets[0, zone] += gone
            if left == 0 or leaf >= tables.target:
                break
            if teach:
                error = worth_of(values, race, sheets, 0, leaf, left)
                error -= look_ahead(tables, values, race, dice, sheets, leaf, left - 1)
                improve(values, learned, squares, weights, sheets, leaf, left, error)
    return counter


def learn(reading: str, games: int, seed: int) -> Learned:
    """What ``games`` games teach about one reading of the leaf bonuses."""
    rules = load_rules("feuilles", [Layer("learn", {"leaf_bonus": reading})]).model
    tables = playouts.tables_of(rules)
    tables = tables._replace(empty=tables.empty.astype(np.int64))
    lacks = worth.missing(worth._numbered(rules.zones))
    key = stream_key(seed, "feuilles", "learn", reading)
    weights = worth.between(rules.rounds)
    shapes = (len(lacks), weights.shape[1]), (rules.rounds, rules.leaf_target), (len(lacks), UNITS)
    learned = Learned(*map(np.zeros, (*shapes, (*shapes[1], UNITS))))
    learned.units[:] = np.random.default_rng(key).normal(0, 0.1, shapes[2])
    squares = Learned(*map(np.zeros_like, learned))
    rows = np.zeros((rules.rounds, len(lacks)))
    values = Worth(rows, learned.leaves, learned.units, learned.bias, lacks, 1.0)
    index = {roll: throw for throw, roll in enumerate(THROWS)}
    dice = Dice(np.array([index[roll] for roll, _ in ROLLS]), np.array([chance for _, chance in ROLLS]))
    counter, given = np.uint64(key), (tables, values, learned, squares, weights, dice)
    for done in range(STRIDE, games + 1, STRIDE):
        counter = play(np.zeros(STRIDE), counter, *given, True)
        scores = np.zeros(STRIDE)
        play(scores, np.uint64(stream_key(seed, "feuilles", "learn", "check")), *given, False)
        error = scores.std() / np.sqrt(STRIDE)
        print(f"{reading}: {done} games, scores {scores.mean():.2f} +- {1.96 * error:.2f}", flush=True)
    return learned


def whole(array: Any) -> Any:
    """An array in whole units, as it is shipped."""
    units = np.rint(array * worth.UNIT)
    assert abs(units).max() < 2**15
    return units.astype(np.int16)


@click.command()
@click.option("--games", default=100_000, help="Games of each reading.")
@click.option("--seed", default=0)
@click.option("--out", default=FILE, type=click.Path(path_type=Path))
def main(games: int, seed: int, out: Path) -> None:
    with ProcessPoolExecutor(len(READINGS)) as pool:
        found = pool.map(learn, READINGS, [games] * len(READINGS), [seed] * len(READINGS))
    arrays = {
        f"{reading} {name}": whole(array)
        for reading, learned in zip(READINGS, found, strict=True)
        for name, array in learned._asdict().items()
    }
    digest = load_rules("feuilles").digest
    np.savez_compressed(out, about=np.array([f"rules {digest}", f"seed {seed}", f"games {games}"]), **arrays)


if __name__ == "__main__":
    main()
