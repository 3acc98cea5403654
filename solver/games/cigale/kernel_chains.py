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
from fable_solve.solver.kernel_bits import nth, size

TYPES = 4
_NONE = np.uint64(0)
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
def split(planes: Any, w: int, exact: Any) -> None:
    """Writes word ``w`` of the chains over exactly n cards of a type into ``exact[4, 2**bits]``."""
    for path_type in range(TYPES):
        if planes.shape[2] == _USUAL:
            split_three(planes, w, path_type, exact)
        else:
            exact[path_type, 0] = ~_NONE
            for b in range(planes.shape[2]):
                plane = planes[w, path_type, b]
                for count in range(1 << b):
                    exact[path_type, count + (1 << b)] = exact[path_type, count] & plane
                    exact[path_type, count] &= ~plane


@kernel
def split_three(planes: Any, w: int, path_type: int, exact: Any) -> None:
    """The same of one type for counters of three bits (4 to 7 ants), unrolled."""
    ones, twos, fours = planes[w, path_type, 0], planes[w, path_type, 1], planes[w, path_type, 2]
    zero, one, two, three = ~(ones | twos), ones & ~twos, twos & ~ones, ones & twos
    exact[path_type, 0] = zero & ~fours
    exact[path_type, 1] = one & ~fours
    exact[path_type, 2] = two & ~fours
    exact[path_type, 3] = three & ~fours
    exact[path_type, 4] = zero & fours
    exact[path_type, 5] = one & fours
    exact[path_type, 6] = two & fours
    exact[path_type, 7] = three & fours


@kernel
def first_class(planes: Any, legal: Any, counts: Any, starts: Any, exact: Any, best: Any) -> None:
    """Writes into ``best[words]`` the legal chains of the first class that has any: class r holds the
    chains whose cards of each type are one of ``counts[starts[r]:starts[r + 1], 4]``.

    ``exact[4, 2**bits]`` is scratch.
    """
    for rank in range(starts.shape[0] - 1):
        some = _NONE
        for w in range(legal.shape[0]):
            split(planes, w, exact)
            found = _NONE
            for row in range(starts[rank], starts[rank + 1]):
                found |= (
                    exact[0, counts[row, 0]]
                    & exact[1, counts[row, 1]]
                    & exact[2, counts[row, 2]]
                    & exact[3, counts[row, 3]]
                )
            best[w] = found & legal[w]
            some |= best[w]
        if some != _NONE:
            return


@kernel
def add(sums: Any, w: int, chains: Any, amount: int) -> None:
    """Adds ``amount`` to word ``w`` of the vertical counters ``sums[words, bits]`` of some chains."""
    for b in range(sums.shape[1]):
        if amount >> b & 1:
            carry = chains
            for at in range(b, sums.shape[1]):
                old = sums[w, at]
                sums[w, at] = old ^ carry
                carry &= old


@kernel
def add_points(sums: Any, w: int, exact: Any, points: Any, path_type: int) -> None:
    """Adds the points of a type, ``points[type, cards]``, to word ``w`` of the counters."""
    carry = _NONE
    for b in range(sums.shape[1]):
        more = _NONE
        for count in range(1, points.shape[1]):
            more |= exact[path_type, count] & np.uint64(-(points[path_type, count] >> b & 1))
        old = sums[w, b]
        half = old ^ more
        sums[w, b] = half ^ carry
        carry = (old & more) | (half & carry)


@kernel
def largest_sum(
    planes: Any, covering: Any, legal: Any, points: Any, bonus: Any, exact: Any, sums: Any, best: Any
) -> None:
    """Writes into ``best[words]`` the legal chains with the largest sum of ``points[type, cards]`` over the
    types and ``bonus[place]`` over the places.

    ``exact[4, 2**bits]`` and ``sums[words, bits]``, wide enough for any sum, are scratch.
    """
    for w in range(legal.shape[0]):
        split(planes, w, exact)
        for b in range(sums.shape[1]):
            sums[w, b] = _NONE
        for path_type in range(TYPES):
            add_points(sums, w, exact, points, path_type)
        for place in range(bonus.shape[0]):
            if bonus[place] > 0:
                add(sums, w, covering[place, w], bonus[place])
        best[w] = legal[w]
    for b in range(sums.shape[1] - 1, -1, -1):
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
