"""Offers by hand: the lists of ``cards.legal_offers``, in its order.

An offer is packed, three bits a card from the lowest in the order of ``cards.KINDS``; above them lies the
number of the hand that is left. Hands of a deck are numbered by ``sum(count * radix)``, so that laying a card
takes its radix off; of a deck with too many hands none has a number, and offers are listed as they are laid.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fable_solve.solver.jit import kernel

KINDS = 8
FAVOURABLE = 4
"""Kinds below this one favour the Chenilles."""
CARD = 3
"""Bits of a card."""
LEFT = 3 * CARD
"""Bits below the hand that is left."""
MOST = 120
"""Most different offers of a hand: multisets of three out of eight kinds."""


class Offers(NamedTuple):
    """What may be laid."""

    size: int
    """Cards of an offer that is not the last."""
    least: int
    """Least number of favourable cards of an offer."""
    deck: Any
    """``[8]``: cards of each kind."""
    radix: Any
    """``[8]``: what a card takes off the number of a hand; 0 if hands have no numbers."""
    first: Any
    """``[hands + 1]``: where the offers of each hand start; empty if hands have no numbers."""
    packed: Any
    """The offers, hand by hand; without numbers those of the hand held."""


@kernel
def list_offers(offers: Offers, hand: Any, number: int, out: Any, first: int) -> int:
    """Writes the offers of ``hand`` [8] to ``out`` from ``first`` on; returns where they end."""
    total, favourable = hand.sum(), hand[:FAVOURABLE].sum()
    cards = min(offers.size, total)
    to_come = (total - cards + offers.size - 1) // offers.size
    most = favourable - offers.least * to_come
    for a in range(KINDS):
        for b in range(a, KINDS if cards > 1 else a + 1):
            for c in range(b, KINDS if cards > 2 else b + 1):
                laid = (a < FAVOURABLE) + (cards > 1 and b < FAVOURABLE) + (cards > 2 and c < FAVOURABLE)
                held = hand[a] > 0 and (cards < 2 or hand[b] > (a == b))
                held = held and (cards < 3 or hand[c] > (a == c) + (b == c))
                if held and offers.least <= laid <= most:
                    left = number - offers.radix[a]
                    packed = a
                    if cards > 1:
                        left -= offers.radix[b]
                        packed |= b << CARD
                    if cards > 2:
                        left -= offers.radix[c]
                        packed |= c << 2 * CARD
                    out[first] = left << LEFT | packed
                    first += 1
    return first


@kernel
def number_hands(offers: Offers, first: Any, packed: Any) -> int:
    """Fills ``first`` [hands + 1] and ``packed`` for every hand of the deck but the empty one; returns the
    number of offers."""
    hand = np.empty(KINDS, np.int64)
    end = 0
    first[0] = 0
    for number in range(first.size - 1):
        for kind in range(KINDS):
            hand[kind] = number // offers.radix[kind] % (offers.deck[kind] + 1)
        if number > 0:
            end = list_offers(offers, hand, number, packed, end)
        first[number + 1] = end
    return end


@kernel
def offers_of(offers: Offers, hand: Any, number: int) -> Any:
    """Where the offers of a hand start and end in ``offers.packed``: that of the ``number``, or, if hands
    have no numbers, ``hand`` [8]."""
    if offers.first.size > 0:
        return offers.first[number], offers.first[number + 1]
    return 0, list_offers(offers, hand, 0, offers.packed, 0)


@kernel
def card(offer: int, place: int) -> int:
    """A card of a packed offer."""
    return (offer >> place * CARD) & (KINDS - 1)


@kernel
def drop(offer: int, place: int) -> int:
    """A packed offer without the card at ``place``, as the packed cards of the others."""
    below = offer & ((1 << place * CARD) - 1)
    return below | ((offer & ((1 << LEFT) - 1)) >> (place + 1) * CARD) << place * CARD
