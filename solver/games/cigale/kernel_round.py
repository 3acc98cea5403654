"""The round of a play-out: how each policy names one of the types under the ants, and who is next.

The cards of each type under a chain travel as one word, 16 bits a type::

    bits 48-63   32-47   16-31   0-15
           R       N       B      Y

``present`` is the set of types under ants, bit t for type t.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.cigale.kernel_pile import fraction, one_of
from fable_solve.solver.jit import step
from fable_solve.solver.kernel_bits import nth, size

RANDOM, GREEDY, STAGE = range(3)
TYPES = 4
MARKS = 7
"""Insect parts of a card's code: none, and six species."""
FIELD = 16
ANT, CIGALE = 0, 1
POINT = 100.0
"""What a greedy player counts for a point; a card is 1."""
_UNIT = 2.0**-53


class Stage(NamedTuple):
    """Equilibria of all rounds counted in cards."""

    counts: Any
    """Cards of each type under a chain, best value for the Ant first; ``[rounds, 4]``."""
    starts: Any
    """Where the rounds of each value start, and their number; ``[values + 1]``."""
    row: Any
    """Row of a round with y, b and n cards of the first three types, at ``(y * span + b) * span + n``;
    ``[span**3]``."""
    span: int
    """Ants + 1."""
    limits: Any
    """Types named by drawing a uniform number u (53 bits): as many as there are limits not above u; the
    Ant's and the Cigale's; ``[rounds, 2, 3]``."""
    red: Any
    """Set of types that a Red Ant names; ``[rounds]``."""


@step
def cards_of(word: Any, path_type: int) -> int:
    """Cards of a type in a word of counts."""
    return int((word >> np.uint64(FIELD * path_type)) & np.uint64(0xFFFF))


@step
def under(code: Any, places: Any, chain: int, unit: Any) -> Any:
    """Word of counts of the cards under a chain; ``unit[code]`` is the word of one card."""
    word = np.uint64(0)
    for i in range(places.shape[1]):
        word += unit[code[places[chain, i]]]
    return word


@step
def types_in(word: Any) -> Any:
    """Set of types in a word of counts."""
    present = np.uint64(0)
    for path_type in range(TYPES):
        present |= np.uint64(cards_of(word, path_type) > 0) << np.uint64(path_type)
    return present


@step
def next_roles(ant: int, cigale: int, collector: int, seats: int) -> tuple[int, int]:
    """Ant and Cigale of the next round (see ``Cigale.next_roles``)."""
    cigale = cigale + 1 if cigale + 1 < seats else 0
    if collector == ant:
        return ant + 1 if ant + 1 < seats else 0, cigale
    if cigale == ant:
        cigale = cigale + 1 if cigale + 1 < seats else 0
    return ant, cigale


@step
def any_type(present: Any, streams: Any, stream: int) -> Any:
    """A uniform type of a set."""
    return nth(present, one_of(streams, stream, size(present)))


@step
def row_of(stage: Any, word: Any) -> Any:
    """Row of the tables of :class:`Stage` for a word of counts."""
    return stage.row[(cards_of(word, 0) * stage.span + cards_of(word, 1)) * stage.span + cards_of(word, 2)]


@step
def in_equilibrium(stage: Any, word: Any, role: int, streams: Any, stream: int) -> int:
    """Type named in equilibrium by the Ant or the Cigale."""
    row, u = row_of(stage, word), fraction(streams, stream)
    named = 0
    for path_type in range(TYPES - 1):
        named += stage.limits[row, role, path_type] <= u
    return named


@step
def by_worth(worths: Any, present: Any, streams: Any, stream: int) -> int:
    """A type of a set with a chance in proportion to ``worths[4]``."""
    total, last = 0.0, 0
    for path_type in range(TYPES):
        if present >> np.uint64(path_type) & np.uint64(1):
            total += worths[path_type]
            last = path_type
    left = np.float64(fraction(streams, stream)) * _UNIT
    for path_type in range(last):
        if present >> np.uint64(path_type) & np.uint64(1):
            left -= worths[path_type] / total
            if left < 0.0:
                return path_type
    return last
