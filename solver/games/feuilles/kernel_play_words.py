"""Lines, moves and throws as 64-bit words: what kernels play 61 Feuilles d'automne with.

The states of all zones are numbered through (:mod:`fable_solve.solver.games.feuilles.zonestates`), and each
has eight *lines*, one a letter, with the moves of that letter in the order of the rules::

    line = 8 * state + letter      letter 0..5 the numbers 1..6, 6 the joker, 7 nothing (has no moves)

The lines of all states are listed four times; a listing says which moves of a line a policy chooses among
and what they are worth to it. (``optimised`` tries all moves: :mod:`kernel_worth`.)

    ======= ======================= ===============
    listing moves chosen among      zone bonus
    ======= ======================= ===============
    0       all                     to be had
    1       all                     gone
    2       the best (greedy)       to be had
    3       the best                gone
    ======= ======================= ===============

A sheet keeps for every zone the first line of its state, in the listing in force. Words by their bits:

    ===================== ================================ ============================= ===================
    word                  0-7                              8-31                          32-62
    ===================== ================================ ============================= ===================
    ``lines[line]``       which moves are chosen among     first of all its moves        gain (random: 0)
    ``ways[throw, way]``  zone 0..5                        letter                        die for the leaves
    ``earned[leaf, die]`` jokers                           0                             points
    ``moves[move]``       bit 0: the zone is full by it;   bits 3-31: line it leads to   gain
    ===================== ================================ ============================= ===================

A gain counts the zone bonus while it is to be had. ``ways[216, 6]`` are the ways to use a throw in the order
of the rules, with letter 7 where a way repeats an earlier one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fable_solve.solver.jit import lean

ZONES = 6
LINES = 8
"""Lines of a state."""
LEAF, WROTE = 6, 7
"""Places behind the zones, in a row that records a sheet: leaf total, and the zone last written in."""
JOKER = 6
NOTHING = 7
"""Letter of a line without moves."""
LISTINGS = 4


class Room(NamedTuple):
    """What a kernel works in."""

    sheets: Any
    """``[seats + 1, 8]``: the line of every zone of a seat, and at ``WROTE`` the number (from 1) of the zone
    last written in, 0 for none; the last row serves to try jokers."""
    leaves: Any
    """``[seats]``: leaf totals."""
    ranked: Any
    """``[6]``: for every way, the moves chosen among (bits 0-7) and their rank."""
    race: Any
    """``[6]``: the fewest cells that a rival of the seat in turn lacks in each zone."""
    fewest: Any
    """``[2, 6]``: the fewest cells that a seat lacked in each zone before the round, and the next fewest."""


class Tables(NamedTuple):
    """The rules as arrays of words (see above)."""

    lines: Any
    moves: Any
    ways: Any
    earned: Any
    empty: Any
    """``[6]``: an empty sheet in listing 0."""
    target: int
    """Leaf total that ends the game."""
    rounds: int


@lean
def low(word: Any) -> Any:
    """Bits 0-7: moves chosen among, zone, jokers."""
    return word & 0xFF


@lean
def middle(word: Any) -> Any:
    """Bits 8-31: first move, letter."""
    return (word >> 8) & 0xFFFFFF


@lean
def high(word: Any) -> Any:
    """Bits 32-62: points, die."""
    return (word >> 32) & 0x7FFFFFFF


@lean
def line_after(move: Any) -> Any:
    """The first line of the state that a move leads to."""
    return move & 0xFFFFFFF8
