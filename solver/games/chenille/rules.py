"""The rule data of Chenille terre ciel as a checked model, and the game it makes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.chenille.cards import FAVOURABLE, KINDS, Hand, playable_on
from fable_solve.solver.rules import shipped
from fable_solve.solver.schema import Int, Model, shown

if TYPE_CHECKING:
    from fable_solve.solver.games.chenille.play import Chenille

PLACE = re.compile(r"[TC][1-9]")
LARGEST = 1000
"""Most caterpillars or cards of a kind that are read; larger numbers are taken for mistakes."""
LONGEST = 100
"""Most places of a ring."""

Count = Annotated[Int, Field(ge=0, le=LARGEST)]
Positive = Annotated[Int, Field(ge=1, le=LARGEST)]


def counts_table(value: Any, what: str, example: str, others: str = "") -> Any:
    """``value`` if it is a table or a model; raises :class:`BadInput` that asks for a table of counts."""
    if isinstance(value, Mapping | Model):
        return value
    raise BadInput(f"a table of counts of {what}, as {example}{others}", shown(value))


class Deck(Model):
    """Number of cards of each kind."""

    oeuf: Count
    cocon: Count
    envol: Count
    soleil: Count
    plus1: Count
    plus2: Count
    traverse: Count
    meme: Count

    def counts(self) -> Hand:
        return tuple(getattr(self, kind) for kind in KINDS)


class Rules(Model):
    """The rule data of Chenille; see ``seeds/chenille.toml`` for what each value means."""

    ring: dict[str, Count]
    caterpillars: Positive
    wasps: Int
    deck: Deck
    offer_size: Annotated[Int, Field(ge=1, le=3)]
    offer_favourable: Annotated[Int, Field(ge=0, le=3)]
    redraw: Literal["optional", "forced"]
    discards: Literal["open", "hidden"]
    butterflies_to_win: Positive
    captures_to_win: Positive
    turn_limit: Annotated[Int, Field(ge=1, le=1_000_000)]

    @field_validator("ring", mode="before")
    @classmethod
    def _ring_counts(cls, ring: Any) -> Any:
        return counts_table(ring, "places", "{T1 = 4, C1 = 4}")

    @field_validator("deck", mode="before")
    @classmethod
    def _deck_counts(cls, deck: Any) -> Any:
        names = ", ".join(shipped("chenille")["deck"]["alternatives"])
        return counts_table(deck, "cards", "{oeuf = 2, plus1 = 2}", f" or one of {names}")

    @field_validator("ring")
    @classmethod
    def _ring(cls, ring: dict[str, int]) -> dict[str, int]:
        for place in ring:
            if not PLACE.fullmatch(place):
                raise BadInput("places T1 to T9 and C1 to C9", shown(place))
        if sum(ring.values()) % 2 or not 2 <= sum(ring.values()) <= LONGEST:
            raise BadInput(f"an even number of places, 2 to {LONGEST}", sum(ring.values()))
        return ring

    @field_validator("wasps")
    @classmethod
    def _wasps(cls, wasps: int) -> int:
        if wasps != 2:
            raise BadInput("2 (they start on an opposite pair)", wasps)
        return wasps

    @model_validator(mode="after")
    def _enough_favourable(self) -> Rules:
        deck = self.deck.counts()
        if not sum(deck):
            raise BadInput("at least one card", "none", where="deck")
        if not playable_on(deck, self.offer_size, self.offer_favourable):
            raise BadInput(
                f"at least {self.offer_favourable} favourable card(s) ({', '.join(FAVOURABLE)}) "
                f"for each offer of {self.offer_size}",
                f"{sum(deck[:4])} among {sum(deck)} cards",
                where="deck",
            )
        return self


def make_game(
    rules: Rules, players: int = 2, mode: str | None = None, objective: str | None = None
) -> Chenille:
    """The game with its turn limit; 2 to 6 ``players`` all give the same game of two sides."""
    from fable_solve.solver.games.chenille.play import Chenille

    del mode
    if not 2 <= players <= 6:
        raise BadInput("2 to 6 players", players)
    if objective not in (None, "win"):
        raise BadInput("objective win", shown(objective))
    return Chenille(rules, rules.turn_limit)
