"""61 Feuilles d'automne as a game: rounds, leaf bonuses, zone bonuses, ends, illegal actions, whole games."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import pytest

from fable_solve.solver.errors import BadInput, IllegalAction
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL
from fable_solve.solver.games.feuilles.play import ROLLS, Choice, Feuilles, Sheet, State, shares
from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.games.feuilles.sheet import EMPTY, X
from fable_solve.solver.rng import Stream
from fable_solve.solver.rules import Layer, load_rules


def game_for(players: int = 1, objective: str | None = None, **rules: Any) -> Feuilles:
    return make_game(load_rules("feuilles", [Layer("test", rules)]).model, players, None, objective)


GAME = game_for()
EMPTY_SHEET = GAME.initial_state().sheets[0]


def sheet(leaf_total: int = 0, **zones: tuple[str, ...]) -> Sheet:
    names = ("pumpkins", "lilies", "skewers", "mugs", "burrow", "mushrooms")
    given = zip(names, EMPTY_SHEET.zones, strict=True)
    return Sheet(tuple(zones.get(name, empty) for name, empty in given), leaf_total)


def table(*sheets: Sheet, roll: tuple[int, int, int], round: int = 5) -> State:
    return State(round, roll, (), sheets)


def test_rolls_are_the_multisets_of_three_dice() -> None:
    # 216 ordered rolls: 6 triples once, 30 with a pair three times, 20 all different six times
    assert len(ROLLS) == 56
    assert sorted(round(216 * p) for _, p in ROLLS) == [1] * 6 + [3] * 30 + [6] * 20
    assert sum(p for _, p in ROLLS) == pytest.approx(1, abs=1e-12)


def test_dice_are_physical() -> None:
    # three faces to three roles; equal faces give fewer different ways
    assert len(shares((1, 2, 3))) == 6
    assert shares((2, 2, 5)) == ((2, 2, 5), (2, 5, 2), (5, 2, 2))
    assert shares((4, 4, 4)) == ((4, 4, 4),)


# Choices on an empty sheet by hand: pumpkins and skewers 2 cells, lilies, mugs and mushrooms 1, burrow 3.
# (1,1,1) pumpkins 2; (5,5,5) burrow 3; (1,2,3) each zone with two numbers: 2 x 2 + 2 x 1 + 2 x 2;
# (4,5,6) 2 x 1 + 2 x 3 + 2 x 1; (2,2,5): lily 2 or 5 with the other die as leaf, and burrow 2.
@pytest.mark.parametrize(
    ("roll", "count"), [((1, 1, 1), 2), ((5, 5, 5), 3), ((1, 2, 3), 10), ((4, 5, 6), 10), ((2, 2, 5), 5)]
)
def test_choices_of_the_first_round(roll: tuple[int, int, int], count: int) -> None:
    assert len(GAME.choices(EMPTY_SHEET, roll)) == count


def test_all_choices_of_the_first_round() -> None:
    # every ordered (zone, number, leaf) belongs to one roll: 36 x (2 + 1 + 2 + 1 + 3 + 1)
    assert sum(len(GAME.choices(EMPTY_SHEET, roll)) for roll, _ in ROLLS) == 360


def test_jokers_multiply_the_choices() -> None:
    # leaf total 10 and a leaf of 1: each of two pumpkins, then a joker in a pumpkin (2 are still open), a
    # lily, a skewer (2), a mug (6), a bottom cell of the burrow (3) or a mushroom:
    # 2 x (2 + 1 + 2 + 6 + 3 + 1)
    choices = GAME.choices(sheet(10), (1, 1, 1))
    assert len(choices) == 30
    assert all(len(choice.x) == 1 for choice in choices)


def after(start: Sheet, roll: tuple[int, int, int], choice: Choice, **rules: Any) -> Sheet:
    (result,) = game_for(**rules).successor(table(start, roll=roll), choice).sheets
    return result


# published table: 11 X, 21 2 points, 31 X, 41 3 points, 51 X, 61 5 points
BONUSES = [(11, 0, 1), (21, 2, 0), (31, 0, 1), (41, 3, 0), (51, 0, 1), (61, 5, 0)]


@pytest.mark.parametrize(("total", "points", "jokers"), BONUSES)
def test_leaf_bonuses_under_both_readings(total: int, points: int, jokers: int) -> None:
    exact, reach = (
        load_rules("feuilles", [Layer("test", {"leaf_bonus": r})]).model for r in ("exact", "reach")
    )
    assert exact.earned(total - 3, total) == reach.earned(total - 3, total) == (points, jokers)  # hit
    assert exact.earned(total - 3, total + 2) == (0, 0)  # passed
    assert reach.earned(total - 3, total + 2) == (points, jokers)
    assert exact.earned(total, total + 2) == reach.earned(total, total + 2) == (0, 0)  # had before


def test_no_die_earns_two_jokers() -> None:
    # the joker totals are 20 apart, a die is at most 6
    model = load_rules("feuilles", [Layer("test", {"leaf_bonus": "reach"})]).model
    assert max(model.earned(leaf, leaf + die)[1] for leaf in range(61) for die in range(1, 7)) == 1


@pytest.mark.parametrize(
    ("zone", "cell", "rows"),
    [
        (1, 0, ("1X", "--")),  # beside the 1 just written: the joker equals it
        (1, 1, ("1-", "X-")),
        (2, 0, ("X----",)),
        (3, 1, ("--", "X--")),
        (4, 4, ("----X-",)),
        (5, 2, ("--X", "--", "-")),
        (6, 0, ("X----",)),
    ],
)
def test_a_joker_is_placed_in_any_zone(zone: int, cell: int, rows: tuple[str, ...]) -> None:
    result = after(sheet(10), (1, 1, 1), Choice(1, 1, 1, 0, ((zone, cell),)))
    assert result.zones[zone - 1] == rows
    assert result.leaf_total == 11


def test_a_joker_is_placed_after_the_number() -> None:
    # the last bottom cell is written first, so the joker may stand on it
    start = sheet(10, burrow=("12-", "--", "-"))
    result = after(start, (1, 3, 5), Choice(5, 3, 1, 2, ((5, 4),)))
    assert result.zones[4] == ("123", "-X", "-")


def test_a_joker_must_be_placed() -> None:
    with pytest.raises(IllegalAction, match="expected 1 jokers placed, got 0"):
        after(sheet(10), (1, 1, 1), Choice(1, 1, 1, 0))


FULL = {
    "pumpkins": ("11", "22"),
    "lilies": ("12345",),
    "skewers": ("11", "222"),
    "mugs": ("123456",),
    "burrow": ("123", "45", "6"),
    "mushrooms": ("12345",),
}


def test_a_joker_without_a_cell_is_lost() -> None:
    start = sheet(10, **FULL)
    assert GAME.choices(start, (1, 2, 2)) == [Choice(0, 0, 1, -1), Choice(0, 0, 2, -1)]
    result = after(start, (1, 2, 2), Choice(0, 0, 1, -1))
    assert (result.zones, result.leaf_total) == (start.zones, 11)


def test_passing_earns_the_leaf_bonus() -> None:
    start = sheet(20, **FULL)
    assert after(start, (1, 2, 2), Choice(0, 0, 1, -1)).leaf_points == 2


def test_nobody_may_pass_while_something_fits() -> None:
    with pytest.raises(IllegalAction, match="a number written or, if none fits"):
        after(EMPTY_SHEET, (1, 2, 3), Choice(0, 0, 1, -1))


def test_two_jokers_in_one_round_under_changed_bonuses() -> None:
    rules = {"leaf_bonus": "reach", "leaf_bonuses": {"11": X, "12": X}}
    start = sheet(10, **{**FULL, "mugs": ("123---",), "lilies": ("1234-",)})
    choices = game_for(**rules).choices(start, (2, 2, 2))
    # no number fits zone 2 (2 is there), so a leaf of 2 and two of lily 5 and mugs 4, 5, 6: 6 pairs
    assert len({frozenset(choice.x) for choice in choices}) == len(choices) == 6


def both(one: Choice, other: Choice, *sheets: Sheet, closed: tuple[int, ...] = ()) -> State:
    return game_for(2).successor(State(5, (1, 4, 6), closed, sheets), (one, other))


LAST_MUG = {"mugs": ("12345-",)}


def test_everybody_who_completes_a_zone_first_is_paid() -> None:
    last = Choice(4, 6, 1, 5)
    state = both(last, last, sheet(**LAST_MUG), sheet(**LAST_MUG))
    assert [s.zone_bonus for s in state.sheets] == [(4,), (4,)]
    assert state.closed == (4,)
    assert game_for(2).scores(state) == (10, 10)  # mugs 7 and the bonus 3


def test_later_completions_are_not_paid() -> None:
    game, last = game_for(2), Choice(4, 6, 1, 5)
    state = both(last, Choice(4, 1, 6, 0), sheet(**LAST_MUG), sheet(mugs=("-2345-",)))
    assert ([s.zone_bonus for s in state.sheets], state.closed) == ([(4,), ()], (4,))
    state = game.successor(state._replace(roll=(1, 4, 6)), (Choice(1, 4, 6, 0), last))
    assert [s.zone_bonus for s in state.sheets] == [(4,), ()]
    assert game.scores(state) == (10, 7)


def test_a_closed_bonus_is_not_paid_to_a_single_sheet() -> None:
    state = State(5, (1, 4, 6), (4,), (sheet(**LAST_MUG),))
    assert GAME.successor(state, Choice(4, 6, 1, 5)).sheets[0].zone_bonus == ()


def test_a_joker_completes_a_zone() -> None:
    result = after(sheet(10, **LAST_MUG), (1, 2, 2), Choice(2, 2, 1, 0, ((4, 5),)))
    assert (result.zones[3], result.zone_bonus) == (("12345X",), (4,))


def test_two_zones_completed_in_one_round() -> None:
    start = sheet(10, **LAST_MUG, lilies=("1234-",))
    result = after(start, (1, 2, 5), Choice(2, 5, 1, 4, ((4, 5),)))
    assert result.zone_bonus == (2, 4)


def test_the_round_that_reaches_the_target_is_finished_by_all() -> None:
    state = State(5, (1, 4, 6), (), (sheet(60), sheet(3)))
    game = game_for(2)
    end = game.successor(state, (Choice(4, 6, 1, 5), Choice(4, 6, 1, 5)))
    assert game.player_to_move(end) == TERMINAL
    assert [s.leaf_total for s in end.sheets] == [61, 4]
    # the first earns the 5 points of leaf total 61 as well
    assert game.scores(end) == (6, 1)
    assert game.win_shares(end) == (1, 0)


def test_the_last_round() -> None:
    state = table(EMPTY_SHEET, roll=(1, 2, 3), round=19)
    end = GAME.successor(state, Choice(1, 2, 3, 0))
    assert (end.round, GAME.player_to_move(end), GAME.legal_actions(end, 0)) == (20, TERMINAL, [])
    with pytest.raises(IllegalAction):
        GAME.successor(end, (1, 2, 3))


def test_ties_share_the_win() -> None:
    game = game_for(3)
    end = State(20, None, (), (sheet(mugs=("1-----",)), sheet(mugs=("-2----",)), EMPTY_SHEET))
    assert game.win_shares(end) == (0.5, 0.5, 0)


def test_objectives() -> None:
    end = State(20, None, (), (sheet(mugs=("123---",)), sheet(mugs=("-2----",))))
    assert game_for(2, "win").returns(end) == (1, 0)
    assert game_for(2, "margin").returns(end) == (2, -2)
    assert game_for(2, "score").returns(end) == (3, 1)
    assert game_for(1).returns(end._replace(sheets=end.sheets[:1])) == (3,)


@pytest.mark.parametrize(
    ("players", "objective", "message"),
    [
        (0, None, "1 to 12 players"),
        (13, None, "1 to 12 players"),
        (3, "margin", "2 players for the objective margin"),
        (2, "cards", "win, margin or score"),
    ],
)
def test_games_that_do_not_exist(players: int, objective: str | None, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        game_for(players, objective)


def test_63_points_are_reached() -> None:
    """All but the mugs and a pumpkin, every leaf bonus hit, and the three jokers on the right skewer."""
    leaves = [3, 3, 3, 2, *(4, 3, 3) * 4, 3, 3, 2, 2]  # 11 21 31 41 51 61 are all hit, in 20 rounds
    writes = [(2, v, v - 1) for v in (1, 2, 3, 4, 5)] + [(3, 1, 0), (3, 1, 0), (1, 6, 0), (1, 6, 0)]
    writes += [(5, 1, 0), (5, 2, 1), (5, 3, 2), (5, 4, 3), (5, 5, 4), (5, 6, 5)]
    writes += [(6, 1, 0), (6, 2, 1), (6, 3, 2), (6, 4, 3), (6, 5, 4)]
    state, total = GAME.initial_state(), 0
    for (zone, number, cell), leaf in zip(writes, leaves, strict=True):
        total += leaf
        state = GAME.successor(state, tuple(sorted((zone, number, leaf))))
        state = GAME.successor(
            state, Choice(zone, number, leaf, cell, ((3, 1),) if total in (11, 31, 51) else ())
        )
    # 3 + 9 + 8 + 11 + 10 in the zones, 2 + 3 + 5 for leaves, 4 zone bonuses of 3; the proved bound
    assert GAME.player_to_move(state) == TERMINAL
    assert GAME.scores(state) == (63,)
    assert GAME.return_bounds == (0, 63)


def test_a_choice_is_accepted_exactly_if_it_is_listed() -> None:
    starts = [EMPTY_SHEET, sheet(10, burrow=("12-", "--", "-"), lilies=("12---",)), sheet(3, **FULL)]
    for start, roll in product(starts, [(1, 2, 5), (2, 2, 5), (4, 4, 4)]):
        listed = set(GAME.choices(start, roll))
        jokers = [(), *(((zone, cell),) for zone in range(1, 7) for cell in range(6))]
        for zone, number, leaf in product(range(7), repeat=3):
            for cell, placed in product(
                range(-1, 6), jokers if start.leaf_total == 10 and zone == 5 else [()]
            ):
                choice = Choice(zone, number, leaf, cell, placed)
                state = table(start, roll=roll)
                if choice in listed:
                    assert GAME.successor(state, choice).round == 6
                else:
                    with pytest.raises(IllegalAction):
                        GAME.successor(state, choice)


@pytest.mark.parametrize("action", [None, 3, (), (1, 2), (3, 2, 1), (0, 1, 2), (1, 2, 7), [1, 2, 3]])
def test_what_is_not_a_roll(action: Any) -> None:
    with pytest.raises(IllegalAction):
        GAME.successor(GAME.initial_state(), action)


@pytest.mark.parametrize("action", [None, (), 4, (Choice(1, 2, 3, 0),), (Choice(1, 2, 3, 0), None)])
def test_what_is_not_a_joint_action(action: Any) -> None:
    state = game_for(2).initial_state()._replace(roll=(1, 2, 3))
    with pytest.raises(IllegalAction):
        game_for(2).successor(state, action)


def count_points(end: Sheet) -> int:
    """The score counted from the letters alone, apart from the zones' own code."""
    pumpkins, (lilies,), skewers, (mugs,), burrow, (mushrooms,) = end.zones
    values = [3 for row in pumpkins if EMPTY not in row]
    values += [points for letter, points in zip(lilies, (1, 1, 2, 2, 3), strict=True) if letter != EMPTY]
    values += [points for row, points in zip(skewers, (3, 5), strict=True) if EMPTY not in row]
    values += [1 + (mug == 3) for mug, letter in enumerate(mugs) if letter != EMPTY]
    values += [
        points for row, points in zip(burrow, (1, 2, 4), strict=True) for letter in row if letter != EMPTY
    ]
    values += [points for letter, points in zip(mushrooms, (1, 2, 2, 2, 3), strict=True) if letter != EMPTY]
    return sum(values) + end.leaf_points + 3 * len(end.zone_bonus)


@pytest.mark.parametrize("reading", ["exact", "reach"])
@pytest.mark.parametrize("players", range(1, 13))
def test_whole_games_with_random_choices(players: int, reading: str) -> None:
    game, stream = game_for(players, leaf_bonus=reading), Stream(players)
    state, written, lost = game.initial_state(), [0] * players, False
    while (mover := game.player_to_move(state)) != TERMINAL:
        if mover == CHANCE:
            state = game.successor(state, stream.weighted(game.chance_outcomes(state)))
            continue
        assert mover == (0 if players == 1 else SIMULTANEOUS)
        joint = tuple(stream.choice(game.legal_actions(state, seat)) for seat in range(players))
        for seat, choice in enumerate(joint):
            earned = game.rules.earned(
                state.sheets[seat].leaf_total, state.sheets[seat].leaf_total + choice.leaf
            )
            lost |= len(choice.x) < earned[1]
            written[seat] += bool(choice.zone) + len(choice.x)
        before, state = state, game.successor(state, joint[0] if players == 1 else joint)
        assert hash(before) != hash(state)
        assert set(before.closed) <= set(state.closed)
    for seat, end in enumerate(state.sheets):
        assert sum(letter != EMPTY for rows in end.zones for row in rows for letter in row) == written[seat]
        assert game.scores(state)[seat] == count_points(end)
        for zone, rows in zip(game.rules.zones, end.zones, strict=True):
            zone.check(rows)
    assert not lost  # a sheet has 31 cells, a game fills at most 23
    assert sum(game.win_shares(state)) == pytest.approx(1, abs=1e-12)
    earners = {zone for end in state.sheets for zone in end.zone_bonus}
    assert earners == set(state.closed)
    assert state.round == 20 or max(end.leaf_total for end in state.sheets) >= 61


def test_descriptions_are_readable() -> None:
    state = table(sheet(10), roll=(1, 1, 1))
    assert GAME.describe_action(state, Choice(1, 1, 1, 0, ((4, 2),))) == (
        "seat 0: 1 in pumpkins cell 0, leaf 1, X in mugs cell 2"
    )
    assert GAME.describe_action(state._replace(roll=None), (1, 1, 1)) == "roll 1 1 1"
    assert "score 0" in GAME.describe_state(state)


def test_orders_of_a_roll_make_no_difference() -> None:
    assert all(set(shares(roll)) == set(permutations(roll)) for roll, _ in ROLLS)


def test_has_choice_says_whether_there_are_actions() -> None:
    """At every table of some games, before the roll and at the end too: what the list of actions says."""
    game, stream, seen = make_game(load_rules("feuilles").model, 2), Stream(11), set()
    for _ in range(6):
        state: Any = game.initial_state()
        while True:
            for seat in range(2):
                assert game.has_choice(state, seat) == bool(game.legal_actions(state, seat))
            mover = game.player_to_move(state)
            seen.add(mover)
            if mover == TERMINAL:
                break
            if mover == CHANCE:
                state = game.successor(state, stream.weighted(game.chance_outcomes(state)))
            else:
                state = game.successor(
                    state, tuple(stream.choice(game.legal_actions(state, seat)) for seat in range(2))
                )
    assert seen == {CHANCE, SIMULTANEOUS, TERMINAL}
