"""61 Feuilles d'automne: every zone's rule by hand, the joker in each, points, and counts of small games."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from fable_solve.solver.games.feuilles.rules import best_points, score_bound
from fable_solve.solver.games.feuilles.sheet import FACES, X, neighbours
from fable_solve.solver.rules import load_rules

RULES = load_rules("feuilles").model


def legal(zone: int, rows: tuple[str, ...], letter: str) -> list[int]:
    return [placement.cell for placement in RULES.zones[zone - 1].moves(rows, letter)]


# Every expected list was worked out by hand from the rule of its zone.
PLACEMENTS = [
    # 1 pumpkins: a free first eye, the second equal; both may be open; the joker equals anything
    (1, ("--", "--"), "3", [0, 1]),
    (1, ("3-", "--"), "3", [0, 1]),
    (1, ("3-", "--"), "4", [1]),
    (1, ("3-", "4-"), "5", []),
    (1, ("-3", "44"), "3", [0]),  # which eye is filled makes no difference
    (1, ("33", "44"), "3", []),
    (1, ("3-", "4-"), X, [0, 1]),
    (1, ("X-", "4-"), "5", [0]),
    (1, ("XX", "4-"), X, [1]),
    # 2 lilies: in order, all different; the joker differs from anything
    (2, ("-----",), "1", [0]),
    (2, ("352--",), "5", []),
    (2, ("352--",), "1", [3]),
    (2, ("352--",), X, [3]),
    (2, ("3X---",), "3", []),
    (2, ("3X---",), X, [2]),
    (2, ("35246",), "1", []),
    (2, ("35246",), X, []),
    # 3 skewers: equal within a skewer; both may be open
    (3, ("2-", "44-"), "2", [0]),
    (3, ("2-", "44-"), "4", [1]),
    (3, ("2-", "44-"), "3", []),
    (3, ("2-", "44-"), X, [0, 1]),
    (3, ("X-", "---"), "6", [0, 1]),
    (3, ("22", "-5X"), "5", [1]),
    (3, ("22", "-5X"), "6", []),
    # 4 mugs: the number's own mug, if empty; the joker fits any empty mug
    (4, ("1-3--6",), "1", []),
    (4, ("1-3--6",), "2", [1]),
    (4, ("1-3--6",), X, [1, 3, 4]),
    (4, ("X-3--6",), "1", []),
    # 5 burrow: cells 0 1 2 below, 3 4 on them, 5 on top; touching cells differ
    (5, ("---", "--", "-"), "1", [0, 1, 2]),
    (5, ("1--", "--", "-"), "1", [2]),  # cell 1 touches cell 0, cell 2 does not
    (5, ("142", "5-", "-"), "4", []),  # cell 4 stands on the 4
    (5, ("142", "5-", "-"), "2", []),  # ... and on the 2
    (5, ("142", "5-", "-"), "5", []),  # ... and is beside the 5
    (5, ("142", "5-", "-"), "1", [4]),
    (5, ("142", "5-", "-"), X, [4]),
    (5, ("12-", "--", "-"), "3", [2, 3]),  # cell 4 lacks a cell under it
    (5, ("12-", "3-", "-"), "3", [2]),  # cells 2 and 3 do not touch
    (5, ("123", "45", "-"), "4", []),
    (5, ("123", "45", "-"), "2", [5]),
    (5, ("1X3", "--", "-"), "2", [3, 4]),  # the joker differs from whatever comes beside it
    (5, ("1X3", "--", "-"), "1", [4]),
    (5, ("123", "45", "6"), X, []),
    # 6 mushrooms: one up or down, 6 and 1 being neighbours; anything follows the joker
    (6, ("-----",), "4", [0]),
    (6, ("6----",), "1", [1]),
    (6, ("6----",), "5", [1]),
    (6, ("6----",), "6", []),
    (6, ("1----",), "6", [1]),
    (6, ("3----",), "5", []),
    (6, ("3----",), X, [1]),
    (6, ("3X---",), "6", [2]),
    (6, ("3X---",), X, [2]),
    (6, ("34343",), "4", []),
]


@pytest.mark.parametrize(("zone", "rows", "letter", "cells"), PLACEMENTS)
def test_a_letter_goes_where_the_rule_of_its_zone_lets_it(
    zone: int, rows: tuple[str, ...], letter: str, cells: list[int]
) -> None:
    assert legal(zone, rows, letter) == cells


# Points added up by hand from the table of the sheet.
POINTS = [
    (1, ("33", "4-"), 3),
    (1, ("33", "X4"), 6),
    (1, ("3-", "-4"), 0),
    (2, ("352--",), 4),
    (2, ("35246",), 9),
    (3, ("22", "44-"), 3),
    (3, ("2-", "44X"), 5),
    (4, ("1-3---",), 2),
    (4, ("---X--",), 2),
    (4, ("123456",), 7),
    (5, ("142", "5-", "-"), 5),
    (5, ("142", "53", "6"), 11),
    (6, ("23---",), 3),
    (6, ("23434",), 10),
]


@pytest.mark.parametrize(("zone", "rows", "points"), POINTS)
def test_points_of_a_zone(zone: int, rows: tuple[str, ...], points: int) -> None:
    assert RULES.zones[zone - 1].points(rows) == points


def test_a_placement_says_what_it_gains_and_completes() -> None:
    (move,) = RULES.zones[4].moves(("142", "53", "-"), "6")
    # the top cell is worth 4 and is the last of the burrow
    assert (move.rows, move.gain, move.completes) == (("142", "53", "6"), 4, True)


def test_neighbours_go_round() -> None:
    # on a ring of six every number has two neighbours: 12 ordered pairs
    assert sum(neighbours(a, b) for a, b in product(FACES, FACES)) == 12


def fillings(zone: int, numbers: int) -> int:
    """Different fillings of a zone after ``numbers`` numbers."""
    rule = RULES.zones[zone - 1]
    front = {rule.empty}
    for _ in range(numbers):
        front = {move.rows for rows in front for number in FACES for move in rule.moves(rows, number)}
    return len(front)


# pumpkins   one full (2 x 6) or both open (6 x 6)                                 12 + 36
# lilies     two different in order                                                6 x 5
# skewers    left full 6, right with two 6, one on each 36                         6 + 6 + 36
# mugs       two of six                                                            15
# burrow     neighbours differ 30, other neighbours 30, the outer two 36           30 + 30 + 36
# mushrooms  a number and one of its two neighbours                                6 x 2
@pytest.mark.parametrize(("zone", "count"), [(1, 48), (2, 30), (3, 48), (4, 15), (5, 96), (6, 12)])
def test_fillings_after_two_numbers(zone: int, count: int) -> None:
    assert fillings(zone, 2) == count


@pytest.mark.parametrize("zone", range(1, 7))
def test_essence_keeps_the_future(zone: int) -> None:
    """Zones of one essence allow the same gains, letter by letter, three letters deep."""
    rule = RULES.zones[zone - 1]

    def future(rows: tuple[str, ...], depth: int) -> object:
        if depth == 0:
            return 0
        return [
            sorted({(move.gain, move.completes, str(future(move.rows, depth - 1))) for move in moves})
            for moves in (rule.moves(rows, letter) for letter in FACES + X)
        ]

    front = {rule.empty}
    for _ in range(4):
        front = {move.rows for rows in front for letter in "135X" for move in rule.moves(rows, letter)}
        for rows in sorted(front)[:: max(1, len(front) // 12)]:
            assert future(rows, 2) == future(rule.essence(rows), 2)


def test_best_points_of_the_burrow() -> None:
    # cells filled: 0; one below; two below; those and the one on them, 1 + 1 + 2; all three below and one
    # on them, 3 + 2; all but the top, 3 + 4; all, 3 + 4 + 4, and the zone bonus 3
    assert best_points(RULES.zones[4], 3) == [0, 1, 2, 4, 5, 7, 14]


def test_no_sheet_passes_63_points() -> None:
    # published: 63 is an upper bound; here 79 points in all, less the mugs (7 + 3) and a pumpkin (3 + 3)
    assert score_bound(RULES) == 63
    cells = sum(size for zone in RULES.zones for size in zone.sizes)
    assert cells == 31
    assert RULES.rounds + list(RULES.bonus_at.values()).count(X) == 23


def test_sizes_come_from_the_rule_data() -> None:
    from fable_solve.solver.rules import Layer

    layer = Layer("test", {"lily_points": [5, 5], "burrow_points": [[1, 1], [9]], "skewer_sizes": [1, 1]})
    rules = load_rules("feuilles", [layer]).model
    assert [zone.empty for zone in rules.zones] == [
        ("--", "--"), ("--",), ("-", "-"), ("------",), ("--", "-"), ("-----",),
    ]  # fmt: skip
    assert [move.gain for move in rules.zones[4].moves(("12", "-"), "3")] == [9]


def test_shipped_points_sum_to_51() -> None:
    # pumpkins 6, lilies 9, skewers 8, mugs 7, burrow 11, mushrooms 10
    assert [best_points(zone, 0)[-1] for zone in RULES.zones] == [6, 9, 8, 7, 11, 10]


def test_two_of_six_mugs_are_the_pairs() -> None:
    rule, front = RULES.zones[3], {RULES.zones[3].empty}
    for _ in range(2):
        front = {move.rows for rows in front for number in FACES for move in rule.moves(rows, number)}
    pairs = {"".join(f if f in pair else "-" for f in FACES) for pair in combinations(FACES, 2)}
    assert {rows[0] for rows in front} == pairs
