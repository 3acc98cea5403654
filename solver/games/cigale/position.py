"""Positions of Cigale: read, written back, scored, enumerated, advised on, solved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.cigale.automne import Automne
from fable_solve.solver.games.cigale.cards import NO_INSECT, SPECIES, TYPES, insect_of, type_of
from fable_solve.solver.games.cigale.chains import Chain, legal_chains
from fable_solve.solver.games.cigale.document import dump, parse
from fable_solve.solver.games.cigale.market import count_outcomes, swap_outcomes
from fable_solve.solver.games.cigale.play import types_under
from fable_solve.solver.games.cigale.rules import make_game
from fable_solve.solver.games.cigale.size import check_size
from fable_solve.solver.games.cigale.state import LAY, OVER
from fable_solve.solver.positions import Position
from fable_solve.solver.result import Answer, Certificate
from fable_solve.solver.rules import RuleData
from fable_solve.solver.schema import shown
from fable_solve.solver.study import silent

__all__ = ["advise", "dump", "enumerate_actions", "enumerate_game", "export_nfg", "parse", "score", "solve"]

MAX_TAKES = 200_000
"""Sets of places an enumeration lists."""

SOLVE_OBJECTIVES = ("margin", "win")


def score(position: Position) -> Answer:
    """Each player's points as the table stands: shelves and insect sets, or Provisions."""
    scores = [int(points) for points in position.game.scores(position.state)]
    return Answer(
        {"game": "cigale", "mode": position.mode, "scores": scores},
        ("player", "points"),
        list(enumerate(scores)),
        title="Scores",
    )


# --- enumeration


def enumerate_game(rules: RuleData, mode: str | None) -> Answer:
    """Every legal chain of the full square, as lists of ``[row, column]``."""
    model = rules.model
    height, width = model.board
    chains = legal_chains(height, width, frozenset(), model.ants, model.chain_rule)
    rows = [(i, _text(chain, width)) for i, chain in enumerate(chains)]
    return Answer(
        _chains_document(chains, width),
        ("number", "chain"),
        rows,
        title=_title(len(chains), model.chain_rule),
    )


def enumerate_actions(position: Position) -> Answer:
    """Every legal chain of a position, and every (chain, Choix) pair with what it would collect.

    A pair lists the cards by type under the chain, the insects among the collected cards, and in hiver
    every set of places whose cards the Ant may take (``takes``: the swaps, their number ``takes_count``; more
    than ``MAX_TAKES`` in all are counted, not listed: null).
    """
    game, state = position.game, position.state
    chains = game.chains(state) if state.phase == LAY else ()
    pairs = [_pair(position, chain, choice) for chain in chains for choice in types_under(state.board, chain)]
    notes = _with_swaps(position, pairs) if position.mode == "hiver" else ()
    document = _chains_document(chains, game.width) | {"pairs": pairs}
    columns: tuple[str, ...] = ("chain", "Choix", "cards", "types", "insects")
    rows = [_pair_row(pair) for pair in pairs]
    if position.mode == "hiver":
        columns = (*columns, "takes")
        rows = [(*row, pair["takes_count"]) for row, pair in zip(rows, pairs, strict=True)]
    return Answer(
        document, columns, rows, _title(len(chains), position.rules.model.chain_rule, len(pairs)), notes
    )


def _title(chains: int, chain_rule: str, pairs: int | None = None) -> str:
    more = "" if pairs is None else f", {pairs} pairs of chain and Choix"
    return f"{chains} legal chains ({chain_rule}){more}"


def _chains_document(chains: Sequence[Chain], width: int) -> dict[str, Any]:
    return {"game": "cigale", "count": len(chains), "items": [_places(chain, width) for chain in chains]}


def _places(cells: Sequence[int], width: int) -> list[list[int]]:
    return [list(divmod(cell, width)) for cell in cells]


def _text(cells: Sequence[int], width: int) -> str:
    return " ".join(f"{row},{column}" for row, column in _places(cells, width))


def _pair(position: Position, chain: Chain, choice: int) -> dict[str, Any]:
    """One chain with one Choix, and what the collector gets."""
    board, width = position.state.board, position.game.width
    under = [board[cell] for cell in chain]
    taken = [cell for cell in chain if type_of(board[cell]) == choice]
    insects = [SPECIES[insect_of(board[cell])] for cell in taken if insect_of(board[cell]) != NO_INSECT]
    return {
        "cells": _places(chain, width),
        "choix": TYPES[choice],
        "count": len(taken),
        "counts": {TYPES[t]: sum(type_of(code) == t for code in under) for t in types_under(board, chain)},
        "insects": insects,
    }


def _with_swaps(position: Position, pairs: list[dict[str, Any]]) -> tuple[str, ...]:
    """Adds to each pair what the Ant may take instead; a note where that is too much to list."""
    state, game, target = position.state, position.game, position.rules.model.swap_target
    collections = []
    for pair in pairs:
        chain = tuple(row * game.width + column for row, column in pair["cells"])
        squares = [cell for cell in chain if TYPES[type_of(state.board[cell])] == pair["choix"]]
        collections.append((squares, chain))
        pair["takes_count"] = count_outcomes(state.board, squares, chain, target)
    total = sum(pair["takes_count"] for pair in pairs)
    for pair, (squares, chain) in zip(pairs, collections, strict=True):
        takes = sorted(swap_outcomes(state.board, squares, chain, target)) if total <= MAX_TAKES else None
        pair["takes"] = None if takes is None else [_places(cells, game.width) for cells in takes]
    return () if total <= MAX_TAKES else (f"{total:,} sets of places may be taken: counted, not listed",)


def _pair_row(pair: dict[str, Any]) -> tuple[Any, ...]:
    return (
        " ".join(f"{row},{column}" for row, column in pair["cells"]),
        pair["choix"],
        pair["count"],
        " ".join(f"{count}{letter}" for letter, count in pair["counts"].items()),
        " ".join(pair["insects"]),
    )


# --- advice and exact values


def advise(position: Position, objective: str | None, top: int) -> Answer:
    """See :func:`fable_solve.solver.games.cigale.advise.advise`."""
    from fable_solve.solver.games.cigale import advise as module

    return module.advise(position, objective, top)


def export_nfg(position: Position, objective: str | None) -> str:
    """See :func:`fable_solve.solver.games.cigale.advise.export_nfg`."""
    from fable_solve.solver.games.cigale import advise as module

    return module.export_nfg(position, objective)


def solve(position: Position, objective: str | None, max_states: int, progress: Any = silent) -> Answer:
    """Seat 0's exact value of the rest of the game, and the Ant's chains, best first.

    The values of the chains are seat 0's too. Raises :class:`BadInput` for other than 2 players or a draw
    pile that cannot be told, :class:`TooLarge` beyond ``max_states`` states.
    """
    objective = objective or SOLVE_OBJECTIVES[0]
    if objective not in SOLVE_OBJECTIVES:
        raise BadInput(f"one of {', '.join(SOLVE_OBJECTIVES)}", shown(objective), where="--objective")
    players = position.game.players
    if players != 2:
        raise BadInput(
            "2 players (an exact value is defined for two)", players, where=f"{position.source}: players"
        )
    if position.state.phase != OVER:
        position.details.require_pile()
    game = make_game(
        position.rules.model,
        2,
        position.mode,
        objective,
        height=position.game.height,
        width=position.game.width,
    )
    if position.state.phase == LAY:
        check_size(game, position.state, max_states)
    value, actions, states, certificate = _values(game, position.state, max_states, progress)
    document = {
        "game": "cigale",
        "mode": position.mode,
        "objective": objective,
        "value": value,
        "states": states,
        "certificate": certificate.document(),
        "actions": [{"cells": _places(chain, game.width), "value": value} for chain, value in actions],
    }
    unit = "points ahead" if objective == "margin" else "win share"
    return Answer(
        document,
        ("chain", f"value to seat 0 ({unit})"),
        [(_text(chain, game.width), value) for chain, value in actions],
        title=f"Value to seat 0: {value:.9g} ({unit})",
        notes=position.details.notes,
        footer=(f"{states:,} states, certificate: {certificate}", *_over(position)),
    )


def _over(position: Position) -> tuple[str, ...]:
    return () if position.state.phase == LAY else ("The game is over: nothing is left to decide.",)


def _values(
    game: Any, state: Any, max_states: int, progress: Any
) -> tuple[float, list[tuple[Chain, float]], int, Certificate]:
    """Seat 0's value of a state and of each chain there, best for the Ant first; states visited; proof."""
    from fable_solve.solver import dynamic
    from fable_solve.solver.games.cigale.exact import AutomneValues, table_of

    if not isinstance(game, Automne) or state.phase != LAY:
        found = dynamic.solve(game, state, max_states=max_states, progress=progress)
        sign, total = (1.0, 0.0) if state.ant == 0 else (-1.0, sum(found.values))
        chains = [(chain, total + sign * value) for chain, value in found.actions]
        return found.value, chains, found.states, found.certificate
    values = AutomneValues(game, max_states, progress)
    ranked = sorted(values.rounds(table_of(state), game.chains(state)), key=lambda pair: -round(pair[1], 12))
    seen = [(chain, value if state.ant == 0 else values.other(value)) for chain, value in ranked]
    return seen[0][1], seen, len(values.known) + 1, values.certificate
