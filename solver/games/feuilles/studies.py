"""The first study of 61 Feuilles d'automne: how the sheet scores, by players, policy and leaf reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import LEVELS, mean, quantiles, share
from fable_solve.solver.games.feuilles.advise import EXACT_ROUNDS
from fable_solve.solver.games.feuilles.findings import (
    POLICIES,
    READINGS,
    Evidence,
    ended,
    findings,
    game_means,
    summary,
    who,
)
from fable_solve.solver.games.feuilles.opening import opening
from fable_solve.solver.games.feuilles.sampling import Sample, sample
from fable_solve.solver.games.feuilles.sheet import NAMES
from fable_solve.solver.games.feuilles.worth import is_known
from fable_solve.solver.registry import get
from fable_solve.solver.result import Chart, Result, Section, Series, Table
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import RuleData
from fable_solve.solver.study import Request

if TYPE_CHECKING:
    import polars as pl

SAMPLE_COLUMNS = {
    "players": "sheets at the table",
    "leaf_bonus": "reading of the leaf bonuses: a total must be hit (exact) or reached (reach)",
    "policy": "policy of every seat",
    "games": "games played",
}


def run(request: Request) -> Result:
    """Self-play of each policy under both readings, for each player count; see :class:`Sample`."""
    if request.objective not in (None, "score"):
        raise BadInput("score, which both policies go for", repr(request.objective), where="--objective")
    evidence = gather(request)
    samples = evidence.samples
    return Result(
        game="feuilles",
        title="61 Feuilles d'automne: how the sheet scores",
        question=_question(request.players),
        summary=summary(evidence),
        mode=None,
        players=request.players,
        objective="score",
        seed=request.seed,
        rules=request.rules.document(),
        assumptions=(),
        findings=findings(evidence),
        tables=(
            _scores_table(samples),
            _readings_table(evidence),
            _endings_table(samples),
            _leaves_table(samples),
            _zones_table(samples),
            _seats_table(samples),
            *([opening(request.rules.model)] if _has_opening(request.rules) else []),
        ),
        charts=_charts(evidence),
        sections=_sections(evidence, request.rules),
        method=_method(request.rules),
        parameters=dict(request.options),
        command=request.command,
    )


def _has_opening(rules: RuleData) -> bool:
    """Whether the learned values know the sheet, and its first round is not one of the last."""
    return is_known(rules.model) and rules.model.rounds > EXACT_ROUNDS


def _question(players: Sequence[int]) -> str:
    change = "the number of players and the reading" if len(players) > 1 else "the reading"
    verb = "do" if len(players) > 1 else "does"
    return (
        "How much does a sheet score, how long does a game last, and how much "
        f"{verb} {change} of the leaf bonuses change?"
    )


def gather(request: Request) -> Evidence:
    """The samples of a request, ready to be asked."""
    return Evidence(_samples(request), request.players, request.rules.model.leaf_bonus)


def _samples(request: Request) -> tuple[Sample, ...]:
    """Every player count, reading and policy, ``games`` games each; the readings meet the same dice."""
    spec, games = get("feuilles"), int(request.options["games"])
    plan = [
        (players, reading, policy)
        for players in request.players
        for reading in READINGS
        for policy in POLICIES
    ]
    total, done = games * sum(players for players, _, _ in plan), 0
    samples = []
    for players, reading, policy in plan:
        rules = request.rules
        model = rules.model.model_copy(update={"leaf_bonus": reading})
        match = setup(spec, players, (policy,), replace(rules, model=model), seed=request.seed)

        def played(players: int = players) -> None:
            nonlocal done
            done += players
            request.progress(done, total)

        samples.append(sample(match, reading, games, played))
    return tuple(samples)


def _key(sample: Sample) -> dict[str, Any]:
    return {
        "players": sample.players,
        "leaf_bonus": sample.reading,
        "policy": sample.policy,
        "games": sample.games,
    }


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(rows, infer_schema_length=None)


def _scores_table(samples: Sequence[Sample]) -> Table:
    rows = []
    for found in samples:
        scores, centre = found.sheets["score"].to_numpy(), mean(game_means(found, "score"))
        top = found.sheets.group_by("game", maintain_order=True).max()["score"].to_numpy()
        rows.append(
            {
                **_key(found),
                "mean": centre.mean,
                "half_width": centre.half_width,
                "sd": mean(scores).sd,
                **{f"q{level}": value for level, value in quantiles(scores, LEVELS).items()},
                "winner": mean(top).mean,
            }
        )
    columns = {
        **SAMPLE_COLUMNS,
        "mean": "mean score of a sheet, points",
        "half_width": "half of the 95 % interval of the mean, from the means of the games",
        "sd": "standard deviation of the score of a sheet",
        **{f"q{level}": f"{level} % of the sheets score at most this" for level in LEVELS},
        "winner": "mean of the best score of a game",
    }
    return Table("scores", "Scores", _frame(rows), columns)


def _readings_table(evidence: Evidence) -> Table:
    rows = []
    for players in evidence.players:
        for policy in POLICIES:
            gain = evidence.gain(players, policy)
            ends = {"gain": gain.mean, "low": gain.certificate.low, "high": gain.certificate.high}
            rows.append({"players": players, "policy": policy, "games": gain.n, **ends})
    columns = {
        **{name: SAMPLE_COLUMNS[name] for name in ("players", "policy", "games")},
        "gain": "what reach adds to the mean score under exact, the same dice, points",
        "low": "lower end of its 95 % interval",
        "high": "upper end of its 95 % interval",
    }
    return Table("readings", "What reach adds to exact", _frame(rows), columns)


def _endings_table(samples: Sequence[Sample]) -> Table:
    rows = []
    for found in samples:
        rounds, by_leaves = mean(found.by_game["rounds"].to_numpy()), ended(found)
        rows.append(
            {
                **_key(found),
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
    return Table("endings", "Lengths and endings", _frame(rows), columns)


def _leaves_table(samples: Sequence[Sample]) -> Table:
    names = ("leaf_points", "jokers", "passes")
    rows = [
        {**_key(found), **{name: mean(game_means(found, name)).mean for name in names}} for found in samples
    ]
    columns = {
        **SAMPLE_COLUMNS,
        "leaf_points": "mean points of leaf bonuses a sheet",
        "jokers": "mean number of jokers a sheet",
        "passes": "mean number of rounds a sheet writes nothing",
    }
    return Table("leaves", "Leaf bonuses, jokers and passes", _frame(rows), columns)


def _zones_table(samples: Sequence[Sample]) -> Table:
    rows = [
        {
            **_key(found),
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


def _charts(evidence: Evidence) -> tuple[Chart, ...]:
    """Distributions for the fewest players, and the means of all player counts."""
    charts = [_distribution(evidence.samples, evidence.players[0]), _zone_chart(evidence)]
    return (*charts, *([_players_chart(evidence)] if len(evidence.players) > 1 else []))


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
    return Chart(
        "score_distribution",
        "step",
        f"Final scores, {who(players)}",
        "score (points)",
        "share of sheets",
        f"Distributions of the final score; means: {means}.",
        tuple(series),
        percent=True,
    )


def _zone_chart(evidence: Evidence) -> Chart:
    series, players = [], evidence.players[0]
    for policy in POLICIES:
        means = [mean(game_means(evidence.find(players, policy), name)) for name in NAMES]
        error = [found.half_width for found in means]
        series.append(Series(policy, NAMES, [found.mean for found in means], error))
    words = "; ".join(
        f"{line.label}: " + ", ".join(f"{name} {y:.1f}" for name, y in zip(NAMES, line.y, strict=True))
        for line in series
    )
    title = f"Points by zone, {who(players)}, leaf bonus {evidence.own}"
    return Chart("zone_points", "bar", title, "zone", "mean points a sheet", f"{words}.", tuple(series))


def _players_chart(evidence: Evidence) -> Chart:
    series, players = [], evidence.players
    for reading in READINGS:
        for policy in POLICIES:
            found = [evidence.find(count, policy, reading) for count in players]
            means = [mean(game_means(sample, "score")) for sample in found]
            error = [found.half_width for found in means]
            series.append(Series(f"{policy}, {reading}", list(players), [m.mean for m in means], error))
    words = "; ".join(f"{line.label} from {line.y[0]:.1f} to {line.y[-1]:.1f}" for line in series)
    alt = f"Mean score by number of players: {words}."
    return Chart(
        "score_by_players", "line", "Mean score by number of players", "players", "points", alt, tuple(series)
    )


def _sections(evidence: Evidence, rules: RuleData) -> tuple[Section, ...]:
    return (
        Section(
            "Scores",
            ("Every seat plays the same policy. Random play writes anywhere; greedy play takes the most "
             "points now and otherwise keeps the smallest die for the leaves.",),
            ("score_distribution", "scores", *(("score_by_players",) if len(evidence.players) > 1 else ())),
        ),
        Section(
            "How the leaf bonuses are read",
            ("Under exact a leaf bonus is earned by a total that hits its number, under reach also by one "
             f"that passes it. {_provenance(rules)}",),
            ("readings", "leaves"),
        ),
        Section(
            "How games end",
            ("A game lasts until a leaf total reaches its target or the last round is over. Small leaves "
             "make it last, and every further round is a further cell.",),
            ("endings",),
        ),
        Section(
            "Zones",
            (f"Where the points come from (the chart: leaf bonus {evidence.own}). With rivals a zone bonus "
             "goes to those who fill the zone first; several may do so in the same round.",),
            ("zone_points", "zones"),
        ),
        *([Section(
            "The first round",
            ("What to do with each roll on an empty sheet alone, by the learned values of optimised, one "
             "round ahead; what another zone or die loses beside it. Not proved.",),
            ("opening",),
        )] if _has_opening(rules) else []),
    )  # fmt: skip


def _provenance(rules: RuleData) -> str:
    """Where the reading of this run comes from."""
    entry = next(entry for entry in rules.entries if entry.key == "leaf_bonus")
    origin = "set for this run" if entry.changed else f"as shipped (status {entry.status}: {entry.source})"
    return f"The conclusions are for {entry.value}, {origin}."


def _method(rules: RuleData) -> tuple[str, ...]:
    read_off = [
        entry.key for entry in rules.entries if entry.status == "implementation" and not entry.changed
    ]
    return (
        "Games are played by the rules themselves; game g is episode g of `fable-solve simulate feuilles` "
        "with the same seed. Both readings of the leaf bonuses meet the same dice, so their difference is "
        "taken game by game; different player counts meet different dice.",
        "Sheets of one game share their dice and are not independent: intervals are of the means of games.",
        "Greedy play breaks ties by the smallest leaf, then by lot.",
        f"Rule data assumed: {', '.join(rules.assumed) or 'nothing'}; read off an implementation: "
        f"{', '.join(read_off) or 'nothing'} (`fable-solve rules feuilles`).",
    )
