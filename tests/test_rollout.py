"""Roll-outs: reproducible, independent of workers and of the length of the run, and right on average."""

from dataclasses import replace
from math import sqrt

import polars as pl
import pytest
import toys

from fable_solve.solver import registry, rollout
from fable_solve.solver.chance import sources
from fable_solve.solver.errors import BadInput
from fable_solve.solver.policy import uniform
from fable_solve.solver.rollout import (
    BLOCK,
    LEAST,
    Match,
    Setup,
    per_seat,
    play,
    setup,
    simulate,
    stream_keys,
    streams,
)
from fable_solve.solver.rules import load_rules
from fable_solve.solver.summary import summary


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


def played(game, policies, seed=0, number=0):
    return play(game, policies, *streams(game, number, seed, "test"))


def test_an_episode_counts_decisions_not_chance():
    # Race to 4 by steps of 1 or 2: always 1 takes four decisions, and seat 1 says 4.
    episode = played(toys.Race(4, 2), [lambda *_: 1] * 2)
    assert (episode.length, episode.win_shares, episode.ranks) == (4, (0.0, 1.0), (2, 1))
    assert not episode.stopped


def test_a_simultaneous_choice_is_one_decision():
    episode = played(toys.ROCK_PAPER_SCISSORS, [lambda *_: 2, lambda *_: 2])
    assert (episode.length, episode.scores, episode.win_shares, episode.ranks) == (
        1,
        (0, 0),
        (0.5, 0.5),
        (1, 1),
    )


def test_endless_play_is_stopped_and_shared(monkeypatch):
    monkeypatch.setattr(rollout, "MAX_DECISIONS", 100)
    game = toys.GraphToy({"start": (0, {"stay": "start", "leave": "x"})}, {"x": (1.0, -1.0)})
    episode = played(game, [lambda *_: "stay"] * 2)
    assert (episode.length, episode.stopped, episode.win_shares) == (100, True, (0.5, 0.5))


def test_uniform_play_of_kuhn_poker_is_worth_an_eighth():
    # By hand over the tree with every action at 1/2: passes are worth +-1 by the cards and cancel over the
    # deals, so does a call (+-2). What remains is folding: bet-fold pays seat 0 one with probability 1/4,
    # pass-bet-fold costs it one with probability 1/8: 1/4 - 1/8 = 1/8.
    game, games = toys.Kuhn(), 20_000
    total = sum(played(game, [uniform] * 2, 1, g).scores[0] for g in range(games))
    # A payoff is at most 2, so 4 standard errors are at most 8 / sqrt(n).
    assert total / games == pytest.approx(1 / 8, abs=8 / sqrt(games))


def test_a_longer_run_starts_with_the_shorter_one():
    short, long = simulate(PIG, 300), simulate(PIG, 700)
    assert long.episodes.head(600).equals(short.episodes)
    assert long.episodes.height == 1400


def test_blocks_do_not_matter(monkeypatch):
    whole = simulate(PIG, 600)
    monkeypatch.setattr(rollout, "BLOCK", 37)
    assert simulate(PIG, 600).episodes.equals(whole.episodes)


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
    before = simulate(PIG, run.games - BLOCK)
    assert before.half_width >= 0.025 or run.games == LEAST
    assert run.episodes.head(2 * before.games).equals(before.episodes)


def test_precision_never_ends_a_run_early():
    assert simulate(PIG, 10**9, precision=0.5).games == LEAST


def test_policies_are_one_for_all_or_one_a_seat():
    assert per_seat(["a"], 3) == ("a", "a", "a")
    assert per_seat(["a", "b"], 2) == ("a", "b")
    with pytest.raises(BadInput, match="expected 1 or 3 policies, got 2"):
        per_seat(["a", "b"], 3)


GAMES = [name for name in registry.names() if (registry._GAMES / name / "policies.py").exists()]


@pytest.mark.parametrize("name", GAMES)
def test_one_and_two_workers_give_the_same_table(name, monkeypatch):
    monkeypatch.setattr(rollout, "BLOCK", 8)
    spec = registry.get(name)
    run = setup(spec, spec.default_players, ["random"], load_rules(name))
    assert simulate(run, 27, jobs=2).episodes.equals(simulate(run, 27, jobs=1).episodes)


@pytest.mark.parametrize("name", GAMES)
def test_a_seats_policy_leaves_the_deal_in_place(name):
    # Chance has a stream of its own: the first outcomes of the game do not depend on who plays.
    spec = registry.get(name)
    data = load_rules(name)
    one = setup(spec, spec.default_players, ["random"], data).build()
    other = setup(spec, spec.default_players, ["greedy"], data).build()
    assert one.keys == other.keys
    assert len(set(one.keys)) == len(one.keys) == len(sources(one.game)) + one.game.players
    longer = setup(spec, spec.default_players, ["random"], data, seed=1).build()
    assert set(longer.keys).isdisjoint(one.keys)


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


@pytest.mark.parametrize("name", GAMES)
def test_unknown_policies_and_counts_are_bad_input(name):
    spec = registry.get(name)
    with pytest.raises(BadInput, match=r"--policies: .*nearest: random\), got 'randon'"):
        setup(spec, spec.default_players, ["randon"], load_rules(name))
    with pytest.raises(BadInput, match=r"--players: expected .* players, got 99"):
        setup(spec, 99, ["random"], load_rules(name))
