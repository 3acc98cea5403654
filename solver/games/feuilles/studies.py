"""The study of 61 Feuilles d'automne: how the sheet scores, by players, policy and leaf reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import mean
from fable_solve.solver.games.feuilles import certificate
from fable_solve.solver.games.feuilles.advise import EXACT_ROUNDS
from fable_solve.solver.games.feuilles.findings import (
    POLICIES,
    READINGS,
    Evidence,
    ending_sentence,
    findings,
    game_means,
    summary,
    who,
)
from fable_solve.solver.games.feuilles.opening import opening
from fable_solve.solver.games.feuilles.sampling import Sample, sample
from fable_solve.solver.games.feuilles.sheet import NAMES
from fable_solve.solver.games.feuilles.strong import Strong, look
from fable_solve.solver.games.feuilles.tables import (
    endings_table,
    leaves_table,
    readings_table,
    scores_table,
    seats_table,
    wins_table,
    zones_table,
)
from fable_solve.solver.games.feuilles.worth import is_known
from fable_solve.solver.registry import get
from fable_solve.solver.result import Chart, Result, Section, Series
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import RuleData
from fable_solve.solver.sampling import counted
from fable_solve.solver.study import Request


def run(request: Request) -> Result:
    """Self-play of each policy under both readings, for each player count; see :class:`Sample`."""
    if request.objective not in (None, "score"):
        raise BadInput("score, which all policies go for", repr(request.objective), where="--objective")
    evidence = gather(request)
    samples, strong = evidence.samples, look(request) if _is_strong(request.rules) else None
    brackets = certificate.brackets(request) if strong else ()
    own = [one for one in brackets if one.reading == evidence.own and 1 in evidence.players]
    scores, *others = summary(evidence)
    return Result(
        game="feuilles",
        title="61 Feuilles d'automne: how the sheet scores",
        question=_question(request.players),
        summary=(scores, *(one.sentence for one in own), *others),
        mode=None,
        players=request.players,
        objective="score",
        seed=request.seed,
        rules=request.rules.document(),
        assumptions=(),
        findings=(*findings(evidence), *(one.finding for one in own), *(strong.findings if strong else ())),
        tables=(
            scores_table(samples),
            *([wins_table(evidence)] if evidence.raced(evidence.players) else []),
            readings_table(evidence),
            endings_table(samples),
            leaves_table(samples),
            zones_table(samples),
            seats_table(samples),
            *([certificate.table(brackets)] if strong else []),
            *(strong.tables if strong else ()),
            *([opening(request.rules.model)] if strong else []),
        ),
        charts=(*_charts(evidence), *(strong.charts if strong else ())),
        sections=_sections(evidence, request.rules, strong),
        method=_method(request.rules),
        parameters=dict(request.options),
        command=request.command,
    )


def _is_strong(rules: RuleData) -> bool:
    """Whether the learned values know the sheet, and its first round is not one of the last."""
    return is_known(rules.model) and rules.model.rounds > EXACT_ROUNDS


def _question(players: Sequence[int]) -> str:
    change = "the number of players and the reading" if len(players) > 1 else "the reading"
    verb = "do" if len(players) > 1 else "does"
    return f"How much does a sheet score, and how much {verb} {change} of the leaf bonuses change?"


def gather(request: Request) -> Evidence:
    """The samples of a request, ready to be asked."""
    policies = POLICIES if _is_strong(request.rules) else POLICIES[:2]
    return Evidence(_samples(request, policies), request.players, request.rules.model.leaf_bonus, policies)


def _samples(request: Request, policies: Sequence[str]) -> tuple[Sample, ...]:
    """Every player count, reading and policy, ``games`` games each; the readings meet the same dice."""
    spec, games = get("feuilles"), int(request.options["games"])
    plan = [
        (players, reading, policy)
        for players in request.players
        for reading in READINGS
        for policy in policies
    ]
    played = counted(request.progress, games * len(plan))
    samples = []
    for players, reading, policy in plan:
        model = request.rules.model.model_copy(update={"leaf_bonus": reading})
        names = (policy,) * players if policy != "optimised" else (policy, *("greedy",) * (players - 1))
        match = setup(spec, players, names, replace(request.rules, model=model), seed=request.seed)
        samples.append(sample(match, reading, games, played))
    return tuple(samples)


def _charts(evidence: Evidence) -> tuple[Chart, ...]:
    """Distributions for the fewest players, and the means of all player counts."""
    charts = [_distribution(evidence, evidence.players[0]), _zone_chart(evidence)]
    return (*charts, *([_players_chart(evidence)] if len(evidence.players) > 1 else []))


def _distribution(evidence: Evidence, players: int) -> Chart:
    series, means = [], []
    for policy in evidence.policies:
        scores = evidence.find(players, policy).own("score").ravel()
        low, high = int(scores.min()), int(scores.max())
        y = [float((scores == points).mean()) for points in range(low, high + 1)]
        series.append(Series(policy, list(range(low, high + 1)), y))
        means.append(f"{policy} {mean(scores).mean:.1f}")
    return Chart(
        "score_distribution",
        "step",
        f"Final scores, {who(players)}, leaf bonus {evidence.own}",
        "score (points)",
        "share of sheets",
        f"Distributions of the final score; means: {', '.join(means)}.",
        tuple(series),
        percent=True,
    )


def _zone_chart(evidence: Evidence) -> Chart:
    series, players = [], evidence.players[0]
    for policy in evidence.policies:
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
        for policy in evidence.policies:
            found = [evidence.find(count, policy, reading) for count in players]
            means = [mean(game_means(sample, "score")) for sample in found]
            error = [found.half_width for found in means]
            series.append(Series(f"{policy}, {reading}", list(players), [m.mean for m in means], error))
    words = "; ".join(f"{line.label} from {line.y[0]:.1f} to {line.y[-1]:.1f}" for line in series)
    alt = f"Mean score by number of players: {words}."
    return Chart(
        "score_by_players", "line", "Mean score by number of players", "players", "points", alt, tuple(series)
    )


def _sections(evidence: Evidence, rules: RuleData, strong: Strong | None) -> tuple[Section, ...]:
    several, races = len(evidence.players) > 1, evidence.raced(evidence.players)
    return (
        Section(
            "Scores",
            ("Random play writes anywhere; greedy play takes the most points now and otherwise keeps the "
             "smallest die for the leaves: the same in every seat.",
             *(("Optimised play looks one round ahead by learned values and draws nothing by lot: several "
                "seats of it would fill the same sheet. With rivals it sits in one seat, and they are "
                "greedy. No seat has an advantage.",) if strong else ())),
            ("score_distribution", "scores", *(("score_by_players",) if several else ()),
             *(("wins",) if races else ())),
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
             "make it last, and every further round is a further cell.", ending_sentence(evidence)),
            ("endings",),
        ),
        *((certificate.SECTION, *strong.sections) if strong else ()),
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
        )] if strong else []),
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
        "Game g is episode g of `fable-solve simulate feuilles` "
        "with the same seed. Both readings of the leaf bonuses meet the same dice, so their difference is "
        "taken game by game; different player counts meet different dice.",
        "Sheets of one game share their dice and are not independent: intervals are of the means of games.",
        "Greedy play breaks ties by the smallest leaf, then by lot.",
        f"Rule data assumed: {', '.join(rules.assumed) or 'nothing'}; read off an implementation: "
        f"{', '.join(read_off) or 'nothing'} (`fable-solve rules feuilles`).",
    )
