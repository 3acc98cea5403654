"""What Cigale's named policies do on tables where the answer can be seen, and in whole games."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from fable_solve.solver import registry
from fable_solve.solver.games.cigale.cards import format_card
from fable_solve.solver.games.cigale.policies import POLICIES, round_of_cards, type_worths
from fable_solve.solver.games.cigale.stakes import round_stake
from fable_solve.solver.games.cigale.state import BUY, SWAP
from fable_solve.solver.positions import Position, parse_position
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import load_rules

Y, B, N, R = range(4)
DRAWS = 4000


def table(board: list[str], mode: str = "automne", **keys: Any) -> Position:
    document = {"game": "cigale", "mode": mode, "board": board, "rules": {"ants": 2}} | keys
    return parse_position(document, "table")


def shares(name: str, position: Position, state: Any, seat: int) -> dict[Any, float]:
    """How often a policy takes each action, over ``DRAWS`` draws of one stream."""
    stream = Stream(3)
    taken = Counter(POLICIES[name](position.game, state, seat, stream) for _ in range(DRAWS))
    return {action: count / DRAWS for action, count in taken.items()}


# 4 standard errors of a share near 1/2 of 4000 draws: 4 * 0.5 / sqrt(4000) = 0.032
ERROR = 0.032


def test_random_is_uniform_and_red_ants_name_types_under_ants() -> None:
    position = table(["Y B", "N R"], "hiver", players=3)
    game, state = position.game, position.state
    assert shares("random", position, state, 0) == pytest.approx(
        dict.fromkeys(game.chains(state), 1 / 4), abs=ERROR
    )
    state = game.successor(state, (0, 1))
    for seat in range(3):
        assert shares("random", position, state, seat) == pytest.approx({Y: 0.5, B: 0.5}, abs=ERROR)


def test_greedy_lays_the_most_valuable_chain_and_names_by_worth() -> None:
    # Y is full for seat 0, so Y is worth nothing; N once is 1 point, B once from place 3 is 4; 100 a point
    # and 1 a card: N and B together are worth 101 + 401, more than any other pair.
    position = table(["Y Y", "N B"], shelves=[[4, 3, 0, 0], [0, 0, 0, 0]])
    game, state = position.game, position.state
    assert set(shares("greedy", position, state, 0)) == {(2, 3)}
    state = game.successor(state, (2, 3))
    assert shares("greedy", position, state, 0) == pytest.approx({N: 101 / 502, B: 401 / 502}, abs=ERROR)
    # the Cigale's own shelves are empty: either card is worth 1 to her
    assert shares("greedy", position, state, 1) == pytest.approx({N: 0.5, B: 0.5}, abs=ERROR)


def test_greedy_counts_insects() -> None:
    # a second a is worth 3 - 1 = 2 points more, beside 1 for the shelf
    position = table(["Y Ba", "N Y"], insects=[["a"], []])
    state = position.game.successor(position.state, (0, 1))
    assert shares("greedy", position, state, 0) == pytest.approx({Y: 101 / 402, B: 301 / 402}, abs=ERROR)


def test_greedy_red_ants_think_like_the_ant() -> None:
    position = table(["Y Y B"], "hiver", players=3, rules={"ants": 3})
    state = position.game.successor(position.state, (0, 1, 2))
    assert shares("greedy", position, state, 2) == {Y: 1.0}


def test_greedy_buys_what_is_worth_most_with_few_cards() -> None:
    rules = {"ants": 2, "prices": {"red": "B", "blue": "Y"}}
    keys: dict[str, Any] = {"provisions": [["red"], []], "reserves": [["Y", "Y", "Y"], []]}
    position = table(["B Y"], "hiver", row=["red", "blue"], rules=rules, **keys)
    state = position.game.successor(position.state, (0, 1))
    state = position.game.successor(state, (B, Y))
    assert state.phase == BUY
    # the second red is worth 3 - 1 = 2; B itself, not three Y
    assert shares("greedy", position, state, 0) == {("red", (7,)): 1.0}


def test_greedy_swaps_only_for_a_better_purchase() -> None:
    rules = {"ants": 2, "prices": {"red": "R", "blue": "N"}}
    board = ["Ya B", "Ra N"]
    for row, expected in [("red", "Ra"), ("blue", "Ya")]:
        position = table(board, "hiver", row=[row], rules=rules, deck=["N"], provision_pile=[])
        state = position.game.successor(position.state, (0, 1))
        state = position.game.successor(state, (Y, B))
        assert state.phase == SWAP
        (cells,) = shares("greedy", position, state, 0)
        assert [format_card(state.board[cell]) for cell in cells] == [expected]


def test_type_worths_are_the_points_and_cards_of_the_round() -> None:
    # the same numbers by another way: stakes of the round, chain by chain and type by type (species are
    # different under a type, so that insects of one chain are worth what they are worth alone)
    board = ["Ya B Nc", "Yb Bd N", "R Ra Rf"]
    automne = table(board, shelves=[[2, 3, 4, 0], [0] * 4], insects=[["a", "a", "d"], []], rules={"ants": 4})
    hiver = table(board, "hiver", row=["red", "purple"], reserves=[["Y", "B", "N", "N"], []])
    for position in (automne, hiver):
        game, state = position.game, position.state
        rules = position.rules.model
        points = round_stake(rules, position.mode, state, "points")
        worths = type_worths(game, state, 0)
        for chain, row in zip(game.chains(state), worths, strict=True):
            for path_type, worth in enumerate(row):
                cells = [cell for cell in chain if state.board[cell] // 7 == path_type]
                if not cells:
                    assert worth == -float("inf")
                elif position is automne:
                    assert worth == 100 * points(0, path_type, cells, chain) + len(cells)
                else:  # the greedy Ant does not plan swaps: the Cigale's stake knows none either
                    mirror = state._replace(ant=1, cigale=0)
                    plain = round_stake(rules, "hiver", mirror, "points")
                    assert worth == 100 * plain(1, path_type, cells, chain) + len(cells)


def test_stage_plays_the_equilibrium_of_the_round_in_cards() -> None:
    # counts (2, 1, 1): in support all; w = (3 - 2) / (1/2 + 1 + 1) = 0.4; names proportional to 1/n:
    # (.2, .4, .4); guesses (n - w) / 2n: (.4, .3, .3)
    position = table(["Y Y B N"], "hiver", players=3, rules={"ants": 4})
    state = position.game.successor(position.state, (0, 1, 2, 3))
    assert round_of_cards((2, 1, 1, 0)).value == pytest.approx(0.4, abs=1e-12)
    assert shares("stage", position, state, 0) == pytest.approx({Y: 0.2, B: 0.4, N: 0.4}, abs=ERROR)
    assert shares("stage", position, state, 1) == pytest.approx({Y: 0.4, B: 0.3, N: 0.3}, abs=ERROR)
    # a Red Ant gains where the Ant names and the Cigale misses: .2 * .6 < .4 * .7
    assert shares("stage", position, state, 2) == pytest.approx({B: 0.5, N: 0.5}, abs=ERROR)


def test_stage_lays_a_chain_of_the_highest_value() -> None:
    # in a row: (2,1,0,0) and (1,1,1,0) of three: two types are worth 0, three w = 1/3
    position = table(["Y Y B N N"], rules={"ants": 3})
    assert set(shares("stage", position, position.state, 0)) == {(1, 2, 3)}


@pytest.mark.parametrize("mode", ["automne", "hiver"])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("names", [["greedy"], ["stage"], "mixed"])
def test_whole_games(mode: str, players: int, names: Any) -> None:
    spec, rules = registry.get("cigale"), load_rules("cigale")
    policies = ["stage", "greedy", "random", "stage"][:players] if names == "mixed" else names
    played = setup(spec, players, policies, rules, mode, seed=5).build()
    first, second = (played.by_rules(range(4)) for _ in range(2))
    assert np.array_equal(first.scores, second.scores)  # all randomness comes from the streams
    assert np.array_equal(first.counters, second.counters)
    assert not first.stopped.any()
    assert first.win_shares.sum() == pytest.approx(4, abs=1e-9)
