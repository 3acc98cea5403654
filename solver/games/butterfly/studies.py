"""The first study of Butterfly: scores, win shares by seat, lengths, and what the layout of nets changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import Z95, Mean, Share, mean, quantiles, share
from fable_solve.solver.games.butterfly.rules import LAYOUTS
from fable_solve.solver.registry import get
from fable_solve.solver.result import Certificate, Chart, Finding, Result, Section, Series, Table
from fable_solve.solver.rollout import setup, simulate
from fable_solve.solver.rules import RuleData
from fable_solve.solver.study import Request

if TYPE_CHECKING:
    import polars as pl

POLICIES = ("random", "greedy")
SHOWN = (5, 50, 95)
"""Quantiles of the scores that are shown, in per cent."""


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
        return self.episodes["score"].to_numpy().reshape(-1, self.players).mean(axis=1)

    def margin(self) -> Mean:
        """Score of seat 0 less that of the best other seat."""
        table = self.episodes["score"].to_numpy().reshape(-1, self.players)
        return mean(table[:, 0] - table[:, 1:].max(axis=1))


def run(request: Request) -> Result:
    """Self-play of each policy for each player count under each layout of nets."""
    if request.objective == "margin" and request.players != (2,):
        counts = ", ".join(map(str, request.players))
        raise BadInput("2 players with the margin", counts, where="--players")
    cells, layouts = play_all(request), tuple(with_layouts(request.rules))
    base = [cell for cell in cells if cell.nets == layouts[0]]
    findings = (*headlines(base, request.objective or "win"), *net_effects(cells, layouts))
    return Result(
        game="butterfly",
        title="Butterfly: scores, seats and nets",
        question="How much does each seat score and win, how long does a game last, and do the nets, whose "
        "places nobody publishes, change it?",
        summary=_summary(base, findings),
        mode=None,
        players=request.players,
        objective=request.objective or "win",
        seed=request.seed,
        rules=request.rules.document(),
        assumptions=_assumptions(request.rules, findings),
        findings=findings,
        tables=(scores_table(cells), lengths_table(cells), distribution_table(base)),
        charts=(*_win_charts(base), *_score_charts(base), _nets_chart(cells, layouts)),
        sections=_sections(request.players),
        method=_method(request.options["games"]),
        parameters=dict(request.options),
        command=request.command,
    )  # fmt: skip


def with_layouts(rules: RuleData) -> dict[str, RuleData]:
    """The rule data as given, then under each other named layout of nets, by the name of the layout."""
    own = rules.model.nets if isinstance(rules.model.nets, str) else "as given"
    layouts = {own: rules}
    for name in LAYOUTS:
        entries = tuple(
            replace(entry, value=name) if entry.key == "nets" else entry for entry in rules.entries
        )
        changed = RuleData(rules.game, entries, rules.model.model_copy(update={"nets": name}))
        layouts.setdefault(name, changed)
    return layouts


def play_all(request: Request) -> list[Cell]:
    """Every cell of the study; cells of other player counts or layouts do not change a cell's games."""
    games, layouts = request.options["games"], with_layouts(request.rules)
    total, cells = games * len(request.players) * len(POLICIES) * len(layouts), list[Cell]()
    for players in request.players:
        for policy in POLICIES:
            for nets, rules in layouts.items():
                match = setup(get("butterfly"), players, (policy,), rules, seed=request.seed)
                played = simulate(match, games)
                cells.append(Cell(players, policy, nets, played.episodes))
                request.progress(games * len(cells), total)
    return cells


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


def net_effects(cells: Sequence[Cell], layouts: Sequence[str]) -> Iterator[Finding]:
    """How much more a seat scores under each other layout, from independent games."""
    by_key = {(cell.players, cell.policy, cell.nets): cell for cell in cells}
    for (players, policy, nets), cell in by_key.items():
        if nets == layouts[0]:
            continue
        here, there = mean(cell.per_game()), mean(by_key[players, policy, layouts[0]].per_game())
        difference, reach = here.mean - there.mean, Z95 * sqrt(here.se**2 + there.se**2)
        name = f"score of a seat, nets {nets} less {layouts[0]} ({players} players, all {policy})"
        certificate = Certificate.sampled(difference - reach, difference + reach, here.n)
        sentence = f"Nets {nets} instead of {layouts[0]} change a seat's score by {difference:+.1f} points."
        yield Finding(name, difference, certificate, "points", sentence)


def scores_table(cells: Sequence[Cell]) -> Table:
    """Scores and win shares of every seat of every cell."""
    import polars as pl

    rows = [_seat_row(cell, seat) for cell in cells for seat in range(cell.players)]
    columns = {
        "players": "number of players",
        "policy": "policy of every seat",
        "nets": "layout of the nets",
        "seat": "0 moves first, the last seat starts the hedgehog",
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


def lengths_table(cells: Sequence[Cell]) -> Table:
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
        "length": "decisions of a game, the start among them",
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
    for policy in POLICIES:
        cells = [cell for cell in base if cell.policy == policy]
        series = tuple(Series(f"{cell.players} players", *_binned(cell)) for cell in cells)
        means = ", ".join(f"{cell.players} players {cell.per_game().mean():.1f}" for cell in cells)
        yield Chart(
            f"scores_{policy}", "step", f"Scores, {policy} play in every seat", "score (points)",
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


def _summary(base: Sequence[Cell], findings: Sequence[Finding]) -> tuple[str, ...]:
    largest = max((f for f in findings if " less " in f.name), key=lambda f: abs(f.value))
    return (
        *(_policy_sentence([cell for cell in base if cell.policy == policy]) for policy in POLICIES),
        f"Another layout of the nets changes the mean score of a seat by at most {abs(largest.value):.1f} "
        f"points ({largest.certificate}): {largest.name}.",
    )


def _policy_sentence(cells: Sequence[Cell]) -> str:
    facts = []
    for cell in cells:
        won = cell.wins(0)
        facts.append(
            f"with {cell.players} players a seat scores {cell.per_game().mean():.1f} points and the first "
            f"seat wins {won.mean:.1%} (95 %: {won.low:.1%} to {won.high:.1%}; even: {1 / cell.players:.1%})"
        )
    return f"If all play {cells[0].policy}: {'; '.join(facts)}."


def _assumptions(rules: RuleData, findings: Sequence[Finding]) -> tuple[tuple[str, str], ...]:
    if "nets" not in rules.assumed:
        return ()
    effects = [finding.value for finding in findings if " less " in finding.name]
    return (
        (
            "nets",
            "number and places are published nowhere; the other layouts change the mean score of a seat by "
            f"{min(effects):+.1f} to {max(effects):+.1f} points",
        ),
    )


def _sections(players: Sequence[int]) -> tuple[Section, ...]:
    return (
        Section(
            "Seats",
            (
                "Seat 0 moves first; the last seat puts the hedgehog on the square. Both policies are far "
                "from best play, so these are facts about them and not about the seats under best play.",
            ),
            ("scores", *(f"wins_{count}" for count in players)),
        ),
        Section("Scores", (), ("scores_random", "scores_greedy")),
        Section(
            "Nets",
            ("Where the nets lie is assumed; the same games are played under every named layout.",),
            ("nets", "lengths"),
        ),
    )


def _method(games: int) -> tuple[str, ...]:
    return (
        f"{games} games for each player count, policy and layout of nets, all seats with the same policy.",
        "random: uniform start, uniform destination, a net is used with probability 1/2.",
        "greedy: the most points at once, a draw counted with its average; it starts the hedgehog where the "
        "first player's best catch is smallest.",
        "Intervals are 95 %: normal for means, Wilson's for win shares.",
    )
