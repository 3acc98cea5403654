"""The guessing matrix: closed form against linear programmes, hand-solved games, properties."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from scipy.optimize import linprog

from fable_solve.solver.games.cigale.guessing import guess_matrix, guess_ranges, solve_guess
from fable_solve.solver.games.cigale.shapes import exact_value, shape_game, shapes


def programme_value(matrix: np.ndarray) -> float:
    """Value of a zero-sum matrix game by HiGHS."""
    rows, columns = matrix.shape
    result = linprog(
        np.r_[np.zeros(rows), -1.0],
        A_ub=np.c_[-matrix.T, np.ones(columns)],
        b_ub=np.zeros(columns),
        A_eq=[np.r_[np.ones(rows), 0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return float(-result.fun)


def random_gains(random: Random) -> tuple[list[float], list[float]]:
    """Small integers, so that ties, zero and negative sums of gains are common."""
    k, low_a, low_b = random.randint(1, 4), random.choice([-3, 0, 1]), random.choice([-4, 0, 1])
    return [float(random.randint(low_a, 4)) for _ in range(k)], [
        float(random.randint(low_b, 4)) for _ in range(k)
    ]


def test_value_and_mixtures_against_linear_programme() -> None:
    random = Random(3)
    for _ in range(500):
        a, b = random_gains(random)
        guess = solve_guess(a, b)
        assert guess.value == pytest.approx(programme_value(guess_matrix(a, b)), abs=1e-9)
        assert guess.exploitability < 1e-12
        assert sum(guess.ant) == pytest.approx(1) and sum(guess.cigale) == pytest.approx(1)
        assert min(*guess.ant, *guess.cigale, 0.0) > -1e-15


def test_values_by_hand() -> None:
    # (2,2,2) and (2,2,1,1): (k - 2) / sum(1/n) = 1 / 1.5 and 2 / 3; (3,1,1,1): 2 / (10/3); two types: 0.
    for counts, value in {(2, 2, 2): 2 / 3, (2, 2, 1, 1): 2 / 3, (3, 1, 1, 1): 0.6, (4, 2): 0.0}.items():
        assert solve_guess(counts, counts).value == pytest.approx(value, abs=1e-12)
    # One type: the guess is always right.
    assert solve_guess([4.0], [6.0]).value == -6.0


def test_shapes_in_fractions() -> None:
    # The nine ways to write 6 as at most four parts.
    assert len(list(shapes(6))) == 9
    for ants in range(1, 10):
        for shape in shapes(ants):
            assert shape_game(shape).guess.value == pytest.approx(float(exact_value(shape)), abs=1e-12)
    # A lone card beside three big piles is worth no more than the value of the rest, so it is never named.
    assert exact_value((6, 6, 6, 1)) == Fraction(2)
    assert shape_game((6, 6, 6, 1)).guess.ant[3] == 0.0


def test_red_ant_names_the_rarest_type() -> None:
    # p(1 - q) on (2,2,1,1): a single is named with 1/3 and guessed with 1/6: 5/18; a pair 1/6 * 2/3.
    game = shape_game((2, 2, 1, 1))
    assert game.red_name == 1 and game.red_chance == pytest.approx(5 / 18)
    assert game.caught == pytest.approx(2 / 9)  # 2 * (1/6 * 1/3) + 2 * (1/3 * 1/6)


def range_programme(constraints: np.ndarray, limits: np.ndarray, action: int, sign: int) -> float:
    objective = np.zeros(constraints.shape[1])
    objective[action] = sign
    result = linprog(objective, A_ub=constraints, b_ub=limits, A_eq=[np.ones(len(objective))], b_eq=[1.0])
    return float(sign * result.fun)


def test_ranges_against_linear_programmes() -> None:
    random, checked = Random(5), 0
    for _ in range(150):
        a, b = random_gains(random)
        positive = min(x + y for x, y in zip(a, b, strict=True)) > 0
        if positive and len(a) < 4 and random.random() < 0.5:  # a type worth the value may be named or not
            value = solve_guess(a, b).value
            a, b = [*a, value], [*b, 1 - value + random.randint(0, 3)]
        k, matrix, value = len(a), guess_matrix(a, b), solve_guess(a, b).value
        ant, cigale = guess_ranges(a, b)
        slack = np.full(k, 1e-10)
        for action in range(k):
            for end, sign in enumerate((1, -1)):
                expected = range_programme(-matrix.T, slack - value, action, sign)
                assert ant[action][end] == pytest.approx(expected, abs=1e-7)
                expected = range_programme(matrix, slack + value, action, sign)
                assert cigale[action][end] == pytest.approx(expected, abs=1e-7)
                checked += 1
    assert checked > 500


def test_range_by_hand() -> None:
    # Two types worth 3 and one worth exactly the value 0: the third may take up to 3/8 of the Ant's mixture
    # (1 / (1 + d D) with d = 5 and D = 1/6 + 1/6), the others between 5/16 and 1/2.
    ant, cigale = guess_ranges([3, 3, 0], [3, 3, 5])
    assert ant == [pytest.approx(x) for x in ((5 / 16, 1 / 2), (5 / 16, 1 / 2), (0, 3 / 8))]
    assert cigale == [(0.5, 0.5), (0.5, 0.5), (0.0, 0.0)]
