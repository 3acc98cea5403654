"""The states of the zones, numbered, with the moves of every letter: what kernels play whole games with.

A zone's state is its essence with every cell left in place (:meth:`Zone.essence_in_place`), so a state has
the moves of the real zone, in the order of the rules. State 0 is the empty zone. Under the shipped data
there are

    pumpkins 81   lilies 192   skewers 144   mugs 64   burrow 1,082   mushrooms 36

of them. A zone of larger size can have millions. Jokers alone bring it to far fewer, and since a joker may
stand wherever a number may, all that is lacking then is what numbers rule out (:func:`conflicts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import or_

from fable_solve.solver.games.feuilles.sheet import FACES, Rows, X, Zone

LETTERS = FACES + X
MOST = 4000
"""Largest number of states of a zone that are numbered."""


@dataclass(frozen=True)
class Move:
    """One placement: the state it leads to, the points of the zone gained, whether it fills the zone."""

    cell: int
    then: int
    gain: int
    completes: bool


@dataclass(frozen=True)
class ZoneStates:
    """All states that letters can bring a zone to."""

    rows: tuple[Rows, ...]
    """A zone of each state."""
    moves: tuple[tuple[tuple[Move, ...], ...], ...]
    """``[state][letter]``: the moves of each of ``LETTERS``, by cell; none once the zone is full."""


@cache
def zone_states(zone: Zone, letters: str = LETTERS, most: int | None = None) -> ZoneStates | None:
    """Every state that ``letters`` bring a zone to, the empty one first; ``None`` if above ``most``."""
    number = {zone.empty: 0}
    rows, moves = [zone.empty], []
    for here in rows:  # grows on the way
        lines = []
        for letter in LETTERS:
            line = []
            for placement in zone.moves(here, letter) if letter in letters else ():
                after = zone.essence_in_place(placement.rows)
                if after not in number:
                    number[after] = len(rows)
                    rows.append(after)
                line.append(Move(placement.cell, number[after], placement.gain, placement.completes))
            lines.append(tuple(line))
        moves.append(tuple(lines))
        if most is not None and len(rows) > most:
            return None
    return ZoneStates(tuple(rows), tuple(moves))


def joker_states(zone: Zone) -> ZoneStates:
    """The states that jokers alone bring a zone to: which cells are filled."""
    states = zone_states(zone, X)
    assert states is not None
    return states


@dataclass(frozen=True)
class Conflicts:
    """What numbers of a zone rule out; numbers count from 0, cells are bits."""

    bare: tuple[int, ...]
    """``[number]``: cells that never take it."""
    rules_out: tuple[tuple[tuple[int, ...], ...], ...]
    """``[cell][letter][number]``: cells that do not take ``number`` once ``letter`` stands in ``cell``."""


@cache
def conflicts(zone: Zone) -> Conflicts:
    """The conflicts of pairs of cells, found by trying every number in every cell among jokers."""
    states = joker_states(zone)
    opening: dict[int, Rows] = {}
    for rows, moves in zip(states.rows, states.moves, strict=True):
        for move in moves[-1]:
            opening.setdefault(move.cell, rows)
    bare = [_refused(zone, opening.values(), number) for number in FACES]
    rules_out = [
        tuple(_ruled_out(zone, opening[cell], cell, letter, bare) for letter in LETTERS)
        for cell in sorted(opening)
    ]
    return Conflicts(tuple(bare), tuple(rules_out))


def _ruled_out(zone: Zone, rows: Rows, cell: int, letter: str, bare: Sequence[int]) -> tuple[int, ...]:
    """Cells by number that ``letter`` rules out when it is written into a cell of ``rows``."""
    if cell not in zone.cells(rows, letter):
        return (0,) * len(FACES)
    later = _walk(zone, zone.write(rows, cell, letter))
    return tuple(_refused(zone, later, number) & ~never for number, never in zip(FACES, bare, strict=True))


def _refused(zone: Zone, walk: Iterable[Rows], number: str) -> int:
    """Cells that take a joker, but not ``number``, in some of the zones given."""
    cells = (set(zone.cells(rows, X)).difference(zone.cells(rows, number)) for rows in walk)
    return reduce(or_, (1 << cell for refused in cells for cell in refused), 0)


def _walk(zone: Zone, rows: Rows) -> list[Rows]:
    """The zone again and again with one joker more, until it is full."""
    walk = [rows]
    while moves := zone.moves(walk[-1], X):
        walk.append(moves[0].rows)
    return walk
