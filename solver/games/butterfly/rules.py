"""The rule data of Butterfly as a checked model, and the game it makes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.butterfly.tiles import COLOURS, INDEX, Scoring, counts
from fable_solve.solver.schema import Int, Model, Str, shown

if TYPE_CHECKING:
    from fable_solve.solver.games.butterfly.play import Butterfly

LAYOUTS = ("none", "four", "eight")
PLAYERS = ("2", "3", "4", "5")

Count = Annotated[Int, Field(ge=0, le=100)]
Cells = tuple[tuple[int, int], ...]


def values(low: int, high: int) -> Any:
    """A list of printed values, at most 100 of them."""
    return Annotated[list[Annotated[Int, Field(ge=low, le=high)]], Field(max_length=100)]


class Rules(Model):
    """Every number and option of the rules; the fields are the keys of the data file."""

    square: dict[Str, Annotated[Int, Field(ge=1, le=20)]]
    placer: Literal["last", "first", "random"]
    nets: Any
    butterflies: values(1, 5)  # type: ignore[valid-type]
    doublers: Count
    double: Annotated[Int, Field(ge=1, le=10)]
    flowers: Count
    flower_power: Annotated[Int, Field(ge=1, le=3)]
    dragonflies: values(1, 9)  # type: ignore[valid-type]
    fireflies: values(1, 9)  # type: ignore[valid-type]
    grasshoppers: values(1, 9)  # type: ignore[valid-type]
    bees: Count
    bee_points: Annotated[Int, Field(ge=-100, le=0)]
    honeycombs: values(10, 15)  # type: ignore[valid-type]
    wasps: values(4, 7)  # type: ignore[valid-type]

    @field_validator("square")
    @classmethod
    def _sides(cls, value: dict[str, int]) -> dict[str, int]:
        if sorted(value) != list(PLAYERS):
            raise BadInput("sides for 2, 3, 4 and 5 players", shown(", ".join(value)))
        return value

    @field_validator("nets")
    @classmethod
    def _nets(cls, value: Any) -> str | Cells:
        return value if isinstance(value, str) and value in LAYOUTS else net_cells(value)

    @cached_property
    def components(self) -> bytes:
        """Number of tiles of each kind in the box."""
        names = [
            *(colour + str(value) for colour in COLOURS for value in self.butterflies),
            *(colour + "x" for colour in COLOURS for _ in range(self.doublers)),
            *["F"] * self.flowers,
            *(f"d{value}" for value in self.dragonflies),
            *(f"l{value}" for value in self.fireflies),
            *(f"s{value}" for value in self.grasshoppers),
            *["B"] * self.bees,
            *(f"h{value}" for value in self.honeycombs),
            *(f"w{value}" for value in self.wasps),
        ]
        return counts(INDEX[name] for name in names)

    @cached_property
    def scoring(self) -> Scoring:
        return Scoring(self.double, self.flower_power, self.bee_points)

    def net_squares(self, side: int) -> Cells:
        """Squares of the nets on a full-size square of this side."""
        return self.nets if not isinstance(self.nets, str) else layout(self.nets, side)


def net_cells(value: Any) -> Cells:
    """A list of different ``[row, col]``; raises :class:`BadInput` for anything else."""
    if not isinstance(value, list | tuple):
        raise BadInput("none, four, eight or a list of [row, col]", shown(value))
    cells: list[tuple[int, int]] = []
    for i, cell in enumerate(value):
        if not isinstance(cell, list | tuple) or [type(part) for part in cell] != [int, int]:
            raise BadInput("[row, col]", shown(cell), where=f"[{i}]")
        if tuple(cell) in cells:
            raise BadInput("each net once", f"{shown(list(cell))} twice", where=f"[{i}]")
        cells.append((cell[0], cell[1]))
    return tuple(cells)


def layout(name: str, side: int) -> Cells:
    """A named layout on a square: ``four`` lie one step diagonally inside the corners, ``eight`` are those
    and the four one step further in.

    >>> layout("four", 6)
    ((1, 1), (1, 4), (4, 1), (4, 4))
    """
    steps = {"none": (), "four": (1,), "eight": (1, 2)}[name]
    lines = [(step, side - 1 - step) for step in steps if side - 1 - step >= 0]
    return tuple(sorted({(r, c) for pair in lines for r in pair for c in pair if max(pair) < side}))


def check_inside(cells: Cells, rows: int, cols: int, where: str = "nets") -> Cells:
    """``cells`` if all of them lie on the board; raises :class:`BadInput` at ``where[place]``."""
    for i, (row, col) in enumerate(cells):
        if not (0 <= row < rows and 0 <= col < cols):
            raise BadInput(f"a square of the {rows}x{cols} board", shown([row, col]), where=f"{where}[{i}]")
    return cells


def make_game(rules: Rules, players: int, mode: str | None = None, objective: str | None = None) -> Butterfly:
    """The full-size game for ``players`` seats; the objective is the margin for 2, the win share for more."""
    from fable_solve.solver.games.butterfly.play import Butterfly

    if str(players) not in PLAYERS:
        raise BadInput("2 to 5 players", players)
    side, tiles = rules.square[str(players)], sum(rules.components)
    if side * side > tiles:
        raise BadInput(f"a side whose square {tiles} tiles fill", side, where=f"square.{players}")
    nets = check_inside(rules.net_squares(side), side, side)
    return Butterfly(rules, players, objective, side, side, nets, rules.components)
