"""Games compared: the numbers are those of simulate, intervals hold together, changes are paired."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
import toys

from fable_solve.solver import registry
from fable_solve.solver.balance import Plan, balance, counts_of, needed, setups, together
from fable_solve.solver.balance_report import balance_result
from fable_solve.solver.course import changes as lead_changes
from fable_solve.solver.course import course
from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import wilson
from fable_solve.solver.measures import lead, measure, measures
from fable_solve.solver.rollout import Match, play, setup, stream_keys
from fable_solve.solver.rules import load_rules, parse_setting
from fable_solve.solver.sampling import sample
from fable_solve.solver.simulation import simulate
from fable_solve.solver.summary import summary
from fable_solve.solver.variants import changes

SMALL = Plan(games=300, paired=40, watched=2)


def cells(name, players=None, policies=("random",)):
    spec = registry.get(name)
    return setups(spec, counts_of(spec, players), policies, load_rules(name), spec.modes or (None,), 0)


@pytest.mark.parametrize("name", registry.names())
def test_every_game_is_compared_as_it_is_simulated(name):
    spec = registry.get(name)
    run = cells(name, [max(2, spec.default_players)])[-1]
    found = balance([run], SMALL)
    (cell,) = found.cells
    seats = summary(simulate(run, 300)).document["seats"]
    assert [cell.win(k, found.z).mean for k in range(cell.seats)] == [seat["win"] for seat in seats]
    assert [cell.score(k, found.z).value for k in range(cell.seats)] == [seat["score"] for seat in seats]
    assert cell.means["first_seat"].mean == pytest.approx(seats[0]["win"])
    assert cell.advantage() == pytest.approx(seats[0]["win"] * cell.seats - 1)
    apart = [abs(seat["win"] * cell.seats - 1) for seat in seats]
    assert abs(cell.advantage(cell.uneven)) == pytest.approx(max(apart))


def test_a_game_of_two_sides_is_one_cell_whatever_the_counts():
    assert [run.players for run in cells("chenille", [3, 4, 5])] == [3]
    assert [run.players for run in cells("butterfly", [3, 4])] == [3, 4]
    assert [(run.mode, run.players) for run in cells("cigale", [2, 4])] == [
        ("automne", 2), ("automne", 4), ("hiver", 2), ("hiver", 4),
    ]  # fmt: skip
    with pytest.raises(BadInput, match=r"2 to 5 players \(butterfly\), got 1"):
        counts_of(registry.get("butterfly"), [1])


def test_intervals_that_hold_together():
    # One interval: the usual 1.96. A hundred: each misses with 0.05 %, so 3.4808 (normal quantile 0.99975).
    assert together(1) == pytest.approx(1.959964)
    assert together(100) == pytest.approx(3.480756, abs=1e-6)
    for z in (1.96, 3.9):
        n = needed(z)
        assert wilson(0.5, n, z).half_width <= 0.005 < wilson(0.5, n - 2, z).half_width


def test_measures_of_three_games():
    run = setup(registry.get("butterfly"), 3, ["random"], load_rules("butterfly"))
    block = sample(run, range(200))
    found = measures(3, by_points=True)
    scores = block.scores
    assert list(found) == ["first_seat", "win.0", "win.1", "win.2", "ties", "mean", "gap", "spread", "length"]
    for game in range(5):
        ordered = sorted(scores[game], reverse=True)
        own = {name: one.of(block)[game] for name, one in found.items()}
        assert own["spread"] == ordered[0] - ordered[1]
        assert own["gap"] == pytest.approx(scores[game, 0] - (scores[game, 1] + scores[game, 2]) / 2)
        assert own["mean"] == pytest.approx(sum(scores[game]) / 3)
        assert own["length"] == block.lengths[game]
        assert own["ties"] == (0 < own["first_seat"] < 1 or 0 < own["win.1"] < 1)
    assert sum(lead(block, seat) for seat in range(3)) == pytest.approx(np.zeros(200), abs=1e-9)
    with pytest.raises(BadInput, match="nearest: gap"):
        measure("gaps", 3, by_points=True)
    assert list(measures(1, by_points=True)) == ["mean", "length"]
    assert "gap" not in measures(2, by_points=False)


def test_the_course_of_a_race():
    # Race to 5 by steps of 1 or 2; every mover has min(2, what is left) options, and scores stay level.
    game = toys.Race(5, 2)

    def ones(game, state, seat, stream):
        return 1

    match = Match(game, ("1", "1"), (ones, ones), stream_keys(game, 0, "race"))
    seen = course(match, 0)
    assert seen.options == (2, 2, 2, 2, 1)
    # Nobody leads until the end, when seat 0 has won: a first leader takes the lead from nobody.
    assert seen.leads == 0
    assert seen.ending == "end"
    assert lead_changes([0, 1, 1, 0]) == 2


@pytest.mark.parametrize("name", registry.names())
def test_a_watched_game_is_the_game_itself(name):
    run = cells(name)[0]
    match = run.build()
    played = play(match.game, match.policies, *match.streams(4))
    seen = course(match, 4)
    # Each decision is one choice of a seat, or of as many seats as choose at once.
    assert played.length <= len(seen.options) <= played.length * match.game.players


def test_the_stronger_seat_gains():
    spec, rules = registry.get("butterfly"), load_rules("butterfly")
    runs = setups(spec, (2,), ("random", "greedy"), rules, (None,), 0)
    found = balance(runs, replace(SMALL, paired=400, watched=0))
    (step,) = found.steps
    # The same by hand: greedy at seat 0, then at seat 1, each 400 games of the same numbers.
    won = [simulate(setup(spec, 2, names, rules), 400).tally.win(seat).mean
           for seat, names in enumerate((["greedy", "random"], ["random", "greedy"]))]  # fmt: skip
    assert step.win.mean == pytest.approx(sum(won) / 2)
    assert step.times == pytest.approx(sum(won))
    # of 2 seats: 0 at half of the wins, 1 at all of them
    assert step.edge == pytest.approx(2 * (sum(won) / 2) - 1)
    assert step.win.n == 400


def test_levels_of_another_cell_are_no_step():
    runs = [*cells("butterfly", [2]), *cells("butterfly", [3], ["greedy"]), *cells("feuilles", [2])]
    assert balance(runs, SMALL).steps == ()


def test_a_change_is_the_difference_of_two_runs():
    run = cells("butterfly", [2], ["greedy"])[0]
    other = replace(run, rules=load_rules("butterfly", [parse_setting("nets=none")]))
    plan = Plan(games=500, paired=0)
    found = {one.measure: one for one in changes([(run, other)], plan)}
    first, second = (sample(one, range(500)) for one in (run, other))
    for name, one in measures(2, by_points=True).items():
        if name != "win.0":
            x, y = one.of(first), one.of(second)
            assert found[name].first == pytest.approx(x.mean())
            assert found[name].second == pytest.approx(y.mean())
            # Seven measures and luck hold together: each at the normal quantile of 1 - 0.025 / 8.
            reach = together(8) * np.std(y - x, ddof=1) / sqrt(500)
            assert found[name].change.value == pytest.approx((y - x).mean())
            assert found[name].change.half_width == pytest.approx(reach)
    assert len(found) == 7
    assert found["mean"].factor > 2  # measured 3.95: the same tiles are dealt to both


def test_a_rule_that_is_what_it_was_changes_nothing():
    run = cells("butterfly", [2], ["greedy"])[0]
    same = replace(run, rules=load_rules("butterfly", [parse_setting("nets=four")]))
    for one in changes([(run, same)], Plan(games=50, paired=50)):
        assert (one.change.low, one.change.value, one.change.high) == (0, 0, 0)


def test_results_that_never_vary_have_no_luck():
    """Seats that fill the same sheet share every win: a third each, whatever chance does."""
    runs = cells("feuilles", [3], ["optimised"])
    (cell,) = balance(runs, Plan(games=20, paired=20)).cells
    assert cell.luck is not None
    assert cell.luck.wins == ()
    assert {effect.group for effect in cell.luck.points} >= {"dice", "all chance"}
    # no random number decides what `search` does, and of one game there is no variance either
    runs = cells("butterfly", [2], ["search"])
    found = balance(runs, Plan(games=2, paired=2))
    result = balance_result(found, [load_rules("butterfly")], 0, "", {})
    assert result.summary[0].startswith("Least fair: butterfly 2 search")


def test_several_games_stand_in_one_result():
    runs = [*cells("feuilles", [1, 2]), *cells("chenille")]
    rules = [load_rules("feuilles"), load_rules("chenille")]
    result = balance_result(balance(runs, SMALL), rules, 0, "", {})
    assert result.game == "feuilles, chenille"
    assert "chenille.discards" in result.rules["assumed"]
    assert result.summary[0].startswith("Least fair: chenille random, where Guepe wins 9")
    assert [finding.name for finding in result.findings] == [
        "score (feuilles 1 random)",
        "win share of the first seat (feuilles 2 random)",
        "win share of the first seat (chenille random)",
    ]
    names = {table.name for table in result.tables}
    assert {"balance", "seats", "luck", "course", "endings", "cells"} == names
    shown = {name for section in result.sections for name in section.show}
    assert shown <= names | {chart.name for chart in result.charts}
    first, uneven, *luck = result.charts
    assert [series.label for series in first.series] == ["feuilles", "chenille"]
    assert uneven.name.startswith("uneven_")
    assert [chart.name for chart in luck] == ["luck_win", "luck_points"]
    shares = next(table for table in result.tables if table.name == "luck").frame
    for chart in luck:
        sums: dict[object, float] = {}
        for series in chart.series:
            for label, share in zip(series.x, series.y, strict=True):
                sums[label] = sums.get(label, 0.0) + share
        assert sums == pytest.approx(dict.fromkeys(sums, 1.0))
        assert len(sums) <= shares["cell"].n_unique()
