"""Games of the study of Butterfly: every player count, policy and layout of nets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fable_solve.solver.estimate import Mean, Share, mean, share
from fable_solve.solver.games.butterfly.rules import LAYOUTS
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import Setup, setup
from fable_solve.solver.rules import RuleData
from fable_solve.solver.simulation import simulate
from fable_solve.solver.study import Request

if TYPE_CHECKING:
    import polars as pl

POLICIES = ("random", "greedy")
"""Played besides the search."""
PLACERS = ("last", "first", "random")


@dataclass(frozen=True)
class Cell:
    """Games of one player count, policy (of every seat) and layout of nets."""

    players: int
    policy: str
    nets: str
    episodes: pl.DataFrame

    def seat(self, seat: int) -> pl.DataFrame:
        """The rows of one seat, one a game, in the order of the games."""
        return self.episodes.filter(self.episodes["seat"] == seat)

    def scores(self, seat: int) -> Mean:
        return mean(self.seat(seat)["score"].to_numpy())

    def wins(self, seat: int) -> Share:
        return share(self.seat(seat)["win_share"].to_numpy())

    def per_game(self) -> Any:
        """Mean score of the seats of each game, ``[games]``."""
        return self._table().mean(axis=1)

    def margin(self) -> Mean:
        """Score of seat 0 less that of the best other seat."""
        table = self._table()
        return mean(table[:, 0] - table[:, 1:].max(axis=1))

    def lead(self) -> Mean:
        """Score of seat 0 less the mean of the other seats'."""
        table = self._table()
        return mean(table[:, 0] - table[:, 1:].mean(axis=1))

    def _table(self) -> Any:
        """Scores ``[games, seats]``."""
        return self.episodes["score"].to_numpy().reshape(-1, self.players)


@dataclass(frozen=True)
class Placed:
    """A cell in which the seat of this name, or chance, puts the hedgehog on the square."""

    placer: str
    cell: Cell


def with_layouts(rules: RuleData) -> dict[str, RuleData]:
    """The rule data as given, then under each other named layout of nets, by the name of the layout."""
    own = rules.model.nets if isinstance(rules.model.nets, str) else "as given"
    layouts = {own: rules}
    for name in LAYOUTS:
        layouts.setdefault(name, changed(rules, "nets", name))
    return layouts


def changed(rules: RuleData, key: str, value: str) -> RuleData:
    """The rule data with another value of one key."""
    entries = tuple(replace(entry, value=value) if entry.key == key else entry for entry in rules.entries)
    return replace(rules, entries=entries, model=rules.model.model_copy(update={key: value}))


def strong(request: Request) -> str:
    """The policy of strong play."""
    return f"search@{request.options['nodes']}"


def games_of(request: Request, policy: str) -> int:
    """Games of each cell of a policy."""
    games: int = request.options["games" if policy in POLICIES else "strong_games"]
    return games


def run_of(request: Request, players: int, policy: str, rules: RuleData) -> Setup:
    return setup(get("butterfly"), players, (policy,), rules, seed=request.seed)


def play_all(request: Request, tick: Callable[[], None]) -> list[Cell]:
    """Every cell of the study; cells of other player counts or layouts do not change a cell's games."""
    return [
        _played(request, players, policy, nets, rules, tick)
        for players in request.players
        for policy in (*POLICIES, strong(request))
        for nets, rules in with_layouts(request.rules).items()
    ]


def placed(request: Request, cells: Sequence[Cell], tick: Callable[[], None]) -> list[Placed]:
    """Strong play for each player count and layout, by who puts the hedgehog on the square; ``cells`` are
    those of :func:`play_all`."""
    policy, own = strong(request), request.rules.model.placer
    known = {(cell.players, cell.nets): cell for cell in cells if cell.policy == policy}
    return [
        Placed(
            placer,
            known[players, nets]
            if placer == own
            else _played(request, players, policy, nets, changed(rules, "placer", placer), tick),
        )
        for players in request.players
        for nets, rules in with_layouts(request.rules).items()
        for placer in PLACERS
    ]


def _played(
    request: Request, players: int, policy: str, nets: str, rules: RuleData, tick: Callable[[], None]
) -> Cell:
    games = simulate(run_of(request, players, policy, rules), games_of(request, policy))
    tick()
    return Cell(players, policy, nets, games.episodes)
