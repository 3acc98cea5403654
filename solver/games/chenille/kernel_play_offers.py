"""Offers by hand: the lists of ``cards.legal_offers``, in its order.

An offer is packed: three cards of four bits from the lowest on, in the order of ``cards.KINDS`` (``NONE``
where there are fewer); above lies the number of the hand that is left.

Hands of a deck are numbered by ``sum(count * radix)``, so that laying a card takes its radix off. The offers
of a hand lie in ``packed`` from ``first[number]`` to ``first[number + 1]``. Of a deck with too many hands
none has a number, and offers are listed when they are laid.
"""

from __future__ import annotations

from typing import Any

from fable_solve.solver.games.chenille.kernel_play_table import KINDS
from fable_solve.solver.jit import lean

FAVOURABLE = 4
"""Kinds below this one favour the Chenilles."""
CARD, NONE = 4, KINDS
"""Bits of a card; no card."""
LEFT = 3 * CARD
"""Bits below the hand that is left."""


@lean
def card(offer: int, place: int) -> int:
    """A card of a packed offer."""
    return (offer >> place * CARD) & ((1 << CARD) - 1)


@lean
def drop(offer: int, place: int) -> int:
    """The packed cards of an offer but for the one at ``place``."""
    above = (offer & ((1 << LEFT) - 1)) >> (place + 1) * CARD
    return offer & ((1 << place * CARD) - 1) | above << place * CARD


@lean
def list_offers(rules: Any, hand: Any, number: int, packed: Any, end: int) -> int:
    """Writes the offers of ``hand`` [8] to ``packed`` from ``end`` on; returns where they end."""
    total = favourable = 0
    for kind in range(KINDS):
        total += hand[kind]
        favourable += hand[kind] * (kind < FAVOURABLE)
    cards = min(rules.offer, total)
    most = favourable - rules.least * ((total - cards + rules.offer - 1) // rules.offer)
    for a in range(KINDS):
        for b in range(a if cards > 1 else NONE, KINDS if cards > 1 else NONE + 1):
            for c in range(b if cards > 2 else NONE, KINDS if cards > 2 else NONE + 1):
                offer = a | b << CARD | c << 2 * CARD
                laid, left = 0, number
                for place in range(cards):
                    laid += card(offer, place) < FAVOURABLE
                    left -= rules.radix[card(offer, place)]
                if rules.least <= laid <= most and holds(hand, offer, cards):
                    packed[end] = left << LEFT | offer
                    end += 1
    return end


@lean
def holds(hand: Any, offer: int, cards: int) -> bool:
    """Whether ``hand`` [8] holds the cards of an offer."""
    for place in range(cards):
        kind, earlier = card(offer, place), 0
        for other in range(place):
            earlier += card(offer, other) == kind
        if hand[kind] <= earlier:
            return False
    return True


@lean
def number_hands(rules: Any, hand: Any) -> None:
    """Lists the offers of every hand of the deck but the empty one; ``hand`` [8] is to work in."""
    end = 0
    for number in range(rules.hands):
        rules.first[number] = end
        for kind in range(KINDS):
            hand[kind] = number // rules.radix[kind] % (rules.deck[kind] + 1)
        if number > 0:
            end = list_offers(rules, hand, number, rules.packed, end)
    rules.first[rules.hands] = end


@lean
def offers_of_hand(rules: Any, play: Any) -> Any:
    """Where the offers of the hand held start, and how many there are."""
    if rules.hands > 0:
        start = rules.first[play.number]
        return start, rules.first[play.number + 1] - start
    return 0, list_offers(rules, play.hand, 0, play.listed, 0)


@lean
def offer_at(rules: Any, play: Any, place: int) -> Any:
    """A packed offer."""
    return rules.packed[place] if rules.hands > 0 else play.listed[place]
