"""Answers about positions of Chenille; a value is always the probability that the Chenilles win."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fable_solve.solver import registry
from fable_solve.solver.errors import BadInput
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.chenille.cards import WASP_CARDS, legal_offers
from fable_solve.solver.games.chenille.document import read, write
from fable_solve.solver.games.chenille.exact import solve as exact_values
from fable_solve.solver.games.chenille.exact import unseen
from fable_solve.solver.games.chenille.rules import CHENILLES, GUEPE, Chenille, Phase, State
from fable_solve.solver.positions import Position
from fable_solve.solver.result import Answer, Certificate
from fable_solve.solver.rules import RuleData
from fable_solve.solver.schema import shown
from fable_solve.solver.study import silent

ADVISE_STATES = 20_000_000
"""Largest number of states that ``advise`` solves."""

MOVERS = {GUEPE: "guepe", CHENILLES: "chenilles", CHANCE: "chance", TERMINAL: "nobody"}

UPPER = "values are for open discards; with hidden discards the Chenilles win at most as often"


def parse(body: dict[str, Any], source: str, rules: RuleData, mode: str | None) -> Position:
    """The position in ``body``; raises :class:`BadInput` naming the place inside ``source``."""
    game = Chenille(rules.model)
    state, players = read(body, source, game)
    return Position(registry.get("chenille"), mode, rules, game, state, source, players)


def dump(position: Position) -> dict[str, Any]:
    """The document that :func:`parse` reads into the same position."""
    document = {"game": "chenille", **write(position.state, position.details)}
    return {**document, "rules": position.rules.changed} if position.rules.changed else document


def score(position: Position) -> Answer:
    """Caterpillars captured (the Guepe's score) and butterflies (the Chenilles')."""
    captured, butterflies = position.game.scores(position.state)
    document = {"game": "chenille", "scores": [int(captured), int(butterflies)]}
    rows = [("Guepe", int(captured)), ("Chenilles", int(butterflies))]
    return Answer(document, ("side", "score"), rows, "Captured, butterflies")


def enumerate_game(rules: RuleData, mode: str | None) -> Answer:
    """Every offer the Guepe may lay from the full deck."""
    del mode
    game = Chenille(rules.model)
    offers = legal_offers(game.deck, game.rules.offer_size, game.rules.offer_favourable)
    items = [list(offer) for offer in offers]
    return _listing(items, [(" ".join(offer),) for offer in offers], "offer")


def enumerate_actions(position: Position) -> Answer:
    """Every legal action of the side to move."""
    game, state = position.game, position.state
    actions = game.legal_actions(state, game.player_to_move(state))
    rows = [(game.describe_action(state, action),) for action in actions]
    return _listing([_item(state, action) for action in actions], rows, "action")


def _listing(items: list[Any], rows: list[tuple[Any, ...]], column: str) -> Answer:
    document = {"game": "chenille", "count": len(items), "items": items}
    return Answer(document, (column,), rows, f"{len(items)} legal {column}s")


def _item(state: State, action: Any) -> Any:
    """An action as ``enumerate`` lists it: an offer is the list of its cards."""
    return list(action) if state.phase == Phase.OFFER else action_document(state, action)


def action_document(state: State, action: Any) -> dict[str, Any]:
    """An action by the keys of the contract."""
    if state.phase == Phase.START:
        return {"wasps": list(action)}
    if state.phase == Phase.OFFER:
        return {"offer": list(action)}
    if state.phase == Phase.DECIDE:
        return {"redraw": action == "redraw"}
    if state.revealed in WASP_CARDS:
        return {"card": state.revealed, "wasp": action[0], "path": list(action[1:])}
    return {"card": state.revealed, "from": action[0], "to": action[1]}


def solve(
    position: Position,
    objective: str | None = None,
    max_states: int = ADVISE_STATES,
    progress: Callable[[int, int | None], None] = silent,
) -> Answer:
    """The exact value with the actions that reach it (``starts``: every opposite pair).

    Raises :class:`TooLarge` before the work starts if more than ``max_states`` states would be needed.
    """
    return _answer(position, objective, None, max_states, progress)


def advise(position: Position, objective: str | None = None, top: int = 5) -> Answer:
    """The best actions of the side to move, each with its exact value; ``top`` 0 lists all."""
    return _answer(position, objective, top, ADVISE_STATES, silent)


def _answer(
    position: Position,
    objective: str | None,
    top: int | None,
    max_states: int,
    progress: Callable[[int, int | None], None],
) -> Answer:
    if objective not in (None, "win"):
        raise BadInput("win", shown(objective), where="--objective")
    state = unseen(position.state)
    if state.phase == Phase.OVER:
        value = position.game.win_shares(state)[CHENILLES]
        return _valued(position, state, value, 1, Certificate.exact(0.0, "the game is over"), [])
    solved = exact_values(position.game, state, max_states, progress)
    actions = [] if solved.game.player_to_move(state) == CHANCE else solved.actions(state)
    value = actions[0][1] if actions else solved.value(state)
    if top is None and state.phase != Phase.START:
        actions = [pair for pair in actions if abs(pair[1] - value) <= 2 * solved.error]
    return _valued(position, state, value, solved.states, solved.certificate, actions[: top or None])


def _valued(
    position: Position,
    state: State,
    value: float,
    states: int,
    certificate: Certificate,
    actions: list[tuple[Any, float]],
) -> Answer:
    """The answer of ``solve`` and ``advise``."""
    game = position.game
    document = {
        "game": "chenille",
        "objective": "win",
        "value": value,
        "to_move": MOVERS[game.player_to_move(state)],
        "states": states,
        "certificate": certificate.document(),
        "starts" if state.phase == Phase.START else "actions": [
            {**action_document(state, action), "value": worth} for action, worth in actions
        ],
    }
    rows = [(game.describe_action(state, action), worth) for action, worth in actions]
    footer = (f"the Chenilles win with probability {value:.6g}, {certificate}", f"{states:,} states")
    notes = (UPPER,) if game.rules.discards == "hidden" else ()
    return Answer(document, ("action", "Chenilles win"), rows, "Optimal play", notes, footer)
