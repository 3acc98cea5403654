"""Exact values of one sheet: against a plain recursion over the rules, by hand, and by their properties."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.estimate import mean
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.feuilles.advise import LEARNED, advise, solve
from fable_solve.solver.games.feuilles.document import item
from fable_solve.solver.games.feuilles.play import ROLLS, Feuilles, State
from fable_solve.solver.games.feuilles.rules import make_game
from fable_solve.solver.games.feuilles.values import least_sheets, sheet_value
from fable_solve.solver.games.feuilles.worth import optimised
from fable_solve.solver.positions import Position, parse_position
from fable_solve.solver.registry import get
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import finish, setup
from fable_solve.solver.rules import Layer, load_rules
from fable_solve.solver.study import silent

EMPTY = {
    "pumpkins": ["--", "--"], "lilies": "", "skewers": ["--", "---"], "mugs": "------",
    "burrow": ["---", "--", "-"], "mushrooms": "", "leaf_total": 0,
}  # fmt: skip


FULL = {
    "pumpkins": ["11", "22"], "lilies": "12345", "skewers": ["11", "222"], "mugs": "123456",
    "burrow": ["123", "45", "6"], "mushrooms": "12345",
}  # fmt: skip


def game_for(**rules: Any) -> Feuilles:
    return make_game(load_rules("feuilles", [Layer("test", rules)]).model, 1)


def position(round: int, dice: list[int] | None = None, sheets: int = 1, **sheet: Any) -> Position:
    document: dict[str, Any] = {"game": "feuilles", "round": round, "sheets": [{**EMPTY, **sheet}] * sheets}
    return parse_position({**document, **({"dice": dice} if dice else {})}, "p.toml")


def recursion(game: Feuilles, state: State, known: dict[State, float]) -> float:
    """The value straight from the definition, over the states of the rules."""
    if state not in known:
        mover = game.player_to_move(state)
        if mover == TERMINAL:
            known[state] = game.scores(state)[0]
        elif mover == CHANCE:
            known[state] = sum(p * recursion(game, game.successor(state, roll), known) for roll, p in ROLLS)
        else:
            actions = game.legal_actions(state, 0)
            known[state] = max(recursion(game, game.successor(state, a), known) for a in actions)
    return known[state]


def played(game: Feuilles, seed: int, rounds: int, joker_chance: int = 4) -> State:
    """A sheet after ``rounds`` rounds of random play in which jokers come often, its leaf total redrawn."""
    stream = Stream(seed)
    state = game.initial_state()
    while state.round < rounds:
        state = game.successor(state, stream.weighted(ROLLS))
        state = game.successor(state, stream.choice(game.legal_actions(state, 0)))
        (sheet,) = state.sheets
        # most leaf totals stay low, and some lie just below one that earns a joker
        total = stream.choice([9, 10, 29, 30, 49, 50]) if not stream.below(joker_chance) else 12
        state = state._replace(sheets=(replace(sheet, leaf_total=total),))
    (sheet,) = state.sheets
    total = stream.choice([7, 8, 17, 26, 28, 37, 40, 45, 46, 48, 50, 55, 58, 60])
    return state._replace(sheets=(replace(sheet, leaf_total=total),))


@pytest.mark.parametrize("reading", ["exact", "reach"])
@pytest.mark.parametrize("seed", range(6))
def test_last_round_equals_the_recursion(seed: int, reading: str) -> None:
    game = game_for(leaf_bonus=reading)
    state = played(game, seed, 10 + seed)._replace(round=19)
    assert sheet_value(game, state).value == pytest.approx(recursion(game, state, {}), abs=1e-9)


@pytest.mark.parametrize("reading", ["exact", "reach"])
@pytest.mark.parametrize("seed", range(4))
def test_two_rounds_equal_the_recursion(seed: int, reading: str) -> None:
    """The value before the roll, and the value of every choice of some rolls."""
    game = game_for(leaf_bonus=reading, rounds=30)  # a fuller sheet, which keeps the recursion short
    state, known = played(game, seed, 28), dict[State, float]()
    assert sheet_value(game, state).value == pytest.approx(recursion(game, state, known), abs=1e-9)
    for roll, _ in ROLLS[seed::9]:
        rolled = state._replace(roll=roll)
        for choice, value in sheet_value(game, rolled).rolls[0].choices:
            after = game.successor(rolled, choice)
            assert value == pytest.approx(recursion(game, after, known), abs=1e-9)


def test_choices_that_complete_different_zones() -> None:
    # the first choice fills the skewers and closes their bonus; the others may still earn it
    game, dice = game_for(), [1, 3, 3]
    state = position(18, dice, pumpkins=["3-", "55"], lilies="4316", skewers=["22", "44-"], mugs="123-56",
                     burrow=["165", "32", "-"], mushrooms="5434", leaf_total=8).state  # fmt: skip
    known: dict[State, float] = {}
    for choice, value in sheet_value(game, state).rolls[0].choices:
        assert value == pytest.approx(recursion(game, game.successor(state, choice), known), abs=1e-9)


def test_two_rounds_with_closed_bonuses_equal_the_recursion() -> None:
    game = game_for(rounds=30)
    state = played(game, 9, 28)._replace(closed=(1, 2, 3, 4, 5, 6))
    assert sheet_value(game, state).value == pytest.approx(recursion(game, state, {}), abs=1e-9)


def test_several_jokers_at_once_equal_the_recursion() -> None:
    # only changed rule data allow it; every leaf of 2 or more earns both
    game = game_for(leaf_bonus="reach", leaf_bonuses={"41": "X", "42": "X"})
    few = {**FULL, "mugs": "123---", "mushrooms": "1234", "leaf_total": 40}
    state = position(18, **few).state
    assert sheet_value(game, state).value == pytest.approx(recursion(game, state, {}), abs=1e-9)


def test_a_last_round_by_hand() -> None:
    # Everything is full but mug 4, worth 2 and the zone bonus 3. It takes a 4 for the zone and a 4 for the
    # number: two fours among three dice, 16 of 216 rolls (3 x 5 + 1).
    found = position(19, **{**FULL, "mugs": "123-56", "leaf_total": 22})
    score = found.game.scores(found.state)[0]
    assert score == 6 + 9 + 8 + 5 + 11 + 10
    value = solve(found, None, 10, silent).document["value"]
    assert value == pytest.approx(score + 5 * 16 / 216, abs=1e-12)


def test_a_game_that_ends_early_by_hand() -> None:
    # leaf total 60: any leaf ends the game and only a leaf of 1 hits 61. With nothing but passes left the
    # best die is the 1, if there is one: 5 points in 91 of 216 rolls.
    found = position(3, **{**FULL, "leaf_total": 60})
    solved = solve(found, None, 10, silent).document
    assert solved["value"] == pytest.approx(51 + 5 * 91 / 216, abs=1e-12)
    assert solved["states"] == 1


def test_value_before_the_roll_is_the_mean_over_the_rolls() -> None:
    game = game_for()
    state = played(game, 11, 18)
    total = sum(p * sheet_value(game, state._replace(roll=roll)).value for roll, p in ROLLS)
    assert sheet_value(game, state).value == pytest.approx(total, abs=1e-9)


def test_values_grow_with_what_is_open() -> None:
    game, reach = game_for(), game_for(leaf_bonus="reach")
    for seed in range(4):
        state = played(game, seed, 17)
        value = sheet_value(game, state).value
        assert sheet_value(game, state._replace(closed=(1, 2, 3, 4, 5, 6))).value <= value + 1e-9
        assert sheet_value(game, state._replace(round=18)).value <= value + 1e-9
        # Not for one round more: under reach a joker may be forced on a worse cell, never at a loss of points
        assert (
            sheet_value(reach, state._replace(round=19)).value
            >= sheet_value(game, state._replace(round=19)).value - 1e-9
        )


def test_pumpkins_may_be_swapped_and_eyes_too() -> None:
    same = {"burrow": ["142", "5-", "-"], "mugs": "12-4--"}
    one = position(18, pumpkins=["3-", "-5"], skewers=["-2", "4-4"], lilies="312", leaf_total=40, **same)
    other = position(18, pumpkins=["5-", "3-"], skewers=["2-", "-44"], lilies="231", leaf_total=40, **same)
    values = [sheet_value(p.game, p.state).value for p in (one, other)]
    assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_three_rounds_from_an_empty_sheet() -> None:
    # regression values of this solver (the recursion would take hours); reach is worth more
    values = [
        sheet_value(game_for(leaf_bonus=reading), position(17, leaf_total=54).state).value
        for reading in ("exact", "reach")
    ]
    assert values == pytest.approx([5.8385839382335005, 7.988624086299089], abs=1e-9)


def test_least_sheets_is_no_more_than_the_sheets_visited() -> None:
    game = game_for()
    for seed in range(3):
        state = played(game, seed, 17)
        assert least_sheets(game, state.sheets[0], 3) <= sheet_value(game, state).states


def test_least_sheets_by_hand() -> None:
    # before the last round: the sheet itself; before the last but one also those with one number: on an
    # empty sheet 6 (either pumpkin) + 6 + 12 + 6 + 18 + 6; at leaf total 60 no round follows
    game, (sheet,) = game_for(), position(0).state.sheets
    assert [least_sheets(game, sheet, rounds) for rounds in (1, 2)] == [1, 1 + 54]
    assert least_sheets(game, replace(sheet, leaf_total=60), 5) == 1


def test_too_large() -> None:
    with pytest.raises(
        TooLarge, match=r"too large to solve exactly: at least .* states, the limit is 20000000"
    ):
        solve(position(0), None, 20_000_000, silent)
    with pytest.raises(TooLarge):
        solve(
            position(17, **{**FULL, "mugs": "------", "mushrooms": "", "burrow": ["---", "--", "-"]}),
            None,
            300,
            silent,
        )


def test_progress_is_told() -> None:
    seen: list[int] = []
    found = position(17, leaf_total=55)
    states = solve(found, None, 10**6, lambda done, total: seen.append(done)).document["states"]
    assert seen == sorted(seen)
    assert 0 < seen[-1] <= states


def test_what_cannot_be_solved() -> None:
    with pytest.raises(BadInput, match=r"p.toml: sheets: expected one sheet, got 2 sheets"):
        solve(position(18, sheets=2), None, 1000, silent)
    with pytest.raises(BadInput, match="--objective: expected score"):
        solve(position(18), "win", 1000, silent)


def test_solve_lists_the_choices_of_the_roll() -> None:
    # (1,1,1) on an empty sheet before the last round: an eye scores nothing, whichever pumpkin it is in
    document = solve(position(19, [1, 1, 1]), None, 10, silent).document
    assert [(entry["cell"], entry["value"]) for entry in document["actions"]] == [(0, 0), (1, 0)]


def test_solve_without_dice_lists_the_rolls() -> None:
    document = solve(position(19), None, 10, silent).document
    entries = document["actions"]
    assert len(entries) == 56
    total = sum(entry["probability"] * entry["value"] for entry in entries)
    assert total == pytest.approx(document["value"], abs=1e-12)


def test_advice_is_exact_near_the_end() -> None:
    found = position(18, [2, 4, 5], lilies="3", mushrooms="3", leaf_total=36)
    advice = advise(found, None, 0).document
    assert (advice["certificate"]["kind"], advice["measure"]) == ("exact", "expected final score")
    assert advise(found, None, 0).title == "Choices; value: expected final score (exact, optimal play)"
    assert advice["actions"] == solve(found, None, 10**6, silent).document["actions"]
    values = [entry["value"] for entry in advice["actions"]]
    assert values == sorted(values, reverse=True)
    # leaf 5 hits 41 for 3 points; the mushroom 4 (zone 6 is not among the dice) cannot be written
    assert advice["actions"][0]["leaf"] == 5


def test_advice_before_that_is_by_learned_values() -> None:
    """The best choice is what the policy ``optimised`` does; its value, near what its games end with."""
    match = setup(get("feuilles"), 1, ("optimised",), load_rules("feuilles"), seed=3).build()
    chance, seats = match.streams(1000)
    state = match.game.initial_state()
    for _ in range(10):
        state = match.game.successor(state, chance.outcome(match.game, state))
        state = match.game.successor(state, optimised(match.game, state, 0, seats[0]))
    found = replace(position(0), state=state._replace(roll=(2, 4, 5)))
    answer = advise(found, None, 0)
    advice = answer.document
    assert (advice["method"], advice["measure"]) == (LEARNED, "expected final score")
    assert answer.title == f"Choices; value: expected final score (estimated: {LEARNED})"
    choice = optimised(found.game, found.state, 0, Stream(0))
    assert advice["actions"][0] == {**item(choice), "value": advice["actions"][0]["value"]}
    scores = []
    for number in range(200):
        chance, seats = match.streams(number)
        final, _ = finish(found.game, found.state, match.policies, chance, seats)
        scores.append(found.game.scores(final)[0])
    measured = mean(scores)
    # four standard errors, and what the values may contradict themselves by
    assert abs(measured.mean - advice["actions"][0]["value"]) < 4 * measured.se + 0.5
    values = [entry["value"] for entry in advice["actions"]]
    assert values == sorted(values, reverse=True)
    assert len(advise(found, None, 3).document["actions"]) == 3


def test_learned_values_that_contradict_themselves_are_not_used() -> None:
    """No game gives nine X: of such sheets the values learned from play know nothing."""
    found = position(6, [2, 4, 5], pumpkins=["X-", "--"], lilies="XX2", skewers=["X-", "4--"], mugs="X-----",
                     burrow=["1X2", "--", "-"], mushrooms="XX", leaf_total=21)  # fmt: skip
    advice = advise(found, None, 0).document
    assert advice["method"] == "greedy play-outs"


def test_advice_early_without_a_roll_lists_the_rolls() -> None:
    entries = advise(position(0), None, 0).document["actions"]
    assert len(entries) == 56
    assert sum(entry["probability"] for entry in entries) == pytest.approx(1)


def test_advice_for_a_win_is_sampled_and_reproducible() -> None:
    found = position(15, [2, 4, 5], sheets=2, lilies="312", leaf_total=36)
    advice = advise(found, None, 3).document
    assert advice == advise(found, None, 3).document
    assert (advice["method"], advice["measure"]) == ("greedy play-outs", "mean share of the win")
    answer = advise(found, None, 3)
    assert answer.title == "Choices; value: mean share of the win (sampled: n greedy play-outs each)"
    assert answer.columns[-5:] == ("value", "se", "low", "high", "n")
    for row in answer.rows:
        value, se, low, high, n = row[-5:]
        assert (low, high) == pytest.approx((value - 1.959964 * se, value + 1.959964 * se), rel=1e-6)
        assert n >= 20  # the fewest play-outs a choice gets
    assert len(advice["actions"]) == 2 * 3
    assert all(entry["certificate"]["kind"] == "sampled" for entry in advice["actions"])


def test_advice_near_the_end_lies_in_the_sampled_interval() -> None:
    """One round before the end greedy play is optimal, so play-outs must agree with the exact values."""
    game, sampled = game_for(), position(18, [2, 4, 5], lilies="3", mushrooms="3", leaf_total=36)
    exact = {str(entry["x"]) + str(entry["cell"]) + str(entry["zone"]) + str(entry["leaf"]): entry["value"]
             for entry in advise(sampled, "score", 0).document["actions"]}  # fmt: skip
    from fable_solve.solver.games.feuilles.advise import _sampled

    for entry in _sampled(game, sampled.state, 0, 0):
        key = str(entry["x"]) + str(entry["cell"]) + str(entry["zone"]) + str(entry["leaf"])
        assert abs(entry["value"] - exact[key]) <= 4 * entry["se"] + 1e-9


def test_advice_for_rivals_names_the_seats() -> None:
    found = position(19, [2, 4, 5], sheets=2, lilies="3", leaf_total=36)
    advice = advise(found, None, 0).document
    assert (advice["objective"], advice["measure"]) == ("win", "mean share of the win")
    assert {entry["seat"] for entry in advice["actions"]} == {0, 1}


def test_advice_needs_a_roll_with_rivals() -> None:
    with pytest.raises(BadInput, match=r"p.toml: dice: expected a roll to decide"):
        advise(position(5, sheets=2), None, 5)
