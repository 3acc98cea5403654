"""Compiled play-outs of Butterfly are the games that the rules and policies play, draw for draw."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.butterfly import kernel_board, kernel_collection
from fable_solve.solver.games.butterfly.playouts import compiled
from fable_solve.solver.games.butterfly.policies import POLICIES
from fable_solve.solver.games.butterfly.tables import build
from fable_solve.solver.games.butterfly.tiles import KINDS, NOTHING, listed, take
from fable_solve.solver.policy import uniform
from fable_solve.solver.positions import parse_position
from fable_solve.solver.registry import get
from fable_solve.solver.rng import Stream, stream_key
from fable_solve.solver.rollout import Match, setup, stream_keys
from fable_solve.solver.rules import Layer, load_rules

COLUMNS = ("scores", "winners", "ranks", "lengths", "stopped", "counters")


def same(match: Match, numbers: range) -> None:
    """Every column of the compiled games equals that of the games by the rules."""
    assert match.compiled is not None
    fast, plain = match.block(numbers), match.by_rules(numbers)
    for column in COLUMNS:
        ours, theirs = getattr(fast, column), getattr(plain, column)
        assert ours.dtype == theirs.dtype, column
        np.testing.assert_array_equal(ours, theirs, err_msg=column)


def match(players: int, *policies: str, seed: int = 0, **changes: Any) -> Match:
    rules = load_rules("butterfly", [Layer("test", changes)] if changes else [])
    return setup(get("butterfly"), players, policies, rules, seed=seed).build()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("policy", ["random", "greedy", "lookahead"])
def test_play_outs_equal_the_rules(players: int, policy: str) -> None:
    """By definition, over 100 games of each kind."""
    same(match(players, policy), range(100))


@pytest.mark.parametrize(
    "policies",
    [
        ("random", "greedy"),
        ("greedy", "random"),
        ("random", "lookahead"),
        ("lookahead", "random", "greedy"),
        ("random", "random", "greedy"),
        ("lookahead", "greedy", "lookahead", "random"),
    ],
)
@pytest.mark.parametrize("placer", ["last", "first", "random"])
def test_mixed_policies(policies: tuple[str, ...], placer: str) -> None:
    same(match(len(policies), *policies, placer=placer, seed=7), range(1000, 1030))


HUGE = {
    "square": {"2": 20, "3": 19, "4": 17, "5": 1},
    "butterflies": [1, 2, 3, 4, 5] * 14,
    "doublers": 9,
    "flowers": 60,
    "bees": 20,
    "honeycombs": [10, 11, 12, 13, 14, 15, 15, 15] * 5,
}
"""A box of 443 tiles: 4 x (70 + 9) butterflies, 60 flowers, 27 insects, 20 bees, ... fills 20 x 20."""

OPTIONS: list[dict[str, Any]] = [
    {"nets": "none"},
    {"nets": "eight"},
    {"nets": [[0, 0], [2, 3], [5, 5], [2, 2], [3, 2]]},
    {"nets": [[row, col] for row in range(6) for col in range(6)]},
    {"placer": "first"},
    {"placer": "random"},
    {"double": 1},
    {"double": 5},
    {"flower_power": 1},
    {"flower_power": 3},
    {"bee_points": 0},
    {"bee_points": -20},
    {"bees": 0},
    {"bees": 40, "honeycombs": [10, 10, 10, 15, 15, 12]},
    {"flowers": 100, "doublers": 0},
    {"doublers": 12, "butterflies": [5] * 20},
    {"wasps": [7] * 60, "dragonflies": [], "fireflies": [9, 9, 3, 3]},
    {"square": {"2": 10, "3": 10, "4": 10, "5": 10}},
    {"square": {"2": 1, "3": 2, "4": 3, "5": 4}},
    {"square": {"2": 2, "3": 2, "4": 2, "5": 2}, "nets": "eight"},
    {"square": {"2": 3, "3": 4, "4": 5, "5": 5}, "nets": [[1, 1]]},
    {"butterflies": [], "grasshoppers": [1, 2, 9, 9], "square": {"2": 6, "3": 6, "4": 6, "5": 6}},
    HUGE,
]  # fmt: skip


@pytest.mark.parametrize("changes", OPTIONS, ids=str)
@pytest.mark.parametrize("policy", ["random", "greedy", "lookahead"])
def test_options(changes: dict[str, Any], policy: str) -> None:
    same(match(2, policy, seed=3, **changes), range(3 if changes is HUGE else 30))


@pytest.mark.parametrize("players", [3, 4, 5])
def test_odd_squares_with_more_players(players: int) -> None:
    """Squares of 19, 17 and 1: lines longer than a byte, and a game without a move."""
    same(match(players, "lookahead", **HUGE), range(3))


def test_a_block_does_not_depend_on_the_others() -> None:
    """Episodes are numbered: 40 games are 15 and 25."""
    games = match(3, "greedy", "random", "greedy")
    whole, parts = games.block(range(40)), [games.block(range(15)), games.block(range(15, 40))]
    for column in COLUMNS:
        joined = np.concatenate([getattr(part, column) for part in parts])
        np.testing.assert_array_equal(getattr(whole, column), joined)


def test_draws_have_the_probabilities_of_the_outcomes() -> None:
    """Counting units; both are fractions of the same whole number, so they are compared as fractions."""
    kinds = Counter[str]()
    for number in range(6):
        game = match(2, "random", nets="eight", placer="random" if number % 2 else "last").game
        stream, state = Stream(stream_key(2, "draws"), number), game.initial_state()
        while (mover := game.player_to_move(state)) != TERMINAL:
            if mover == CHANCE:
                draw, outcomes = game.chance_draw(state), game.chance_outcomes(state)
                units, total = Counter(draw.units), len(draw.units)
                found = {outcome: Fraction(p).limit_denominator(total) for outcome, p in outcomes}
                assert {unit: Fraction(count, total) for unit, count in units.items()} == found
                assert list(draw.units) == sorted(draw.units)
                kinds[draw.source] += 1
                action = stream.choice(draw.units)
            else:
                action = uniform(game, state, mover, stream)
            state = game.successor(state, action)
    assert kinds.keys() == set(game.sources)


@pytest.mark.parametrize("changes", [{}, HUGE, {"double": 4, "flower_power": 3, "bee_points": -9}], ids=str)
def test_collections_in_words_score_and_gain_as_plain_ones(changes: dict[str, Any]) -> None:
    """Every tile of the box in random order: points and gains of all kinds against the rules' scoring."""
    game = match(5, "random", **changes).game
    *_, adds, points, first = build(game)
    held, worth, plain = np.zeros((1, 3), np.uint64), first[None].copy(), NOTHING
    stream, kinds = Stream(stream_key(4, "words")), listed(game.stock)
    while kinds:
        kind = kinds.pop(stream.below(len(kinds)))
        plain = take(plain, kind)
        kernel_collection.take(held, 0, kind, adds)
        kernel_collection.refresh(held, 0, kind, points, worth, 0)
        assert kernel_collection.score(held, 0, points) == game.scoring.total(plain)
        assert list(worth[0, :-1]) == [game.scoring.gain(plain, other) for other in range(len(KINDS))]


def test_squares_beyond_nets() -> None:
    """By hand, from (3, 4) with nets at (3, 2), (3, 6), (3, 7), (1, 4): columns 0, 1 and from 7 on, row 0."""
    place = np.uint64(3 << 5 | 4)
    nets = sum(1 << col for col in (2, 6, 7)) | 1 << 32 + 1
    found = int(kernel_board.beyond(place, np.uint64(nets)))
    assert found == sum(1 << col for col in (0, 1, *range(7, 32))) | 1 << 32
    assert kernel_board.beyond(place, np.uint64(0)) == 0


def test_what_does_not_fit_is_left_to_the_rules() -> None:
    """A board longer than a word's half, and more of a kind than its field holds; never from rule data."""
    wide = parse_position({"game": "butterfly", "board": [" ".join(["."] * 33)], "bag": ["F"] * 40}, "test")
    bees = parse_position({"game": "butterfly", "board": ["F F"], "bag": ["B"] * 128}, "test")
    assert compiled(wide.game, ("random", "random")) is None
    assert compiled(bees.game, ("random", "random")) is None


def test_oblong_boards() -> None:
    """A board of a position, dealt anew from its tiles: rows and columns are not mixed up."""
    board = ["F r1 r2 r3 B h10 w4", ". . . . d1 d2 l3", "s1 s2 F F F F bx"]
    body = {"game": "butterfly", "board": board, "nets": [[1, 1], [0, 5], [2, 3]], "bag": ["F", "r5"] * 4}
    game = parse_position(body, "test").game
    for names in (("random", "random"), ("greedy", "lookahead")):
        policies = tuple(POLICIES[name] for name in names)
        keys = stream_keys(game, 1, "oblong")
        same(Match(game, names, policies, keys, compiled(game, names)), range(30))
