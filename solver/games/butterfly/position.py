"""Positions of Butterfly: read, written back, scored, enumerated, solved, advised on."""

from __future__ import annotations

from collections.abc import Sequence

from fable_solve.solver.games.butterfly.advise import advise, item_columns, item_document, item_row, solve
from fable_solve.solver.games.butterfly.document import dump, parse
from fable_solve.solver.games.butterfly.play import NOWHERE, Butterfly, Move, Start, State
from fable_solve.solver.games.butterfly.tiles import KINDS, listed
from fable_solve.solver.positions import Position
from fable_solve.solver.result import Answer
from fable_solve.solver.rules import RuleData

__all__ = ["advise", "dump", "enumerate_actions", "enumerate_game", "parse", "score", "solve"]


def score(position: Position) -> Answer:
    """Each player's score as the table stands."""
    scores = position.game.scores(position.state)
    rows = [
        (seat, points, " ".join(KINDS[kind] for kind in listed(held)) or "nothing")
        for seat, (points, held) in enumerate(zip(scores, position.state.held, strict=True))
    ]
    document = {"game": "butterfly", "scores": list(scores)}
    return Answer(document, ("seat", "score", "collection"), rows, "Butterfly: scores")


def enumerate_actions(position: Position) -> Answer:
    """Every legal action: starts where no hedgehog stands yet, else moves, with and without a draw."""
    position.details.require_bag()
    game, state = position.game, position.state
    actions = game.starts(state) if state.square == NOWHERE else game.moves(state)
    return _listed(game, state, actions, "legal actions")


def enumerate_game(rules: RuleData, mode: str | None = None) -> Answer:
    """Every start on the full-size square for 2 players."""
    game = rules.make_game(2)
    dealt = game.initial_state()._replace(board=bytes(len(game.rays)))
    return _listed(game, dealt, game.starts(dealt), f"starts on the {game.rows}x{game.cols} square")


def _listed(game: Butterfly, state: State, actions: Sequence[Start | Move], what: str) -> Answer:
    items = [item_document(game, action) for action in actions]
    rows = [item_row(game, state, action) for action in actions]
    document = {"game": "butterfly", "count": len(items), "items": items}
    return Answer(document, item_columns(state), rows, f"Butterfly: {len(items)} {what}")
