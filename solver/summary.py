"""A finished simulation in numbers: each seat's mean, spread and win share, with their intervals."""

from __future__ import annotations

from typing import Any

from fable_solve.solver import sequences
from fable_solve.solver.estimate import LEVELS, Mean
from fable_solve.solver.result import Answer
from fable_solve.solver.simulation import Simulation


def summary(simulation: Simulation) -> Answer:
    """Mean, spread and win share of each seat, as a document and as a table."""
    run, tally = simulation.setup, simulation.tally
    seats = [_seat(simulation, seat) for seat in range(tally.seats)]
    length = tally.lengths.estimate()
    document = {
        **run.document(),
        "games": simulation.games,
        "measure": "points" if run.by_points else "win share",
        "intervals": "at any time" if simulation.sequential else "at this number of games",
        "seats": seats,
        "length": {"mean": length.mean, "sd": length.sd, "se": length.se},
        "stopped": tally.stopped,
        "half_width": simulation.half_width,
    }
    columns = ("seat", "policy", "mean", "sd", "se", *map(str, LEVELS), "win", "win_low", "win_high")
    rows = [
        (*(seat[key] for key in ("seat", "policy", "mean", "sd", "se")), *seat["quantiles"].values(),
         *(seat[key] for key in ("win", "win_low", "win_high")))
        for seat in seats
    ]  # fmt: skip
    return Answer(document, columns, rows, _title(simulation), footer=_footer(simulation, length))


def _seat(simulation: Simulation, seat: int) -> dict[str, Any]:
    run, tally, sequential = simulation.setup, simulation.tally, simulation.sequential
    won, shares = tally.win(seat, sequential), tally.win_shares(seat)
    measured = tally.scores[seat] if run.by_points else shares
    centre = measured.estimate()
    levels = measured.quantile_intervals(ranks=sequences.ranks if sequential else None)
    return {
        "seat": seat,
        "policy": simulation.seats[seat],
        "mean": centre.mean,
        "sd": centre.sd,
        "se": centre.se,
        "quantiles": {str(level): found.value for level, found in levels.items()},
        "quantile_intervals": {str(level): [found.low, found.high] for level, found in levels.items()},
        "win": won.mean,
        "win_low": won.low,
        "win_high": won.high,
        "score": tally.scores[seat].estimate().mean,
        "certificate": (tally.score(seat, sequential) if run.by_points else won).certificate.document(),
    }


def _title(simulation: Simulation) -> str:
    run = simulation.setup
    mode = f" ({run.mode})" if run.mode else ""
    players = f"{run.players} player{'s' if run.players > 1 else ''}"
    return f"{run.game}{mode}, {players}: {simulation.games:,} games by {', '.join(run.policies)}"


def _footer(simulation: Simulation, length: Mean) -> tuple[str, ...]:
    run = simulation.setup
    measure = "points" if run.by_points else "the win share"
    stopped = simulation.tally.stopped
    holds = ", at any time the run might have ended" if simulation.sequential else ""
    return (
        f"mean, sd, se and quantiles are of {measure}; win low to win high is a 95 % interval "
        f"(sampled{holds}).",
        f"length: {length.mean:.2f} decisions (se {length.se:.2f}), {stopped} stopped before their "
        "end (a decision is the choice of one seat, or of all seats that choose at once).",
        f"rule data {run.rules.digest}; assumed: {', '.join(run.rules.assumed) or 'nothing'}; "
        f"changed: {', '.join(run.rules.changed) or 'nothing'}.",
    )
