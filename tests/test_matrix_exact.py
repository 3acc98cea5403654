"""Extreme equilibria, values and ranges against published games, counts by hand and a brute-force oracle."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations

import pytest

from fable_solve.solver import exact, matrix
from fable_solve.solver.equilibria import analyse, extreme_equilibria, ranges
from fable_solve.solver.errors import TooLarge
from fable_solve.solver.matrix import MatrixGame, certified
from fable_solve.solver.pivoting import Work
from fable_solve.solver.rng import Stream, stream_key

F = Fraction


def subsets(size: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(size), k) for k in range(1, size + 1)))


def unique_solution(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """The solution of a linear system if there is exactly one (Gauss-Jordan in fractions)."""
    table = [[*map(F, row), F(value)] for row, value in zip(rows, right, strict=True)]
    unknowns = len(rows[0])
    for column in range(unknowns):
        pivot = next((k for k in range(column, len(table)) if table[k][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [entry / table[column][column] for entry in table[column]]
        for k, row in enumerate(table):
            if k != column and row[column]:
                table[k] = [a - row[column] * b for a, b in zip(row, table[column], strict=True)]
    if any(row[-1] for row in table[unknowns:]):
        return None
    return [row[-1] for row in table[:unknowns]]


def best_response_vertices(payoffs):
    """Vertices of {(y, u) : A y <= u, y >= 0, sum y = 1}: every choice of used actions and best responses."""
    m, n = len(payoffs), len(payoffs[0])
    found = {}
    for support in subsets(n):
        for tight in subsets(m):
            system = [[payoffs[i][j] for j in support] + [-1] for i in tight]
            system.append([1] * len(support) + [0])
            solution = unique_solution(system, [0] * len(tight) + [1])
            if solution is None or any(p < 0 for p in solution[:-1]):
                continue
            y = [F(0)] * n
            for j, p in zip(support, solution, strict=False):
                y[j] = p
            against = [sum(a * q for a, q in zip(row, y, strict=True)) for row in payoffs]
            if max(against) <= solution[-1]:
                best = frozenset(i for i in range(m) if against[i] == solution[-1])
                found[tuple(y)] = best
    return found


def oracle(row, column):
    """All extreme equilibria: pairs of vertices whose used actions are best responses to each other."""
    ys = best_response_vertices(row)
    xs = best_response_vertices([list(line) for line in zip(*column, strict=True)])
    return {
        (x, y)
        for x, best_columns in xs.items()
        for y, best_rows in ys.items()
        if {i for i, p in enumerate(x) if p} <= best_rows
        and {j for j, q in enumerate(y) if q} <= best_columns
    }


def as_floats(pairs):
    return sorted((tuple(map(float, x)), tuple(map(float, y))) for x, y in pairs)


def found_in(game: MatrixGame):
    answer = extreme_equilibria(game)
    assert answer.complete
    assert max(e.relative for e in answer.found) <= 1e-15
    return sorted((e.row, e.column) for e in answer.found)


def random_table(stream: Stream, m: int, n: int, span: int) -> list[list[int]]:
    return [[stream.below(2 * span + 1) - span for _ in range(n)] for _ in range(m)]


@pytest.mark.parametrize("seed", range(60))
def test_random_games_have_exactly_the_equilibria_of_the_oracle(seed):
    # The oracle above solves the linear system of every pair of supports in fractions. Payoffs of a small
    # span make most of these games degenerate.
    stream = Stream(stream_key(seed, "oracle"))
    m, n = 1 + stream.below(4), 1 + stream.below(4)
    span = (1, 2, 9)[seed % 3]
    row = random_table(stream, m, n, span)
    column = [[-a for a in line] for line in row] if seed % 2 else random_table(stream, m, n, span)
    expected = oracle(row, column)
    game = MatrixGame(row, column)
    assert found_in(game) == as_floats(expected)
    spread = ranges(game)
    for side, position in ((spread.row, 0), (spread.column, 1)):
        per_action = zip(*(pair[position] for pair in expected), strict=True)
        assert list(side) == [(float(min(ps)), float(max(ps))) for ps in per_action]


def test_zero_sum_value_is_the_oracles():
    for seed in range(40):
        stream = Stream(stream_key(seed, "value"))
        payoffs = random_table(stream, 1 + stream.below(4), 1 + stream.below(4), 5)
        x, y = min(oracle(payoffs, [[-a for a in line] for line in payoffs]))
        value = sum(
            p * q * a for p, line in zip(x, payoffs, strict=True) for q, a in zip(y, line, strict=True)
        )
        assert analyse(MatrixGame(payoffs)).value == float(value)


def test_von_stengels_game_has_75_equilibria():
    # Published: 75 equilibria of a nondegenerate 6x6 game (von Stengel, "New maximal numbers of equilibria in
    # bimatrix games", 1999), with the smaller payoffs of Savani and von Stengel, 2006.
    row = [
        [-81, 36, -126, 126, -36, 90],
        [-180, 72, -333, 297, -153, 270],
        [20, -3, 42, -33, 17, -30],
        [-30, 17, -33, 42, -3, 20],
        [270, -153, 297, -333, 72, -180],
        [90, -36, 126, -126, 36, -81],
    ]
    column = [
        [72, 36, 17, -3, -36, -153],
        [-180, -81, -30, 20, 90, 270],
        [297, 126, 42, -33, -126, -333],
        [-333, -126, -33, 42, 126, 297],
        [270, 90, 20, -30, -81, -180],
        [-153, -36, -3, 17, 36, 72],
    ]
    assert len(found_in(MatrixGame(row, column))) == 75


@pytest.mark.parametrize("size", [1, 2, 5, 8])
def test_coordination_games_have_an_equilibrium_for_every_set_of_actions(size):
    # Identity payoffs for both: each non-empty set of actions, mixed evenly, and nothing else: 2**size - 1.
    identity = [[int(i == j) for j in range(size)] for i in range(size)]
    found = found_in(MatrixGame(identity, identity))
    assert len(found) == 2**size - 1
    assert all(x == y and len({p for p in x if p}) == 1 for x, y in found)


@pytest.mark.parametrize("payoff", [0, 7, -1e-9, 1e9])
@pytest.mark.parametrize("zero_sum", [True, False])
def test_equal_payoffs_leave_every_pair_of_actions(payoff, zero_sum):
    # Every profile is an equilibrium; the extreme ones are the 8 x 8 pure pairs.
    table = [[payoff] * 8 for _ in range(8)]
    game = MatrixGame(table) if zero_sum else MatrixGame(table, table)
    assert len(found_in(game)) == 64
    assert set(ranges(game).row) == {(0.0, 1.0)}
    assert analyse(game).value == (payoff if zero_sum or payoff == 0 else None)


def test_rock_paper_scissors_with_a_second_rock():
    # Any split of the 1/3 on rock over both rocks is optimal: two extreme mixtures, ranges by hand.
    game = MatrixGame([[0, 1, -1], [-1, 0, 1], [1, -1, 0], [0, 1, -1]])
    third = 1 / 3
    assert found_in(game) == [
        ((0.0, third, third, third), (third, third, third)),
        ((third, third, third, 0.0), (third, third, third)),
    ]
    assert ranges(game).row == ((0.0, third), (third, third), (third, third), (0.0, third))
    assert ranges(game).column == ((third, third),) * 3


def test_decimals_are_taken_literally_when_given_as_fractions():
    # 1/10 + 2/10 = 3/10 exactly, so both rows are equal and either may be played; not so in binary floats.
    assert len(found_in(MatrixGame([[F("0.1") + F("0.2")], [F("0.3")]]))) == 2
    assert len(found_in(MatrixGame([[0.1 + 0.2], [0.3]]))) == 1


def test_a_generic_8x8_game_is_complete_and_an_eight_by_eight_limit_does_not_bind():
    stream = Stream(stream_key(5, "generic"))
    game = MatrixGame(random_table(stream, 8, 8, 10**6), random_table(stream, 8, 8, 10**6))
    answer = extreme_equilibria(game, limit=1)
    assert answer.complete
    # The number of equilibria of a nondegenerate game is odd (Lemke and Howson, 1964).
    assert len(answer.found) % 2 == 1


@pytest.mark.parametrize("zero_sum", [True, False])
def test_above_the_limit_the_answer_says_so_and_still_holds_a_certified_equilibrium(zero_sum):
    stream = Stream(stream_key(6, "limit"))
    row, column = random_table(stream, 12, 12, 99), random_table(stream, 12, 12, 99)
    game = MatrixGame(row) if zero_sum else MatrixGame(row, column)
    small = analyse(game, limit=1 if zero_sum else 200_000)
    assert not small.equilibria.complete
    assert small.reached <= 1e-9
    assert not small.ranges.complete
    assert small.ranges.method == ("programmes" if zero_sum else "outer")
    if zero_sum:
        # Without exact arithmetic the linear programmes must come to the same value and ranges.
        proved = analyse(game)
        assert proved.ranges.complete
        assert small.value == pytest.approx(proved.value, abs=1e-9 * 198)
        for near, exact in zip(small.ranges.row, proved.ranges.row, strict=True):
            assert near == pytest.approx(exact, abs=1e-9)


def test_ranges_of_a_large_degenerate_game_contain_its_equilibrium_and_are_reached():
    stream = Stream(stream_key(7, "wide"))
    block = random_table(stream, 15, 15, 3)
    doubled = [line + line for line in block] * 2  # every action twice: the split between the two is free
    single, wide = analyse(MatrixGame(block)), analyse(MatrixGame(doubled))
    assert wide.value == single.value
    assert wide.ranges.complete
    for action in range(15):
        low, high = wide.ranges.row[action]
        assert low == 0.0
        assert high == single.ranges.row[action][1]


def long_fractions(seed: int, m: int, n: int, digits: int) -> list[list[Fraction]]:
    """Payoffs p / q of so many digits each, so that no two have a factor in common (or hardly any)."""
    stream = Stream(stream_key(seed, "long"))

    def number() -> int:
        return int("".join(str(1 + stream.below(9)) for _ in range(digits)))

    return [[F(number(), number()) for _ in range(n)] for _ in range(m)]


@pytest.mark.parametrize("zero_sum", [True, False])
@pytest.mark.parametrize("size", [8, 30])
def test_payoffs_of_very_many_digits_end_at_the_limit_with_a_certified_equilibrium(zero_sum, size):
    # 30 x 30 fractions of 180 digits need a common denominator of 500,000 bits: they are rounded.
    row = long_fractions(1, size, size, 180)
    game = MatrixGame(row) if zero_sum else MatrixGame(row, long_fractions(2, size, size, 180))
    whole = analyse(game)
    assert not whole.equilibria.complete
    assert not whole.ranges.complete
    assert whole.reached <= 1e-9
    assert [table.error for table in game.integers] == [int(size == 30)] * 2


@pytest.mark.parametrize("zero_sum", [True, False])
def test_floats_of_every_size_are_still_complete(zero_sum):
    # Payoffs from 1e-290 to 1e290 in one game: integers of 2,000 bits, the longest that floats can give.
    stream = Stream(stream_key(3, "sizes"))

    def table() -> list[list[float]]:
        return [[stream.uniform() * 10.0 ** (stream.below(581) - 290) for _ in range(8)] for _ in range(8)]

    whole = analyse(MatrixGame(table()) if zero_sum else MatrixGame(table(), table()))
    assert whole.equilibria.complete
    assert whole.ranges.complete


def test_rounded_payoffs_overstate_the_exploitability_by_less_than_they_may(monkeypatch):
    # The same game in exact and in rounded integers: the second is never smaller, and by 2**-120 at most.
    row, column = long_fractions(4, 5, 4, 20), long_fractions(5, 5, 4, 20)
    x, y = [0.2] * 5, [0.25] * 4
    proved = certified(MatrixGame(row, column), x, y, "even")
    monkeypatch.setattr(matrix, "BITS", 1000)
    rounded = MatrixGame(row, column)
    assert [table.error for table in rounded.integers] == [1, 1]
    for table, payoffs in zip(rounded.integers, rounded.exact, strict=True):
        for entries, line in zip(table.entries, payoffs, strict=True):
            for entry, payoff in zip(entries, line, strict=True):
                assert 0 <= payoff - table.zero - table.unit * entry < table.unit
    bound = certified(rounded, x, y, "even")
    assert bound.relative == pytest.approx(proved.relative, rel=1e-15)
    assert bound.payoffs == pytest.approx(proved.payoffs, rel=1e-15)
    assert matrix.pure_equilibria(rounded) == matrix.pure_equilibria(MatrixGame(row, column))


def test_equal_payoffs_are_exact_however_long(monkeypatch):
    monkeypatch.setattr(matrix, "BITS", 100)
    third = F(1, 3**200)
    whole = analyse(MatrixGame([[third] * 3] * 3))
    assert whole.equilibria.complete
    assert len(whole.equilibria.found) == 9  # every pair of actions
    assert whole.value == float(third)


def test_the_work_grows_with_the_length_of_the_payoffs():
    # The same game with payoffs 2**2000 times as long: as many steps, each on longer integers.
    stream = Stream(stream_key(8, "work"))
    short = random_table(stream, 4, 4, 9)
    long = [[a * 2**2000 + 1 + i * j for j, a in enumerate(line)] for i, line in enumerate(short)]
    for method in (exact.optimum, exact.extreme_pairs):
        few, many = Work(), Work()
        method(MatrixGame([[F(a) for a in line] for line in short]), few)
        method(MatrixGame([[F(a, 2**1990) for a in line] for line in long]), many)
        assert many.done > 10 * few.done
    with pytest.raises(TooLarge):
        exact.extreme_pairs(MatrixGame([[F(a, 2**1990) for a in line] for line in long]), Work(few.done))


def test_an_action_in_use_never_has_probability_0():
    # [[L, 0], [0, 1/L]] with L = 1e300: p L = (1 - p) / L, so p = 1 / (1 + L**2), below the least float.
    whole = analyse(MatrixGame([[F(10**300), 0], [0, F(1, 10**300)]]))
    (only,) = whole.equilibria.found
    assert 0.0 < only.row[0] < 1e-300
    assert whole.ranges.row[0] == (only.row[0], only.row[0])
    assert whole.reached <= 1e-9
