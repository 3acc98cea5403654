"""Squares at the start of a hiver game under the objective ``points``: reserves and row are dealt too.

What a collection can buy does not add up by cards, so each chain is solved on its own from the stake.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from fable_solve.solver.games.cigale.advise import ChainGame, chain_game
from fable_solve.solver.games.cigale.cards import card
from fable_solve.solver.games.cigale.rules import Rules
from fable_solve.solver.games.cigale.squares import Board, Squares, deal, fold, joined
from fable_solve.solver.games.cigale.stakes import Stake, round_stake
from fable_solve.solver.games.cigale.state import LAY, State
from fable_solve.solver.rng import Stream, stream_key


def opening_states(
    rules: Rules, board: Board, players: int, count: int, seed: int
) -> tuple[Any, Any, list[State]]:
    """Types and species of ``count`` dealt squares, and the states at the start of their games."""
    extra = players * rules.starting_cards
    types, species = deal(board, count, seed, extra=extra)
    cells = board.height * board.width
    states = []
    for n in range(count):
        codes = [card(int(t), int(s)) for t, s in zip(types[n], species[n], strict=True)]
        stream, pile = Stream(stream_key(seed, "cigale", "row"), n), list(rules.provision_pile(players))
        row: list[str] = []
        while pile and len(row) < rules.row_size:
            row.append(pile.pop(stream.below(len(pile))))
        hands = [codes[cells + i : cells + extra : players] for i in range(players)]
        states.append(
            State(
                LAY,
                0,
                1,
                tuple(codes[:cells]),
                (),
                reserves=tuple(tuple(sorted(hand)) for hand in hands),
                provisions=((),) * players,
                row=tuple(sorted(row)),
            )
        )
    return types[:, :cells], species[:, :cells], states


def opening_squares(
    rules: Rules, board: Board, players: int, count: int, seed: int, progress: Any
) -> Squares:
    """``count`` openings solved for the most Provision points one purchase can gain."""
    types, species, states = opening_states(rules, board, players, count, seed)
    parts = []
    for n, state in enumerate(states):
        stake = _cached(rules, state)
        games = [chain_game(state.board, chain, stake) for chain in board.chains]
        values = np.array([game.guess.value for game in games])
        best = int(np.argmax(values > values.max() - 1e-12))
        mixtures = np.zeros((1, 2, 4))
        for kind, p, q in zip(
            games[best].kinds, games[best].guess.ant, games[best].guess.cigale, strict=True
        ):
            mixtures[0, :, kind] = p, q
        row = slice(n, n + 1)
        naive = np.array([naive_payoffs(games)])
        parts.append(fold(board, types[row], species[row], values[None], np.array([best]), mixtures, naive))
        progress(n + 1, count)
    return joined(parts)


def _cached(rules: Rules, state: State) -> Stake:
    """The stake, remembered by what it depends on."""
    stake = round_stake(rules, "hiver", state, "points")
    if rules.swap_target == "uncovered":
        return stake
    by_squares = cache(lambda role, kind, squares: stake(role, kind, squares, ()))
    return lambda role, kind, squares, chain: by_squares(role, kind, tuple(squares))


def naive_payoffs(games: Sequence[ChainGame]) -> tuple[float, float]:
    """What the plain habits of :func:`kernel.naive_payoffs` get, from the guessing games of all chains."""
    biggest = max(games, key=lambda game: max(game.counts))
    named = biggest.counts.index(max(biggest.counts))
    answers = (_against_frequent(game, i) for game in games for i in range(len(game.kinds)))
    return -biggest.cigale_gains[named], max(answers)


def _against_frequent(game: ChainGame, named: int) -> float:
    """The Ant's payoff by naming a type against a Cigale spread evenly over the types with the most cards."""
    most = max(game.counts)
    caught = 1 / game.counts.count(most) if game.counts[named] == most else 0.0
    return game.ant_gains[named] * (1 - caught) - game.cigale_gains[named] * caught
