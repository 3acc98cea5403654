"""How strong the policies of Butterfly are: win shares over many games, with 95 % intervals.

    python bench/butterfly_ladder.py fields --games 2000     each policy against those before it
    python bench/butterfly_ladder.py ladder --games 2000     search, each number of nodes against half of it
    python bench/butterfly_ladder.py methods --games 2000    max^n against paranoid search
    python bench/butterfly_ladder.py weights --games 2000    weights of the estimate, against lookahead

One seat plays the first policy and all others the second. Every deal is played once for each seat that it
may be, so the deal and the seat favour nobody; the interval is that of the mean over independent deals.
Everything follows from ``--seed``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations

import click
import numpy as np

from fable_solve.solver.estimate import Mean, mean
from fable_solve.solver.games.butterfly.playouts import compiled
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import stream_keys
from fable_solve.solver.rules import load_rules

BELOW = (("greedy", "random"), ("lookahead", "greedy"), ("search", "lookahead"))
RUNGS = (125, 250, 500, 1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000)
SHARES = ((0, 0), (4, 0), (4, 24), (8, 0), (8, 24), (8, 48), (12, 0), (12, 24), (16, 0), (16, 48))
HALVES = ((64, 4), (64, 8), (64, 16), (192, 8))
WEIGHTS = {
    "paranoid": [(*shares, 0, 0) for shares in SHARES],
    "maxn": [(*shares, 64, 8) for shares in SHARES[3:]] + [(8, 24, *halves) for halves in HALVES],
}


def against(
    one: str, others: str, players: int, games: int, seed: int, weights: Sequence[int] | None = None
) -> tuple[Mean, Mean]:
    """Win share of ``one`` against a field of ``others``, and points ahead of their mean, by deals."""
    game = get("butterfly").rules.make_game(load_rules("butterfly").model, players)
    keys = np.array(stream_keys(game, seed, "ladder", players), np.uint64)
    wins, leads = [], []
    for seat in range(players):
        names = tuple(one if other == seat else others for other in range(players))
        block = compiled(game, names, weights)(0, max(games // players, 2), keys)  # type: ignore[misc]
        won = block.winners[:, seat]
        wins.append(np.where(won, 1 / np.maximum(won, 1), 0))
        leads.append(block.scores[:, seat] - np.delete(block.scores, seat, axis=1).mean(axis=1))
    return mean(np.mean(wins, axis=0)), mean(np.mean(leads, axis=0))


def told(what: str, players: int, found: tuple[Mean, Mean]) -> None:
    """One line a comparison."""
    share, lead = found
    click.echo(
        f"{players} players, {what}: wins {share.mean:.1%} ± {share.half_width:.1%} "
        f"(even {1 / players:.1%}), {lead.mean:+.2f} ± {lead.half_width:.2f} points ahead; "
        f"{share.n * players} games"
    )


@click.group()
def main() -> None:
    """Win shares of policies against each other."""


games_option = click.option("--games", default=2000, show_default=True, help="Games of each comparison.")
seed_option = click.option("--seed", default=1, show_default=True)


def players_option(default: Sequence[int]) -> object:
    kind = click.IntRange(2, 5)
    return click.option("--players", multiple=True, type=kind, default=default, show_default=True)


@main.command()
@games_option
@seed_option
@players_option((2, 3, 4, 5))  # type: ignore[arg-type]
@click.option("--nodes", type=click.IntRange(1), help="Nodes of a move. [default: those of search]")
def fields(games: int, seed: int, players: Sequence[int], nodes: int | None) -> None:
    """Each policy against a field of weaker ones."""
    for count in players:
        for policy, others in BELOW:
            one = f"search@{nodes}" if policy == "search" and nodes else policy
            told(f"{one} against {others}", count, against(one, others, count, games, seed))


@main.command()
@games_option
@seed_option
@players_option((2,))  # type: ignore[arg-type]
@click.option("--least", default=RUNGS[1], show_default=True, help="Nodes of the first rung.")
@click.option("--most", default=32000, show_default=True, help="Nodes of the last rung.")
def ladder(games: int, seed: int, players: Sequence[int], least: int, most: int) -> None:
    """Search against search with half the nodes."""
    for count in players:
        for fewer, nodes in pairwise(RUNGS):
            if least <= nodes <= most:
                one, others = f"search@{nodes}", f"search@{fewer}"
                told(f"{one} against {others}", count, against(one, others, count, games, seed))


@main.command()
@games_option
@seed_option
@players_option((3, 4, 5))  # type: ignore[arg-type]
@click.option("--nodes", default=2000, show_default=True)
def methods(games: int, seed: int, players: Sequence[int], nodes: int) -> None:
    """Max^n against a field of paranoid searches of as many nodes, and the other way round."""
    for count in players:
        for one, others in permutations((f"maxn@{nodes}", f"paranoid@{nodes}")):
            told(f"{one} against {others}", count, against(one, others, count, games, seed))


@main.command()
@games_option
@seed_option
@players_option((2, 3, 4, 5))  # type: ignore[arg-type]
@click.option("--nodes", default=1000, show_default=True)
@click.option("--method", type=click.Choice(list(WEIGHTS)), default="paranoid", show_default=True)
def weights(games: int, seed: int, players: Sequence[int], nodes: int, method: str) -> None:
    """Search with each set of weights (64ths) against lookahead."""
    for count in players:
        for chosen in WEIGHTS[method]:
            found = against(f"{method}@{nodes}", "lookahead", count, games, seed, chosen)
            told(f"{method} with weights {chosen}", count, found)


if __name__ == "__main__":
    main()
