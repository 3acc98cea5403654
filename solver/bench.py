"""What can be timed: named pieces of work; whoever runs them brings the clock.

A game offers its own in a module ``bench`` with ``BENCHMARKS``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fable_solve.solver.game import GameSpec


@dataclass(frozen=True)
class Benchmark:
    """``prepare()`` sets up and returns ``run(amount)``, which does ``amount * scale`` units of work."""

    name: str
    unit: str
    prepare: Callable[[], Callable[[int], None]]
    scale: int = 1
    compiled: bool = True
    """Whether the work releases the interpreter's lock, so that threads do it side by side."""
    default: bool = True
    """Whether it is timed unless asked for by name."""


def play_benchmarks(spec: GameSpec) -> list[Benchmark]:
    """Whole games by each named policy at each number of players: ``GAME[.MODE].POLICY.PLAYERS``."""
    return [
        Benchmark(
            ".".join([spec.name, *([mode] if mode else []), policy, str(players)]),
            "games",
            _games(spec, mode, policy, players),
            default=players == spec.default_players,
        )
        for mode in spec.modes or (None,)
        for policy in spec.policies
        if policy != "human"  # no kernel plays it
        for players in spec.players
    ]


def _games(
    spec: GameSpec, mode: str | None, policy: str, players: int
) -> Callable[[], Callable[[int], None]]:
    def prepare() -> Callable[[int], None]:
        from fable_solve.solver.rollout import setup
        from fable_solve.solver.rules import load_rules
        from fable_solve.solver.simulation import play_block

        match = setup(spec, players, [policy], load_rules(spec.name), mode).build()

        def run(amount: int) -> None:
            play_block(match, range(amount), lambda: False)

        return run

    return prepare


def core_benchmarks() -> list[Benchmark]:
    """Work that belongs to no game."""
    return [Benchmark("matrix.solve.4x4", "games", _matrix_games, compiled=False)]


def _matrix_games() -> Callable[[int], None]:
    from fable_solve.solver.matrix import MatrixGame, solve
    from fable_solve.solver.rng import Stream, stream_key

    stream = Stream(stream_key(0, "bench"))
    games = [MatrixGame([[stream.below(19) - 9 for _ in range(4)] for _ in range(4)]) for _ in range(64)]

    def run(amount: int) -> None:
        for number in range(amount):
            solve(games[number % len(games)])

    return run
