"""``tournament``: every policy against every other."""

from __future__ import annotations

from typing import Any

import click

from fable_solve.cli.common import RuleOptions, rules_options, warn_unplayed
from fable_solve.cli.studied import MAX_GAMES, expect_games, names_of, parameters, publish, studied


@click.command(
    "tournament",
    epilog="Example: fable-solve tournament cigale --policies random,greedy,stage --games 2000 --out -",
)
@click.argument("game")
@click.option("--policies", metavar="P,P[,...]", help="Who plays. [default: all that do not think long]")
@click.option("--players", type=click.IntRange(1), help="Number of players. [default: the game's, or 2]")
@click.option(
    "--games",
    "count",
    type=click.IntRange(1024, MAX_GAMES),
    default=10_000,
    show_default=True,
    help="Games of each seating.",
)
@rules_options
@studied("tournament")
@click.pass_context
def tournament_command(
    ctx: click.Context,
    /,
    game: str,
    policies: str | None,
    players: int | None,
    count: int,
    seed: int,
    jobs: int | None,
    out: str | None,
    output: str,
    **rules: Any,
) -> None:
    """Every policy against every other in GAME: payoffs, ratings, equilibrium, circles."""
    from fable_solve.solver import registry
    from fable_solve.solver.policy import cost
    from fable_solve.solver.rollout import setup
    from fable_solve.solver.tournament import tournament
    from fable_solve.solver.tournament_report import tournament_result

    spec, options = registry.get(game, where="GAME"), RuleOptions(**rules)
    names = names_of(policies) if policies else [n for n, p in spec.named_policies.items() if cost(p) == 1]
    data, number = options.data(spec.name), players or max(2, spec.default_players)
    runs = [setup(spec, number, (name,), data, options.mode, seed, least=2) for name in names]
    expect_games(runs, 1024)
    run = runs[0]
    warn_unplayed(run.build().game)

    def make(progress: Any, command: str) -> Any:
        return tournament_result(tournament(run, names, count, jobs, progress), command, parameters(ctx))

    publish(ctx, out, output, make)
