"""Solve many odd matrix games and check every answer; ``python bench/fuzz_matrix.py --games 100000``.

Games are drawn from families that break solvers: tied, duplicated, dominated, nearly equal, badly scaled.
Each is checked against independent statements, in fractions where it matters:

- the printed equilibrium's gains from deviating, recomputed here, are within 1e-9 of the payoffs' range;
- zero-sum: both optimal mixtures prove the same value (one secures it, the other concedes no more);
- a value follows a shift of the payoffs, and its sign follows an exchange of the players;
- the ranges contain every equilibrium, and each end is reached by one (up to 8 x 8);
- ``solve`` agrees with ``analyse``; no warning leaves the library.

Prints one line of counts; leaves with code 1 at the first game that fails, which it prints.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np

from fable_solve.solver.equilibria import Analysis, analyse
from fable_solve.solver.matrix import MatrixGame, certified, solve
from fable_solve.solver.programmes import nashpy_vertices
from fable_solve.solver.rng import Stream, stream_key

TOLERANCE = 1e-9


def table(stream: Stream, m: int, n: int) -> list[list[float]]:
    """Payoffs of one of nine families."""
    family = stream.below(9)
    span = (1, 2, 9, 10**6)[stream.below(4)]

    def whole() -> int:
        return stream.below(2 * span + 1) - span

    rows = [[float(whole()) for _ in range(n)] for _ in range(m)]
    if family == 1:  # duplicated rows
        rows = [rows[stream.below(m)] for _ in range(m)]
    elif family == 2:  # a dominated row and a dominated column
        rows[-1] = [a - stream.below(2) for a in rows[0]]
        for line in rows:
            line[-1] = line[0] + stream.below(2)
    elif family == 3:  # all equal
        rows = [[rows[0][0]] * n for _ in range(m)]
    elif family == 4:  # floats
        rows = [[stream.uniform() for _ in range(n)] for _ in range(m)]
    elif family == 5:  # one scale, 1e-9 to 1e9
        scale = 10.0 ** (stream.below(19) - 9)
        rows = [[a * scale for a in line] for line in rows]
    elif family == 6:  # mixed scales
        rows = [[a * 10.0 ** (stream.below(19) - 9) for a in line] for line in rows]
    elif family == 7:  # nearly equal
        rows = [[1.0 + a * 1e-12 for a in line] for line in rows]
    elif family == 8:  # permuted diagonal, as in guessing games
        rows = [
            [-abs(a) if i == j else abs(line[0]) for j, a in enumerate(line)] for i, line in enumerate(rows)
        ]
    return rows


def draw(seed: int, number: int, largest: int) -> MatrixGame:
    stream = Stream(stream_key(seed, "fuzz", number))
    m, n = 1 + stream.below(largest), 1 + stream.below(largest)
    if number % 5000 == 4999:
        m = n = 30
    row = table(stream, m, n)
    zero_sum = max(m, n) > largest or stream.below(2) == 0
    return MatrixGame(row) if zero_sum else MatrixGame(row, table(stream, m, n))


def check(game: MatrixGame) -> None:
    """Raises ``AssertionError`` with the statement that fails."""
    analysis = analyse(game)
    found = analysis.equilibria.found
    assert analysis.equilibria.complete or max(game.shape) > 8, "complete"
    for equilibrium in found[:10]:
        assert _relative_gain(game, equilibrium.row, equilibrium.column) <= TOLERANCE, "gain from deviating"
    one = solve(game)
    assert _relative_gain(game, one.row, one.column) <= TOLERANCE, "gain of the single equilibrium"
    if game.zero_sum:
        _check_value(game, analysis)
        error = abs(Fraction(one.value) - Fraction(analysis.value))
        assert error <= _slack(game, Fraction(one.value)), "value of the single equilibrium"
    for side, mixtures in (
        (analysis.ranges.row, [e.row for e in found]),
        (analysis.ranges.column, [e.column for e in found]),
    ):
        for (low, high), played in zip(side, zip(*mixtures, strict=True), strict=True):
            assert low <= min(played) and max(played) <= high, "ranges contain the equilibria"
            if analysis.equilibria.complete:
                assert (low, high) == (min(played), max(played)), "ranges are reached"


def _check_value(game: MatrixGame, analysis: Analysis) -> None:
    payoffs, best, value = game.exact[0], analysis.equilibria.found[0], Fraction(analysis.value)
    x, y = _normal(best.row), _normal(best.column)
    slack = _slack(game, value)
    secured = min(sum(p * a for p, a in zip(x, line, strict=True)) for line in zip(*payoffs, strict=True))
    conceded = max(sum(q * a for q, a in zip(y, line, strict=True)) for line in payoffs)
    assert value - slack <= secured <= conceded <= value + slack, "value is secured and conceded"
    turned = analyse(MatrixGame([[-a for a in line] for line in zip(*payoffs, strict=True)])).value
    assert turned == -analysis.value, "value of the exchanged game"
    shifted = analyse(MatrixGame([[a + 3 for a in line] for line in payoffs])).value
    assert abs(Fraction(shifted) - value - 3) <= slack + Fraction(1e-15) * (3 + abs(value)), "shifted value"


def _normal(mixture: tuple[float, ...]) -> list[Fraction]:
    weights = [Fraction(p) for p in mixture]
    return [p / sum(weights) for p in weights]


def _relative_gain(game: MatrixGame, row: tuple[float, ...], column: tuple[float, ...]) -> Fraction:
    """Largest gain from a pure deviation, relative to that player's range of payoffs, in fractions."""
    x, y = _normal(row), _normal(column)
    gains = []
    for payoffs, mine, other in (
        (game.exact[0], x, y),
        (tuple(zip(*game.exact[1], strict=True)), y, x),
    ):
        against = [sum(q * a for q, a in zip(other, line, strict=True)) for line in payoffs]
        gain = max(against) - sum(p * v for p, v in zip(mine, against, strict=True))
        span = max(map(max, payoffs)) - min(map(min, payoffs))
        gains.append(gain / span if span else gain)
    return max(gains)


def _slack(game: MatrixGame, value: Fraction) -> Fraction:
    """The tolerance on a value, and the rounding of the float that holds it."""
    payoffs = game.exact[0]
    span = max(map(max, payoffs)) - min(map(min, payoffs))
    return Fraction(TOLERANCE) * span + Fraction(2) ** -52 * abs(value)


def nashpy_missed(game: MatrixGame) -> bool:
    """Whether nashpy's vertex enumeration misses an extreme equilibrium of a game of up to 4 x 4."""
    known = [np.array(e.row + e.column) for e in analyse(game).equilibria.found]
    pairs = [
        np.array(x + y) for x, y in nashpy_vertices(game) if certified(game, x, y, "").relative <= TOLERANCE
    ]
    return not all(any(np.abs(one - pair).max() <= 1e-6 for pair in pairs) for one in known)


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz the matrix game solver.")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--largest", type=int, default=6, help="Largest number of actions of a player.")
    parser.add_argument(
        "--compare", action="store_true", help="Count what nashpy's vertex enumeration misses."
    )
    arguments = parser.parse_args()
    warnings.simplefilter("error")
    counts: Counter[str] = Counter()
    for number in range(arguments.games):
        game = draw(arguments.seed, number, arguments.largest)
        try:
            check(game)
        except Exception as error:
            print(
                f"game {number}: {type(error).__name__}: {error}\n{game.row.tolist()}\n{game.column.tolist()}"
            )
            return 1
        counts["zero-sum" if game.zero_sum else "bimatrix"] += 1
        if arguments.compare and max(game.shape) <= 4:
            counts["compared with nashpy"] += 1
            counts["nashpy misses some"] += nashpy_missed(game)
    print(
        f"{arguments.games} games, none failed: " + ", ".join(f"{k} {v}" for k, v in sorted(counts.items()))
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
