"""Dealt squares: the kernel against the readable solution, chain by chain; dealing; habits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fable_solve.solver.games.cigale.advise import ChainGame, chain_game
from fable_solve.solver.games.cigale.cards import card, full_deck
from fable_solve.solver.games.cigale.opening import naive_payoffs, opening_squares
from fable_solve.solver.games.cigale.squares import (
    Squares,
    deal,
    fresh_tables,
    solve_dealt,
    solved,
    study_board,
    tables_at,
)
from fable_solve.solver.games.cigale.stakes import round_stake
from fable_solve.solver.games.cigale.state import LAY, State
from fable_solve.solver.rules import Layer, load_rules
from fable_solve.solver.study import silent


def rules_with(**values: Any) -> Any:
    return load_rules("cigale", [Layer("test", values)]).model


def games_of(
    rules: Any, board: Any, squares: Squares, n: int, objective: str, shelves: Any
) -> list[ChainGame]:
    """Every chain of square n, solved one by one from the position."""
    codes = tuple(card(int(t), int(s)) for t, s in zip(squares.types[n], squares.species[n], strict=True))
    state = State(LAY, 0, 1, codes, (), shelves=shelves, insects=((0,) * 6,) * 2)
    stake = round_stake(rules, "automne", state, objective)
    return [chain_game(codes, chain, stake) for chain in board.chains]


@pytest.mark.parametrize("objective", ["cards", "points"])
@pytest.mark.parametrize(
    ("changes", "shelves"),
    [
        ({}, [[0, 0, 0, 0], [0, 0, 0, 0]]),
        ({}, [[4, 4, 3, 0], [4, 2, 4, 4]]),  # full shelves: gains of 0 on both sides
        ({"ants": 3, "chain_rule": "touching", "board": [3, 5]}, [[0, 1, 2, 3], [3, 0, 0, 0]]),
        ({"insect_cards": {"a": "YYYYBBBB", "b": "NNNN"}, "ants": 5}, [[0, 0, 0, 0], [1, 0, 0, 0]]),
    ],
)
def test_kernel_equals_chain_by_chain(
    objective: str, changes: dict[str, Any], shelves: list[list[int]]
) -> None:
    rules = rules_with(**changes)
    board = study_board(rules)
    tables = fresh_tables(rules, "cards") if objective == "cards" else tables_at(rules, "points", shelves)
    types, species = deal(board, 12, seed=3)
    squares = solve_dealt(board, types, species, tables)
    for n in range(12):
        games = games_of(rules, board, squares, n, objective, tuple(map(tuple, shelves)))
        values = np.array([game.guess.value for game in games])
        best = games[squares.best[n]]
        assert squares.value[n] == pytest.approx(values.max(), abs=1e-9)
        assert best.guess.value == pytest.approx(values.max(), abs=1e-9)
        named = dict(zip(best.kinds, best.guess.ant, strict=True))
        assert squares.mixtures[n, 0].tolist() == pytest.approx([named.get(kind, 0.0) for kind in range(4)])
        guessed = dict(zip(best.kinds, best.guess.cigale, strict=True))
        assert squares.mixtures[n, 1].tolist() == pytest.approx([guessed.get(kind, 0.0) for kind in range(4)])
        assert squares.naive[n] == pytest.approx(naive_payoffs(games))
        for index, shape in enumerate(board.shapes):
            of_shape = [
                game.guess.value for game in games if tuple(sorted(game.counts, reverse=True)) == shape
            ]
            assert squares.by_shape[n, index] == pytest.approx(max(of_shape, default=-np.inf))


def test_habits_never_beat_the_value() -> None:
    rules = load_rules("cigale").model
    board = study_board(rules)
    for objective in ("cards", "points"):
        squares = solved(board, 200, 1, fresh_tables(rules, objective), silent)
        assert (squares.naive[:, 0] <= squares.value + 1e-9).all()
        assert (squares.naive[:, 1] >= squares.value - 1e-9).all()


def test_most_cards_named_is_worth_minus_the_cards() -> None:
    # Known in advance, the name is guessed: the Ant of square n gets minus its largest number of one type.
    rules = load_rules("cigale").model
    board = study_board(rules)
    squares = solved(board, 50, 2, fresh_tables(rules, "cards"), silent)
    under = squares.types[:, board.chain_array]
    most = np.max([(under == kind).sum(axis=2).max(axis=1) for kind in range(4)], axis=0)
    assert (squares.naive[:, 0] == -most).all()


def test_squares_are_dealt_from_the_deck_without_replacement() -> None:
    rules = load_rules("cigale").model
    board = study_board(rules)
    types, species = deal(board, 300, seed=5, extra=32)
    deck = sorted(full_deck(rules.path_cards, rules.insect_cards))
    for n in range(300):
        dealt = sorted(card(int(t), int(s)) for t, s in zip(types[n], species[n], strict=True))
        assert dealt == deck  # 16 + 32 cards are the whole deck
    # Each place holds each type a quarter of the time: 300 squares x 48 places, sd of a share 0.0036.
    first = types[:, :16]
    assert abs((first == 0).mean() - 0.25) < 4 * np.sqrt(0.25 * 0.75 / (300 * 16))


def test_more_squares_keep_the_earlier_ones() -> None:
    board = study_board(load_rules("cigale").model)
    types, species = deal(board, 20, seed=7)
    for first, number in ((0, 5), (5, 15)):
        part_types, part_species = deal(board, number, 7, first)
        assert (part_types == types[first : first + number]).all()
        assert (part_species == species[first : first + number]).all()


def test_openings_of_hiver_by_hand() -> None:
    # Without substitution nobody holding one card can pay four with cards of one type but for a price of
    # one type; the shipped prices all take two types, so only swaps can help, and one swap is not enough
    # where no insect exists: every value is 0.
    rules = rules_with(substitution=False, insect_cards=dict.fromkeys("abcdef", ""))
    squares = opening_squares(rules, study_board(rules), 2, 5, 0, silent)
    assert (squares.value == 0.0).all()
