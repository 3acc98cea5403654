"""The exact solver against games solved by hand, by theory, or by another method in the test."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
import toys

from fable_solve.solver.dynamic import evaluate, solve
from fable_solve.solver.errors import NotConverged, Refused, TooLarge
from fable_solve.solver.game import CHANCE
from fable_solve.solver.stage import bounds, conceded, equilibrium, guaranteed


def value(game, **options):
    return solve(game, game.initial_state(), **options)


def test_rock_paper_scissors():
    # Fair by symmetry; the only equilibrium mixes the three equally. 1 root + 9 ends.
    solution = value(toys.ROCK_PAPER_SCISSORS)
    assert solution.value == pytest.approx(0.0, abs=1e-12)
    assert solution.states == 10
    for mixture in solution.mixtures:
        assert dict(mixture) == pytest.approx({0: 1 / 3, 1: 1 / 3, 2: 1 / 3})


@pytest.mark.parametrize("target", range(1, 40))
def test_race_is_lost_on_multiples_of_four(target):
    # Steps of 1 to 3: whoever faces a multiple of 4 to go loses (answer k with 4 - k).
    solution = value(toys.Race(target))
    assert solution.value == (-1.0 if target % 4 == 0 else 1.0)
    if target % 4:
        assert solution.actions[0] == (target % 4, 1.0)


def test_race_counts_its_states():
    # 21 to go, steps 1..3: every count 1..21 is reached with either seat to move except 0 (seat 0 only) and
    # 1 (seat 1 only): 2 * 20 + 2.
    assert value(toys.Race(21)).states == 42


def test_second_seat_minimises():
    game = toys.Race(5)
    solution = solve(game, (1, 1))  # seat 1 faces 4 to go and loses whatever it does
    assert solution.values == (1.0, -1.0)
    assert [v for _, v in solution.actions] == [-1.0] * 3


def test_deep_play_needs_no_recursion():
    # 50,000 is not a multiple of 6: won by the first seat with steps of 1 to 5.
    assert value(toys.Race(50_000, 5)).value == 1.0


def test_chance_weighs_matrix_games():
    # Matching pennies is worth 0; [[3, 0], [1, 2]] has no saddle: (3 * 2 - 0 * 1) / (3 - 0 - 1 + 2) = 1.5.
    pennies, other = ((1.0, -1.0), (-1.0, 1.0)), ((3.0, 0.0), (1.0, 2.0))
    assert value(toys.CoinThenPennies(0.25, (pennies, other))).value == pytest.approx(0.75 * 1.5)


def test_piglet_has_published_values():
    # Neller and Presser, "Optimal Play of the Dice Game Pig", UMAP Journal 25 (2004): Piglet, goal 2.
    game = toys.Pig(2, gains=(0, 1))
    published = {
        (0, 0, 0): Fraction(4, 7),
        (0, 0, 1): Fraction(5, 7),
        (0, 1, 0): Fraction(2, 5),
        (0, 1, 1): Fraction(3, 5),
        (1, 0, 0): Fraction(4, 5),
        (1, 1, 0): Fraction(2, 3),
    }
    for scores, share in published.items():
        solution = solve(game, (*scores, 0, False))
        assert solution.value == pytest.approx(float(share), abs=1e-9)
        assert solution.tolerance <= 1e-9


def pig_by_sweeps(target):
    """P(i, j, k) of Neller and Presser by plain sweeps until nothing moves by 1e-13."""
    cells = [(i, j, k) for i in range(target) for j in range(target) for k in range(target - i)]
    p = dict.fromkeys(cells, 0.0)
    win = lambda i, j, k: 1.0 if i + k >= target else p[i, j, k]  # noqa: E731
    change = 1.0
    while change > 1e-13:
        change = 0.0
        for i, j, k in cells:
            roll = (1.0 - p[j, i, 0] + sum(win(i, j, k + face) for face in range(2, 7))) / 6
            hold = 1.0 - p[j, i + k, 0] if k else 0.0
            best = max(roll, hold)
            change, p[i, j, k] = max(change, abs(best - p[i, j, k])), best
    return p


def test_pig_equals_plain_value_iteration():
    sweeps = pig_by_sweeps(12)
    solution = value(toys.Pig(12))
    assert solution.value == pytest.approx(sweeps[0, 0, 0], abs=2e-9)
    assert "value iteration" in solution.method


def test_kuhn_poker_is_worth_a_eighteenth():
    # Kuhn 1950: -1/18 to the first player; uniform play is exploitable by 11/24 on average over the seats
    # (OpenSpiel's published NashConv of the uniform policy is twice that, 11/12).
    _, matrix = toys.normal_form(toys.Kuhn())
    assert matrix.shape == (64, 64)  # each seat answers six information states with two actions
    low, high = bounds(matrix.ravel().tolist(), matrix.ravel().tolist(), 64)
    assert low == pytest.approx(-1 / 18, abs=1e-9)
    assert high == pytest.approx(-1 / 18, abs=1e-9)
    # Uniform behaviour is the uniform mixture of all pure strategies (independent fair choices).
    assert matrix.mean() == pytest.approx(1 / 8)  # by hand: seat 0 wins a fold in 1/4, loses one in 1/8
    conv = matrix.mean(axis=1).max() - matrix.mean(axis=0).min()
    assert conv / 2 == pytest.approx(11 / 24, abs=1e-12)


def test_kuhn_poker_with_cards_shown_is_no_kuhn_poker():
    # Backward induction reads the state, cards included. Seen cards: the stronger hand bets and is passed,
    # the weaker checks and folds: seat 0 wins 1 with 3 of 6 deals and loses 1 with the others.
    assert value(toys.Kuhn()).value == pytest.approx(0.0, abs=1e-12)


def test_repeated_choice_has_the_fixed_point_of_its_quadratic():
    # v = value of [[v/2, 1], [1, 0]] = 1 / (2 - v/2), so v^2 - 4 v + 2 = 0 and v = 2 - sqrt(2).
    solution = value(toys.RepeatedChoice(((None, 1.0), (1.0, 0.0)), stop=0.5))
    assert solution.value == pytest.approx(2 - sqrt(2), abs=1e-9)


GAMBLER = toys.GraphToy(
    # Ruin between 0 and 4 at odds 1/2, no choices: from 2 each end is as likely.
    nodes={
        "start": (CHANCE, {"one": 0.5, "three": 0.5}),
        "one": (CHANCE, {"lost": 0.5, "start": 0.5}),
        "three": (CHANCE, {"start": 0.5, "won": 0.5}),
    },
    ends={"lost": (-1.0, 1.0), "won": (1.0, -1.0)},
)


def test_ruin():
    assert value(GAMBLER).value == pytest.approx(0.0, abs=1e-9)
    # From 1 of 4 the fair gambler is ruined with probability 3/4: 1/4 - 3/4.
    assert solve(GAMBLER, "one").value == pytest.approx(-0.5, abs=1e-9)


def loop(leave_0, leave_1):
    """Two seats pass play round until one leaves it: for ``leave_0`` at seat 0's node, ``leave_1`` at 1's."""
    return toys.GraphToy(
        nodes={"start": (0, {"stay": "b", "leave": "x"}), "b": (1, {"stay": "start", "leave": "y"})},
        ends={"x": (leave_0, -leave_0), "y": (leave_1, -leave_1)},
    )


@pytest.mark.parametrize(
    ("leave_0", "leave_1", "expected"),
    [
        (-0.5, 0.5, 0.0),  # neither likes its exit: they go round for ever, worth 0
        (0.5, 0.75, 0.5),  # seat 0 leaves for more than endless play gives
        (-0.75, -0.5, -0.5),  # seat 1 leaves for less than endless play gives
    ],
)
def test_endless_play_is_worth_what_is_said(leave_0, leave_1, expected):
    assert value(loop(leave_0, leave_1), endless=0.0).value == expected


def test_endless_play_without_a_worth_is_not_converged():
    with pytest.raises(NotConverged, match=r"between -0\.5 and 0\.5"):
        value(loop(-0.5, 0.5))


def test_endless_play_does_not_matter_where_leaving_is_best_for_both():
    # Seat 0 can take 1, the most there is, so no worth of endless play changes the value.
    assert value(loop(1.0, 0.0)).value == 1.0


def test_three_seats_maximise_each_its_own():
    # Seat 0's left branch hands the choice to seat 1, which takes 3 (leaving seat 0 with 1); right gives 2.
    game = toys.GraphToy(
        nodes={"start": (0, {"left": "b", "right": "r"}), "b": (1, {"u": "u", "d": "d"})},
        ends={"r": (2.0, 0.0, 0.0), "u": (1.0, 3.0, 5.0), "d": (4.0, 2.0, 0.0)},
        players=3,
        zero_sum=False,
        return_bounds=(0.0, 5.0),
    )
    solution = value(game)
    assert solution.values == (2.0, 0.0, 0.0)
    assert solution.actions == (("right", 2.0), ("left", 1.0))


def test_max_n_takes_the_first_listed_among_equals():
    game = toys.GraphToy(
        nodes={"start": (0, {"u": "u", "d": "d"})},
        ends={"u": (1.0, 0.0, 2.0), "d": (1.0, 2.0, 0.0)},
        players=3,
        zero_sum=False,
    )
    assert value(game).values == (1.0, 0.0, 2.0)


def test_one_seat_maximises_its_expectation():
    # A sure 0.4, or 1 with probability 1/2: 0.5.
    game = toys.GraphToy(
        nodes={"start": (0, {"sure": "s", "bet": "c"}), "c": (CHANCE, {"w": 0.5, "l": 0.5})},
        ends={"s": (0.4,), "w": (1.0,), "l": (0.0,)},
        players=1,
        zero_sum=False,
    )
    assert value(game).actions == (("bet", 0.5), ("sure", 0.4))


def test_a_cycle_of_unopposed_seats_is_refused():
    game = toys.GraphToy(
        nodes={"start": (0, {"go": "b"}), "b": (1, {"back": "start", "end": "e"})},
        ends={"e": (0.0, 0.0)},
        zero_sum=False,
    )
    with pytest.raises(Refused, match="expected play that ends"):
        value(game)


def test_too_many_states():
    with pytest.raises(TooLarge) as caught:
        value(toys.Race(1000), max_states=100)
    assert caught.value.limit == 100
    # On the way down by steps of 1: 100 opened states, and each listed its successors up to two further on.
    assert 100 < caught.value.estimate <= 303
    assert value(toys.Race(21), max_states=42).states == 42


def test_several_states_are_valued_as_one_by_one():
    game = toys.Pig(8)
    states = [(own, other, 0, 0, False) for own in (0, 3, 7) for other in (0, 5)]
    alone = [solve(game, state).values for state in states]
    # Each is proved to 1e-9, so two of them differ by at most twice that.
    for together, one in zip(evaluate(game, states), alone, strict=True):
        assert together == pytest.approx(one, abs=2e-9)
    with pytest.raises(TooLarge):
        evaluate(game, states, max_states=10)


def test_a_value_wider_than_the_tolerance_is_not_returned():
    # Components are iterated to a thousandth of the tolerance, but never below rounding: 1e-17 is refused.
    with pytest.raises(NotConverged, match="expected a value to 1e-17"):
        value(toys.Pig(5), tolerance=1e-17)


def test_progress_reports_states():
    seen = []
    value(toys.Race(20_000), progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 2
    assert all(total is None for _, total in seen)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize("seed", range(40))
def test_stage_games_are_proved(seed):
    # Random integer matrices, degenerate ones included: what the row guarantees and the column concedes meet.
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(1, 7, 2)
    cells = rng.integers(-3, 4, rows * columns).astype(float).tolist()
    row, column = equilibrium(cells, int(columns))
    for mixture, size in ((row, rows), (column, columns)):
        assert len(mixture) == size
        assert sum(mixture) == pytest.approx(1.0, abs=1e-12)
        assert min(mixture) >= 0.0
    low, high = guaranteed(cells, row, int(columns)), conceded(cells, column, int(columns))
    assert low <= high + 1e-12
    assert high - low <= 1e-9


def test_stage_bounds_of_uncertain_cells_enclose_both_values():
    # Pennies with every cell known to +-0.1: the value is in [-0.1, 0.1].
    cells = [1.0, -1.0, -1.0, 1.0]
    low, high = bounds([v - 0.1 for v in cells], [v + 0.1 for v in cells], 2)
    assert (low, high) == (pytest.approx(-0.1), pytest.approx(0.1))
