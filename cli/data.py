"""``games`` and ``rules``: what there is, and what it rests on."""

from __future__ import annotations

from typing import Any

import click

from fable_solve.cli.common import RuleOptions, format_option, rules_options, show


@click.command("games", epilog="Example: fable-solve games --format json")
@format_option
def games_command(output: str) -> None:
    """The games, and what kind of game each is."""
    from fable_solve.solver.catalogue import games_answer

    show(games_answer(), output)


@click.command("rules", epilog="Example: fable-solve rules cigale --set ants=5")
@click.argument("game")
@rules_options
@format_option
def rules_command(game: str, output: str, **rules: Any) -> None:
    """The effective rule data of GAME: each value with its status and source.

    A value given replaces the shipped one. What a table leaves out is none (0 cards, no insect, no
    bonus), but stays as shipped in square, prices and provision_kinds. --set KEY.ENTRY=VALUE changes
    one entry of a table.
    """
    from dataclasses import replace

    from fable_solve.solver import registry
    from fable_solve.solver.catalogue import rules_answer

    options = RuleOptions(**rules)
    registry.get(game, where="GAME").check_mode(options.mode)
    answer = rules_answer(options.data(game))
    told = ("--mode changes nothing here: the rule data are those of all modes",) if options.mode else ()
    show(replace(answer, notes=(*answer.notes, *told)), output)
