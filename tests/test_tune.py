"""Sweeps: how values are written, the same games for all settings, and giving up only what is farther off."""

from functools import cached_property

import numpy as np
import pytest
import toys

from fable_solve.solver import registry
from fable_solve.solver.errors import BadInput
from fable_solve.solver.measures import measure
from fable_solve.solver.rollout import Match, Setup, setup, stream_keys
from fable_solve.solver.rules import load_rules, parse_setting
from fable_solve.solver.sampling import sample
from fable_solve.solver.tune import FIRST, MOST, Goal, Param, Setting, grid, parse_param, split, tune
from fable_solve.solver.tune_report import tune_result


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("1,2,3", ["1", "2", "3"]),
        ("[1,2],[3]", ["[1,2]", "[3]"]),
        ("{a=1,b=[2,3]}, four", ["{a=1,b=[2,3]}", " four"]),
        ("'a,b',\"c]\",'d[',e", ["'a,b'", '"c]"', "'d['", "e"]),
        ("1,", ["1", ""]),
        ("", [""]),
    ],
)
def test_values_part_at_commas_outside_lists_tables_and_strings(text, parts):
    assert split(text) == parts


@pytest.mark.parametrize("text", ["ants", "ants=", "=1", "ants=1,,2", "ants=1,"])
def test_what_is_no_parameter(text):
    with pytest.raises(BadInput, match="--param: expected KEY=V1,V2"):
        parse_param(text)


def test_a_grid_is_every_combination():
    params = [parse_param("a=1,2,1"), parse_param("b.c=x,y")]
    assert params[0] == Param("a", ("1", "2"))
    assert grid(params) == [
        {"a": "1", "b.c": "x"}, {"a": "1", "b.c": "y"}, {"a": "2", "b.c": "x"}, {"a": "2", "b.c": "y"},
    ]  # fmt: skip
    with pytest.raises(BadInput, match="each key once, got a twice"):
        grid([params[0], params[0]])
    with pytest.raises(BadInput, match=f"at most {MOST} settings, got 1600"):
        grid([Param("a", tuple(map(str, range(40)))), Param("b", tuple(map(str, range(40))))])


class Coin(Setup):
    """Seat 0 wins with the probability that stands for the rule data, by the seats' streams alone."""

    by_points = False

    @cached_property
    def _match(self):
        game = toys.MatrixToy(((1.0, -1.0),))

        def lucky(game, state, seat, stream):
            # The same uniform number for every probability: common random numbers.
            return 0 if seat == 0 else int(stream.uniform() >= self.rules)

        return Match(game, ("c", "c"), (lucky, lucky), stream_keys(game, self.seed, "coin"))


def coins(*shares, target=0.5, games=4096):
    runs = [({"p": str(share)}, Coin("coin", 2, ("c",), share)) for share in shares]
    goal = Goal(measure("first_seat", 2, by_points=False), target, len(runs))
    return tune([Param("p", tuple(map(str, shares)))], runs, goal, games, jobs=1)


def test_the_nearest_is_found_and_the_farther_are_given_up():
    found = coins(0.2, 0.45, 0.54, 0.9)
    assert [setting.open for setting in found.settings] == [False, True, True, False]
    assert found.nearest in found.settings[1:3]
    assert [setting.games for setting in found.settings] == [FIRST, 4096, 4096, FIRST]
    for setting, share in zip(found.settings, (0.2, 0.45, 0.54, 0.9), strict=True):
        level = found.goal.level(setting)
        assert level.low <= share <= level.high


def test_settings_are_compared_on_the_same_games():
    # On common numbers a setting of 0.52 wins whatever one of 0.5 wins: the difference is 0 or 1.
    found = coins(0.5, 0.52, target=0.3)
    first, second = (setting.samples[:FIRST] for setting in found.settings)
    assert set(np.unique(second - first)) == {0.0, 1.0}
    # Pairs tell them apart, although their own intervals overlap.
    assert [setting.open for setting in found.settings] == [True, False]
    assert found.goal.level(found.settings[0]).high > found.goal.level(found.settings[1]).low


def test_two_on_either_side_of_the_target_stay_open():
    # 0.4 and 0.6 are equally far from 0.5: neither may be given up for sure, whatever the number of games.
    found = coins(0.4, 0.6)
    assert all(setting.open for setting in found.settings)


def test_looking_early_does_not_lie():
    # 100 sweeps of two equally near settings, three looks each: at most 5 % are wrong (2 expected at most by
    # the half of the alpha that pairs have); 10 would be 5 standard errors of a chance of 2.5 %.
    goal = Goal(measure("first_seat", 2, by_points=False), 0.5, 2)
    rng, wrong = np.random.default_rng(4), 0
    for _ in range(100):
        draws = rng.random((2, 4096))
        one = [Setting({}, None, (draws[0] < 0.45)[:n].astype(float)) for n in (1024, 2048, 4096)]
        two = [Setting({}, None, (draws[1] < 0.55)[:n].astype(float)) for n in (1024, 2048, 4096)]
        wrong += any(goal.hopeless(a, b) or goal.hopeless(b, a) for a, b in zip(one, two, strict=True))
    assert wrong < 10


def test_hopeless_is_the_sign_of_the_squares():
    # (m_i - x)^2 > (m_j - x)^2, tried for means far enough apart to be told by 4,096 games.
    rng = np.random.default_rng(5)
    goal = Goal(measure("first_seat", 2, by_points=False), 0.4, 2)
    for p, q in [(0.1, 0.3), (0.3, 0.1), (0.9, 0.3), (0.3, 0.9), (0.2, 0.9), (0.9, 0.6)]:
        i, j = (Setting({}, None, (rng.random(4096) < share).astype(float)) for share in (p, q))
        assert goal.hopeless(i, j) == ((p - 0.4) ** 2 > (q - 0.4) ** 2)


def swept(key, values, metric, target, players=2, games=FIRST, **options):
    spec = registry.get(options.pop("game"))
    runs = [
        ({key: value}, setup(spec, players, ["greedy"],
                             load_rules(spec.name, [parse_setting(f"{key}={value}")]), **options))
        for value in values
    ]  # fmt: skip
    first = runs[0][1]
    goal = Goal(measure(metric, first.build().game.players, first.by_points), target, len(runs))
    return tune([Param(key, tuple(values))], runs, goal, games)


@pytest.mark.parametrize(
    ("game", "key", "values", "metric", "options"),
    [
        ("chenille", "deck.envol", ("0", "2", "4"), "win.1", {}),
        ("butterfly", "nets", ("none", "[[0, 1], [2, 2]]"), "gap", {}),
        ("cigale", "prices.red", ("RRNN", "RN"), "length", {"mode": "hiver"}),
    ],
)
def test_games_are_tuned_by_what_is_played(game, key, values, metric, options):
    found = swept(key, values, metric, 0.5, game=game, **options)
    for setting in found.settings:
        block = sample(setting.run, range(setting.games))
        assert setting.mean == pytest.approx(found.goal.measure.of(block).mean())
    result = tune_result(found, load_rules(game), "", {})
    assert len(result.findings) == len(values)
    states = result.tables[0].frame["state"].to_list()
    assert states.count("nearest") == 1
    assert result.charts[0].kind == ("line" if key == "deck.envol" else "bar")
    assert result.findings[0].name.endswith(f"({found.nearest.label})")


def test_a_longer_sweep_starts_with_the_shorter_one():
    short, long = (
        swept("nets", ("none", "four"), "gap", 0.0, game="butterfly", games=n) for n in (1024, 3000)
    )
    assert (long.settings[0].samples[:1024] == short.settings[0].samples).all()
    assert long.settings[0].games == 3000
