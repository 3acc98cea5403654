"""``advise``, ``solve``, ``score`` and ``enumerate``: one position in, one answer out."""

from __future__ import annotations

from typing import Any

import click

from fable_solve.cli.common import RuleOptions, expect_none, format_option, rules_options, show

objective_option = click.option(
    "--objective", metavar="NAME", help="What is maximised: cards, points, margin or win."
)


def _position(path: str, rules: dict[str, Any]) -> Any:
    from fable_solve.solver.positions import read_position

    options = RuleOptions(**rules)
    return read_position(path, options.before, options.after(), options.mode)


@click.command("advise", epilog="Example: fable-solve advise square.toml --objective cards --top 3")
@click.argument("position")
@objective_option
@click.option(
    "--top", type=click.IntRange(0), default=5, show_default=True, help="How many actions to show (0: all)."
)
@click.option("--nodes", type=click.IntRange(1), help="Nodes of the tree search, in games that have one.")
@click.option(
    "--export", type=click.Choice(["nfg"]), help="Write the best action's matrix game for other tools."
)
@rules_options
@format_option
def advise_command(
    position: str,
    objective: str | None,
    top: int,
    nodes: int | None,
    export: str | None,
    output: str,
    **rules: Any,
) -> None:
    """The best action, or the equilibrium mixture, of whoever is to act at POSITION ("-" reads stdin).

    POSITION may be a recorded game (GAME.jsonl): then what each decision lost, and what luck did.
    """
    from fable_solve.solver import coach, records

    options = RuleOptions(**rules)
    read = records.read(position, options.before, options.after(), options.mode)
    if export:
        expect_none(f"--export {export}", "--top", "--nodes", "--format")
        click.echo(_exported(read, objective), nl=False)
    elif isinstance(read, records.Record):
        expect_none("a recorded game", "--top")
        show(_searched(coach.review(read, objective, nodes), nodes), output)
    else:
        advice = read.spec.position.advise(read, objective, top, **_limited(read, nodes))
        show(_searched(coach.with_losses(advice), nodes), output)


def _exported(read: Any, objective: str | None) -> str:
    from fable_solve.solver.records import Record

    if isinstance(read, Record):
        raise click.UsageError("--export: expected a position, got a recorded game")
    if not hasattr(read.spec.position, "export_nfg"):
        raise click.UsageError(f"--export: expected a game with simultaneous choices, got {read.spec.name}")
    return str(read.spec.position.export_nfg(read, objective))


def _limited(read: Any, nodes: int | None) -> dict[str, int]:
    """``--nodes`` as an argument, for games whose advice comes from a tree search."""
    if nodes is None:
        return {}
    if not read.spec.searched:
        raise click.UsageError(f"--nodes: expected a game with a tree search, got {read.spec.name}")
    return {"nodes": nodes}


def _searched(answer: Any, nodes: int | None) -> Any:
    """``answer``, with a note if ``--nodes`` limited no search: what is small is solved, and some values are
    means of roll-outs."""
    from dataclasses import replace

    searched = "search" in answer.document or "tree search" in answer.document.get("method", "")
    if nodes is None or searched:
        return answer
    return replace(answer, notes=(*answer.notes, "--nodes changed nothing: no tree was searched here"))


@click.command("solve", epilog="Example: fable-solve solve endgame.toml --objective win")
@click.argument("position")
@objective_option
@click.option(
    "--max-states",
    type=click.IntRange(1),
    help="Largest number of states. [default: what fits into about 2 GiB]",
)
@rules_options
@format_option
def solve_command(
    position: str, objective: str | None, max_states: int | None, output: str, **rules: Any
) -> None:
    """The exact value of POSITION under optimal play, with the optimal actions."""
    from fable_solve.cli.progress import counter

    read = _position(position, rules)
    with counter("states") as progress:
        answer = read.spec.position.solve(read, objective, max_states or read.spec.max_states, progress)
    show(answer, output)


@click.command("score", epilog="Example: fable-solve score table.toml --format json")
@click.argument("position")
@rules_options
@format_option
def score_command(position: str, output: str, **rules: Any) -> None:
    """Each player's score at POSITION, as the table stands; in JSON with the position as it was read."""
    from dataclasses import replace

    read = _position(position, rules)
    answer = read.spec.position.score(read)
    document = {**answer.document, "position": read.spec.position.dump(read)}
    show(replace(answer, document=document), output)


@click.command("enumerate", epilog="Example: fable-solve enumerate cigale --chain-rule strict --format csv")
@click.argument("what", metavar="GAME|POSITION")
@rules_options
@format_option
def enumerate_command(what: str, output: str, **rules: Any) -> None:
    """Every legal action of a whole game, or of a position."""
    from fable_solve.solver import registry

    options = RuleOptions(**rules)
    if what in registry.names():
        spec = registry.get(what)
        answer = spec.position.enumerate_game(options.data(what), spec.check_mode(options.mode))
    else:
        read = _position(what, rules)
        answer = read.spec.position.enumerate_actions(read)
    show(answer, output)
