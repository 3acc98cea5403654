"""``tune``: sweeps rule data for the setting whose balance is nearest to what one wants."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fable_solve.cli.common import RuleOptions, finite, rules_options, warn_unplayed
from fable_solve.cli.studied import MAX_GAMES, expect_games, parameters, publish, studied

if TYPE_CHECKING:
    from fable_solve.solver.rollout import Setup
    from fable_solve.solver.tune import Param

FARTHEST = 1e9
"""Largest target: no score and no length comes near it, and squares of distances stay exact enough."""


@click.command(
    "tune",
    epilog="Example: fable-solve tune chenille --param captures_to_win=4,6,8 --target 0.5 --out -",
)
@click.argument("game")
@click.option(
    "--param",
    "params",
    multiple=True,
    required=True,
    metavar="KEY=V1,V2,...",
    help="Values of one key of the rule data (repeatable: all combinations).",
)
@click.option(
    "--target",
    type=click.FloatRange(-FARTHEST, FARTHEST),
    required=True,
    callback=finite,
    metavar="X",
    help="What the measure should be: a share from 0 to 1, or points or decisions.",
)
@click.option(
    "--metric",
    default="first_seat",
    show_default=True,
    help="first_seat, win.SEAT, ties, mean, gap, spread or length.",
)
@click.option(
    "--policies", default="greedy", show_default=True, metavar="P[,P...]", help="One for all, or one a seat."
)
@click.option("--players", type=click.IntRange(1), help="Number of players. [default: the game's, or 2]")
@click.option(
    "--games",
    "count",
    type=click.IntRange(1024, MAX_GAMES),
    default=65_536,
    show_default=True,
    help="Games of each setting at most.",
)
@rules_options
@studied("tune")
@click.pass_context
def tune_command(
    ctx: click.Context,
    /,
    game: str,
    params: tuple[str, ...],
    target: float,
    metric: str,
    policies: str,
    players: int | None,
    count: int,
    seed: int,
    jobs: int | None,
    out: str | None,
    output: str,
    **rules: Any,
) -> None:
    """Sweep rule data of GAME for the setting whose METRIC is nearest to the target."""
    from fable_solve.solver import registry
    from fable_solve.solver.measures import measure
    from fable_solve.solver.rollout import setup
    from fable_solve.solver.tune import FIRST, Goal, parse_param, tune
    from fable_solve.solver.tune_report import tune_result

    spec, options = registry.get(game, where="GAME"), RuleOptions(**rules)
    swept = [parse_param(text) for text in params]
    fixed = {text.partition("=")[0].strip() for text in options.settings} | (
        {"chain_rule"} if options.chain_rule else set()
    )
    for param in swept:
        if param.key in fixed:
            raise click.UsageError(f"--param: expected no key that is set already, got {param.key}")
    names = [name.strip() for name in policies.split(",")]
    base = options.data(spec.name)
    first = setup(spec, players or max(2, spec.default_players), names, base, options.mode, seed)
    runs = _runs(first, swept, options)
    expect_games([first], FIRST)
    warn_unplayed(*(run.build().game for _, run in runs))
    wanted = measure(metric, first.build().game.players, first.by_points)

    def make(progress: Any, command: str) -> Any:
        found = tune(swept, runs, Goal(wanted, target, len(runs)), count, jobs, progress)
        return tune_result(found, base, command, parameters(ctx))

    publish(ctx, out, output, make)


def _runs(first: Setup, swept: list[Param], options: RuleOptions) -> list[tuple[dict[str, str], Setup]]:
    """The run of each setting, built once so that values that do not fit are refused at once."""
    from fable_solve.solver.tune import grid

    runs = []
    for values in grid(swept):
        tried = [f"{key}={value}" for key, value in values.items()]
        runs.append((values, replace(first, rules=options.data(first.game, tried, "--param"))))
        runs[-1][1].build()
    return runs
