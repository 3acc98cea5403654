"""Values of the actions of a position: exact where it is small enough, else by tree search or roll-outs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fable_solve.solver import dynamic, estimate
from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.game import CHANCE
from fable_solve.solver.games.butterfly.play import FACINGS, GAP, NOWHERE, Butterfly, Move, Start, State
from fable_solve.solver.games.butterfly.policies import POLICIES
from fable_solve.solver.games.butterfly.sweeps import HINT, refuse_large
from fable_solve.solver.games.butterfly.tiles import KINDS
from fable_solve.solver.positions import Position
from fable_solve.solver.result import Answer, Certificate
from fable_solve.solver.rollout import roll_out
from fable_solve.solver.study import silent

if TYPE_CHECKING:
    from fable_solve.solver.games.butterfly.search import Found

Progress = Callable[[int, int | None], None]

TRY_TWO, TRY_MORE = (24, 500_000), (8, 200_000)
"""Up to this many tiles ``advise`` first tries the exact value, with this many states, for 2 players and
for more."""
NODES = 1_000_000
"""Nodes of the search of a position that is too large to solve."""
PLAYOUTS = 2000
"""Roll-outs of one answer, shared equally by the actions; each action gets at least ``FEWEST``."""
FEWEST = 30
SHOWN_ROUNDS = 4
"""Rounds of a search whose values are told."""
UNITS = {"margin": "final margin", "win": "win share", "score": "final score"}
LARGER = 10
"""How many times the memory a state of max^n takes; so many times fewer are allowed."""
HINT_MORE = f"1 for {LARGER} of --max-states, as each takes {LARGER} times the memory; {HINT}"


@dataclass(frozen=True)
class Value:
    """Value of an action for the seat that takes it."""

    action: Start | Move
    value: float
    certificate: Certificate


def with_objective(position: Position, objective: str | None) -> Butterfly:
    """The game of a position, its returns counted by ``objective``; raises :class:`BadInput`."""
    game: Butterfly = position.game
    try:
        return Butterfly(game.rules, game.players, objective, game.rows, game.cols, game.nets, game.stock)
    except BadInput as error:
        raise BadInput(error.expected, error.got, where="--objective") from None


def acting(game: Butterfly, state: State) -> int:
    """The seat to act; where nobody is, the one whose turn it would be if there were something to do."""
    mover = game.player_to_move(state)
    if mover >= 0:
        return mover
    placer = game.placer(state)
    return state.seat if state.square != NOWHERE or placer is None else placer


def idle(game: Butterfly, state: State) -> str:
    """Why nobody is to act."""
    if game.player_to_move(state) == CHANCE:
        return "the start is drawn at random"
    missing = "no tile to start on" if state.square == NOWHERE else "no legal move"
    return f"{missing} (the game is over)"


def solve(
    position: Position,
    objective: str | None = None,
    max_states: int = 20_000_000,
    progress: Progress = silent,
) -> Answer:
    """Value of a position for the seat to act under optimal play by all; raises :class:`TooLarge`.

    With 2 players the objective is the margin unless told otherwise. More players use max^n on their win
    shares, or on their scores.
    """
    position.details.require_bag()
    game, state = with_objective(position, objective), position.state
    value, values, states = exact(game, state, max_states, progress)
    certificate = values[0].certificate if values else Certificate.exact()
    return _answer(game, state, value, values, certificate, states=states)


def exact(
    game: Butterfly, state: State, max_states: int, progress: Progress = silent
) -> tuple[float, list[Value], int]:
    """Value for the seat to act, the values of its actions, and the number of states searched."""
    if game.players > 2 or game.objective == "score":
        return _max_n(game, state, max_states, progress)
    from fable_solve.solver.games.butterfly.exact import Endgame

    endgame, seat = Endgame(game, state, max_states, progress), acting(game, state)

    def own(state: State) -> float:
        first = endgame.value(state)
        return first if seat == 0 else (1.0 - first if game.objective == "win" else -first)

    certificate = Certificate.exact(note="depth-first search of every state")
    values = [
        Value(action, float(own(game.successor(state, action))), certificate)
        for action in game.legal_actions(state, seat)
    ]
    value = max((item.value for item in values), default=None)
    return own(state) if value is None else value, values, endgame.states


def _max_n(
    game: Butterfly, state: State, max_states: int, progress: Progress
) -> tuple[float, list[Value], int]:
    limit = max(max_states // LARGER, 1)
    refuse_large(game, state, limit, HINT_MORE)
    try:
        found = dynamic.solve(game, state, max_states=limit, progress=progress)
    except TooLarge as error:
        raise TooLarge(error.unit, error.estimate, error.limit, hint=HINT_MORE) from None
    values = [Value(action, value, found.certificate) for action, value in found.actions]
    return found.values[acting(game, state)], values, found.states


def advise(
    position: Position, objective: str | None = None, top: int = 5, nodes: int | None = None
) -> Answer:
    """The actions of the seat to act by value, best first, ``top`` of them (0: all).

    Where the position is too large to solve, a tree search of ``nodes`` nodes values them, by the margin or,
    as max^n, by the share of the win. If the objective is the score, roll-outs do.
    """
    position.details.require_bag()
    game, state = with_objective(position, objective), position.state
    if game.player_to_move(state) < 0:
        raise BadInput("a position in which a seat is to act", idle(game, state), where=position.source)
    try:
        value, values, _ = _small(game, state)
        certificate = values[0].certificate
    except TooLarge:
        from fable_solve.solver.games.butterfly.tables import fits

        if fits(game) and game.objective != "score":
            return _searched(game, state, top, nodes or NODES)
        values = sampled(game, state)
        leader = max(values, key=lambda item: item.value)
        value, certificate = leader.value, leader.certificate
    return _answer(game, state, value, values, certificate, top=top)


def _small(game: Butterfly, state: State) -> tuple[float, list[Value], int]:
    tiles = sum(kind != GAP for kind in state.board)
    most, limit = TRY_TWO if game.players == 2 else TRY_MORE
    if tiles > most:
        raise TooLarge("tiles", tiles, most)
    return exact(game, state, limit)


def sampled(game: Butterfly, state: State) -> list[Value]:
    """Mean return of each action over roll-outs in which every seat plays ``greedy`` after it.

    Roll-out k of every action uses the same random numbers, so that differences between actions are less
    noisy than the intervals of each.
    """
    seat = acting(game, state)
    actions = game.legal_actions(state, seat)
    n = max(PLAYOUTS // len(actions), FEWEST)
    note = "everybody plays greedy after the action"
    values = []
    for action in actions:
        after = game.successor(state, action)
        mean = estimate.mean(
            [roll_out(game, after, POLICIES["greedy"], k, "butterfly")[seat] for k in range(n)]
        )
        reach = mean.half_width
        certificate = Certificate.sampled(mean.mean - reach, mean.mean + reach, n, note)
        values.append(Value(action, mean.mean, certificate))
    return values


def _searched(game: Butterfly, state: State, top: int, nodes: int) -> Answer:
    """What a tree search finds: an estimate, unless every line was played to its end."""
    from fable_solve.solver.games.butterfly.search import Searcher

    method = "paranoid" if game.objective == "margin" else "maxn"
    found, seat = Searcher(game, nodes, method).find(state, every=True), acting(game, state)
    scores = game.scores(state)
    ahead = scores[seat] - scores[1 - seat] if method == "paranoid" else 0
    items = [(action, ahead + value) for action, value in found.values]
    shown = items[: top or None]
    line = [item_document(game, action) for action in found.line]
    rounds = [
        {"depth": seen.depth, "nodes": seen.nodes, "best": item_document(game, seen.best),
         "value": ahead + seen.value}
        for seen in found.rounds
    ]  # fmt: skip
    sure = {
        "method": method,
        "exact": found.exact,
        "depth": found.depth,
        "nodes": found.nodes,
        "averaged_draws": found.averaged,
        "settled": found.settled,
        "rounds": rounds,
    }
    document = {
        "game": "butterfly", "objective": game.objective, "seat": seat, "value": items[0][1],
        "search": sure, "line": line,
        "starts" if state.square == NOWHERE else "actions": [
            {**item_document(game, action), "value": value} for action, value in shown
        ],
    }  # fmt: skip
    what = f"{'exact' if found.exact else 'estimated'} {UNITS[game.objective]} {items[0][1]:.2f}"
    return Answer(
        document, (*item_columns(state), "value"),
        [(*item_row(game, state, action), value) for action, value in shown],
        f"Butterfly, seat {seat} to act: {what}",
        notes=() if len(shown) == len(items) else (f"{len(shown)} of {len(items)} actions shown.",),
        footer=_sure(found, ahead, line),
    )  # fmt: skip


def _sure(found: Found, ahead: float, line: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """How far the search saw, how its answer changed as it saw farther, and what it expects."""
    seen = "every line to its end" if found.depth is None else f"{found.depth} moves ahead, then estimated"
    draws = "; a draw counts with its average, shown where it is worth it" if found.averaged else ""
    steps = [item.get("move", item) for item in line]
    said = ", ".join(
        f"{step['facing']} {step.get('to', (step.get('row'), step.get('col')))}" for step in steps
    )
    values = ", ".join(f"{ahead + round_.value:.2f}" for round_ in found.rounds[-SHOWN_ROUNDS:])
    return (
        f"Tree search of {found.nodes:,} nodes: {seen}{draws}.",
        f"Best in the last {found.settled} of {len(found.rounds)} rounds, each a move deeper; value in the "
        f"last rounds: {values}.",
        f"Expected play: {said}.",
    )


def _answer(
    game: Butterfly,
    state: State,
    value: float,
    values: list[Value],
    certificate: Certificate,
    top: int = 0,
    states: int | None = None,
) -> Answer:
    ranked = sorted(values, key=lambda item: -round(item.value, 9))
    shown = ranked[: top or None]
    seat = acting(game, state)
    document: dict[str, Any] = {
        "game": "butterfly",
        "objective": game.objective,
        "seat": seat,
        "value": float(value),
        **({} if states is None else {"states": states}),
        "certificate": certificate.document(),
    }
    key = "starts" if state.square == NOWHERE else "actions"
    document[key] = [
        {**item_document(game, item.action), "value": item.value, **_interval(item)} for item in shown
    ]
    rows = [(*item_row(game, state, item.action), item.value, str(item.certificate)) for item in shown]
    return Answer(
        document, (*item_columns(state), "value", "certificate"), rows,
        _title(game, state, value, certificate),
        notes=() if len(shown) == len(ranked) else (f"{len(shown)} of {len(ranked)} actions shown.",),
        footer=_footer(certificate, states),
    )  # fmt: skip


def _interval(item: Value) -> dict[str, Any]:
    """What a sampled value says of itself; exact ones share the certificate of the answer."""
    return {"certificate": item.certificate.document()} if item.certificate.kind == "sampled" else {}


def _title(game: Butterfly, state: State, value: float, certificate: Certificate) -> str:
    unit = UNITS[game.objective]
    what = f"expected {unit}" if certificate.kind == "exact" else f"mean {unit} of roll-outs"
    seat = acting(game, state)
    if game.player_to_move(state) < 0:
        return f"Butterfly, {idle(game, state)}: {what} of seat {seat} {value:.4f}"
    return f"Butterfly, seat {seat} to act: {what} {value:.4f}"


def _footer(certificate: Certificate, states: int | None) -> tuple[str, ...]:
    if certificate.kind == "sampled":
        return (
            "Too large to solve: means of roll-outs in which everybody plays greedy after the action;",
            "the best of many such means tends to look better than it is.",
        )
    return (f"Optimal play by all, {certificate}" + (f", {states:,} states." if states else "."),)


def item_document(game: Butterfly, action: Start | Move) -> dict[str, Any]:
    """An action as the documents of the command line write it."""
    if isinstance(action, Start):
        row, col = game.cell(action.square)
        return {"row": row, "col": col, "facing": FACINGS[action.facing]}
    move = {"facing": FACINGS[action.facing], "to": game.cell(action.to)}
    return {"move": move, "draw": action.draw}


def item_columns(state: State) -> tuple[str, ...]:
    return ("row", "col", "facing") if state.square == NOWHERE else ("facing", "row", "col", "tile", "draw")


def item_row(game: Butterfly, state: State, action: Start | Move) -> tuple[Any, ...]:
    """An action as a row of a table, in the order of :func:`item_columns`."""
    if isinstance(action, Start):
        return (*game.cell(action.square), FACINGS[action.facing])
    draw = {None: "-", True: "yes", False: "no"}[action.draw]
    return (FACINGS[action.facing], *game.cell(action.to), KINDS[state.board[action.to]], draw)
