"""Exact values with open discards: layer by layer, value iteration inside a layer, with a proved error.

Proof of the bound. As long as the Chenilles are not hopeless, some step of a caterpillar is possible and the
deck holds a card for it. While the table stands still, that card is laid once a cycle of hands, is turned
first with probability 1/s at least (s cards an offer), and is then compulsory. So whatever both sides do, a
cycle that starts from the full deck leaves the layer with probability 1/s or more, and the operator that
carries the full deck's values once round the cycle shrinks differences by the factor 1 - 1/s. Hence play ends
with probability 1, the values are the only fixed point, and if a sweep changes the full deck's values by
d, every value of the layer is within s * d of the fixed point (Denardo 1967). Errors of the layers it leads
to are passed on at most unchanged, because the operator is a mean, minimum or maximum of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.errors import NotConverged
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.chenille.cards import offers_left
from fable_solve.solver.games.chenille.kernel import solve_layer
from fable_solve.solver.games.chenille.layers import (
    WON,
    Flights,
    Hands,
    Layer,
    Layers,
    list_flights,
    list_hands,
    list_layers,
    table,
)
from fable_solve.solver.games.chenille.play import CHENILLES, Chenille, Phase, State
from fable_solve.solver.games.chenille.sizes import WORK, check_size, size_limit
from fable_solve.solver.result import Certificate
from fable_solve.solver.study import silent

LAYER_TOLERANCE = 1e-12
"""Largest change of the last sweep of a layer."""

OPERATIONS = 16
"""Rounded operations between an offer and the next, at most (means, redraw)."""


@dataclass(frozen=True)
class Solved:
    """Values of every state that can follow the first one, as the probability that the Chenilles win."""

    game: Chenille
    layers: Layers
    hands: Hands
    flights: Flights
    values: NDArray[np.float64]
    """[layer, hand, pair of wasps]; layer 0 is lost, layer 1 won."""
    error: float
    """Proved bound of the error of every value."""

    @property
    def states(self) -> int:
        """Positions between two offers that were valued."""
        return len(self.layers.index) * len(self.hands.index) * len(self.flights.index)

    @property
    def certificate(self) -> Certificate:
        return Certificate.exact(self.error, note="value iteration layer by layer, contraction bound")

    def value(self, state: State) -> float:
        """The value of a state of the solved game; between two offers from the table, else by its rules."""
        mover = self.game.player_to_move(state)
        if mover == TERMINAL:
            return self.game.win_shares(state)[CHENILLES]
        if state.phase == Phase.OFFER and state.wasps is not None:
            layer = self.layers.index[table(state)]
            return float(self.values[layer, self.hands.index[state.hand], self.flights.index[state.wasps]])
        if mover == CHANCE:
            outcomes = self.game.chance_outcomes(state)
            return sum(chance * self.value(self.game.successor(state, item)) for item, chance in outcomes)
        return self.actions(state)[0][1]

    def actions(self, state: State) -> list[tuple[Any, float]]:
        """The actions of the side to move with their values, best for that side first."""
        mover = self.game.player_to_move(state)
        actions = self.game.legal_actions(state, mover)
        pairs = [(action, self.value(self.game.successor(state, action))) for action in actions]
        return sorted(pairs, key=lambda pair: pair[1], reverse=mover == CHENILLES)


def unseen(state: State) -> State:
    """A state as the solved game has it: nothing the Chenilles must remember, no turns counted."""
    return replace(state, seen=(), turns=0)


def solve(
    game: Chenille, state: State, max_states: int, progress: Callable[[int, int | None], None] = silent
) -> Solved:
    """Values of ``state`` and all that can follow, with open discards and without a turn limit.

    ``state`` belongs to a game that goes on (see :func:`unseen`). Raises :class:`TooLarge` before any value
    is computed if more than ``max_states`` states (and the solver's work space) would be needed.
    """
    game = Chenille(game.rules.model_copy(update={"discards": "open"}))
    check_size(game, state, max_states)
    pairs = len(state.ring) * (len(state.ring) + 1) // 2
    limit = size_limit(max_states, pairs * (WORK + 1))
    hands = list_hands(game, state.hand if any(state.hand) else game.deck, limit)
    block = len(hands.index) * pairs
    layers = list_layers(game, state, size_limit(max_states, block, WORK * block))
    flights = list_flights(state.ring)
    values = np.zeros((len(layers.index) + 2, len(hands.index), pairs))
    values[WON] = 1.0
    error = _iterate(game, layers, hands, flights, values, progress)
    return Solved(game, layers, hands, flights, values, error)


def _iterate(
    game: Chenille,
    layers: Layers,
    hands: Hands,
    flights: Flights,
    values: NDArray[np.float64],
    progress: Callable[[int, int | None], None],
) -> float:
    """Fills ``values`` and returns the proved error of the least certain one."""
    size = game.rules.offer_size
    rounding = size * offers_left(game.deck, size) * OPERATIONS * float(np.finfo(float).eps)
    errors = np.zeros(len(values))
    block = values[0].size
    for done, number in enumerate(layers.order):
        layer = layers.layers[number]
        change = _solve_layer(game, number, layer, hands, flights, values)
        if change > LAYER_TOLERANCE:
            raise NotConverged(f"a layer still changes by {change:.1e}, asked for {LAYER_TOLERANCE:.0e}")
        after = {*layer.captures, *(step for steps in layer.steps for step in steps)} - {number}
        errors[number] = max((errors[i] for i in after), default=0.0) + size * change + rounding
        progress((done + 1) * block, len(layers.order) * block)
    return float(errors.max())


def _solve_layer(
    game: Chenille,
    number: int,
    layer: Layer,
    hands: Hands,
    flights: Flights,
    values: NDArray[np.float64],
) -> float:
    """Solves one layer in place and returns the last sweep's change."""
    flat: Sequence[int] = [step for steps in layer.steps for step in steps]
    return float(
        solve_layer(
            values,
            number,
            np.array(flat, dtype=np.int32),
            np.cumsum([0] + [len(steps) for steps in layer.steps]).astype(np.int32),
            np.array(layer.captures, dtype=np.int32),
            flights.first,
            flights.pair,
            flights.spot,
            hands.first,
            hands.left,
            hands.cards,
            game.rules.redraw == "optional",
            LAYER_TOLERANCE,
        )
    )
