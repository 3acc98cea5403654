"""``simulate``: many games played by named policies, summarised by seat."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click

from fable_solve.cli.common import RuleOptions, format_option, rules_options, seed_option

DEFAULT_GAMES, MAX_GAMES = 1000, 10**9


def _finite(_ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not isfinite(value):
        raise click.BadParameter(f"expected a finite number, got {value}", param=param)
    return value


@click.command(
    "simulate", epilog="Example: fable-solve simulate feuilles --policies greedy --players 2 --games 200"
)
@click.argument("game")
@click.option(
    "--policies", default="random", show_default=True, metavar="P[,P...]", help="One for all, or one a seat."
)
@click.option("--players", type=click.IntRange(1), help="Number of players. [default: the game's]")
@click.option(
    "--games",
    type=click.IntRange(1, MAX_GAMES),
    help=f"Games played; with --precision the most. [default: {DEFAULT_GAMES}]",
)
@click.option(
    "--precision",
    type=click.FloatRange(0, min_open=True),
    callback=_finite,
    metavar="X",
    help="Stop once the widest 95 % half-width (mean score, win share) is below X.",
)
@click.option("--jobs", type=click.IntRange(1, 1024), help="Worker processes. [default: as needed]")
@click.option(
    "--engine",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Where the games are played; only local exists yet.",
)
@click.option("--scheduler", metavar="ADDRESS", hidden=True)
@click.option("--out", default="-", metavar="DIR", help="Folder for episodes and summary. [default: none]")
@click.option("--resume", is_flag=True, hidden=True)
@seed_option
@rules_options
@format_option
def simulate_command(out: str, output: str, precision: float | None, **given: Any) -> None:
    """Play GAME many times and summarise each seat: mean score, spread, quantiles, win share."""
    from fable_solve.reports.output import claim_folder, write_simulation
    from fable_solve.reports.terminal import print_answer
    from fable_solve.solver.errors import Interrupted, NotConverged
    from fable_solve.solver.summary import summary

    _refuse_engines(given.pop("engine"), given.pop("scheduler"), given.pop("resume"))
    if out != "-":
        claim_folder(out)
    simulation = _simulate(precision, **given)
    answer = summary(simulation)
    if out != "-":
        write_simulation(answer, simulation.episodes, out)
    print_answer(answer, output)
    if simulation.interrupted:
        kept = "printed" if out == "-" else f"kept in {out}"
        raise Interrupted(f"interrupted after {simulation.games:,} games, which were {kept}")
    if precision is not None and simulation.half_width >= precision:
        reached = f"{simulation.half_width:.3g} after {simulation.games} games"
        raise NotConverged(f"expected a half-width below {precision:g}, got {reached}")


def _refuse_engines(engine: str, scheduler: str | None, resume: bool) -> None:
    from fable_solve.solver.errors import Refused

    asked = {"--engine dask": engine == "dask", "--scheduler": scheduler is not None, "--resume": resume}
    for option, given in asked.items():
        if given:
            raise Refused(
                f"expected a run on this machine from its start (nothing else exists yet), got {option}"
            )


def _simulate(
    precision: float | None,
    game: str,
    policies: str,
    players: int | None,
    games: int | None,
    jobs: int | None,
    seed: int,
    **rules: Any,
) -> Any:
    from fable_solve.cli.progress import counter
    from fable_solve.solver import registry
    from fable_solve.solver.rollout import setup, simulate
    from fable_solve.solver.rules import load_rules

    spec, options = registry.get(game), RuleOptions(**rules)
    mode = spec.check_mode(options.mode)
    data, names = load_rules(game, options.layers()), [name.strip() for name in policies.split(",")]
    run = setup(spec, players or spec.default_players, names, data, mode, seed)
    limit = games or (MAX_GAMES if precision else DEFAULT_GAMES)
    with counter("games") as progress:
        return simulate(run, limit, precision=precision, jobs=jobs, progress=progress)
