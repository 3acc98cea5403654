"""What a study is asked: the request the command line hands to a game's ``studies.run``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from fable_solve.solver.rules import RuleData


def silent(_done: int, _total: int | None) -> None:
    """Progress that nobody sees."""


@dataclass(frozen=True)
class Request:
    """One run of a study: everything its numbers depend on, and who is told of its progress."""

    rules: RuleData
    mode: str | None
    players: tuple[int, ...]
    objective: str | None
    seed: int
    options: dict[str, Any] = field(default_factory=dict)
    """The game's own options (``GameSpec.study_options``) by name, underscores for dashes."""
    command: str = ""
    """The command that reproduces the run."""
    progress: Callable[[int, int | None], None] = silent
