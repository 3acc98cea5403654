"""The study of Butterfly: scores, win shares by seat, lengths, what strong play shows of seats, tiles and
nets (:mod:`strong`), and what the layout of nets changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from statistics import NormalDist
from typing import Any

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import mean, quantiles
from fable_solve.solver.games.butterfly import strong
from fable_solve.solver.games.butterfly.cells import POLICIES, Cell, placed, play_all, with_layouts
from fable_solve.solver.paired import paired
from fable_solve.solver.result import Certificate, Chart, Finding, Result, Section, Series, Table
from fable_solve.solver.rules import RuleData
from fable_solve.solver.study import Request

SHOWN = (5, 50, 95)
"""Quantiles of the scores that are shown, in per cent."""


def run(request: Request) -> Result:
    """Self-play of each policy for each player count under each layout of nets; strong games watched."""
    if request.objective == "margin" and request.players != (2,):
        counts = ", ".join(map(str, request.players))
        raise BadInput("2 players with the margin", counts, where="--players")
    layouts, steps = tuple(with_layouts(request.rules)), count(1)
    total = len(layouts) * len(request.players) * (len(POLICIES) + 4)

    def tick() -> None:
        request.progress(next(steps), total)

    cells = play_all(request, tick)
    evidence = strong.Evidence(placed(request, cells, tick), strong.watch(request, tick))
    base = [cell for cell in cells if cell.nets == layouts[0]]
    effects, placer = net_effects(cells, layouts), request.rules.model.placer
    largest = max(effects, key=lambda effect: abs(effect.difference))
    return Result(
        game="butterfly",
        title="Butterfly: scores, seats and nets",
        question="How much does each seat score and win, what are a seat, a tile and a net worth, and do the "
        "nets, whose places nobody publishes, change it?",
        summary=(*_summary(base), strong.sentence(evidence), _nets_sentence(largest)),
        mode=None,
        players=request.players,
        objective=request.objective or "win",
        seed=request.seed,
        rules=request.rules.document(),
        assumptions=_assumptions(request.rules, effects),
        findings=(
            *headlines(base, request.objective or "win"), *strong.findings(evidence), _nets_finding(largest),
        ),
        tables=(
            scores_table(cells, placer), nets_table(effects), lengths_table(cells, placer),
            distribution_table(base), *strong.tables(evidence),
        ),
        charts=(
            *_win_charts(base), *_score_charts(base), _nets_chart(cells, layouts), *strong.charts(evidence),
        ),
        sections=(*_sections(base, placer), *strong.sections(evidence)),
        method=(*_method(request, len(effects), placer), *strong.method(request)),
        parameters=dict(request.options),
        command=request.command,
    )  # fmt: skip


def headlines(base: Sequence[Cell], objective: str) -> Iterator[Finding]:
    """What the first seat gets, by player count and policy, and what an average seat scores."""
    for cell in base:
        who = f"{cell.players} players, all {cell.policy}"
        yield _first_seat(cell, objective, who)
        seats = mean(cell.per_game())
        sentence = f"With {who}, a seat scores {seats.mean:.1f} points on average."
        yield Finding(f"score of a seat ({who})", seats.mean, seats.certificate, "points", sentence)


def _first_seat(cell: Cell, objective: str, who: str) -> Finding:
    if objective == "win":
        won = cell.wins(0)
        sentence = (
            f"With {who}, the first seat wins {won.mean:.1%} "
            f"(95 %: {won.low:.1%} to {won.high:.1%}; an even share is {1 / cell.players:.1%})."
        )
        return Finding(f"win share of seat 0 ({who})", won.mean, won.certificate, "share", sentence)
    points = cell.margin() if objective == "margin" else cell.scores(0)
    sentence = f"With {who}, the {objective} of the first seat is {points.mean:.1f} points."
    return Finding(f"{objective} of seat 0 ({who})", points.mean, points.certificate, "points", sentence)


@dataclass(frozen=True)
class Effect:
    """What another layout of the nets adds to the mean score of a seat (points).

    ``half_width`` is that of a 95 % interval for all ``comparisons`` of the study together (Bonferroni):
    each interval alone holds with ``1 - 0.05 / comparisons``.
    """

    players: int
    policy: str
    nets: str
    instead_of: str
    difference: float
    half_width: float
    games: int
    comparisons: int

    @property
    def low(self) -> float:
        return self.difference - self.half_width

    @property
    def high(self) -> float:
        return self.difference + self.half_width


def net_effects(cells: Sequence[Cell], layouts: Sequence[str]) -> list[Effect]:
    """How much more a seat scores under each other layout, in games of the same deal and luck."""
    own = {(cell.players, cell.policy): cell for cell in cells if cell.nets == layouts[0]}
    others = [cell for cell in cells if cell.nets != layouts[0]]
    z = NormalDist().inv_cdf(1 - 0.05 / (2 * len(others)))
    effects = []
    for cell in others:
        gain = paired(cell.per_game(), own[cell.players, cell.policy].per_game()).difference
        reach = z * gain.se
        effects.append(
            Effect(cell.players, cell.policy, cell.nets, layouts[0], gain.mean, reach, gain.n, len(others))
        )
    return effects


def _together(comparisons: int) -> str:
    return f"holds for all {comparisons} comparisons of layouts together (95 %, Bonferroni)"


def _nets_finding(largest: Effect) -> Finding:
    """The largest difference between layouts; its interval allows for the choice."""
    name = (
        f"largest difference seen between layouts of the nets: {largest.nets} less {largest.instead_of}, "
        f"{largest.players} players, all {largest.policy}"
    )
    note = f"the interval {_together(largest.comparisons)}"
    certificate = Certificate.sampled(largest.low, largest.high, largest.games, note)
    return Finding(name, largest.difference, certificate, "points", _nets_sentence(largest))


def _nets_sentence(largest: Effect) -> str:
    return (
        "The largest difference seen between layouts of the nets, in the mean score of a seat, is "
        f"{largest.difference:+.1f} points: {largest.nets} instead of {largest.instead_of}, "
        f"{largest.players} players, all {largest.policy}. Its interval, {largest.low:+.1f} to "
        f"{largest.high:+.1f}, {_together(largest.comparisons)}."
    )


def nets_table(effects: Sequence[Effect]) -> Table:
    """The effect of every other layout, with intervals that hold together."""
    import polars as pl

    rows = [
        {
            "players": effect.players,
            "policy": effect.policy,
            "nets": effect.nets,
            "instead of": effect.instead_of,
            "difference": effect.difference,
            "low": effect.low,
            "high": effect.high,
            "games": effect.games,
        }
        for effect in effects
    ]
    columns = {
        "players": "number of players",
        "policy": "policy of every seat",
        "nets": "layout of the nets",
        "instead of": "the layout it is compared with",
        "difference": "mean score of a seat less that under the other layout, points",
        "low": "lower end of the interval, points",
        "high": "upper end of the interval, points",
        "games": "games played under each of the two layouts",
    }
    note = f"Each interval {_together(len(effects))}."
    title = "What another layout of the nets adds to the mean score of a seat"
    return Table("net_effects", title, pl.DataFrame(rows), columns, note=note)


PLACED = {
    "last": "the last seat puts the hedgehog on the square",
    "first": "it also puts the hedgehog on the square",
    "random": "the hedgehog is put on the square at random",
}
"""What is to be said after "seat 0 moves first", by ``placer``."""


def scores_table(cells: Sequence[Cell], placer: str) -> Table:
    """Scores and win shares of every seat of every cell."""
    import polars as pl

    rows = [_seat_row(cell, seat) for cell in cells for seat in range(cell.players)]
    columns = {
        "players": "number of players",
        "policy": "policy of every seat",
        "nets": "layout of the nets",
        "seat": f"0 moves first; {PLACED[placer]}",
        "mean": "mean score, points",
        "se": "standard error of the mean, points",
        "sd": "standard deviation of the score, points",
        **{f"p{level}": f"{level} % of the games score at most this, points" for level in SHOWN},
        "win": "share of the win, ties share",
        "win_low": "lower end of Wilson's 95 % interval",
        "win_high": "upper end of Wilson's 95 % interval",
    }
    return Table("scores", "Scores and win shares by seat", pl.DataFrame(rows), columns)


def _seat_row(cell: Cell, seat: int) -> dict[str, Any]:
    points, won = cell.scores(seat), cell.wins(seat)
    levels = quantiles(cell.seat(seat)["score"].to_numpy(), SHOWN)
    return {
        "players": cell.players,
        "policy": cell.policy,
        "nets": cell.nets,
        "seat": seat,
        "mean": points.mean,
        "se": points.se,
        "sd": points.sd,
        **{f"p{level}": value for level, value in levels.items()},
        "win": won.mean,
        "win_low": won.low,
        "win_high": won.high,
    }


def lengths_table(cells: Sequence[Cell], placer: str) -> Table:
    """Moves of a game and mean score of a seat, for every cell."""
    import polars as pl

    rows = []
    for cell in cells:
        length, seats = mean(cell.seat(0)["length"].to_numpy()), mean(cell.per_game())
        rows.append(
            {
                "players": cell.players,
                "policy": cell.policy,
                "nets": cell.nets,
                "games": length.n,
                "length": length.mean,
                "length_se": length.se,
                "score": seats.mean,
                "score_se": seats.se,
            }
        )
    columns = {
        "players": "number of players",
        "policy": "policy of every seat",
        "nets": "layout of the nets",
        "games": "games played",
        "length": "moves of a game" if placer == "random" else "decisions of a game, the start among them",
        "length_se": "standard error of the mean",
        "score": "mean score of all seats, points",
        "score_se": "standard error of that mean, points",
    }
    return Table("lengths", "Length of a game and mean score, by layout of nets", pl.DataFrame(rows), columns)


def distribution_table(base: Sequence[Cell]) -> Table:
    """How often each score occurs, all seats together."""
    import polars as pl

    rows = [
        {"players": cell.players, "policy": cell.policy, "score": score, "share": frequency}
        for cell in base
        for score, frequency in zip(*_distribution(cell), strict=True)
    ]
    columns = {"score": "points of one seat", "share": "share of all seats of all games"}
    frame = pl.DataFrame(rows)
    return Table("distribution", "Distribution of scores", frame, columns, headline=False)


def _distribution(cell: Cell) -> tuple[list[int], list[float]]:
    counted = cell.episodes["score"].cast(int).value_counts().sort("score")
    total = cell.episodes.height
    return counted["score"].to_list(), [count / total for count in counted["count"]]


BIN = 5
"""Points a step of the chart of scores."""


def _binned(cell: Cell) -> tuple[list[int], list[float]]:
    scores, shares = _distribution(cell)
    bins = range(scores[0] // BIN, scores[-1] // BIN + 1)
    sums = [sum(f for s, f in zip(scores, shares, strict=True) if s // BIN == b) for b in bins]
    return [BIN * b + BIN // 2 for b in bins], sums


def _win_charts(base: Sequence[Cell]) -> Iterator[Chart]:
    for players in dict.fromkeys(cell.players for cell in base):
        cells = [cell for cell in base if cell.players == players]
        seats = [f"seat {seat}" for seat in range(players)]
        series = []
        for cell in cells:
            wins = [cell.wins(seat) for seat in range(players)]
            series.append(Series(cell.policy, seats, [w.mean for w in wins], [w.half_width for w in wins]))
        first = ", ".join(f"{cell.policy} {cell.wins(0).mean:.1%}" for cell in cells)
        yield Chart(
            f"wins_{players}", "bar", f"Win share by seat, {players} players", "seat", "win share",
            f"Win share of each of {players} seats with 95 % intervals; the first seat: {first}.",
            tuple(series), percent=True,
        )  # fmt: skip


def _score_charts(base: Sequence[Cell]) -> Iterator[Chart]:
    for policy in _policies(base):
        cells = [cell for cell in base if cell.policy == policy]
        series = tuple(Series(f"{cell.players} players", *_binned(cell)) for cell in cells)
        means = ", ".join(f"{cell.players} players {cell.per_game().mean():.1f}" for cell in cells)
        yield Chart(
            f"scores_{policy.partition('@')[0]}", "step", f"Scores, {policy} play in every seat",
            "score (points)",
            f"share of seats, by {BIN} points", f"Distribution of scores; means: {means}.", series,
            percent=True,
        )  # fmt: skip


def _nets_chart(cells: Sequence[Cell], layouts: Sequence[str]) -> Chart:
    groups = list(dict.fromkeys((cell.players, cell.policy) for cell in cells))
    labels = [f"{players}, {policy}" for players, policy in groups]
    series = []
    for nets in layouts:
        means = [mean(cell.per_game()) for cell in cells if cell.nets == nets]
        series.append(Series(f"nets: {nets}", labels, [m.mean for m in means], [m.half_width for m in means]))
    return Chart(
        "nets", "bar", "Mean score of a seat, by layout of the nets", "players, policy", "score (points)",
        "Mean score of a seat with 95 % intervals for each layout of the nets.", tuple(series),
    )  # fmt: skip


def _summary(base: Sequence[Cell]) -> tuple[str, str]:
    """What a seat scores, and what moving first does to its share of the win."""
    counts = sorted({cell.players for cell in base})
    who = f"{counts[0]} to {counts[-1]} players" if len(counts) > 1 else f"{counts[0]} players"
    scores = _by_policy(base, lambda cell: float(cell.per_game().mean()), "{:.1f}", "points")
    edges = _by_policy(
        base, lambda cell: 100 * (cell.wins(0).mean - 1 / cell.players), "{:+.1f}", "percentage points"
    )
    far = max(mean(cell.per_game()).half_width for cell in base)
    wide = max(50 * (cell.wins(0).high - cell.wins(0).low) for cell in base)
    return (
        f"With {who}, a seat scores on average {scores} (95 % intervals: ± {far:.1f} at most).",
        f"The first seat's share of the win differs from an even one by {edges} (± {wide:.1f} at most).",
    )


def _by_policy(base: Sequence[Cell], measure: Callable[[Cell], float], form: str, unit: str) -> str:
    """A measure for each policy, as a range where there are several player counts."""
    facts = []
    for policy in _policies(base):
        found = [measure(cell) for cell in base if cell.policy == policy]
        ends = dict.fromkeys(form.format(end) for end in (min(found), max(found)))
        facts.append(f"{' to '.join(ends)} {unit} if all play {policy}")
    return f"{', '.join(facts[:-1])} and {facts[-1]}"


def _policies(base: Sequence[Cell]) -> list[str]:
    return list(dict.fromkeys(cell.policy for cell in base))


def _assumptions(rules: RuleData, effects: Sequence[Effect]) -> tuple[tuple[str, str], ...]:
    if "nets" not in rules.assumed:
        return ()
    differences = [effect.difference for effect in effects]
    return (
        (
            "nets",
            "number and places are published nowhere; under the other layouts the mean score of a seat was "
            f"{min(differences):+.1f} to {max(differences):+.1f} points different",
        ),
    )


def _sections(base: Sequence[Cell], placer: str) -> tuple[Section, ...]:
    players = dict.fromkeys(cell.players for cell in base)
    return (
        Section(
            "Seats",
            (
                f"Seat 0 moves first; {PLACED[placer]}. These are facts about the policies, of which the "
                "search is the strongest and not perfect.",
            ),
            ("scores", *(f"wins_{count}" for count in players)),
        ),
        Section("Scores", (), ("scores_random", "scores_greedy", "scores_search")),
        Section(
            "Nets",
            ("Where the nets lie is assumed; the same games are played under every named layout.",),
            ("net_effects", "nets", "lengths"),
        ),
    )


def _method(request: Request, comparisons: int, placer: str) -> tuple[str, ...]:
    games, more = request.options["games"], request.options["strong_games"]
    catch = {
        "last": "; it starts the hedgehog where the first player's best catch is smallest",
        "first": "; it starts the hedgehog where its own best catch is largest",
        "random": "",
    }[placer]
    start = "" if placer == "random" else "uniform start, "
    return (
        f"{games} games for each player count, policy and layout of nets, {more} of the search, all seats "
        "with the same policy.",
        f"random: {start}uniform destination, a net is used with probability 1/2.",
        f"greedy: the most points at once, a draw counted with its average{catch}.",
        *(("The start is drawn uniformly over tiles and facings.",) if placer == "random" else ()),
        "Intervals are 95 %: normal for means, Wilson's for win shares. Those of the differences between "
        f"layouts are wider, so that all {comparisons} hold together (Bonferroni).",
    )
