"""The errors a user can meet; each message says what was expected, what came, and where."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the command line."""

    DONE = 0
    REFUSED = 1
    BAD_INPUT = 2
    NOT_CONVERGED = 3
    TOO_LARGE = 4
    INTERRUPTED = 130


class FableSolveError(Exception):
    """Base of every error this library raises on purpose."""

    exit_code = ExitCode.REFUSED


class BadInput(FableSolveError, ValueError):
    """Input that cannot be what was meant.

    >>> str(BadInput("2 to 4 players", 7, where="square.toml: players"))
    'square.toml: players: expected 2 to 4 players, got 7'
    """

    exit_code = ExitCode.BAD_INPUT

    def __init__(self, expected: str, got: object, *, where: str = "") -> None:
        self.expected, self.got, self.where = expected, got, where
        super().__init__(expected, got)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}expected {self.expected}, got {self.got}"


class UnknownGame(BadInput):
    """A name that no game answers to."""


class IllegalAction(FableSolveError, ValueError):
    """An action that the rules do not allow in this state."""

    exit_code = ExitCode.BAD_INPUT


class NotConverged(FableSolveError):
    """An answer whose asked precision was not reached; the message says what was reached."""

    exit_code = ExitCode.NOT_CONVERGED


class TooLarge(FableSolveError):
    """A position too large to solve exactly within the stated limit.

    >>> str(TooLarge("states", 3_000_000, 1_000_000))
    'too large to solve exactly: at least 3000000 states, the limit is 1000000'
    """

    exit_code = ExitCode.TOO_LARGE

    def __init__(self, unit: str, estimate: int, limit: int, *, hint: str = "", where: str = "") -> None:
        self.unit, self.estimate, self.limit, self.hint, self.where = unit, estimate, limit, hint, where
        super().__init__(unit, estimate, limit)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        size = f"at least {self.estimate} {self.unit}, the limit is {self.limit}"
        size = f"{place}too large to solve exactly: {size}"
        return f"{size} ({self.hint})" if self.hint else size


class Interrupted(FableSolveError):
    """Work the user stopped; the message says how far it was."""

    exit_code = ExitCode.INTERRUPTED


class Refused(FableSolveError):
    """A request that is understood and declined, as writing into somebody's folder."""


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name most like ``name``, whatever the case of its letters.

    >>> nearest("ANTS", ["ants", "swap_target"])
    'ants'
    """
    by_fold = {item.casefold(): item for item in known}
    near = get_close_matches(str(name).casefold(), by_fold, n=1, cutoff=0.0)
    return by_fold[near[0]] if near else "none"
