"""Rules for both sides of Chenille terre ciel that can be remembered, and what they were chosen from.

``bench/human_rules.py`` chooses the lines of :data:`CHOSEN` (see :mod:`fable_solve.solver.decisions`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from fable_solve.solver.decisions import Line, Trial, Wish, remembered
from fable_solve.solver.games.chenille.cards import FAVOURABLE, WASP_CARDS
from fable_solve.solver.games.chenille.play import CHENILLES, GUEPE, Chenille, Phase, State
from fable_solve.solver.games.chenille.policies import near
from fable_solve.solver.games.chenille.ring import BUTTERFLY, RESERVE, fly, slots


def at(phase: Phase, value: Callable[[Chenille, State, Any], Any], *, wasp: bool | None = None) -> Wish:
    """A wish for one phase; when a card is carried out, for wasp cards or for the others."""

    def wish(game: Chenille, state: State, seat: int, actions: Sequence[Any]) -> list[float]:
        other = wasp is not None and (state.revealed in WASP_CARDS) != wasp
        return [] if state.phase != phase or other else [value(game, state, action) for action in actions]

    return wish


def slots_near(game: Chenille, state: State, wasps: Any) -> float:
    around = {place for wasp in wasps for place in near(len(state.ring), wasp)}
    return sum(slots(state.ring[place]) for place in around)


def prey(game: Chenille, state: State, card: str) -> int:
    """Most caterpillars that a wasp card can capture."""
    if card not in WASP_CARDS:
        return 0
    moves = game.moves(state, card)
    return max((sum(state.caterpillars[place] for place in set(move[1:])) for move in moves), default=0)


def wasp_cards(game: Chenille, state: State, offer: Any) -> float:
    return sum(card in WASP_CARDS for card in offer)


def captures(game: Chenille, state: State, offer: Any) -> float:
    """Caterpillars that the cards of an offer can capture, added up."""
    return sum(prey(game, state, card) for card in offer)


def idle_wasps(game: Chenille, state: State, offer: Any) -> float:
    """Minus the wasp cards that would capture nothing."""
    return -sum(card in WASP_CARDS and not prey(game, state, card) for card in offer)


def unplayable(game: Chenille, state: State, offer: Any) -> float:
    return sum(card in FAVOURABLE and not game.moves(state, card) for card in offer)


def playable(game: Chenille, state: State, offer: Any) -> float:
    """Minus the favourable cards that can be played."""
    return -sum(card in FAVOURABLE and bool(game.moves(state, card)) for card in offer)


def no_saving(game: Chenille, state: State, offer: Any) -> float:
    """Minus the cards that save a caterpillar: a Soleil or an Envol while one is on a Ciel place."""
    on_ciel = any(n for n, place in zip(state.caterpillars, state.ring, strict=True) if place[0] == "C")
    return -sum(card in ("soleil", "envol") and on_ciel for card in offer)


def keeps_suns(game: Chenille, state: State, offer: Any) -> Any:
    return -sum(card == "soleil" for card in offer)


def caught(game: Chenille, state: State, move: Any) -> Any:
    return sum(state.caterpillars[place] for place in set(move[1:]))


def hunts(game: Chenille, state: State, move: Any) -> float:
    """Caterpillars left within two places of a wasp or across from it."""
    assert state.wasps is not None
    left = [0 if place in move[1:] else n for place, n in enumerate(state.caterpillars)]
    around = {place for wasp in fly(state.wasps, move) for place in near(len(left), wasp)}
    return sum(left[place] for place in around)


def free_near(game: Chenille, state: State, move: Any) -> float:
    assert state.wasps is not None
    return slots_near(game, state, fly(state.wasps, move))


def saves(game: Chenille, state: State, move: Any) -> Any:
    return move[1] == BUTTERFLY


def spins(game: Chenille, state: State, move: Any) -> Any:
    return move[0] != RESERVE


def safe(game: Chenille, state: State, move: Any) -> float:
    """Minus the caterpillars within two places of a wasp or across from it."""
    assert state.wasps is not None
    counts = list(state.caterpillars)
    for place, change in zip(move, (-1, 1), strict=True):
        if not isinstance(place, str):
            counts[place] += change
    around = {place for wasp in state.wasps for place in near(len(counts), wasp)}
    return -sum(counts[place] for place in around)


def under_a_wasp(game: Chenille, state: State, move: Any) -> Any:
    assert state.wasps is not None
    return move[1] in state.wasps


def apart(game: Chenille, state: State, move: Any) -> Any:
    """Whether the place moved to is empty, so that a wasp finds one caterpillar at most."""
    return isinstance(move[1], str) or not state.caterpillars[move[1]]


def second(game: Chenille, state: State, action: Any) -> Any:
    return action == "redraw"


def passing(game: Chenille, state: State, action: Any) -> Any:
    return action == "pass"


def second_if_safe(game: Chenille, state: State, action: Any) -> Any:
    """A second card while no caterpillar is near a wasp, else none."""
    assert state.wasps is not None
    around = {place for wasp in state.wasps for place in near(len(state.ring), wasp)}
    calm = not any(state.caterpillars[place] for place in around)
    return (action == "redraw") == calm


def second_if_favourable(game: Chenille, state: State, action: Any) -> Any:
    """A second card if most cards not seen yet are favourable."""
    kinds = Counter(game.rules.deck.model_dump()) - Counter(e for e in state.seen if isinstance(e, str))
    good = sum(kinds[kind] for kind in FAVOURABLE)
    return (action == "redraw") == (2 * good > kinds.total())


_WASPS = {
    "start": Line(
        "Start with the most slots near the wasps (two places or across).", at(Phase.START, slots_near)
    ),
    "captures": Line("Lay the cards that can capture most, added up.", at(Phase.OFFER, captures)),
    "wasps": Line("Lay as many wasp cards as you may.", at(Phase.OFFER, wasp_cards)),
    "unplayable": Line("Lay favourable cards that cannot be played.", at(Phase.OFFER, unplayable)),
    "playable": Line("Lay as few favourable cards that can be played as you may.", at(Phase.OFFER, playable)),
    "no_saving": Line(
        "While a caterpillar is on Ciel lay no card that saves it.", at(Phase.OFFER, no_saving)
    ),
    "suns": Line("Keep the Soleils.", at(Phase.OFFER, keeps_suns)),
    "idle": Line("Keep wasp cards that would capture nothing.", at(Phase.OFFER, idle_wasps)),
    "caught": Line("Fly where most are captured.", at(Phase.CARRY, caught, wasp=True)),
    "hunts": Line(
        "Fly to be near the most caterpillars (two places or across).", at(Phase.CARRY, hunts, wasp=True)
    ),
    "free": Line(
        "Fly to be near the most slots (two places or across).", at(Phase.CARRY, free_near, wasp=True)
    ),
}
_CATERPILLARS = {
    "saves": Line("Save a caterpillar if you can.", at(Phase.CARRY, saves, wasp=False)),
    "spins": Line("Spin rather than lay an egg.", at(Phase.CARRY, spins, wasp=False)),
    "safe": Line(
        "Move so that the fewest are near a wasp (two places or across).", at(Phase.CARRY, safe, wasp=False)
    ),
    "under": Line("Hide under a wasp.", at(Phase.CARRY, under_a_wasp, wasp=False)),
    "apart": Line("One caterpillar a place.", at(Phase.CARRY, apart, wasp=False)),
    "second": Line("Always turn a second card.", at(Phase.DECIDE, second)),
    "pass": Line("Never turn a second card.", at(Phase.DECIDE, passing)),
    "second_calm": Line("Turn a second card only while no wasp is near.", at(Phase.DECIDE, second_if_safe)),
    "second_good": Line(
        "Turn a second card if most cards not seen yet are favourable.",
        at(Phase.DECIDE, second_if_favourable),
    ),
}
CANDIDATES = {"Guepe": _WASPS, "Chenilles": _CATERPILLARS}
TRIALS = {
    "Guepe": Trial("chenille", "greedy", "margin", 2, (GUEPE,)),
    "Chenilles": Trial("chenille", "greedy", "margin", 2, (CHENILLES,)),
}
TITLES = {side: f"A rule to remember ({side})" for side in TRIALS}
GAMES = 60
"""Games in a report."""
TRAINING_GAMES = 100
TRAINING: dict[str, str] = {}
CHOSEN: dict[str, tuple[str, ...]] = {
    "Guepe": ("caught", "idle", "no_saving"),
    "Chenilles": ("safe", "saves", "pass", "spins"),
}
POLICY = remembered(CHOSEN, CANDIDATES, lambda game, state, seat: ("Guepe", "Chenilles")[seat])
