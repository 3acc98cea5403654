"""``bench``: how fast each kernel is on this machine."""

from __future__ import annotations

from math import isnan

import click

from fable_solve.cli.common import format_option, show


@click.command("bench", epilog="Example: fable-solve bench --seconds 0.5")
@click.option(
    "--seconds",
    type=click.FloatRange(0.01, 3600),
    default=1.0,
    show_default=True,
    help="How long each kernel runs.",
)
@click.option(
    "--only",
    metavar="TEXT",
    default="",
    help="Only kernels whose name contains TEXT. [default: each at the game's usual number of players]",
)
@click.option(
    "--jobs", type=click.IntRange(1, 1024), help="Cores used for the second figure. [default: all there are]"
)
@click.option(
    "--starts", is_flag=True, help="Also time new processes to their first unit, without and with a cache."
)
@format_option
def bench_command(seconds: float, only: str, jobs: int | None, starts: bool, output: str) -> None:
    """Throughput of each kernel on one core of this machine and on all (the only output with a clock)."""
    if isnan(seconds):
        raise click.UsageError("--seconds: expected a number from 0.01 to 3600, got nan")
    from fable_solve.cli.stopwatch import measure
    from fable_solve.solver.engines import cores

    show(measure(seconds, only, jobs or cores(), starts), output)
