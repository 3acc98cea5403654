"""How well `optimised` plays one sheet of 61 Feuilles d'automne, and how well anybody can.

    python bench/certify_feuilles.py [--games 200000] [--paths 400] [--sheets 1000] [--seed 1]

For both readings of the leaf bonuses: the value that the learned tables give the empty sheet beside the mean
score on fresh dice (a lower bound on the best), the upper bounds of
:mod:`fable_solve.solver.games.feuilles.bounds` and the gap; then what single choices lose with 1 to 3 rounds
left, against exact values, on sheets from the policy's own games.
"""

from __future__ import annotations

import click
import numpy as np

from fable_solve.solver.estimate import Mean, mean
from fable_solve.solver.games.feuilles.bounds import Bound
from fable_solve.solver.games.feuilles.policies import optimised
from fable_solve.solver.games.feuilles.values import sheet_value
from fable_solve.solver.games.feuilles.worth import predicted
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import Match, setup
from fable_solve.solver.rules import Layer, RuleData, load_rules

ROUNDS_LEFT = (3, 2, 2, 1, 1)
"""Rounds left of the sheets in turn; exact values three rounds before the end take longest."""


def losses(match: Match, sheets: int) -> list[float]:
    """Points that the policy's choice of a roll loses, on one sheet of each game."""
    game, found = match.game, []
    for number in range(sheets):
        left = ROUNDS_LEFT[number % len(ROUNDS_LEFT)]
        chance, seats = match.streams(number)
        state = game.initial_state()
        while not game.is_over(state):
            state = game.successor(state, chance.outcome(game, state))
            choice = optimised(game, state, 0, seats[0])
            if game.rules.rounds - state.round == left:
                (roll,) = sheet_value(game, state).rolls
                worth = dict(roll.choices)
                found.append(roll.choices[0][1] - worth[choice])
                break
            state = game.successor(state, choice)
    return found


def shown(found: Mean) -> str:
    return f"{found.mean:.3f} ({found.certificate.low:.3f} to {found.certificate.high:.3f}, n = {found.n:,})"


@click.command()
@click.option("--games", default=200_000)
@click.option("--paths", default=400)
@click.option("--sheets", default=1000)
@click.option("--seed", default=1)
def main(games: int, paths: int, sheets: int, seed: int) -> None:
    for reading in ("exact", "reach"):
        rules = load_rules("feuilles", [Layer("certify", {"leaf_bonus": reading})])
        certify(reading, rules, games, paths, sheets, seed)


def certify(reading: str, rules: RuleData, games: int, paths: int, sheets: int, seed: int) -> None:
    match = setup(get("feuilles"), 1, ("optimised",), rules, seed=seed).build()
    low = mean(match.block(range(games)).scores[:, 0])
    print(f"{reading}: predicted {predicted(match.game):.3f}, mean score {shown(low)}", flush=True)
    if paths:
        bound = Bound(rules.model)
        high = bound.paths(paths, seed)
        gap = high.mean - low.mean
        print(f"{reading}: upper bound {bound.priced[0]:.3f} (proved), {shown(high)} by paths of dice; "
              f"gap {gap:.2f} points, {100 * gap / low.mean:.1f} % of the score", flush=True)  # fmt: skip
    if sheets:
        found = np.array(losses(match, sheets))
        print(f"{reading}: a choice near the end loses {shown(mean(found))} points, "
              f"{100 * (found < 1e-9).mean():.1f} % lose nothing", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
