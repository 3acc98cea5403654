"""Weights by which a recorded game of Butterfly of 3-5 players is judged: least squares over whole games.

At every state of games of ``search@500`` against itself, what a seat still makes until the end is explained
by its prospects (:func:`fable_solve.solver.games.butterfly.coach.prospects`)::

    python bench/weigh_butterfly.py        (a minute; prints the weights of that module)
"""

from __future__ import annotations

import numpy as np

from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.butterfly.coach import prospects
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import Match, decide, setup
from fable_solve.solver.rules import load_rules

GAMES = 600


def states(match: Match, number: int) -> tuple[list[list[float]], list[float]]:
    """Prospects of every seat at every decision of a game, and what it made from then on."""
    chance, seats = match.streams(number)
    game, state, seen = match.game, match.game.initial_state(), []
    while (mover := game.player_to_move(state)) != TERMINAL:
        if mover == CHANCE:
            action = chance.outcome(game, state)
        else:
            action = decide(game, state, mover, match.policies, seats)
            seen.append(state)
        state = game.successor(state, action)
    final = game.scores(state)
    rows = [(prospects(game, one), game.scores(one)) for one in seen[1:]]
    found = [row for prospect, _ in rows for row in prospect]
    return found, [end - now for _, scores in rows for end, now in zip(final, scores, strict=True)]


def main() -> None:
    for players in (3, 4, 5):
        match = setup(get("butterfly"), players, ["search@500"], load_rules("butterfly"), seed=1).build()
        played = [states(match, number) for number in range(GAMES)]
        x, y = (np.concatenate([np.array(game[part]) for game in played]) for part in (0, 1))
        weights, *_ = np.linalg.lstsq(x, y, rcond=None)
        left = (y - x @ weights).std()
        text = ", ".join(f"{weight:.2f}" for weight in weights)
        print(f"{players}: ({text}), standard error {left:.1f} of {y.std():.1f} points")


if __name__ == "__main__":
    main()
