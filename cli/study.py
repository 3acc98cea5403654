"""``fable-solve GAME``: the strategy report of a game, its options taken from the game's description."""

from __future__ import annotations

import shlex
from contextlib import suppress
from typing import Any

import click

from fable_solve.cli.common import (
    FORMATS,
    RuleOptions,
    folder_name,
    format_option,
    language_option,
    parse_counts,
    rules_options,
    seed_option,
    warn_unplayed,
)
from fable_solve.solver import registry
from fable_solve.solver.game import GameSpec, Option


def study_command(name: str) -> click.Command:
    """The command of one game; every option of its study becomes an option of the command."""
    spec = registry.get(name)

    def body(**given: Any) -> None:
        _run(spec, given)

    body.__doc__ = f"Strategy report of {spec.title}: terminal, report.html, tables, plots and summary.json."
    command: Any = format_option(rules_options(seed_option(body)), (*FORMATS, "md"))
    out = click.option(
        "--out",
        metavar="DIR",
        callback=folder_name,
        help=f"Folder of the report ('-': none). [default: fable-report/{name}]",
    )
    players = click.option(
        "--players",
        default=str(spec.default_players),
        show_default=True,
        metavar="N|N-M",
        help="Player counts.",
    )
    command = out(players(command))
    if len(spec.objectives) > 1:
        command = click.option(
            "--objective", type=click.Choice(spec.objectives), help="What a round or a game is worth."
        )(command)
    for option in reversed(spec.study_options):
        command = _click_option(option)(command)
    return click.command(name, epilog=f"Example: fable-solve {name} --out -")(command)


def _click_option(option: Option) -> Any:
    kind: Any = click.Choice(option.choices) if option.choices else str
    if isinstance(option.default, int):
        kind = click.IntRange(option.minimum, option.maximum)
    return click.option(
        f"--{option.name}",
        type=kind,
        default=option.default,
        show_default=option.default is not None,
        metavar=option.metavar or None,
        help=option.help,
    )


def _run(spec: GameSpec, given: dict[str, Any]) -> None:
    from fable_solve.cli.progress import counter
    from fable_solve.reports.output import claim_folder, write_report
    from fable_solve.reports.terminal import print_result
    from fable_solve.solver.decisions import study
    from fable_solve.solver.errors import BadInput
    from fable_solve.solver.study import Request

    out, output = given.pop("out"), given.pop("output")
    out = out or f"fable-report/{spec.name}"
    options = RuleOptions(*(given.pop(key) for key in ("rules_file", "settings", "mode", "chain_rule")))
    mode = spec.check_mode(options.mode)
    players, seed = parse_counts(given.pop("players"), spec.players), given.pop("seed")
    objective = given.pop("objective", None)
    command = f"{_command(spec, given, options, players, seed, objective)}{language_option()}"
    rules = options.data(spec.name)
    if out != "-":
        claim_folder(out)
    with counter("steps") as progress:
        result = study(spec, Request(rules, mode, players, objective, seed, given, command, progress))
    for count in players:
        with suppress(BadInput):  # a study of one position need not be able to deal
            warn_unplayed(rules.make_game(count, mode))
    files = write_report(result, out) if out != "-" else ()
    print_result(result, output, files, None if out == "-" else out)


def _command(
    spec: GameSpec,
    given: dict[str, Any],
    options: RuleOptions,
    players: tuple[int, ...],
    seed: int,
    objective: str | None,
) -> str:
    """The command line that gives the same report again."""
    words = ["fable-solve", spec.name]
    pairs: list[tuple[str, Any]] = [
        ("mode", options.mode),
        ("chain-rule", options.chain_rule),
        ("objective", objective),
    ]
    pairs += [("rules", options.rules_file), *(("set", text) for text in options.settings)]
    pairs += [
        ("players", ",".join(map(str, players))) if players != (spec.default_players,) else ("players", None)
    ]
    defaults = {option.name.replace("-", "_"): option.default for option in spec.study_options}
    pairs += [(key.replace("_", "-"), value) for key, value in given.items() if value != defaults[key]]
    pairs += [("seed", seed or None)]
    for name, value in pairs:
        if value is not None:
            words += [f"--{name}", shlex.quote(str(value))]
    return " ".join(words)
