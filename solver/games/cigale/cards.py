"""Path cards as small integers, and as the letters of the position format.

A card's code is ``type * 7 + (insect + 1)``: types Y B N R are 0..3, insects a..f are 0..5 and "no insect"
is -1, so codes run from 0 (plain yellow) to 27 (red with f). ``HOLE`` marks a place without a card.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fable_solve.solver.errors import BadInput
from fable_solve.solver.schema import shown

TYPES = "YBNR"
SPECIES = "abcdef"
NO_INSECT = -1
HOLE = -1


def card(path_type: int, insect: int = NO_INSECT) -> int:
    """Code of a card.

    >>> card(1, 0), format_card(card(1, 0))
    (8, 'Ba')
    """
    return path_type * 7 + insect + 1


def type_of(code: int) -> int:
    """Path type 0..3 of a card (not a hole)."""
    return code // 7


def insect_of(code: int) -> int:
    """Insect 0..5 of a card, or ``NO_INSECT``."""
    return code % 7 - 1


def parse_card(text: object, where: str) -> int:
    """The card written as a type letter and an optional insect letter; raises :class:`BadInput`.

    >>> parse_card("Rf", "here"), parse_card("Y", "here")
    (27, 0)
    """
    if isinstance(text, str) and 1 <= len(text) <= 2 and text[0] in TYPES and text[1:] in ("", *SPECIES):
        return card(TYPES.index(text[0]), SPECIES.index(text[1]) if text[1:] else NO_INSECT)
    raise BadInput("a card (type Y B N R, optional insect a-f)", shown(text), where=where)


def parse_place(text: str, where: str) -> int:
    """A card, or ``HOLE`` for ``.``; raises :class:`BadInput`."""
    return HOLE if text == "." else parse_card(text, where)


def format_card(code: int) -> str:
    """The letters of a card or hole."""
    if code == HOLE:
        return "."
    insect = insect_of(code)
    return TYPES[type_of(code)] + (SPECIES[insect] if insect != NO_INSECT else "")


def full_deck(path_cards: Mapping[str, int], insect_cards: Mapping[str, str]) -> tuple[int, ...]:
    """All path cards of the game, sorted by code.

    ``path_cards``: cards of each type, those with an insect included; ``insect_cards``: for each species
    the types of its cards, one letter a card.
    """
    deck = [
        card(TYPES.index(letter), SPECIES.index(species))
        for species, types in insect_cards.items()
        for letter in types
    ]
    for path_type, letter in enumerate(TYPES):
        with_insect = sum(type_of(code) == path_type for code in deck)
        deck += [card(path_type)] * (path_cards[letter] - with_insect)
    return tuple(sorted(deck))


def without(cards: Iterable[int], taken: Iterable[int]) -> tuple[int, ...]:
    """The multiset ``cards`` less the multiset ``taken``, sorted; raises ``ValueError`` if one is missing."""
    left = sorted(cards)
    for code in taken:
        left.remove(code)
    return tuple(left)
