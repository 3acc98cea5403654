"""``balance``: is it fair, for how many, how long, and how much of it is luck: games compared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fable_solve.cli.common import (
    RuleOptions,
    expect_none,
    is_given,
    parse_counts,
    rules_options,
    warn_unplayed,
)
from fable_solve.cli.studied import MAX_GAMES, expect_games, names_of, parameters, publish, studied
from fable_solve.solver import registry
from fable_solve.solver.game import GameSpec

if TYPE_CHECKING:
    from fable_solve.solver.rollout import Setup
    from fable_solve.solver.rules import RuleData


@click.command("balance", epilog="Example: fable-solve balance butterfly --players 2-3 --games 2000 --out -")
@click.argument("games", metavar="[GAME]...", nargs=-1)
@click.option("--players", metavar="N|N-M", help="Player counts. [default: all that a game has]")
@click.option(
    "--policies",
    default="random,greedy",
    show_default=True,
    metavar="P[,P...]",
    help="Levels of play, weakest first.",
)
@click.option(
    "--games",
    "count",
    type=click.IntRange(2, MAX_GAMES),
    help="Games of each cell. [default: until every win share is known to 0.5 %]",
)
@click.option(
    "--pairs",
    type=click.IntRange(0, MAX_GAMES),
    default=20_000,
    show_default=True,
    help="Games of each run for luck and skill (as --games at most where a policy thinks long); 0 leaves "
    "both out.",
)
@click.option(
    "--watch",
    type=click.IntRange(0, MAX_GAMES),
    default=100,
    show_default=True,
    help="Games of each cell watched for choices, leads and endings.",
)
@click.option(
    "--reading",
    "readings",
    multiple=True,
    metavar="KEY=V1[,V2...]",
    help="Cells by this rule data too, each value by itself (repeatable; one GAME).",
)
@click.option(
    "--against",
    multiple=True,
    metavar="KEY=VALUE",
    help="Compare with this rule data on the same luck (repeatable; one GAME).",
)
@rules_options
@studied("balance")
@click.pass_context
def balance_command(
    ctx: click.Context,
    /,
    games: tuple[str, ...],
    players: str | None,
    policies: str,
    count: int | None,
    pairs: int,
    watch: int,
    readings: tuple[str, ...],
    against: tuple[str, ...],
    seed: int,
    jobs: int | None,
    out: str | None,
    output: str,
    **rules: Any,
) -> None:
    """Compare seats, player counts, modes and levels of play of each GAME (all of them if none is named)."""
    from fable_solve.solver.balance import Plan, balance
    from fable_solve.solver.balance_report import balance_result
    from fable_solve.solver.variants import changes, changes_result

    if against:
        expect_none("--against, which watches no games", "--watch")
        expect_none("--against", "--reading")
    if pairs == 1:
        raise click.UsageError("--pairs: expected 0 or at least 2, got 1")
    options = RuleOptions(**rules)
    given = {"against": against, "reading": readings, **_rules_given(options)}
    data, runs = cells(games, players, names_of(policies), seed, options, [k for k, v in given.items() if v])
    runs += _read(data[0], runs, options, readings)
    if expect_games(runs, 200) and count:
        pairs, watch = (
            number if is_given(option) else min(number, count)
            for option, number in (("--pairs", pairs), ("--watch", watch))
        )
    compared = _variants(data[0], runs, options, against) if against else None
    others = [second for _, second in compared[1]] if compared else []
    warn_unplayed(*(run.build().game for run in (*runs, *others)))

    def make(progress: Any, command: str) -> Any:
        plan = Plan(count, pairs, watch, jobs, progress)
        if compared:
            found, told = changes(compared[1], plan), " ".join(against)
            return changes_result(found, (data[0], compared[0]), told, seed, command, parameters(ctx))
        return balance_result(balance(runs, plan), data, seed, command, parameters(ctx))

    publish(ctx, out, output, make)


def cells(
    games: tuple[str, ...],
    players: str | None,
    policies: list[str],
    seed: int,
    options: RuleOptions,
    given: list[str],
) -> tuple[list[RuleData], list[Setup]]:
    """The rule data of each game and all cells asked for; ``given`` are options that speak of one game."""
    from fable_solve.solver.balance import counts_of, setups

    specs = [registry.get(name, where="GAME") for name in dict.fromkeys(games) or registry.names()]
    if given and len(specs) > 1:
        raise click.UsageError(f"--{given[0]}: expected one GAME beside it, got {len(specs)}")
    counts = parse_counts(players, sorted({n for spec in specs for n in spec.players})) if players else None
    data = [options.data(spec.name) for spec in specs]
    runs = [
        run
        for spec, rules in zip(specs, data, strict=True)
        for run in setups(spec, counts_of(spec, counts), policies, rules, _modes(spec, options.mode), seed)
    ]
    return data, runs


def _rules_given(options: RuleOptions) -> dict[str, Any]:
    """The options on rules by name."""
    return {
        "rules": options.rules_file,
        "set": options.settings,
        "mode": options.mode,
        "chain-rule": options.chain_rule,
    }


def _read(data: RuleData, runs: list[Setup], options: RuleOptions, readings: tuple[str, ...]) -> list[Setup]:
    """Each cell again by each value of each reading that is not as given."""
    from fable_solve.solver.tune import parse_param

    read = []
    for param in [parse_param(text, "--reading") for text in readings]:
        for value in param.values:
            told = f"{param.key}={value}"
            rules = options.data(data.game, [told], "--reading")
            if rules != data:
                read += [replace(run, rules=rules, reading=told) for run in runs]
    for run in read:
        run.build()
    return read


def _modes(spec: GameSpec, mode: str | None) -> tuple[str | None, ...]:
    """The mode asked for, else all modes of a game."""
    return (spec.check_mode(mode),) if mode is not None else spec.modes or (None,)


def _variants(
    data: RuleData, runs: list[Setup], options: RuleOptions, against: tuple[str, ...]
) -> tuple[RuleData, list[tuple[Setup, Setup]]]:
    """The other rule data, and each cell under both."""
    other = options.data(data.game, against, "--against")
    pairs = [(run, replace(run, rules=other)) for run in runs]
    for _, run in pairs:
        run.build()
    return other, pairs
