"""One certified equilibrium of any game: properties, robustness, and games on which nashpy 0.0.43 fails."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from fractions import Fraction
from pathlib import Path
from subprocess import run

import numpy as np
import pytest

from fable_solve.solver import exact, matrix, programmes
from fable_solve.solver.equilibria import analyse, extreme_equilibria
from fable_solve.solver.errors import BadInput, NotConverged, TooLarge
from fable_solve.solver.matrix import MatrixGame, certified, exploitability, gains, solve
from fable_solve.solver.pivoting import Work
from fable_solve.solver.rng import Stream, stream_key

PENNIES = [[1, -1], [-1, 1]]


def random_payoffs(seed: int, m: int, n: int, span: int = 9) -> np.ndarray:
    stream = Stream(stream_key(seed, "matrix test"))
    return np.array([[stream.below(2 * span + 1) - span for _ in range(n)] for _ in range(m)], dtype=float)


def sizes(seed: int) -> tuple[int, int]:
    stream = Stream(stream_key(seed, "sizes"))
    return 1 + stream.below(6), 1 + stream.below(6)


def value(payoffs) -> float:
    answer = solve(MatrixGame(payoffs))
    assert answer.relative <= 1e-9
    return answer.value


def test_exploitability_by_hand():
    # Row plays heads, column mixes evenly: the column player gains 1 by playing tails, row nothing.
    assert gains(MatrixGame(PENNIES), [1, 0], [0.5, 0.5]) == (0.0, 1.0)
    assert exploitability(MatrixGame(PENNIES), [0.5, 0.5], [0.5, 0.5]) == 0.0
    # Both play heads: the column player gains 2.
    assert exploitability(MatrixGame(PENNIES), [1, 0], [1, 0]) == 2.0


def test_exploitability_survives_a_large_common_payoff():
    # 1e9 on every payoff: the game keeps its gains of 0 and 1 to within 1e-9 of the range.
    shifted = MatrixGame(np.array(PENNIES) + 1e9)
    assert exploitability(shifted, [1, 0], [0.5, 0.5]) == pytest.approx(1.0, abs=1e-9)


def test_measured_and_proved_exploitability_agree():
    for seed in range(20):
        game = MatrixGame(random_payoffs(seed, 4, 3), random_payoffs(seed + 100, 4, 3))
        row, column = [0.25] * 4, [0.5, 0.25, 0.25]
        proved = certified(game, row, column, "given").exploitability
        assert exploitability(game, row, column) == pytest.approx(proved, rel=1e-12)


# The games below are those on which nashpy 0.0.43 finds nothing, or never returns. The mixtures were worked
# out by hand where two actions are used (equalise the opponent's payoffs); the value of the last one is
# proved in the test, in fractions: the row player secures it and the column player concedes no more.
def test_support_enumeration_trap():
    # nashpy's support_enumeration finds no equilibrium. Rows 2, 3 and columns 1, 3: 2p - (1-p) = -3p gives
    # p = 1/6; 2q - 3(1-q) = -q gives q = 1/2; value -1/2, and no other action gains.
    (found,) = extreme_equilibria(MatrixGame([[0, 3, -2], [2, 1, -3], [-1, 3, 0]])).found
    assert found.row == (0.0, 1 / 6, 5 / 6)
    assert found.column == (0.5, 0.0, 0.5)
    assert found.value == -0.5


def test_vertex_enumeration_trap():
    # nashpy's vertex_enumeration finds no equilibrium. Column 1 is -3 in every row and least in each: the
    # column player plays it, the row player anything.
    game = MatrixGame([[-3, 0, 3], [-3, 0, 0], [-3, 0, 2]])
    found = extreme_equilibria(game).found
    assert [e.row for e in found] == [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    assert {e.column for e in found} == {(1.0, 0.0, 0.0)}
    assert analyse(game).value == -3.0
    assert analyse(game).ranges.row == ((0.0, 1.0),) * 3


NEVER_RETURNS = [
    [0, 3, 3, -6, -4, -4],
    [-6, 2, -8, -5, 7, 9],
    [4, 9, 5, 4, -9, -3],
    [-7, 8, -3, 4, -1, 6],
    [4, -2, -9, 5, -6, -9],
    [-8, -6, 8, -3, 6, 8],
]


@pytest.mark.parametrize("label", range(12))
def test_lemke_howson_trap(label):
    # nashpy's lemke_howson(0) never returns on this game. The exact path ends from every label, at the one
    # equilibrium: its value is proved by both mixtures guaranteeing it, in fractions.
    game = MatrixGame(NEVER_RETURNS)
    found = exact.lemke_howson_mixtures(game, label, Work(10**7))
    secured = min(
        sum(p * a for p, a in zip(found.row, line, strict=True)) for line in zip(*NEVER_RETURNS, strict=True)
    )
    conceded = max(sum(q * a for q, a in zip(found.column, line, strict=True)) for line in NEVER_RETURNS)
    assert secured == conceded
    (only,) = extreme_equilibria(game).found
    assert only.value == float(secured)
    assert only.row == tuple(map(float, found.row))
    assert solve(game).value == pytest.approx(float(secured), abs=1e-9 * 18)


def test_nashpys_vertices_are_candidates_only():
    # With payoffs normalised first nashpy does find these; each pair is an exact equilibrium to rounding.
    for payoffs in (PENNIES, [[-3, 0, 3], [-3, 0, 0], [-3, 0, 2]], [[0, 3, -2], [2, 1, -3], [-1, 3, 0]]):
        game = MatrixGame(payoffs)
        known = [np.array(e.row + e.column) for e in extreme_equilibria(game).found]
        for row, column in programmes.nashpy_vertices(game):
            assert certified(game, row, column, "nashpy").relative <= 1e-9
            assert min(np.abs(pair - np.array(row + column)).max() for pair in known) <= 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_value_follows_shift_scale_turn_order_and_domination(seed):
    m, n = sizes(seed)
    payoffs = random_payoffs(seed, m, n)
    known, slack = value(payoffs), 1e-9 * 40
    assert value(payoffs + 5) == pytest.approx(known + 5, abs=slack)
    assert value(payoffs * 4) == pytest.approx(known * 4, abs=4 * slack)
    assert value(-payoffs.T) == pytest.approx(-known, abs=slack)
    assert value(payoffs[::-1, ::-1]) == pytest.approx(known, abs=slack)
    worse_row = np.vstack([payoffs, payoffs[0] - 1])
    assert value(worse_row) == pytest.approx(known, abs=slack)
    worse_column = np.hstack([payoffs, payoffs[:, :1] + 1])
    assert value(worse_column) == pytest.approx(known, abs=slack)
    assert value(np.vstack([payoffs, payoffs])) == pytest.approx(known, abs=slack)
    assert analyse(MatrixGame(payoffs)).value == pytest.approx(known, abs=slack)


@pytest.mark.parametrize("method", ["nashpy linear programme", "HiGHS", "exact simplex"])
def test_every_method_passes_the_same_check(method):
    # Three independent methods, one value.
    for seed in range(15):
        game = MatrixGame(random_payoffs(seed, *sizes(seed)))
        candidates = [certified(game, x, y, name) for name, x, y in programmes.mixtures(game)]
        candidates += [answer.rounded(game) for answer in exact.mixtures(game, 10**7)]
        answer = {candidate.method: candidate for candidate in candidates}[method]
        assert answer.relative <= 1e-9
        assert answer.value == pytest.approx(analyse(game).value, abs=1e-9 * 18)


@pytest.mark.parametrize("seed", range(20))
def test_games_with_two_payoffs_get_a_certified_equilibrium(seed):
    m, n = sizes(seed)
    game = MatrixGame(random_payoffs(seed, m, n), random_payoffs(seed + 500, m, n))
    answer = solve(game)
    assert answer.relative <= 1e-9
    assert answer.value == (answer.payoffs[0] if game.zero_sum else None)
    assert exploitability(game, answer.row, answer.column) <= 1e-9 * 18


@pytest.mark.parametrize(
    "payoffs",
    [
        [[5.0]],
        [[0.0]],
        np.zeros((30, 30)),
        np.full((4, 7), -2.5),
        np.array(PENNIES) * 1e-9,
        np.array(PENNIES) * 1e9,
        [[1e9, -1e-9], [-1e-9, 1e-9]],
        [[1e-9, 1e9], [1e9, 1e-9]],
        [[1e300, -1e300], [-1e300, 1e300]],
        np.tile(random_payoffs(3, 5, 5), (3, 3)),
        random_payoffs(1, 30, 30),
        random_payoffs(2, 1, 30),
        random_payoffs(2, 30, 1),
    ],
)
def test_no_game_is_too_odd(payoffs):
    game = MatrixGame(payoffs)
    answer = solve(game)
    assert answer.relative <= 1e-9
    assert sum(answer.row) == pytest.approx(1.0)
    whole = analyse(game)
    assert whole.equilibria.found
    span = float(game.row.max() - game.row.min())
    assert whole.value == pytest.approx(answer.value, abs=1e-9 * span)
    for (low, high), p in zip(whole.ranges.row, whole.equilibria.found[0].row, strict=True):
        assert low <= p <= high


def test_mixed_scales_by_hand():
    # [[1e9, 0], [0, 1e-9]]: the row player mixes p = 1e-9 / (1e9 + 1e-9), the value is 1 / (1e9 + 1e-9).
    big, small = Fraction(1e9), Fraction(1e-9)
    whole = analyse(MatrixGame([[1e9, 0], [0, 1e-9]]))
    assert whole.value == float(big * small / (big + small))
    assert whole.equilibria.found[0].row[0] == float(small / (big + small))


def test_a_200x200_game_is_certified():
    answer = solve(MatrixGame(random_payoffs(9, 200, 200)))
    assert answer.relative <= 1e-9


def test_large_games_with_two_payoffs_are_certified_too():
    # No pair of actions is an equilibrium: each player wants to name the number after the other one's.
    cycle = np.array([[float((i - j) % 40 == 1) for j in range(40)] for i in range(40)])
    noise = [random_payoffs(seed, 40, 40, 10**6) * 1e-9 for seed in (1, 2)]
    game = MatrixGame(cycle + noise[0], cycle.T + noise[1])
    assert matrix.pure_equilibria(game) == []
    answer = solve(game, limit=1)
    assert answer.method.endswith("in floating point")
    assert answer.relative <= 1e-9
    some = extreme_equilibria(game, limit=1)
    assert not some.complete
    assert some.found[0].relative <= 1e-9


def test_an_answer_above_the_tolerance_is_refused(monkeypatch):
    # Only one bad candidate is left: it must not get through, and the message says what was reached.
    monkeypatch.setattr(programmes, "mixtures", lambda game: [("bad", [1.0, 0.0], [1.0, 0.0])])
    monkeypatch.setattr(exact, "mixtures", lambda game, limit: [])
    with pytest.raises(NotConverged, match=r"at most 1e-09 of the payoffs' range, got 1 \(bad\)"):
        solve(MatrixGame(PENNIES))


def test_a_bad_candidate_leaves_the_next_method_to_answer(monkeypatch):
    monkeypatch.setattr(programmes, "mixtures", lambda game: [("bad", [1.0] + [0.0] * 8, [1.0] + [0.0] * 8)])
    answer = solve(MatrixGame(np.eye(9)))
    assert (answer.method, answer.row) == ("exact simplex", (1 / 9,) * 9)


def test_a_large_game_whose_optimal_set_is_not_a_point_has_its_ranges_by_linear_programmes():
    # Every action of matching pennies six times: each copy may carry from nothing to all of the 1/2; the
    # limit of one operation leaves no exact arithmetic.
    whole = analyse(MatrixGame(np.tile(PENNIES, (6, 6))), limit=1)
    assert whole.ranges.method == "programmes"
    assert not whole.equilibria.complete
    for low, high in (*whole.ranges.row, *whole.ranges.column):
        assert (low, high) == pytest.approx((0.0, 0.5), abs=1e-9)


def test_programmes_beyond_the_limit_leave_bounds():
    # Matching pennies a hundred times over: 200 free rows, so 400 programmes of 200 x 200 a side, 40
    # operations a payoff: 640 million, above the default limit of 30 million.
    game = MatrixGame(np.tile(PENNIES, (100, 100)))
    few = analyse(game)
    assert few.ranges.method == "outer"
    assert few.ranges.row == few.ranges.column == ((0.0, 1.0),) * 200
    best = few.equilibria.found[0]
    with pytest.raises(TooLarge, match="at least 640000000 operations, the limit is 639999999"):
        programmes.extents(game.row, best, Work(639_999_999))


def test_a_failing_library_is_no_answer(monkeypatch):
    import nashpy

    def broken(self):
        warnings.warn("divide by zero", RuntimeWarning, stacklevel=1)
        raise ValueError("no vertices")

    monkeypatch.setattr(nashpy.Game, "linear_program", broken)
    answer = solve(MatrixGame(np.eye(9)))  # above 8 x 8 the libraries come first
    assert answer.method == "HiGHS"
    assert answer.row == pytest.approx([1 / 9] * 9)  # every row must be used equally


def test_equal_and_opposite_payoffs_are_zero_sum_and_others_are_not():
    assert MatrixGame(PENNIES, [[-1, 1], [1, -1]]).zero_sum
    assert not MatrixGame(PENNIES, [[0, 2], [2, 0]]).zero_sum  # constant-sum
    assert MatrixGame([[Fraction(1, 3)]], [[Fraction(-1, 3)]]).zero_sum


@pytest.mark.parametrize(
    ("row", "column", "message"),
    [
        ([], None, "row: expected at least one row and one column of payoffs"),
        ([[]], None, "row: expected at least one row and one column of payoffs"),
        ([[1, 2], [3]], None, "row: expected a rectangle of numbers"),
        (
            [[1, float("nan")]],
            None,
            r"row\[0\]\[1\]: expected a finite number of size at most 1e300, got nan",
        ),
        ([[1], [float("inf")]], None, r"row\[1\]\[0\]: expected a finite number"),
        ([[10**400]], None, "row: expected a rectangle of numbers"),
        ([["x"]], None, "row: expected a rectangle of numbers"),
        ([[1, 2]], [[1], [2]], "column: expected 1 x 2 payoffs, as for the row player, got 2 x 1"),
    ],
)
def test_payoffs_that_are_no_game(row, column, message):
    with pytest.raises(BadInput, match=message):
        MatrixGame(row, column)


def test_a_game_does_not_change_with_the_array_it_came_from():
    payoffs = np.array(PENNIES, dtype=float)
    game = MatrixGame(payoffs)
    payoffs[:] = 0
    assert game.exact[0] == ((1, -1), (-1, 1))
    with pytest.raises(ValueError, match="read-only"):
        game.row[0, 0] = 3


def test_the_types_import_neither_scipy_nor_nashpy():
    code = f"import sys, {matrix.__name__}; print({{'scipy', 'nashpy'}} & set(sys.modules))"
    assert run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def fuzzer():
    script = Path(__file__).parents[1] / "bench" / "fuzz_matrix.py"
    spec = importlib.util.spec_from_file_location("fuzz_matrix", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_fuzzed_games(monkeypatch, capsys):
    # The checks of the benchmark script on its first games; every warning is an error there.
    fuzz = fuzzer()
    for number in range(300):
        fuzz.check(fuzz.draw(0, number, 5))
    monkeypatch.setattr(sys, "argv", ["fuzz_matrix.py", "--games", "5", "--compare"])
    with warnings.catch_warnings():
        assert fuzz.main() == 0
    assert capsys.readouterr().out.startswith("5 games, none failed: ")


def test_the_fuzzer_notices_a_wrong_answer(monkeypatch):
    fuzz = fuzzer()
    wrong = certified(MatrixGame(PENNIES), [0.6, 0.4], [0.5, 0.5], "wrong")
    monkeypatch.setattr(fuzz, "solve", lambda game: wrong)
    with pytest.raises(AssertionError, match="gain of the single equilibrium"):
        fuzz.check(MatrixGame(PENNIES))
