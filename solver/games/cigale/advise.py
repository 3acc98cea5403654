"""The best chains of a square, with both mixtures and the Red Ants' names: what a player should do now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.cigale.cards import HOLE, TYPES, type_of
from fable_solve.solver.games.cigale.chains import Chain, legal_chains
from fable_solve.solver.games.cigale.guessing import Guess, Range, guess_matrix, guess_ranges, solve_guess
from fable_solve.solver.games.cigale.stakes import ANT, CIGALE, ROUND_OBJECTIVES, Stake, round_stake
from fable_solve.solver.games.cigale.state import OVER
from fable_solve.solver.positions import Position
from fable_solve.solver.result import Answer, Certificate

DEFAULT_OBJECTIVE = {"automne": "points", "hiver": "cards"}
TYPE_NAMES = {"Y": "yellow", "B": "blue", "N": "brown", "R": "red"}


@dataclass(frozen=True)
class ChainGame:
    """One chain as a guessing game: the covered types, how many cards of each, both roles' gains."""

    chain: Chain
    kinds: tuple[int, ...]
    counts: tuple[int, ...]
    ant_gains: tuple[float, ...]
    cigale_gains: tuple[float, ...]
    guess: Guess

    def by_type(self, values: Sequence[Any]) -> dict[str, Any]:
        """``values`` of the covered types under the types' letters."""
        return {TYPES[kind]: value for kind, value in zip(self.kinds, values, strict=True)}

    @property
    def ranges(self) -> tuple[list[Range], list[Range]]:
        return guess_ranges(self.ant_gains, self.cigale_gains)


def chain_game(board: Sequence[int], chain: Chain, stake: Stake) -> ChainGame:
    """The guessing game of one chain."""
    covered: dict[int, list[int]] = {}
    for square in chain:
        covered.setdefault(type_of(board[square]), []).append(square)
    kinds = tuple(sorted(covered))
    a = tuple(stake(ANT, kind, covered[kind], chain) for kind in kinds)
    b = tuple(stake(CIGALE, kind, covered[kind], chain) for kind in kinds)
    counts = tuple(len(covered[kind]) for kind in kinds)
    return ChainGame(chain, kinds, counts, a, b, solve_guess(a, b))


def chains_of(position: Position) -> tuple[Chain, ...]:
    """Every legal chain of a position's square; raises :class:`BadInput` where there is none."""
    game, board, rules = position.game, position.state.board, position.rules.model
    holes = frozenset(square for square, code in enumerate(board) if code == HOLE)
    chains = legal_chains(game.height, game.width, holes, rules.ants, rules.chain_rule)
    if not chains:
        expected = f"a board on which {rules.ants} ants can form a chain ({rules.chain_rule})"
        raise BadInput(expected, "none", where=f"{position.source}: board")
    return chains


def ranked(position: Position, objective: str) -> list[ChainGame]:
    """All chains of the square as solved guessing games, best for the Ant first (ties: reading order).

    ``cards`` and ``points`` value the round alone; ``margin`` and ``win`` the rest of the game.
    """
    if objective not in ROUND_OBJECTIVES:
        from fable_solve.solver.games.cigale.whole import ranked_by_game

        chains_of(position)
        return ranked_by_game(position, objective)
    stake = round_stake(position.rules.model, position.mode, position.state, objective)
    games = [chain_game(position.state.board, chain, stake) for chain in chains_of(position)]
    return sorted(games, key=lambda game: -round(game.guess.value, 12))


@dataclass(frozen=True)
class RedAnt:
    """A Red Ant's best name: its mixture over the four types, and the expected number of cards drawn."""

    seat: int
    names: dict[str, float]
    value: float


def red_seats(position: Position) -> tuple[int, ...]:
    """Seats that name a type beside the Ant and the Cigale, from the Ant's left; empty in automne."""
    if position.mode != "hiver":
        return ()
    state, players = position.state, position.game.players
    order = [(state.ant + step) % players for step in range(1, players)]
    return tuple(seat for seat in order if seat != state.cigale)


def red_ants(position: Position, game: ChainGame, objective: str) -> tuple[tuple[RedAnt, ...], float]:
    """Best names of the Red Ants against the Ant's and the Cigale's mixtures, and the profile's epsilon.

    A Red Ant's name changes nothing for the Ant and the Cigale, so the equilibrium of their guessing game
    stands; the Red Ants answer it one after the other in the order of drawing (a card drawn before may be
    the last one). Epsilon is the largest gain any seat has from deviating, from all joint outcomes.
    """
    seats = red_seats(position)
    if not seats:
        return (), game.guess.exploitability
    from fable_solve.solver.nplayer import NormalForm, deviation, epsilon, expected_payoffs

    payoffs = _payoffs(position, game, objective, len(seats))
    form = NormalForm(payoffs)
    profile = [np.array(game.guess.ant), np.array(game.guess.cigale)]
    profile += [np.full(len(TYPES), 1 / len(TYPES)) for _ in seats]
    for player in range(2, 2 + len(seats)):
        answers = deviation(form, profile, player)
        best = np.zeros(len(TYPES))
        best[int(np.argmax(answers > answers.max() - 1e-12))] = 1.0
        profile[player] = best
    drawn = expected_payoffs(form, profile)
    reds = tuple(
        RedAnt(seat, dict(zip(TYPES, profile[i].tolist(), strict=True)), float(drawn[i]))
        for i, seat in enumerate(seats, start=2)
    )
    return reds, float(epsilon(form, profile))


def _payoffs(position: Position, game: ChainGame, objective: str, reds: int) -> np.ndarray[Any, Any]:
    """Payoffs of the Ant, the Cigale and each Red Ant for every joint choice; ``[2 + reds, k, k, 4, ...]``.

    A Red Ant's payoff is the number of cards it draws under ``cards`` and 0 under ``points``.
    """
    k, rules, state = len(game.kinds), position.rules.model, position.state
    payoffs = np.zeros((2 + reds, k, k, *[len(TYPES)] * reds))
    matrix = guess_matrix(game.ant_gains, game.cigale_gains).reshape(k, k, *[1] * reds)
    payoffs[0], payoffs[1] = matrix, -matrix
    if objective != "cards":
        return payoffs
    left = len(state.pile) + len(state.discard) if position.details.pile_error is None else len(rules.deck)
    for choice, guess, *names in product(range(k), range(k), *[range(len(TYPES))] * reds):
        drawn = 0
        for red, name in enumerate(names):
            rewarded = rules.red_ant_reward == "miss" or name == game.kinds[choice]
            if choice != guess and rewarded and drawn < left:
                payoffs[(2 + red, choice, guess, *names)] = 1.0
                drawn += 1
    return payoffs


def advise(position: Position, objective: str | None, top: int) -> Answer:
    """The Ant's best chains with both mixtures, exact for the round; ``top`` of them (0: all).

    ``margin`` and ``win`` need a position small enough to be solved. Raises :class:`BadInput` and
    :class:`TooLarge`.
    """
    objective = objective or DEFAULT_OBJECTIVE[str(position.mode)]
    games = ranked(position, objective)
    shown = games[: top or None]
    documents = [_chain_document(position, game, objective) for game in shown]
    certificate = Certificate.exact(1e-9, "closed form, exploitability checked")
    document = {
        "game": "cigale",
        "mode": position.mode,
        "objective": objective,
        "chain_rule": position.rules.model.chain_rule,
        "legal_chains": len(games),
        "value": games[0].guess.value,
        "certificate": certificate.document(),
        "chains": documents,
    }
    rows = [_row(position, game, chain) for game, chain in zip(shown, documents, strict=True)]
    reds = [f"Red Ant {seat}" for seat in red_seats(position)]
    columns = ("chain", "types", "value", "Ant names", "Cigale guesses", *reds, "epsilon")
    title = f"{len(games)} legal chains, value {games[0].guess.value:.6g} ({objective}) to the Ant"
    footer = [f"certificate: {certificate}", sentence(games[0], objective)]
    if position.state.phase == OVER:
        footer.append("By the rules the game is over here; this values the round that would be played.")
    return Answer(document, columns, rows, title, position.details.notes, tuple(footer))


def _chain_document(position: Position, game: ChainGame, objective: str) -> dict[str, Any]:
    width = position.game.width
    reds, epsilon = red_ants(position, game, objective)
    ant_ranges, cigale_ranges = game.ranges
    document = {
        "cells": [list(divmod(square, width)) for square in game.chain],
        "counts": game.by_type(game.counts),
        "value": game.guess.value,
        "ant": game.by_type(game.guess.ant),
        "cigale": game.by_type(game.guess.cigale),
        "ant_ranges": game.by_type([list(bounds) for bounds in ant_ranges]),
        "cigale_ranges": game.by_type([list(bounds) for bounds in cigale_ranges]),
        "red_ants": [red.names for red in reds],
        "red_ant_seats": [red.seat for red in reds],
        "red_ant_values": [red.value for red in reds],
        "epsilon": epsilon,
    }
    return document


def _row(position: Position, game: ChainGame, document: dict[str, Any]) -> tuple[Any, ...]:
    reds = [
        ", ".join(f"{name} {share:.0%}" for name, share in names.items() if share > 0)
        for names in document["red_ants"]
    ]
    return (
        " ".join(f"{row},{column}" for row, column in document["cells"]),
        " ".join(f"{count}{letter}" for letter, count in document["counts"].items()),
        game.guess.value,
        mixture_text(document["ant"], document["ant_ranges"]),
        mixture_text(document["cigale"], document["cigale_ranges"]),
        *reds,
        document["epsilon"],
    )


def mixture_text(mixture: dict[str, float], ranges: dict[str, list[float]]) -> str:
    """``Y 20 %, B 30-50 %``: each type's probability, or its range over all equilibria where it has one."""
    parts = []
    for letter, share in mixture.items():
        low, high = ranges[letter]
        if high - low > 1e-9:
            parts.append(f"{letter} {100 * low:.3g}-{100 * high:.3g} %")
        elif share > 0:
            parts.append(f"{letter} {100 * share:.3g} %")
    return ", ".join(parts)


WORTH = {
    "cards": "{:.3g} cards a round to the Ant",
    "points": "{:.3g} points a round to the Ant",
    "margin": "a final margin of {:.3g} points to the Ant",
    "win": "a win share of {:.3g} to the Ant",
}


def sentence(game: ChainGame, objective: str) -> str:
    """What the Ant should do, in words."""
    named = [
        f"{TYPE_NAMES[letter]} {100 * share:.0f} %"
        for letter, share in game.by_type(game.guess.ant).items()
        if share > 0
    ]
    cover = ", ".join(f"{count} {TYPE_NAMES[letter]}" for letter, count in game.by_type(game.counts).items())
    choice = f"always name {named[0].split()[0]}" if len(named) == 1 else f"name {', '.join(named)} at random"
    if any(high - low > 1e-9 for low, high in game.ranges[0]):
        choice += " (other mixtures are as good)"
    return f"Lay the ants over {cover} and {choice}: worth {WORTH[objective].format(game.guess.value)}."


def export_nfg(position: Position, objective: str | None) -> str:
    """The best chain's guessing game, Ant against Cigale, in Gambit's ``.nfg`` format."""
    from fable_solve.solver.matrix import MatrixGame
    from fable_solve.solver.nfg import to_nfg

    objective = objective or DEFAULT_OBJECTIVE[str(position.mode)]
    game = ranked(position, objective)[0]
    names = [TYPES[kind] for kind in game.kinds]
    matrix = MatrixGame(guess_matrix(game.ant_gains, game.cigale_gains))
    return to_nfg(matrix, f"Cigale, Choix against guess ({objective})", names, names)
