"""How well `optimised` plays one sheet of 61 Feuilles d'automne, and how well anybody can.

    python bench/certify_feuilles.py [--games 200000] [--weights 2000] [--sheets 1000] [--seed 1]

For both readings of the leaf bonuses: the value that the learned tables give the empty sheet beside the mean
score on fresh dice (a lower bound on the best), the upper bounds of
:mod:`fable_solve.solver.games.feuilles.bounds` and the gap; then what single choices lose with at most
three rounds to come, against exact values, on sheets of the policy's own games.
"""

from __future__ import annotations

import click
import numpy as np

from fable_solve.solver.estimate import Mean, mean
from fable_solve.solver.games.feuilles.bounds import Bound, above, last_loss, sheets_of
from fable_solve.solver.games.feuilles.policies import optimised
from fable_solve.solver.games.feuilles.worth import predicted
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import Match, setup
from fable_solve.solver.rules import Layer, RuleData, load_rules

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
@click.option("--games", default=200_000)
@click.option("--weights", default=2000)
@click.option("--sheets", default=1000)
@click.option("--seed", default=1)
def main(games: int, weights: int, sheets: int, seed: int) -> None:
    for reading in ("exact", "reach"):
        rules = load_rules("feuilles", [Layer("certify", {"leaf_bonus": reading})])
        certify(reading, rules, games, weights, sheets, seed)


def certify(reading: str, rules: RuleData, games: int, weights: int, sheets: int, seed: int) -> None:
    match = setup(get("feuilles"), 1, ("optimised",), rules, seed=seed).build()
    low = mean(match.block(range(games)).scores[:, 0])
    print(f"{reading}: predicted {predicted(match.game):.3f}, mean score {shown(low)}", flush=True)
    if weights:
        print(f"{reading}: at most {Bound(rules.model).priced[0]:.3f} (proved, by prices)", flush=True)
        high = above(rules.model, weights, seed)
        gap = high.bound - low.mean
        ends = f"{high.ends[0]:.3f} to {high.ends[1]:.3f}"
        print(f"{reading}: at most {high.bound:.3f} ({ends}, n = {high.n:,}, largest weight "
              f"{100 * high.largest:.1f} % of all; one round ahead {high.start:.3f}); "
              f"gap {gap:.2f} points, {100 * gap / low.mean:.1f} % of the score", flush=True)  # fmt: skip
    if sheets:
        found = np.array(losses(match, sheets))
        print(f"{reading}: a choice near the end loses {shown(mean(found))} points, "
              f"{100 * (found < 1e-9).mean():.1f} % lose nothing", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
