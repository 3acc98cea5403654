"""Runs: reproducible, the same for any workers, blocks, engine and interruption, and honest intervals."""

from dataclasses import replace
from math import sqrt

import numpy as np
import polars as pl
import pytest
import toys

from fable_solve.solver import registry, tally
from fable_solve.solver.blocks import Block, frame, from_frame
from fable_solve.solver.rollout import Match, Setup, setup, stream_keys
from fable_solve.solver.rules import Layer, load_rules
from fable_solve.solver.simulation import BLOCK, LEAST, Look, Plan, block_size, simulate
from fable_solve.solver.summary import summary

GAMES = [name for name in registry.names() if (registry._GAMES / name / "policies.py").exists()]


class ToySetup(Setup):
    """A run of Pig to 12 in which seat 0 holds at 4 and seat 1 never before the end."""

    by_points = False

    def build(self):
        game = toys.Pig(12)
        return Match(game, ("hold4", "greed"), (hold_at(4), hold_at(12)), stream_keys(game, self.seed, "pig"))


def hold_at(total):
    def policy(game, state, seat, stream):
        own, _, turn, _, _ = state
        return "hold" if turn >= min(total, game.target - own) else "roll"

    return policy


PIG = ToySetup("pig", 2, ("hold4", "greed"), None, None, 11)


def test_a_longer_run_starts_with_the_shorter_one():
    short, long = simulate(PIG, 300), simulate(PIG, 700)
    assert long.episodes.head(600).equals(short.episodes)
    assert long.episodes.height == 1400


def test_blocks_do_not_matter():
    whole = simulate(PIG, 600)
    assert simulate(PIG, 600, plan=Plan(block=37)).episodes.equals(whole.episodes)


def test_another_seed_plays_other_games():
    assert not simulate(replace(PIG, seed=12), 100).episodes.equals(simulate(PIG, 100).episodes)


def test_the_table_is_consistent():
    frame = simulate(PIG, 500).episodes
    assert frame.columns == ["episode", "seat", "policy", "score", "rank", "win_share", "length", "stopped"]
    by_episode = frame.group_by("episode").agg(pl.col("win_share").sum(), pl.col("rank").min(), pl.len())
    assert (by_episode["win_share"] == 1.0).all()
    assert (by_episode["rank"] == 1).all()
    assert (by_episode["len"] == 2).all()
    assert frame["policy"].to_list()[:2] == ["hold4", "greed"]


def test_precision_ends_a_run_at_the_first_block_that_reaches_it():
    run = simulate(PIG, 10**9, precision=0.025)
    assert run.half_width < 0.025
    assert run.games % BLOCK == 0
    assert run.games >= LEAST
    before = simulate(PIG, run.games - BLOCK, precision=1e-9)
    assert before.half_width >= 0.025 or run.games == LEAST
    assert run.episodes.head(2 * before.games).equals(before.episodes)


def test_precision_never_ends_a_run_early():
    assert simulate(PIG, 10**9, precision=0.5).games == LEAST


@pytest.mark.parametrize("precision", [1e-300, 1e-9])
def test_no_precision_is_too_fine_to_be_asked_for(precision):
    looks = list[Look]()
    simulate(PIG, 2 * LEAST, precision=precision, progress=looks.append)
    assert [look.total for look in looks[-2:]] == [2 * LEAST] * 2


def test_a_score_that_never_changes_ends_a_run():

    square = setup(
        registry.get("butterfly"),
        2,
        ["random"],
        load_rules("butterfly", [Layer("test", {"square": {"2": 1}})]),
    )
    run = simulate(square, 10**6, precision=0.05, keep=False)
    assert run.half_width < 0.05
    assert run.games < 10**6


def test_policies_that_think_long_are_stopped_sooner_and_kept_in_smaller_blocks():
    rules = load_rules("butterfly")
    sizes = [
        block_size(setup(registry.get("butterfly"), 2, names, rules).build(), Plan())
        for names in (["greedy"], ["search@64", "greedy"], ["search@1000000"])
    ]
    assert sizes == [16_384, 256, 16]


@pytest.mark.parametrize("name", GAMES)
def test_one_and_two_workers_give_the_same_table(name):
    spec = registry.get(name)
    run = setup(spec, spec.default_players, ["random"], load_rules(name))
    assert simulate(run, 27, plan=Plan(2, 8)).episodes.equals(simulate(run, 27, plan=Plan(1)).episodes)


@pytest.mark.parametrize("name", GAMES)
def test_a_summary_says_what_the_contract_says(name):
    spec = registry.get(name)
    run = setup(spec, spec.default_players, ["random"], load_rules(name), seed=5)
    document = summary(simulate(run, 20)).document
    assert {"game", "players", "policies", "games", "seats", "length"} <= document.keys()
    assert (document["game"], document["games"], document["policies"]) == (name, 20, ["random"])
    for number, seat in enumerate(document["seats"]):
        assert list(seat["quantiles"]) == ["5", "25", "50", "75", "95"]
        assert (seat["seat"], seat["policy"]) == (number, "random")
        assert seat["win_low"] <= seat["win"] <= seat["win_high"]
        assert seat["se"] == pytest.approx(seat["sd"] / sqrt(20))
    assert sum(seat["win"] for seat in document["seats"]) == pytest.approx(1.0)
    assert {"mean", "se"} <= document["length"].keys()


BLOCK_OF_THREE = Block(
    10,
    np.array([[4.0, 4.0], [-2.5, 7.0], [0.0, 1.0]]),
    np.array([[2, 2], [0, 1], [0, 1]], np.int8),
    np.array([[1, 1], [2, 1], [2, 1]], np.int8),
    np.array([5, 6, 5], np.int32),
    np.array([False, False, True]),
    np.zeros((3, 0), np.uint64),
)
"""A shared win, a score that is no whole number, and a game that was stopped."""


def test_a_tally_counts():
    counts = tally.tally(BLOCK_OF_THREE)
    assert counts.games == 3
    assert counts.stopped == 1
    assert counts.lengths.document() == {"5": 2, "6": 1}
    assert counts.scores[0].document() == {"-5/2": 1, "0": 1, "4": 1}
    # Seat 1: a shared win and two of its own: (1/2 + 1 + 1) / 3.
    assert counts.win(1).mean == pytest.approx(2.5 / 3)
    assert (counts + counts).win(1).mean == counts.win(1).mean
    assert (counts + counts).games == 6


def test_tables_give_back_what_they_were_made_of():
    counts = tally.tally(BLOCK_OF_THREE)
    assert tally.from_frame(tally.frame(counts)) == counts
    assert tally.tally(from_frame(frame(BLOCK_OF_THREE, ("a", "b")))) == counts


def test_a_run_that_could_have_ended_elsewhere_has_wider_intervals():
    run = setup(registry.get("feuilles"), 2, ["random"], load_rules("feuilles"))
    plain, open_ended = simulate(run, 4096), simulate(run, 4096, precision=1e-6)
    assert plain.tally == open_ended.tally
    # Confidence sequences are at least 3.035 standard errors wide, intervals for one number of games 1.96.
    assert open_ended.half_width > 1.5 * plain.half_width
    assert (plain.sequential, open_ended.sequential) == (False, True)
    seat, other = (summary(made).document["seats"][0] for made in (plain, open_ended))
    assert other["win_low"] < seat["win_low"] < seat["win_high"] < other["win_high"]


@pytest.mark.parametrize("name", GAMES)
def test_threads_and_processes_play_the_same_games(name):
    # The compiled play-outs in threads, and the rules in processes.
    run = setup(registry.get(name), registry.get(name).default_players, ["greedy"], load_rules(name), seed=3)
    threads = simulate(run, 40, plan=Plan(2, 8))
    rules = replace(run.build(), compiled=None)
    assert threads.episodes.equals(frame(rules.block(range(40)), rules.names))
