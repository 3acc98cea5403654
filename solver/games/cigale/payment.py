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
from fable_solve.solver.games.cigale.market import affords

Counts = tuple[int, ...]
"""Cards by type; ``[4]``."""


@lru_cache(maxsize=4096)
def payments(reserve: tuple[int, ...], price: str, rate: int | None) -> tuple[tuple[int, ...], ...]:
    """Every distinct multiset of cards of ``reserve`` that pays ``price``, sorted.

    >>> payments((0, 0, 7), "YB", None)
    ((0, 7),)
    >>> payments((0, 0, 0, 7), "B", 3)
    ((0, 0, 0), (7,))
    """
    hands = [tuple(code for code in reserve if type_of(code) == t) for t in range(len(TYPES))]
    asked = tuple(price.count(letter) for letter in TYPES)
    paid = {
        tuple(code for part in parts for code in part)
        for counts in type_payments(tuple(map(len, hands)), asked, rate)
        for parts in product(*(subsets(hand, count) for hand, count in zip(hands, counts, strict=True)))
    }
    return tuple(sorted(paid))


@lru_cache(maxsize=4096)
def type_payments(held: Counts, asked: Counts, rate: int | None) -> frozenset[Counts]:
    """Every payment by type: cards of each type that are given."""
    if rate is None:
        return frozenset({asked} if all(h >= a for h, a in zip(held, asked, strict=True)) else ())
    if not affords(held, asked, rate):
        return frozenset()
    found = set()
    for direct in product(*(range(min(h, a) + 1) for h, a in zip(held, asked, strict=True))):
        missing = tuple(a - d for a, d in zip(asked, direct, strict=True))
        left = tuple((h - d) // rate for h, d in zip(held, direct, strict=True))
        total = sum(missing)
        most = tuple(min(spare, total - m) for spare, m in zip(left, missing, strict=True))
        for stand_ins in compositions(total, most):
            found.add(tuple(d + rate * s for d, s in zip(direct, stand_ins, strict=True)))
    return frozenset(found)


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
