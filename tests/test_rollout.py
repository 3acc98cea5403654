"""One play: what an episode counts, whose random numbers it uses, and that it is right on average."""

from itertools import permutations
from math import sqrt

import pytest
import toys

from fable_solve.cli.main import run as fable_solve
from fable_solve.solver import registry, rollout
from fable_solve.solver.chance import sources
from fable_solve.solver.errors import BadInput
from fable_solve.solver.policy import uniform
from fable_solve.solver.rollout import per_seat, play, setup, streams
from fable_solve.solver.rules import Layer, load_rules


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


def shuffled(units, seed):
    """A pile of ``units`` to its end, off which some cards may be taken unseen by chance."""
    game = toys.Urn(units)
    chance, _ = streams(game, 0, seed, "pile")
    state, drawn = game.initial_state(), []
    while state:
        drawn.append(chance.outcome(game, state))
        state = game.successor(state, drawn[-1])
    return drawn


def test_a_pile_lies_shuffled():
    # Each of the 3! orders of three cards has probability 1/6: in 6,000 piles 1,000 +- 29 (one sd).
    orders = [tuple(shuffled((0, 1, 2), seed)) for seed in range(6000)]
    for order in permutations((0, 1, 2)):
        assert abs(orders.count(order) - 1000) < 4 * 29


def test_a_pile_that_is_not_the_one_expected_is_shuffled_anew():
    game = toys.Urn((0, 1, 2))
    chance, _ = streams(game, 0, 5, "pile")
    assert chance.outcome(game, (0, 1, 2)) in (0, 1, 2)
    assert chance.outcome(game, (7, 8)) in (7, 8)


def test_other_rules_meet_the_same_deal():
    # The first card off a pile depends on its source and the seed alone; policies and rule data have no part.
    spec = registry.get("butterfly")
    runs = [
        setup(spec, 2, policies, load_rules("butterfly", layers), seed=2)
        for policies in (["random"], ["greedy"])
        for layers in ((), (Layer("test", {"nets": "none"}),))
    ]
    boards = []
    for run in runs:
        match = run.build()
        chance, _ = match.streams(3)
        state = match.game.initial_state()
        while len(state.board) < 36:
            state = match.game.successor(state, chance.outcome(match.game, state))
        boards.append(state.board)
    assert len(set(boards)) == 1


def test_policies_are_one_for_all_or_one_a_seat():
    assert per_seat(["a"], 3) == ("a", "a", "a")
    assert per_seat(["a", "b"], 2) == ("a", "b")
    with pytest.raises(BadInput, match="expected 1 or 3 policies, got 2"):
        per_seat(["a", "b"], 3)


GAMES = [name for name in registry.names() if (registry._GAMES / name / "policies.py").exists()]


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
def test_unknown_policies_and_counts_are_bad_input(name):
    spec = registry.get(name)
    with pytest.raises(BadInput, match=r"--policies: .*nearest: random\), got 'randon'"):
        setup(spec, spec.default_players, ["randon"], load_rules(name))
    with pytest.raises(BadInput, match=r"--players: expected .* players, got 99"):
        setup(spec, 99, ["random"], load_rules(name))


@pytest.mark.parametrize(
    ("game", "mode", "settings", "played"),
    [
        ("chenille", None, {"caterpillars": 1}, False),  # 5 butterflies cannot be reached: over at once
        ("chenille", None, {"caterpillars": 5}, True),
        (
            "cigale",
            "automne",
            {"ants": 16, "chain_rule": "strict"},
            False,
        ),  # all squares: contacts everywhere
        ("cigale", "automne", {"ants": 16, "chain_rule": "path"}, True),
        ("butterfly", None, {"square": {"2": 1}, "placer": "random"}, False),  # nowhere to go
        ("butterfly", None, {"square": {"2": 1}}, True),  # the hedgehog is placed
        ("feuilles", None, {"rounds": 1}, True),
    ],
)
def test_whether_a_game_has_a_decision(game, mode, settings, played):
    players = registry.get(game).default_players
    assert rollout.is_played(load_rules(game, [Layer("test", settings)]).make_game(players, mode)) is played


UNPLAYED = (
    ["simulate", "chenille", "--games", "10", "--set", "caterpillars=1"],
    ["butterfly", "--games", "2", "--out", "-", "--set", "square.2=1", "--set", "placer=random"],
)


@pytest.mark.parametrize("command", UNPLAYED)
def test_numbers_of_a_game_without_decisions_are_warned_of(command, capsys):
    assert fable_solve(command) == 0
    warnings = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == 1 and "before its first decision" in warnings[0]


def test_those_of_others_are_not(capsys):
    assert fable_solve(["simulate", "chenille", "--games", "10", "--set", "caterpillars=5"]) == 0
    assert "warning" not in capsys.readouterr().err
