"""Values of the actions of a position: exact where it is small enough, else by roll-outs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fable_solve.solver.errors import TooLarge
from fable_solve.solver.estimate import share
from fable_solve.solver.game import CHANCE
from fable_solve.solver.games.chenille.exact import solve, unseen
from fable_solve.solver.games.chenille.play import CHENILLES, Chenille, Phase, State
from fable_solve.solver.games.chenille.policies import POLICIES
from fable_solve.solver.games.chenille.ring import opposite_pairs
from fable_solve.solver.result import Certificate
from fable_solve.solver.rollout import roll_out
from fable_solve.solver.study import silent

PLAYOUTS = 2000
"""Roll-outs of one answer, shared equally by the actions; each action gets at least ``FEWEST``."""
FEWEST = 30

ROLL_OUTS = "both sides play greedy after the action"


@dataclass(frozen=True)
class Value:
    """An action and how likely the Chenilles win after it."""

    action: Any
    value: float
    certificate: Certificate


@dataclass(frozen=True)
class Valued:
    """The value of a state and its actions, best for the side to move first."""

    value: float
    certificate: Certificate
    actions: tuple[Value, ...] = ()
    states: int | None = None
    """States solved; ``None`` for roll-outs."""


def exact(
    game: Chenille, state: State, max_states: int, progress: Callable[[int, int | None], None] = silent
) -> Valued:
    """Proved values with open discards; raises :class:`TooLarge` above ``max_states``."""
    state = unseen(state)
    if state.phase == Phase.OVER:
        won = game.win_shares(state)[CHENILLES]
        certificate = Certificate.exact(0.0, "the game is over")
        pairs = opposite_pairs(len(state.ring)) if state.wasps is None else ()
        return Valued(won, certificate, tuple(Value(pair, won, certificate) for pair in pairs), states=1)
    solved = solve(game, state, max_states, progress)
    certificate = solved.certificate
    if solved.game.player_to_move(state) == CHANCE:
        return Valued(solved.value(state), certificate, states=solved.states)
    actions = tuple(Value(action, value, certificate) for action, value in solved.actions(state))
    return Valued(actions[0].value, certificate, actions, solved.states)


def advise(game: Chenille, state: State, max_states: int) -> Valued:
    """Proved values if ``max_states`` allow it, else means of roll-outs."""
    try:
        return exact(game, state, max_states)
    except TooLarge:
        if game.player_to_move(state) == CHANCE:
            raise
        return sampled(game, state)


def sampled(game: Chenille, state: State) -> Valued:
    """How often the Chenilles win when both sides play ``greedy`` after each action, discards open.

    Roll-out k of every action uses the same random numbers, so that differences between actions are less
    noisy than the intervals of each. The value is that of the action that looks best.
    """
    open_rules = game.rules.model_copy(update={"discards": "open"})
    game, state = Chenille(open_rules, game.rules.turn_limit), unseen(state)
    mover = game.player_to_move(state)
    actions = game.legal_actions(state, mover)
    n = max(PLAYOUTS // len(actions), FEWEST)
    values = []
    for action in actions:
        after = game.successor(state, action)
        won = share([roll_out(game, after, POLICIES["greedy"], k, "chenille")[CHENILLES] for k in range(n)])
        certificate = Certificate.sampled(won.low, won.high, n, ROLL_OUTS)
        values.append(Value(action, won.mean, certificate))
    values.sort(key=lambda item: item.value, reverse=mover == CHENILLES)
    return Valued(values[0].value, values[0].certificate, tuple(values))
