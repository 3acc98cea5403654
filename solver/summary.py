"""A finished simulation in numbers: each seat's mean, spread and win share, with their intervals."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import polars as pl

from fable_solve.solver.estimate import LEVELS, Mean, mean, quantiles, share
from fable_solve.solver.result import Answer
from fable_solve.solver.rollout import Simulation


def summary(simulation: Simulation) -> Answer:
    """Mean, spread and win share of each seat, as a document and as a table."""
    run, frame = simulation.setup, simulation.episodes
    seats = [
        _seat(frame.filter(frame["seat"] == seat), seat, name, run.by_points)
        for seat, name in enumerate(simulation.seats)
    ]
    games = frame.filter(frame["seat"] == 0)
    length, stopped = mean(games["length"]), int(games["stopped"].sum())
    document = {
        "game": run.game,
        "mode": run.mode,
        "players": run.players,
        "policies": list(run.policies),
        "games": simulation.games,
        "seed": run.seed,
        "version": version("fable-solve"),
        "rules": run.rules.document(),
        "measure": "points" if run.by_points else "win share",
        "seats": seats,
        "length": {"mean": length.mean, "sd": length.sd, "se": length.se},
        "stopped": stopped,
        "half_width": simulation.half_width,
    }
    columns = ("seat", "policy", "mean", "sd", "se", *map(str, LEVELS), "win", "win_low", "win_high")
    rows = [
        (*(seat[key] for key in ("seat", "policy", "mean", "sd", "se")), *seat["quantiles"].values(),
         *(seat[key] for key in ("win", "win_low", "win_high")))
        for seat in seats
    ]  # fmt: skip
    return Answer(document, columns, rows, _title(simulation), footer=_footer(simulation, length, stopped))


def _seat(rows: pl.DataFrame, seat: int, policy: str, by_points: bool) -> dict[str, Any]:
    values = rows["score" if by_points else "win_share"].to_numpy()
    centre, won = mean(values), share(rows["win_share"].to_numpy())
    return {
        "seat": seat,
        "policy": policy,
        "mean": centre.mean,
        "sd": centre.sd,
        "se": centre.se,
        "quantiles": {str(level): value for level, value in quantiles(values).items()},
        "win": won.mean,
        "win_low": won.low,
        "win_high": won.high,
        "score": float(rows["score"].to_numpy().mean()),
        "certificate": centre.certificate.document(),
    }


def _title(simulation: Simulation) -> str:
    run = simulation.setup
    mode = f" ({run.mode})" if run.mode else ""
    players = f"{run.players} player{'s' if run.players > 1 else ''}"
    return f"{run.game}{mode}, {players}: {simulation.games} games by {', '.join(run.policies)}"


def _footer(simulation: Simulation, length: Mean, stopped: int) -> tuple[str, ...]:
    run = simulation.setup
    measure = "points" if run.by_points else "the win share"
    return (
        f"mean, sd, se and quantiles are of {measure}; win low to win high is a 95 % interval (sampled).",
        f"length: {length.mean:.2f} decisions (se {length.se:.2f}), {stopped} stopped before their end "
        "(a decision is the choice of one seat, or of all seats that choose at once).",
        f"rule data {run.rules.digest}; assumed: {', '.join(run.rules.assumed) or 'nothing'}; "
        f"changed: {', '.join(run.rules.changed) or 'nothing'}.",
    )
