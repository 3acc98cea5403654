"""Proves the compiled play-outs equal to the rules: every column of every episode, and the state in which
each stream of random numbers ends.

    python bench/prove_kernels.py --games 2000 [--only cigale.hiver]

One line for each game, mode, number of players and policy; exits with 1 at the first difference. The options
of the rules, one at a time, and odd sizes are in the tests of each game.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields

import click
import numpy as np

from fable_solve.solver import registry
from fable_solve.solver.rollout import Setup, setup
from fable_solve.solver.rules import load_rules

STEP = 100
LIGHT = {"search": "search@200"}
"""Policies that are proved with less thought, since the rules think as slowly."""


def runs(seed: int) -> Iterator[tuple[str, Setup]]:
    """Every game, mode, number of players and policy; and all policies in turn round the table."""
    for name in registry.names():
        spec, rules = registry.get(name), load_rules(name)
        for mode in spec.modes or (None,):
            for players in spec.players:
                where = ".".join([name, *([mode] if mode else [])])
                policies = [LIGHT.get(policy, policy) for policy in spec.policies]
                for policy in policies:
                    yield f"{where}.{policy}.{players}", setup(spec, players, [policy], rules, mode, seed)
                seats = rules.make_game(players, mode).players
                if seats > 1:
                    mixed = [policies[seat % len(policies)] for seat in range(seats)]
                    yield f"{where}.mixed.{players}", setup(spec, players, mixed, rules, mode, seed)


def differences(run: Setup, numbers: range) -> list[str]:
    """What differs between the compiled episodes and those of the rules."""
    match = run.build()
    if match.compiled is None:
        return ["not compiled"]
    ours, theirs = match.block(numbers), match.by_rules(numbers)
    return [
        f"{field.name} of episodes {numbers}"
        for field in fields(ours)
        if not np.array_equal(getattr(ours, field.name), getattr(theirs, field.name))
    ]


@click.command()
@click.option("--games", default=2000, help="Episodes of each kind.")
@click.option("--seed", default=1)
@click.option("--only", default="")
@click.option("--jobs", default=2)
def main(games: int, seed: int, only: str, jobs: int) -> None:
    with ProcessPoolExecutor(jobs) as pool:
        for name, run in runs(seed):
            if only not in name:
                continue
            blocks = [range(first, min(first + STEP, games)) for first in range(0, games, STEP)]
            found = [text for texts in pool.map(differences, [run] * len(blocks), blocks) for text in texts]
            print(f"{name}: {found[0] if found else f'{games} games equal'}", flush=True)
            if found:
                sys.exit(1)


if __name__ == "__main__":
    main()
