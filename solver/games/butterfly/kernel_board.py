"""The square of Butterfly in machine words: where the hedgehog may go, and what it flies over.

A *place* is ``row << 5 | col``, so boards have at most 32 rows and columns. The tiles that lie are kept as
``lines[64]`` (``uint64``), one word a row and one a column; the two lines through a place make up its
*cross*, in which bit b is a square of its row or column::

    bit        0 .......... 31   32 ......... 63
    lines[r]   tiles of row r by column     0
    lines[32 + c]   0        tiles of column c by row
    cross      lines[r] | lines[32 + c]

``reach[facing << 10 | place]`` is the cross without the place itself and the squares behind the hedgehog, and
``nets[place]`` the nets of the cross. So destinations are a mask, their number is a count of bits, and the
k-th one in the order of the rules (along the row, then along the column) is the k-th bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.jit import lean, step
from fable_solve.solver.kernel_bits import bit, length

SIDE = 32
PLACES = SIDE * SIDE
ONE = np.uint64(1)
_COLS = np.uint64(31)
_ROWS = np.uint64(31 << 5)
_FIVE = np.uint64(5)
_TEN = np.uint64(10)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_TWO = np.uint64(2)
_THREE = np.uint64(3)
_HEADINGS = np.uint64(0b10_00_01_11)
"""South, north, east, west, from the highest two bits on."""


@step
def fill(lines: Any, rows: int, cols: int) -> None:
    """A tile on every square."""
    for row in range(rows):
        lines[row] = bit(cols) - ONE
    for col in range(cols):
        lines[SIDE + col] = (bit(rows) - ONE) << _HALF


@step
def cross(lines: Any, place: Any) -> Any:
    """Tiles in the row and the column of a place."""
    return lines[place >> _FIVE] | lines[_HALF + (place & _COLS)]


@step
def remove(lines: Any, place: Any) -> None:
    """Take the tile of a place off the square."""
    row, col = place >> _FIVE, place & _COLS
    lines[row] &= ~(ONE << col)
    lines[_HALF + col] &= ~(ONE << (_HALF + row))


@step
def put_back(lines: Any, place: Any) -> None:
    """Put the tile of a place back on the square."""
    row, col = place >> _FIVE, place & _COLS
    lines[row] |= ONE << col
    lines[_HALF + col] |= ONE << (_HALF + row)


@step
def ahead(reach: Any, place: Any, facing: Any) -> Any:
    """The part of the cross where the hedgehog may go: all but its own square and what lies behind it."""
    return reach[facing << _TEN | place]


@step
def arrival(place: Any, to: Any) -> Any:
    """Place of the square at bit ``to`` of the cross of ``place``."""
    shift = (to >> _FIVE) * _FIVE
    return (place & (_ROWS >> shift)) | (to & _COLS) << shift


@step
def own(place: Any, to: Any) -> Any:
    """The bit of ``place`` itself in that half of its cross where ``to`` lies."""
    return (place >> (to >> _FIVE) * _FIVE & _COLS) | (to & _HALF)


@step
def heading(place: Any, to: Any) -> Any:
    """The facing after a move from ``place`` to bit ``to`` of its cross."""
    onwards = np.uint64(to > own(place, to))
    return _HEADINGS >> (((to >> _FIVE) * _TWO + onwards) * _TWO) & _THREE


@lean
def beyond(place: Any, nets: Any) -> Any:
    """The bits of the cross of ``place`` behind the nearest of its ``nets`` given, in all four directions."""
    col, row = place & _COLS, place >> _FIVE
    east, south = nets & _LOW & ~(bit(col) - ONE), nets & ~(bit(_HALF + row) - ONE)
    west, north = nets & (bit(col) - ONE), nets >> _HALF & (bit(row) - ONE)
    return _above(east) & _LOW | _above(south) | _below(west) | _below(north) << _HALF


@step
def _above(word: Any) -> Any:
    """All bits above the lowest one of a word; none if it has none."""
    return ~(word ^ (word - ONE))


@step
def _below(word: Any) -> Any:
    """All bits below the highest one of a word."""
    return bit(length(word)) - ONE >> ONE
