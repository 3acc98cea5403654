"""Cigale's compiled games are those of the rules: one seed gives the same episodes and the same draws."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from fable_solve.solver import registry
from fable_solve.solver.chance import Chance
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL
from fable_solve.solver.games.cigale.chains import CHAIN_RULES, legal_chains
from fable_solve.solver.games.cigale.payment import compositions
from fable_solve.solver.games.cigale.playouts import compiled
from fable_solve.solver.games.cigale.playtables import ONE, stage_tables
from fable_solve.solver.games.cigale.policies import exact_value, round_of_cards
from fable_solve.solver.games.cigale.rules import make_game
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import Match, setup
from fable_solve.solver.rules import Layer, RuleData, load_rules

CIGALE = registry.get("cigale")
COLUMNS = ("scores", "winners", "ranks", "lengths", "stopped", "counters")
MIXED = ("stage", "greedy", "random", "stage")


def data(**options: Any) -> RuleData:
    return load_rules("cigale", [Layer("test", options)])


def match(mode: str, policies: tuple[str, ...], seed: int = 0, **options: Any) -> Match:
    return setup(CIGALE, len(policies), policies, data(**options), mode, seed).build()


def assert_same(played: Match, games: int, first: int = 0) -> None:
    assert played.compiled is not None
    numbers = range(first, first + games)
    kernel, rules = played.block(numbers), played.by_rules(numbers)
    for column in COLUMNS:
        assert getattr(kernel, column).dtype == getattr(rules, column).dtype
        np.testing.assert_array_equal(getattr(kernel, column), getattr(rules, column), err_msg=column)


@pytest.mark.parametrize("mode", CIGALE.modes)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("policy", ["random", "greedy", "stage"])
def test_games_of_one_policy(mode: str, players: int, policy: str) -> None:
    assert_same(match(mode, (policy,) * players), 100)


@pytest.mark.parametrize("mode", CIGALE.modes)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_of_mixed_policies_from_any_number(mode: str, players: int) -> None:
    # 2**40 episodes on, the streams start where 64 bits have overflown
    assert_same(match(mode, MIXED[:players], seed=5), 20, first=2**40)
    assert_same(match(mode, MIXED[-players:], seed=6), 20)


NO_INSECTS = dict.fromkeys("abcdef", "")
FEW = {"path_cards": dict.fromkeys("YBNR", 6), "insect_cards": NO_INSECTS | {"a": "YBNR", "b": "YBNR"}}
ALIKE = {"path_cards": {"Y": 22, "B": 3, "N": 3, "R": 3}, "insect_cards": NO_INSECTS | {"a": "B", "b": "N"}}
SAME_INSECTS = {"insect_cards": NO_INSECTS | {"a": "YYYYBBBBNNNNRRRR", "b": "YYYBBBNNNRRR", "c": "YYBBNNRR"}}
COMMON: list[dict[str, Any]] = [
    {"chain_rule": "touching"},
    {"chain_rule": "connected"},
    {"chain_rule": "strict"},
    {"ants": 1},
    {"ants": 3},
    {"ants": 9},  # four bits a counter
    {"board": [2, 5]},
    {"board": [5, 5], "ants": 5},  # more than 16 places
    {"board": [1, 7], "ants": 7},  # one chain
    {"board": [2, 3], "chain_rule": "strict"},  # no chain at all
    FEW,
    ALIKE,  # draws that are no chance nodes
    SAME_INSECTS,
    {"insect_cards": NO_INSECTS},
]
AUTOMNE: list[dict[str, Any]] = [
    {"shelf_points": [0, 2, 2, 9]},
    {"insect_points": [0, 0, 5]},
    {"shelves_to_end": 1},
    {"shelves_to_end": 4},
    {"insects_visible": False},
]
HIVER: list[dict[str, Any]] = [
    {"substitution": False},
    {"substitution_cards": 1},
    {"substitution_cards": 2},
    {"empty_hand_bonus": False},
    {"swap_target": "uncovered"},
    {"swap_target": "uncovered"} | SAME_INSECTS,
    {"red_ant_reward": "miss"},
    {"starting_cards": 0},
    {"starting_cards": 4},
    {"row_size": 1},
    {"row_size": 6},
    {"points_to_win": 1},
    {"points_to_win": 11},
    {"stall_guard": 4},
    {"provision_points": [0, 2, 2, 7]},
    {"provisions": dict.fromkeys(["red", "yellow", "blue", "green", "orange", "brown", "purple"], 4)},
    {"provision_kinds": {"2": [], "3": ["red"], "4": ["red", "purple"]}},
    {"prices": {"red": "R", "yellow": "YYYYY", "blue": "BN", "orange": "YBNRYBN"}},
    FEW | {"points_to_win": 11, "starting_cards": 2},  # reshuffles and holes
    FEW | {"points_to_win": 11, "substitution": False, "ants": 4},
]
OPTIONS = [("automne", options) for options in COMMON + AUTOMNE] + [
    ("hiver", options) for options in COMMON + HIVER
]


@pytest.mark.parametrize(("mode", "options"), OPTIONS, ids=str)
def test_options_one_at_a_time(mode: str, options: dict[str, Any]) -> None:
    assert_same(match(mode, ("random", "random"), **options), 10)
    assert_same(match(mode, ("greedy", "stage", "random"), **options), 12)
    assert_same(match(mode, ("stage", "greedy", "greedy", "random"), **options), 8)


def test_a_square_that_the_deck_does_not_fill() -> None:
    # 24 cards on 25 places: automne ends with the first collection; hiver plays on around the holes
    for mode, policies in product(CIGALE.modes, [("random", "random"), ("greedy", "stage")]):
        built = match(mode, policies, **FEW)
        game = make_game(built.game.rules, 2, mode, height=5, width=5)  # type: ignore[attr-defined]
        assert_same(Match(game, policies, built.policies, built.keys, compiled(game, policies)), 15)


def test_stage_with_too_many_ants_is_left_to_the_rules() -> None:
    many = {"board": [9, 9], "path_cards": dict.fromkeys("YBNR", 24), "ants": 65}
    game = make_game(data(**many).model, 2, "automne")
    assert compiled(game, ("random", "stage")) is None


# --- what the kernels rest on


@pytest.mark.parametrize("mode", CIGALE.modes)
def test_draws_have_the_probabilities_of_the_outcomes(mode: str) -> None:
    # at every chance node of two random games: how often a unit is listed, as an exact share
    for number in range(2):
        played = match(mode, ("random",) * 4, **FEW)
        game: Any = played.game
        chance, seats = played.streams(number)
        state, nodes = game.initial_state(), 0
        while (mover := game.player_to_move(state)) != TERMINAL:
            if mover == CHANCE:
                units = list(game.chance_draw(state).units)
                assert units == sorted(units)
                shares = {unit: Fraction(units.count(unit), len(units)) for unit in units}
                outcomes = game.chance_outcomes(state)
                assert {unit: Fraction(p).limit_denominator(1000) for unit, p in outcomes} == shares
                nodes += 1
            state = game.successor(state, decided(played, state, mover, chance, seats))
        assert nodes > 20


def decided(played: Match, state: Any, mover: int, chance: Chance, seats: list[Stream]) -> Any:
    game: Any = played.game
    if mover == CHANCE:
        return chance.outcome(game, state)
    if mover != SIMULTANEOUS:
        return played.policies[mover](game, state, mover, seats[mover])
    return tuple(
        played.policies[seat](game, state, seat, seats[seat]) if game.legal_actions(state, seat) else None
        for seat in range(game.players)
    )


@pytest.mark.parametrize("chain_rule", CHAIN_RULES)
def test_chains_around_holes_are_those_of_the_full_square_that_avoid_them(chain_rule: str) -> None:
    for number in range(30):
        stream = Stream(17, number)
        height, width, ants = 2 + stream.below(3), 2 + stream.below(3), 1 + stream.below(6)
        holes = frozenset(stream.below(height * width) for _ in range(stream.below(6)))
        full = legal_chains(height, width, frozenset(), ants, chain_rule)
        around = legal_chains(height, width, holes, ants, chain_rule)
        assert around == tuple(chain for chain in full if not holes & set(chain))


def test_exact_values_are_those_of_the_guessing_game() -> None:
    for ants in (1, 2, 6, 13):
        for counts in compositions(ants, (ants,) * 4):
            value = exact_value(tuple(sorted(counts)))
            assert float(value) == pytest.approx(round_of_cards(counts).value, abs=1e-12)


class Given(Stream):
    """A stream whose next uniform number is given."""

    def __init__(self, u: int) -> None:
        self.u = u

    def uniform(self) -> float:
        return self.u * 2.0**-53


def test_limits_of_the_stage_mixtures_are_exact() -> None:
    # on both sides of every limit, and at the ends: the type that Stream.weighted names
    stage = stage_tables(6)
    assert len(stage.counts) == 84  # 9 choose 3 ways to write 6 as an ordered sum of four
    for counts, limits in zip(stage.counts.tolist(), stage.limits.tolist(), strict=True):
        guess = round_of_cards(tuple(counts))
        types = [t for t in range(4) if counts[t]]
        for shares, bounds in zip((guess.ant, guess.cigale), limits, strict=True):
            for u in {0, ONE - 1, *bounds, *(bound - 1 for bound in bounds)}:
                if 0 <= u < ONE:
                    drawn = Given(u).weighted(list(zip(types, shares, strict=True)))
                    assert drawn == sum(bound <= u for bound in bounds)
