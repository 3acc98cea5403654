"""The course of a game, watched as it is played by the rules: choices, options, who leads, how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from fable_solve.solver.game import TERMINAL, Game
from fable_solve.solver.policy import Policy
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import Match, finish


@dataclass(frozen=True)
class Course:
    """One game: ``options`` has the number of legal actions of each choice of a seat.

    ``leads`` counts how often another seat took the lead alone, ties left out; ``ending`` is what the game
    calls its end (by a method ``ending``, where it has one), else ``end`` or ``stopped``.
    """

    options: tuple[int, ...]
    leads: int
    ending: str


def course(match: Match, number: int) -> Course:
    """Episode ``number`` of a match, played by the rules."""
    options, leaders = list[int](), list[int]()

    def watched(policy: Policy) -> Policy:
        def watching(game: Game, state: Any, seat: int, stream: Stream) -> Any:
            options.append(len(game.legal_actions(state, seat)))
            leaders.extend(_sole_leader(game.scores(state)))
            return policy(game, state, seat, stream)

        return watching

    chance, seats = match.streams(number)
    game = match.game
    final, _ = finish(game, game.initial_state(), [watched(p) for p in match.policies], chance, seats)
    leaders += _sole_leader(game.scores(final))
    return Course(tuple(options), changes(leaders), ending(game, final))


def _sole_leader(scores: Sequence[float]) -> list[int]:
    best = [seat for seat, score in enumerate(scores) if score == max(scores)]
    return best if len(best) == 1 else []


def changes(values: Sequence[int]) -> int:
    """How often a value differs from the one before.

    >>> changes([0, 0, 1, 1, 0])
    2
    """
    return sum(a != b for a, b in pairwise(values))


def ending(game: Game, state: Any) -> str:
    """How a game ended in ``state``, as the game calls it."""
    if game.player_to_move(state) != TERMINAL:
        return "stopped"
    named = getattr(game, "ending", None)
    if named is not None:
        return str(named(state))
    stopped = getattr(game, "stopped", None)
    return "stopped" if stopped and stopped(state) else "end"
