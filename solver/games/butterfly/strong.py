"""What strong play shows of Butterfly: the worth of the first seat, of a tile and of a net."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fable_solve.solver.estimate import Interval, Mean
from fable_solve.solver.games.butterfly import worth
from fable_solve.solver.games.butterfly.cells import Placed, run_of, strong, with_layouts
from fable_solve.solver.games.butterfly.watched import TYPES, Watched, watch_all
from fable_solve.solver.result import Chart, Finding, Section, Series, Table
from fable_solve.solver.study import Request

PAIR, HIGH, DRAGONFLY, WASP = (
    TYPES.index(name) for name in ("bee and honeycomb pair", "butterfly 3-5", "dragonfly", "wasp")
)
NEXT = (HIGH, DRAGONFLY)
REST = tuple(kind for kind in range(len(TYPES)) if kind not in (PAIR, *NEXT))


@dataclass(frozen=True)
class Opinion:
    """What strong players advise: ``sign`` is that of the lead by a take of ``kinds`` over one of ``others``
    if they are right."""

    said: str
    what: str
    kinds: tuple[int, ...]
    others: tuple[int, ...]
    sign: int


OPINIONS = (
    Opinion("first a pair of bee and honeycomb", "a pair", (PAIR,), (*NEXT, *REST), 1),
    Opinion("then butterflies of 3 to 5 and dragonflies", "a butterfly 3-5 or dragonfly", NEXT, REST, 1),
    Opinion("wasps last", "a wasp", (WASP,), tuple(kind for kind in range(len(TYPES)) if kind != WASP), -1),
)


@dataclass(frozen=True)
class Sample:
    """Watched games of one player count and layout of nets."""

    players: int
    nets: str
    games: tuple[Watched, ...]


@dataclass(frozen=True)
class Evidence:
    """Strong play, played and watched."""

    placed: Sequence[Placed]
    samples: Sequence[Sample]


def watch(request: Request, tick: Callable[[], None]) -> list[Sample]:
    """Games of strong play for each player count and layout, watched."""
    samples = []
    for players in request.players:
        for nets, rules in with_layouts(request.rules).items():
            games = watch_all(run_of(request, players, strong(request), rules), request.options["watched"])
            samples.append(Sample(players, nets, tuple(games)))
            tick()
    return samples


@dataclass(frozen=True)
class Conclusion:
    """A difference from nothing for one player count and layout."""

    players: int
    nets: str
    what: str
    unit: str
    found: Interval | Mean

    @property
    def sign(self) -> int:
        """1 or -1 if the 95 % interval lies above or below 0, else 0."""
        value, reach = _value(self.found), self.found.half_width
        return int(value - reach > 0) - int(value + reach < 0)


def _value(found: Interval | Mean) -> float:
    return found.mean if isinstance(found, Mean) else found.value


def conclusions(evidence: Evidence) -> list[Conclusion]:
    """Every conclusion under every layout it can be drawn for, those of one player count together."""
    found = [*_seats(evidence.placed), *_opinions(evidence.samples), *_draws(evidence.samples)]
    return sorted(found, key=lambda item: item.players)


def _seats(placed: Sequence[Placed]) -> Iterator[Conclusion]:
    for item in placed:
        cell, won = item.cell, item.cell.wins(0)
        even = 1 / cell.players
        edge = Interval(won.mean - even, won.low - even, won.high - even, won.n)
        what = f"first seat's share of the win above an even one, hedgehog placed {PLACED[item.placer]}"
        yield Conclusion(cell.players, cell.nets, what, "share", edge)


PLACED = {
    "last": "by the last seat",
    "first": "by itself",
    "random": "at random",
}


MEASURES: tuple[tuple[worth.Measure, str, str], ...] = (
    ("lead", "lead", "points"),
    ("win", "share of the win", "share"),
)
"""Fields of an ending, in words, and their units."""


def _opinions(samples: Sequence[Sample]) -> Iterator[Conclusion]:
    for sample in samples:
        for opinion in OPINIONS:
            over = "other tiles but a pair" if opinion.kinds == NEXT else "other tiles"
            for measure, name, unit in MEASURES:
                more = worth.compared(sample.games, opinion.kinds, opinion.others, measure)
                if more is not None:
                    what = f"{name} by taking {opinion.what} over {over}"
                    yield Conclusion(sample.players, sample.nets, what, unit, more)


def _draws(samples: Sequence[Sample]) -> Iterator[Conclusion]:
    for sample in samples:
        for measure, name, unit in MEASURES:
            gain = worth.drawing(sample.games, measure)
            if gain is not None:
                yield Conclusion(sample.players, sample.nets, f"{name} by a draw across a net", unit, gain)


def sentence(evidence: Evidence) -> str:
    """How the opinions of players fare under the layout of the rule data."""
    own = [sample for sample in evidence.samples if sample.nets == evidence.samples[0].nets]
    verdicts = [f"{opinion.said} ({_verdict(own, opinion)})" for opinion in OPINIONS]
    return f"What strong players advise, tried by forced takes: {'; '.join(verdicts)}."


def _verdict(samples: Sequence[Sample], opinion: Opinion) -> str:
    """``confirmed`` if such a take is surely better (worse) than the others together and looks so against
    each type; ``contradicted`` if it surely is the opposite against one; else ``open``, in each case with the
    type that speaks most against it."""
    rivals = [
        (opinion.sign * lead.mean, lead.half_width, TYPES[other])
        for sample in samples
        for other in opinion.others
        if (lead := worth.compared(sample.games, opinion.kinds, (other,))) is not None
    ]
    together = [worth.compared(sample.games, opinion.kinds, opinion.others) for sample in samples]
    if not rivals:
        return "open"
    least, reach, name = min(rivals)
    if least > 0 and all(found and opinion.sign * found.mean > found.half_width for found in together):
        return "confirmed"
    verdict = "contradicted" if any(value + half < 0 for value, half, _ in rivals) else "open"
    return f"{verdict}: {-least:+.1f} ± {reach:.1f} points by a {name}" if least <= 0 else verdict


def findings(evidence: Evidence) -> Iterator[Finding]:
    """The conclusions under the layout of the rule data."""
    for item in conclusions(evidence):
        if item.nets == evidence.samples[0].nets:
            value = _value(item.found)
            text = f"{value:+.1%}" if item.unit == "share" else f"{value:+.1f} points"
            name = f"{item.what} ({item.players} players)"
            said = f"With {item.players} players in strong play, {item.what}: {text}."
            yield Finding(name, value, item.found.certificate, item.unit, said)


def tables(evidence: Evidence) -> tuple[Table, ...]:
    return (
        _seats_table(evidence.placed),
        _worth_table(evidence.samples),
        _draws_table(evidence.samples),
        _conclusions_table(evidence),
    )


def _table(
    name: str, title: str, rows: list[dict[str, Any]], columns: dict[str, str], note: str = ""
) -> Table:
    import polars as pl

    return Table(name, title, pl.DataFrame(rows, infer_schema_length=None), columns, note=note)


WHERE = {"players": "number of players", "nets": "layout of the nets"}


def _seats_table(placed: Sequence[Placed]) -> Table:
    rows = []
    for item in placed:
        won, lead = item.cell.wins(0), item.cell.lead()
        rows.append(
            {"players": item.cell.players, "nets": item.cell.nets, "placer": item.placer, "games": won.n,
             "win": won.mean, "win_low": won.low, "win_high": won.high,
             "lead": lead.mean, "lead_reach": lead.half_width}
        )  # fmt: skip
    columns = {
        **WHERE,
        "placer": "who puts the hedgehog on the square: seat 0 (first), the last seat, or chance",
        "games": "games played",
        "win": "first seat's share of the win",
        "win_low": "lower end of Wilson's 95 % interval",
        "win_high": "upper end of Wilson's 95 % interval",
        "lead": "its score less the mean of the others', points",
        "lead_reach": "half of its 95 % interval",
    }
    return _table("first_seat", "The first seat in strong play, by who places the hedgehog", rows, columns)


def _worth_table(samples: Sequence[Sample]) -> Table:
    rows = [row for sample in samples for row in _worth_rows(sample)]
    columns = {
        **WHERE,
        "tile": "what the tile is to the seat that takes it",
        "taken": "tiles of the type that a seat takes in a game",
        "lead": "forced takes: lead in the end over that by a tile of another type at the same move, points",
        "lead_reach": "half of its 95 % interval",
        "win": "forced takes: the same in share of the win",
        "win_reach": "half of its 95 % interval",
        "moves": "moves at which it was tried",
        "points": "regression: points of the final score that one more such tile goes with",
        "points_reach": "half of its 95 % interval",
    }
    note = "A lead is caused by the take; points of the regression also go with all that a good game has."
    return _table("tile_worth", "What a tile is worth in strong play", rows, columns, note)


def _worth_rows(sample: Sample) -> list[dict[str, Any]]:
    """Types by falling lead of forced takes."""
    seats = [taken for game in sample.games for taken in game.taken]
    rows = []
    for kind, points in enumerate(worth.regression(sample.games)):
        lead, win = (worth.forced(sample.games, kind, measure) for measure, _, _ in MEASURES)
        rows.append(
            {"players": sample.players, "nets": sample.nets, "tile": TYPES[kind],
             "taken": sum(taken[kind] for taken in seats) / len(seats),
             "lead": lead and lead.mean, "lead_reach": lead and lead.half_width,
             "win": win and win.mean, "win_reach": win and win.half_width,
             "moves": lead.n if lead else 0,
             "points": points.value, "points_reach": points.half_width}
        )  # fmt: skip
    return sorted(rows, key=lambda row: -row["lead"] if row["lead"] is not None else float("inf"))


def _draws_table(samples: Sequence[Sample]) -> Table:
    rows = []
    for sample in samples:
        gain, win = (worth.drawing(sample.games, measure) for measure, _, _ in MEASURES)
        games = len(sample.games)
        offers, drawn = (sum(getattr(game, name) for game in sample.games) for name in ("offers", "drawn"))
        rows.append(
            {"players": sample.players, "nets": sample.nets, "offers": offers / games,
             "drawn": drawn / offers if offers else None,
             "lead": gain and gain.mean, "lead_reach": gain and gain.half_width,
             "win": win and win.mean, "win_reach": win and win.half_width,
             "games": gain.n if gain else 0}
        )  # fmt: skip
    columns = {
        **WHERE,
        "offers": "moves across an open net in a game",
        "drawn": "share of them with a draw",
        "lead": "at one such move a game: lead in the end with the draw less that without, points",
        "lead_reach": "half of its 95 % interval",
        "win": "the same in share of the win",
        "win_reach": "half of its 95 % interval",
        "games": "games with such a move",
    }
    return _table("draws", "What a draw is worth in strong play", rows, columns)


SIGNS = {1: "above 0", 0: "open", -1: "below 0"}


def _conclusions_table(evidence: Evidence) -> Table:
    found, layouts = conclusions(evidence), list(dict.fromkeys(sample.nets for sample in evidence.samples))
    rows = []
    for players, what in dict.fromkeys((item.players, item.what) for item in found):
        by_nets = {item.nets: item for item in found if (item.players, item.what) == (players, what)}
        cells = {nets: _told(by_nets[nets]) if nets in by_nets else "-" for nets in layouts}
        rows.append({"players": players, "conclusion": what, **cells, "verdict": _changes(by_nets.values())})
    columns = {
        "players": "number of players",
        "conclusion": "what is measured, with the 95 % interval under each layout",
        **{nets: f"under nets {nets}" for nets in layouts},
        "verdict": "whether the layouts agree",
    }
    note = "Each interval holds alone; among so many one or the other misses its number."
    return _table("conclusions", "Which conclusions another layout of the nets changes", rows, columns, note)


def _told(item: Conclusion) -> str:
    value, reach = _value(item.found), item.found.half_width
    if item.unit == "share":
        return f"{value:+.1%} ± {reach:.1%}, {SIGNS[item.sign]}"
    return f"{value:+.1f} ± {reach:.1f}, {SIGNS[item.sign]}"


def _changes(items: Any) -> str:
    signs = {item.sign for item in items}
    if signs >= {1, -1}:
        return "changes"
    return "the same" if len(signs) == 1 and 0 not in signs else "not decided everywhere"


def charts(evidence: Evidence) -> tuple[Chart, ...]:
    """Worth of the types by forced takes under the layout of the rule data."""
    series = []
    for sample in evidence.samples:
        leads = [worth.forced(sample.games, kind) for kind in range(len(TYPES))]
        if sample.nets == evidence.samples[0].nets and all(leads):
            known = [lead for lead in leads if lead]
            y, reach = [lead.mean for lead in known], [lead.half_width for lead in known]
            series.append(Series(f"{sample.players} players", list(TYPES), y, reach))
    if not series:
        return ()
    alt = "Lead in the end by a take of each type over another at the same move, with 95 % intervals."
    return (
        Chart(
            "tile_worth_chart", "bar", "What a tile is worth in strong play", "type of tile", "lead (points)",
            alt, tuple(series),
        ),
    )  # fmt: skip


def sections(evidence: Evidence) -> tuple[Section, ...]:
    shown = [chart.name for chart in charts(evidence)]
    return (
        Section("Who moves first", (), ("first_seat",)),
        Section(
            "What a tile is worth",
            (
                "At one move of each game every tile in reach is taken and play goes on with the same random "
                "numbers; the regression tells the final score by the tiles taken. A bee or a honeycomb "
                "counts as a pair where it completes one.",
                sentence(evidence),
            ),
            ("tile_worth", *shown),
        ),
        Section("What a net is worth", (), ("draws",)),
        Section(
            "What the layout of the nets changes",
            ("The same questions are asked under every named layout.",),
            ("conclusions",),
        ),
    )


def method(request: Request) -> tuple[str, ...]:
    nodes, games = request.options["nodes"], request.options["watched"]
    return (
        f"search@{nodes}: the best of a tree search of {nodes} nodes a move (alpha-beta with 2 players, "
        "max^n with more), the hedgehog's place by eight times as many.",
        f"{games} games of each player count and layout are watched; forced takes and draws are played on by "
        "the same search.",
    )
