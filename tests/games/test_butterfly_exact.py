"""Exact values of Butterfly: the compiled search against plain recursions, symmetries, hand-made endgames."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fable_solve.solver import dynamic
from fable_solve.solver.errors import TooLarge
from fable_solve.solver.games.butterfly import position
from fable_solve.solver.games.butterfly.advise import with_objective
from fable_solve.solver.games.butterfly.exact import Automaton, Endgame
from fable_solve.solver.games.butterfly.tiles import CATEGORIES, FIREFLIES, FLOWERS, KINDS, Scoring, listed
from fable_solve.solver.positions import parse_position
from fable_solve.solver.rules import load_rules

BOX = [KINDS[kind] for kind in listed(load_rules("butterfly").model.components)]
CLASHING = [
    *["F", "F", "F", "F", "F", "F", "B", "B", "B", "h10", "h12", "h15", "w4", "w7", "s1", "s9", "s4"],
    *["r1", "r2", "r2", "r4", "r5", "rx", "rx", "bx", "b1", "b3", "d1", "d5", "d9", "l1", "l3", "l9"],
]
"""Tiles whose worth depends much on what else is held."""


def small_position(seed: int, tiles: int) -> dict[str, Any]:
    """A random position with at most ``tiles`` tiles on the board and 3 in the bag."""
    rng = random.Random(seed)
    rows, cols = rng.choice([(1, 6), (2, 3), (2, 4), (3, 3), (2, 5), (3, 4)])
    squares, in_bag = rows * cols, rng.randint(0, 3)
    names = rng.sample(rng.choice([BOX, CLASHING]), squares + in_bag + 6)
    cells, own, cut = names[:squares], names[squares + in_bag :], rng.randint(0, 6)
    for square in rng.sample(range(squares), max(0, squares - tiles + rng.randint(0, 2))):
        cells[square] = "."
    document: dict[str, Any] = {
        "game": "butterfly",
        "board": [" ".join(cells[r * cols : (r + 1) * cols]) for r in range(rows)],
        "nets": [list(divmod(s, cols)) for s in rng.sample(range(squares), rng.randint(0, squares // 2))],
        "bag": names[squares : squares + in_bag],
        "collections": [own[:cut], own[cut:]],
        "to_move": rng.randint(0, 1),
    }
    if rng.random() < 0.85:
        row, col = divmod(rng.randrange(squares), cols)
        document["hedgehog"] = {"row": row, "col": col, "facing": rng.choice("NESW")}
    else:
        document["rules"] = {"placer": rng.choice(["last", "first", "random"])}
    return document


@pytest.mark.parametrize("objective", ["margin", "win"])
def test_the_search_equals_backward_induction_over_the_rules(objective: str) -> None:
    """The generic solver over the pure game visits plain states; both must agree, on the value and on every
    action of the seat to act."""
    for seed in range(200):
        read = parse_position(small_position(seed, 6), f"seed {seed}")
        plain = dynamic.solve(with_objective(read, objective), read.state)
        solved = position.solve(read, objective).document
        first = solved["value"] if solved["seat"] == 0 else (objective == "win") - solved["value"]
        assert first == pytest.approx(plain.value, abs=1e-9), seed
        found = [item["value"] for item in solved.get("actions", []) + solved.get("starts", [])]
        assert found == pytest.approx([value for _, value in plain.actions], abs=1e-9), seed


def own_score(tiles: list[str]) -> int:
    """Score of tiles in the order taken, written a second time from the rules alone."""
    result = 0
    for colour in "rbgy":
        printed = [int(t[1]) for t in tiles if t[0] == colour and t[1] != "x"]
        result += sum(printed) * (2 if colour + "x" in tiles else 1)
    result += tiles.count("F") ** 2
    numbers = {kind: [int(t[1:]) for t in tiles if t[0] == kind] for kind in "dlshw"}
    result += max(numbers["d"], default=0) + min(numbers["l"], default=0) + (numbers["s"] or [0])[-1]
    combs, bees = sorted(numbers["h"], reverse=True), tiles.count("B")
    result += sum(combs[:bees]) - 3 * max(0, bees - len(combs)) - sum(numbers["w"])
    return result


def own_value(board: list[list[str]], nets: set[tuple[int, int]], at: tuple[int, int], facing: str,
              held: list[list[str]], bag: list[str], seat: int) -> float:  # fmt: skip
    """Expected final margin of ``seat``, by plain recursion over lists, written from the rules alone."""
    best = None
    for turn, (down, right) in {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}.items():
        if turn + facing in ("NS", "SN", "EW", "WE"):
            continue
        row, col, crossed = at[0] + down, at[1] + right, False
        while 0 <= row < len(board) and 0 <= col < len(board[0]):
            tile = board[row][col]
            if tile == ".":
                crossed = crossed or (row, col) in nets
            else:
                board[row][col] = "."
                held[seat].append(tile)
                values = [-own_value(board, nets, (row, col), turn, held, bag, 1 - seat)]
                if crossed and bag:
                    drawn = 0.0
                    for i, extra in enumerate(bag):
                        held[seat].append(extra)
                        rest = bag[:i] + bag[i + 1 :]
                        drawn -= own_value(board, nets, (row, col), turn, held, rest, 1 - seat) / len(bag)
                        held[seat].pop()
                    values.append(drawn)
                held[seat].pop()
                board[row][col] = tile
                best = max([*values, *([] if best is None else [best])])
            row, col = row + down, col + right
    return own_score(held[seat]) - own_score(held[1 - seat]) if best is None else best


def test_the_search_equals_a_recursion_of_its_own() -> None:
    """``own_value`` shares no line with the package."""
    for seed in range(100, 160):
        document = small_position(seed, 5)
        if "hedgehog" not in document:
            continue
        hog = document["hedgehog"]
        expected = own_value(
            [row.split() for row in document["board"]], set(map(tuple, document["nets"])),
            (hog["row"], hog["col"]), hog["facing"], document["collections"], document["bag"],
            document["to_move"],
        )  # fmt: skip
        solved = position.solve(parse_position(document, "p")).document
        assert solved["value"] == pytest.approx(expected, abs=1e-9), seed


def mirrored(document: dict[str, Any]) -> dict[str, Any]:
    """The position seen in a mirror (left for right) with the seats exchanged."""
    cols = len(document["board"][0].split())
    hog = document["hedgehog"]
    facing = {"E": "W", "W": "E"}.get(hog["facing"], hog["facing"])
    return {
        **document,
        "board": [" ".join(reversed(row.split())) for row in document["board"]],
        "nets": [[r, cols - 1 - c] for r, c in document["nets"]],
        "hedgehog": {"row": hog["row"], "col": cols - 1 - hog["col"], "facing": facing},
        "collections": document["collections"][::-1],
        "to_move": 1 - document["to_move"],
    }


def test_a_mirror_and_the_other_seats_change_nothing() -> None:
    """On 3x4 boards full of tiles, with nets and 3 tiles in the bag (the size that must be solved)."""
    for seed in range(4):
        rng = random.Random(seed)
        names = rng.sample(BOX, 15)
        document = {
            "game": "butterfly",
            "board": [" ".join(names[r * 4 : r * 4 + 4]) for r in range(3)],
            "nets": [[1, 1], [1, 2], [0, 0]],
            "hedgehog": {"row": rng.randrange(3), "col": rng.randrange(4), "facing": rng.choice("NESW")},
            "collections": [[], []],
            "bag": names[12:],
            "to_move": 0,
        }
        here = position.solve(parse_position(document, "p")).document
        there = position.solve(parse_position(mirrored(document), "p")).document
        assert here["value"] == pytest.approx(there["value"], abs=1e-9)
        assert here["states"] == there["states"] > 1000


def solved(**changes: Any) -> dict[str, Any]:
    document = {"game": "butterfly", "hedgehog": {"row": 0, "col": 0, "facing": "E"}, "bag": [], **changes}
    return position.solve(parse_position(document, "p")).document


def test_hand_made_endgames() -> None:
    """Rows, so that play only goes on to the right."""
    # r5 and then d3 for the rival (2), or d3 at once (3).
    assert solved(board=[". r5 d3"])["value"] == 3
    # Take r1 (then the rival r5, -4) or r5 (5).
    assert solved(board=[". r1 r5"])["value"] == 5
    # The wasp must be taken: a move is compulsory. Then the rival may not refuse it either.
    assert solved(board=[". w4"])["value"] == -4
    # No tile ahead: the margin as it stands, 1 - 9.
    assert solved(board=[". ."], collections=[["F"], ["F", "F", "F"]])["value"] == 1 - 9
    # The net at 1 is open. Drawing gives (5 - 4 + 0) / 3 on average: r5, w4, or a honeycomb without bee.
    over = solved(board=[". . F"], nets=[[0, 1]], bag=["r5", "w4", "h10"])
    assert over["value"] == pytest.approx(1 + 1 / 3)
    assert [item["draw"] for item in over["actions"]] == [True, False]
    # Holding a bee, the honeycomb repairs it: (5 - 4 + 13) / 3 on top of 1 - 3.
    bee = solved(board=[". . F"], nets=[[0, 1]], bag=["r5", "w4", "h10"], collections=[["B"], []])
    assert bee["value"] == pytest.approx(1 - 3 + 14 / 3)


def test_win_share_and_margin_can_disagree() -> None:
    """Ahead by 1 after r1: a draw is worth (9 - 2 x 4) / 3 > 0 points, but loses two times of three."""
    collections = [["r1"], ["F"]]
    place = parse_position(
        {"game": "butterfly", "board": [". . r1"], "nets": [[0, 1]], "bag": ["d9", "w4", "w4"],
         "collections": collections, "hedgehog": {"row": 0, "col": 0, "facing": "E"}}, "p",
    )  # fmt: skip
    margin, win = position.solve(place).document, position.solve(place, "win").document
    assert margin["actions"][0]["draw"] is True and margin["value"] == pytest.approx(1 + 1 / 3)
    assert win["actions"][0]["draw"] is False and win["value"] == 1.0
    assert win["actions"][1]["value"] == pytest.approx(1 / 3)


def test_collections_that_cannot_matter_are_one_state() -> None:
    """Flowers to come: 2 flowers held or 3 differ. None to come: they do not. A firefly held at 2 or 1 makes
    no difference to the 5 still to come, one held at 9 does."""
    automaton, scoring = Automaton(Scoring()), Scoring()

    def node(category: int, left: list[int], held: list[int]) -> int:
        return automaton.node(category, bytes(left), bytes(held))

    assert node(FLOWERS, [1], [2]) != node(FLOWERS, [1], [3])
    assert node(FLOWERS, [0], [2]) == node(FLOWERS, [0], [3])

    def fireflies(*values: int) -> list[int]:
        return [int(value in values) for value in range(1, 10)]

    five = fireflies(5)
    assert node(FIREFLIES, five, fireflies(1)) == node(FIREFLIES, five, fireflies(2, 9))
    assert node(FIREFLIES, five, fireflies(9)) != node(FIREFLIES, five, fireflies(2))
    assert CATEGORIES[FIREFLIES].stop - CATEGORIES[FIREFLIES].start == 9
    assert scoring.points(FIREFLIES, bytes(fireflies(5, 9))) == 5


def test_too_large() -> None:
    """The limit is kept, also where the tables' words would not hold the board; growing loses nothing."""
    rng = random.Random(3)
    names = rng.sample(BOX, 12)
    board = [" ".join(names[r * 4 : r * 4 + 4]) for r in range(3)]
    place = parse_position(
        {"game": "butterfly", "board": board, "hedgehog": {"row": 1, "col": 1, "facing": "N"}}, "p"
    )
    states = position.solve(place).document["states"]
    with pytest.raises(TooLarge, match="at least 1001 states, the limit is 1000"):
        position.solve(place, None, 1000)
    assert position.solve(place, None, states + 1).document["states"] == states
    wide = parse_position({"game": "butterfly", "board": ["F " * 70], "bag": []}, "p")
    with pytest.raises(TooLarge, match="at least 70 tiles on the board, the limit is 62"):
        position.solve(wide)


def test_a_table_that_grows_keeps_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same value and states from a first table of 16 places as from one that never grows."""
    place = parse_position(small_position(3, 9), "p")
    whole = Endgame(place.game, place.state, 10**6)
    value = whole.value(place.state)
    seen: list[int] = []
    monkeypatch.setattr("fable_solve.solver.games.butterfly.exact.FIRST_CAPACITY", 16)
    small = Endgame(place.game, place.state, 10**6, lambda done, _total: seen.append(done))
    assert (small.value(place.state), small.states) == (value, whole.states)
    assert len(seen) > 1 and seen == sorted(seen)
