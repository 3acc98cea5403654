"""Finished games, sheet by sheet: what a study counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fable_solve.solver.games.feuilles.play import Sheet, State
from fable_solve.solver.games.feuilles.sheet import EMPTY, NAMES, X, is_full
from fable_solve.solver.rollout import Match, Setup, finish

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Sample:
    """Games of one policy in every seat under one reading of the leaf bonuses.

    ``sheets`` has one row a game and seat: game, seat, score, win_share, rounds, by_leaves (whether a leaf
    total ended the game), leaf_points, jokers, passes, and for each zone its points (``NAME``), whether it
    is full (``full NAME``) and whether its bonus was earned (``bonus NAME``).
    """

    players: int
    reading: str
    policy: str
    games: int
    sheets: pl.DataFrame

    @property
    def by_game(self) -> pl.DataFrame:
        """One row a game."""
        return self.sheets.filter(self.sheets["seat"] == 0)


def sample(run: Setup, reading: str, games: int, played: Callable[[], None]) -> Sample:
    """``games`` games of ``run``; game g is episode g of a simulation with the same seed and rule data."""
    import polars as pl

    match = run.build()
    rows = []
    for number in range(games):
        rows += _rows(match, number)
        played()
    return Sample(run.players, reading, run.policies[0], games, pl.DataFrame(rows, infer_schema_length=None))


def _rows(match: Match, number: int) -> list[dict[str, Any]]:
    game: Any = match.game
    state = final_state(match, number)
    shares = game.win_shares(state)
    by_leaves = any(sheet.leaf_total >= game.rules.leaf_target for sheet in state.sheets)
    return [
        {
            "game": number,
            "seat": seat,
            "score": float(game.score(sheet)),
            "win_share": shares[seat],
            "rounds": state.round,
            "by_leaves": by_leaves,
            **_sheet_columns(game, sheet, state.round),
        }
        for seat, sheet in enumerate(state.sheets)
    ]


def final_state(match: Match, number: int) -> State:
    """The end of episode ``number``, played with the streams a simulation gives it."""
    chance, seats = match.streams(number)
    state, _ = finish(match.game, match.game.initial_state(), match.policies, chance, seats)
    end: State = state
    return end


def _sheet_columns(game: Any, sheet: Sheet, rounds: int) -> dict[str, Any]:
    letters = "".join(row for rows in sheet.zones for row in rows)
    jokers = letters.count(X)
    columns: dict[str, Any] = {
        "leaf_points": sheet.leaf_points,
        "jokers": jokers,
        "passes": rounds - (len(letters) - letters.count(EMPTY) - jokers),
    }
    for zone, (name, rule, rows) in enumerate(zip(NAMES, game.rules.zones, sheet.zones, strict=True), 1):
        columns[name] = rule.points(rows)
        columns[f"full {name}"] = is_full(rows)
        columns[f"bonus {name}"] = zone in sheet.zone_bonus
    return columns
