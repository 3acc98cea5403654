"""``simulate``: many games played by named policies, summarised by seat."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fable_solve.cli.common import (
    RuleOptions,
    finite,
    folder_name,
    format_option,
    is_given,
    rules_options,
    seed_option,
    show,
    warn_unplayed,
)

if TYPE_CHECKING:
    from fable_solve.cli.runs import BlockFolder
    from fable_solve.solver.rollout import Setup
    from fable_solve.solver.simulation import Look, Plan, Simulation

DEFAULT_GAMES, MAX_GAMES = 1000, 10**12


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
    help=f"Games to play; with --precision, how many at most. "
    f"[default: {DEFAULT_GAMES:,}; with --precision {MAX_GAMES:,}]",
)
@click.option(
    "--precision",
    type=click.FloatRange(0, min_open=True),
    callback=finite,
    metavar="X",
    help="Stop once the widest 95 % half-width (mean score, win share) is below X.",
)
@click.option("--jobs", type=click.IntRange(1, 1024), help="Workers. [default: one a core for longer runs]")
@click.option(
    "--engine",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Where the games are played: by this machine, or by Dask workers.",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Dask scheduler to use. [default: one is started on this machine]",
)
@click.option(
    "--out",
    default="-",
    callback=folder_name,
    metavar="DIR",
    help="Folder for blocks and summary. [default: none]",
)
@click.option("--resume", is_flag=True, help="Continue the run in DIR, from the blocks it has.")
@click.option(
    "--block",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="Games a block. [default: 16,384 where play is compiled, else 256]",
)
@click.option(
    "--keep",
    type=click.Choice(["episodes", "counts"]),
    default="episodes",
    show_default=True,
    help="What a block's file holds: every game, or how often each score, win and length occurred.",
)
@click.option(
    "--shared", is_flag=True, help="Workers write their blocks themselves: every host sees DIR as its own."
)
@click.option(
    "--record",
    metavar="FILE.jsonl",
    help="Write the first game (of butterfly or feuilles) to a file that advise reads, replaced if there.",
)
@seed_option
@rules_options
@format_option
def simulate_command(output: str, precision: float | None, **given: Any) -> None:
    """Play GAME many times and summarise each seat: mean score, spread, quantiles, win share."""
    from fable_solve.cli.runs import write_simulation
    from fable_solve.solver.errors import Interrupted, NotConverged
    from fable_solve.solver.summary import summary

    with _starting(given["out"]):
        simulation, store = _simulate(precision, **given)
    with _keeping(store):
        answer = summary(simulation)
        if store and not simulation.interrupted:
            write_simulation(answer, store)
    show(answer, output)
    if simulation.interrupted:
        told = f"; {store.kept()}" if store else ", which were printed"
        raise Interrupted(f"interrupted after {_games(simulation.games)}{told}")
    if precision is not None and simulation.half_width >= precision:
        reached = f"{simulation.half_width:.3g} after {_games(simulation.games)}"
        raise NotConverged(f"expected a half-width below {precision:g}, got {reached}")


def _games(count: int) -> str:
    return f"{count:,} game{'s' if count != 1 else ''}"


def _simulate(
    precision: float | None,
    game: str,
    policies: str,
    players: int | None,
    games: int | None,
    seed: int,
    out: str,
    resume: bool,
    record: str | None,
    **others: Any,
) -> tuple[Simulation, BlockFolder | None]:
    """The run asked for, and the folder of its blocks if it has one."""
    from fable_solve.cli.progress import counter
    from fable_solve.solver import registry
    from fable_solve.solver.rollout import setup
    from fable_solve.solver.simulation import simulate

    plan = {key: others.pop(key) for key in ("jobs", "engine", "scheduler", "block", "keep", "shared")}
    spec, options = registry.get(game), RuleOptions(**others)
    mode, names = spec.check_mode(options.mode), [name.strip() for name in policies.split(",")]
    data = options.data(game)
    run = setup(spec, players or spec.default_players, names, data, mode, seed)
    if len(set(names)) == 1:  # one for all and the same for each are one run
        run = replace(run, policies=(names[0],))
    if record is not None:
        _record(run, record)
    warn_unplayed(run.build().game)
    limit = games or (MAX_GAMES if precision else DEFAULT_GAMES)
    planned, store = _plan(run, out, resume, limit, **plan)
    with counter("games") as progress, _keeping(store):

        def told(look: Look) -> None:
            progress(look.games, look.total, lambda: _width(look))

        return simulate(run, limit, precision=precision, plan=planned, keep=False, progress=told), store


def _record(run: Setup, path: str) -> None:
    """Write the first game of a run; raises :class:`BadInput` for a game that is not recorded."""
    from fable_solve.reports.output import write_file
    from fable_solve.solver.records import SUFFIX, recorded

    if Path(path).suffix != SUFFIX:
        raise click.UsageError(f"--record: expected a file ending in {SUFFIX}, got {path}")
    write_file(Path(path), "".join(f"{line}\n" for line in recorded(run)).encode())


def _width(look: Look) -> str:
    return f"± {look.half_width:.2g}" if isfinite(look.half_width) else ""


@contextmanager
def _starting(out: str) -> Iterator[None]:
    """Says of an interrupt before the run has begun how to go on with what a folder held."""
    from fable_solve.solver.errors import Interrupted

    try:
        yield
    except KeyboardInterrupt:
        held = "" if out == "-" else f"; what {out} held is there, --resume goes on from it"
        raise Interrupted(f"interrupted before the first game{held}") from None


@contextmanager
def _keeping(store: BlockFolder | None) -> Iterator[None]:
    """Adds to what is said of an interrupt, or of a failure, what was kept."""
    from fable_solve.solver.errors import Interrupted, Refused

    try:
        yield
    except KeyboardInterrupt:
        if store is None:
            raise
        raise Interrupted(f"interrupted; {store.kept()}") from None
    except Refused as error:
        if store is None or not store.paths():
            raise
        raise Refused(f"{error}; {store.kept()}") from error


def _plan(
    run: Setup,
    out: str,
    resume: bool,
    games: int,
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    block: int | None,
    keep: str,
    shared: bool,
) -> tuple[Plan, BlockFolder | None]:
    """How the run is carried out, its folder made ready."""
    from fable_solve.cli.runs import BlockFolder, open_run
    from fable_solve.reports.documents import PROGRAM
    from fable_solve.solver.cluster import check
    from fable_solve.solver.simulation import Plan, block_size

    if out == "-":
        needing = {"--resume": resume, "--shared": shared, f"--keep {keep}": is_given("--keep")}
        for option, asked in needing.items():
            if asked:
                raise click.UsageError(f"{option}: expected --out DIR beside it, got none")
    if scheduler is not None and engine != "dask":
        raise click.UsageError("--scheduler: expected --engine dask beside it, got --engine local")
    if scheduler is not None and jobs is not None:
        raise click.UsageError("--jobs: expected none beside --scheduler, whose workers play, got both")
    if engine == "dask":
        check(scheduler)
    plan = Plan(jobs, block, engine == "dask", scheduler, told=partial(click.echo, err=True))
    if out == "-":
        return plan, None
    description = {"program": PROGRAM, **run.document(), "block": block_size(run.build(), plan), "keep": keep}
    store = BlockFolder(str(Path(out).resolve()) if shared else out, description, shared)
    open_run(store, games, resume)
    return replace(plan, store=store), store
