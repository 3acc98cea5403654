"""The games that exist: every folder of :mod:`fable_solve.solver.games`, found by its name.

The only core module that sees games; importing it imports none of them.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from fable_solve.solver.errors import UnknownGame, nearest
from fable_solve.solver.game import GameSpec

_GAMES = Path(__file__).parent / "games"


@cache
def names() -> tuple[str, ...]:
    """Names of all games, in alphabetical order."""
    return tuple(sorted(folder.parent.name for folder in _GAMES.glob("*/__init__.py")))


@cache
def get(name: str, *, where: str = "") -> GameSpec:
    """The game called ``name``; raises :class:`UnknownGame` at ``where`` with the nearest name."""
    if name not in names():
        raise unknown(name, where=where)
    spec: GameSpec = import_module(f"fable_solve.solver.games.{name}").GAME
    return spec


def unknown(name: str, *, where: str = "") -> UnknownGame:
    """The error for a name that no game has, naming the nearest one."""
    expected = f"one of {', '.join(names())} (nearest: {nearest(name, names())})"
    return UnknownGame(expected, repr(name), where=where)
