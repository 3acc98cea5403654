"""How large a position is for the exact solver, counted without listing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.errors import TooLarge
from fable_solve.solver.games.chenille.cards import Hand
from fable_solve.solver.games.chenille.play import Chenille, State
from fable_solve.solver.games.chenille.ring import slots

Limit = Callable[[int], None]

WORK = 16
"""Arrays of the size of a layer that the solver holds beside the values; they count against the limit."""

MOST = 10
"""Caterpillars that settle on, leave, or pass Terre or Ciel in the tables counted; a game has eight."""


def check_size(game: Chenille, state: State, max_states: int) -> None:
    """Raises :class:`TooLarge` at once if a lower bound of the states to be solved exceeds ``max_states``."""
    places, rules = len(state.ring), game.rules
    pairs = places * (places + 1) // 2
    hands = count_hands(game.deck, rules.offer_size, rules.offer_favourable)
    size_limit(max_states, hands * pairs, WORK * hands * pairs)(count_tables(game, state) - 1)


def count_tables(game: Chenille, state: State) -> int:
    """A lower bound of the tables that can follow the one of ``state``, where play goes on.

    Counted are the tables in which every place has at least as many caterpillars as now, or none, and at
    most ``MOST`` settle, leave or pass. All of them can be reached: those that leave a place do so before the
    new ones settle, the captured ones together and last; those that pass are laid on an empty Terre place (if
    there is none, only those on the ring now are counted as captured). From an empty ring and a reserve of
    ``MOST`` at most these are all tables there are. Of those gone, at least so many are captured that the
    rest are too few to win, and at most so many that the Guepe has not won and enough are left to win.
    """
    rules, kinds = game.rules, {place[0] for place in state.ring}
    terre, ciel = ([pair for pair in _places(state) if pair[0][0] == kind] for kind in "TC")
    on_terre, on_ciel = (sum(count for _, count in places) for places in (terre, ciel))
    empty = any(count == 0 for _, count in terre)
    reserve = state.reserve if terre else 0
    ciels = _settlements(ciel).items()
    total = 0
    for (to_terre, off_terre), one in _settlements(terre).items():
        for (to_ciel, off_ciel), other in ciels:
            for laid in range(to_terre, min(reserve, to_terre + MOST) + 1):
                passed = off_terre + laid - to_terre - to_ciel
                if passed < 0:
                    continue
                gone = passed + off_ciel
                terre_now, ciel_now = on_terre + to_terre - off_terre, on_ciel + to_ciel - off_ciel
                usable = game.usable(kinds, state.reserve - laid, terre_now, ciel_now)
                short = rules.butterflies_to_win - state.butterflies - gone
                most = min(gone, rules.captures_to_win - 1 - state.captured, usable - short)
                most = most if empty else min(most, off_terre + off_ciel)
                total += one * other * max(0, most - max(0, 1 - short) + 1)
    return total


def _places(state: State) -> list[tuple[str, int]]:
    return list(zip(state.ring, state.caterpillars, strict=True))


def _settlements(places: Sequence[tuple[str, int]]) -> Counter[tuple[int, int]]:
    """In how many ways so many (settle, leave) on these places, ``MOST`` at most."""
    ways = Counter({(0, 0): 1})
    for place, count in places:
        changes = [(more, 0) for more in range(slots(place) - count + 1)] + [(0, count)] * (count > 0)
        after = Counter[tuple[int, int]]()
        for (settled, left), number in ways.items():
            for more, fewer in changes:
                if settled + more <= MOST and left + fewer <= MOST:
                    after[settled + more, left + fewer] += number
        ways = after
    return ways


def count_hands(deck: Hand, size: int, least: int) -> int:
    """How many hands are reachable from the full deck, without listing them.

    A hand of t cards, k offers after the deck, is reachable exactly if each offer to come can still hold
    ``least`` favourable cards and the cards gone hold ``least`` for each offer made (lay the offers with the
    fewest favourable cards first); t = 0 is the deck again.
    """
    good, bad = _subsets(deck[:4]), _subsets(deck[4:])
    count = 0.0
    for total in range(sum(deck), 0, -size):
        gone, to_come = (sum(deck) - total) // size, -(-total // size)
        for held in range(least * to_come, min(total, sum(deck[:4]) - least * gone) + 1):
            if total - held < len(bad):
                count += good[held] * bad[total - held]
    return int(count)


def _subsets(counts: Hand) -> NDArray[np.float64]:
    """The number of sub-multisets by their size."""
    ways = np.ones(1)
    for count in counts:
        ways = np.convolve(ways, np.ones(count + 1))
    return ways


def size_limit(max_states: int, factor: int, used: int = 0) -> Limit:
    """Raises :class:`TooLarge` once ``used`` and a further count times ``factor`` exceed ``max_states``."""

    def check(count: int) -> None:
        states = used + (count + 1) * factor
        if states > max_states:
            raise TooLarge(
                "states", states, max_states, hint="a larger limit, or fewer places, caterpillars or cards"
            )

    return check
