"""Recorded games: JSON Lines, read into the states they went through, and written.

The first line is a position, each further line one event: a decision ``{"seat": 0, "action": {...}}``, the
action as ``advise`` and ``enumerate`` print it, or what chance did, ``{"chance": {...}}``. Where seats choose
at the same time there is a line for each of them, in any order. The last event ends the game.

How a game writes its actions and outcomes is said by its module ``coach``:

``start(rules, game, state)``           position document of a state, ``None`` while there is none (the deal)
``item(game, state, action)``           an action or outcome as the documents write it
``outcome(game, state, document)``      the chance outcome that a document means, ``None`` if it is impossible
``text(game, state, action)``           an action or outcome in words
``judge(position, objective, nodes)``   the rules to judge by and the :class:`Evaluator`
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fable_solve.solver import registry
from fable_solve.solver.documents import (
    STANDARD_INPUT,
    check_values,
    parse_lines,
    parse_standard_input,
    read_standard_input,
    read_text,
)
from fable_solve.solver.errors import BadInput
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL, GameSpec
from fable_solve.solver.positions import Position, parse_position, read_position
from fable_solve.solver.rollout import Setup, decide
from fable_solve.solver.rules import Layer
from fable_solve.solver.schema import shown, unknown_key

SUFFIX = ".jsonl"
PRINTED = {"seat", "value", "loss", "certificate", "se", "low", "high", "n"}
"""What ``advise`` prints beside an action, and nobody has to take out of it."""


@dataclass(frozen=True)
class Step:
    """One step of play: what was done at a state, and the line that says so (one a seat where all choose)."""

    state: Any
    mover: int
    action: Any
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Record:
    """A game played from a position to its end."""

    position: Position
    steps: tuple[Step, ...]
    end: Any
    """The terminal state."""


def read(
    path: str, before: Sequence[Layer] = (), after: Sequence[Layer] = (), mode: str | None = None
) -> Position | Record:
    """The recorded game at ``path`` if that ends in ``.jsonl`` or has several JSON lines on standard input,
    else the position there; raises :class:`BadInput` naming the line."""
    layers = (before, after, mode)
    if path.lower().endswith(SUFFIX):
        return parse_record(read_text(path), path, *layers)
    if path != "-":
        return read_position(path, *layers)
    text = read_standard_input()
    if _is_record(text):
        return parse_record(text, STANDARD_INPUT, *layers)
    return parse_position(parse_standard_input(text), STANDARD_INPUT, *layers)


def _is_record(text: str) -> bool:
    """Whether a first line that is a JSON table is followed by more."""
    first, _, rest = text.strip().partition("\n")
    try:
        return bool(rest) and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def parse_record(
    text: str,
    source: str,
    before: Sequence[Layer] = (),
    after: Sequence[Layer] = (),
    mode: str | None = None,
) -> Record:
    """The game that JSON Lines describe; raises :class:`BadInput` for one that its rules do not allow."""
    lines = parse_lines(text, source)
    if not lines:
        raise BadInput("a position on the first line", "an empty file", where=source)
    number, document = lines[0]
    check_values(document, f"{source}: line {number}")
    position = parse_position(document, f"{source}: line {number}", before, after, mode)
    coach_of(position.spec, f"{source}: line {number}: game")
    steps, end = _Reader(position, source, lines[1:]).steps()
    return Record(position, tuple(steps), end)


def coach_of(spec: GameSpec, where: str) -> Any:
    """The module ``coach`` of a game; raises :class:`BadInput` if it has none."""
    if spec.coach is None:
        able = [name for name in registry.names() if registry.get(name).coach]
        raise BadInput(f"a game that can be recorded ({', '.join(able)})", repr(spec.name), where=where)
    return spec.coach


class _Reader:
    """The events of a record, one after the other."""

    def __init__(self, position: Position, source: str, lines: list[tuple[int, dict[str, Any]]]) -> None:
        self.position, self.source = position, source
        self.game, self.coach = position.game, position.spec.coach
        self.lines = iter(lines)
        self.number = 1

    def steps(self) -> tuple[list[Step], Any]:
        """The steps, and the state in which the game is over."""
        game, state, steps = self.game, self.position.state, list[Step]()
        while (mover := game.player_to_move(state)) != TERMINAL:
            action, lines = self._step(state, mover)
            steps.append(Step(state, mover, action, lines))
            state = game.successor(state, action)
        if (more := next(self.lines, None)) is not None:
            self.number, event = more
            raise self._fault("the end of the file (the game is over)", event)
        return steps, state

    def _step(self, state: Any, mover: int) -> tuple[Any, tuple[int, ...]]:
        if mover == CHANCE:
            return self._outcome(state), (self.number,)
        if mover != SIMULTANEOUS:
            _, action = self._decision(state, {mover})
            return action, (self.number,)
        chosen: dict[int, tuple[Any, int]] = {}
        seats = {seat for seat in range(self.game.players) if self.game.legal_actions(state, seat)}
        while left := seats - chosen.keys():
            seat, action = self._decision(state, left)
            chosen[seat] = action, self.number
        joint = [chosen.get(seat, (None, 0)) for seat in range(self.game.players)]
        return tuple(action for action, _ in joint), tuple(number for _, number in joint)

    def _outcome(self, state: Any) -> Any:
        event = self._event("a chance event", {"chance"})
        outcome = self.coach.outcome(self.game, state, event["chance"])
        if outcome is None:
            possible = [item for item, _ in self.game.chance_outcomes(state)]
            example = self.coach.item(self.game, state, possible[0])
            expected = f"one of {len(possible)} possible outcomes, such as {json.dumps(example)}"
            raise self._fault(expected, event["chance"], "chance")
        return outcome

    def _decision(self, state: Any, seats: set[int]) -> tuple[int, Any]:
        """(seat, action) of the next decision, which must be one of ``seats``."""
        who = " or ".join(map(str, sorted(seats)))
        event = self._event(f"a decision of seat {who}", {"seat", "action"})
        seat = event["seat"]
        if type(seat) is not int or seat not in seats:
            raise self._fault(f"seat {who}", seat, "seat")
        return seat, self._action(state, seat, event["action"])

    def _action(self, state: Any, seat: int, given: Any) -> Any:
        if not isinstance(given, dict):
            raise self._fault("an action as enumerate prints it", given, "action")
        legal = self.game.legal_actions(state, seat)
        items = [self.coach.item(self.game, state, action) for action in legal]
        for key in given.keys() - items[0].keys() - PRINTED:
            raise unknown_key(key, list(items[0]), f"{self._line}: action.{key}")
        for action, item in zip(legal, items, strict=True):
            if all(key in given and given[key] == entry for key, entry in item.items()):
                return action
        expected = f"one of {len(legal)} legal actions of seat {seat}, such as {json.dumps(items[0])}"
        raise self._fault(expected, given, "action")

    def _event(self, what: str, keys: set[str]) -> dict[str, Any]:
        """The next event, which must have ``keys``."""
        found = next(self.lines, None)
        if found is None:
            self.number += 1
            raise BadInput(f"{what} (the game is not over)", "the end of the file", where=self._line)
        self.number, event = found
        if event.keys() != keys:
            raise self._fault(f"{what} (keys {', '.join(sorted(keys, reverse=True))})", event)
        return event

    @property
    def _line(self) -> str:
        return f"{self.source}: line {self.number}"

    def _fault(self, expected: str, got: Any, key: str = "") -> BadInput:
        text = shown(json.dumps(got), 100)[1:-1]
        return BadInput(expected, text, where=f"{self._line}: {key}" if key else self._line)


def recorded(run: Setup, number: int = 0) -> Iterator[str]:
    """The lines of episode ``number`` of a run, as :func:`parse_record` reads them.

    Raises :class:`BadInput` for a game that is not recorded.
    """
    coach, match = coach_of(registry.get(run.game), "--record"), run.build()
    game, (chance, seats) = match.game, match.streams(number)
    state, begun = game.initial_state(), False
    while True:
        if not begun and (document := coach.start(run.rules, game, state)) is not None:
            begun = True
            yield json.dumps(document)
        mover = game.player_to_move(state)
        if mover == TERMINAL:
            return
        action = (
            chance.outcome(game, state)
            if mover == CHANCE
            else decide(game, state, mover, match.policies, seats)
        )
        if begun:
            yield from map(json.dumps, _events(coach, game, state, mover, action))
        state = game.successor(state, action)


def _events(coach: Any, game: Any, state: Any, mover: int, action: Any) -> Iterator[dict[str, Any]]:
    if mover == CHANCE:
        yield {"chance": coach.item(game, state, action)}
    for seat, own in choices(mover, action):
        yield {"seat": seat, "action": coach.item(game, state, own)}


def choices(mover: int, action: Any) -> list[tuple[int, Any]]:
    """(seat, action) of everybody who decided when ``mover`` did ``action``; nobody at a chance node."""
    if mover == CHANCE:
        return []
    joint = enumerate(action) if mover == SIMULTANEOUS else [(mover, action)]
    return [(seat, own) for seat, own in joint if own is not None]
