"""What can be paid for a price: every distinct multiset of path cards.

``rate`` cards of one type may stand for one card of another (``None``: not allowed), any number of times.
A payment gives ``d_t`` cards of type t as themselves and ``rate * s_t`` as stand-ins. With ``p_t`` asked,
``m_t = p_t - d_t`` missing and ``M = sum m_t = sum s_t`` stand-ins in all, the stand-ins of each type can
be dealt out to *other* types exactly when ``s_t + m_t <= M`` for every t (Hall's condition).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from fable_solve.solver.games.cigale.cards import TYPES, type_of

Counts = tuple[int, ...]
"""Cards by type; ``[4]``."""


@lru_cache(maxsize=4096)
def payments(reserve: tuple[int, ...], price: str, rate: int | None) -> tuple[tuple[int, ...], ...]:
    """Every distinct multiset of cards of ``reserve`` that pays ``price``: in the order of
    :func:`type_payments`, then sorted.

    >>> payments((0, 0, 7), "YB", None)
    ((0, 7),)
    >>> payments((0, 0, 0, 7), "B", 3)
    ((7,), (0, 0, 0))
    """
    hands = [tuple(code for code in reserve if type_of(code) == t) for t in range(len(TYPES))]
    return tuple(
        tuple(code for part in parts for code in part)
        for counts in type_payments(tuple(price.count(letter) for letter in TYPES), rate)
        if all(count <= len(hand) for count, hand in zip(counts, hands, strict=True))
        for parts in product(*(subsets(hand, count) for hand, count in zip(hands, counts, strict=True)))
    )


@lru_cache(maxsize=1024)
def type_payments(asked: Counts, rate: int | None) -> tuple[Counts, ...]:
    """Every way to pay ``asked`` by type, whatever the hand: fewest cards first, then sorted.

    >>> type_payments((1, 1, 0, 0), None), len(type_payments((1, 1, 0, 0), 3))
    (((1, 1, 0, 0),), 15)
    """
    if rate is None:
        return (asked,)
    found = set()
    for direct in product(*(range(a + 1) for a in asked)):
        missing = tuple(a - d for a, d in zip(asked, direct, strict=True))
        most = tuple(sum(missing) - m for m in missing)
        for stand_ins in compositions(sum(missing), most):
            found.add(tuple(d + rate * s for d, s in zip(direct, stand_ins, strict=True)))
    return tuple(sorted(found, key=lambda counts: (sum(counts), counts)))


def compositions(total: int, most: Counts) -> Iterator[Counts]:
    """Every tuple of counts between 0 and ``most`` with the given sum."""
    if not most:
        if total == 0:
            yield ()
        return
    for first in range(max(0, total - sum(most[1:])), min(total, most[0]) + 1):
        for rest in compositions(total - first, most[1:]):
            yield (first, *rest)


@lru_cache(maxsize=4096)
def subsets(cards: tuple[int, ...], size: int) -> tuple[tuple[int, ...], ...]:
    """Every distinct sub-multiset of ``size`` of the sorted ``cards``.

    >>> subsets((0, 0, 1), 2)
    ((0, 0), (0, 1))
    """
    distinct = sorted(set(cards))
    most = tuple(cards.count(code) for code in distinct)
    return tuple(
        sorted(
            tuple(code for code, n in zip(distinct, counts, strict=True) for _ in range(n))
            for counts in compositions(size, most)
        )
    )
