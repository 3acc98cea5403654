"""Positions: a document of the contract's format, read into a state of the game it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fable_solve.solver import registry
from fable_solve.solver.documents import read_document
from fable_solve.solver.errors import BadInput
from fable_solve.solver.game import GameSpec
from fable_solve.solver.rules import Layer, RuleData, load_rules
from fable_solve.solver.schema import shown


@dataclass(frozen=True)
class Position:
    """A state of a game whose sizes and options come from a document."""

    spec: GameSpec
    mode: str | None
    rules: RuleData
    game: Any
    """The rules (:class:`fable_solve.solver.game.Game`) this position is played by."""
    state: Any
    source: str
    details: Any = None
    """What else the game's own ``position`` module keeps of the document."""


def read_position(
    path: str, before: Sequence[Layer] = (), after: Sequence[Layer] = (), mode: str | None = None
) -> Position:
    """The position at ``path`` (``-``: standard input).

    ``before`` are the layers of rule data under the position's own ``[rules]`` (``--rules``), ``after``
    those over it (``--set``).
    """
    document, source = read_document(path)
    return parse_position(document, source, before, after, mode)


def parse_position(
    document: dict[str, Any],
    source: str,
    before: Sequence[Layer] = (),
    after: Sequence[Layer] = (),
    mode: str | None = None,
) -> Position:
    """A position from its document; raises :class:`BadInput` naming the place inside ``source``."""
    body = dict(document)
    name = body.pop("game", None)
    if name is None:
        raise BadInput(
            f"a key 'game' (one of {', '.join(registry.names())})", "none", where=f"{source}: game"
        )
    if name not in registry.names():
        raise registry.unknown(name, where=f"{source}: game")
    spec = registry.get(name)
    overrides = body.pop("rules", {})
    if not isinstance(overrides, dict):
        raise BadInput("a table", shown(overrides), where=f"{source}: rules")
    mode = _mode(spec, body, source, mode)
    rules = load_rules(name, [*before, Layer(f"{source}: rules", overrides), *after])
    position: Position = spec.position.parse(body, source, rules, mode)
    return position


def _mode(spec: GameSpec, body: dict[str, Any], source: str, asked: str | None) -> str | None:
    """The mode the position states, or the asked one; removes the key from ``body``."""
    if not spec.modes:
        if asked is not None:
            raise BadInput(f"no mode ({spec.name} has none)", shown(asked), where="--mode")
        return None
    mode = body.pop("mode", None)
    if mode is not None and mode not in spec.modes:
        raise BadInput(f"one of {', '.join(spec.modes)}", shown(mode), where=f"{source}: mode")
    if mode is not None and asked is not None and mode != asked:
        raise BadInput(f"the position's mode {mode!r}", shown(asked), where="--mode")
    return mode or asked or spec.default_mode
