"""A rule for Butterfly that can be remembered, and the candidates it was chosen from.

``bench/human_rules.py`` chooses the lines of :data:`CHOSEN` (see :mod:`fable_solve.solver.decisions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fable_solve.solver.decisions import Line, Trial, remembered
from fable_solve.solver.games.butterfly.play import GAP, NOWHERE, TURNS, Butterfly, Move, Start, State
from fable_solve.solver.games.butterfly.policies import reply
from fable_solve.solver.games.butterfly.tiles import (
    BEES,
    CATEGORIES,
    CATEGORY,
    FIREFLIES,
    FLOWERS,
    GRASSHOPPERS,
    KINDS,
)

Actions = Sequence[Start | Move]

BUTTERFLY, FLOWER, DOUBLE, ALONE, FIRST = 3, 5, 5, 5, -5
"""What :func:`counted` adds: a tile is worth more, or less, than the points it brings at once."""


def kinds(state: State, actions: Actions) -> list[int]:
    """The tiles that moves take; none at a start."""
    return [state.board[action.to] for action in actions if isinstance(action, Move)]


def counted(game: Butterfly, held: bytes, kind: int) -> int:
    """What a tile counts for the owner of ``held``: points at once, and what it promises.

    A butterfly counts 3 more, a flower and an x2 5 more, the first firefly or grasshopper 5 less (those that
    follow may make it score less), and a bee or a honeycomb without a partner 5.
    """
    category, points = CATEGORY[kind], game.scoring.gain(held, kind)
    if category == BEES:
        bees, *combs = held[CATEGORIES[BEES]]
        paired = bees < sum(combs) if KINDS[kind] == "B" else bees > sum(combs)
        return points if paired else ALONE
    if category < FLOWERS:
        return points + (DOUBLE if KINDS[kind].endswith("x") else BUTTERFLY)
    if category == FLOWERS:
        return points + FLOWER
    first = category in (FIREFLIES, GRASSHOPPERS) and not any(held[CATEGORIES[category]])
    return points + (FIRST if first else 0)


def points(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    return [game.scoring.gain(state.held[seat], kind) for kind in kinds(state, actions)]


def net_points(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    moves = [action for action in actions if isinstance(action, Move)]
    replies = (reply(game, state, move) for move in moves)
    return [own - caught for own, caught in zip(points(game, state, seat, moves), replies, strict=True)]


def promise(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    """What the tiles count for the seat (:func:`counted`)."""
    return [counted(game, state.held[seat], kind) for kind in kinds(state, actions)]


def catch(game: Butterfly, state: State, seat: int, tiles: Iterable[int]) -> int:
    """The most that one of the tiles counts for a seat, 0 if there is none."""
    return max((counted(game, state.held[seat], kind) for kind in set(tiles)), default=0)


def reach(game: Butterfly, state: State, square: int, facing: int) -> list[int]:
    """The tiles in reach of a hedgehog that has come to a square."""
    squares = (to for way in TURNS[facing] for to in game.rays[square][way])
    return [state.board[to] for to in squares if state.board[to] != GAP]


def ahead(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    """What a tile counts, less the best catch of the next player; at a start the first player's best catch,
    the larger the better for the first player, the smaller for others."""
    if state.square == NOWHERE:
        sign = 1 if seat == state.seat else -1
        starts = [action for action in actions if isinstance(action, Start)]
        return [sign * catch(game, state, state.seat, reach(game, state, *start)) for start in starts]
    moves, rival = [action for action in actions if isinstance(action, Move)], (seat + 1) % game.players
    caught = (catch(game, state, rival, reach(game, state, move.to, move.facing)) for move in moves)
    return [own - lost for own, lost in zip(promise(game, state, seat, moves), caught, strict=True)]


def draws(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    """Whether a draw is not declined."""
    return [action.draw is not False for action in actions if isinstance(action, Move)]


def few(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    """Minus the tiles that the next player can reach."""
    moves = (action for action in actions if isinstance(action, Move))
    return [-len(reach(game, state, move.to, move.facing)) for move in moves]


COUNT = (
    "(butterflies 3 more, flowers and x2 5 more, a first firefly or grasshopper 5 less, a bee or honeycomb "
    "alone 5)"
)
_CANDIDATES = {
    "points": Line("What brings you most points now.", points),
    "net_points": Line(
        "Most points now, less those of the best catch you leave the next player.", net_points
    ),
    "promise": Line(f"Most points now {COUNT}.", promise),
    "ahead": Line(
        f"Most points now {COUNT}, less the best catch you leave the next player, counted the same way "
        "(also when you place the hedgehog).",
        ahead,
    ),
    "draw": Line("Where you cross a net, draw.", draws),
    "few": Line("What leaves the next player the fewest tiles to choose from.", few),
}
CANDIDATES = {"": _CANDIDATES}
TRIALS = {"": Trial("butterfly", "search", "margin", 2, (0, 1))}
TITLES = {"": "A rule to remember"}
GAMES = 40
"""Games of each seat in a report."""
TRAINING_GAMES = 400
TRAINING = {"": "search@500"}
"""Whom lists are chosen against, where that is not the strongest."""
CHOSEN: dict[str, tuple[str, ...]] = {"": ("ahead", "draw")}
POLICY = remembered(CHOSEN, CANDIDATES, lambda game, state, seat: "")
