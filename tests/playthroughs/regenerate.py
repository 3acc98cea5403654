"""Golden playthroughs: one game of each kind in words, played by uniform choices from a fixed seed.

A change of the rules shows in these files, to be read and judged. To write them anew::

    python tests/playthroughs/regenerate.py

One file a game, mode and number of seats (Chenille has two sides for any number of players, so one file).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

from fable_solve.solver import registry
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL
from fable_solve.solver.rng import Stream, stream_key
from fable_solve.solver.rules import load_rules

FOLDER = Path(__file__).parent
SHOWN = 30
"""Decisions told one by one; of the rest only the end is told."""
STATE_EVERY = 10


def kinds() -> list[tuple[str, str | None, int]]:
    """(game, mode, players) of each file."""
    found: dict[tuple[str, str | None, int], tuple[str, str | None, int]] = {}
    for name in registry.names():
        spec = registry.get(name)
        rules = load_rules(name).model
        for mode in spec.modes or (None,):
            for players in spec.players:
                seats = spec.rules.make_game(rules, players, mode).players
                found.setdefault((name, mode, seats), (name, mode, players))
    return list(found.values())


def path(name: str, mode: str | None, players: int) -> Path:
    return FOLDER / ("-".join(str(part) for part in (name, mode, players) if part is not None) + ".txt")


def playthrough(name: str, mode: str | None, players: int) -> str:
    """The text of one file."""
    game = registry.get(name).rules.make_game(load_rules(name).model, players, mode)
    stream = Stream(stream_key(0, "playthrough", name, mode, players))
    head = f"{name}{f' {mode}' if mode else ''}, {players} players, objective {game.objective}"
    return "\n".join([head, *_told(game, stream)]) + "\n"


def _told(game: Any, stream: Stream) -> Iterator[str]:
    state, decisions, drawn = game.initial_state(), 0, list[str]()
    while (mover := game.player_to_move(state)) != TERMINAL:
        action = _action(game, state, mover, stream)
        if mover == CHANCE:
            drawn.append(game.describe_action(state, action))
        else:
            if decisions < SHOWN:
                yield from _drawn(drawn)
                if not decisions % STATE_EVERY:
                    yield from _table(game, state)
                yield f"{decisions:>4}  {game.describe_action(state, action)}"
            decisions += 1
            drawn.clear()
        state = game.successor(state, action)
    if decisions > SHOWN:
        yield f" ...  {decisions - SHOWN} more decisions"
    yield from _table(game, state)
    yield f"scores {_numbers(game.scores(state))}"
    yield f"win shares {_numbers(game.win_shares(state))}"
    yield f"returns {_numbers(game.returns(state))}"


def _action(game: Any, state: Any, mover: int, stream: Stream) -> Any:
    if mover == CHANCE:
        return stream.weighted(game.chance_outcomes(state))
    if mover != SIMULTANEOUS:
        return stream.choice(game.legal_actions(state, mover))
    choices = [game.legal_actions(state, seat) for seat in range(game.players)]
    return tuple(stream.choice(actions) if actions else None for actions in choices)


def _drawn(drawn: list[str]) -> Iterator[str]:
    """Draws in a row as one paragraph."""
    yield from wrap("; ".join(drawn), 100, initial_indent=" " * 6, subsequent_indent=" " * 6)


def _table(game: Any, state: Any) -> Iterator[str]:
    yield from ("", *(f"    | {line}".rstrip() for line in game.describe_state(state).splitlines()), "")


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:g}" for value in values)


def main() -> None:
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for kind in kinds():
        path(*kind).write_text(playthrough(*kind), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
