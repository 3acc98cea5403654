"""The matrix game of one simultaneous choice: small, solved millions of times, always with its proof.

A matrix is a flat sequence, row by row, of seat 0's payoffs with ``columns`` entries a row; the row player
maximises. A saddle point and the 2x2 game have closed forms (von Neumann and Morgenstern 1944, section 18);
anything else goes through the simplex method.
"""

from __future__ import annotations

from collections.abc import Sequence

EXACT = 1e-12
"""Relative width below which the two ends of an interval count as rounding of one number."""

SPOILT = 1e-11
"""Exploitability, as a part of the payoffs' range, above which an answer counts as spoilt by rounding."""

MAX_PIVOTS = 200
"""Degenerate programmes might cycle; one that takes so long is left to another method."""

Mixtures = tuple[list[float], list[float]]


def bounds(lows: Sequence[float], highs: Sequence[float], columns: int) -> tuple[float, float]:
    """Proved ends of the value of a matrix whose entries lie in ``[lows, highs]``.

    The lower end is what a row mixture guarantees against every column of ``lows``, the upper end what a
    column mixture concedes to every row of ``highs``; with an equilibrium's mixtures they meet.
    """
    row, column = equilibrium(lows, columns)
    low = guaranteed(lows, row, columns)
    if highs is lows:
        high = conceded(lows, column, columns)
        if high - low <= EXACT * (1.0 + abs(low)):
            low = high = (low + high) / 2
        return low, high
    return low, conceded(highs, equilibrium(highs, columns)[1], columns)


def guaranteed(cells: Sequence[float], row: Sequence[float], columns: int) -> float:
    """min over columns of the row mixture's expected payoff."""
    return min(sum(p * v for p, v in zip(row, cells[j::columns], strict=True)) for j in range(columns))


def conceded(cells: Sequence[float], column: Sequence[float], columns: int) -> float:
    """max over rows of the expected payoff against the column mixture."""
    starts = range(0, len(cells), columns)
    return max(sum(q * v for q, v in zip(column, cells[i : i + columns], strict=True)) for i in starts)


def equilibrium(cells: Sequence[float], columns: int) -> Mixtures:
    """Mixtures of both players in equilibrium, to rounding."""
    return _saddle(cells, columns) or _two_by_two(cells, columns) or _programme(cells, columns)


def _saddle(cells: Sequence[float], columns: int) -> Mixtures | None:
    """The first cell that is least in its row and largest in its column, played purely."""
    rows = [cells[i : i + columns] for i in range(0, len(cells), columns)]
    least = [min(row) for row in rows]
    most = [max(cells[j::columns]) for j in range(columns)]
    low, high = max(least), min(most)
    if low < high:
        return None
    i, j = least.index(low), most.index(high)
    return [float(k == i) for k in range(len(rows))], [float(k == j) for k in range(columns)]


def _two_by_two(cells: Sequence[float], columns: int) -> Mixtures | None:
    """The mixtures that leave the opponent indifferent; without a saddle point they are the only ones."""
    if columns != 2 or len(cells) != 4:
        return None
    a, b, c, d = cells
    total = a - b - c + d
    p, q = (d - c) / total, (d - b) / total
    return [p, 1.0 - p], [q, 1.0 - q]


def _programme(cells: Sequence[float], columns: int) -> Mixtures:
    """The simplex method's mixtures; :mod:`.matrix` is asked should rounding have spoilt them."""
    low, high = min(cells), max(cells)
    row, column = _simplex([1.0 + (cell - low) / (high - low) for cell in cells], columns)
    if conceded(cells, column, columns) - guaranteed(cells, row, columns) <= SPOILT * (high - low):
        return row, column
    from fable_solve.solver.matrix import MatrixGame, solve

    found = solve(MatrixGame([cells[i : i + columns] for i in range(0, len(cells), columns)]))
    return list(found.row), list(found.column)


def _simplex(cells: Sequence[float], columns: int) -> Mixtures:
    """Mixtures of a matrix with entries in [1, 2], from: maximise sum y, subject to A y <= 1, y >= 0.

    The value is 1 / sum y, the column mixture y and the row mixture the dual x, both times the value
    (Dantzig 1951). ``table`` is the condensed tableau: row i reads ``basic[i] = constant - ...``, the last
    row holds the reduced costs, the last column the constants. Variables: columns 0 .. n - 1, slacks from n.
    """
    rows = len(cells) // columns
    table = [[*cells[i * columns : (i + 1) * columns], 1.0] for i in range(rows)]
    table.append([-1.0] * columns + [0.0])
    cobasic, basic = list(range(columns)), list(range(columns, columns + rows))
    for _ in range(MAX_PIVOTS):
        enter = min(range(columns), key=table[rows].__getitem__)
        if table[rows][enter] >= -EXACT:
            break
        limits = [
            (line[columns] / line[enter], i) for i, line in enumerate(table[:rows]) if line[enter] > EXACT
        ]
        if not limits:
            break
        leave = min(limits)[1]
        _exchange(table, leave, enter)
        basic[leave], cobasic[enter] = cobasic[enter], basic[leave]
    weights = dict.fromkeys(range(rows + columns), 0.0)
    weights |= {name: max(line[columns], 0.0) for name, line in zip(basic, table, strict=False)}
    duals = dict(zip(cobasic, table[rows], strict=False))
    total = table[rows][columns]
    row = [max(duals.get(columns + i, 0.0), 0.0) / total for i in range(rows)]
    return _normal(row), _normal([weights[j] / total for j in range(columns)])


def _exchange(table: list[list[float]], leave: int, enter: int) -> None:
    """One pivot: the basic variable of row ``leave`` and the cobasic one of column ``enter`` swap places."""
    pivot = table[leave][enter]
    source = [entry / pivot for entry in table[leave]]
    source[enter] = 1.0 / pivot
    for i, line in enumerate(table):
        if i != leave:
            factor = line[enter]
            line[enter] = 0.0
            table[i] = [entry - factor * other for entry, other in zip(line, source, strict=True)]
    table[leave] = source


def _normal(weights: list[float]) -> list[float]:
    total = sum(weights)
    return [weight / total for weight in weights]
