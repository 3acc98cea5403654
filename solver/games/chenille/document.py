"""Documents of positions: read into a state with one-line errors, and written back.

Beside the keys every position has, ``unplayable`` names the card of the offer that was turned first and could
not be played, when ``revealed`` is the second one. ``offer`` and ``revealed`` come together; ``hand`` is then
what the Guepe holds beside the offer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field, field_validator

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.chenille.cards import (
    FAVOURABLE,
    KINDS,
    Hand,
    favourable,
    ordered,
    playable_on,
    plus,
)
from fable_solve.solver.games.chenille.play import Chenille, Phase, State
from fable_solve.solver.games.chenille.ring import Wasps, slots
from fable_solve.solver.games.chenille.rules import LONGEST, PLACE, Count, counts_table
from fable_solve.solver.schema import Int, Model, Str, join, shown, validate


class Cards(Model):
    """Cards of each kind in the Guepe's hand; a kind left out counts 0."""

    oeuf: Count = 0
    cocon: Count = 0
    envol: Count = 0
    soleil: Count = 0
    plus1: Count = 0
    plus2: Count = 0
    traverse: Count = 0
    meme: Count = 0


class Document(Model):
    """A position as it is written."""

    players: Annotated[Int, Field(ge=2, le=6)] = 2
    ring: list[Str]
    wasps: list[Int] | None = None
    caterpillars: list[Count] | None = None
    reserve: Count
    butterflies: Count = 0
    captured: Count = 0
    hand: Cards | None = None
    offer: list[Str] | None = None
    revealed: Str | None = None
    unplayable: Str | None = None

    @field_validator("hand", mode="before")
    @classmethod
    def _hand_counts(cls, hand: Any) -> Any:
        return counts_table(hand, "cards", "{oeuf = 1, plus1 = 2}")


def read(body: dict[str, Any], source: str, game: Chenille) -> tuple[State, int]:
    """The state described by ``body`` and the number of players; raises :class:`BadInput`."""
    reader = _Reader(validate(Document, body, source), source, game)
    return reader.state(), reader.document.players


@dataclass(frozen=True)
class _Reader:
    """One document on its way to a state."""

    document: Document
    source: str
    game: Chenille

    def fault(self, path: str, expected: str, got: object) -> BadInput:
        return BadInput(expected, str(got), where=join(self.source, path))

    def state(self) -> State:
        document, rules = self.document, self.game.rules
        ring, wasps = self.ring(), self.wasps()
        self.check_offer()
        counts = (document.reserve, document.butterflies, document.captured)
        start = State(Phase.START, ring, self.caterpillars(), *counts, wasps, self.hand())
        if counts[1] >= rules.butterflies_to_win and counts[2] >= rules.captures_to_win:
            raise self.fault("captured", "at most one side's target reached", "both reached")
        if self.game.won_by(start) is not None:
            return replace(start, phase=Phase.OVER, hand=start.hand if any(start.hand) else self.game.deck)
        if document.offer is not None:
            return self.turned(start)
        return start if wasps is None else replace(start, phase=Phase.OFFER)

    def ring(self) -> tuple[str, ...]:
        ring = self.document.ring
        if len(ring) % 2 or not 2 <= len(ring) <= LONGEST:
            raise self.fault("ring", f"an even number of places, 2 to {LONGEST}", len(ring))
        for index, place in enumerate(ring):
            if not PLACE.fullmatch(place):
                raise self.fault(f"ring[{index}]", "T or C and 1 to 9 slots, as T1 or C2", shown(place))
        return tuple(ring)

    def wasps(self) -> Wasps | None:
        wasps, places = self.document.wasps, len(self.document.ring)
        if wasps is None:
            return None
        if len(wasps) != 2:
            raise self.fault("wasps", "two places", len(wasps))
        for index, place in enumerate(wasps):
            if not 0 <= place < places:
                raise self.fault(f"wasps[{index}]", f"a place, 0 to {places - 1}", place)
        return (min(wasps), max(wasps))

    def caterpillars(self) -> tuple[int, ...]:
        ring, counts = self.document.ring, self.document.caterpillars
        if counts is None:
            return (0,) * len(ring)
        if len(counts) != len(ring):
            raise self.fault("caterpillars", f"{len(ring)} counts, one a place", len(counts))
        for index, (place, count) in enumerate(zip(ring, counts, strict=True)):
            if count > slots(place):
                raise self.fault(f"caterpillars[{index}]", f"at most {slots(place)} (place {place})", count)
        return tuple(counts)

    def hand(self) -> Hand:
        """The cards the Guepe holds; the deck (less an offer on the table) unless given."""
        document, deck, rules = self.document, self.game.deck, self.game.rules
        laid = document.offer or []
        if document.hand is None:
            hand = plus(deck, laid, -1)
        else:
            hand = tuple(getattr(document.hand, kind) for kind in KINDS)
        for kind, held, most in zip(KINDS, plus(hand, laid), deck, strict=True):
            if held > most or laid.count(kind) > most:
                place = f"hand.{kind}" if document.hand else "offer"
                raise self.fault(
                    place, f"at most {most} {kind} in hand and offer (the deck)", max(held, laid.count(kind))
                )
        if not playable_on(hand, rules.offer_size, rules.offer_favourable):
            expected = f"{rules.offer_favourable} of {', '.join(FAVOURABLE)} for each offer still to come"
            raise self.fault("hand", expected, f"{favourable(hand)} such among {sum(hand)} cards")
        return hand if any(hand) or laid else deck

    def check_offer(self) -> None:
        """The offer and the cards turned, by themselves."""
        document = self.document
        offer, rules = document.offer, self.game.rules
        if offer is None or document.revealed is None:
            if offer is not None:
                raise self.fault("revealed", "the card of the offer that was turned", "none")
            for key in ("revealed", "unplayable"):
                if getattr(document, key) is not None:
                    raise self.fault("offer", f"the cards laid (beside {key})", "none")
            return
        for index, kind in enumerate(offer):
            if kind not in KINDS:
                raise self.fault(f"offer[{index}]", f"one of {', '.join(KINDS)}", shown(kind))
        last = document.hand is not None and not any(document.hand.model_dump().values())
        if len(offer) != rules.offer_size and not (last and 1 <= len(offer) < rules.offer_size):
            raise self.fault("offer", f"{rules.offer_size} cards", len(offer))
        if sum(kind in FAVOURABLE for kind in offer) < rules.offer_favourable:
            expected = f"at least {rules.offer_favourable} of {', '.join(FAVOURABLE)}"
            raise self.fault("offer", expected, ", ".join(offer))
        if document.wasps is None:
            raise self.fault("wasps", "two places (an offer lies on the table)", "none")

    def turned(self, start: State) -> State:
        """The state once the cards of the offer have been turned as the document says."""
        document, game = self.document, self.game
        offer = ordered(document.offer or [])
        state = replace(start, phase=Phase.TURN, offer=offer)
        if document.unplayable is not None:
            if document.unplayable not in offer:
                raise self.fault("unplayable", f"one of {', '.join(offer)}", shown(document.unplayable))
            state = game.successor(state, document.unplayable)
            if state.phase not in (Phase.DECIDE, Phase.REDRAW):
                expected = "a card that cannot be played, with another to turn"
                raise self.fault("unplayable", expected, document.unplayable)
            state = game.successor(state, "redraw") if state.phase == Phase.DECIDE else state
        if document.revealed not in state.offer:
            raise self.fault("revealed", f"one of {', '.join(state.offer)}", shown(document.revealed))
        return game.successor(state, document.revealed)


def write(state: State, players: int) -> dict[str, Any]:
    """The keys of a position whose side to move, or redraw, is next; :func:`read` gives the state again."""
    document: dict[str, Any] = {"players": players, "ring": list(state.ring)}
    if state.wasps is not None:
        document["wasps"] = list(state.wasps)
    document |= {
        "caterpillars": list(state.caterpillars),
        "reserve": state.reserve,
        "butterflies": state.butterflies,
        "captured": state.captured,
        "hand": dict(zip(KINDS, state.hand, strict=True)),
    }
    if state.revealed:
        turned = [kind for kind in (state.unplayable, state.revealed) if kind]
        document |= {"offer": list(ordered([*state.offer, *turned])), "revealed": state.revealed}
    if state.unplayable:
        document["unplayable"] = state.unplayable
    return document
