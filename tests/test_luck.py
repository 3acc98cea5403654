"""Variance decomposition: known indices of a toy game, properties, and what rules and streams say of them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
import toys

from fable_solve.solver import registry
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL, Draw
from fable_solve.solver.luck import CHANCE as ALL_CHANCE
from fable_solve.solver.luck import PLAY, agreement, by_chance, effects, groups, luck
from fable_solve.solver.policy import uniform
from fable_solve.solver.rollout import Match, setup, stream_keys
from fable_solve.solver.rules import load_rules
from fable_solve.solver.sampling import Rekeyed, rekeyed, sample


@dataclass(frozen=True)
class Sums(toys.Toy):
    """Two dice, a coin, and a number from each seat; seat 0 scores ``2 a + b c``, seat 1 what it names.

    a and b are units -1, 1 (variance 1), c is what seat 0 names, also -1 or 1. State: what was drawn so far.
    """

    sources = ("dice", "coin", "spare")
    return_bounds = (-9.0, 9.0)

    def initial_state(self):
        return ()

    def player_to_move(self, state):
        return (CHANCE, CHANCE, SIMULTANEOUS, TERMINAL)[min(len(state), 3)]

    def chance_draw(self, state):
        return Draw(("dice", "coin")[len(state)], (-1, 1))

    def legal_actions(self, state, seat):
        return (-1, 1)

    def successor(self, state, action):
        return (*state, action)

    def scores(self, state):
        if len(state) < 3:
            return 0.0, 0.0
        a, b, (c, d) = state
        return float(2 * a + b * c), float(d)

    def returns(self, state):
        return self.scores(state)


class SumsRun(Rekeyed):
    by_points = True

    @cached_property
    def _match(self):
        game = Sums()
        return Match(game, ("u", "u"), (uniform, uniform), stream_keys(game, self.seed, "sums"))


RUN = SumsRun("sums", 2, ("u",), None, None, 3)


def test_indices_of_a_sum_with_an_interaction():
    # Var(2a + bc) = 4 + 1, Var(d) = 1, in all 6. Alone: dice (a) 4/6, coin (b) 0, play (c, d) 1/6 (d only).
    # In all: dice 4/6, coin 1/6 (bc), play 2/6 (bc and d), spare nothing. Chance together: 4/6, in all 5/6.
    found = {effect.group: effect for effect in luck(RUN, 4000, jobs=1).points}
    assert list(found) == ["dice", "coin", "spare", PLAY, ALL_CHANCE]
    for group, alone, in_all in [
        ("dice", 4 / 6, 4 / 6),
        ("coin", 0, 1 / 6),
        ("spare", 0, 0),
        (PLAY, 1 / 6, 2 / 6),
        (ALL_CHANCE, 4 / 6, 5 / 6),
    ]:
        for one, true in ((found[group].alone, alone), (found[group].in_all, in_all)):
            # Within 4 standard errors; the interval is 1.96.
            assert abs(one.value - true) <= 4 / 1.96 * one.half_width + 1e-12, (group, one, true)
            assert one.half_width < 0.05
    # Spare changed no game. The points differ by 3 from their mean at most, more than one game in 4000 might.
    assert found["spare"].in_all.value == 0 < found["spare"].in_all.half_width < 0.01


def test_chance_alone_by_two_runs_is_chance_alone_by_all():
    part = by_chance(RUN, 1000, jobs=1)
    (same,) = [effect for effect in luck(RUN, 1000, jobs=1).points if effect.group == ALL_CHANCE]
    assert part.interval() == same.alone


def test_agreement_is_the_correlation_where_both_runs_have_the_same_moments():
    # numpy's correlation centres each run by itself; with 10^5 normal pairs of correlation 0.6 both agree.
    rng = np.random.default_rng(1)
    y, e = rng.standard_normal((2, 100_000, 1))
    z = 0.6 * y + 0.8 * e
    part = agreement(y, z)
    assert part.value == pytest.approx(np.corrcoef(y[:, 0], z[:, 0])[0, 1], abs=2e-3)
    # The standard error of a normal correlation is (1 - r^2) / sqrt(n); pooled variances change it little.
    assert part.interval().half_width == pytest.approx(1.96 * 0.64 / np.sqrt(100_000), rel=0.1)
    assert part.influence.mean() == pytest.approx(0, abs=1e-12)


def test_intervals_cover():
    # 300 samples of 500 pairs of correlation 0.3: a 95 % interval misses 15 times; 5 standard errors are 19.
    rng = np.random.default_rng(2)
    missed = 0
    for _ in range(300):
        y, e = rng.standard_normal((2, 500, 1))
        found = agreement(y, 0.3 * y + np.sqrt(1 - 0.09) * e).interval()
        missed += not found.low <= 0.3 <= found.high
    assert missed <= 15 + 19


def test_results_that_are_rare_leave_room_for_pairs_not_met():
    # One seat loses 1 game in 1000; two independent runs of 20,000 mostly have none in common.
    # A share of a variance of truly 0 must not lie outside the interval for that.
    rng = np.random.default_rng(4)
    for _ in range(20):
        first, second = (rng.random((20_000, 1)) < 0.001).astype(float), (rng.random((20_000, 1)) < 0.001)
        found = agreement(first, second.astype(float)).interval()
        assert found.low <= 0 <= found.high


def test_nothing_is_said_of_results_that_never_vary():
    same = np.ones((10, 2))
    assert agreement(same, same) is None
    assert not list(effects(same, same, {"dice": same}))


def test_only_the_asked_streams_are_replaced():
    run = rekeyed(setup(registry.get("butterfly"), 3, ["random"], load_rules("butterfly")))
    assert groups(run) == {"deal": (0,), "bag": (1,), "start": (2,), PLAY: (3, 4, 5)}
    fresh = Rekeyed(run.game, run.players, run.policies, run.rules, run.mode, run.seed, (1, 4))
    kept = [a == b for a, b in zip(run.build().keys, fresh.build().keys, strict=True)]
    assert kept == [True, False, True, True, False, True]
    assert len(set(run.build().keys + fresh.build().keys)) == 8


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_sample_is_the_run_whatever_the_workers(jobs):
    run = setup(registry.get("feuilles"), 2, ["greedy"], load_rules("feuilles"))
    told = list[int]()
    block = sample(run, range(100, 300), jobs, told.append)
    assert (block.scores == run.build().block(range(100, 300)).scores).all()
    assert (block.first, block.games, sum(told)) == (100, 200, 200)


def test_dice_are_all_the_luck_of_a_solo_game_without_random_choices():
    # "optimised" draws nothing: games with the same dice are the same, to the last point.
    run = rekeyed(setup(registry.get("feuilles"), 1, ["optimised"], load_rules("feuilles")))
    found = luck(run, 200)
    parts = {effect.group: (effect.alone.value, effect.in_all.value) for effect in found.points}
    assert parts["dice"][0] == 1
    assert parts[PLAY][1] == 0
    assert not found.wins  # a solo game is always won
