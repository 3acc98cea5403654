"""How a recorded game of Butterfly is written and judged.

Two players are judged by the margin, by tree search: exact once it sees every line to its end. With more
players every seat is judged by its own score: near the end by max^n, before it by what it has and a weighted
count of the tiles it can still use.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import mul
from typing import Any

from fable_solve.solver import dynamic
from fable_solve.solver.coach import expected
from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.butterfly.advise import item_document, with_objective
from fable_solve.solver.games.butterfly.document import Details, dump
from fable_solve.solver.games.butterfly.play import GAP, Butterfly, Move, Start, State
from fable_solve.solver.games.butterfly.search import Found, Searcher
from fable_solve.solver.games.butterfly.tables import fits
from fable_solve.solver.games.butterfly.tiles import KINDS
from fable_solve.solver.positions import Position
from fable_solve.solver.registry import get
from fable_solve.solver.rules import RuleData

NODES = 200_000
"""Nodes of the search of each state of a game of 2."""
WEIGHTS = {2: (0.72, 0.26), 3: (0.72, 0.26), 4: (0.88, 0.35), 5: (0.91, 0.33)}
"""What :func:`prospects` count for, by players (``bench/weigh_butterfly.py``); 2, which are judged so on a
board too large to be searched alone, as 3."""
EXACT_TILES, EXACT_STATES = 8, 5_000
"""With so few tiles the exact values of more players are tried, with so many states."""


def start(rules: RuleData, game: Butterfly, state: State) -> dict[str, Any] | None:
    """The position once the square is dealt."""
    if len(state.board) < len(game.rays):
        return None
    details = Details(((),) * game.players, (), None)
    return dump(Position(get("butterfly"), None, rules, game, state, "", details))


def item(game: Butterfly, state: State, action: Any) -> dict[str, Any]:
    """An action as ``advise`` prints it, a start by chance in the same way, a draw as its tile."""
    return item_document(game, action) if isinstance(action, Start | Move) else {"tile": KINDS[action]}


def outcome(game: Butterfly, state: State, document: Any) -> Any:
    """The outcome that a document of :func:`item` means."""
    found = [action for action, _ in game.chance_outcomes(state)]
    return next((action for action in found if item(game, state, action) == document), None)


def text(game: Butterfly, state: State, action: Any) -> str:
    return game.describe_action(state, action)


def judge(position: Position, objective: str | None, nodes: int | None) -> tuple[Butterfly, Any]:
    """The game, its returns counted as records are judged, and who judges; raises :class:`BadInput`."""
    position.details.require_bag()
    measure = "margin" if position.game.players == 2 else "score"
    if objective not in (None, measure):
        expected = f"{measure} (by which a record of {position.game.players} players is judged)"
        raise BadInput(expected, repr(objective), where="--objective")
    game = with_objective(position, measure)
    searched = game.players == 2 and fits(game)
    return game, Searched(game, nodes or NODES) if searched else Counted(game)


def most_worth(evaluator: Searched | Counted, state: State, seat: int) -> Start | Move:
    """The first of the actions worth most to a seat."""
    actions = evaluator.game.legal_actions(state, seat)
    return max(actions, key=lambda action: evaluator.worth(state, seat, action)[seat])


class Searched:
    """Values of a game of 2 by tree search (:class:`fable_solve.solver.coach.Evaluator`)."""

    def __init__(self, game: Butterfly, nodes: int) -> None:
        self.game, self.searcher = game, Searcher(game, nodes)
        self.how = f"tree search of {nodes:,} nodes a state"
        self._found: dict[State, tuple[Found, dict[Start | Move, float]]] = {}

    def search(self, state: State) -> tuple[Found, dict[Start | Move, float]]:
        """What a search of all actions finds, and their values to the seat to act."""
        if state not in self._found:
            found, seat = self.searcher.find(state, every=True), self.game.player_to_move(state)
            scores = self.game.scores(state)
            ahead = float(scores[seat] - scores[1 - seat])
            self._found[state] = found, {action: ahead + value for action, value in found.values}
        return self._found[state]

    def value(self, state: State) -> Sequence[float]:
        mover = self.game.player_to_move(state)
        if mover == CHANCE:
            return expected(self.game, self, state)
        found, values = self.search(state)
        own = values[found.values[0][0]]
        return (own, -own) if mover == 0 else (-own, own)

    def worth(self, state: State, seat: int, action: Start | Move) -> dict[int, float]:
        """By the search of the state; a draw or its refusal that the search left out as the worse one by
        that of the state after it."""
        _, values = self.search(state)
        if action in values:
            return {seat: values[action], 1 - seat: -values[action]}
        after = self.game.successor(state, action)
        over = self.game.player_to_move(after) == TERMINAL
        return dict(enumerate(self.game.returns(after) if over else self.value(after)))

    def best(self, state: State, seat: int) -> Start | Move:
        return most_worth(self, state, seat)

    def is_exact(self, state: State) -> bool:
        mover = self.game.player_to_move(state)
        if mover == CHANCE:
            after = (self.game.successor(state, outcome) for outcome, _ in self.game.chance_outcomes(state))
            return all(self.is_exact(one) for one in after)
        return mover == TERMINAL or self.search(state)[0].exact


def prospects(game: Butterfly, state: State) -> list[tuple[float, float]]:
    """Of each seat, the points that each tile which lies would now bring it, shared by all players, and those
    of its best catch if it is to move."""
    lying = [kind for kind in state.board if kind != GAP]
    catches = [game.scoring.gain(state.held[state.seat], state.board[move.to]) for move in game.moves(state)]
    return [
        (
            sum(max(0, game.scoring.gain(held, kind)) for kind in lying) / game.players,
            float(max(catches, default=0)) if seat == state.seat else 0.0,
        )
        for seat, held in enumerate(state.held)
    ]


class Counted:
    """Values of any game by max^n near the end, before it by the score and the prospects of each seat."""

    how = "each seat's score and a weighted count of the tiles it can still use"

    def __init__(self, game: Butterfly) -> None:
        self.game = game
        self._exact = lru_cache(1 << 16)(self._solved)
        self._value = lru_cache(1 << 16)(self._valued)

    def value(self, state: State) -> Sequence[float]:
        return self._value(state)

    def worth(self, state: State, seat: int, action: Start | Move) -> dict[int, float]:
        return dict(enumerate(self._value(self.game.successor(state, action))))

    def best(self, state: State, seat: int) -> Start | Move:
        return most_worth(self, state, seat)

    def is_exact(self, state: State) -> bool:
        return self._exact(state) is not None

    def _valued(self, state: State) -> tuple[float, ...]:
        exact, mover = self._exact(state), self.game.player_to_move(state)
        if exact is not None:
            return exact
        return expected(self.game, self, state) if mover == CHANCE else self._counted(state)

    def _solved(self, state: State) -> tuple[float, ...] | None:
        if self.game.player_to_move(state) == TERMINAL:
            return self.game.returns(state)
        if sum(kind != GAP for kind in state.board) > EXACT_TILES:
            return None
        try:
            return dynamic.solve(self.game, state, max_states=EXACT_STATES).values
        except TooLarge:
            return None

    def _counted(self, state: State) -> tuple[float, ...]:
        game, weights = self.game, WEIGHTS[self.game.players]
        points = [
            score + sum(map(mul, weights, prospect))
            for score, prospect in zip(game.scores(state), prospects(game, state), strict=True)
        ]
        if game.objective == "score":
            return tuple(points)
        return points[0] - points[1], points[1] - points[0]
