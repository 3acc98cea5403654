"""The state of a table of Cigale: immutable, hashable, the same for both modes.

Multisets (piles, reserves, Provisions) are sorted tuples, so that equal tables are equal states.
"""

from __future__ import annotations

from typing import NamedTuple

LAY, CHOOSE, SWAP, BUY, DRAW, OVER = range(6)
"""What happens next: the Ant lays its chain; Choix, guess and names at the same time; the Ant swaps
insects; the collector buys; a card is drawn (chance); nothing, the game is over."""

SQUARE, ROW = -1, -2
"""Entries of ``State.draws`` other than a seat: refill the square, refill the row of Provisions."""

NOBODY = -1


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
    """Places under ants, sorted."""
    choice: int = NOBODY
    """Type chosen by the Ant, from the reveal to the end of the collection."""
    collector: int = NOBODY
    """Seat that collects this round, from the reveal to the end of the round."""
    draws: tuple[int, ...] = ()
    """Draws still owed, in order: a seat (one path card), ``SQUARE`` or ``ROW``."""
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
