"""Rules of Chenille terre ciel as a pure game of two sides: seat 0 the Guepe, seat 1 the Chenilles.

However many people play, the Chenilles are one side: everything one of them knows all know, they share the
result, and who of them acts changes nothing on the table. So any number of them is one decision maker, and
the game is the same for 2 to 6 people.

A turn: the Guepe lays an offer face down; chance turns one card (the backs are alike); its owner carries it
out. An unplayable card other than a Soleil may lead to a second one of the same offer. All cards of the offer
are discarded; an empty hand takes all cards back.

Play ends too when so few caterpillars are left, or the cards or places so lacking, that the Chenilles can
never have enough butterflies: such play would be endless, and endless play counts for the Guepe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from fable_solve.solver.errors import IllegalAction
from fable_solve.solver.game import CHANCE, TERMINAL, Draw
from fable_solve.solver.games.chenille.cards import (
    FAVOURABLE,
    KINDS,
    WASP_CARDS,
    Hand,
    Offer,
    legal_offers,
    plus,
)
from fable_solve.solver.games.chenille.ring import (
    BUTTERFLY,
    RESERVE,
    Ring,
    Wasps,
    caterpillar_moves,
    fly,
    opposite_pairs,
    wasp_moves,
)
from fable_solve.solver.games.chenille.rules import Rules

GUEPE, CHENILLES = 0, 1


class Phase(IntEnum):
    """What is to happen next."""

    DEAL = 0
    """Chance lays the next place of the ring."""
    START = 1
    """The Guepe chooses an opposite pair of places for its wasps."""
    OFFER = 2
    """The Guepe lays cards face down."""
    TURN = 3
    """Chance turns one of them."""
    CARRY = 4
    """The turned card is carried out by its owner."""
    DECIDE = 5
    """The Chenilles decide whether to turn a second card."""
    REDRAW = 6
    """Chance turns one of the others."""
    OVER = 7


@dataclass(frozen=True, slots=True)
class State:
    """A state of the game.

    ``offer`` are the cards of this turn still face down, ``revealed`` the card last turned (to be carried
    out, or just found unplayable), ``unplayable`` the first card of the turn once a second one is turned.
    ``seen`` is kept with hidden discards only: what the Chenilles saw since all cards were last in hand.
    """

    phase: Phase
    ring: Ring
    caterpillars: tuple[int, ...]
    reserve: int
    butterflies: int
    captured: int
    wasps: Wasps | None
    hand: Hand
    offer: Offer = ()
    revealed: str = ""
    unplayable: str = ""
    turns: int = 0
    seen: tuple[Hashable, ...] = ()


class Chenille:
    """The rules with all options fixed (see :class:`fable_solve.solver.game.Game`).

    ``turn_limit`` stops a play; without one no turns are counted, so that states repeat and can be solved.
    """

    players = 2
    sources = ("ring", "cards")
    objective = "win"
    return_bounds = (0.0, 1.0)
    zero_sum = True

    def __init__(self, rules: Rules, turn_limit: int | None = None) -> None:
        self.rules = rules
        self.deck = rules.deck.counts()
        self.turn_limit = turn_limit
        self.max_length = None if turn_limit is None else 1 + 3 * turn_limit
        self.open = rules.discards == "open"
        self._places = Counter(rules.ring)

    def initial_state(self) -> State:
        return State(Phase.DEAL, (), (), self.rules.caterpillars, 0, 0, None, self.deck)

    def player_to_move(self, state: State) -> int:
        if state.phase in (Phase.DEAL, Phase.TURN, Phase.REDRAW):
            return CHANCE
        if state.phase == Phase.OVER:
            return TERMINAL
        if state.phase == Phase.DECIDE or (state.phase == Phase.CARRY and state.revealed in FAVOURABLE):
            return CHENILLES
        return GUEPE

    def legal_actions(self, state: State, seat: int) -> Sequence[Any]:
        """Starting pairs, offers, moves of the card turned (:mod:`.ring`), or ``redraw`` and ``pass``."""
        if seat != self.player_to_move(state) or seat in (CHANCE, TERMINAL):
            return ()
        if state.phase == Phase.START:
            return opposite_pairs(len(state.ring))
        if state.phase == Phase.OFFER:
            return legal_offers(state.hand, self.rules.offer_size, self.rules.offer_favourable)
        if state.phase == Phase.DECIDE:
            return ("redraw", "pass")
        return self.moves(state, state.revealed)

    def moves(self, state: State, card: str) -> Sequence[Any]:
        """Every way of carrying out ``card``; none if it is not playable."""
        if card in WASP_CARDS:
            assert state.wasps is not None
            return wasp_moves(state.ring, state.wasps, card)
        return caterpillar_moves(state.ring, state.caterpillars, state.reserve, card)

    def chance_outcomes(self, state: State) -> Sequence[tuple[Any, float]]:
        counts = self._unlaid(state) if state.phase == Phase.DEAL else Counter(state.offer)
        total = counts.total()
        return [(item, count / total) for item, count in counts.items()]

    def chance_draw(self, state: State) -> Draw:
        """The places of the ring come off a pile; of the cards laid any one is turned."""
        if state.phase == Phase.DEAL:
            return Draw("ring", sorted(self._unlaid(state).elements()), "ring")
        return Draw("cards", state.offer)

    def _unlaid(self, state: State) -> Counter[str]:
        """The places still to be laid."""
        return self._places - Counter(state.ring)

    def successor(self, state: State, action: Any) -> State:
        seat = self.player_to_move(state)
        if seat == TERMINAL:
            raise IllegalAction(f"expected no action in a finished game, got {action!r}")
        legal = [item for item, _ in self.chance_outcomes(state)] if seat == CHANCE else None
        if action not in (self.legal_actions(state, seat) if legal is None else legal):
            raise IllegalAction(f"expected a legal action ({state.phase.name.lower()}), got {action!r}")
        return self._apply(state, action)

    def _apply(self, state: State, action: Any) -> State:
        match state.phase:
            case Phase.DEAL:
                return self._laid(replace(state, ring=(*state.ring, action)))
            case Phase.START:
                return self._next_turn(replace(state, wasps=action))
            case Phase.OFFER:
                hand = plus(state.hand, action, -1)
                return replace(state, phase=Phase.TURN, hand=hand, offer=action)
            case Phase.TURN | Phase.REDRAW:
                return self._turned(state, action)
            case Phase.DECIDE if action == "redraw":
                return replace(state, phase=Phase.REDRAW)
            case Phase.DECIDE:
                return self._end_turn(self._witness(state, "pass"))
        return self._end_turn(self.carried(self._witness(state, action), action))

    def _laid(self, state: State) -> State:
        if len(state.ring) < sum(self.rules.ring.values()):
            return state
        state = replace(state, caterpillars=(0,) * len(state.ring))
        return replace(state, phase=Phase.OVER if self.hopeless(state) else Phase.START)

    def _turned(self, state: State, card: str) -> State:
        """The state once ``card`` of the offer lies face up: the first of the turn, or the second."""
        offer = list(state.offer)
        offer.remove(card)
        state = self._witness(
            replace(state, offer=tuple(offer), revealed=card, unplayable=state.revealed), card
        )
        if self.moves(state, card):
            return replace(state, phase=Phase.CARRY)
        if state.unplayable or card == "soleil" or not offer:
            return self._end_turn(state)
        return replace(state, phase=Phase.DECIDE if self.rules.redraw == "optional" else Phase.REDRAW)

    def carried(self, state: State, move: Any) -> State:
        """The table after the card turned has been carried out by ``move``."""
        if state.revealed in WASP_CARDS:
            assert state.wasps is not None
            return self.caught(replace(state, wasps=fly(state.wasps, move)), move[1:])
        start, to = move
        caterpillars = list(state.caterpillars)
        if start != RESERVE:
            caterpillars[start] -= 1
        if to != BUTTERFLY:
            caterpillars[to] += 1
        return replace(
            state,
            caterpillars=tuple(caterpillars),
            reserve=state.reserve - (start == RESERVE),
            butterflies=state.butterflies + (to == BUTTERFLY),
        )

    def caught(self, state: State, places: Sequence[int]) -> State:
        """The table after a wasp has arrived on ``places``: every caterpillar there is captured."""
        caterpillars = tuple(0 if i in places else count for i, count in enumerate(state.caterpillars))
        captured = state.captured + sum(state.caterpillars) - sum(caterpillars)
        return replace(state, caterpillars=caterpillars, captured=captured)

    def _end_turn(self, state: State) -> State:
        """Discards the offer and takes all cards back if none is left."""
        turns = state.turns + (self.turn_limit is not None)
        state = replace(state, offer=(), revealed="", unplayable="", turns=turns)
        if not any(state.hand):
            state = replace(state, hand=self.deck, seen=())
        return self._next_turn(state)

    def _next_turn(self, state: State) -> State:
        over = self.won_by(state) is not None or state.turns == self.turn_limit
        return replace(state, phase=Phase.OVER if over else Phase.OFFER)

    def _witness(self, state: State, event: Hashable) -> State:
        """``state`` with an event the Chenilles saw; with open discards their knowledge is the table."""
        return state if self.open else replace(state, seen=(*state.seen, event))

    def won_by(self, state: State) -> int | None:
        """The side that has won on the table, whatever is played from here; ``None`` while it is open."""
        if state.butterflies >= self.rules.butterflies_to_win:
            return CHENILLES
        if state.captured >= self.rules.captures_to_win or self.hopeless(state):
            return GUEPE
        return None

    def ending(self, state: State) -> str:
        """What ended a game."""
        if self.stopped(state):
            return "turn limit"
        if self.won_by(state) == CHENILLES:
            return "butterflies"
        return "captures" if state.captured >= self.rules.captures_to_win else "too few caterpillars left"

    def hopeless(self, state: State) -> bool:
        """Whether the Chenilles can never have enough butterflies (caterpillars, cards or slots lack)."""
        on = dict.fromkeys("TC", 0)
        for place, count in zip(state.ring, state.caterpillars, strict=True):
            on[place[0]] += count
        kinds = {place[0] for place in state.ring}
        usable = self.usable(kinds, state.reserve, on["T"], on["C"])
        return state.butterflies + usable < self.rules.butterflies_to_win

    def usable(self, kinds: Set[str], reserve: int, terre: int, ciel: int) -> int:
        """How many caterpillars can still become butterflies, of those in the reserve, on all Terre and on
        all Ciel places; ``kinds`` are the kinds of place the ring has."""
        oeuf, cocon, envol, soleil = self.deck[:4]
        layable = reserve if oeuf + soleil and "T" in kinds else 0
        spinnable = terre + layable if cocon + soleil and "C" in kinds else 0
        return ciel + spinnable if envol + soleil else 0

    def scores(self, state: State) -> tuple[float, ...]:
        """Captured caterpillars, butterflies."""
        return (float(state.captured), float(state.butterflies))

    def win_shares(self, state: State) -> tuple[float, ...]:
        return (0.0, 1.0) if self.won_by(state) == CHENILLES else (1.0, 0.0)

    def returns(self, state: State) -> tuple[float, ...]:
        return self.win_shares(state)

    def stopped(self, state: State) -> bool:
        """Whether a finished game was stopped by the turn limit."""
        return state.turns == self.turn_limit and self.won_by(state) is None

    def information_state(self, state: State, seat: int) -> Hashable:
        """What a side knows: the Guepe everything; the Chenilles all but cards lying face down and, with
        hidden discards, the hand and the cards never turned (of both they know the number)."""
        if seat == GUEPE:
            return state
        offer = len(state.offer)
        if not self.open:
            hidden = (sum(state.hand), offer)
            return replace(state, hand=(), offer=()), hidden
        if state.phase == Phase.TURN:
            return replace(state, hand=plus(state.hand, state.offer), offer=()), offer
        return state

    def describe_action(self, state: State, action: Any) -> str:
        match state.phase:
            case Phase.DEAL:
                return f"place {len(state.ring)}: {action}"
            case Phase.START:
                return f"wasps on {action[0]} and {action[1]}"
            case Phase.OFFER:
                return f"lays {' '.join(action)}"
            case Phase.TURN | Phase.REDRAW:
                return f"turns {action}"
            case Phase.DECIDE:
                return str(action)
        if state.revealed in WASP_CARDS:
            return f"{state.revealed}: wasp " + " -> ".join(map(str, action))
        return f"{state.revealed}: {action[0]} -> {action[1]}"

    def describe_state(self, state: State) -> str:
        places = []
        for index, place in enumerate(state.ring):
            count = state.caterpillars[index] if state.caterpillars else 0
            wasps = state.wasps.count(index) if state.wasps else 0
            places.append(place + "o" * count + "w" * wasps)
        held = zip(KINDS, state.hand, strict=True)
        hand = ", ".join(f"{kind} x{count}" for kind, count in held if count) or "empty"
        table = f"reserve {state.reserve}  butterflies {state.butterflies}  captured {state.captured}"
        lines = [f"{state.phase.name.lower()}: {' '.join(places)}", table, f"hand {hand}"]
        if state.offer or state.revealed:
            turned = " ".join(card for card in (state.unplayable, state.revealed) if card)
            lines.append(f"face down {' '.join(state.offer) or 'none'}  turned {turned or 'none'}")
        return "\n".join(lines)
