"""A rule for Butterfly that can be remembered, and the candidates it was chosen from.

``bench/human_rules.py`` chooses the lines of :data:`CHOSEN` (see :mod:`fable_solve.solver.decisions`).
"""

from __future__ import annotations

from collections.abc import Sequence

from fable_solve.solver.decisions import Line, Trial, Wish, remembered
from fable_solve.solver.games.butterfly.play import NOWHERE, Butterfly, Move, Start, State
from fable_solve.solver.games.butterfly.policies import best_catches, reply
from fable_solve.solver.games.butterfly.tiles import BEES, CATEGORIES, CATEGORY, FLOWERS, WASPS

Actions = Sequence[Start | Move]


def kinds(state: State, actions: Actions) -> list[int]:
    """The tiles that moves take; none at a start."""
    return [state.board[action.to] for action in actions if isinstance(action, Move)]


def points(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    return [game.scoring.gain(state.held[seat], kind) for kind in kinds(state, actions)]


def left(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    """Minus the best catch of the next player."""
    if state.square == NOWHERE:
        sign = 1 if seat == state.seat else -1
        return [sign * catch for catch in best_catches(game, state, actions)]  # type: ignore[arg-type]
    return [-reply(game, state, action) for action in actions if isinstance(action, Move)]


def net_points(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    own = points(game, state, seat, actions)
    return [a + b for a, b in zip(own, left(game, state, seat, actions), strict=True)] if own else []


def partners(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    """Whether a tile makes a pair of a bee and a honeycomb."""
    bees, *combs = state.held[seat][CATEGORIES[BEES]]
    spare = bees - sum(combs)
    first = CATEGORIES[BEES].start
    return [
        CATEGORY[kind] == BEES and (spare < 0 if kind == first else spare > 0)
        for kind in kinds(state, actions)
    ]


def foresight(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    """Points, a bee or honeycomb without a partner counted as 5 and a flower as 3 more."""
    pairs = partners(game, state, seat, actions)
    own = points(game, state, seat, actions)
    extra = [
        _promise(kind) if not pair else 0 for kind, pair in zip(kinds(state, actions), pairs, strict=True)
    ]
    bee = CATEGORIES[BEES].start
    base = [
        0 if kind == bee and not pair else n
        for kind, pair, n in zip(kinds(state, actions), pairs, own, strict=True)
    ]
    return [a + b for a, b in zip(base, extra, strict=True)]


def _promise(kind: int) -> int:
    return {BEES: 5, FLOWERS: 3}.get(CATEGORY[kind], 0)


def far_net(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    ahead = foresight(game, state, seat, actions)
    return [a + b for a, b in zip(ahead, left(game, state, seat, actions), strict=True)] if ahead else []


def tempo(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    """:func:`far_net`, less 2 for each tile that the next player can choose from."""
    ahead, few = far_net(game, state, seat, actions), few_moves(game, state, seat, actions)
    return [a + 2 * b for a, b in zip(ahead, few, strict=True)] if ahead else []


def draws(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    """Whether a draw is not declined."""
    return [action.draw is not False for action in actions if isinstance(action, Move)]


def across(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    return [action.draw is True for action in actions if isinstance(action, Move)]


def few_moves(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    """Minus the tiles that the next player can reach."""
    moves = [action for action in actions if isinstance(action, Move)]
    after = (game.successor(state, move._replace(draw=move.draw and False)) for move in moves)
    return [-len({move.to for move in game.moves(one)}) for one in after]


def _is(*wanted: int) -> Wish:
    def wish(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
        return [CATEGORY[kind] in wanted for kind in kinds(state, actions)]

    return wish


def no_wasp(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    return [CATEGORY[kind] != WASPS for kind in kinds(state, actions)]


def flowers(game: Butterfly, state: State, seat: int, actions: Actions) -> Sequence[float]:
    held = state.held[seat][CATEGORIES[FLOWERS]][0]
    return [CATEGORY[kind] == FLOWERS and held >= 2 for kind in kinds(state, actions)]


_CANDIDATES = {
    "pair": Line("A bee for a honeycomb you hold alone, or a honeycomb for such a bee.", partners),
    "points": Line("What brings you most points now.", points),
    "left": Line(
        "What leaves the next player the poorest best catch (also when you place the hedgehog).", left
    ),
    "net_points": Line(
        "Most points now, less those of the best catch you leave the next player.", net_points
    ),
    "foresight": Line("Most points now, a flower counted 3 more, a bee or honeycomb alone as 5.", foresight),
    "far_net": Line(
        "Most points now (a flower 3 more, a bee or honeycomb alone 5), less the best catch you leave to the "
        "next player.",
        far_net,
    ),
    "tempo": Line(
        "Most points now (a flower 3 more, a bee or honeycomb alone 5), less the best catch you leave to the "
        "next player, less 2 for each tile it can choose from.",
        tempo,
    ),
    "draw": Line("Where you cross a net, draw.", draws),
    "bees": Line("A bee or a honeycomb.", _is(BEES)),
    "flowers": Line("A flower, once you hold two.", flowers),
    "wasps": Line("No wasp.", no_wasp),
    "few": Line("What leaves the next player the fewest tiles to choose from.", few_moves),
}
CANDIDATES = {"": _CANDIDATES}
TRIALS = {"": Trial("butterfly", "search", "margin", 2, (0, 1))}
TITLES = {"": "A rule to remember"}
GAMES = 40
"""Games of each seat in a report."""
TRAINING_GAMES = 100
TRAINING = {"": "search@500"}
"""Whom lists are chosen against, where that is not the strongest."""
CHOSEN: dict[str, tuple[str, ...]] = {"": ("tempo", "draw")}
POLICY = remembered(CHOSEN, CANDIDATES, lambda game, state, seat: "")
