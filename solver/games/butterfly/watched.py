"""Strong games of Butterfly, watched: what every seat takes, and where other takes would have led.

Of each game up to three decisions are played on from every alternative, by the same policies and with the
same random numbers: at one move, drawn uniformly, each tile in reach is taken, and likewise at one move at
which a pair can be completed, which is seldom; at one move across an open net the draw is made and left. How
a game ends for a seat is told by its *lead*, its final score less the mean of the others', and by its share
of the win.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

from fable_solve.solver.engines import Engine, Here, Processes, Stopped, cores
from fable_solve.solver.game import Game
from fable_solve.solver.games.butterfly.play import Butterfly, Move, State
from fable_solve.solver.games.butterfly.tiles import (
    BEES,
    CATEGORIES,
    CATEGORY,
    DRAGONFLIES,
    FIREFLIES,
    FLOWERS,
    GRASSHOPPERS,
    WASPS,
)
from fable_solve.solver.policy import Policy
from fable_solve.solver.rng import Stream, stream_key
from fable_solve.solver.rollout import Match, Setup, finish, streams

TYPES = (
    "bee and honeycomb pair",
    "bee or honeycomb alone",
    "x2",
    "butterfly 3-5",
    "butterfly 1-2",
    "flower",
    "dragonfly",
    "firefly",
    "grasshopper",
    "wasp",
)
"""What a tile is to a seat when it takes it; the first is a bee or a honeycomb that completes a pair."""
PAIR, ALONE, DOUBLE, HIGH, LOW = range(5)
OTHERS = {FLOWERS: 5, DRAGONFLIES: 6, FIREFLIES: 7, GRASSHOPPERS: 8, WASPS: 9}
PART = 10
"""Games of a part of a run, played by one worker."""


def tile_type(held: bytes, kind: int) -> int:
    """Number in :data:`TYPES` of a tile for whoever holds ``held``."""
    category = CATEGORY[kind]
    slot = kind - CATEGORIES[category].start
    if category == BEES:
        bees, *combs = held[CATEGORIES[BEES]]
        return PAIR if (sum(combs) > bees if slot == 0 else bees > sum(combs)) else ALONE
    if category < FLOWERS:
        return DOUBLE if slot == 5 else HIGH if slot >= 2 else LOW
    return OTHERS[category]


class Ending(NamedTuple):
    """How a game ends for a seat, or the difference between two endings."""

    lead: float
    """Its score less the mean of the others', points."""
    win: float
    """Its share of the win."""


@dataclass(frozen=True)
class Watched:
    """One game."""

    taken: tuple[tuple[int, ...], ...]
    """Tiles of each type by seat, ``[seats][types]``, draws included."""
    scores: tuple[float, ...]
    forced: tuple[tuple[int, Ending], ...]
    """(type, ending for the mover) of each tile in reach at one move."""
    pairing: tuple[tuple[int, Ending], ...]
    """The same at one move at which a pair can be completed; empty if there was none."""
    offers: int
    """Moves made across an open net."""
    drawn: int
    """Of these, those with a draw."""
    gain: Ending | None
    """At one of these, the ending with the draw less that without."""


def watch(match: Match, numbers: range, stopped: Stopped) -> list[Watched]:
    """Games of a match, watched."""
    return [watched(match, number) for number in numbers if not stopped()]


def watch_all(run: Setup, games: int) -> list[Watched]:
    """``games`` games, in parallel; the same for any number of cores."""
    match = run.build()
    match.block(range(1))  # compiles once, not in every worker
    parts = [range(first, min(first + PART, games)) for first in range(0, games, PART)]
    workers = min(cores(), len(parts))
    engine: Engine = Here(match, watch) if workers == 1 else Processes(run, watch, workers)
    with closing(engine):
        pending = [engine.submit(part) for part in parts]
        return [game for part in pending for game in part.result()]


def watched(match: Match, number: int) -> Watched:
    """One game, watched."""
    game = match.game
    assert isinstance(game, Butterfly)
    path = list[tuple[State, Any]]()
    chance, seats = match.streams(number)
    policies = [_noting(policy, path) for policy in match.policies]
    final, _ = finish(game, game.initial_state(), policies, chance, seats)
    made = [(state, action) for state, action in path if isinstance(action, Move)]
    after = [*(state for state, _ in made[1:]), final][: len(made)]
    across = [(state, move) for state, move in made if move.draw is not None]
    stream = Stream(stream_key(match.keys[0], "watched"), number)
    chosen = stream.choice(made)[0] if made else None
    pairs = [state for state, _ in made if _completes(game, state)]
    pairing = stream.choice(pairs) if pairs else None
    net = stream.choice(across) if across else None
    return Watched(
        _taken(game, [(state, move, later) for (state, move), later in zip(made, after, strict=True)]),
        game.scores(final),
        _forced(match, chosen, game.moves(chosen), number) if chosen else (),
        _forced(match, pairing, game.moves(pairing), number) if pairing else (),
        len(across),
        sum(bool(move.draw) for _, move in across),
        _gain(match, *net, number) if net else None,
    )


def _completes(game: Butterfly, state: State) -> bool:
    """Whether a tile in reach completes a pair."""
    held = state.held[state.seat]
    return any(tile_type(held, state.board[move.to]) == PAIR for move in game.moves(state))


def _noting(policy: Policy, path: list[tuple[State, Any]]) -> Policy:
    """The policy, its decisions kept in ``path``."""

    def noting(game: Game, state: Any, seat: int, stream: Stream) -> Any:
        action = policy(game, state, seat, stream)
        path.append((state, action))
        return action

    return noting


def _taken(game: Butterfly, moves: Sequence[tuple[State, Move, State]]) -> tuple[tuple[int, ...], ...]:
    """Tiles of each type by seat, from each move with the state before the next one."""
    counts = [[0] * len(TYPES) for _ in range(game.players)]
    for state, move, later in moves:
        seat, kind = state.seat, state.board[move.to]
        counts[seat][tile_type(state.held[seat], kind)] += 1
        if move.draw:
            held = game.successor(state, move).held[seat]
            drawn = next(kind for kind, left in enumerate(state.bag) if left > later.bag[kind])
            counts[seat][tile_type(held, drawn)] += 1
    return tuple(map(tuple, counts))


def _forced(match: Match, state: State, moves: Sequence[Move], number: int) -> tuple[tuple[int, Ending], ...]:
    held = state.held[state.seat]
    return tuple(
        (tile_type(held, state.board[move.to]), _ending(match, state, move, number))
        for move in moves
        if not move.draw
    )


def _gain(match: Match, state: State, move: Move, number: int) -> Ending:
    made, left = (_ending(match, state, move._replace(draw=draw), number) for draw in (True, False))
    return Ending(made.lead - left.lead, made.win - left.win)


def _ending(match: Match, state: State, move: Move, number: int) -> Ending:
    """How the game ends for the mover after a move, all played on by their policies."""
    game, seat = match.game, state.seat
    assert isinstance(game, Butterfly)
    chance, seats = streams(game, number, match.keys[0], "played on")
    final, _ = finish(game, game.successor(state, move), match.policies, chance, seats)
    scores = game.scores(final)
    rivals = (sum(scores) - scores[seat]) / (game.players - 1)
    return Ending(scores[seat] - rivals, game.win_shares(final)[seat])
