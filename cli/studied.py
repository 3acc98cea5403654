"""What ``balance``, ``tournament`` and ``tune`` share: their options, and the way of a result to the user."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fable_solve.cli.common import (
    FORMATS,
    F,
    folder_name,
    format_option,
    is_given,
    language_option,
    seed_option,
)

if TYPE_CHECKING:
    from fable_solve.cli.progress import Progress
    from fable_solve.solver.result import Result
    from fable_solve.solver.rollout import Setup

MAX_GAMES = 10_000_000
"""Most games of a run that is kept in memory while it is measured."""

UNSEEN = ("out", "output", "jobs")
"""Options that change no number."""


def studied(name: str) -> Callable[[F], F]:
    """``--jobs``, ``--seed``, ``--out`` and ``--format`` of a study called ``name``."""

    def options(command: F) -> F:
        jobs = click.option("--jobs", type=click.IntRange(1, 1024), help="Workers. [default: one a core]")
        out = click.option(
            "--out",
            metavar="DIR",
            callback=folder_name,
            help=f"Folder of the report ('-': none). [default: fable-report/{name}]",
        )
        shown: Callable[[F], F] = lambda body: format_option(body, (*FORMATS, "md"))  # noqa: E731
        return jobs(seed_option(out(shown(command))))

    return options


def expect_games(runs: Iterable[Setup], few: int) -> bool:
    """Whether a policy thinks long; then nobody but the user says how many games are played of it, from
    ``few`` on."""
    slow = max(runs, key=lambda run: run.build().cost)
    times = slow.build().cost
    if times > 1 and not is_given("--games"):
        raise click.UsageError(
            f"--games: expected a number (such as {few}) beside --policies {','.join(slow.policies)}, whose "
            f"games take about {times:,} times as long as those of simple policies, got none"
        )
    return times > 1


def publish(
    ctx: click.Context, out: str | None, output: str, make: Callable[[Progress, str], Result]
) -> None:
    """Print the result of ``make(progress, command)`` and write its report, unless ``out`` is ``-``."""
    from fable_solve.cli.progress import counter
    from fable_solve.reports.output import claim_folder, write_report
    from fable_solve.reports.terminal import print_result

    folder = out or f"fable-report/{ctx.info_name}"
    if folder != "-":
        claim_folder(folder)
    with counter("games") as progress:
        result = make(progress, reproduced(ctx))
    files = write_report(result, folder) if folder != "-" else ()
    print_result(result, output, files, None if folder == "-" else folder)


def reproduced(ctx: click.Context) -> str:
    """The command line that gives the same numbers again, as far as it was given."""
    words = ["fable-solve", str(ctx.info_name)]
    for param in ctx.command.params:
        if ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE:
            words += _words(param, ctx.params.get(str(param.name)))
    return " ".join(map(shlex.quote, words)) + language_option()


def _words(param: click.Parameter, value: Any) -> list[str]:
    if value is None or param.name in UNSEEN:
        return []
    values = [str(one) for one in value] if isinstance(value, tuple) else [str(value)]
    if isinstance(param, click.Argument):
        return values
    return [word for one in values for word in (param.opts[0], one)]


def parameters(ctx: click.Context) -> dict[str, Any]:
    """The options a study ran with, as one gives them."""
    return {
        param.opts[0].removeprefix("--"): list(value) if isinstance(value, tuple) else value
        for param in ctx.command.params
        if isinstance(param, click.Option) and param.name not in (*UNSEEN, "seed")
        if (value := ctx.params.get(str(param.name))) not in (None, ())
    }


def names_of(text: str) -> list[str]:
    """Names between commas, each once.

    >>> names_of("random, greedy,random")
    ['random', 'greedy']
    """
    return list(dict.fromkeys(name.strip() for name in text.split(",")))
