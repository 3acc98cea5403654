"""Policies: how a seat chooses among its legal actions.

A policy is a function ``(game, state, seat, stream) -> action``. All its randomness comes from ``stream``,
which belongs to that seat alone, so that a change of one seat's policy leaves the others' draws in place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fable_solve.solver.game import Game
from fable_solve.solver.rng import Stream

Policy = Callable[[Game, Any, int, Stream], Any]


def uniform(game: Game, state: Any, seat: int, stream: Stream) -> Any:
    """Each legal action with the same probability."""
    return stream.choice(game.legal_actions(state, seat))


def cost(policy: Policy) -> int:
    """How many times as long its games take as those of a simple policy, roughly: its attribute ``cost``."""
    times: int = getattr(policy, "cost", 1)
    return times
