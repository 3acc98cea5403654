"""Answers about positions of Chenille; a value is always the probability that the Chenilles win."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from fable_solve.solver import registry
from fable_solve.solver.errors import BadInput
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.chenille import advise as values
from fable_solve.solver.games.chenille.cards import WASP_CARDS, legal_offers
from fable_solve.solver.games.chenille.document import read, write
from fable_solve.solver.games.chenille.play import CHENILLES, GUEPE, Chenille, Phase, State
from fable_solve.solver.positions import Position
from fable_solve.solver.result import Answer
from fable_solve.solver.rules import RuleData
from fable_solve.solver.schema import shown
from fable_solve.solver.study import silent

ADVISE_STATES = 20_000_000
"""Largest number of states that ``advise`` solves."""

MOVERS = {GUEPE: "guepe", CHENILLES: "chenilles", CHANCE: "chance", TERMINAL: "nobody"}

UPPER = "values are for open discards; under best play hidden ones only make it harder for the Chenilles"


def parse(body: dict[str, Any], source: str, rules: RuleData, mode: str | None) -> Position:
    """The position in ``body``; raises :class:`BadInput` naming the place inside ``source``."""
    game = Chenille(rules.model)
    state, players = read(body, source, game)
    _check_shown(state, rules)
    return Position(registry.get("chenille"), mode, rules, game, state, source, players)


def _check_shown(state: State, rules: RuleData) -> None:
    """Refuses rule data set to something else than the position shows: it would do nothing."""
    counts = (*state.caterpillars, state.reserve, state.butterflies, state.captured)
    for key, own in {"caterpillars": sum(counts), "ring": dict(Counter(state.ring))}.items():
        asked = rules.values[key]
        if isinstance(asked, dict):
            asked = {place: count for place, count in asked.items() if count}
        if key in rules.origins and asked != own:
            raise BadInput(f"{shown(own)}, as the position shows", shown(asked), where=rules.place(key))


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
    if state.wasps is None:
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
    """The exact value with the actions that reach it (``starts``: every opposite pair, also of a game that
    is decided before the wasps are set).

    Raises :class:`TooLarge` before the work starts if more than ``max_states`` states would be needed.
    """
    _check_objective(objective)
    found = values.exact(position.game, position.state, max_states, progress)
    if position.state.wasps is None:
        return _answer(position, found, found.actions)
    error = 2 * (found.certificate.tolerance or 0.0)
    return _answer(
        position, found, [item for item in found.actions if abs(item.value - found.value) <= error]
    )


def advise(position: Position, objective: str | None = None, top: int = 5) -> Answer:
    """The best actions of the side to move with their values, ``top`` of them (0: all).

    Values are exact where the position is small enough, else means of roll-outs, and say so.
    """
    _check_objective(objective)
    found = values.advise(position.game, position.state, ADVISE_STATES)
    return _answer(position, found, found.actions[: top or None])


def _check_objective(objective: str | None) -> None:
    if objective not in (None, "win"):
        raise BadInput("win", shown(objective), where="--objective")


def _answer(position: Position, found: values.Valued, listed: Sequence[values.Value]) -> Answer:
    game, state, sampled = position.game, position.state, found.states is None
    document = {
        "game": "chenille",
        "objective": "win",
        "value": found.value,
        "to_move": MOVERS[game.player_to_move(state)],
        **({} if sampled else {"states": found.states}),
        "certificate": found.certificate.document(),
        "starts" if state.wasps is None else "actions": [
            {
                **action_document(state, item.action),
                "value": item.value,
                **({"certificate": item.certificate.document()} if sampled else {}),
            }
            for item in listed
        ],
    }
    asked = replace(state, phase=Phase.START) if state.wasps is None else state
    rows = [(game.describe_action(asked, item.action), item.value, str(item.certificate)) for item in listed]
    notes = (UPPER,) if game.rules.discards == "hidden" else ()
    title = "Roll-outs, not optimal play" if sampled else "Optimal play"
    columns = ("action", "Chenilles win", "certificate")
    return Answer(document, columns, rows, title, notes, _footer(found))


def _footer(found: values.Valued) -> tuple[str, ...]:
    if found.states is None:
        return (
            "Too large to solve: both sides play greedy after the action, which is not best play;",
            "the best of many such shares tends to look better than it is.",
        )
    value = f"the Chenilles win with probability {found.value:.6g}, {found.certificate}"
    return (value, f"{found.states:,} states")
