"""The first study of 61 Feuilles d'automne: how the sheet scores, by players, policy and leaf reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import LEVELS, mean, quantiles, share
from fable_solve.solver.games.feuilles.sampling import Sample, sample
from fable_solve.solver.games.feuilles.sheet import NAMES
from fable_solve.solver.registry import get
from fable_solve.solver.result import Chart, Finding, Result, Section, Series, Table
from fable_solve.solver.rollout import setup
from fable_solve.solver.study import Request

if TYPE_CHECKING:
    import polars as pl

READINGS = ("exact", "reach")
POLICIES = ("random", "greedy")
FEWEST = 25
"""Games of a player count at least, however many sheets each has."""
SAMPLE_COLUMNS = {
    "players": "sheets at the table",
    "leaf_bonus": "reading of the leaf bonuses: a total must be hit (exact) or reached (reach)",
    "policy": "policy of every seat",
}


def run(request: Request) -> Result:
    """Self-play of each policy under both readings, for each player count; see :class:`Sample`."""
    if request.objective not in (None, "score"):
        raise BadInput("score, which both policies go for", repr(request.objective), where="--objective")
    samples = _samples(request)
    own = request.rules.model.leaf_bonus
    return Result(
        game="feuilles",
        title="61 Feuilles d'automne: how the sheet scores",
        question="How much does a sheet score, how long does a game last, and how much do the number of "
        "players and the reading of the leaf bonuses change?",
        summary=_summary(samples, request.players[0], own),
        mode=None,
        players=request.players,
        objective="score",
        seed=request.seed,
        rules=request.rules.document(),
        assumptions=_assumptions(own),
        findings=tuple(_findings(samples)),
        tables=(
            _scores_table(samples),
            _endings_table(samples),
            _zones_table(samples),
            _seats_table(samples),
        ),
        charts=_charts(samples, request.players, own),
        sections=_sections(own, request.players),
        method=_method(),
        parameters=dict(request.options),
        command=request.command,
    )


def _samples(request: Request) -> list[Sample]:
    """Every player count, reading and policy; the readings meet the same dice."""
    spec, sheets = get("feuilles"), int(request.options["games"])
    plan = [
        (players, reading, policy, max(FEWEST, sheets // players))
        for players in request.players
        for reading in READINGS
        for policy in POLICIES
    ]
    total, done = sum(games * players for players, _, _, games in plan), 0
    samples = []
    for players, reading, policy, games in plan:
        rules = request.rules
        model = rules.model.model_copy(update={"leaf_bonus": reading})
        match = setup(spec, players, (policy,), replace(rules, model=model), seed=request.seed)

        def played(players: int = players) -> None:
            nonlocal done
            done += players
            request.progress(done, total)

        samples.append(sample(match, reading, games, played))
    return samples


def _key(sample: Sample) -> dict[str, Any]:
    return {"players": sample.players, "leaf_bonus": sample.reading, "policy": sample.policy}


def _find(samples: Sequence[Sample], players: int, reading: str, policy: str) -> Sample:
    wanted = {"players": players, "leaf_bonus": reading, "policy": policy}
    return next(sample for sample in samples if _key(sample) == wanted)


def _game_means(sample: Sample, column: str) -> Any:
    """Mean over the seats of each game: independent samples, as sheets of one game share their dice."""
    return sample.sheets.group_by("game", maintain_order=True).mean()[column].to_numpy()


def _findings(samples: Sequence[Sample]) -> list[Finding]:
    findings = []
    for found in samples:
        name = f"{found.players}p.{found.reading}.{found.policy}"
        table = "one sheet" if found.players == 1 else f"{found.players} sheets"
        score, rounds = mean(_game_means(found, "score")), mean(found.by_game["rounds"].to_numpy())
        ended = share(found.by_game["by_leaves"].cast(float).to_numpy())
        words = f"{found.policy} play, {table}, leaf bonus {found.reading}"
        findings += [
            Finding(f"{name}.score", score.mean, score.certificate, "points", f"Mean score: {words}."),
            Finding(f"{name}.rounds", rounds.mean, rounds.certificate, "rounds", f"Mean length: {words}."),
            Finding(
                f"{name}.ended_by_leaves",
                ended.mean,
                ended.certificate,
                "share of games",
                f"Games ended by a leaf total: {words}.",
            ),
        ]
    return findings + _differences(samples)


def _differences(samples: Sequence[Sample]) -> list[Finding]:
    """What ``reach`` adds over ``exact`` with the same dice, game by game."""
    findings = []
    for exact in samples:
        if exact.reading == "exact":
            reach = _find(samples, exact.players, "reach", exact.policy)
            gain = mean(_game_means(reach, "score") - _game_means(exact, "score"))
            name = f"{exact.players}p.reach_minus_exact.{exact.policy}"
            sentence = f"What reach adds to the mean score of {exact.policy} play with the same dice."
            findings.append(Finding(name, gain.mean, gain.certificate, "points", sentence))
    return findings


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None)


def _scores_table(samples: Sequence[Sample]) -> Table:
    rows = []
    for found in samples:
        scores, centre = found.sheets["score"].to_numpy(), mean(_game_means(found, "score"))
        top = found.sheets.group_by("game", maintain_order=True).max()["score"].to_numpy()
        rows.append(
            {
                **_key(found),
                "games": found.games,
                "mean": centre.mean,
                "half_width": centre.half_width,
                "sd": mean(scores).sd,
                **{f"q{level}": value for level, value in quantiles(scores, LEVELS).items()},
                "winner": mean(top).mean,
            }
        )
    columns = {
        **SAMPLE_COLUMNS,
        "games": "games played",
        "mean": "mean score of a sheet, points",
        "half_width": "half of the 95 % interval of the mean, from the means of the games",
        "sd": "standard deviation of the score of a sheet",
        **{f"q{level}": f"{level} % of the sheets score at most this" for level in LEVELS},
        "winner": "mean of the best score of a game",
    }
    return Table("scores", "Scores", _frame(rows), columns)


def _endings_table(samples: Sequence[Sample]) -> Table:
    rows = []
    for found in samples:
        ended = share(found.by_game["by_leaves"].cast(float).to_numpy())
        rows.append(
            {
                **_key(found),
                "rounds": mean(found.by_game["rounds"].to_numpy()).mean,
                "ended_by_leaves": ended.mean,
                "low": ended.low,
                "high": ended.high,
                "leaf_points": mean(_game_means(found, "leaf_points")).mean,
                "jokers": mean(_game_means(found, "jokers")).mean,
                "passes": mean(_game_means(found, "passes")).mean,
            }
        )
    columns = {
        **SAMPLE_COLUMNS,
        "rounds": "mean number of rounds",
        "ended_by_leaves": "share of games in which a leaf total reached the target",
        "low": "lower end of its 95 % interval",
        "high": "upper end of its 95 % interval",
        "leaf_points": "mean points of leaf bonuses a sheet",
        "jokers": "mean number of jokers a sheet",
        "passes": "mean number of rounds a sheet writes nothing",
    }
    return Table("endings", "Lengths, endings and leaves", _frame(rows), columns)


def _zones_table(samples: Sequence[Sample]) -> Table:
    rows = [
        {
            **_key(found),
            "zone": zone,
            "name": name,
            "points": mean(_game_means(found, name)).mean,
            "full": mean(_game_means(found, f"full {name}")).mean,
            "bonus": mean(_game_means(found, f"bonus {name}")).mean,
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
    return Table("zones", "Zones", _frame(rows), columns)


def _shared(found: Sample, name: str) -> float | None:
    """How often a race for a zone bonus ends in a tie; None where nobody ever earned it or nobody races."""
    earned = found.sheets.group_by("game", maintain_order=True).sum()[f"bonus {name}"]
    decided = int((earned > 0).sum())
    return float((earned > 1).sum()) / decided if decided and found.players > 1 else None


def _seats_table(samples: Sequence[Sample]) -> Table:
    rows = []
    for found in samples:
        for seat in range(found.players):
            sheets = found.sheets.filter(found.sheets["seat"] == seat)
            score, won = mean(sheets["score"].to_numpy()), share(sheets["win_share"].to_numpy())
            numbers = {"mean": score.mean, "half_width": score.half_width}
            wins = {"win": won.mean, "win_low": won.low, "win_high": won.high}
            rows.append({**_key(found), "seat": seat, **numbers, **wins})
    columns = {
        **SAMPLE_COLUMNS,
        "seat": "seat; all seats play at the same time, so none has an advantage",
        "mean": "mean score, points",
        "half_width": "half of its 95 % interval",
        "win": "share of the wins, ties shared",
        "win_low": "lower end of its 95 % interval",
        "win_high": "upper end of its 95 % interval",
    }
    return Table("seats", "Scores and wins by seat", _frame(rows), columns, headline=False)


def _charts(samples: Sequence[Sample], players: Sequence[int], own: str) -> tuple[Chart, ...]:
    first = players[0]
    charts = [_distribution(samples, first), _zone_chart(samples, first, own)]
    if len(players) > 1:
        charts.append(_players_chart(samples, players))
    return tuple(charts)


def _distribution(samples: Sequence[Sample], players: int) -> Chart:
    series = []
    for found in samples:
        if found.players == players:
            scores = found.sheets["score"].to_numpy()
            low, high = int(scores.min()), int(scores.max())
            y = [float((scores == points).mean()) for points in range(low, high + 1)]
            series.append(Series(f"{found.policy}, {found.reading}", list(range(low, high + 1)), y))
    means = ", ".join(
        f"{found.policy} {found.reading} {mean(found.sheets['score'].to_numpy()).mean:.1f}"
        for found in samples
        if found.players == players
    )
    table = "one sheet" if players == 1 else f"{players} sheets"
    return Chart(
        "score_distribution",
        "step",
        f"Final scores, {table}",
        "score (points)",
        "share of sheets",
        f"Distributions of the final score; means: {means}.",
        tuple(series),
        percent=True,
    )


def _zone_chart(samples: Sequence[Sample], players: int, own: str) -> Chart:
    series = []
    for policy in POLICIES:
        means = [mean(_game_means(_find(samples, players, own, policy), name)) for name in NAMES]
        error = [found.half_width for found in means]
        series.append(Series(policy, NAMES, [found.mean for found in means], error))
    words = "; ".join(
        f"{line.label}: " + ", ".join(f"{name} {y:.1f}" for name, y in zip(NAMES, line.y, strict=True))
        for line in series
    )
    title = f"Points by zone, leaf bonus {own}"
    return Chart("zone_points", "bar", title, "zone", "mean points a sheet", f"{words}.", tuple(series))


def _players_chart(samples: Sequence[Sample], players: Sequence[int]) -> Chart:
    series = []
    for reading in READINGS:
        for policy in POLICIES:
            means = [mean(_game_means(_find(samples, count, reading, policy), "score")) for count in players]
            error = [found.half_width for found in means]
            series.append(Series(f"{policy}, {reading}", list(players), [m.mean for m in means], error))
    words = "; ".join(f"{line.label} from {line.y[0]:.1f} to {line.y[-1]:.1f}" for line in series)
    alt = f"Mean score by number of players: {words}."
    return Chart(
        "score_by_players", "line", "Mean score by number of players", "players", "points", alt, tuple(series)
    )


def _summary(samples: Sequence[Sample], players: int, own: str) -> tuple[str, ...]:
    lazy, eager = (_find(samples, players, own, policy) for policy in POLICIES)
    low, high = mean(_game_means(lazy, "score")), mean(_game_means(eager, "score"))
    gains = [f.value for f in _differences(samples) if f.name.startswith(f"{players}p.")]
    ended = [100 * share(s.by_game["by_leaves"].cast(float).to_numpy()).mean for s in (lazy, eager)]
    table = "One sheet" if players == 1 else f"With {players} sheets, each"
    return (
        f"{table} scores {low.mean:.1f} points on average with random play and {high.mean:.1f} with greedy "
        f"play (leaf bonus {own}; 95 %: {low.half_width:.2f} and {high.half_width:.2f} either way).",
        f"Counting a leaf bonus when its number is passed, and not only when it is hit, adds "
        f"{gains[0]:.1f} points to random and {gains[1]:.1f} to greedy play.",
        f"A leaf total ends {ended[0]:.0f} % of the random and {ended[1]:.0f} % of the greedy games; "
        "the others last to the final round.",
    )


def _assumptions(own: str) -> tuple[tuple[str, str], ...]:
    text = f"the help page speaks of reaching a number; played as {own!r}, and the other reading is shown too"
    return (("leaf_bonus", text),)


def _sections(own: str, players: Sequence[int]) -> tuple[Section, ...]:
    return (
        Section(
            "Scores",
            ("Every seat plays the same policy. Random play writes anywhere; greedy play takes the most "
             "points now and otherwise keeps the smallest die for the leaves.",),
            ("score_distribution", "scores", *(("score_by_players",) if len(players) > 1 else ())),
        ),
        Section(
            "How games end",
            ("A game lasts until a leaf total reaches its target or the last round is over. Small leaves "
             "make it last, and every further round is a further cell.",),
            ("endings",),
        ),
        Section(
            "Zones",
            (f"Where the points come from (the chart: leaf bonus {own}). With rivals a zone bonus goes to "
             "those who fill the zone first; several may do so in the same round.",),
            ("zone_points", "zones"),
        ),
    )  # fmt: skip


def _method() -> tuple[str, ...]:
    return (
        "Games are played by the rules themselves; game g is episode g of `fable-solve simulate feuilles` "
        "with the same seed. Both readings of the leaf bonuses meet the same dice, so their difference is "
        "taken game by game.",
        "Sheets of one game share their dice and are not independent: intervals are of the means of games.",
        "Greedy play breaks ties by the smallest leaf, then by lot.",
    )
