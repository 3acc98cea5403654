"""Offers by hand: the lists of ``cards.legal_offers``, in its order.

An offer is packed, three bits a card from the lowest in the order of ``cards.KINDS``, room for three of them;
above lies the number of the hand that is left. Hands of a deck are numbered by ``sum(count * radix)``, so that laying a card
takes its radix off. ``first`` [hands + 1] says where the offers of each hand start in ``packed``. Of a deck
with too many hands none has a number: ``first`` is empty, and ``packed`` holds the offers of one hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.chenille.kernel_play_table import KINDS
from fable_solve.solver.jit import kernel

FAVOURABLE = 4
"""Kinds below this one favour the Chenilles."""
CARD = 3
"""Bits of a card."""
LEFT = 3 * CARD
"""Bits below the hand that is left."""
MOST = 120
"""Most different offers of a hand: multisets of three out of eight kinds."""


@kernel
def card(offer: int, place: int) -> int:
    """A card of a packed offer."""
    return (offer >> place * CARD) & (KINDS - 1)


@kernel
def drop(offer: int, place: int) -> int:
    """The packed cards of an offer but for the one at ``place``."""
    above = (offer & ((1 << LEFT) - 1)) >> (place + 1) * CARD
    return offer & ((1 << place * CARD) - 1) | above << place * CARD


@kernel
def list_offers(play: Any, hand: Any, number: int, packed: Any, end: int) -> int:
    """Writes the offers of ``hand`` [8] to ``packed`` from ``end`` on; returns where they end."""
    total, favourable = hand.sum(), hand[:FAVOURABLE].sum()
    cards = min(play.offer, total)
    most = favourable - play.least * ((total - cards + play.offer - 1) // play.offer)
    for a in range(KINDS):
        for b in range(a, KINDS if cards > 1 else a + 1):
            for c in range(b, KINDS if cards > 2 else b + 1):
                offer = a | b << CARD | c << 2 * CARD
                laid, left = 0, number
                for place in range(cards):
                    laid += card(offer, place) < FAVOURABLE
                    left -= play.radix[card(offer, place)]
                if play.least <= laid <= most and holds(hand, offer, cards):
                    packed[end] = left << LEFT | offer
                    end += 1
    return end


@kernel
def holds(hand: Any, offer: int, cards: int) -> bool:
    """Whether ``hand`` [8] holds the cards of an offer."""
    for place in range(cards):
        kind, earlier = card(offer, place), 0
        for other in range(place):
            earlier += card(offer, other) == kind
        if hand[kind] <= earlier:
            return False
    return True


@kernel
def number_hands(play: Any, first: Any, packed: Any) -> int:
    """Fills ``first`` and ``packed`` for every hand of the deck but the empty one; returns where they end."""
    hand = np.empty(KINDS, np.int64)
    end = first[0] = first[1] = 0
    for number in range(1, first.size - 1):
        for kind in range(KINDS):
            hand[kind] = number // play.radix[kind] % (play.deck[kind] + 1)
        end = list_offers(play, hand, number, packed, end)
        first[number + 1] = end
    return end


@kernel
def offers_of_hand(play: Any, first: Any, packed: Any) -> Any:
    """Where the offers of the hand held start and end in ``packed``."""
    if first.size > 0:
        return first[play.number], first[play.number + 1]
    return 0, list_offers(play, play.hand, 0, packed, 0)
