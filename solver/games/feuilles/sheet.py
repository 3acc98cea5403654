"""The six zones of a sheet: where a number or an X may be written, and what it scores.

A zone is a tuple of rows, a row a string with one letter a cell: ``-`` empty, ``1`` to ``6`` a number,
``X`` a joker. An empty sheet under the shipped data::

    1 pumpkins   ("--", "--")           a row a pumpkin: both eyes equal
    2 lilies     ("-----",)             filled in order, all different
    3 skewers    ("--", "---")          a row a skewer: all equal
    4 mugs       ("------",)            cell v - 1 takes only the number v
    5 burrow     ("---", "--", "-")     a pyramid, bottom row first; touching cells differ
    6 mushrooms  ("-----",)             filled in order, each one up or down, 6 and 1 being neighbours

The joker equals anything in 1 and 3, differs from anything in 2 and 5, fits any empty mug, and follows and
is followed by anything in 6. Cells are numbered from 0: pumpkin, lily, skewer, mug, burrow cell (bottom row
left to right, then the row above it) and mushroom. A pumpkin or a skewer is one cell, because which of its
places is filled first makes no difference.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, NamedTuple

from fable_solve.solver.errors import BadInput
from fable_solve.solver.schema import shown

EMPTY: Final = "-"
X: Final = "X"
FACES = "123456"
NAMES = ("pumpkins", "lilies", "skewers", "mugs", "burrow", "mushrooms")

Rows = tuple[str, ...]


class Placement(NamedTuple):
    """One way to write a letter into a zone."""

    cell: int
    rows: Rows
    """The zone afterwards."""
    gain: int
    """Points of the zone gained, its completion bonus not counted."""
    completes: bool
    """Whether the zone was completed by it."""


def is_full(rows: Rows) -> bool:
    """Whether every cell of a zone is filled."""
    return not any(EMPTY in row for row in rows)


def equal(first: str, second: str) -> bool:
    """Whether two letters can stand where equal numbers must: a joker equals anything."""
    return first == second or X in (first, second)


def differ(first: str, second: str) -> bool:
    """Whether two letters can stand where different numbers must: a joker differs from anything."""
    return first != second or first == X


def neighbours(first: str, second: str) -> bool:
    """Whether one mushroom may follow another: one up or down, round from 6 to 1; a joker always.

    >>> [neighbours("6", letter) for letter in "1256X"]
    [True, False, True, False, True]
    """
    return X in (first, second) or (int(first) - int(second)) % 6 in (1, 5)


def put(rows: Rows, row: int, column: int, letter: str) -> Rows:
    """``rows`` with one cell filled."""
    old = rows[row]
    return (*rows[:row], old[:column] + letter + old[column + 1 :], *rows[row + 1 :])


@dataclass(frozen=True)
class Zone:
    """A zone of the sheet; its kinds say which cells are legal, how they are filled and what they score."""

    sizes: tuple[int, ...]
    """Cells of each row."""
    _moves: dict[tuple[Rows, str], tuple[Placement, ...]] = field(
        default_factory=dict, compare=False, repr=False
    )
    _points: dict[Rows, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def empty(self) -> Rows:
        return tuple(EMPTY * size for size in self.sizes)

    def moves(self, rows: Rows, letter: str) -> tuple[Placement, ...]:
        """Every legal placement of ``letter``, by cell."""
        found = self._moves.get((rows, letter))
        if found is None:
            found = tuple(self._placement(rows, cell, letter) for cell in self.cells(rows, letter))
            self._moves[rows, letter] = found
        return found

    def _placement(self, rows: Rows, cell: int, letter: str) -> Placement:
        after = self.write(rows, cell, letter)
        return Placement(cell, after, self.points(after) - self.points(rows), is_full(after))

    def points(self, rows: Rows) -> int:
        """Points the zone scores as it stands, its completion bonus not counted."""
        found = self._points.get(rows)
        if found is None:
            found = self._points[rows] = self.count(rows)
        return found

    def check_shape(self, rows: Rows) -> None:
        """Raises :class:`BadInput` for a wrong number of rows or cells, or a letter no cell can hold."""
        if len(rows) != len(self.sizes):
            raise BadInput(f"{len(self.sizes)} rows", len(rows))
        for index, (row, size) in enumerate(zip(rows, self.sizes, strict=True)):
            if len(row) != size:
                raise BadInput(f"{size} cells", shown(row), where=f"[{index}]")
            for letter in row:
                if letter not in EMPTY + FACES + X:
                    raise BadInput("cells of '-', '1' to '6' or 'X'", repr(letter), where=f"[{index}]")

    def cells(self, rows: Rows, letter: str) -> list[int]:
        """Cells into which ``letter`` may be written."""
        raise NotImplementedError

    def write(self, rows: Rows, cell: int, letter: str) -> Rows:
        """The zone with ``letter`` in ``cell``, which must be legal."""
        raise NotImplementedError

    def count(self, rows: Rows) -> int:
        """Points of ``rows``, counted afresh."""
        raise NotImplementedError

    def check(self, rows: Rows) -> None:
        """Raises :class:`BadInput` if the letters break the rule of the zone."""
        raise NotImplementedError

    def essence(self, rows: Rows) -> Rows:
        """A zone with the same future: equal for zones that no legal play can ever tell apart."""
        return rows

    def essence_in_place(self, rows: Rows) -> Rows:
        """The same without swapping cells, so that every move is still into the same cell."""
        return self.essence(rows)


@dataclass(frozen=True)
class EqualRows(Zone):
    """Pumpkins and skewers: the numbers of a row are equal, and only a full row scores."""

    row_points: tuple[int, ...] = ()

    def cells(self, rows: Rows, letter: str) -> list[int]:
        return [
            index
            for index, row in enumerate(rows)
            if EMPTY in row and all(other == EMPTY or equal(letter, other) for other in row)
        ]

    def write(self, rows: Rows, cell: int, letter: str) -> Rows:
        return put(rows, cell, rows[cell].index(EMPTY), letter)

    def count(self, rows: Rows) -> int:
        return sum(points for row, points in zip(rows, self.row_points, strict=True) if EMPTY not in row)

    def check(self, rows: Rows) -> None:
        for index, row in enumerate(rows):
            if len(set(row) - {EMPTY, X}) > 1:
                raise BadInput("equal numbers", shown(row), where=f"[{index}]")

    def essence(self, rows: Rows) -> Rows:
        """Only the number asked for and the places left of a row matter; rows alike may be swapped."""
        kinds = list(zip(self.sizes, self.row_points, strict=True))
        left = sorted(zip(kinds, self.essence_in_place(rows), strict=True))
        return tuple(left.pop([kind for kind, _ in left].index(own))[1] for own in kinds)

    def essence_in_place(self, rows: Rows) -> Rows:
        return tuple(map(self._row_essence, rows))

    @staticmethod
    def _row_essence(row: str) -> str:
        filled = row.replace(EMPTY, "")
        number = next((letter for letter in filled if letter != X and len(filled) < len(row)), X)
        return (number * len(filled)).ljust(len(row), EMPTY)


@dataclass(frozen=True)
class InOrder(Zone):
    """Lilies and mushrooms: filled from the first cell on; every filled cell scores."""

    cell_points: tuple[int, ...] = ()

    def allowed(self, before: str, letter: str) -> bool:
        """Whether ``letter`` may follow the cells ``before``."""
        raise NotImplementedError

    def cells(self, rows: Rows, letter: str) -> list[int]:
        filled = rows[0].rstrip(EMPTY)
        return [len(filled)] if len(filled) < len(rows[0]) and self.allowed(filled, letter) else []

    def write(self, rows: Rows, cell: int, letter: str) -> Rows:
        return put(rows, 0, cell, letter)

    def count(self, rows: Rows) -> int:
        return sum(self.cell_points[: len(rows[0].rstrip(EMPTY))])


@dataclass(frozen=True)
class Lilies(InOrder):
    """Every number differs from all others of the zone."""

    def allowed(self, before: str, letter: str) -> bool:
        return all(differ(letter, other) for other in before)

    def check(self, rows: Rows) -> None:
        numbers = [letter for letter in rows[0] if letter in FACES]
        if len(set(numbers)) < len(numbers):
            raise BadInput("different numbers", shown(rows[0].rstrip(EMPTY)))

    def essence(self, rows: Rows) -> Rows:
        """Only which numbers are used and how many cells are filled matters."""
        return ("".join(sorted(rows[0].rstrip(EMPTY))).ljust(len(rows[0]), EMPTY),)


@dataclass(frozen=True)
class Mushrooms(InOrder):
    """Every number is one up or down from the one before it."""

    def allowed(self, before: str, letter: str) -> bool:
        return not before or neighbours(before[-1], letter)

    def check(self, rows: Rows) -> None:
        filled = rows[0].rstrip(EMPTY)
        for first, second in pairwise(filled):
            if not neighbours(first, second):
                raise BadInput(f"a neighbour of {first} after it (6 and 1 are neighbours)", shown(filled))

    def essence(self, rows: Rows) -> Rows:
        """Only the last number and how many cells are filled matters."""
        filled = rows[0].rstrip(EMPTY)
        return ((filled[-1:] * len(filled)).ljust(len(rows[0]), EMPTY),)


@dataclass(frozen=True)
class Mugs(Zone):
    """Mug ``v`` takes the number ``v``; every filled mug scores."""

    cell_points: tuple[int, ...] = ()

    def cells(self, rows: Rows, letter: str) -> list[int]:
        places = range(len(rows[0])) if letter == X else [FACES.index(letter)]
        return [cell for cell in places if rows[0][cell] == EMPTY]

    def write(self, rows: Rows, cell: int, letter: str) -> Rows:
        return put(rows, 0, cell, letter)

    def count(self, rows: Rows) -> int:
        return sum(
            points for letter, points in zip(rows[0], self.cell_points, strict=True) if letter != EMPTY
        )

    def check(self, rows: Rows) -> None:
        for letter, own in zip(rows[0], FACES, strict=True):
            if letter not in (EMPTY, X, own):
                raise BadInput(f"'-', '{own}' or 'X' in mug {own}", shown(rows[0]))

    def essence(self, rows: Rows) -> Rows:
        """Only which mugs are filled matters."""
        return (rows[0].translate(str.maketrans(FACES, X * 6)),)


@dataclass(frozen=True)
class Burrow(Zone):
    """A pyramid: a cell needs the two under it, and differs from every filled cell it touches.

    Cell ``(row, column)`` stands on ``(row - 1, column)`` and ``(row - 1, column + 1)``.
    """

    cell_points: tuple[tuple[int, ...], ...] = ()

    @property
    def places(self) -> list[tuple[int, int]]:
        """(row, column) of each cell, in the order of their numbers."""
        return [(row, column) for row, size in enumerate(self.sizes) for column in range(size)]

    def touching(self, row: int, column: int) -> list[tuple[int, int]]:
        """The cells beside, below and above a cell."""
        steps = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, -1), (1, 0))
        around = [(row + down, column + right) for down, right in steps]
        return [(r, c) for r, c in around if 0 <= r < len(self.sizes) and 0 <= c < self.sizes[r]]

    def supported(self, rows: Rows, row: int, column: int) -> bool:
        """Whether both cells under a cell are filled."""
        return row == 0 or EMPTY not in rows[row - 1][column : column + 2]

    def fits(self, rows: Rows, row: int, column: int, letter: str) -> bool:
        """Whether ``letter`` differs from every filled cell that touches a cell."""
        return all(differ(letter, rows[r][c]) for r, c in self.touching(row, column))

    def cells(self, rows: Rows, letter: str) -> list[int]:
        return [
            cell
            for cell, (row, column) in enumerate(self.places)
            if rows[row][column] == EMPTY
            and self.supported(rows, row, column)
            and self.fits(rows, row, column, letter)
        ]

    def write(self, rows: Rows, cell: int, letter: str) -> Rows:
        return put(rows, *self.places[cell], letter)

    def count(self, rows: Rows) -> int:
        return sum(self.cell_points[r][c] for r, c in self.places if rows[r][c] != EMPTY)

    def check(self, rows: Rows) -> None:
        for row, column in self.places:
            letter = rows[row][column]
            if letter == EMPTY:
                continue
            if not self.supported(rows, row, column):
                raise BadInput("both cells under a filled cell filled", shown(rows[row]), where=f"[{row}]")
            if not self.fits(rows, row, column, letter):
                raise BadInput("touching cells to differ", shown(rows[row]), where=f"[{row}]")

    def essence(self, rows: Rows) -> Rows:
        """A number matters only while a cell it touches is empty."""
        cells = list(self.places)
        done = [all(rows[r][c] != EMPTY for r, c in self.touching(*cell)) for cell in cells]
        for (row, column), settled in zip(cells, done, strict=True):
            if settled and rows[row][column] != EMPTY:
                rows = put(rows, row, column, X)
        return rows
