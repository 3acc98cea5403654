"""Tables of a study of 61 Feuilles d'automne: samples by players, leaf reading and policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fable_solve.solver.estimate import LEVELS, mean, quantiles, share
from fable_solve.solver.games.feuilles.findings import Evidence, ended, game_means
from fable_solve.solver.games.feuilles.sampling import Sample
from fable_solve.solver.games.feuilles.sheet import NAMES
from fable_solve.solver.result import Table

if TYPE_CHECKING:
    import polars as pl

SAMPLE_COLUMNS = {
    "players": "sheets at the table",
    "leaf_bonus": "reading of the leaf bonuses: a total must be hit (exact) or reached (reach)",
    "policy": "policy of every seat; optimised: of seat 0, whose figures these are, among greedy rivals",
    "games": "games played",
}


def key_of(sample: Sample) -> dict[str, Any]:
    return {
        "players": sample.players,
        "leaf_bonus": sample.reading,
        "policy": sample.policy,
        "games": sample.games,
    }


def frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None)


def scores_table(samples: Sequence[Sample]) -> Table:
    rows, several = [], any(found.players > 1 for found in samples)
    for found in samples:
        scores, centre = found.own("score").ravel(), mean(game_means(found, "score"))
        top = found.column("score").max(axis=1)
        rows.append(
            {
                **key_of(found),
                "mean": centre.mean,
                "half_width": centre.half_width,
                "sd": mean(scores).sd,
                **{f"q{level}": value for level, value in quantiles(scores, LEVELS).items()},
                **({"winner": mean(top).mean} if several else {}),
            }
        )
    columns = {
        **SAMPLE_COLUMNS,
        "mean": "mean score of a sheet, points",
        "half_width": "half of the 95 % interval of the mean, from the means of the games",
        "sd": "standard deviation of the score of a sheet",
        **{f"q{level}": f"{level} % of the sheets score at most this" for level in LEVELS},
        **({"winner": "mean of the best score of a game"} if several else {}),
    }
    return Table("scores", "Scores", frame(rows), columns)


def readings_table(evidence: Evidence) -> Table:
    rows = []
    for players in evidence.players:
        for policy in evidence.policies:
            gain = evidence.gain(players, policy)
            ends = {"gain": gain.mean, "low": gain.certificate.low, "high": gain.certificate.high}
            rows.append({"players": players, "policy": policy, "games": gain.n, **ends})
    columns = {
        **{name: SAMPLE_COLUMNS[name] for name in ("players", "policy", "games")},
        "gain": "what reach adds to the mean score under exact, the same dice, points",
        "low": "lower end of its 95 % interval",
        "high": "upper end of its 95 % interval",
    }
    return Table("readings", "What reach adds to exact", frame(rows), columns)


def endings_table(samples: Sequence[Sample]) -> Table:
    rows = []
    for found in samples:
        rounds, by_leaves = mean(found.by_game("rounds")), ended(found)
        rows.append(
            {
                **key_of(found),
                "rounds": rounds.mean,
                "half_width": rounds.half_width,
                "ended_by_leaves": by_leaves.mean,
                "low": by_leaves.low,
                "high": by_leaves.high,
            }
        )
    columns = {
        **SAMPLE_COLUMNS,
        "rounds": "mean number of rounds",
        "half_width": "half of its 95 % interval",
        "ended_by_leaves": "share of games in which a leaf total reached the target",
        "low": "lower end of its 95 % interval",
        "high": "upper end of its 95 % interval",
    }
    return Table("endings", "Lengths and endings", frame(rows), columns)


def leaves_table(samples: Sequence[Sample]) -> Table:
    names = ("leaf_points", "jokers", "passes")
    rows = [
        {**key_of(found), **{name: mean(game_means(found, name)).mean for name in names}} for found in samples
    ]
    columns = {
        **SAMPLE_COLUMNS,
        "leaf_points": "mean points of leaf bonuses a sheet",
        "jokers": "mean number of jokers a sheet",
        "passes": "mean number of rounds a sheet writes nothing",
    }
    return Table("leaves", "Leaf bonuses, jokers and passes", frame(rows), columns)


def zones_table(samples: Sequence[Sample]) -> Table:
    rows = [
        {
            **key_of(found),
            "zone": zone,
            "name": name,
            "points": mean(game_means(found, name)).mean,
            "full": mean(game_means(found, f"full {name}")).mean,
            "bonus": mean(game_means(found, f"bonus {name}")).mean,
            "shared": _shared(found, name),
        }
        for found in samples
        for zone, name in enumerate(NAMES, 1)
    ]
    columns = {
        **SAMPLE_COLUMNS,
        "zone": "zone",
        "name": "name of the zone",
        "points": "mean points of the zone a sheet, its bonus not counted",
        "full": "share of sheets that fill the zone",
        "bonus": "share of sheets that earn its bonus",
        "shared": "of the games in which somebody earns its bonus, the share in which several do",
    }
    return Table("zones", "Zones", frame(rows), columns)


def _shared(found: Sample, name: str) -> float | None:
    """How often a race for a zone bonus ends in a tie; None where nobody ever earned it or nobody races."""
    earned = found.column(f"bonus {name}").sum(axis=1)
    decided = int((earned > 0).sum())
    return float((earned > 1).sum()) / decided if decided and found.players > 1 else None


def seats_table(samples: Sequence[Sample]) -> Table:
    rows = []
    for found in samples:
        for seat in range(found.players):
            score, won = mean(found.column("score")[:, seat]), share(found.column("win_share")[:, seat])
            numbers = {"mean": score.mean, "half_width": score.half_width}
            wins = {"win": won.mean, "win_low": won.low, "win_high": won.high}
            rows.append({**key_of(found), "seat": seat, **numbers, **wins})
    columns = {
        **SAMPLE_COLUMNS,
        "seat": "seat; all seats play at the same time, so none has an advantage",
        "mean": "mean score, points",
        "half_width": "half of its 95 % interval",
        "win": "share of the wins, ties shared",
        "win_low": "lower end of its 95 % interval",
        "win_high": "upper end of its 95 % interval",
    }
    return Table("seats", "Scores and wins by seat", frame(rows), columns, headline=False)


def wins_table(evidence: Evidence) -> Table:
    """What one seat of ``optimised`` wins among greedy rivals."""
    rows = []
    for found in evidence.samples:
        if found.policy == "optimised" and found.players > 1:
            won, scores = share(found.own("win_share")[:, 0]), found.column("score")
            ahead = mean(scores[:, 0] - scores[:, 1:].mean(axis=1))
            reach = {"ahead_low": ahead.certificate.low, "ahead_high": ahead.certificate.high}
            wins = {"win": won.mean, "win_low": won.low, "win_high": won.high, "even": 1 / found.players}
            key = {name: value for name, value in key_of(found).items() if name != "policy"}
            rows.append({**key, **wins, "ahead": ahead.mean, **reach})
    columns = {
        **{name: SAMPLE_COLUMNS[name] for name in ("players", "leaf_bonus", "games")},
        "win": "share of the wins of one seat of optimised, ties shared, its rivals being greedy",
        "win_low": "lower end of its 95 % interval",
        "win_high": "upper end of its 95 % interval",
        "even": "share of the wins if all played alike",
        "ahead": "its score less the mean of its rivals' in the same game, points",
        "ahead_low": "lower end of its 95 % interval",
        "ahead_high": "upper end of its 95 % interval",
    }
    return Table("wins", "One seat of optimised among greedy rivals", frame(rows), columns)
