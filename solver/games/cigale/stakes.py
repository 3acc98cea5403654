"""What a round is about: each role's gain from collecting a type, under an objective.

``cards``: the number of cards. ``points``: in automne the points gained now from the collector's own shelf
and insect sets, in hiver the most Provision points one purchase can gain now, insect swaps (of the Ant) and
the second copy of a kind included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.cigale.cards import NO_INSECT, TYPES, insect_of, type_of
from fable_solve.solver.games.cigale.chains import Chain
from fable_solve.solver.games.cigale.market import affords, price_counts, purchase_gain, swap_types
from fable_solve.solver.games.cigale.rules import Rules
from fable_solve.solver.games.cigale.state import State

ANT, CIGALE = 0, 1
ROUND_OBJECTIVES = ("cards", "points")

Stake = Callable[[int, int, Sequence[int], Chain], float]
"""``stake(role, type, squares, chain)``: gain of the role (0 Ant, 1 Cigale) by collecting the cards of
``squares``, all of one type, under the ants of ``chain``."""


def round_stake(rules: Rules, mode: str | None, state: State, objective: str) -> Stake:
    """The stake of the round about to be played at ``state``; raises :class:`BadInput`."""
    if objective not in ROUND_OBJECTIVES:
        raise BadInput(f"one of {', '.join(ROUND_OBJECTIVES)}", repr(objective), where="--objective")
    if objective == "cards":
        return lambda role, path_type, squares, chain: float(len(squares))
    return _hiver_points(rules, state) if mode == "hiver" else _automne_points(rules, state)


def track(scale: Sequence[int], start: int, most: int) -> list[float]:
    """Points gained by 0, 1, ..., ``most`` steps from ``start`` on a scale whose last entry is the top.

    >>> track([0, 1, 3, 6, 10], 2, 3)
    [0.0, 3.0, 7.0, 7.0]
    """
    top = len(scale) - 1
    return [float(scale[min(start + m, top)] - scale[min(start, top)]) for m in range(most + 1)]


def additive_tables(
    rules: Rules, state: State, objective: str, most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """``steps[2, 4, most + 1]`` and ``sets[2, 6, most + 1]`` of the kernel (not for hiver points)."""
    if objective == "cards":
        return np.tile(np.arange(most + 1.0), (2, 4, 1)), np.zeros((2, 6, most + 1))
    seats = (state.ant, state.cigale)
    steps = [[track(rules.shelf_points, place, most) for place in state.shelves[seat]] for seat in seats]
    sets = [[track(rules.insect_points, held, most) for held in state.insects[seat]] for seat in seats]
    return np.array(steps), np.array(sets)


def _automne_points(rules: Rules, state: State) -> Stake:
    steps, sets = additive_tables(rules, state, "points", rules.ants)

    def stake(role: int, path_type: int, squares: Sequence[int], chain: Chain) -> float:
        insects = Counter(insect_of(state.board[square]) for square in squares)
        kept = sum(sets[role, insect, m] for insect, m in insects.items() if insect != NO_INSECT)
        return float(steps[role, path_type, len(squares)] + kept)

    return stake


def _hiver_points(rules: Rules, state: State) -> Stake:
    rate = rules.substitution_cards if rules.substitution else None
    prices = {kind: price_counts(rules.prices, kind, TYPES) for kind in set(state.row)}

    def type_counts(codes: Sequence[int]) -> tuple[int, ...]:
        counts = Counter(type_of(code) for code in codes)
        return tuple(counts[path_type] for path_type in range(len(TYPES)))

    @cache
    def best(seat: int, collected: tuple[int, ...]) -> float:
        hand = [x + y for x, y in zip(type_counts(state.reserves[seat]), collected, strict=True)]
        gains = [
            purchase_gain(state.provisions[seat], kind, rules.provision_points)
            for kind, price in prices.items()
            if affords(hand, price, rate)
        ]
        return float(max(gains, default=0))

    def stake(role: int, path_type: int, squares: Sequence[int], chain: Chain) -> float:
        if role == CIGALE:
            return best(state.cigale, type_counts([state.board[square] for square in squares]))
        hands = swap_types(state.board, squares, chain, rules.swap_target)
        return max(best(state.ant, hand) for hand in hands)

    return stake
