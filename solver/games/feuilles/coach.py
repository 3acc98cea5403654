"""How a recorded game of 61 Feuilles d'automne is written and judged.

Every seat is judged by its own score: exactly on one sheet near its end, else by the learned values of the
policy ``optimised``, which look one round ahead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fable_solve.solver.coach import expected
from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.feuilles.advise import EXACT_ROUNDS
from fable_solve.solver.games.feuilles.document import dump
from fable_solve.solver.games.feuilles.document import item as item_document
from fable_solve.solver.games.feuilles.play import ROLLS, Choice, Feuilles, State, describe_choice, replaced
from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.games.feuilles.sheet import FACES, X
from fable_solve.solver.games.feuilles.values import sheet_value
from fable_solve.solver.games.feuilles.worth import UNIT, View
from fable_solve.solver.positions import Position
from fable_solve.solver.registry import get
from fable_solve.solver.rules import RuleData


def start(rules: RuleData, game: Feuilles, state: State) -> dict[str, Any]:
    return dump(Position(get("feuilles"), None, rules, game, state, ""))


def item(game: Feuilles, state: State, action: Any) -> dict[str, Any]:
    """A choice as ``advise`` prints it, a roll as its dice."""
    return item_document(action) if isinstance(action, Choice) else {"dice": list(action)}


def outcome(game: Feuilles, state: State, document: Any) -> Any:
    """The roll of a document ``{"dice": [3, 1, 2]}``, in any order."""
    rolls = {roll: roll for roll, _ in ROLLS}
    dice = document.get("dice") if isinstance(document, dict) and len(document) == 1 else None
    if not isinstance(dice, list) or not all(type(die) is int for die in dice):
        return None
    return rolls.get(tuple(sorted(dice)))


def text(game: Feuilles, state: State, action: Any) -> str:
    return describe_choice(action) if isinstance(action, Choice) else game.describe_action(state, action)


def judge(position: Position, objective: str | None, nodes: int | None) -> tuple[Feuilles, Judge]:
    """The game, its returns counted in points, and who judges; raises :class:`BadInput`."""
    if objective not in (None, "score"):
        raise BadInput("score (by which a record is judged)", repr(objective), where="--objective")
    if nodes is not None:
        raise BadInput("no nodes (a record of feuilles is not searched)", nodes, where="--nodes")
    game = make_game(position.game.rules, position.game.players, None, "score")
    return game, Judge(game)


class Judge:
    """Values by sheet (:class:`fable_solve.solver.coach.Evaluator`)."""

    how = "learned values, one round ahead"

    def __init__(self, game: Feuilles) -> None:
        self.game = game
        self._solved: dict[State, dict[Choice, float]] = {}
        self._choices: dict[tuple[State, int], dict[Choice, float]] = {}

    def value(self, state: State) -> Sequence[float]:
        if state.roll is None:
            if self.is_exact(state) and state._replace(roll=ROLLS[0][0]) not in self._solved:
                self._solve(state)
            return expected(self.game, self, state)
        return [max(self.choices(state, seat).values()) for seat in range(self.game.players)]

    def worth(self, state: State, seat: int, action: Choice) -> dict[int, float]:
        return {seat: self.choices(state, seat)[action]}

    def best(self, state: State, seat: int) -> Choice:
        choices = self.choices(state, seat)
        return max(choices, key=lambda choice: choices[choice])

    def is_exact(self, state: State) -> bool:
        return self.game.players == 1 and self.game.rules.rounds - state.round <= EXACT_ROUNDS

    def choices(self, state: State, seat: int) -> dict[Choice, float]:
        """What each choice of a seat is worth to it, in points at the end of the game."""
        if self.is_exact(state):
            if state not in self._solved:
                self._solve(state)
            return self._solved[state]
        key = state, seat
        if key not in self._choices:
            self._choices[key] = self._learned(state, seat)
        return self._choices[key]

    def _solve(self, state: State) -> None:
        """Keeps the values of the roll of a state, or of every roll that may come."""
        for roll in sheet_value(self.game, state).rolls:
            self._solved[state._replace(roll=roll.roll)] = dict(roll.choices)

    def _learned(self, state: State, seat: int) -> dict[Choice, float]:
        view, score = View(self.game, state, seat), self.game.score(state.sheets[seat])
        choices = self.game.legal_actions(state, seat)
        return {choice: score + self._units(view, choice) / UNIT for choice in choices}

    def _units(self, view: View, choice: Choice) -> int:
        """Units that a choice with its jokers gains and leaves to come."""
        zones, sheet, total = view.sheet.zones, view.sheet, 0
        written = [(choice.zone, choice.cell, FACES[choice.number - 1])] if choice.zone else []
        for zone, cell, letter in (*written, *((zone, cell, X) for zone, cell in choice.x)):
            moves = self.game.rules.zones[zone - 1].moves(zones[zone - 1], letter)
            placement = next(one for one in moves if one.cell == cell)
            total += view.gain(zone, placement)
            zones = replaced(zones, zone, placement.rows)
        leaf = sheet.leaf_total + choice.leaf
        points, _ = self.game.rules.earned(sheet.leaf_total, leaf)
        return total + UNIT * points + view.to_come(zones, leaf)
