"""Exact values of Chenille against plain value iteration over the pure rules, and against values by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fable_solve.solver.errors import TooLarge
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.chenille.cards import KINDS
from fable_solve.solver.games.chenille.exact import solve, unseen
from fable_solve.solver.games.chenille.layers import list_flights, list_hands, list_layers
from fable_solve.solver.games.chenille.play import CHENILLES, Chenille, Phase, State
from fable_solve.solver.games.chenille.sizes import count_hands, count_tables
from fable_solve.solver.rng import Stream
from fable_solve.solver.rules import Layer, load_rules

NO_CARDS = dict.fromkeys(KINDS, 0)


def game(deck: dict[str, int], **values: Any) -> Chenille:
    values = {"deck": {**NO_CARDS, **deck}, "discards": "open", **values}
    return Chenille(load_rules("chenille", [Layer("test", values)]).model)


def start(rules: Chenille, ring: str, reserve: int, **values: Any) -> State:
    places = tuple(ring.split())
    state = State(Phase.START, places, (0,) * len(places), reserve, 0, 0, None, rules.deck)
    return replace(state, **values)


def plain_values(rules: Chenille, root: State) -> dict[State, float]:
    """Values of every state reachable from ``root``, iterated from 0 with nothing but the pure rules.

    Sweeps go backwards through a breadth-first order and stop when none changes a value by 1e-13.
    """
    order, number, after = [root], {root: 0}, list[list[tuple[int, float]]]()
    for state in order:
        mover, chances = rules.player_to_move(state), list[tuple[Any, float]]()
        if mover == CHANCE:
            chances = list(rules.chance_outcomes(state))
        elif mover != TERMINAL:
            chances = [(action, 1.0) for action in rules.legal_actions(state, mover)]
        children = [(rules.successor(state, action), chance) for action, chance in chances]
        for child, _ in children:
            if child not in number:
                number[child] = len(order)
                order.append(child)
        after.append([(number[child], chance) for child, chance in children])
    movers = [rules.player_to_move(state) for state in order]
    values = [
        rules.win_shares(state)[CHENILLES] if mover == TERMINAL else 0.0
        for state, mover in zip(order, movers, strict=True)
    ]
    change = 1.0
    while change > 1e-13:
        change = 0.0
        for i in range(len(order) - 1, -1, -1):
            if movers[i] == TERMINAL:
                continue
            if movers[i] == CHANCE:
                value = sum(values[child] * chance for child, chance in after[i])
            else:
                best = max if movers[i] == CHENILLES else min
                value = best(values[child] for child, _ in after[i])
            change = max(change, abs(value - values[i]))
            values[i] = value
    return dict(zip(order, values, strict=True))


SIX = {"oeuf": 1, "cocon": 1, "envol": 1, "soleil": 1, "plus1": 1, "plus2": 1}
TINY = [
    # ring, caterpillars, deck, rules; two places: two steps lead back, MemeCarte is not playable
    ("T1 C1", 2, {"oeuf": 1, "cocon": 1, "soleil": 1, "plus1": 1, "plus2": 1, "meme": 1},
     {"captures_to_win": 2}),
    ("T2 C1", 2, SIX, {"captures_to_win": 2, "redraw": "forced"}),
    ("T1 C1 T1 C1", 1, SIX, {"captures_to_win": 1}),
    # no Soleil; across and the same kind; a deck of five, whose last offer holds two
    ("T1 C2 C1 T1", 1, {"oeuf": 1, "cocon": 1, "envol": 1, "traverse": 1, "meme": 1}, {"captures_to_win": 1}),
    # one lone Terre: MemeCarte is playable for some pairs of wasps only
    ("T2 C1 C1 C1", 1, {"oeuf": 1, "soleil": 2, "plus1": 1, "meme": 1}, {"captures_to_win": 1}),
    # seven cards: the last offer is one card, which may not be playable, with nothing to turn instead
    ("T1 C1 T1 C1", 1, {"oeuf": 2, "cocon": 1, "envol": 2, "plus2": 2}, {"captures_to_win": 1}),
    # offers of two, some of them both unplayable
    ("T1 C1", 2, {"oeuf": 1, "cocon": 1, "envol": 1, "plus2": 2, "plus1": 1},
     {"captures_to_win": 1, "butterflies_to_win": 2, "offer_size": 2, "redraw": "forced"}),
    # offers of one: no choice of cards, only of their order
    ("T1 C1 T1 C1", 1, {"oeuf": 1, "soleil": 2, "plus1": 1},
     {"captures_to_win": 1, "offer_size": 1, "offer_favourable": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("ring", "caterpillars", "deck", "values"), TINY)
def test_against_plain_value_iteration(
    ring: str, caterpillars: int, deck: dict[str, int], values: dict[str, Any]
) -> None:
    """Every state between offers and every fifth other (the compiled values carried on by the rules)."""
    rules = game(deck, **{"butterflies_to_win": 1, **values})
    root = start(rules, ring, caterpillars)
    solved = solve(rules, root, 1_000_000)
    assert solved.error < 1e-10
    expected = plain_values(rules, root)
    offers = [state for state in expected if state.phase == Phase.OFFER]
    assert len(offers) > 20
    others = [state for state in expected if state.phase != Phase.OFFER]
    for state in (*offers, *others[::5]):
        assert solved.value(state) == pytest.approx(expected[state], abs=1e-10)


def test_values_differ_from_trivial_ones() -> None:
    """The comparison above is no comparison of zeros: most of its games are neither won nor lost."""
    open_games = 0
    for ring, caterpillars, deck, values in TINY:
        rules = game(deck, **{"butterflies_to_win": 1, **values})
        root = start(rules, ring, caterpillars)
        open_games += 1e-6 < solve(rules, root, 1_000_000).value(root) < 1 - 1e-6
    assert open_games >= 5


def test_one_caterpillar_on_ciel_and_wasp_cards_that_cannot_reach_it() -> None:
    """By hand: one Envol and two plus1 are every offer; both wasps on place 0 of six, the caterpillar on 3.
    The first card is Envol with 1/3 and wins; else a wasp flies one place, and it arrives with the third
    flight. The Chenilles miss three times with (2/3)^3 = 8/27, so they win with 19/27."""
    rules = game({"envol": 1, "plus1": 2}, butterflies_to_win=1, captures_to_win=1)
    state = start(
        rules, "T1 C1 T1 C1 T1 C1", 0, caterpillars=(0, 0, 0, 1, 0, 0), wasps=(0, 0), phase=Phase.OFFER
    )
    assert solve(rules, state, 100_000).value(state) == pytest.approx(19 / 27, abs=1e-11)


def test_redraw_by_hand() -> None:
    """By hand: Envol, Cocon and plus1 are every offer; the caterpillar is on Terre, the wasps on T1 and C1.

    Forced: it leaves Terre if Cocon is turned first (1/3), or Envol and then Cocon (1/3 * 1/2): 1/2; else
    plus1 is turned and takes it, 1/2. On Ciel it flies likewise with 1/2 before plus1 comes. In all 1/4.
    Optional: a pass repeats the turn, worth what it was worth before; a second card is as good on average
    (1/2 a step ahead, 1/2 lost), so the choice adds nothing.
    """
    for redraw in ("forced", "optional"):
        rules = game(
            {"envol": 1, "cocon": 1, "plus1": 1}, butterflies_to_win=1, captures_to_win=1, redraw=redraw
        )
        state = start(rules, "T1 C1", 0, caterpillars=(1, 0), wasps=(0, 1), phase=Phase.OFFER)
        value = solve(rules, state, 100_000).value(state)
        assert value == pytest.approx(1 / 4, abs=1e-11)
    none = game({"envol": 2, "plus1": 1}, butterflies_to_win=1, captures_to_win=1)
    assert none.hopeless(state)


def test_forced_redraw_gives_the_guepe_sure_flights() -> None:
    """An optional second card leaves the Chenilles every play of the forced one, and here it is worth more:
    the Guepe can no longer turn an unplayable card and two wasp cards into a sure flight."""
    worths = []
    for redraw in ("optional", "forced"):
        rules = game(SIX, butterflies_to_win=1, captures_to_win=2, redraw=redraw)
        root = start(rules, "T1 C1 T1 C1", 2)
        worths.append(solve(rules, root, 1_000_000).value(root))
    assert worths[1] < worths[0]


def test_error_bound_holds_for_a_loose_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped early, the values are off by at most the bound that is then reported."""
    rules = game(SIX, butterflies_to_win=1, captures_to_win=2)
    root = start(rules, "T1 C1 T1 C1", 2)
    exact = solve(rules, root, 1_000_000)
    monkeypatch.setattr("fable_solve.solver.games.chenille.exact.LAYER_TOLERANCE", 0.05)
    loose = solve(rules, root, 1_000_000)
    off = float(np.abs(loose.values - exact.values).max())
    assert 1e-9 < off <= loose.error + exact.error


def test_actions_are_sorted_for_the_side_to_move() -> None:
    rules = game(SIX, butterflies_to_win=1, captures_to_win=2)
    root = start(rules, "T1 C1 T1 C1", 2)
    solved = solve(rules, root, 1_000_000)
    starts = [value for _, value in solved.actions(root)]
    assert starts == sorted(starts) and len(starts) == 2
    offer = rules.successor(root, (0, 2))
    offers = solved.actions(offer)
    assert solved.value(offer) == pytest.approx(offers[0][1], abs=1e-12)
    carried = rules.successor(rules.successor(offer, ("oeuf", "plus1", "plus2")), "oeuf")
    worths = [value for _, value in solved.actions(carried)]
    assert worths == sorted(worths, reverse=True) and len(worths) == 2


def test_layers_by_hand() -> None:
    """One caterpillar on T1 C1, one butterfly or capture to win: it is in the reserve, on Terre, on Ciel."""
    rules = game(SIX, butterflies_to_win=1, captures_to_win=1)
    layers = list_layers(rules, start(rules, "T1 C1", 1), lambda count: None)
    assert [state.caterpillars for state in layers.index] == [(0, 0), (1, 0), (0, 1)]
    assert layers.order == (4, 3, 2)
    assert layers.layers[2].steps == ((3,), (), ())
    assert layers.layers[3].captures == (0, 3, 0, 0)  # place 0; place 1; places 0 and 1, both ways


def test_flights_by_hand() -> None:
    """Four places: 10 pairs; wasps on 0 and 2 may each go to a neighbour, twice across two, once across and
    once to the same kind: 4 + 4 + 2 + 2 moves."""
    flights = list_flights(("T1", "C1", "T2", "C2"))
    pair = flights.index[0, 2]
    rows = [card * len(flights.index) + pair for card in range(4)]
    assert len(flights.index) == 10
    assert [flights.first[row + 1] - flights.first[row] for row in rows] == [4, 4, 2, 2]
    two = slice(flights.first[rows[1]], flights.first[rows[1] + 1])
    assert sorted(flights.spot[two]) == [4, 5, 6, 7]  # 4 + i: places i and i + 1


@pytest.mark.parametrize("deck", ["default", "plus2", "plus3", "replace_sun"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_number_of_hands(deck: str, size: int) -> None:
    """The count by its formula is that of the hands found by laying every offer."""
    values = {"offer_size": size, "offer_favourable": 0 if size == 1 else 1}
    layers = [Layer("test", values)] + ([Layer("test", {"deck": deck})] if deck != "default" else [])
    rules = Chenille(load_rules("chenille", layers).model)
    found = list_hands(rules, rules.deck, lambda count: None)
    assert count_hands(rules.deck, size, rules.rules.offer_favourable) == len(found.index)


@pytest.mark.parametrize("episode", range(40))
def test_number_of_tables(episode: int) -> None:
    """The count is that of the tables found by playing every card from an empty ring, and never above it."""
    stream = Stream(11, episode)
    rules = game(SIX, butterflies_to_win=1 + stream.below(3), captures_to_win=1 + stream.below(3))
    ring = tuple(stream.choice("TC") + stream.choice("123") for _ in range(stream.choice((2, 4))))
    reserve = rules.rules.butterflies_to_win + stream.below(3)
    empty = replace(start(rules, " ".join(ring), reserve), phase=Phase.OFFER)
    for root in (
        empty,
        replace(empty, caterpillars=tuple(stream.below(int(place[1]) + 1) for place in ring)),
    ):
        if rules.won_by(root) is not None:
            continue
        found, counted = len(list_layers(rules, root, lambda count: None).index), count_tables(rules, root)
        assert 1 <= counted <= found
        assert counted == found or root != empty


def test_the_published_game_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """60,336 tables (checked by listing them once) and 16 of work space, 277 hands, 78 pairs of wasps."""
    monkeypatch.setattr("fable_solve.solver.games.chenille.exact.list_hands", None)  # nothing is listed
    rules = Chenille(load_rules("chenille").model)
    with pytest.raises(TooLarge) as raised:
        solve(rules, start(rules, "T1 C1 T1 C1 T2 C2 T1 C1 T1 C1 T2 C2", 8), 200_000_000)
    assert raised.value.estimate == (60_336 + 16) * 277 * 78


@pytest.mark.parametrize("limit", [1, 1000, 100_000])
def test_too_large(limit: int) -> None:
    rules = Chenille(load_rules("chenille").model)
    root = start(rules, "T1 C1 T1 C1 T2 C2 T1 C1 T1 C1 T2 C2", 8)
    with pytest.raises(TooLarge, match=f"the limit is {limit}") as raised:
        solve(rules, root, limit)
    assert raised.value.estimate > limit


def test_hidden_positions_are_solved_as_open_ones() -> None:
    """The value does not depend on the option, nor on what the Chenilles have seen."""
    values = []
    for discards in ("open", "hidden"):
        rules = game(SIX, butterflies_to_win=1, captures_to_win=2, discards=discards)
        state = rules.successor(start(rules, "T1 C1 T1 C1", 2), (0, 2))
        state = rules.successor(rules.successor(state, ("oeuf", "plus1", "plus2")), "oeuf")
        state = rules.successor(state, ("reserve", 0))
        values.append(solve(rules, unseen(state), 1_000_000).value(unseen(state)))
    assert values[0] == values[1]
