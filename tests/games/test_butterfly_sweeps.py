"""The lower bound on the states of Butterfly: sweeps counted, and never more than there are boards."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fable_solve.solver import dynamic
from fable_solve.solver.errors import TooLarge
from fable_solve.solver.games.butterfly import position
from fable_solve.solver.games.butterfly.play import Butterfly, State
from fable_solve.solver.games.butterfly.sweeps import refuse_large, sweeps
from fable_solve.solver.games.butterfly.tiles import KINDS, listed
from fable_solve.solver.positions import Position, parse_position
from fable_solve.solver.rules import load_rules

BOX = [KINDS[kind] for kind in listed(load_rules("butterfly").model.components)]
N, E, S, W = range(4)


def place(rows: int, cols: int, seed: int = 0, gaps: int = 0, **keys: Any) -> Position:
    """A board of random tiles with a hedgehog somewhere; the bag is what is left unless given."""
    rng = random.Random(seed)
    cells = rng.sample(BOX, rows * cols - gaps) + ["."] * gaps
    rng.shuffle(cells)
    hedgehog = {"row": rng.randrange(rows), "col": rng.randrange(cols), "facing": rng.choice("NESW")}
    board = [" ".join(cells[row * cols : (row + 1) * cols]) for row in range(rows)]
    return parse_position({"game": "butterfly", "board": board, "hedgehog": hedgehog, **keys}, "p")


def boards(game: Butterfly, state: State, headings: set[int]) -> list[bytes]:
    """The boards that moves in some directions lead to, once for each way there."""
    moves = [move for move in game.moves(state) if move.facing in headings and not move.draw]
    after = [game.successor(state, move) for move in moves]
    return [state.board, *(board for state in after for board in boards(game, state, headings))]


def test_sweeps_are_the_ways_in_three_directions_and_lead_to_different_boards() -> None:
    """Every way listed one by one over the rules."""
    for seed in range(40):
        read = place(*[(3, 4), (4, 3), (1, 7), (5, 2)][seed % 4], seed=seed, gaps=seed % 4)
        for down in range(4):
            ways = boards(read.game, read.state, {down, (down + 1) % 4, (down + 3) % 4})
            assert sweeps(read.game, read.state, down) == len(ways) == len(set(ways))


def test_sweeps_of_a_row() -> None:
    """From the end of a row of 4, looking along it: each subset of the three other tiles."""
    read = place(1, 4, hedgehog={"row": 0, "col": 0, "facing": "E"})
    assert [sweeps(read.game, read.state, down) for down in (N, E, S)] == [8, 8, 8]


@pytest.mark.parametrize("start", [True, False])
def test_the_bound_is_below_the_number_of_states(start: bool) -> None:
    """Both searches must be let through whenever their states fit the limit."""
    for seed in range(12):
        keys: dict[str, Any] = {"hedgehog": None} if start else {}
        read = place(2, 4, seed, gaps=seed % 3, nets=[[0, 1], [1, 2]], bag=["F", "w4"])
        state = read.state._replace(square=-1) if keys else read.state
        placed = Position(read.spec, None, read.rules, read.game, state, "p", read.details)
        states = max(position.solve(placed).document["states"], 1)  # 0 where the game is over
        refuse_large(read.game, state, states)
        refuse_large(read.game, state, dynamic.solve(read.game, state).states)


@pytest.mark.parametrize(
    ("changes", "limit", "hint"),
    [
        ({}, 20_000_000, "play on until fewer tiles are left, or raise --max-states"),
        (
            {"players": 3, "collections": [[], [], []]},
            2_000_000,
            "1 for 10 of --max-states, as each takes 10 times the memory; "
            "play on until fewer tiles are left, or raise --max-states",
        ),
    ],
)
def test_a_full_square_is_refused_before_any_search(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], limit: int, hint: str
) -> None:
    """With the searches taken away: 36 tiles, the hedgehog in the middle, in a corner or still to be put."""
    monkeypatch.setattr("fable_solve.solver.games.butterfly.exact.Endgame._search", None)
    monkeypatch.setattr("fable_solve.solver.games.butterfly.exact.Automaton", None)
    monkeypatch.setattr("fable_solve.solver.dynamic.solve", None)
    for row, col in ((2, 3), (0, 0)):
        for facing in "NESW":
            read = place(6, 6, hedgehog={"row": row, "col": col, "facing": facing}, **changes)
            with pytest.raises(TooLarge) as error:
                position.solve(read)
            assert error.value.limit == limit < error.value.estimate
            assert (error.value.unit, error.value.hint) == ("states", hint)
    with pytest.raises(TooLarge):
        position.solve(place(6, 6, hedgehog={"row": 0, "col": 0, "facing": "N"}, **changes), None, 10**8)


def test_twenty_tiles_are_not_refused() -> None:
    """A full 4x5 board takes some 15 million states at most, which the default limit allows."""
    for seed in range(10):
        read = place(4, 5, seed)
        refuse_large(read.game, read.state, 20_000_000)
        refuse_large(read.game, read.state._replace(square=-1), 20_000_000)


def test_a_large_board_is_refused_without_deep_recursion() -> None:
    """7 x 32 wasps, of which 255 can be counted: sweeps of up to 224 moves."""
    board = [" ".join(["w4"] * 32)] * 7
    document = {"game": "butterfly", "players": 5, "board": board, "bag": []}
    read = parse_position({**document, "hedgehog": {"row": 3, "col": 3, "facing": "N"}}, "p")
    with pytest.raises(TooLarge):
        position.solve(read)
