"""Every legal set of ants on a board: the chains of the four readings of "an unbroken chain".

A board of ``height x width`` squares is numbered in reading order; a set of squares is a bit mask. The
order in which ants are laid never matters, only the set. The full 4x4 square with 6 ants::

     0  1  2  3      touching    every ant touches another ant          1444
     4  5  6  7      connected   one orthogonally connected group        496
     8  9 10 11      path        has a Hamiltonian path                  260
    12 13 14 15      strict      is an induced path (two ends, no fork)  148

One ant is legal on every square under every rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from fable_solve.solver.errors import BadInput, TooLarge

CHAIN_RULES = ("touching", "connected", "path", "strict")
MAX_STEPS = 20_000_000
"""Partial sets an enumeration may look at; a 5x5 board needs at most 250,000 with any number of ants."""

Chain = tuple[int, ...]


@lru_cache(maxsize=256)
def legal_chains(
    height: int, width: int, holes: frozenset[int], ants: int, chain_rule: str, limit: int = MAX_STEPS
) -> tuple[Chain, ...]:
    """Every legal chain as an ascending tuple of squares, in lexicographic order.

    ``holes`` are squares without a card. Raises :class:`BadInput` for an unknown rule and
    :class:`TooLarge` when more than ``limit`` partial sets would have to be looked at.

    >>> [len(legal_chains(4, 4, frozenset(), 6, rule)) for rule in CHAIN_RULES]
    [1444, 496, 260, 148]
    """
    if chain_rule not in CHAIN_RULES:
        raise BadInput(f"one of {', '.join(CHAIN_RULES)}", repr(chain_rule), where="chain_rule")
    near = neighbours(height, width, holes)
    squares = [square for square in range(height * width) if square not in holes]
    if ants < 1 or ants > len(squares):
        return ()
    if ants == 1:
        return tuple((square,) for square in squares)
    search = {"touching": _touching, "connected": _connected, "path": _paths, "strict": _induced_paths}
    masks: set[int] = set()
    for step, mask in enumerate(search[chain_rule](near, squares, ants)):
        if step >= limit:
            raise TooLarge("partial chains", step + 1, limit, hint="fewer ants or a smaller board")
        if mask:
            masks.add(mask)
    return tuple(sorted(_squares(mask) for mask in masks))


def neighbours(height: int, width: int, holes: frozenset[int]) -> list[int]:
    """For each square the mask of the squares with a card that share a side with it."""
    masks = [0] * (height * width)
    for square in range(height * width):
        row, column = divmod(square, width)
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < height and 0 <= c < width and r * width + c not in holes:
                masks[square] |= 1 << (r * width + c)
    return masks


def _squares(mask: int) -> Chain:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


# Each search yields a mask for every complete set it meets (repeats allowed) and 0 for every partial one.


def _touching(near: list[int], squares: list[int], ants: int) -> Iterator[int]:
    """Squares are decided in reading order; a laid ant whose last neighbour is decided must touch another."""
    last = {square: max(_squares(near[square] | 1 << square)) for square in squares}
    due: dict[int, list[int]] = {}
    for square in squares:
        due.setdefault(last[square], []).append(square)
    stack = [(0, 0, 0)]
    while stack:
        place, laid, count = stack.pop()
        yield 0
        if count == ants:
            if all(near[square] & laid for square in _squares(laid)):
                yield laid
            continue
        if len(squares) - place < ants - count:
            continue
        square = squares[place]
        for mask, total in ((laid, count), (laid | 1 << square, count + 1)):
            if all(near[other] & mask for other in due.get(square, ()) if mask >> other & 1):
                stack.append((place + 1, mask, total))


def _connected(near: list[int], squares: list[int], ants: int) -> Iterator[int]:
    """Redelmeier's enumeration (1981): each connected set once, from its first square outward."""
    for first in squares:
        before = (1 << first) - 1
        stack = [(1 << first, near[first] & ~before, near[first] | before | 1 << first, 1)]
        while stack:
            group, frontier, seen, count = stack.pop()
            yield 0
            if count == ants:
                yield group
                continue
            while frontier:
                low = frontier & -frontier
                frontier ^= low
                fresh = near[low.bit_length() - 1] & ~seen
                stack.append((group | low, frontier | fresh, seen | fresh, count + 1))


def _paths(near: list[int], squares: list[int], ants: int) -> Iterator[int]:
    """Self-avoiding walks; equal (set, end) pairs are walked once."""
    layer = {(1 << square, square) for square in squares}
    for _ in range(ants - 1):
        longer: set[tuple[int, int]] = set()
        for mask, end in layer:
            yield 0
            longer.update((mask | 1 << step, step) for step in _squares(near[end] & ~mask))
        layer = longer
    for mask, _ in layer:
        yield mask


def _induced_paths(near: list[int], squares: list[int], ants: int) -> Iterator[int]:
    """Walks whose new square touches none of the walk but its end."""
    stack = [(1 << square, square, 1) for square in squares]
    while stack:
        mask, end, count = stack.pop()
        yield 0
        if count == ants:
            yield mask
            continue
        for step in _squares(near[end] & ~mask):
            if near[step] & mask == 1 << end:
                stack.append((mask | 1 << step, step, count + 1))
