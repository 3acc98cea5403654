"""The study of Butterfly: its tables, findings and certificates, and that it repeats."""

from __future__ import annotations

import numpy as np
import pytest

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.butterfly import strong, studies, worth
from fable_solve.solver.games.butterfly.tiles import INDEX, counts
from fable_solve.solver.games.butterfly.watched import PAIR, TYPES, Ending, Watched, tile_type, watched
from fable_solve.solver.registry import get
from fable_solve.solver.result import Result
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import Layer, load_rules
from fable_solve.solver.simulation import simulate
from fable_solve.solver.study import Request


def study(
    players: tuple[int, ...] = (2,), objective: str | None = None, games: int = 12, **rules: object
) -> Result:
    data = load_rules("butterfly", [Layer("test", rules)])
    options = {"games": games, "strong_games": games, "watched": 6, "nodes": 30}
    return studies.run(Request(data, None, players, objective, 4, options))


def test_every_cell_is_played_and_shown() -> None:
    """3 policies x 3 layouts x (2 + 3) seats; every table, chart and section refers to what there is."""
    result = study((2, 3))
    tables = {table.name: table.frame for table in result.tables}
    assert tables["scores"].height == 3 * 3 * (2 + 3)
    assert tables["lengths"].height == 3 * 3 * 2
    shares = tables["scores"].group_by("players", "policy", "nets").sum()["win"].to_list()
    assert shares == pytest.approx([1.0] * 18)  # the shares of a game sum to 1
    names = {item.name for item in (*result.tables, *result.charts)}
    shown = {name for section in result.sections for name in section.show}
    assert shown == names - {"distribution"}
    strong = [row for row in tables["conclusions"].to_dicts() if row["four"] != "-"]
    assert (
        len(result.findings) == 2 * 3 * 2 + len(strong) + 1
    )  # two of each count and policy; one of the nets
    assert tables["net_effects"].height == 2 * 3 * 2  # counts x policies x other layouts
    assert tables["first_seat"].height == 2 * 3 * 3  # counts x layouts x placers
    assert tables["tile_worth"].height == 2 * 3 * len(TYPES)
    assert all(finding.certificate.kind == "sampled" for finding in result.findings)
    assert all(f.certificate.low <= f.value <= f.certificate.high for f in result.findings)
    assert result.rules["assumed"] == ["nets"] and result.assumptions[0][0] == "nets"


def test_the_numbers_are_those_of_the_simulation() -> None:
    """The greedy cell is the run that ``simulate`` makes with the same seed."""
    table = next(table for table in study().tables if table.name == "scores").frame
    run = simulate(setup(get("butterfly"), 2, ["greedy"], load_rules("butterfly"), seed=4), 12)
    own = run.episodes.filter(run.episodes["seat"] == 1)["score"].mean()
    row = table.filter((table["policy"] == "greedy") & (table["nets"] == "four") & (table["seat"] == 1))
    assert row["mean"].item() == pytest.approx(own)


def test_it_repeats_and_objectives_choose_the_headline() -> None:
    first, again = study(), study()
    assert first.findings == again.findings
    assert study(objective="margin").findings[0].name == "margin of seat 0 (2 players, all random)"
    assert study(objective="score").findings[0].name == "score of seat 0 (2 players, all random)"
    with pytest.raises(BadInput, match="--players: expected 2 players with the margin, got 2, 3"):
        study((2, 3), "margin")


def test_nets_as_given_are_compared_with_every_layout() -> None:
    table = next(t for t in study(games=3, nets=[[0, 0]]).tables if t.name == "lengths").frame
    assert table["nets"].unique(maintain_order=True).to_list() == ["as given", "none", "four", "eight"]


def seat_means(policy: str, nets: str) -> np.ndarray:
    """Mean score of the two seats in each of the first 30 games under a layout."""
    rules = load_rules("butterfly", [Layer("test", {"nets": nets})])
    match = setup(get("butterfly"), 2, [policy], rules, seed=4).build()
    return match.by_rules(range(30)).scores.mean(axis=1)


def test_intervals_of_the_nets_hold_together() -> None:
    """6 comparisons for 2 players. The 1 - 0.05 / 12 quantile of the normal distribution is 2.6383 (tables);
    the difference and its error come from the two layouts' games of the same numbers."""
    result = study(games=30)
    tables = {table.name: table for table in result.tables}
    effects = tables["net_effects"].frame.to_dicts()
    assert len(effects) == 6
    for effect in effects:
        here, there = (seat_means(effect["policy"], nets) for nets in (effect["nets"], "four"))
        difference = np.mean(here - there)
        reach = 2.6383 * np.std(here - there, ddof=1) / 30**0.5
        assert effect["difference"] == pytest.approx(difference)
        assert (effect["low"], effect["high"]) == pytest.approx(
            (difference - reach, difference + reach), abs=1e-3
        )
    largest = max(effects, key=lambda effect: abs(effect["difference"]))
    finding = result.findings[-1]
    assert (finding.value, finding.certificate.low) == (largest["difference"], largest["low"])
    for text in (finding.certificate.note, tables["net_effects"].note, result.summary[-1]):
        assert "all 6 comparisons of layouts together (95 %, Bonferroni)" in text
    assert result.summary[-1].startswith("The largest difference seen between layouts")


def test_the_summary_is_short() -> None:
    for players in ((2,), (2, 3)):
        summary = study(players).summary
        assert len(summary) == 4
        assert all(len(sentence) < 300 and "((" not in sentence for sentence in summary)
    assert summary[0].startswith("With 2 to 3 players, a seat scores on average ")


@pytest.mark.parametrize(
    ("placer", "said"),
    [
        ("last", "Seat 0 moves first; the last seat puts the hedgehog on the square."),
        ("first", "Seat 0 moves first; it also puts the hedgehog on the square."),
        ("random", "Seat 0 moves first; the hedgehog is put on the square at random."),
    ],
)
def test_the_text_follows_the_placer(placer: str, said: str) -> None:
    """Who puts the hedgehog stands in the section, in the help of a column and, for the policies, in the
    method; a start by chance is no decision and no choice of a policy."""
    result = study(games=3, placer=placer)
    tables = {table.name: table for table in result.tables}
    assert result.sections[0].paragraphs[0].startswith(said)
    assert tables["scores"].columns["seat"] == said.removeprefix("Seat ").removesuffix(".")
    chosen = placer != "random"
    assert ("the start among them" in tables["lengths"].columns["length"]) == chosen
    method = " ".join(result.method)
    assert ("uniform start" in method) == chosen
    assert ("smallest" in method, "largest" in method) == (placer == "last", placer == "first")
    everything = " ".join((*result.summary, *(p for s in result.sections for p in s.paragraphs), method))
    assert ("last seat" in everything) == (placer == "last")


@pytest.mark.parametrize(
    ("held", "tile", "expected"),
    [
        ("h10", "B", "bee and honeycomb pair"),
        ("B h10", "B", "bee or honeycomb alone"),
        ("B B h10", "h15", "bee and honeycomb pair"),
        ("", "h15", "bee or honeycomb alone"),
        ("r1", "rx", "x2"),
        ("", "y3", "butterfly 3-5"),
        ("", "b2", "butterfly 1-2"),
        ("", "d9", "dragonfly"),
        ("", "l1", "firefly"),
        ("", "s5", "grasshopper"),
        ("", "F", "flower"),
        ("", "w4", "wasp"),
    ],
)
def test_types_of_tiles(held: str, tile: str, expected: str) -> None:
    """By the rules: a bee or a honeycomb makes a pair where one of the other kind is free."""
    assert TYPES[tile_type(counts(INDEX[name] for name in held.split()), INDEX[tile])] == expected


@pytest.mark.parametrize("nets", ["none", "eight"])
def test_watched_games_are_the_games_played(nets: str) -> None:
    """The same scores as the compiled games; every tile taken is counted, one a move and one a draw; what was
    done is among what is forced, with the lead it had."""
    rules = load_rules("butterfly", [Layer("test", {"nets": nets})])
    match = setup(get("butterfly"), 3, ["search@40"], rules, seed=4).build()
    played = match.block(range(6))
    for number in range(6):
        game = watched(match, number)
        assert game.scores == tuple(played.scores[number])
        assert sum(map(sum, game.taken)) == played.lengths[number] - 1 + game.drawn  # the start takes nothing
        assert game.drawn <= game.offers and (game.gain is None) == (game.offers == 0)
        assert len(game.forced) >= 1 and (nets == "eight" or game.offers == 0)
        assert not game.pairing or PAIR in dict(game.pairing)
        assert all(ending.lead > 0 for _, ending in game.forced if ending.win == 1)  # ahead of each other


def test_a_regression_finds_what_made_the_scores() -> None:
    """Scores made of 3 and -2 points a tile and noise shared by a game: the coefficients lie within 4 errors.
    With noise of each seat alone the errors are those of textbook least squares, to a fifth."""
    stream = np.random.default_rng(7)
    x = stream.poisson(2.0, (4000, 2, 2)).astype(float)
    shared, own = stream.normal(0, 3, (4000, 1)), stream.normal(0, 3, (4000, 2))
    for noise in (shared, own):
        found = worth.clustered(x, 5 + x @ [3.0, -2.0] + noise)
        for interval, true in zip(found, (3.0, -2.0), strict=True):
            assert abs(interval.value - true) < 4 * interval.half_width / 1.96
    textbook = 1.96 * 3 / np.sqrt(8000 * 2.0)  # sigma / sqrt(n var x)
    assert found[0].half_width == pytest.approx(textbook, rel=0.2)


def test_comparisons_pair_takes_of_the_same_move() -> None:
    """By hand: in the first game 5 against the mean of 1 and 3, in the second 4 against 2; the third has no
    flower (type 5). Whoever leads wins."""
    games = [
        watched_with((5, 5.0), (9, 1.0), (3, 3.0)),
        watched_with((5, 4.0), (9, 2.0)),
        watched_with((9, 1.0), (3, 3.0)),
    ]
    found = worth.compared(games, (5,), (9, 3))
    assert found is not None and (found.mean, found.n) == (2.5, 2)
    assert worth.compared(games, (5,), (0,)) is None and worth.drawing(games) is None


def test_takes_and_draws_are_worth_shares_of_the_win() -> None:
    """By hand: a flower (type 5) wins where a wasp (9) loses in the first game and both lose in the second;
    draws bring half a win and nothing."""
    games = [
        watched_with((5, 5.0), (9, -1.0), gain=Ending(2.0, 0.5)),
        watched_with((5, -4.0), (9, -6.0), gain=Ending(1.0, 0.0)),
    ]
    found, draws = worth.forced(games, 5, "win"), worth.drawing(games, "win")
    assert found is not None and (found.mean, found.n) == (0.5, 2)
    assert draws is not None and (draws.mean, draws.n) == (0.25, 2)


def watched_with(*leads: tuple[int, float], gain: Ending | None = None) -> Watched:
    """A game whose takes have these leads; a lead above 0 wins."""
    forced = tuple((kind, Ending(lead, float(lead > 0))) for kind, lead in leads)
    return Watched(((0,) * len(TYPES),) * 2, (0.0, 0.0), forced, forced, 0, 0, gain)


def test_opinions_are_judged_by_every_other_type() -> None:
    """By hand, three games of the same leads: a pair (type 0) brings 6, a flower (5) 8, a wasp (9) -5, a
    butterfly 3-5 (3) 2. The pair is better than the others together (6 against 5/3), worse than a flower."""
    games = (watched_with((0, 6.0), (5, 8.0), (9, -5.0), (3, 2.0)),) * 3
    said = strong.sentence(strong.Evidence([], [strong.Sample(2, "four", games)]))
    assert "pair of bee and honeycomb (contradicted: +2.0 ± 0.0 points by a flower)" in said
    assert "dragonflies (contradicted: +6.0 ± 0.0 points by a flower)" in said
    assert "wasps last (confirmed)" in said
