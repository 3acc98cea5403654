"""What games say ended them agrees with the table they ended on."""

from __future__ import annotations

import pytest

from fable_solve.solver import registry
from fable_solve.solver.course import course
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import Layer, load_rules


def match(name, players, policy, mode=None, **changed):
    rules = load_rules(name, [Layer("test", changed)] if changed else [])
    return setup(registry.get(name), players, [policy], rules, mode).build()


def endings(played, games):
    return [course(played, number).ending for number in range(games)]


def test_a_square_is_empty_when_every_tile_was_taken():
    played = match("butterfly", 2, "random")
    # The start, and one move for each of the 36 tiles: 37 decisions.
    lengths = played.block(range(100)).lengths
    assert [end == "square empty" for end in endings(played, 100)] == [length == 37 for length in lengths]


def test_sheets_end_by_the_last_round_or_by_the_leaves():
    played = match("feuilles", 1, "greedy")
    found = endings(played, 60)
    # A game of fewer than 20 rounds was ended by its leaves.
    for end, length in zip(found, played.block(range(60)).lengths, strict=True):
        assert end == "leaf total" or length == 20
    assert set(found) == {"leaf total", "last round"}


@pytest.mark.parametrize(
    ("name", "mode", "changed", "known"),
    [
        ("cigale", "automne", {}, {"shelves"}),
        ("cigale", "automne", {"shelf_points": list(range(40))}, {"pile too small"}),
        ("cigale", "hiver", {}, {"points"}),
        ("cigale", "hiver", {"stall_guard": 1}, {"stall guard"}),
    ],
)
def test_cigale_ends_as_its_rules_say(name, mode, changed, known):
    assert set(endings(match(name, 2, "random", mode, **changed), 8)) == known


def test_a_ring_is_won_by_its_winner():
    played = match("chenille", 2, "random")
    wins = played.block(range(60)).winners[:, 1] == 1
    assert [end == "butterflies" for end in endings(played, 60)] == list(wins)
