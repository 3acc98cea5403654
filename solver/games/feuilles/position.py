"""Positions of 61 Feuilles d'automne: read, written back, scored, listed, advised and solved."""

from __future__ import annotations

from typing import NoReturn

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.feuilles.advise import advise, solve
from fable_solve.solver.games.feuilles.document import dump, enumerate_actions, enumerate_game, parse, score
from fable_solve.solver.positions import Position

__all__ = [
    "advise",
    "dump",
    "enumerate_actions",
    "enumerate_game",
    "export_nfg",
    "parse",
    "score",
    "solve",
]


def export_nfg(position: Position, objective: str | None) -> NoReturn:
    """Refused: no decision of this game is a matrix game of two players."""
    raise BadInput("a game whose decision is a matrix game", repr(position.spec.name), where="--export")
