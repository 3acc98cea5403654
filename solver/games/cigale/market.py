"""Hiver's two trades: collected insects for others of their species, and path cards for a Provision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from math import comb, prod

from fable_solve.solver.games.cigale.cards import HOLE, NO_INSECT, TYPES, insect_of, type_of


def swap_outcomes(
    board: Sequence[int], squares: Sequence[int], chain: Sequence[int], swap_target: str
) -> Iterator[tuple[int, ...]]:
    """Every set of squares the Ant may leave with, collecting the cards of ``squares``; ascending tuples.

    Each collected insect card stands for itself or for another card of the square with its species
    (``any``), or one without an ant (``uncovered``), different cards for different ones: so of each species
    with ``m`` collected cards any ``m`` of the allowed ones. The first outcome swaps nothing.

    >>> board = [1, 8, 0, 2]  # Ya Ba Y Yb
    >>> list(swap_outcomes(board, (0, 2), (0, 2), "any"))
    [(0, 2), (1, 2)]
    """
    plain = tuple(square for square in squares if insect_of(board[square]) == NO_INSECT)
    choices = [
        list(combinations(own + others, len(own)))
        for own, others in _by_species(board, squares, chain, swap_target)
    ]
    for picks in product(*choices):
        yield tuple(sorted(sum(picks, plain)))


def _by_species(
    board: Sequence[int], squares: Sequence[int], chain: Sequence[int], swap_target: str
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """For each species collected: its collected squares, and the others the Ant may take instead."""
    for insect in sorted({insect_of(board[square]) for square in squares} - {NO_INSECT}):
        own = tuple(square for square in squares if insect_of(board[square]) == insect)
        others = tuple(
            square
            for square, code in enumerate(board)
            if code != HOLE and insect_of(code) == insect and square not in own
            if swap_target == "any" or square not in chain
        )
        yield own, others


def count_outcomes(
    board: Sequence[int], squares: Sequence[int], chain: Sequence[int], swap_target: str
) -> int:
    """How many outcomes :func:`swap_outcomes` has."""
    sizes = _by_species(board, squares, chain, swap_target)
    return prod(comb(len(own) + len(others), len(own)) for own, others in sizes)


def swap_types(
    board: Sequence[int], squares: Sequence[int], chain: Sequence[int], swap_target: str
) -> set[tuple[int, ...]]:
    """Every number of cards of each type ``[4]`` the Ant may leave with; as the outcomes, types only.

    >>> sorted(swap_types([1, 8, 0, 2], (0, 2), (0, 2), "any"))  # Ya Ba Y Yb
    [(1, 1, 0, 0), (2, 0, 0, 0)]
    """
    kinds = [type_of(board[square]) for square in squares if insect_of(board[square]) == NO_INSECT]
    hands = {tuple(kinds.count(kind) for kind in range(len(TYPES)))}
    for own, others in _by_species(board, squares, chain, swap_target):
        found = [type_of(board[square]) for square in own + others]
        most = [range(found.count(kind) + 1) for kind in range(len(TYPES))]
        takes = [take for take in product(*most) if sum(take) == len(own)]
        hands = {tuple(map(sum, zip(hand, take, strict=True))) for hand in hands for take in takes}
    return hands


def affords(counts: Sequence[int], price: Sequence[int], rate: int | None) -> bool:
    """Whether ``counts`` of each type pay ``price``; ``rate`` cards of a type stand for one of another.

    >>> affords([0, 4, 1, 1], [1, 1, 1, 1], 3), affords([0, 4, 1, 1], [1, 1, 1, 1], None)
    (True, False)
    """
    missing = sum(max(0, need - have) for need, have in zip(price, counts, strict=True))
    if missing == 0 or rate is None:
        return missing == 0
    spare = sum(max(0, have - need) // rate for need, have in zip(price, counts, strict=True))
    return spare >= missing


def purchase_gain(owned: Sequence[str], kind: str, scale: Sequence[int]) -> int:
    """Points gained by one more Provision of ``kind``; ``scale[c]`` is the worth of ``c`` copies."""
    copies, top = list(owned).count(kind), len(scale) - 1
    return scale[min(copies + 1, top)] - scale[min(copies, top)]


def price_counts(prices: Mapping[str, str], kind: str, types: str) -> list[int]:
    """Cards of each type that ``kind`` costs."""
    return [prices[kind].count(letter) for letter in types]
