"""Upper bounds on what one sheet can score: zones and leaf row taken apart, each playing alone at prices.

Whoever gives a die to the leaves sells the use of the other two dice; a zone that writes a number buys it,
and one that places a joker buys that from the leaf total that earned it. Prices are not negative, and a sheet
never uses more than its leaf row provides, so the values of all zones and of the leaf row together are at
least the value of the sheet (Lagrangian relaxation).

``left`` counts the rounds to come, this one included; ``roll`` one of the 56; ``place`` the first die of it
with the number of leaves. ``prices[rounds + 1, 56, 3]`` are those of a use, ``fees[rounds + 1]`` of a joker.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.feuilles.kernel_play_words import JOKER, LINES, ZONES, high, low, middle
from fable_solve.solver.jit import kernel


class Parts(NamedTuple):
    """The rules as the parts need them; states are those of all zones, ``line // 8`` of listing 0."""

    lines: Any
    moves: Any
    ways: Any
    """``[56, 6]``: the ways of a roll (:mod:`kernel_play_words`), letter 7 where one repeats another."""
    places: Any
    """``[56, 6]``: the place that goes to the leaves."""
    dice: Any
    """``[56, 3]``: the number of leaves of each place, 0 where it repeats another."""
    chances: Any
    earned: Any
    """``[target, 7]``"""
    zone: Any
    """``[states]``: the zone of each state."""
    empty: Any
    """``[6]``"""
    most_jokers: int


@kernel
def with_jokers(parts: Any, fee: Any, later: Any, out: Any) -> None:
    """``out[states]``: ``later`` after the jokers that are worth their fee, at most ``most_jokers``."""
    out[:] = later
    for _ in range(parts.most_jokers):
        before = out.copy()
        for state in range(out.shape[0]):
            word = parts.lines[state * LINES + JOKER]
            for place in range(LINES):
                if (low(word) >> place) & 1:
                    move = parts.moves[middle(word) + place]
                    out[state] = max(out[state], high(move) - fee + before[middle_state(move)])


@kernel
def middle_state(move: Any) -> Any:
    """The state a move leads to."""
    return (move & 0xFFFFFFFF) >> 3


@kernel
def best_use(parts: Any, state: Any, roll: Any, price: Any, after: Any) -> Any:
    """(value, place bought or -1, state after) of the best a zone does with a roll; ``price[3]``."""
    best, bought, then = after[state], -1, state
    for way in range(ZONES):
        use = parts.ways[roll, way]
        if low(use) == parts.zone[state]:
            word = parts.lines[state * LINES + middle(use)]
            for place in range(LINES):
                if (low(word) >> place) & 1:
                    move = parts.moves[middle(word) + place]
                    cost = price[parts.places[roll, way]]
                    value = high(move) - cost + after[middle_state(move)]
                    if value > best:
                        best, bought, then = value, parts.places[roll, way], middle_state(move)
    return best, bought, then


@kernel
def best_leaf(parts: Any, leaf: Any, roll: Any, price: Any, fee: Any, later: Any) -> Any:
    """(value, place) of the best die for the leaves, 0 once the game is over; ``later[target]``."""
    best, sold = -1e9, 0
    for place in range(3):
        die = parts.dice[roll, place]
        if die:
            earned = parts.earned[leaf, die]
            value = price[place] + high(earned) + fee * low(earned)
            if leaf + die < later.shape[0]:
                value += later[leaf + die]
            if value > best:
                best, sold = value, place
    return best, sold


@kernel
def values(parts: Any, prices: Any, fees: Any, zones: Any, after: Any, leaves: Any) -> Any:
    """Fills ``zones[rounds + 1, states]``, ``after`` (the same after the number is written) and
    ``leaves[rounds + 1, target]``; the bound."""
    zones[0] = 0.0
    leaves[0] = 0.0
    for left in range(1, zones.shape[0]):
        with_jokers(parts, fees[left], zones[left - 1], after[left])
        for state in range(zones.shape[1]):
            total = 0.0
            for roll in range(parts.chances.shape[0]):
                value, _, _ = best_use(parts, state, roll, prices[left, roll], after[left])
                total += parts.chances[roll] * value
            zones[left, state] = total
        for leaf in range(leaves.shape[1]):
            total = 0.0
            for roll in range(parts.chances.shape[0]):
                value, _ = best_leaf(parts, leaf, roll, prices[left, roll], fees[left], leaves[left - 1])
                total += parts.chances[roll] * value
            leaves[left, leaf] = total
    bound = leaves[-1, 0]
    for zone in range(ZONES):
        bound += zones[-1, parts.empty[zone]]
    return bound


@kernel
def spread_jokers(parts: Any, fee: Any, later: Any, mass: Any) -> Any:
    """Moves ``mass[states]`` on by the jokers that a zone places; how many in expectation."""
    placed = 0.0
    for _ in range(parts.most_jokers):
        moved = np.zeros_like(mass)
        for state in range(mass.shape[0]):
            if mass[state] > 0:
                best, then = later[state], state
                word = parts.lines[state * LINES + JOKER]
                for place in range(LINES):
                    if (low(word) >> place) & 1:
                        move = parts.moves[middle(word) + place]
                        value = high(move) - fee + later[middle_state(move)]
                        if value > best:
                            best, then = value, middle_state(move)
                moved[then] += mass[state]
                placed += mass[state] * (then != state)
        mass[:] = moved
    return placed


@kernel
def slopes(
    parts: Any, prices: Any, fees: Any, zones: Any, after: Any, leaves: Any, slope: Any, slope_fees: Any
) -> None:
    """How the bound changes with the prices and the fees: what is provided less what is used."""
    rounds, states = zones.shape[0] - 1, zones.shape[1]
    slope[:] = 0.0
    slope_fees[:] = 0.0
    mass, total = np.zeros(states), np.zeros(leaves.shape[1])
    for zone in range(ZONES):
        mass[parts.empty[zone]] = 1.0
    total[0] = 1.0
    for left in range(rounds, 0, -1):
        moved, onward = np.zeros(states), np.zeros(leaves.shape[1])
        for roll in range(parts.chances.shape[0]):
            chance = parts.chances[roll]
            for state in range(states):
                if mass[state] > 0:
                    _, bought, then = best_use(parts, state, roll, prices[left, roll], after[left])
                    moved[then] += chance * mass[state]
                    if bought >= 0:
                        slope[left, roll, bought] -= mass[state]
            for leaf in range(leaves.shape[1]):
                if total[leaf] > 0:
                    _, sold = best_leaf(parts, leaf, roll, prices[left, roll], fees[left], leaves[left - 1])
                    slope[left, roll, sold] += total[leaf]
                    die = parts.dice[roll, sold]
                    slope_fees[left] += chance * total[leaf] * low(parts.earned[leaf, die])
                    if leaf + die < leaves.shape[1]:
                        onward[leaf + die] += chance * total[leaf]
        slope_fees[left] -= spread_jokers(parts, fees[left], zones[left - 1], moved)
        mass[:] = moved
        total[:] = onward


@kernel
def descend(
    parts: Any, prices: Any, fees: Any, steps: Any, rate: Any, best_prices: Any, best_fees: Any
) -> Any:
    """Lowers the bound by subgradients, shorter and shorter; the lowest, at ``best_prices, best_fees``."""
    rounds, states, target = fees.shape[0] - 1, parts.zone.shape[0], parts.earned.shape[0]
    zones, after = np.zeros((rounds + 1, states)), np.zeros((rounds + 1, states))
    leaves = np.zeros((rounds + 1, target))
    slope, slope_fees = np.zeros(prices.shape), np.zeros(fees.shape)
    lowest = 1e9
    for number in range(steps):
        bound = values(parts, prices, fees, zones, after, leaves)
        if bound < lowest:
            lowest = bound
            best_prices[:] = prices
            best_fees[:] = fees
        slopes(parts, prices, fees, zones, after, leaves, slope, slope_fees)
        length = rate / np.sqrt(1.0 + number)
        for left in range(1, rounds + 1):
            fees[left] = max(0.0, fees[left] - 4 * length * slope_fees[left])
            for roll in range(prices.shape[1]):
                for place in range(3):
                    step = length * slope[left, roll, place]
                    prices[left, roll, place] = max(0.0, prices[left, roll, place] - step)
    return lowest
