"""The state of a table of Cigale: immutable, hashable, the same for both modes.

Multisets (piles, reserves, Provisions) are sorted tuples, so that equal tables are equal states.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple, TypeVar

LAY, CHOOSE, SWAP, BUY, DRAW, OVER = range(6)
"""What happens next: the Ant lays its chain; Choix, guess and names at the same time; the Ant swaps
insects; the collector buys; a card is drawn (chance); nothing, the game is over."""

SQUARE, ROW, PURCHASE = -1, -2, -3
"""Steps of ``State.agenda`` other than a seat's draw: refill the square, refill the row, the purchase."""

NOBODY = -1

T = TypeVar("T")
Item = TypeVar("Item", int, str)


class State(NamedTuple):
    """One table; seats are ``0 .. players - 1``, places of the square row-major."""

    phase: int
    ant: int
    cigale: int
    board: tuple[int, ...]
    """Card codes, ``HOLE`` for a place without a card; ``[height * width]``."""
    pile: tuple[int, ...]
    """Cards of the draw pile, sorted: its order is not known."""
    chain: tuple[int, ...] = ()
    """Places under ants, sorted, from the laying to the collection."""
    choice: int = NOBODY
    """Type chosen by the Ant, while it decides on swaps."""
    collector: int = NOBODY
    """Seat that collects, from the reveal to the purchase."""
    agenda: tuple[int, ...] = ()
    """Steps to come before the next round, in order: a seat (draws one path card) or a step above."""
    shelves: tuple[tuple[int, ...], ...] = ()
    """Automne: places reached on the four shelves; ``[players][4]``."""
    insects: tuple[tuple[int, ...], ...] = ()
    """Automne: kept insect cards by species; ``[players][6]``."""
    round: int = 1
    """Number of the round, counted in hiver only (automne cannot go on without end)."""
    reserves: tuple[tuple[int, ...], ...] = ()
    """Hiver: path cards of each player, sorted."""
    discard: tuple[int, ...] = ()
    """Hiver: path cards paid, sorted."""
    provisions: tuple[tuple[str, ...], ...] = ()
    """Hiver: kinds of the Provisions bought by each player, sorted."""
    row: tuple[str, ...] = ()
    """Hiver: kinds of the Provisions on offer, sorted."""
    provision_pile: tuple[str, ...] = ()
    """Hiver: kinds of the Provisions to come, sorted."""


def less(bag: tuple[Item, ...], item: Item) -> tuple[Item, ...]:
    """The sorted multiset ``bag`` without one ``item`` that it holds."""
    i = bisect_left(bag, item)
    return bag[:i] + bag[i + 1 :]


def plus(bag: tuple[Item, ...], items: Iterable[Item]) -> tuple[Item, ...]:
    """The sorted multiset ``bag`` with ``items``."""
    return tuple(sorted(chain(bag, items)))


def at_seat(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    """``values``, one entry a seat, with that of ``seat`` replaced."""
    return (*values[:seat], value, *values[seat + 1 :])
