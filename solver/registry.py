"""The games that exist: every folder of :mod:`fable_solve.solver.games`, found by its name.

The only core module that sees games; importing it imports none of them.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path

from fable_solve.solver.errors import UnknownGame
from fable_solve.solver.game import GameSpec

_GAMES = Path(__file__).parent / "games"


@cache
def names() -> tuple[str, ...]:
    """Names of all games, in alphabetical order."""
    return tuple(sorted(folder.parent.name for folder in _GAMES.glob("*/__init__.py")))


@cache
def get(name: str) -> GameSpec:
    """Description of the game called ``name``; raises :class:`UnknownGame` with the nearest name."""
    if name not in names():
        raise unknown(name)
    spec: GameSpec = import_module(f"fable_solve.solver.games.{name}").GAME
    return spec


def unknown(name: str, *, where: str = "") -> UnknownGame:
    """The error for a name that no game has, naming the nearest one."""
    near = get_close_matches(str(name), names(), n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return UnknownGame(f"one of {', '.join(names())}{hint}", repr(name), where=where)
