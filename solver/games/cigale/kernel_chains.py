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

from fable_solve.solver.games.cigale.kernel_pile import one_of
from fable_solve.solver.jit import kernel
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


@kernel
def put(planes: Any, covering: Any, place: int, path_type: int) -> None:
    """A card of a type comes to a place."""
    for w in range(planes.shape[0]):
        carry = covering[place, w]
        for b in range(planes.shape[2]):
            old = planes[w, path_type, b]
            planes[w, path_type, b] = old ^ carry
            carry &= old


@kernel
def lift(planes: Any, covering: Any, place: int, path_type: int) -> None:
    """A card of a type leaves a place."""
    for w in range(planes.shape[0]):
        borrow = covering[place, w]
        for b in range(planes.shape[2]):
            new = planes[w, path_type, b] ^ borrow
            planes[w, path_type, b] = new
            borrow &= new


@kernel
def split(planes: Any, exact: Any) -> None:
    """Writes the chains over exactly n cards of a type into ``exact[words, 4, 2**bits]``."""
    if planes.shape[2] == _USUAL:
        for w in range(planes.shape[0]):
            for path_type in range(TYPES):
                split_three(planes, w, path_type, exact)
    else:
        for w in range(planes.shape[0]):
            for path_type in range(TYPES):
                split_any(planes, w, path_type, exact)


@kernel
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


@kernel
def split_any(planes: Any, w: int, path_type: int, exact: Any) -> None:
    """The same for one word of a type, counted with any number of bits."""
    exact[w, path_type, 0] = ~_NONE
    for b in range(planes.shape[2]):
        plane = planes[w, path_type, b]
        for count in range(1 << b):
            exact[w, path_type, count + (1 << b)] = exact[w, path_type, count] & plane
            exact[w, path_type, count] &= ~plane


@kernel
def first_class(planes: Any, legal: Any, counts: Any, starts: Any, exact: Any, best: Any) -> None:
    """Writes into ``best[words]`` the legal chains of the first class that has any: class r holds the
    chains whose cards of each type are one of ``counts[starts[r]:starts[r + 1], 4]``.

    ``exact[words, 4, 2**bits]`` is scratch.
    """
    split(planes, exact)
    for rank in range(starts.shape[0] - 1):
        some = _NONE
        for w in range(legal.shape[0]):
            found, row = _NONE, np.uint64(starts[rank])
            while row < np.uint64(starts[rank + 1]):
                found |= (
                    exact[w, 0, counts[row, 0]]
                    & exact[w, 1, counts[row, 1]]
                    & exact[w, 2, counts[row, 2]]
                    & exact[w, 3, counts[row, 3]]
                )
                row += _ONE
            best[w] = found & legal[w]
            some |= best[w]
        if some != _NONE:
            return


@kernel
def add(sums: Any, w: int, bits: int, chains: Any, b: int) -> None:
    """Adds ``2**b`` to word ``w`` of the vertical counters ``sums[words, bits]`` of some chains."""
    for at in range(b, bits):
        old = sums[w, at]
        sums[w, at] = old ^ chains
        chains &= old


@kernel
def add_points(sums: Any, w: int, bits: int, exact: Any, path_type: int, where: Any) -> None:
    """Adds the points of a type to word ``w`` of the counters (see :func:`sort_points`)."""
    carry = _NONE
    for b in range(bits):
        more = _NONE
        for i in range(1, where[path_type, b, 0] + 1):
            more |= exact[w, path_type, where[path_type, b, i]]
        old = sums[w, b]
        half = old ^ more
        sums[w, b] = half ^ carry
        carry = (old & more) | (half & carry)


@kernel
def sort_points(points: Any, seat: int, bonus: Any, where: Any) -> int:
    """Writes the counts whose points have a bit into ``where[type, bit, 1 + counts]``, their number first;
    returns how many bits any sum has."""
    ants = points.shape[2] - 1
    most = 0
    for place in range(bonus.shape[0]):
        most = max(most, ants * bonus[place])
    for path_type in range(TYPES):
        most += points[seat, path_type, ants]
    bits = length(most)
    for path_type in range(TYPES):
        for b in range(bits):
            where[path_type, b, 0] = 0
            for count in range(1, ants + 1):
                if points[seat, path_type, count] >> b & 1:
                    where[path_type, b, 0] += 1
                    where[path_type, b, where[path_type, b, 0]] = count
    return int(bits)


@kernel
def largest_sum(
    planes: Any,
    covering: Any,
    legal: Any,
    points: Any,
    seat: int,
    bonus: Any,
    exact: Any,
    sums: Any,
    where: Any,
    best: Any,
) -> None:
    """Writes into ``best[words]`` the legal chains with the largest sum of ``points[seat, type, cards]`` over
    the types and ``bonus[place]`` over the places.

    ``exact[words, 4, 2**bits]``, ``sums[words, bits]``, wide enough for any sum, and ``where[4, bits, 1 + ants]`` are scratch.
    """
    bits = sort_points(points, seat, bonus, where)
    if bits > 0:
        split(planes, exact)
    for w in range(legal.shape[0]):
        best[w] = legal[w]
        if bits > 0:
            for b in range(bits):
                sums[w, b] = _NONE
            for path_type in range(TYPES):
                add_points(sums, w, bits, exact, path_type, where)
            for place in range(bonus.shape[0]):
                amount = bonus[place]
                b = 0
                while amount >> b:
                    if amount >> b & 1:
                        add(sums, w, bits, covering[place, w], b)
                    b += 1
    for b in range(bits - 1, -1, -1):
        some = _NONE
        for w in range(legal.shape[0]):
            some |= best[w] & sums[w, b]
        if some != _NONE:
            for w in range(legal.shape[0]):
                best[w] &= sums[w, b]


@kernel
def members(chains: Any) -> int:
    """How many chains a set has."""
    total = 0
    for w in range(chains.shape[0]):
        total += size(chains[w])
    return total


@kernel
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
