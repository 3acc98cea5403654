"""Small games whose values are known by hand or by theory, on the protocol of real games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

import numpy as np

from fable_solve.solver.errors import IllegalAction
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL, Draw


class Toy:
    """What the toys share: a two-player zero-sum game of wins and losses."""

    players = 2
    objective = "win"
    max_length: int | None = None
    return_bounds: tuple[float, float] = (-1.0, 1.0)
    zero_sum = True

    def returns(self, state: Any) -> tuple[float, ...]:
        raise NotImplementedError

    def chance_outcomes(self, state: Any) -> Sequence[tuple[Any, float]]:
        raise NotImplementedError(f"{state!r} is no chance node")

    def scores(self, state: Any) -> tuple[float, ...]:
        return self.returns(state) if self.player_to_move(state) == TERMINAL else (0.0,) * self.players

    def win_shares(self, state: Any) -> tuple[float, ...]:
        best = max(self.returns(state))
        winners = [value == best for value in self.returns(state)]
        return tuple(won / sum(winners) for won in winners)

    def player_to_move(self, state: Any) -> int:
        raise NotImplementedError

    def information_state(self, state: Any, seat: int) -> Any:
        return state

    def describe_action(self, state: Any, action: Any) -> str:
        return str(action)

    def describe_state(self, state: Any) -> str:
        return str(state)


@dataclass(frozen=True)
class Urn(Toy):
    """Chance alone: units come off a pile that lies shuffled, one after another; a state is what is left."""

    units: tuple[int, ...]
    sources = ("urn",)

    def initial_state(self) -> tuple[int, ...]:
        return self.units

    def player_to_move(self, state: tuple[int, ...]) -> int:
        return CHANCE if state else TERMINAL

    def chance_draw(self, state: tuple[int, ...]) -> Draw:
        return Draw("urn", state, pile="urn")

    def successor(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        place = state.index(action)
        return state[:place] + state[place + 1 :]


@dataclass(frozen=True)
class MatrixToy(Toy):
    """One simultaneous choice; ``payoffs`` are seat 0's."""

    payoffs: tuple[tuple[float, ...], ...]
    max_length = 1

    def initial_state(self) -> tuple[int, ...]:
        return ()

    def player_to_move(self, state: tuple[int, ...]) -> int:
        return TERMINAL if state else SIMULTANEOUS

    def legal_actions(self, state: Any, seat: int) -> Sequence[int]:
        return range(len(self.payoffs if seat == 0 else self.payoffs[0]))

    def successor(self, state: Any, action: Any) -> tuple[int, ...]:
        return tuple(action)

    def returns(self, state: tuple[int, ...]) -> tuple[float, float]:
        row, column = state
        return self.payoffs[row][column], -self.payoffs[row][column]


ROCK_PAPER_SCISSORS = MatrixToy(((0.0, -1.0, 1.0), (1.0, 0.0, -1.0), (-1.0, 1.0, 0.0)))


@dataclass(frozen=True)
class CoinThenPennies(Toy):
    """A coin of bias ``heads`` picks one of two simultaneous matrix games."""

    heads: float
    games: tuple[tuple[tuple[float, ...], ...], tuple[tuple[float, ...], ...]]
    return_bounds = (-9.0, 9.0)

    def initial_state(self) -> tuple[int, ...]:
        return ()

    def player_to_move(self, state: tuple[int, ...]) -> int:
        return (CHANCE, SIMULTANEOUS, TERMINAL, TERMINAL)[len(state)]

    def chance_outcomes(self, state: Any) -> Sequence[tuple[int, float]]:
        return [(0, self.heads), (1, 1.0 - self.heads)]

    def legal_actions(self, state: tuple[int, ...], seat: int) -> Sequence[int]:
        return range(2)

    def successor(self, state: tuple[int, ...], action: Any) -> tuple[int, ...]:
        return (*state, action) if not state else (*state, *action)

    def returns(self, state: tuple[int, ...]) -> tuple[float, float]:
        value = self.games[state[0]][state[1]][state[2]]
        return value, -value


@dataclass(frozen=True)
class Race(Toy):
    """Count up from 0 by 1 .. ``steps`` in turn; whoever says ``target`` wins. State: (count, mover)."""

    target: int = 21
    steps: int = 3

    @property
    def max_length(self) -> int:  # type: ignore[override]
        return self.target

    def initial_state(self) -> tuple[int, int]:
        return 0, 0

    def player_to_move(self, state: tuple[int, int]) -> int:
        return TERMINAL if state[0] == self.target else state[1]

    def legal_actions(self, state: tuple[int, int], seat: int) -> Sequence[int]:
        return range(1, min(self.steps, self.target - state[0]) + 1)

    def successor(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        if action not in self.legal_actions(state, state[1]):
            raise IllegalAction(f"expected a step of 1 to {self.steps}, got {action}")
        return state[0] + action, 1 - state[1]

    def returns(self, state: tuple[int, int]) -> tuple[float, float]:
        won = 1.0 if state[1] == 1 else -1.0
        return won, -won


@dataclass(frozen=True)
class Pig(Toy):
    """Roll and add the gain to the turn total, a gain of 0 loses the turn and its total; hold banks it.

    State: (own score, other score, turn total, mover, rolling?). First to ``target`` wins 1, else 0.
    """

    target: int
    gains: tuple[int, ...] = (0, 2, 3, 4, 5, 6)
    return_bounds = (0.0, 1.0)

    def initial_state(self) -> tuple[int, int, int, int, bool]:
        return 0, 0, 0, 0, False

    def player_to_move(self, state: tuple[int, int, int, int, bool]) -> int:
        own, other, _, mover, rolling = state
        if max(own, other) >= self.target:
            return TERMINAL
        return CHANCE if rolling else mover

    def legal_actions(self, state: Any, seat: int) -> Sequence[str]:
        return ("roll", "hold") if state[2] else ("roll",)

    def chance_outcomes(self, state: Any) -> Sequence[tuple[int, float]]:
        return [(gain, 1 / len(self.gains)) for gain in self.gains]

    def successor(self, state: tuple[int, int, int, int, bool], action: Any) -> Any:
        own, other, turn, mover, rolling = state
        if rolling:
            if action == 0:
                return other, own, 0, 1 - mover, False
            return own, other, min(turn + action, self.target - own), mover, False
        if action == "roll":
            return own, other, turn, mover, True
        return other, own + turn, 0, 1 - mover, False

    def returns(self, state: tuple[int, int, int, int, bool]) -> tuple[float, float]:
        own, _, _, mover, _ = state
        winner = mover if own >= self.target else 1 - mover
        return (1.0, 0.0) if winner == 0 else (0.0, 1.0)


@dataclass(frozen=True)
class Kuhn(Toy):
    """Kuhn poker: three cards, one each, a bet of one. State: the two cards and what was said."""

    return_bounds = (-2.0, 2.0)
    max_length = 3

    def initial_state(self) -> tuple[Any, str]:
        return None, ""

    def player_to_move(self, state: tuple[Any, str]) -> int:
        cards, said = state
        if cards is None:
            return CHANCE
        return TERMINAL if said in {"pp", "bp", "bb", "pbp", "pbb"} else len(said) % 2

    def chance_outcomes(self, state: Any) -> Sequence[tuple[tuple[int, int], float]]:
        return [(deal, 1 / 6) for deal in permutations(range(3), 2)]

    def legal_actions(self, state: Any, seat: int) -> Sequence[str]:
        return "pb"

    def successor(self, state: tuple[Any, str], action: Any) -> tuple[Any, str]:
        return (action, "") if state[0] is None else (state[0], state[1] + action)

    def returns(self, state: tuple[Any, str]) -> tuple[float, float]:
        cards, said = state
        if said.endswith("bp"):
            value = 1.0 if len(said) == 2 else -1.0
        else:
            value = (2.0 if said.endswith("bb") else 1.0) * (1 if cards[0] > cards[1] else -1)
        return value, -value

    def information_state(self, state: tuple[Any, str], seat: int) -> tuple[int, str]:
        return state[0][seat], state[1]


@dataclass(frozen=True)
class GraphToy(Toy):
    """Any finite graph: ``nodes[name]`` is (mover, {action: name}) or (CHANCE, {name: probability});
    names not listed are terminal and worth ``ends[name]``."""

    nodes: dict[str, tuple[int, dict[Any, Any]]]
    ends: dict[str, tuple[float, ...]]
    start: str = "start"
    players: int = 2
    zero_sum: bool = True
    return_bounds: tuple[float, float] = (-1.0, 1.0)

    def initial_state(self) -> str:
        return self.start

    def player_to_move(self, state: str) -> int:
        return self.nodes[state][0] if state in self.nodes else TERMINAL

    def legal_actions(self, state: str, seat: int) -> Sequence[Any]:
        return list(self.nodes[state][1]) if self.nodes[state][0] == seat else []

    def chance_outcomes(self, state: str) -> Sequence[tuple[str, float]]:
        return list(self.nodes[state][1].items())

    def successor(self, state: str, action: Any) -> str:
        mover, edges = self.nodes[state]
        return str(action if mover == CHANCE else edges[action])

    def returns(self, state: str) -> tuple[float, ...]:
        return self.ends[state]


@dataclass(frozen=True)
class RepeatedChoice(Toy):
    """A matrix game whose cells hold a payoff or None; None plays it again, or with probability ``stop``
    ends it with payoff 0. State: "play", "again" or a payoff."""

    cells: tuple[tuple[float | None, ...], ...]
    stop: float = 0.0

    def initial_state(self) -> str:
        return "play"

    def player_to_move(self, state: Any) -> int:
        return {"play": SIMULTANEOUS, "again": CHANCE}.get(state, TERMINAL)

    def legal_actions(self, state: Any, seat: int) -> Sequence[int]:
        return range(len(self.cells if seat == 0 else self.cells[0]))

    def chance_outcomes(self, state: Any) -> Sequence[tuple[Any, float]]:
        return [("play", 1.0 - self.stop), (0.0, self.stop)]

    def successor(self, state: Any, action: Any) -> Any:
        if state == "again":
            return action
        payoff = self.cells[action[0]][action[1]]
        return "again" if payoff is None else payoff

    def returns(self, state: float) -> tuple[float, float]:
        return state, -state


def normal_form(game: Any) -> tuple[list[list[dict[Any, Any]]], np.ndarray]:
    """Both seats' pure strategies (information state -> action) and the matrix ``[m, n]`` of seat 0's
    expected returns, for a two-player game small enough to write every strategy down."""
    knows: list[dict[Any, Sequence[Any]]] = [{}, {}]
    _collect(game, game.initial_state(), knows)
    strategies = [
        [dict(zip(points, choice, strict=True)) for choice in product(*points.values())] for points in knows
    ]
    matrix = [[_expected(game, game.initial_state(), (s, t)) for t in strategies[1]] for s in strategies[0]]
    return strategies, np.array(matrix)


def _collect(game: Any, state: Any, knows: list[dict[Any, Sequence[Any]]]) -> None:
    mover = game.player_to_move(state)
    if mover == TERMINAL:
        return
    if mover == CHANCE:
        actions: Sequence[Any] = [outcome for outcome, _ in game.chance_outcomes(state)]
    else:
        actions = game.legal_actions(state, mover)
        knows[mover][game.information_state(state, mover)] = actions
    for action in actions:
        _collect(game, game.successor(state, action), knows)


def _expected(game: Any, state: Any, strategies: tuple[dict[Any, Any], dict[Any, Any]]) -> float:
    mover = game.player_to_move(state)
    if mover == TERMINAL:
        return float(game.returns(state)[0])
    if mover == CHANCE:
        outcomes = game.chance_outcomes(state)
        return sum(p * _expected(game, game.successor(state, o), strategies) for o, p in outcomes)
    action = strategies[mover][game.information_state(state, mover)]
    return _expected(game, game.successor(state, action), strategies)
