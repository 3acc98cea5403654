"""Tree search of Butterfly: exact where the tree ends, always the same, stronger than other policies."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fable_solve.solver import rollout
from fable_solve.solver.errors import BadInput
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.butterfly import position
from fable_solve.solver.games.butterfly.advise import exact
from fable_solve.solver.games.butterfly.play import GAP, Butterfly, State
from fable_solve.solver.games.butterfly.policies import NODES, POLICIES, searched
from fable_solve.solver.games.butterfly.search import Searcher
from fable_solve.solver.positions import parse_position
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import Match
from fable_solve.solver.rules import Layer, load_rules
from fable_solve.solver.study import silent

CASES = sorted((Path(__file__).parents[1] / "cases").glob("butterfly-*.toml"))
PLENTY = 2_000_000
"""States of the exact solver."""
ENOUGH = 300_000
"""Nodes in which a search sees every line to its end; few, as each search clears its table first."""
TILES = [
    *["F"] * 6, "B", "B", "B", "h10", "h12", "h15", "w4", "w7", "s1", "s9", "s4", "d1", "d5", "d9",
    *["r1", "r2", "r2", "r4", "r5", "rx", "rx", "bx", "b1", "b3", "l1", "l3", "l9"],
]  # fmt: skip
"""Tiles whose worth depends much on what else is held."""


def match(*policies: str, seed: int = 0, **changes: Any) -> Match:
    rules = load_rules("butterfly", [Layer("test", changes)] if changes else [])
    return rollout.setup(get("butterfly"), len(policies), policies, rules, seed=seed).build()


def agrees(game: Butterfly, state: State) -> bool:
    """Whether the search of all actions, and the one of the best, find the exact solver's values; ``False``
    only where there is nothing to decide."""
    if game.player_to_move(state) < 0:
        return False
    value, actions, _ = exact(game, state, PLENTY, silent)
    found, seat = Searcher(game, ENOUGH).find(state, every=True), game.player_to_move(state)
    scores = game.scores(state)
    ahead = scores[seat] - scores[1 - seat]
    assert found.exact
    assert dict(found.values) == pytest.approx({item.action: item.value - ahead for item in actions})
    best = Searcher(game, ENOUGH).best(state)
    assert {item.action: item.value for item in actions}[best] == pytest.approx(value)
    return True


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_cases_agree_with_the_exact_solver(path: Path) -> None:
    """Every small position of the shipped cases, two players."""
    read = parse_position(tomllib.loads(path.read_text()), path.stem)
    if read.game.players == 2 and sum(kind != GAP for kind in read.state.board) <= 14:
        agrees(read.game, read.state)


def endgame(number: int, tiles: int, nets: int, bag: int, players: int = 2) -> dict[str, Any]:
    """A square of 4x4 on which up to ``tiles`` tiles lie, with so many nets and up to ``bag`` in the bag."""
    stream = np.random.default_rng(number)
    names = [TILES[k] for k in stream.permutation(len(TILES))]
    cells, places = ["."] * 16, stream.permutation(16).tolist()
    for place in places[: int(stream.integers(tiles // 2, tiles + 1))]:
        cells[place] = names.pop()
    row, col = divmod(int(stream.integers(16)), 4)
    return {
        "game": "butterfly",
        "board": [" ".join(cells[k : k + 4]) for k in range(0, 16, 4)],
        "nets": [list(divmod(place, 4)) for place in places[16 - nets :]],
        "bag": [names.pop() for _ in range(int(stream.integers(bag + 1)))],
        "collections": [names[k::players][:5] for k in range(players)],
        "to_move": int(stream.integers(players)),
        "hedgehog": {"row": row, "col": col, "facing": "NESW"[int(stream.integers(4))]},
    }


@pytest.mark.parametrize(("tiles", "nets", "bag"), [(14, 0, 0), (10, 5, 3)])
@pytest.mark.parametrize(
    "numbers", [range(40), pytest.param(range(40, 230), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_random_endgames_agree_with_the_exact_solver(tiles: int, nets: int, bag: int, numbers: range) -> None:
    """230 of each kind in all; a few have no move."""
    reads = [parse_position(endgame(number, tiles, nets, bag), str(number)) for number in numbers]
    assert sum(agrees(read.game, read.state) for read in reads) >= 0.85 * len(numbers)


@cache
def shares(game: Butterfly, state: State) -> tuple[Fraction, ...]:
    """Every seat's share of the win by max^n, from the rules alone: the seat to move takes what is best for
    itself, then what is worst for the seat after it, and so on."""
    mover = game.player_to_move(state)
    if mover == TERMINAL:
        scores = game.scores(state)
        return tuple(Fraction(score == max(scores), scores.count(max(scores))) for score in scores)
    if mover == CHANCE:
        drawn = [
            (count, shares(game, game.successor(state, k))) for k, count in enumerate(state.bag) if count
        ]
        return tuple(sum(n * v[seat] for n, v in drawn) / sum(state.bag) for seat in range(game.players))
    after = [shares(game, game.successor(state, move)) for move in game.moves(state)]
    return max(after, key=lambda values: preferred(values, mover))


def preferred(values: Sequence[Fraction], mover: int) -> tuple[Fraction, ...]:
    own, *others = [values[(mover + k) % len(values)] for k in range(len(values))]
    return (own, *(-share for share in others))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize(("tiles", "nets", "bag"), [(9, 0, 0), (8, 5, 3)])
def test_max_n_agrees_with_the_rules_on_random_endgames(
    players: int, tiles: int, nets: int, bag: int
) -> None:
    """25 of each kind and number of players, a few without a move; :func:`shares` of what a move leads to."""
    seen = 0
    for number in range(25):
        read = parse_position(endgame(number, tiles, nets, bag, players), str(number))
        game, state = read.game, read.state
        if game.player_to_move(state) < 0:
            continue
        found, seat = Searcher(game, ENOUGH, "maxn").find(state, every=True), state.seat
        assert found.exact
        expected = {move: shares(game, game.successor(state, move))[seat] for move in game.moves(state)}
        assert dict(found.values) == pytest.approx({move: float(v) for move, v in expected.items()})
        assert expected[Searcher(game, ENOUGH, "maxn").best(state)] == shares(game, state)[seat]
        seen += 1
    assert seen >= 18


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("changes", [{}, {"nets": "none"}, {"nets": "eight", "placer": "first"}], ids=str)
def test_the_kernel_plays_what_the_policy_plays(players: int, changes: dict[str, Any]) -> None:
    """By definition; the search draws no random number, so its seats' counters stay where they are."""
    games = match(*("search@60", "greedy", "paranoid@25", "random", "maxn@300")[:players], **changes)
    fast, plain = games.block(range(4)), games.by_rules(range(4))
    for column in ("scores", "winners", "ranks", "lengths", "counters"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(plain, column), err_msg=column)


def test_a_search_leaves_nothing_behind() -> None:
    """States in any order, by a searcher that has seen others or by a new one: the same values and nodes."""
    game = match("search", "search").game
    chance, _ = match("search", "search").streams(3)
    state = game.initial_state()
    while game.player_to_move(state) == -1:
        state = game.successor(state, chance.outcome(game, state))
    states = [game.successor(state, start) for start in game.starts(state)[::29]]
    used = Searcher(game, 300)
    first = [used.find(state, every=True) for state in states]
    assert [used.find(state, every=True) for state in reversed(states)] == first[::-1]
    assert [Searcher(game, 300).find(state, every=True) for state in states] == first
    assert all(found.depth is not None and not found.exact for found in first)


def test_names_of_searches() -> None:
    assert searched("search@500") == ("search", 500)
    assert searched("maxn@7") == ("maxn", 7) and searched("paranoid") == ("paranoid", NODES)
    for name in ("search@", "search@0", "search@x", "search@1e9", "greedy", "maxn@-5", "greedy@5", "max@5"):
        assert searched(name) is None
    assert "search@77" in POLICIES and "maxn@77" in POLICIES and "search@no" not in POLICIES
    with pytest.raises(BadInput, match="--policies"):
        match("search@no", "greedy")


@pytest.mark.parametrize(
    ("better", "worse", "games"),
    [("greedy", "random", 400), ("lookahead", "greedy", 2000), ("search@300", "lookahead", 200)],
)
@pytest.mark.parametrize("players", [2, 4])
def test_each_policy_beats_the_one_before_it(better: str, worse: str, players: int, games: int) -> None:
    """One seat against a field, each seat in turn: its win share exceeds an even one by 3 standard errors."""
    shares = []
    for seat in range(players):
        names = [better if other == seat else worse for other in range(players)]
        winners = match(*names, seed=11).block(range(games // players)).winners[:, seat]
        shares.append(np.where(winners, 1 / np.maximum(winners, 1), 0))
    share = np.concatenate(shares)
    assert share.mean() - 3 * share.std() / len(share) ** 0.5 > 1 / players


def dealt(players: int) -> tuple[Butterfly, list[str]]:
    """A full square, as a position writes it."""
    game = load_rules("butterfly").make_game(players)
    chance, _ = match(*["random"] * players).streams(5)
    state = game.initial_state()
    while game.player_to_move(state) == CHANCE:
        state = game.successor(state, chance.outcome(game, state))
    return game, [" ".join(row) for row in game.drawn(state)]


@pytest.mark.parametrize(("players", "objective"), [(2, "margin"), (2, "win"), (3, "win")])
@pytest.mark.parametrize("placed", [False, True])
def test_advice_on_a_full_square(players: int, objective: str, placed: bool) -> None:
    """The hedgehog's place and the first move, estimated and labelled so; the line begins with the best; the
    last complete round found what is shown."""
    game, board = dealt(players)
    hedgehog = {"hedgehog": {"row": 0, "col": 0, "facing": "E"}} if placed else {}
    body = {"game": "butterfly", "players": players, "board": board, **hedgehog}
    advised = position.advise(parse_position(body, "t"), objective, 0, 3000).document
    items, search = advised["actions" if placed else "starts"], advised["search"]
    assert len(items) == (2 * (game.rows - 1) if placed else 4 * game.rows**2)  # east and south; all facings
    values = [item["value"] for item in items]
    assert values == sorted(values, reverse=True) and advised["value"] == values[0]
    best = {key: items[0][key] for key in items[0] if key != "value"}
    assert advised["line"][0] == best == search["rounds"][-1]["best"]
    assert search["rounds"][-1]["value"] == values[0]
    assert not search["exact"] and search["depth"] == len(search["rounds"]) >= 1
    assert advised["objective"] == objective and search["method"] == (
        "maxn" if objective == "win" else "paranoid"
    )
    changes = [seen["best"] == best for seen in search["rounds"]]
    assert all(changes[len(changes) - search["settled"] :])
    assert search["settled"] == len(changes) or not changes[-search["settled"] - 1]
