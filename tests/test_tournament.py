"""Tournaments: payoffs are those of simulate, ratings come back from known strengths, circles are seen."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from fable_solve.solver import registry
from fable_solve.solver.errors import BadInput
from fable_solve.solver.matrix import MatrixGame, exploitability
from fable_solve.solver.ratings import ahead, cycles, predicted, rate, ratings, shares
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import load_rules
from fable_solve.solver.simulation import simulate
from fable_solve.solver.tournament import (
    BATCHES,
    Tournament,
    equilibrium,
    one_among,
    seatings,
    tournament,
)
from fable_solve.solver.tournament_report import tournament_result

STRENGTHS = np.array([0.0, 100.0, 250.0, -50.0])
"""In rating points."""


def luce_ranks(rng, items, games):
    """Ranks ``[n, seats]`` of Plackett-Luce games: exponential clocks with rates w ring in that order."""
    clocks = rng.exponential(size=(games, len(items))) / 10 ** (STRENGTHS[list(items)] / 400)
    return (1 + np.argsort(np.argsort(clocks, axis=1), axis=1)).astype(np.int8)


def luce_batches(seed, games):
    rng, batches = np.random.default_rng(seed), np.zeros((BATCHES, 4, 4))
    for items in product(range(4), repeat=3):
        for batch, ranks in enumerate(np.array_split(luce_ranks(rng, items, games), BATCHES)):
            batches[batch] += ahead(ranks, items, 4)
    return batches


def test_ratings_come_back_from_three_player_games():
    found = ratings(luce_batches(1, 2000), 2000)
    for rating, strength in zip(found.values, STRENGTHS - STRENGTHS.mean(), strict=True):
        # Within 4 standard errors; the interval is 2.04 (Student's, 31 degrees of freedom).
        assert abs(rating.value - strength) <= 4 / 2.04 * rating.half_width
        assert rating.half_width < 3
    # 120,000 pairs of a kind at the least: a share is known to 0.0015 (one standard error).
    assert np.nanmax(np.abs(found.misfit)) < 0.006


def test_intervals_of_ratings_cover():
    # 40 tournaments of 4 ratings each: 95 % intervals miss 8 times of 160; 4 standard errors are 11.
    true = STRENGTHS - STRENGTHS.mean()
    missed = sum(
        not rating.low <= strength <= rating.high
        for seed in range(40)
        for rating, strength in zip(ratings(luce_batches(seed, 64), 64).values, true, strict=True)
    )
    assert missed <= 8 + 11


def test_ratings_are_the_maximum_of_the_likelihood():
    # An independent maximum of sum c_ij log(w_i / (w_i + w_j)), with one tied game a pair, by BFGS.
    counts = luce_batches(5, 32).sum(axis=0)
    weighed = counts + 0.5 * (1 - np.eye(4))

    def loss(r):
        return -(weighed * np.log(predicted(r))).sum()

    best = minimize(loss, np.zeros(4), tol=1e-10).x
    assert rate(counts) == pytest.approx(best - best.mean(), abs=0.01)


def test_two_players_are_rated_by_their_odds():
    # 10 of 11 games with the tied game added: 400 points apart.
    counts = np.array([[0, 10.0], [1.0, 0]]) * 1000 - np.array([[0, 0.5], [0.5, 0]])
    assert rate(counts) == pytest.approx([200, -200])


def test_ties_and_players_of_one_kind():
    ranks = np.array([[1, 1, 3], [2, 1, 2]], np.int8)
    # Items a, b, b. First game: a ties with b, a ahead of b. Second: b ahead of a, a ties with b.
    assert ahead(ranks, (0, 1, 1), 2).tolist() == [[0, 2.0], [2.0, 0]]
    assert np.isnan(shares(np.zeros((2, 2)))).all()


def test_circles():
    stone = np.array([[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 0, 0, 0]], bool)
    assert cycles(stone) == [(0, 1, 2)]
    assert cycles(stone.T) == [(0, 2, 1)]
    assert cycles(np.triu(np.ones((5, 5), bool), 1)) == []


def test_seatings():
    assert seatings(3, 2, 0) == (list(product(range(3), repeat=2)), True)
    found, complete = seatings(3, 8, 0)  # 6561 there are
    assert not complete
    assert {one_among(i, j, seat, 8) for i in range(3) for j in range(3) for seat in range(8)} <= set(found)
    for seat in range(8):
        # One among others is symmetric in the policies, and so is the sample: each sits there equally often.
        assert len(set(np.bincount([seating[seat] for seating in found]).tolist())) == 1
    assert seatings(3, 8, 1)[0] != found
    assert len(set(found)) == len(found)


def played(name, names, players=2, games=1024, **options):
    spec = registry.get(name)
    return tournament(setup(spec, players, names[:1], load_rules(name), **options), names, games)


def test_payoffs_are_those_of_simulate():
    found = played("butterfly", ("random", "greedy"))
    spec, rules = registry.get("butterfly"), load_rules("butterfly")
    won = {}
    for names in product(("random", "greedy"), repeat=2):
        counts = simulate(setup(spec, 2, names, rules), 1024).tally
        won[names] = [counts.win(seat).mean for seat in range(2)]
    assert found.wins[0, 1] == pytest.approx(won["random", "greedy"])
    expected = (won["greedy", "random"][0] + won["random", "greedy"][1]) / 2
    assert found.payoff(1, 0).value == pytest.approx(expected)
    assert found.payoff(1, 0).value + found.payoff(0, 1).value == pytest.approx(1)
    assert found.payoff(0, 0).value == 0.5
    # Of two players whoever is ahead has won, so the pairs tell the same as the payoffs.
    assert found.ahead_of(1, 0).value == pytest.approx(expected)


def test_sides_are_rated_apart():
    found = played("chenille", ("random", "greedy"))
    assert found.players == ("Guepe random", "Guepe greedy", "Chenilles random", "Chenilles greedy")
    assert found.payoff(0, 1).value == pytest.approx(found.wins[0, 1][0])
    assert found.payoff(1, 1).value == pytest.approx(found.beaten[1, 3])
    assert np.isnan(found.beaten[0, 1])  # one Guepe does not meet another
    chosen = equilibrium(found)
    game = MatrixGame(found.payoffs - 0.5)
    assert exploitability(game, *chosen.mixtures) == pytest.approx(chosen.exploitability, abs=1e-9)


def test_one_among_two_others():
    found = played("feuilles", ("random", "greedy"), players=3)
    assert found.complete
    won = [found.wins[one_among(1, 0, seat, 3)][seat] for seat in range(3)]
    assert found.payoff(1, 0).value == pytest.approx(sum(won) / 3)
    # Greedy is ahead in 93 % of the pairs and wins 88 % of its games against two random ones.
    assert found.payoff(1, 0).value > 0.8
    chosen = equilibrium(found)
    assert chosen.mixtures == ((0, 1), (0, 1), (0, 1))
    assert chosen.exploitability <= 1e-9


def circular(gap=0.1):
    """A tournament of 10,000 games a seating in which each of three policies beats the next."""
    run = setup(registry.get("butterfly"), 2, ("random",), load_rules("butterfly"))
    wins, counts = {}, np.zeros((BATCHES, 3, 3))
    rng = np.random.default_rng(3)
    for i, j in product(range(3), repeat=2):
        share = 0.5 + gap * ((j - i) % 3 == 1) - gap * ((i - j) % 3 == 1)
        wins[i, j] = np.array([share, 1 - share])
        if i != j:
            won = rng.binomial(10_000 // BATCHES, share, BATCHES)
            counts[:, i, j] += won
            counts[:, j, i] += 10_000 // BATCHES - won
    return Tournament(run, ("stone", "scissors", "paper"), 10_000, True, wins, wins, counts, 0)


def test_circles_are_told_and_mixed():
    result = tournament_result(circular(), "", {})
    assert any("stone beats scissors beats paper beats stone" in sentence for sentence in result.summary)
    assert "cycles" in {table.name for table in result.tables}
    # Rock, paper, scissors: a third each.
    assert equilibrium(circular()).mixtures[0] == pytest.approx([1 / 3] * 3)
    assert all(abs(rating.value) < 10 for rating in circular().rating.values)
    assert abs(circular().rating.misfit[0, 1] - 0.1) < 0.02


def test_no_circle_is_told_of_noise():
    # Ten games of a hundred thousand more than half: well within the interval.
    assert "cycles" not in {table.name for table in tournament_result(circular(0.001), "", {}).tables}


@pytest.mark.parametrize(
    ("name", "names", "players", "message"),
    [
        ("butterfly", ("random",), 2, "at least two different policies, got random"),
        ("feuilles", ("random", "greedy"), 1, "at least two players, got 1"),
    ],
)
def test_what_is_no_tournament(name, names, players, message):
    with pytest.raises(BadInput, match=message):
        played(name, names, players)


def test_tables_and_charts_have_names_of_their_own():
    result = tournament_result(circular(), "", {})
    names = [item.name for item in (*result.tables, *result.charts)]
    assert len(set(names)) == len(names)
    assert {name for section in result.sections for name in section.show} == set(names) - {"seatings"}
