"""Policies of Butterfly.

``random``: starts on a uniform tile with a uniform facing, moves to a uniform legal destination, and accepts
the offer of a net with probability 1/2.

``greedy``: takes what brings most points to its own collection at once, counting what a draw from the bag
brings on average where a net is crossed; it draws when that average is above 0. It puts the hedgehog where
the best first catch of the seat that moves first is smallest (largest, if it moves first itself). Equal
choices are drawn uniformly.

``lookahead``: the same, less what the seat after it can then take at best from the square (a net it might
cross left out), over the number of the other seats: own points less the mean of the others' is what it
raises, and in two plies only one of the others gets to move. With 2 players these are the points by which it
gets ahead.
A start lets the first seat catch once, so it is that of ``greedy``.

``search``: the best action found by a tree search of ``NODES`` nodes, ``search@5000`` by one of 5,000 (a
start gets some times as many); among equal ones the first found. It draws no random number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from fable_solve.solver.games.butterfly.play import GAP, NOWHERE, TURNS, Butterfly, Move, Start, State
from fable_solve.solver.games.butterfly.tiles import take
from fable_solve.solver.rng import Stream

if TYPE_CHECKING:
    from fable_solve.solver.games.butterfly.search import Searcher

T = TypeVar("T")


def random(game: Butterfly, state: State, seat: int, stream: Stream) -> Start | Move:
    """Uniform start, uniform destination, a fair coin for a net."""
    if state.square == NOWHERE:
        return stream.choice(game.starts(state))
    moves = [move for move in game.moves(state) if not move.draw]
    move = stream.choice(moves)
    return move if move.draw is None else move._replace(draw=bool(stream.below(2)))


def greedy(game: Butterfly, state: State, seat: int, stream: Stream) -> Start | Move:
    """Most points at once."""
    if state.square == NOWHERE:
        starts = game.starts(state)
        catches = best_catches(game, state, starts)
        sign = 1 if seat == state.seat else -1
        return best(starts, [sign * catch for catch in catches], stream)
    moves = game.moves(state)
    return best(moves, [value(game, state, move) for move in moves], stream)


def lookahead(game: Butterfly, state: State, seat: int, stream: Stream) -> Start | Move:
    """Most points at once, less what they leave for the next seat."""
    if state.square == NOWHERE:
        return greedy(game, state, seat, stream)
    moves, rivals, scale = game.moves(state), game.players - 1, 2 * (sum(state.bag) or 1)
    own, replies = [value(game, state, move) for move in moves], [reply(game, state, move) for move in moves]
    worth = [rivals * points - scale * caught for points, caught in zip(own, replies, strict=True)]
    return best(moves, worth, stream)


def reply(game: Butterfly, state: State, move: Move) -> int:
    """Most points that the seat after the mover's can make with one tile, 0 if it has no move."""
    held, board = state.held[(state.seat + 1) % game.players], state.board
    squares = (to for facing in TURNS[move.facing] for to in game.rays[move.to][facing] if board[to] != GAP)
    return max((game.scoring.gain(held, board[to]) for to in squares), default=0)


def value(game: Butterfly, state: State, move: Move) -> int:
    """Points a move brings at once, twice and times the tiles of the bag so that it is a whole number; of a
    draw what it brings on average, and a little less if that is nothing: a draw must be worth it."""
    held, kind, total = state.held[state.seat], state.board[move.to], sum(state.bag) or 1
    points = 2 * total * game.scoring.gain(held, kind)
    if not move.draw:
        return points
    after = take(held, kind)
    drawn = sum(count * game.scoring.gain(after, k) for k, count in enumerate(state.bag) if count)
    return points + 2 * drawn - (drawn <= 0)


def best_catches(game: Butterfly, state: State, starts: Sequence[Start]) -> list[int]:
    """For each start, the most points of one tile in reach of the seat that then moves (0: no tile)."""
    held = state.held[state.seat]
    worth = {kind: game.scoring.gain(held, kind) for kind in set(state.board) if kind != GAP}
    lines = [
        [max((worth[state.board[to]] for to in ray if state.board[to] != GAP), default=None) for ray in rays]
        for rays in game.rays
    ]
    return [
        max(
            (w for facing in TURNS[start.facing] if (w := lines[start.square][facing]) is not None), default=0
        )
        for start in starts
    ]


def best(actions: Sequence[T], values: Sequence[int], stream: Stream) -> T:
    """A uniform one of the actions of largest value."""
    top = max(values)
    return stream.choice([action for action, value in zip(actions, values, strict=True) if value == top])


class Search(NamedTuple):
    """A search by name: ``search`` is the stronger one for the number of players."""

    method: str
    nodes: int


def searching(search: Search) -> Any:
    """The best action that a tree search finds; it draws no random number."""

    @lru_cache(maxsize=4)
    def searcher(game: Butterfly) -> Searcher:
        from fable_solve.solver.games.butterfly.search import Searcher

        return Searcher(game, search.nodes, search.method)

    def policy(game: Butterfly, state: State, seat: int, stream: Stream) -> Start | Move:
        return searcher(game).best(state)

    policy.cost = search.nodes  # type: ignore[attr-defined]
    return policy


def searched(name: str) -> Search | None:
    """What a policy of this name searches: ``METHOD`` or ``METHOD@NODES``."""
    method, _, nodes = name.partition("@")
    if method not in METHODS or not (name == method or re.fullmatch("[1-9][0-9]{0,8}", nodes)):
        return None
    return Search(method, int(nodes or NODES))


class Policies(dict[str, Any]):
    """Policies by name, searches among them by every method and for every number of nodes."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and searched(name) is not None)

    def __missing__(self, name: str) -> Any:
        search = searched(name)
        if search is None:
            raise KeyError(name)
        return searching(search)


NODES = 20_000
"""Nodes of a move that a search looks at."""
METHODS = ("search", "paranoid", "maxn")
POLICIES: dict[str, Any] = Policies(
    random=random, greedy=greedy, lookahead=lookahead, search=searching(Search("search", NODES))
)
