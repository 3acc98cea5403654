"""The states of the zones, numbered, with the moves of every letter: what kernels play whole games with.

A zone's state is its essence with every cell left in place (:meth:`Zone.essence_in_place`), so a state has
the moves of the real zone, in the order of the rules. State 0 is the empty zone. Under the shipped data:

    pumpkins 81   lilies 192   skewers 144   mugs 64   burrow 1,082   mushrooms 36
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fable_solve.solver.games.feuilles.sheet import FACES, Rows, X, Zone

LETTERS = FACES + X


@dataclass(frozen=True)
class Move:
    """One placement: the state it leads to, the points of the zone gained, whether it fills the zone."""

    then: int
    gain: int
    completes: bool


@dataclass(frozen=True)
class ZoneStates:
    """All states that letters can bring a zone to."""

    rows: tuple[Rows, ...]
    """A zone of each state."""
    points: tuple[int, ...]
    moves: tuple[tuple[tuple[Move, ...], ...], ...]
    """``[state][letter]``: the moves of each of ``LETTERS``, by cell; none once the zone is full."""


@cache
def zone_states(zone: Zone) -> ZoneStates:
    """Every state of a zone, in the order in which they are first found."""
    number = {zone.empty: 0}
    rows, moves = [zone.empty], []
    for here in rows:  # grows as it goes
        line = []
        for letter in LETTERS:
            found = []
            for placement in zone.moves(here, letter):
                after = zone.essence_in_place(placement.rows)
                if after not in number:
                    number[after] = len(rows)
                    rows.append(after)
                found.append(Move(number[after], placement.gain, placement.completes))
            line.append(tuple(found))
        moves.append(tuple(line))
    return ZoneStates(tuple(rows), tuple(map(zone.points, rows)), tuple(moves))
