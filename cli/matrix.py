"""``matrix``: any two-player matrix game in, every extreme equilibrium out."""

from __future__ import annotations

import click

from fable_solve.cli.common import format_option, show


@click.command("matrix", epilog="Example: fable-solve matrix game.csv --format json")
@click.argument("file")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=30_000_000,
    show_default=True,
    help="Operations that each exact step may use (up to 8 x 8 at least 60 million).",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1),
    default=1e-9,
    show_default=True,
    help="Largest exploitability, as a fraction of the range of the payoffs.",
)
@format_option
def matrix_command(file: str, limit: int, tolerance: float, output: str) -> None:
    """Every extreme equilibrium of a two-player game, its value, and how far each probability may vary.

    FILE is a CSV of the row player's payoffs (zero-sum; a second block after an empty line holds the column
    player's), JSON {"row": [[..]], "column": [[..]]}, or a Gambit .nfg file; "-" reads standard input.
    """
    from fable_solve.solver.equilibria import reached
    from fable_solve.solver.gamefiles import read_game
    from fable_solve.solver.matrix_answer import matrix_answer

    analysis = reached(read_game(file), limit, tolerance)
    show(matrix_answer(analysis), output)
    analysis.check()
