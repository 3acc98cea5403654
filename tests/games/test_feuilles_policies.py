"""Policies and the first study of 61 Feuilles d'automne."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import sqrt
from typing import Any

import pytest

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import mean
from fable_solve.solver.games.feuilles import studies
from fable_solve.solver.games.feuilles.findings import ending_sentence
from fable_solve.solver.games.feuilles.play import Choice, Sheet, State
from fable_solve.solver.games.feuilles.policies import greedy, random
from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.games.feuilles.sampling import sample
from fable_solve.solver.games.feuilles.sheet import NAMES, is_full
from fable_solve.solver.games.feuilles.worth import View, optimised, stored
from fable_solve.solver.registry import get
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import Match, finish, setup
from fable_solve.solver.rules import Layer, load_rules
from fable_solve.solver.study import Request

GAME = make_game(load_rules("feuilles").model, 1)


def at(leaf_total: int, roll: tuple[int, int, int], **zones: tuple[str, ...]) -> State:
    names = ("pumpkins", "lilies", "skewers", "mugs", "burrow", "mushrooms")
    state = GAME.initial_state()
    (sheet,) = state.sheets
    rows = tuple(zones.get(name, empty) for name, empty in zip(names, sheet.zones, strict=True))
    return State(5, roll, (), (replace(sheet, zones=rows, leaf_total=leaf_total),))


def frequencies(state: State, draws: int = 6000) -> Counter[Choice]:
    stream = Stream(7)
    return Counter(random(GAME, state, 0, stream) for _ in range(draws))


def check_probabilities(counts: Counter[Choice], expected: dict[Choice, float]) -> None:
    draws = sum(counts.values())
    assert set(counts) == set(expected)
    for choice, p in expected.items():
        assert abs(counts[choice] / draws - p) < 4 * sqrt(p * (1 - p) / draws) + 1e-12


def test_random_is_uniform_over_what_can_be_written() -> None:
    # (2,2,5) on an empty sheet: lily 2 or 5, and a 2 in any of three bottom cells: five, each 1/5
    expected = [Choice(2, 2, 5, 0), Choice(2, 5, 2, 0), *(Choice(5, 2, 2, cell) for cell in range(3))]
    check_probabilities(frequencies(at(0, (2, 2, 5))), dict.fromkeys(expected, 1 / 5))


def test_random_draws_the_joker_apart() -> None:
    # (1,1,1) and leaf total 10: a pumpkin with 1/2, then the joker over 15 cells
    spots = [
        (1, 0),
        (1, 1),
        (2, 0),
        (3, 0),
        (3, 1),
        *((4, c) for c in range(6)),
        (5, 0),
        (5, 1),
        (5, 2),
        (6, 0),
    ]
    expected = {Choice(1, 1, 1, cell, (spot,)): 1 / 30 for cell in (0, 1) for spot in spots}
    check_probabilities(frequencies(at(10, (1, 1, 1))), expected)


def test_random_passes_with_one_of_three_dice() -> None:
    # a full lily pond and burrow take neither 2 nor 5: the leaf is 2 with probability 2/3
    state = at(0, (2, 2, 5), lilies=("12345",), burrow=("123", "45", "6"))
    check_probabilities(frequencies(state), {Choice(0, 0, 2, -1): 2 / 3, Choice(0, 0, 5, -1): 1 / 3})


def test_greedy_takes_the_most_points() -> None:
    # the top of the burrow is worth 4 + 3 for the zone; a lily 1 and a skewer nothing
    state = at(0, (3, 5, 6), burrow=("142", "53", "-"))
    assert greedy(GAME, state, 0, Stream(0)) == Choice(5, 6, 3, 5)
    assert greedy(GAME, state._replace(closed=(5,)), 0, Stream(0)) == Choice(5, 6, 3, 5)


def test_greedy_counts_leaf_bonuses_and_jokers() -> None:
    # leaf 3 hits 21 for 2 points; every number scores 1 at most
    assert greedy(GAME, at(18, (2, 3, 5)), 0, Stream(0)).leaf == 3
    # leaf 3 hits 11: the joker takes mug 4 (2 points) and a bottom cell or lily 1
    choice = greedy(GAME, at(8, (2, 3, 5)), 0, Stream(0))
    assert (choice.leaf, choice.x) == (3, ((4, 3),))


def test_greedy_keeps_the_smallest_leaf_among_equals() -> None:
    # mushroom 6 with leaf 1 is one point, as is mushroom 1 with leaf 6
    assert greedy(GAME, at(0, (1, 6, 6)), 0, Stream(0)) == Choice(6, 6, 1, 0)


def test_greedy_draws_what_is_still_equal() -> None:
    # (5,5,5): three bottom cells alike
    choices = {greedy(GAME, at(0, (5, 5, 5)), 0, Stream(seed)).cell for seed in range(40)}
    assert choices == {0, 1, 2}


# An independent program gives random play 25.2 points under exact and 36.8 under reach (one decimal).
@pytest.mark.parametrize(("reading", "published"), [("exact", 25.2), ("reach", 36.8)])
def test_random_scores_as_an_independent_program_says(reading: str, published: float) -> None:
    rules = load_rules("feuilles", [Layer("test", {"leaf_bonus": reading})])
    block = setup(get("feuilles"), 1, ("random",), rules, seed=1).build().block(range(20_000))
    found = mean(block.scores[:, 0])
    assert abs(found.mean - published) < 4 * found.se + 0.05


def test_every_seat_scores_alike() -> None:
    # all seats play at the same time by the same policy, so any two differ by chance alone
    block = setup(get("feuilles"), 3, ("random",), load_rules("feuilles")).build().block(range(20_000))
    for seat in (1, 2):
        gap = mean(block.scores[:, seat] - block.scores[:, 0])
        assert abs(gap.mean) < 4 * gap.se


def test_greedy_beats_random() -> None:
    match = setup(get("feuilles"), 2, ("greedy", "random"), load_rules("feuilles")).build()
    wins = mean(match.block(range(4000)).win_shares[:, 0])
    # the scores are 9.8 points apart with a spread of 6.8: about 92 % of a normal distribution lies above 0
    assert wins.mean - 4 * wins.se > 0.9


# Means that a short experiment with tables of single zones alone reached in other hands.
@pytest.mark.parametrize(("reading", "least"), [("exact", 44.0), ("reach", 52.6)])
def test_optimised_scores_more_than_tables_of_single_zones(reading: str, least: float) -> None:
    rules = load_rules("feuilles", [Layer("test", {"leaf_bonus": reading})])
    found = mean(
        setup(get("feuilles"), 1, ("optimised",), rules, seed=11).build().block(range(20_000)).scores[:, 0]
    )
    assert found.mean - 4 * found.se > least


def test_optimised_beats_greedy() -> None:
    match = setup(get("feuilles"), 2, ("optimised", "greedy"), load_rules("feuilles"), seed=11).build()
    wins = mean(match.block(range(4000)).win_shares[:, 0])
    assert wins.mean - 4 * wins.se > 0.5


def test_learned_values_say_from_which_rules_and_how() -> None:
    # the command and its seed make the file again; a change of the shipped rules asks for a new one
    assert list(stored()["about"]) == [f"rules {load_rules('feuilles').digest}", "seed 0", "games 600000"]


def test_the_look_ahead_takes_what_is_worth_most_by_its_own_values() -> None:
    state = at(20, (2, 3, 5), lilies=("134--",))
    view, choice = View(GAME, state, 0), optimised(GAME, state, 0, Stream(0))
    worth = {
        made: value for value, made in (view.value(*one) for one in GAME.writings(view.sheet, (2, 3, 5)))
    }
    assert worth[choice] == max(worth.values())


def test_policies_are_those_of_the_description() -> None:
    assert tuple(get("feuilles").named_policies) == get("feuilles").policies


def request(players: tuple[int, ...], objective: str | None = None, seed: int = 0, **rules: Any) -> Request:
    data = load_rules("feuilles", [Layer("test", rules)])
    return Request(data, None, players, objective, seed, {"games": 30})


NONE = {"11": 0, "21": 0, "31": "X", "41": 3, "51": 0, "61": 0}
SAMPLES = [(("greedy",), {}), (("optimised", "greedy", "greedy"), {}),
           (("random", "random"), {"leaf_bonus": "reach", "leaf_bonuses": NONE}),
           (("greedy",) * 2, {"burrow_points": ((1,) * 5, (2,) * 4, (1,) * 3, (3,) * 2, (4,))})]  # fmt: skip


def final_sheets(match: Match, number: int) -> tuple[int, tuple[Sheet, ...]]:
    """(rounds, sheets) of a game that the rules play."""
    chance, seats = match.streams(number)
    end, _ = finish(match.game, match.game.initial_state(), match.policies, chance, seats)
    return end.round, end.sheets


@pytest.mark.parametrize(("policies", "rules"), SAMPLES)
def test_sheets_of_a_study_are_those_of_the_rules(policies: tuple[str, ...], rules: dict[str, Any]) -> None:
    run = setup(
        get("feuilles"), len(policies), policies, load_rules("feuilles", [Layer("test", rules)]), seed=4
    )
    match: Any = run.build()
    found, game = sample(run, "exact", 20, lambda games: None), match.game
    for number in range(20):
        rounds, sheets = final_sheets(match, number)
        for seat, sheet in enumerate(sheets):
            letters = "".join(row for rows in sheet.zones for row in rows)
            jokers = letters.count("X")
            over = any(other.leaf_total >= game.rules.leaf_target for other in sheets)
            passes = rounds - (len(letters) - letters.count("-") - jokers)
            expected = (game.score(sheet), rounds, over, sheet.leaf_points, jokers, passes)
            names = ("score", "rounds", "by_leaves", "leaf_points", "jokers", "passes")
            # jokers of wide zones are told from numbers by counting writings, so passes are right there, too
            assert tuple(found.column(name)[number, seat] for name in names) == expected
            for zone, name in enumerate(NAMES):
                rows = sheet.zones[zone]
                assert found.column(name)[number, seat] == game.rules.zones[zone].points(rows)
                assert found.column(f"full {name}")[number, seat] == is_full(rows)
                assert found.column(f"bonus {name}")[number, seat] == (zone + 1 in sheet.zone_bonus)


@pytest.mark.parametrize("players", [(1,), (1, 3)])
def test_study(players: tuple[int, ...]) -> None:
    calls: list[tuple[int, int | None]] = []
    asked = replace(request(players), progress=lambda done, total: calls.append((done, total)))
    result = studies.run(asked)
    assert calls[-1][0] == calls[-1][1]
    assert studies.run(request(players)).findings == result.findings
    kinds = Counter(finding.certificate.kind for finding in result.findings)
    # alone: scores of three policies, gain, length and ending of the strongest, two X, a rule for the end;
    # else all but the last three at both ends, the change of the score, and the wins among greedy rivals;
    # and a bound on everybody alone
    assert kinds == {"sampled": 9 if len(players) == 1 else 2 * 6 + 3 + 1 + 1, "exact": 1}
    tables = {table.name: table for table in result.tables}
    assert tables["zones"].frame.height == 6 * 6 * len(players)
    assert tables["seats"].frame.height == 6 * sum(players)
    for table in result.tables:
        assert set(table.columns) == set(table.frame.columns)
    # three dice show 56 rolls; what to do with them comes from learned values, not from these games
    assert tables["opening"].frame.height == 56
    for name in tables.keys() - {"opening", "zone_rounds", "jokers", "ending"}:
        # every sample has the games that were asked for, whatever its number of players
        assert set(tables[name].frame["games"]) == {30}
    names = {*tables, *(chart.name for chart in result.charts)}
    assert {name for section in result.sections for name in section.show} <= names


def test_conclusions_speak_of_the_players_asked() -> None:
    """Numbers of the sentences are those of the tables, for every player count, with their intervals."""
    result = studies.run(request((1, 2, 3)))
    frames = {table.name: table.frame for table in result.tables}
    text = " ".join([*result.summary, *(text for section in result.sections for text in section.paragraphs)])
    wanted = [(row["mean"], row["mean"] - row["half_width"], row["mean"] + row["half_width"])
              for row in frames["scores"].iter_rows(named=True)
              if (row["leaf_bonus"], row["players"]) == ("exact", 1)]  # fmt: skip
    wanted += [(row["gain"], row["low"], row["high"]) for row in frames["readings"].iter_rows(named=True)
               if (row["policy"], row["players"]) == ("optimised", 1)]  # fmt: skip
    assert len(wanted) == 3 + 1  # three policies, and what the other reading adds to the strongest
    for value, low, high in wanted:
        number = f"{value:.1f} ({low:.1f} to {high:.1f})"
        assert number in text.replace(" points", "")
    for row in frames["endings"].iter_rows(named=True):
        if row["leaf_bonus"] == "exact" and row["policy"] == "optimised":
            low, high = round(100 * row["low"]), round(100 * row["high"])
            assert f"{100 * row['ended_by_leaves']:.0f} % ({low} to {high} %)" in text
    assert "with 1, " in text and "with 3 players" in text
    change = next(
        finding for finding in result.findings if finding.name == "score, 3 players less 1 (optimised)"
    )
    means = {row["players"]: row["mean"] for row in frames["scores"].iter_rows(named=True)
             if (row["leaf_bonus"], row["policy"]) == ("exact", "optimised")}  # fmt: skip
    assert change.value == pytest.approx(means[3] - means[1], abs=1e-12)


def test_many_player_counts_are_named_by_their_ends() -> None:
    asked = replace(request((1, 2, 3, 4, 5)), options={"games": 10})
    result = studies.run(asked)
    assert len(result.findings) == 18
    assert "With 1 player " in result.summary[0] and "From 1 to 5 players " in result.summary[2]
    assert "with 1, " in (ends := ending_sentence(studies.gather(asked))) and "with 5 players" in ends


def test_a_change_of_players_has_the_interval_of_two_independent_means() -> None:
    found = studies.gather(replace(request((1, 2)), options={"games": 40}))
    first, last = (found.score(players, "greedy") for players in (1, 2))
    value, sure = found.change("greedy")
    assert sure.low is not None and sure.high is not None
    # variances of independent means add up; 1.96 standard errors are 95 % of a normal distribution
    width = 2 * 1.959964 * sqrt(first.sd**2 / 40 + last.sd**2 / 40)
    assert sure.high - sure.low == pytest.approx(width, rel=1e-6)
    assert value == pytest.approx(last.mean - first.mean)


@pytest.mark.parametrize("rules", [{}, {"leaf_bonus": "reach"}])
def test_the_report_assumes_what_the_rules_do(rules: dict[str, Any]) -> None:
    asked = replace(request((1,), **rules), options={"games": 10})
    result = studies.run(asked)
    assert [key for key, _ in result.assumptions] == asked.rules.assumed == []
    text = " ".join(paragraph for section in result.sections for paragraph in section.paragraphs)
    assert ("set for this run" if rules else "status implementation") in text
    assert "assumed: nothing; read off an implementation: leaf_bonus" in result.method[-1]


def test_study_counts_points_consistently() -> None:
    """Zones, leaf points and 3 a zone bonus add up to the mean score of every sample."""
    result = studies.run(request((2,)))
    frames = {table.name: table.frame for table in result.tables}
    for row in frames["scores"].iter_rows(named=True):

        def same(frame: Any, row: dict[str, Any] = row) -> Any:
            return frame.filter(
                (frame["leaf_bonus"] == row["leaf_bonus"]) & (frame["policy"] == row["policy"])
            )

        zones, leaves = same(frames["zones"]), same(frames["leaves"])
        total = zones["points"].sum() + 3 * zones["bonus"].sum() + leaves["leaf_points"].sum()
        assert total == pytest.approx(row["mean"], abs=1e-9)


def test_study_of_another_objective() -> None:
    with pytest.raises(BadInput, match="--objective: expected score"):
        studies.run(request((2,), "win"))
