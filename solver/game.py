"""What a game is: the protocol every rule book follows, and the light description of a game.

A game is a tree of immutable, hashable states. At a state either one seat moves, or several seats move at
the same time (``SIMULTANEOUS``), or chance moves (``CHANCE``), or the game is over (``TERMINAL``). The rules
hold no source of randomness: chance is a node whose outcomes and probabilities are listed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from fable_solve.solver.errors import BadInput

CHANCE = -1
SIMULTANEOUS = -2
TERMINAL = -3

State = Hashable
Action = Hashable


class Draw(NamedTuple):
    """How chance decides at a node: one of ``units``, each equally likely.

    A ``pile`` lies shuffled: its units (sorted; all that are left) come off it without being put back, in an
    order that its source alone decides, whatever is done between two draws.
    """

    source: str
    """Name of the source of chance (``deal``, ``dice``, ...), which has random numbers of its own."""
    units: Sequence[Any]
    pile: str = ""
    """Name of the pile drawn from; empty if what is drawn is still there the next time (dice)."""


class Game(Protocol):
    """The rules of one game with all options fixed.

    A game that is played in bulk names its sources of chance in ``sources`` and says by ``chance_draw(state)
    -> Draw`` how a chance node is decided; the outcomes' probabilities are those of ``chance_outcomes``.

    Seats are ``0 .. players - 1``. ``player_to_move`` gives a seat, ``CHANCE``, ``SIMULTANEOUS`` or
    ``TERMINAL``. At a simultaneous node an action is a tuple with one entry a seat, ``None`` for a seat
    that has no choice (its ``legal_actions`` is empty); elsewhere it is the action of the seat to move or
    the outcome of chance.
    """

    players: int
    objective: str
    """What ``returns`` counts: ``win``, ``margin`` or ``score``."""
    max_length: int | None
    """Largest number of decisions (not chance nodes) of a play, where one is declared."""
    return_bounds: tuple[float, float]
    """Smallest and largest value any entry of ``returns`` can take."""
    zero_sum: bool
    """Whether ``returns`` of all terminal states have the same sum."""

    def initial_state(self) -> Any: ...

    def player_to_move(self, state: Any) -> int: ...

    def legal_actions(self, state: Any, seat: int) -> Sequence[Any]: ...

    def chance_outcomes(self, state: Any) -> Sequence[tuple[Any, float]]:
        """Outcomes of a chance node, all different, with probabilities that sum to 1."""

    def successor(self, state: Any, action: Any) -> Any:
        """State after an action, a joint action or a chance outcome; raises ``IllegalAction``."""

    def scores(self, state: Any) -> tuple[float, ...]:
        """Each seat's score as the table stands, in the game's own points; defined at every state."""

    def win_shares(self, state: Any) -> tuple[float, ...]:
        """Each seat's share of the win at a terminal state: 1 to the winner, ties share; sums to 1."""

    def returns(self, state: Any) -> tuple[float, ...]:
        """Each seat's payoff at a terminal state, in the units of ``objective``."""

    def information_state(self, state: Any, seat: int) -> Hashable:
        """What the seat knows, with perfect recall; equal exactly when the seat cannot tell states apart."""

    def describe_action(self, state: Any, action: Any) -> str:
        """An action, joint action or chance outcome as one readable line (for playthroughs)."""

    def describe_state(self, state: Any) -> str:
        """A state as a few readable lines (for playthroughs)."""


@dataclass(frozen=True)
class Option:
    """One option of a study: a field of its ``Params``, turned into ``--name`` by the command line."""

    name: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    metavar: str = ""
    minimum: int | None = None
    maximum: int | None = None


@dataclass(frozen=True)
class Facts:
    """Declared facts of a game, for ``fable-solve games`` and for algorithms that check them first."""

    zero_sum: str
    chance: str
    hidden_information: str
    simultaneous: str
    length: str


@dataclass(frozen=True)
class GameSpec:
    """The light description of a game: importing it loads no rule, no array and no data.

    The sub-package ``package`` holds the modules that do the work, loaded when first asked for:

    ``rules``      ``Rules`` (pydantic model of the rule data), ``make_game(rules, players, mode, objective)``
    ``position``   ``parse``, ``dump``, ``score``, ``enumerate_actions``, ``enumerate_game``, ``advise``,
                   ``solve``
    ``policies``   ``POLICIES``: name -> policy
    ``studies``    ``run(request)`` -> :class:`fable_solve.solver.result.Result`
    ``bench``      ``BENCHMARKS``, if the game has kernels worth timing
    ``playouts``   ``compiled(game, policies)``, if whole games can be played by a kernel
    ``human``      a rule to remember (:mod:`fable_solve.solver.decisions`), if the game has one
    ``coach``      how a recorded game is written and judged (:mod:`fable_solve.solver.records`), if it can be
    """

    name: str
    title: str
    package: str
    players: tuple[int, ...]
    default_players: int
    facts: Facts
    policies: tuple[str, ...]
    objectives: tuple[str, ...]
    modes: tuple[str, ...] = ()
    study_options: tuple[Option, ...] = field(default=())
    searched: bool = False
    """Whether ``advise`` searches a tree where a position is too large to solve, and so takes ``nodes``."""
    sides: tuple[str, ...] = ()
    """What the seats are called in a game of two sides, which is the same however many play a side."""
    max_states: int = 20_000_000
    """Default limit of ``solve``: what fits into about 2 GiB."""

    @property
    def default_mode(self) -> str | None:
        return self.modes[0] if self.modes else None

    def check_mode(self, mode: str | None) -> str | None:
        """``mode``, or the default one; raises :class:`BadInput` for a mode the game does not have."""
        if mode is not None and mode not in self.modes:
            expected = f"one of {', '.join(self.modes)}" if self.modes else f"no mode ({self.name} has none)"
            raise BadInput(expected, repr(mode), where="--mode")
        return mode or self.default_mode

    def module(self, name: str) -> ModuleType:
        return import_module(f"{self.package}.{name}")

    @cached_property
    def rules(self) -> Any:
        return self.module("rules")

    @cached_property
    def position(self) -> Any:
        return self.module("position")

    @cached_property
    def named_policies(self) -> dict[str, Any]:
        policies: dict[str, Any] = self.module("policies").POLICIES
        if self.human:
            policies["human"] = self.human.POLICY
        return policies

    @cached_property
    def studies(self) -> Any:
        return self.module("studies")

    def compiled(self, game: Game, policies: tuple[str, ...]) -> Any:
        """A function ``(first, count, keys) -> Block`` that plays ``game`` as its rules do (``keys[sources +
        seats]`` are those of the random streams), or ``None`` where there is no kernel for it."""
        playouts = self._optional("playouts")
        slow = any(not getattr(self.named_policies[name], "compiled", True) for name in policies)
        return playouts.compiled(game, policies) if playouts and not slow else None

    def benchmarks(self) -> list[Any]:
        """Kernels that can be timed (module ``bench``, where the game has one)."""
        bench = self._optional("bench")
        return list(bench.BENCHMARKS) if bench else []

    @property
    def coach(self) -> Any:
        """The module ``coach``; ``None`` where the game has none."""
        return self._optional("coach")

    @property
    def human(self) -> Any:
        """The module ``human``; ``None`` where the game has none."""
        return self._optional("human")

    def _optional(self, name: str) -> ModuleType | None:
        """A module that a game need not have."""
        return self.module(name) if find_spec(f"{self.package}.{name}") else None
