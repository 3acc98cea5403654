"""The rule data of 61 Feuilles d'automne, its sheet, and the best score a sheet can have."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.feuilles.sheet import Burrow, EqualRows, Lilies, Mugs, Mushrooms, X, Zone
from fable_solve.solver.schema import Int, Model

if TYPE_CHECKING:
    from fable_solve.solver.games.feuilles.play import Feuilles

Points = Annotated[Int, Field(ge=0, le=1000)]
Size = Annotated[Int, Field(ge=1, le=6)]
Cells = Annotated[tuple[Points, ...], Field(min_length=1, max_length=6)]


class Rules(Model):
    """The rule data of ``seeds/feuilles.toml``."""

    rounds: Annotated[Int, Field(ge=1, le=1000)]
    leaf_target: Annotated[Int, Field(ge=1, le=10_000)]
    max_players: Annotated[Int, Field(ge=1, le=12)]
    leaf_bonus: Literal["exact", "reach"]
    leaf_bonuses: dict[str, Literal["X"] | Points]
    zone_bonus: Points
    pumpkin_sizes: Annotated[tuple[Size, ...], Field(min_length=1, max_length=4)]
    pumpkin_points: Cells
    lily_points: Cells
    skewer_sizes: Annotated[tuple[Size, ...], Field(min_length=1, max_length=4)]
    skewer_points: Cells
    mug_points: Annotated[tuple[Points, ...], Field(min_length=6, max_length=6)]
    burrow_points: Annotated[tuple[Cells, ...], Field(min_length=1, max_length=6)]
    mushroom_points: Cells

    @field_validator("leaf_bonuses")
    @classmethod
    def _totals(cls, bonuses: dict[str, Any]) -> dict[str, Any]:
        for total in bonuses:
            if not (total.isascii() and total.isdecimal() and 1 <= int(total[:6]) <= 10_000):
                raise BadInput("leaf totals from 1 to 10000", repr(total))
        return bonuses

    @model_validator(mode="after")
    def _pyramid(self) -> Rules:
        for index, (below, row) in enumerate(pairwise(self.burrow_points), 1):
            if len(row) != len(below) - 1:
                where = f"burrow_points[{index}]"
                raise BadInput(f"{len(below) - 1} cells over {len(below)}", len(row), where=where)
        return self

    @model_validator(mode="after")
    def _same_lengths(self) -> Rules:
        for sizes, points in (("pumpkin_sizes", "pumpkin_points"), ("skewer_sizes", "skewer_points")):
            wanted, got = len(getattr(self, sizes)), len(getattr(self, points))
            if wanted != got:
                raise BadInput(f"{wanted} values, as in {sizes}", got, where=points)
        return self

    @cached_property
    def zones(self) -> tuple[Zone, ...]:
        """The six zones; zone ``z`` of the rules is entry ``z - 1``."""
        return (
            EqualRows(self.pumpkin_sizes, row_points=self.pumpkin_points),
            Lilies((len(self.lily_points),), cell_points=self.lily_points),
            EqualRows(self.skewer_sizes, row_points=self.skewer_points),
            Mugs((len(self.mug_points),), cell_points=self.mug_points),
            Burrow(tuple(map(len, self.burrow_points)), cell_points=self.burrow_points),
            Mushrooms((len(self.mushroom_points),), cell_points=self.mushroom_points),
        )

    @cached_property
    def bonus_at(self) -> dict[int, Literal["X"] | int]:
        """Leaf total -> ``"X"`` or points."""
        return {int(total): bonus for total, bonus in self.leaf_bonuses.items()}

    @cached_property
    def leaf_points(self) -> int:
        """All points of the leaf bonuses."""
        return sum(bonus for bonus in self.bonus_at.values() if isinstance(bonus, int))

    def earned(self, before: int, after: int) -> tuple[int, int]:
        """(points, jokers) of the leaf bonuses earned when a leaf total goes from ``before`` to ``after``."""
        totals = (after,) if self.leaf_bonus == "exact" else range(before + 1, after + 1)
        bonuses = [self.bonus_at[total] for total in totals if total in self.bonus_at]
        if not bonuses:
            return 0, 0
        return sum(bonus for bonus in bonuses if isinstance(bonus, int)), bonuses.count(X)


def score_bound(rules: Rules) -> int:
    """The highest score that one cell a round and one for each joker can bring.

    A knapsack over the zones, each filled in some number of cells with the best points of that many, all
    leaf points earned. 63 under the shipped data.
    """
    best = [0]
    for zone in rules.zones:
        worth = best_points(zone, rules.zone_bonus)
        best = [
            max(best[n - k] + worth[k] for k in range(len(worth)) if 0 <= n - k < len(best))
            for n in range(len(best) + len(worth) - 1)
        ]
    cells = rules.rounds + list(rules.bonus_at.values()).count(X)
    return max(best[: cells + 1]) + rules.leaf_points


def best_points(zone: Zone, bonus: int) -> list[int]:
    """Most points of a zone with exactly ``n`` cells filled, for ``n`` from 0 to all of them.

    Jokers may stand wherever numbers may, so it is enough to fill the zone with jokers in every order.
    """
    filled, worth = {zone.empty}, [0]
    while any(zone.moves(rows, X) for rows in filled):
        filled = {placement.rows for rows in filled for placement in zone.moves(rows, X)}
        worth.append(max(zone.points(rows) for rows in filled))
    worth[-1] += bonus
    return worth


def make_game(rules: Rules, players: int, mode: str | None = None, objective: str | None = None) -> Feuilles:
    """The game for ``players`` sheets; the objective is by default ``score`` alone, ``win`` with rivals."""
    from fable_solve.solver.games.feuilles.play import Feuilles

    if not 1 <= players <= rules.max_players:
        raise BadInput(f"1 to {rules.max_players} players", players, where="players")
    objective = objective or ("score" if players == 1 else "win")
    if objective not in ("win", "margin", "score"):
        raise BadInput("win, margin or score", repr(objective), where="--objective")
    if objective == "margin" and players != 2:
        raise BadInput("2 players for the objective margin", players, where="players")
    return Feuilles(rules, players, objective)
