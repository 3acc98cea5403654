"""How well `optimised` plays one sheet of 61 Feuilles d'automne, and how well anybody can.

    python bench/certify_feuilles.py [--games 100000] [--sheets 1000] [--seed 1]

For both readings of the leaf bonuses what ``fable-solve feuilles`` prints: the value that the learned tables
give the empty sheet, the mean score on fresh dice (a lower bound on the best), the upper bound of
:mod:`fable_solve.solver.games.feuilles.bounds` and the gap; then what single choices lose with at most three
rounds to come, against exact values, on sheets of the policy's own games.
"""

from __future__ import annotations

import click
import numpy as np

from fable_solve.solver.estimate import Mean, mean
from fable_solve.solver.games.feuilles.bounds import last_loss, sheets_of
from fable_solve.solver.games.feuilles.certificate import bracket
from fable_solve.solver.games.feuilles.findings import READINGS
from fable_solve.solver.games.feuilles.policies import optimised
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import Match, setup
from fable_solve.solver.rules import Layer, load_rules

LEFT = 3
"""Rounds to come from which on choices are judged."""


def losses(match: Match, games: int) -> list[float]:
    """Points that the policy's choices lose in the last rounds of its games, on ``games`` sheets each."""
    game, found = match.game, []
    sheets = sheets_of(game.rules)
    for number in range(games):
        chance, seats = match.streams(number)
        state = game.initial_state()
        while not game.is_over(state):
            state = game.successor(state, chance.outcome(game, state))
            choice = optimised(game, state, 0, seats[0])
            if game.rules.rounds - state.round <= LEFT:
                found.append(last_loss(sheets, game, state, choice))
            state = game.successor(state, choice)
    return found


def shown(found: Mean) -> str:
    return f"{found.mean:.3f} ({found.certificate.low:.3f} to {found.certificate.high:.3f}, n = {found.n:,})"


@click.command()
@click.option("--games", default=100_000)
@click.option("--sheets", default=1000)
@click.option("--seed", default=1)
def main(games: int, sheets: int, seed: int) -> None:
    for reading in READINGS:
        rules = load_rules("feuilles", [Layer("certify", {"leaf_bonus": reading})])
        found = bracket(reading, rules, games, seed)
        gap = found.proved - found.score.mean
        print(f"{reading}: predicted {found.predicted:.3f}, mean score {shown(found.score)}, at most "
              f"{found.proved:.3f} (proved, by prices); gap {gap:.2f} points, {gap / found.score.mean:.1%}",
              flush=True)  # fmt: skip
        match = setup(get("feuilles"), 1, ("optimised",), rules, seed=seed).build()
        lost = np.array(losses(match, sheets))
        print(f"{reading}: a choice near the end loses {shown(mean(lost))} points, "
              f"{(lost < 1e-9).mean():.1%} lose nothing", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
