"""What a tournament found, as a result to be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from fable_solve.solver import stops
from fable_solve.solver.balance_report import assumptions
from fable_solve.solver.ratings import cycles, predicted
from fable_solve.solver.result import Certificate, Chart, Finding, Result, Section, Series, Table
from fable_solve.solver.stops import Stops
from fable_solve.solver.tabulated import ends, tabulated
from fable_solve.solver.tournament import Equilibrium, Tournament, beats, equilibrium


def tournament_result(found: Tournament, command: str, parameters: dict[str, Any]) -> Result:
    """The report on ``found``."""
    run, chosen = found.run, equilibrium(found)
    circles = _cycles(found)
    tables = (
        _payoff_table(found), _rating_table(found), *_equilibrium_table(found, chosen), _pair_table(found),
        *_cycle_table(circles), _seating_table(found),
    )  # fmt: skip
    return Result(
        game=run.game,
        title=f"Tournament: {_where(found)}",
        question="Which policy wins against which, by how much, and is there one that none beats?",
        summary=tuple(_summary(found, chosen, circles)),
        mode=run.mode,
        players=(run.players,),
        objective="win",
        seed=run.seed,
        rules=run.rules.document(),
        assumptions=assumptions([run.rules]),
        findings=(*_ratings(found), *_gain(found, chosen)),
        tables=tables,
        charts=(_payoff_chart(found), _rating_chart(found)),
        sections=_sections(tables),
        method=_method(found, chosen),
        parameters=parameters,
        command=command,
    )


def _where(found: Tournament) -> str:
    players = "" if found.sides else f"{found.run.players} players"
    return ", ".join(filter(None, (found.run.game, found.run.mode, players)))


def _cycles(found: Tournament) -> list[tuple[str, str, str]]:
    better = np.zeros((len(found.players),) * 2, bool)
    for pair in beats(found):
        better[pair] = True
    return [tuple(found.players[k] for k in triple) for triple in cycles(better)]  # type: ignore[misc]


def _summary(
    found: Tournament, chosen: Equilibrium | None, circles: Sequence[tuple[str, ...]]
) -> Iterator[str]:
    rated = sorted(zip(found.players, found.rating.values, strict=True), key=lambda pair: -pair[1].value)
    (best, top), (worst, low) = rated[0], rated[-1]
    yield (
        f"Highest rated is {best} ({top.value:+.0f}, {top.low:+.0f} to {top.high:+.0f}), lowest {worst} "
        f"({low.value:+.0f}); 400 points are 10 to 1."
    )
    if circles:
        yield (
            f"The ratings mislead: {' beats '.join((*circles[0], circles[0][0]))}, beyond what chance "
            f"explains ({len(circles)} such triple{'s' if len(circles) > 1 else ''})."
        )
    else:
        gap, one, two = _misfit(found)
        yield (
            f"No three policies beat each other in a circle; the ratings are furthest off between {one} and "
            f"{two}, by {gap:.1%} of the games."
        )
    if chosen:
        yield f"In equilibrium {'; '.join(_mixed(found, chosen))}."
    yield from stops.told([Stops(found.run.game, found.stopped, found.games * len(found.wins))])


def _misfit(found: Tournament) -> tuple[float, str, str]:
    """The largest difference between what was seen and what the ratings say, and between whom."""
    size = np.nan_to_num(np.abs(found.rating.misfit), nan=-1.0)
    i, j = divmod(int(size.argmax()), len(size))
    return float(size[i, j]), found.players[min(i, j)], found.players[max(i, j)]


def _seat_names(found: Tournament) -> tuple[str, ...]:
    if found.seats == 2 and not found.sides:
        return ("either player",)
    return found.sides or tuple(f"seat {seat}" for seat in range(found.seats))


def _mixed(found: Tournament, chosen: Equilibrium) -> Iterator[str]:
    for seat, mixture in zip(_seat_names(found), chosen.mixtures, strict=False):
        used = [f"{name} {p:.0%}" for name, p in zip(found.names, mixture, strict=True) if p > 5e-4]
        yield f"{seat} plays {', '.join(used)}"


def _ratings(found: Tournament) -> Iterator[Finding]:
    for name, rating in zip(found.players, found.rating.values, strict=True):
        yield Finding(f"rating of {name}", rating.value, rating.certificate, "points")


def _gain(found: Tournament, chosen: Equilibrium | None) -> Iterator[Finding]:
    """What leaving the equilibrium gains at most, as far as the payoffs are known."""
    if chosen:
        proof = Certificate.sampled(0.0, _in_truth(found, chosen), found.games)
        name, sentence = (
            "most a seat gains by leaving the equilibrium",
            f"{'; '.join(_mixed(found, chosen))}.",
        )
        yield Finding(name, chosen.exploitability, proof, "share", sentence)


def _in_truth(found: Tournament, chosen: Equilibrium) -> float:
    """The largest gain by leaving the equilibrium if every payoff may be off by its half-width."""
    return chosen.exploitability + 2 * _widest(found)


def _payoff_table(found: Tournament) -> Table:
    rows = [
        {
            "policy": name,
            **{f"against {other}": value for other, value in zip(found.names, line, strict=True)},
        }
        for name, line in zip(found.names, found.payoffs.tolist(), strict=True)
    ]
    note = f"Each is known to {_widest(found):.1%} at most to either side; the intervals are in pairs."
    return tabulated("payoffs", _payoff_title(found), rows, note=note)


def _payoff_title(found: Tournament) -> str:
    if found.sides:
        return f"Share of the win of {found.sides[0]} by its policy, against that of {found.sides[1]}"
    field = "the other" if found.seats == 2 else "all others"
    return f"Share of the win of the policy of a row, {field} playing that of the column"


def _widest(found: Tournament) -> float:
    """Largest half-width of a payoff's interval."""
    count = range(len(found.names))
    return max(found.payoff(i, j).half_width for i, j in product(count, repeat=2))


def _rating_table(found: Tournament) -> Table:
    rated = zip(found.players, found.rating.values, strict=True)
    best_first = sorted(rated, key=lambda pair: -pair[1].value)
    rows = [{"player": name, **ends("rating", rating)} for name, rating in best_first]
    meaning = {"rating": "mean 0; a player 400 points above another is ahead of it in 10 of 11 games"}
    return tabulated("ratings", "Ratings", rows, meaning)


def _equilibrium_table(found: Tournament, chosen: Equilibrium | None) -> Iterator[Table]:
    if chosen is None:
        return
    rows = [
        {"seat": seat, "policy": name, "probability": p, "payoff": payoff}
        for seat, mixture, payoffs in zip(_seat_names(found), chosen.mixtures, chosen.payoffs, strict=False)
        for name, p, payoff in zip(found.names, mixture, payoffs, strict=True)
    ]
    meaning = {"payoff": "share of the win of the policy against the others' mixtures"}
    yield tabulated("equilibrium", "Equilibrium of choosing policies", rows, meaning)


def _pair_table(found: Tournament) -> Table:
    model = predicted(np.array([rating.value for rating in found.rating.values]))
    rows = [
        {
            "player": found.players[i],
            "other": found.players[j],
            **ends("ahead", found.ahead_of(i, j)),
            "by_rating": float(model[i, j]),
            **ends("payoff", _payoff(found, i, j)),
        }
        for i, j in combinations(range(len(found.players)), 2)
        if not np.isnan(found.beaten[i, j])
    ]
    meaning = {
        "ahead": "how often the player was ahead of the other, whoever else played; a tie is half",
        "by_rating": "the same by their ratings",
        "payoff": "share of the win of the player's policy among others of the other's",
    }
    note = "All intervals hold together with 95 %."
    return tabulated("pairs", "Who is ahead of whom", rows, meaning, note=note)


def _payoff(found: Tournament, i: int, j: int) -> Any:
    """Of players i and j, as policies; of two sides the second is on the second."""
    return found.payoff(i, j - len(found.names) if found.sides else j)


def _cycle_table(circles: Sequence[tuple[str, ...]]) -> Iterator[Table]:
    if circles:
        rows = [{"beats": a, "which_beats": b, "which_beats_the_first": c} for a, b, c in circles]
        yield tabulated("cycles", "Circles: ratings mislead here", rows)


def _seating_table(found: Tournament) -> Table:
    rows = [
        {"seating": " ".join(found.names[k] for k in seating), "seat": seat, "policy": found.names[own],
         "win": float(found.wins[seating][seat]), "points": float(found.points[seating][seat])}
        for seating in found.wins
        for seat, own in enumerate(seating)
    ]  # fmt: skip
    title = f"Each seat of each seating, {found.games:,} games each"
    return tabulated("seatings", title, rows, headline=False)


def _payoff_chart(found: Tournament) -> Chart:
    low, high = found.payoffs.min(), found.payoffs.max()
    return Chart(
        "payoff_map",
        "heatmap",
        "Share of the win of the row's policy",
        "against",
        "policy",
        f"From {low:.1%} to {high:.1%}.",
        cells=tuple(map(tuple, found.payoffs.tolist())),
        x_labels=found.names,
        y_labels=found.names,
        value_label="share of the win",
        percent=True,
    )


def _rating_chart(found: Tournament) -> Chart:
    values = found.rating.values
    alt = "; ".join(f"{name} {v.value:+.0f}" for name, v in zip(found.players, values, strict=True))
    bars = Series("rating", found.players, [v.value for v in values], [v.half_width for v in values])
    return Chart("rating_bars", "bar", "Ratings", "player", "rating", alt, (bars,))


def _sections(tables: Sequence[Table]) -> tuple[Section, ...]:
    there = {table.name for table in tables}
    circles = ("cycles",) if "cycles" in there else ()
    chosen = ("equilibrium",) if "equilibrium" in there else ()
    return (
        Section("Payoffs", (), ("payoffs", "payoff_map", *chosen, "pairs")),
        Section("Ratings", (), ("ratings", "rating_bars", *circles)),
    )


def _method(found: Tournament, chosen: Equilibrium | None) -> tuple[str, ...]:
    which = (
        "all seatings" if found.complete else f"{len(found.wins)} seatings, each policy equally often a seat"
    )
    lines = [
        f"{found.games:,} games of {which}, on the same episodes. Shares have Wilson's interval at "
        f"{found.z:.2f} standard errors, so that all hold together (Bonferroni).",
        "Ratings: Plackett and Luce's model, by the likelihood of all pairs, one tied game added to each "
        "pair; intervals by leaving out each of 32 batches of games.",
    ]
    if chosen:
        lines.append(
            f"Equilibrium of the measured payoffs ({chosen.method}): no seat gains more than "
            f"{chosen.exploitability:.2g} by another policy; as the payoffs are known to "
            f"{_widest(found):.1%}, not more than {_in_truth(found, chosen):.1%} in truth."
        )
    return tuple(lines)
