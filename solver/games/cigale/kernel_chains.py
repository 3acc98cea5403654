"""Sets of chains as bits, and the chains of a square that are best in a sense that only counts.

Chain c is bit ``c % 64`` of word ``c // 64``. How many cards of each type lie under each chain is kept as
vertical counters: 64 chains are counted with a few logical instructions, whatever the size of the square::

    planes[word, type, bit]        chain:   ... 3 2 1 0
    planes[0, Y, 0]                         ... 0 1 0 1
    planes[0, Y, 1]                         ... 1 0 0 1      so chain 0 has 3 Y, chain 1 none, chain 3 two

``covering[place, word]`` has the chains with an ant on a place. All words are ``uint64``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.games.cigale.kernel_pile import ZERO, one_of
from fable_solve.solver.jit import step
from fable_solve.solver.kernel_bits import length, nth, size

TYPES = 4
_NONE = np.uint64(0)
_ONE = np.uint64(1)
_WORD = 64
_USUAL = 3
"""Bits of a counter with 4 to 7 ants."""


class Chains(NamedTuple):
    """Every legal chain of a square, in the order of :mod:`chains`."""

    places: Any
    """Places under the ants, ascending; ``[chains, ants]``."""
    covering: Any
    """Chains with an ant on a place; ``[places, words]``."""
    every: Any
    """All chains; ``[words]``."""


class Sets(NamedTuple):
    """Sets of chains in the course of a game; all but ``planes`` and ``points`` are scratch."""

    planes: Any
    """Cards of each type under each chain, as vertical counters; ``[words, 4, bits]``."""
    exact: Any
    """Chains over exactly n cards of a type; ``[words, 4, 2**bits]``."""
    legal: Any
    """``[words]``."""
    best: Any
    """``[words]``."""
    points: Any
    """Points a greedy seat would gain by 0, 1, ... cards of each type; ``[seats, 4, ants + 1]``."""
    bonus: Any
    """Points a greedy seat would gain by the insect of each place; ``[places]``, or empty."""
    sums: Any
    """Points of each chain, as vertical counters wide enough for any; ``[words, sum bits]``."""
    where: Any
    """Numbers of cards whose points have a bit, how many there are first; ``[4, sum bits, ants + 1]``."""


@step
def put(sets: Any, chains: Any, place: int, path_type: int) -> None:
    """A card of a type comes to a place."""
    for w in range(sets.planes.shape[0]):
        carry = chains.covering[place, w]
        for b in range(sets.planes.shape[2]):
            old = sets.planes[w, path_type, b]
            sets.planes[w, path_type, b] = old ^ carry
            carry &= old


@step
def lift(sets: Any, chains: Any, place: int, path_type: int) -> None:
    """A card of a type leaves a place."""
    for w in range(sets.planes.shape[0]):
        borrow = chains.covering[place, w]
        for b in range(sets.planes.shape[2]):
            new = sets.planes[w, path_type, b] ^ borrow
            sets.planes[w, path_type, b] = new
            borrow &= new


@step
def split(sets: Any) -> None:
    """Writes ``exact``."""
    usual = sets.planes.shape[2] == _USUAL
    for w in range(sets.planes.shape[0]):
        for path_type in range(TYPES):
            if usual:
                split_three(sets.planes, w, path_type, sets.exact)
            else:
                split_any(sets.planes, w, path_type, sets.exact)


@step
def split_three(planes: Any, w: int, path_type: int, exact: Any) -> None:
    """The same for one word of a type, counted with three bits."""
    ones, twos, fours = planes[w, path_type, 0], planes[w, path_type, 1], planes[w, path_type, 2]
    zero, one, two, three = ~(ones | twos), ones & ~twos, twos & ~ones, ones & twos
    exact[w, path_type, 0] = zero & ~fours
    exact[w, path_type, 1] = one & ~fours
    exact[w, path_type, 2] = two & ~fours
    exact[w, path_type, 3] = three & ~fours
    exact[w, path_type, 4] = zero & fours
    exact[w, path_type, 5] = one & fours
    exact[w, path_type, 6] = two & fours
    exact[w, path_type, 7] = three & fours


@step
def split_any(planes: Any, w: int, path_type: int, exact: Any) -> None:
    """The same for one word of a type, counted with any number of bits."""
    exact[w, path_type, 0] = ~_NONE
    for b in range(planes.shape[2]):
        plane = planes[w, path_type, b]
        for count in range(1 << b):
            exact[w, path_type, count + (1 << b)] = exact[w, path_type, count] & plane
            exact[w, path_type, count] &= ~plane


@step
def first_class(sets: Any, stage: Any) -> None:
    """Writes into ``best`` the legal chains of the first class of rounds of ``stage`` that has any; after
    :func:`split`."""
    exact, counts = sets.exact, stage.counts
    for rank in range(stage.starts.shape[0] - 1):
        some = _NONE
        for w in range(sets.legal.shape[0]):
            found, row = _NONE, np.uint64(stage.starts[rank])
            while row < np.uint64(stage.starts[rank + 1]):
                found |= (
                    exact[w, 0, counts[row, 0]]
                    & exact[w, 1, counts[row, 1]]
                    & exact[w, 2, counts[row, 2]]
                    & exact[w, 3, counts[row, 3]]
                )
                row += _ONE
            sets.best[w] = found & sets.legal[w]
            some |= sets.best[w]
        if some != _NONE:
            return


@step
def add(sums: Any, w: int, bits: int, chains: Any, b: int) -> None:
    """Adds ``2**b`` to word ``w`` of the vertical counters ``sums[words, bits]`` of some chains."""
    for at in range(b, bits):
        old = sums[w, at]
        sums[w, at] = old ^ chains
        chains &= old


@step
def add_points(sets: Any, w: int, bits: int, path_type: int) -> None:
    """Adds the points of a type to word ``w`` of ``sums``."""
    carry = _NONE
    for b in range(bits):
        more = _NONE
        for i in range(1, sets.where[path_type, b, 0] + 1):
            more |= sets.exact[w, path_type, sets.where[path_type, b, i]]
        old = sets.sums[w, b]
        half = old ^ more
        sets.sums[w, b] = half ^ carry
        carry = (old & more) | (half & carry)


@step
def sort_points(sets: Any, seat: int) -> int:
    """Writes ``where`` for a seat's points; returns how many bits any sum has."""
    ants = sets.points.shape[2] - 1
    most = 0
    for place in range(sets.bonus.shape[0]):
        most = max(most, ants * sets.bonus[place])
    for path_type in range(TYPES):
        most += sets.points[seat, path_type, ants]
    bits = length(np.uint64(most))
    for path_type in range(TYPES):
        for b in range(bits):
            found = 0
            for count in range(1, ants + 1):
                if sets.points[seat, path_type, count] >> b & 1:
                    found += 1
                    sets.where[path_type, b, found] = count
            sets.where[path_type, b, 0] = found
    return int(bits)


@step
def largest_sum(sets: Any, chains: Any, seat: int) -> None:
    """Writes into ``best`` the legal chains with the largest sum of a seat's ``points`` over the types and
    ``bonus`` over the places; after :func:`split`."""
    bits = sort_points(sets, seat)
    for w in range(sets.legal.shape[0]):
        sets.best[w] = sets.legal[w]
        for b in range(bits):
            sets.sums[w, b] = _NONE
        for path_type in range(TYPES):
            add_points(sets, w, bits, path_type)
        for place in range(sets.bonus.shape[0]):
            amount, b = sets.bonus[place], ZERO
            while amount:
                if amount & 1:
                    add(sets.sums, w, bits, chains.covering[place, w], b)
                amount >>= 1
                b += 1
    for b in range(bits - 1, -1, -1):
        some = _NONE
        for w in range(sets.best.shape[0]):
            some |= sets.best[w] & sets.sums[w, b]
        if some != _NONE:
            for w in range(sets.best.shape[0]):
                sets.best[w] &= sets.sums[w, b]


@step
def members(chains: Any) -> int:
    """How many chains a set has."""
    total = 0
    for w in range(chains.shape[0]):
        total += size(chains[w])
    return total


@step
def any_of(chains: Any, streams: Any, stream: int) -> int:
    """A uniform chain of a set that is not empty."""
    k = one_of(streams, stream, members(chains))
    w = 0
    here = size(chains[0])
    while k >= here:
        k -= here
        w += 1
        here = size(chains[w])
    return int(_WORD * w + nth(chains[w], k))
