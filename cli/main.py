"""Entry point: finds the command, turns every error into one line and an exit code."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click

from fable_solve.cli import process
from fable_solve.solver import registry
from fable_solve.solver.errors import ExitCode, FableSolveError, Interrupted, nearest

COMMANDS = {
    "advise": ("analyse", "The best action, or the equilibrium mixture, at a position."),
    "balance": ("balance", "Seats, luck and skill compared over games, modes and player counts."),
    "bench": ("bench", "Throughput of each kernel on this machine."),
    "enumerate": ("analyse", "Every legal action of a game or of a position."),
    "games": ("data", "The games, and what kind of game each is."),
    "matrix": ("matrix", "Every extreme equilibrium of a two-player matrix game."),
    "report": ("report", "Studies written to folders, as one page or as Markdown."),
    "rules": ("data", "The effective rule data of a game, with status and source."),
    "score": ("analyse", "Each player's score at a position, as the table stands."),
    "simulate": ("simulate", "Play many games and summarise them by seat."),
    "solve": ("analyse", "The exact value of a position small enough to be solved."),
    "tournament": ("tournament", "Every policy against every other: payoffs, ratings, equilibrium."),
    "tune": ("tune", "The rule data whose balance is nearest to what one wants."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*COMMANDS, *registry.names()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command: click.Command | None = None
        if cmd_name in COMMANDS:
            command = getattr(
                import_module(f"fable_solve.cli.{COMMANDS[cmd_name][0]}"), f"{cmd_name}_command"
            )
        elif cmd_name in registry.names():
            command = import_module("fable_solve.cli.study").study_command(cmd_name)
        return command

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _ended():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _ended():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        games = [(name, f"Strategy report of {registry.get(name).title}.") for name in registry.names()]
        with formatter.section("Games"):
            formatter.write_dl(games)
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in sorted(COMMANDS.items())])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            near = nearest(name, self.list_commands(ctx))
            raise click.UsageError(f"expected a command or a game (nearest: {near}), got {name!r}")
        return super().resolve_command(ctx, args)


@contextmanager
def _ended() -> Iterator[None]:
    """Ctrl-C is an error of ours (click would print an empty line first), a pipe nobody reads is none."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted("interrupted") from None
    except BrokenPipeError:
        raise click.exceptions.Exit(ExitCode.DONE) from None


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"fable-solve {version('fable-solve')}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: fable-solve cigale --mode hiver --out -",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version."
)
def fable_solve() -> None:
    """What is true about a board game: enumerated, solved and simulated, each number with its certificate."""


def main(args: list[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    process.listen()
    process.mend_streams()
    try:
        code = run(args)
    except KeyboardInterrupt:  # while an error was told
        code = ExitCode.INTERRUPTED
    process.leave(code)


def run(args: list[str] | None = None) -> int:
    """Run the command line; every failure is one line on stderr and an exit code of the contract."""
    if sys.stdout is None:
        return _fail("output: expected a stdout that can be written to, got a closed one", ExitCode.REFUSED)
    try:
        result: Any = fable_solve.main(args=args, prog_name="fable-solve", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else ExitCode.DONE
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return ExitCode.BAD_INPUT
    except click.ClickException as error:
        return _fail(_one_line(error), ExitCode.BAD_INPUT)
    except FableSolveError as error:
        return _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except BrokenPipeError:
        return ExitCode.DONE
    except OSError as error:
        return _fail(f"{error.filename or 'output'}: {error.strerror or error}", ExitCode.REFUSED)
    except MemoryError:
        return _fail("expected enough memory for the asked size, got none left", ExitCode.TOO_LARGE)


def _fail(message: str, code: ExitCode) -> int:
    click.echo("error: " + " ".join(message.split()), err=True)
    return code


def _one_line(error: click.ClickException) -> str:
    """A usage error as ``COMMAND: what is wrong``."""
    context = getattr(error, "ctx", None)
    place = context.command_path.removeprefix("fable-solve").strip() if context else ""
    message = _in_our_words(error)
    return f"{place}: {message}" if place else message


def _in_our_words(error: click.ClickException) -> str:
    """click's messages about options and arguments as ``NAME: expected ..., got ...``."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        known = [option for param in error.ctx.command.params for option in param.opts]
        return (
            f"expected a known option (nearest: {nearest(error.option_name, known)}), got {error.option_name}"
        )
    if isinstance(error, click.BadParameter) and error.param is not None:
        name = (
            error.param.opts[-1] if isinstance(error.param, click.Option) else error.param.human_readable_name
        )
        if isinstance(error, click.MissingParameter):
            return f"expected {name}, got nothing"
        return f"{name}: {_of_value(error.message)}"
    return _of_value(error.format_message())


def _of_value(message: str) -> str:
    for pattern, ours in _VALUES:
        found = re.fullmatch(pattern, message, re.DOTALL)
        if found:
            return ours.format(*found.groups())
    return message


_VALUES = (
    (r"Got unexpected extra arguments? \((.+)\)", "expected no further argument, got {0}"),
    (r"(.+) is not in the range (.+)\.", "expected a number in the range {1}, got {0}"),
    (r"(.+) is not a valid integer(?: range)?\.", "expected an integer, got {0}"),
    (r"(.+) is not a valid float(?: range)?\.", "expected a number, got {0}"),
    (r"(.+) is not one of (.+)\.", "expected one of {1}, got {0}"),
)
