"""Exact pivoting in integers: simplex algorithm and Lemke-Howson paths on ``{x >= 0 : C x <= b}``.

A dictionary holds every basic variable in terms of the cobasic ones, over one common denominator ``det``::

    det * x_basic[i] = constant[i] - sum_j rows[i][j] * x_cobasic[j]

Exchanging a basic for a cobasic variable keeps all entries integers (each is a minor of the first matrix, so
the division is exact: Edmonds 1967; von Stengel, "Computing equilibria for two-person games", 2002). The
leaving variable comes from the lexicographic ratio test, under which no degenerate problem cycles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fable_solve.solver.errors import TooLarge

PIVOT_COST = 10
"""Operations that one entry of a pivot counts for."""


class Work:
    """Operations still allowed, shared by the steps of one computation; ``limit`` None is no limit.

    An operation is one on short integers, about a tenth of a microsecond; see :func:`slowness`.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit, self.done = limit, 0

    def spend(self, operations: int) -> None:
        """Count ``operations``; raises :class:`TooLarge` once the limit is passed."""
        self.allow(operations)
        self.done += operations

    def allow(self, operations: int) -> None:
        """Raises :class:`TooLarge` if ``operations`` more would pass the limit."""
        if self.limit is not None and self.done + operations > self.limit:
            raise TooLarge("operations", self.done + operations, self.limit)


class Dictionary:
    """One basis of ``{x >= 0 : C x <= b}``, ``b >= 0``, starting with the slacks basic; mutable.

    ``cobasic`` names the columns of ``C`` and ``basic`` its rows (one slack each); all names differ.
    """

    def __init__(
        self,
        rows: Sequence[Sequence[int]],
        constant: Sequence[int],
        cobasic: Sequence[int],
        basic: Sequence[int],
        work: Work,
        det: int = 1,
    ) -> None:
        self.rows = [list(row) for row in rows]
        self.constant = list(constant)
        self.cobasic, self.basic = list(cobasic), list(basic)
        self.first = tuple(basic)
        self.det, self.work = det, work

    def enter(self, name: int) -> int | None:
        """Make the cobasic variable ``name`` basic; the name of the variable that leaves.

        ``None``, and no change, if nothing bounds the entering variable.
        """
        column = self.cobasic.index(name)
        row = self._leaving_row(column)
        if row is None:
            return None
        leaving = self.basic[row]
        self._pivot(row, column)
        self.basic[row], self.cobasic[column] = name, leaving
        return leaving

    def _leaving_row(self, column: int) -> int | None:
        """The row with the lexicographically smallest ``(constant, inverse basis) / entry``."""
        tied = [i for i, row in enumerate(self.rows) if row[column] > 0]
        tied = self._smallest(tied, self.constant, column)
        for name in self.first:
            if len(tied) < 2:
                break
            tied = self._smallest(tied, self._inverse(name), column)
        return tied[0] if tied else None

    def _smallest(self, candidates: list[int], numerators: Sequence[int], column: int) -> list[int]:
        """The candidates ``i`` with the smallest ``numerators[i] / rows[i][column]``."""
        best: list[int] = []
        for i in candidates:
            if best:
                difference = (
                    numerators[i] * self.rows[best[0]][column] - numerators[best[0]] * self.rows[i][column]
                )
                if difference > 0:
                    continue
                if difference < 0:
                    best = []
            best.append(i)
        return best

    def _inverse(self, name: int) -> list[int]:
        """The column of the inverse basis (times ``det``) that belongs to the first slack ``name``."""
        if name in self.cobasic:
            column = self.cobasic.index(name)
            return [row[column] for row in self.rows]
        return [self.det if basic == name else 0 for basic in self.basic]

    def _pivot(self, row: int, column: int) -> None:
        source, pivot, det = self.rows[row], self.rows[row][column], self.det
        bits = max(det.bit_length(), longest(source))
        self.work.spend(pivot_work(len(self.rows), len(self.cobasic) + 1, bits))
        for i, target in enumerate(self.rows):
            if i == row:
                continue
            factor = target[column]
            self.constant[i] = (self.constant[i] * pivot - factor * self.constant[row]) // det
            self.rows[i] = [(a * pivot - factor * b) // det for a, b in zip(target, source, strict=True)]
            self.rows[i][column] = -factor
        source[column], self.det = det, pivot

    def values(self) -> dict[int, int]:
        """``det`` times the value of each variable at this basis."""
        return dict.fromkeys(self.cobasic, 0) | dict(zip(self.basic, self.constant, strict=True))


def pivot_work(rows: int, columns: int, bits: int) -> int:
    """Operations of one pivot on integers of this length."""
    return PIVOT_COST * rows * columns * slowness(bits)


def slowness(bits: int) -> int:
    """How many times as long integers of ``bits`` bits take as short ones: a division takes the square.

    >>> slowness(64), slowness(1000), slowness(40_000)
    (1, 6, 8001)
    """
    return 1 + bits * bits // 200_000


def longest(numbers: Iterable[int]) -> int:
    """The length in bits of the largest of the numbers."""
    return max((number.bit_length() for number in numbers), default=0)


def maximise(dictionary: Dictionary, objective: dict[int, int]) -> list[int]:
    """Bring ``dictionary`` to a basis that maximises ``sum objective[name] * x[name]`` over a bounded set.

    Returns the reduced costs of the cobasic variables at the optimum, all >= 0, times a positive constant.
    Dantzig's choice of the entering variable; the lexicographic leaving rule makes it finite.
    """
    while True:
        costs = _reduced_costs(dictionary, objective)
        smallest = min(costs, default=0)
        if smallest >= 0:
            return costs
        if dictionary.enter(dictionary.cobasic[costs.index(smallest)]) is None:
            raise ValueError("expected a bounded set, got an unbounded direction")


def _reduced_costs(dictionary: Dictionary, objective: dict[int, int]) -> list[int]:
    costs = [-objective.get(name, 0) * dictionary.det for name in dictionary.cobasic]
    for name, row in zip(dictionary.basic, dictionary.rows, strict=True):
        weight = objective.get(name, 0)
        if weight:
            costs = [cost + weight * entry for cost, entry in zip(costs, row, strict=True)]
    return costs


def optimal_face(dictionary: Dictionary, costs: Sequence[int]) -> Dictionary:
    """The set of all optima as a dictionary of its own: cobasic variables with a positive cost stay 0."""
    free = [j for j, cost in enumerate(costs) if cost == 0]
    return Dictionary(
        [[row[j] for j in free] for row in dictionary.rows],
        dictionary.constant,
        [dictionary.cobasic[j] for j in free],
        dictionary.basic,
        dictionary.work,
        dictionary.det,
    )


def lemke_howson(
    row: Sequence[Sequence[int]], column: Sequence[Sequence[int]], label: int, work: Work
) -> tuple[list[int], list[int]]:
    """An equilibrium of the game with positive integer payoffs ``row`` and ``column``, both [m, n].

    Follows the path that starts by dropping ``label`` (rows 0..m-1, columns m..m+n-1). The two answers are
    the mixtures, each up to a positive factor. Source: Lemke and Howson, 1964.
    """
    m, n = len(row), len(row[0])
    rows, columns = range(m), range(m, m + n)
    first = Dictionary(list(zip(*column, strict=True)), [1] * n, rows, columns, work)
    second = Dictionary(row, [1] * m, columns, rows, work)
    entering, dictionary, other = label, first, second
    if label >= m:
        dictionary, other = second, first
    while True:
        leaving = dictionary.enter(entering)
        if leaving is None:
            raise ValueError("expected positive payoffs, got an unbounded best-response polytope")
        if leaving == label:
            break
        entering, dictionary, other = leaving, other, dictionary
    x, y = first.values(), second.values()
    return [x[i] for i in rows], [y[j] for j in columns]
