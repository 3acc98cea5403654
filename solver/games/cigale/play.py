"""The rules of Cigale as a pure game: what both modes share."""

from __future__ import annotations

from fable_solve.solver.games.cigale.rules import Rules
from fable_solve.solver.games.cigale.state import State


class Cigale:
    """La Cigale et la Fourmi on a square of ``height x width`` with all options fixed."""

    def __init__(self, rules: Rules, players: int, objective: str, height: int, width: int) -> None:
        self.rules, self.players, self.objective = rules, players, objective
        self.height, self.width = height, width

    def start_round(self, state: State) -> State:
        return state
