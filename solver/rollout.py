"""Playing one game: every episode from its own random streams.

Episode g of a run draws each source of chance from a stream of its own and each seat's decisions from a
stream of that seat, all keyed by (seed, game, mode, players) and g. So an episode depends on nothing but the
run and its number: any number of workers gives the same table, a longer run starts with the shorter one, and
a change of one seat's policy or of the rule data leaves the deal and the other seats' draws in place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from fable_solve.solver import registry
from fable_solve.solver.blocks import Block
from fable_solve.solver.chance import Chance, sources
from fable_solve.solver.errors import BadInput, nearest
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL, Game, GameSpec
from fable_solve.solver.policy import Policy, cost
from fable_solve.solver.rng import Stream, stream_key
from fable_solve.solver.rules import RuleData

Compiled = Callable[[int, int, Any], Block]
"""``(first, count, keys[sources + seats]) -> Block``: whole games played by a kernel."""

MAX_DECISIONS = 1_000_000
"""A play of more decisions is stopped and counted as such."""


@dataclass(frozen=True)
class Episode:
    """One game played to its end, or stopped: entries by seat, ``length`` in decisions.

    A simultaneous choice is one decision. ``ranks`` are 1 + the number of seats strictly ahead.
    """

    scores: tuple[float, ...]
    win_shares: tuple[float, ...]
    ranks: tuple[int, ...]
    length: int
    stopped: bool


def play(game: Game, policies: Sequence[Policy], chance: Chance, seats: Sequence[Stream]) -> Episode:
    """One game from its start; ``policies`` and ``seats`` (their streams) have one entry a seat.

    A play beyond ``MAX_DECISIONS`` is stopped and its win shared by all seats; a game that stops plays
    itself says so by a method ``stopped``.
    """
    state, length = finish(game, game.initial_state(), policies, chance, seats)
    if game.player_to_move(state) != TERMINAL:
        return _episode(game, state, (1 / game.players,) * game.players, length, True)
    stopped = getattr(game, "stopped", None)
    return _episode(game, state, game.win_shares(state), length, bool(stopped and stopped(state)))


def finish(
    game: Game, state: Any, policies: Sequence[Policy], chance: Chance, seats: Sequence[Stream]
) -> tuple[Any, int]:
    """The state in which play from ``state`` ends, and the number of decisions until then.

    Not a terminal state only if ``MAX_DECISIONS`` were taken.
    """
    length = 0
    while (mover := game.player_to_move(state)) != TERMINAL:
        if mover == CHANCE:
            action = chance.outcome(game, state)
        elif length == MAX_DECISIONS:
            break
        else:
            action = decide(game, state, mover, policies, seats)
            length += 1
        state = game.successor(state, action)
    return state, length


def is_played(game: Game, deals: int = 20) -> bool:
    """Whether anybody ever has a decision: looked for behind some deals."""
    for number in range(deals):
        (chance, _), state = streams(game, number, 0, "deal"), game.initial_state()
        while game.player_to_move(state) == CHANCE:
            state = game.successor(state, chance.outcome(game, state))
        if game.player_to_move(state) != TERMINAL:
            return True
    return False


def roll_out(game: Game, state: Any, policy: Policy, number: int, *purpose: object) -> tuple[float, ...]:
    """Returns of one play from ``state`` in which every seat follows ``policy``.

    Roll-out ``number`` of a ``purpose`` draws the same random numbers whatever the state, so that values of
    different actions are compared with less noise than each has alone.
    """
    chance, seats = streams(game, number, 0, "roll-out", *purpose)
    final, _ = finish(game, state, (policy,) * game.players, chance, seats)
    return game.returns(final)


def streams(game: Game, number: int, seed: int, *purpose: object) -> tuple[Chance, list[Stream]]:
    """Chance and the seats' streams of episode ``number`` of a ``purpose``."""
    return _streams(game, stream_keys(game, seed, *purpose), number)


def _streams(game: Game, keys: Sequence[int], number: int) -> tuple[Chance, list[Stream]]:
    count = len(sources(game))
    return Chance(game, keys[:count], number), [Stream(key, number) for key in keys[count:]]


def stream_keys(game: Game, seed: int, *purpose: object) -> tuple[int, ...]:
    """Keys of the streams of each source of chance and of each seat; ``[sources + seats]``."""
    whose = (*sources(game), *(f"seat {seat}" for seat in range(game.players)))
    return tuple(stream_key(seed, *purpose, who) for who in whose)


def decide(game: Game, state: Any, mover: int, policies: Sequence[Policy], seats: Sequence[Stream]) -> Any:
    """The action of the seat to move, or the joint action of all seats that have a choice.

    A game whose actions take long to list says by a method ``has_choice`` whether there are any.
    """
    if mover != SIMULTANEOUS:
        return policies[mover](game, state, mover, seats[mover])
    has_choice = getattr(game, "has_choice", game.legal_actions)
    return tuple(
        policies[seat](game, state, seat, seats[seat]) if has_choice(state, seat) else None
        for seat in range(game.players)
    )


def _episode(game: Game, state: Any, shares: tuple[float, ...], length: int, stopped: bool) -> Episode:
    scores = game.scores(state)
    own_ranking = getattr(game, "ranks", None)
    standing = own_ranking(state) if own_ranking and not stopped else zip(shares, scores, strict=True)
    keys = list(standing)
    ranks = tuple(1 + sum(other > key for other in keys) for key in keys)
    return Episode(scores, shares, ranks, length, stopped)


@dataclass(frozen=True)
class Setup:
    """Everything the episodes of a run depend on; can be sent to a worker."""

    game: str
    players: int
    policies: tuple[str, ...]
    """One name for all seats, or one a seat (of the game played: Chenille has two sides)."""
    rules: RuleData
    mode: str | None = None
    seed: int = 0
    reading: str = field(default="", kw_only=True)
    """What tells the rule data from those of runs compared with it: ``KEY=VALUE``."""

    @property
    def by_points(self) -> bool:
        """Whether a seat is measured by its points; a game that knows only winning has none to compare."""
        return registry.get(self.game).objectives != ("win",)

    def document(self) -> dict[str, Any]:
        """What decides every episode of the run, for people and for comparing runs."""
        return {
            "version": version("fable-solve"),
            "game": self.game,
            "mode": self.mode,
            "players": self.players,
            "policies": list(self.policies),
            "seed": self.seed,
            "rules": self.rules.document(),
        }

    def build(self) -> Match:
        """The game and its policies, built once from their names; raises :class:`BadInput`."""
        return self._match

    def __getstate__(self) -> dict[str, Any]:
        """All but what was built, which a worker builds for itself."""
        return {key: value for key, value in self.__dict__.items() if key != "_match"}

    @cached_property
    def _match(self) -> Match:
        spec = registry.get(self.game)
        game = self.rules.make_game(self.players, self.mode)
        names = per_seat(self.policies, game.players)
        named = spec.named_policies
        keys = stream_keys(game, self.seed, self.game, self.mode, self.players)
        return Match(game, names, tuple(named[name] for name in names), keys, spec.compiled(game, names))


def setup(
    spec: GameSpec,
    players: int,
    policies: Sequence[str],
    rules: RuleData,
    mode: str | None = None,
    seed: int = 0,
    least: int = 1,
) -> Setup:
    """A checked :class:`Setup`; raises :class:`BadInput` for a count (``least`` or more) or a name the game
    does not have."""
    counts = [count for count in spec.players if count >= least]
    if players not in counts:
        raise BadInput(f"{min(counts)} to {max(counts)} players", players, where="--players")
    for name in policies:
        if name not in spec.named_policies:
            raise BadInput(_policies(spec.named_policies, name), repr(name), where="--policies")
    checked = Setup(spec.name, players, tuple(policies), rules, spec.check_mode(mode), seed)
    checked.build()
    return checked


def _policies(known: Mapping[str, Policy], name: str) -> str:
    """What is expected in the place of a ``name`` that is no policy; ``NAME@N`` is one of some."""
    method, numbered, _ = name.partition("@")
    if numbered and f"{method}@1" in known:
        digits = max(count for count in range(1, 20) if f"{method}@{'9' * count}" in known)
        return f"{method}@N, N a whole number from 1 to {'9' * digits}"
    if numbered and method in known:
        return f"{method} without a number"
    return f"one of {', '.join(known)} (nearest: {nearest(name, known)})"


def per_seat(names: Sequence[str], seats: int) -> tuple[str, ...]:
    """One policy name a seat; raises :class:`BadInput` unless there is one for all or one for each."""
    if len(names) not in (1, seats):
        wanted = f"1 or {seats} policies" if seats > 1 else "1 policy"
        raise BadInput(wanted, len(names), where="--policies")
    return tuple(names) * (seats if len(names) == 1 else 1)


@dataclass(frozen=True)
class Match:
    """A game with a policy a seat and the keys of the random streams ``[sources + seats]``."""

    game: Game
    names: tuple[str, ...]
    policies: tuple[Policy, ...]
    keys: tuple[int, ...]
    compiled: Compiled | None = None
    """The same play-outs compiled, where the game has them for these rules and policies."""

    @property
    def cost(self) -> int:
        """How many times as long a game takes as one of simple policies, roughly."""
        return max(map(cost, self.policies))

    def block(self, numbers: range) -> Block:
        """Episodes of consecutive numbers, compiled if they can be; the same games either way."""
        if self.compiled is None:
            return self.by_rules(numbers)
        return self.compiled(numbers.start, len(numbers), np.array(self.keys, np.uint64))

    def by_rules(self, numbers: range) -> Block:
        """Episodes of consecutive numbers, played by the rules and policies themselves."""
        played = [self.episode(number) for number in numbers]
        episodes = [episode for episode, _ in played]
        return Block(
            numbers.start,
            np.array([episode.scores for episode in episodes], np.float64),
            np.array([[round(1 / s) if s else 0 for s in e.win_shares] for e in episodes], np.int8),
            np.array([episode.ranks for episode in episodes], np.int8),
            np.array([episode.length for episode in episodes], np.int32),
            np.array([episode.stopped for episode in episodes], np.bool_),
            np.array([counters for _, counters in played], np.uint64),
        )

    def episode(self, number: int) -> tuple[Episode, list[int]]:
        """One game, and the final state of each stream (sources, then seats)."""
        chance, seats = self.streams(number)
        episode = play(self.game, self.policies, chance, seats)
        return episode, [stream.counter for stream in (*chance.streams.values(), *seats)]

    def streams(self, number: int) -> tuple[Chance, list[Stream]]:
        """Chance and the seats' streams of an episode."""
        return _streams(self.game, self.keys, number)
