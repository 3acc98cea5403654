"""Games of several players: gains by brute force, published equilibria, refusals."""

from __future__ import annotations

from itertools import product
from math import prod, sqrt

import numpy as np
import pytest

from fable_solve.solver import logit
from fable_solve.solver.equilibria import extreme_equilibria
from fable_solve.solver.errors import BadInput, NotConverged, TooLarge
from fable_solve.solver.matrix import MatrixGame
from fable_solve.solver.nplayer import (
    NormalForm,
    deviation_pair,
    epsilon,
    expected_payoffs,
    gains,
    pure_equilibria,
    solve,
)
from fable_solve.solver.rng import Stream, stream_key


def random_form(seed: int, span: int | None = None) -> NormalForm:
    stream = Stream(stream_key(seed, "n-player test"))
    actions = [1 + stream.below(4) for _ in range(2 + stream.below(3))]
    draws = [
        stream.uniform() if span is None else stream.below(2 * span + 1) - span
        for _ in range(len(actions) * prod(actions))
    ]
    return NormalForm(np.array(draws, dtype=float).reshape(len(actions), *actions))


def random_profile(form: NormalForm, seed: int) -> list[list[float]]:
    stream = Stream(stream_key(seed, "profile"))
    weights = [[stream.uniform() + 0.01 for _ in range(m)] for m in form.actions]
    return [[w / sum(row) for w in row] for row in weights]


def payoff(form: NormalForm, profile, player: int) -> float:
    """Sum over all pure outcomes of their probability times the payoff."""
    return sum(
        prod(profile[i][a] for i, a in enumerate(cell)) * form.payoffs[(player, *cell)]
        for cell in product(*map(range, form.actions))
    )


def three_player_pennies() -> NormalForm:
    """Each wants to match the next, the last wants to differ from the first."""
    table = np.zeros((3, 2, 2, 2))
    for a, b, c in product(range(2), repeat=3):
        table[:, a, b, c] = [1 if a == b else -1, 1 if b == c else -1, 1 if c != a else -1]
    return NormalForm(table)


def nau_game() -> NormalForm:
    """Nau, Gomez Canovas and Hansen, "On the geometry of Nash and correlated equilibria", 2004, section 4."""
    table = np.zeros((3, 2, 2, 2))
    table[:, 0, 0, 0], table[:, 1, 0, 0] = [3, 0, 2], [0, 1, 0]
    table[:, 0, 1, 0], table[:, 1, 1, 0] = [0, 2, 0], [1, 0, 0]
    table[:, 0, 0, 1], table[:, 1, 0, 1] = [1, 0, 0], [0, 3, 0]
    table[:, 0, 1, 1], table[:, 1, 1, 1] = [0, 1, 0], [2, 0, 3]
    return NormalForm(table)


@pytest.mark.parametrize("seed", range(15))
def test_payoffs_and_gains_are_those_of_the_sum_over_all_outcomes(seed):
    form = random_form(seed)
    profile = random_profile(form, seed)
    expected, deviations = [], []
    for i, m in enumerate(form.actions):
        expected.append(payoff(form, profile, i))
        pure = [[*profile[:i], [float(a == k) for a in range(m)], *profile[i + 1 :]] for k in range(m)]
        deviations.append(max(payoff(form, changed, i) for changed in pure))
    assert expected_payoffs(form, profile) == pytest.approx(expected)
    assert gains(form, profile) == pytest.approx(np.array(deviations) - expected)
    assert epsilon(form, profile) == max(gains(form, profile))


def test_pair_payoffs_are_oriented_by_the_asking_player():
    # Both players fixed to an action each: the entry is the payoff of the pair, whoever asks.
    form = random_form(3)
    profile = random_profile(form, 3)
    for i, j in product(range(form.players), repeat=2):
        if i != j:
            table = deviation_pair(form, profile, i, j)
            assert table.shape == (form.actions[i], form.actions[j])
            assert np.array(profile[i]) @ table @ np.array(profile[j]) == pytest.approx(
                payoff(form, profile, i)
            )


def test_gains_survive_a_large_common_payoff():
    # Heads against an even mixture: the first player gains nothing, the second 1, as without the 1e9.
    table = np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]]) + 1e9
    assert gains(NormalForm(table), [[1, 0], [0.5, 0.5]]) == pytest.approx([0, 1], abs=1e-9)


def test_three_player_matching_pennies():
    # The only equilibrium mixes evenly: whoever leans to one side is matched or avoided by the next.
    answer = solve(three_player_pennies())
    for mixture in answer.profile:
        assert mixture == pytest.approx((0.5, 0.5), abs=1e-12)
    assert answer.epsilon <= 1e-12


def test_the_irrational_equilibrium_of_nau_and_others():
    # Unique equilibrium (published); with r the third player's first action the indifference conditions are
    # q = (2-r)/(3+r), p = (3-2r)/(4-r), 2pq = 3(1-p)(1-q), hence 2r^2 + 23r - 9 = 0.
    r = (sqrt(601) - 23) / 4
    answer = solve(nau_game())
    expected = [(3 - 2 * r) / (4 - r), (2 - r) / (3 + r), r]
    assert [mixture[0] for mixture in answer.profile] == pytest.approx(expected, abs=1e-12)
    assert answer.epsilon <= 1e-12


def test_pure_equilibria_of_mckelvey_and_mclennans_game():
    # Published: 9 equilibria of this 2x2x2 game, 2 of them totally mixed; the pure ones by inspection of its
    # eight outcomes: (1,1,1) and (2,2,1) pay 9, 8; (2,1,2) and (1,2,2) pay 3, 4, 6; all others 0.
    table = np.zeros((3, 2, 2, 2))
    table[:, 0, 0, 0], table[:, 1, 1, 0] = [9, 8, 12], [9, 8, 2]
    table[:, 1, 0, 1], table[:, 0, 1, 1] = [3, 4, 6], [3, 4, 6]
    form = NormalForm(table)
    assert pure_equilibria(form) == [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    assert solve(form).method == "pure"


@pytest.mark.parametrize("seed", range(60))
def test_any_small_game_gets_a_certified_equilibrium(seed):
    form = random_form(seed, span=None if seed % 2 else 2)
    answer = solve(form)
    assert epsilon(form, answer.profile) == answer.epsilon <= 1e-9 * form.span
    assert all(sum(mixture) == pytest.approx(1.0) and min(mixture) >= 0 for mixture in answer.profile)


def test_with_two_players_it_is_an_equilibrium_of_the_matrix_game():
    # A generic game with exactly one equilibrium (exact enumeration): both solvers must give it.
    row, column = [[3, -1, 0], [-2, 4, 1], [0, 1, 2]], [[-3, 1, 0.5], [2, -4, 0], [1, 0, -2]]
    (only,) = extreme_equilibria(MatrixGame(row, column)).found
    answer = solve(NormalForm([row, column]))
    assert answer.profile[0] == pytest.approx(only.row, abs=1e-10)
    assert answer.profile[1] == pytest.approx(only.column, abs=1e-10)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_scale_of_the_payoffs_does_not_matter(scale):
    form = NormalForm(nau_game().payoffs * scale)
    assert solve(form).epsilon <= 1e-12 * scale * 3


def test_a_single_action_each():
    answer = solve(NormalForm(np.full((4, 1, 1, 1, 1), 7.0)))
    assert (answer.profile, answer.epsilon) == (((1.0,),) * 4, 0.0)


def test_an_answer_above_the_tolerance_is_refused(monkeypatch):
    # Without a path there is no candidate. Then only the even mixture is offered, against which the first
    # player's actions pay 1 and 3/4: its gain is 1/8 (as is the others').
    monkeypatch.setattr(logit, "PRIORS", 0)
    with pytest.raises(NotConverged, match="expected an epsilon of at most 3e-06, got none"):
        solve(nau_game())
    even = tuple(np.array([0.5, 0.5]) for _ in range(3))
    monkeypatch.setattr(logit, "profiles", lambda form: [even])
    monkeypatch.setattr("fable_solve.solver.nplayer.equalise", lambda *_: None)
    with pytest.raises(NotConverged, match=r"got 0\.125 \(logit path\)"):
        solve(nau_game())


@pytest.mark.parametrize(
    ("shape", "message"),
    [((2, 3, 3, 3), r"shape \[n, m_1, ..., m_n\], got \[2, 3, 3, 3\]"), ((3,), "shape"), ((1, 0), "shape")],
)
def test_payoffs_of_another_shape(shape, message):
    with pytest.raises(BadInput, match=message):
        NormalForm(np.zeros(shape))


def test_payoffs_must_be_finite_numbers():
    with pytest.raises(BadInput, match="finite payoffs"):
        NormalForm([[[float("nan")]], [[1.0]]])
    with pytest.raises(BadInput, match="numbers in a box"):
        NormalForm([[["x"]], [[1.0]]])


def test_larger_games_are_too_large():
    with pytest.raises(TooLarge, match="players, the limit is 4"):
        solve(NormalForm(np.zeros((5, 1, 1, 1, 1, 1))))
    with pytest.raises(TooLarge, match="actions of a player, the limit is 4"):
        solve(NormalForm(np.zeros((2, 5, 2))))
