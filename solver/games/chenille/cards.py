"""Action cards: kinds, hands as count vectors, and which offers the Guepe may lay.

A hand is a tuple of counts in the order of :data:`KINDS`; an offer is a tuple of kinds in that order.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations_with_replacement

KINDS = ("oeuf", "cocon", "envol", "soleil", "plus1", "plus2", "traverse", "meme")
FAVOURABLE = KINDS[:4]
WASP_CARDS = KINDS[4:]
INDEX = {kind: index for index, kind in enumerate(KINDS)}

Hand = tuple[int, ...]
Offer = tuple[str, ...]


def favourable(hand: Hand) -> int:
    """Number of cards in ``hand`` that favour the Chenilles."""
    return sum(hand[:4])


def offers_left(hand: Hand, size: int) -> int:
    """Offers of ``size`` cards, the last one perhaps smaller, until ``hand`` is empty."""
    return -(-sum(hand) // size)


def ordered(kinds: Iterable[str]) -> Offer:
    """``kinds`` as an offer: in the order of :data:`KINDS`."""
    return tuple(sorted(kinds, key=INDEX.__getitem__))


def plus(hand: Hand, kinds: Iterable[str], sign: int = 1) -> Hand:
    """``hand`` with ``kinds`` added, or with ``sign`` -1 taken away (counts may become negative)."""
    counts = list(hand)
    for kind in kinds:
        counts[INDEX[kind]] += sign
    return tuple(counts)


def playable_on(hand: Hand, size: int, least: int) -> bool:
    """Whether every offer still to come from ``hand`` can hold ``least`` favourable cards."""
    return favourable(hand) >= least * offers_left(hand, size)


@lru_cache(maxsize=4096)
def legal_offers(hand: Hand, size: int, least: int) -> tuple[Offer, ...]:
    """The distinct offers from ``hand``: min(``size``, cards held) cards, at least ``least`` of them
    favourable, that leave enough favourable cards for the offers still to come in the cycle.

    >>> len(legal_offers((2, 2, 0, 2, 2, 2, 1, 1), 3, 1))
    55
    """
    held = [kind for kind, count in zip(KINDS, hand, strict=True) if count]
    offers = []
    for offer in combinations_with_replacement(held, min(size, sum(hand))):
        left = plus(hand, offer, -1)
        if min(left) >= 0 and favourable(hand) - favourable(left) >= least and playable_on(left, size, least):
            offers.append(offer)
    return tuple(offers)
