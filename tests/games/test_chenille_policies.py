"""Policies and the study of Chenille."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import sqrt
from statistics import NormalDist
from typing import Any

import polars as pl
import pytest

from fable_solve.solver.estimate import Z95, wilson
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.chenille import GAME
from fable_solve.solver.games.chenille.cells import SIDES, SMALL, Cell, Exact, Small
from fable_solve.solver.games.chenille.compare import differences, newcombe
from fable_solve.solver.games.chenille.play import CHENILLES, GUEPE, Chenille, Phase, State
from fable_solve.solver.games.chenille.policies import card_gain, greedy, offer_gain, random, second_card_gain
from fable_solve.solver.games.chenille.readings import Reading, readings
from fable_solve.solver.games.chenille.studies import run, told_apart
from fable_solve.solver.games.chenille.views import differences_table, wins_table
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import Layer, load_rules
from fable_solve.solver.simulation import simulate
from fable_solve.solver.study import Request

RING = ("T1", "C1", "T2", "C2", "T1", "C1")


def game(**values: Any) -> Chenille:
    return Chenille(load_rules("chenille", [Layer("test", values)]).model)


def table(**values: Any) -> State:
    fields: dict[str, Any] = {
        "phase": Phase.OFFER,
        "ring": RING,
        "caterpillars": (0,) * 6,
        "reserve": 8,
        "butterflies": 0,
        "captured": 0,
        "wasps": (0, 3),
        "hand": (2, 2, 0, 2, 2, 2, 1, 1),
    }
    return State(**{**fields, **values})


def carry(card: str, **values: Any) -> State:
    return table(phase=Phase.CARRY, revealed=card, offer=("oeuf", "plus2"), **values)


def test_random_is_uniform_over_different_actions() -> None:
    """Two wasps on one place have two neighbours, not four moves: 3,000 draws within 4 standard errors."""
    rules, state, stream = game(), carry("plus1", wasps=(0, 0)), Stream(1)
    counts = Counter(random(rules, state, GUEPE, stream) for _ in range(3000))
    assert set(counts) == {(0, 1), (0, 5)}
    assert abs(counts[0, 1] - 1500) < 4 * (3000 / 4) ** 0.5


def test_random_always_turns_a_second_card() -> None:
    state = table(phase=Phase.DECIDE, revealed="cocon", offer=("plus1", "plus2"))
    assert {random(game(), state, CHENILLES, Stream(1, i)) for i in range(20)} == {"redraw"}


def test_greedy_wasp_takes_the_most() -> None:
    """Place 2 holds two caterpillars on Terre, place 5 one on Ciel; two steps from 0 pass 1 and reach 2."""
    state = carry("plus2", caterpillars=(0, 0, 2, 0, 0, 1), wasps=(0, 0))
    assert greedy(game(), state, GUEPE, Stream(1)) == (0, 1, 2)


def test_greedy_wasp_takes_the_one_that_is_further() -> None:
    """One on Terre or one on Ciel: the one on Ciel has come further."""
    state = carry("plus1", caterpillars=(0, 1, 0, 0, 1, 0), wasps=(0, 3))
    assert greedy(game(), state, GUEPE, Stream(1)) == (0, 1)


def test_greedy_caterpillar_flies_before_it_spins() -> None:
    state = carry("soleil", caterpillars=(1, 1, 0, 0, 0, 0))
    assert greedy(game(), state, CHENILLES, Stream(1)) == (1, "butterfly")


def test_greedy_caterpillar_keeps_away_from_wasps() -> None:
    """Wasps on 0 of six places are near all the others; the Terre place under them is safe."""
    state = carry("oeuf", wasps=(0, 0))
    assert greedy(game(), state, CHENILLES, Stream(1)) == ("reserve", 0)


def test_gain_of_an_offer_by_hand() -> None:
    """Cocon is unplayable: its third of the offer leads to the mean of Oeuf, +1/9, and plus1, which takes one
    on Ciel, -(5/4 + 4/9); that mean is negative, so the Chenilles pass if they may.

    In units of 1/36 these are +4 and -61; an offer's gain is the mean times 2 x 3 cards. Of two cards the
    one left is the second: 2 x 4 for the Oeuf itself, and 2 x 4 for the Cocon."""
    state = table(caterpillars=(0, 1, 0, 0, 0, 0), wasps=(0, 0))
    for redraw, second in (("optional", 0), ("forced", 4 - 61)):
        rules = game(redraw=redraw)
        gains = {kind: card_gain(rules, state, kind) for kind in ("oeuf", "cocon", "plus1")}
        assert gains == {"oeuf": 4, "cocon": None, "plus1": -61}
        assert offer_gain(rules, gains, ("oeuf", "cocon", "plus1")) == 2 * 4 - 2 * 61 + second
        assert offer_gain(rules, gains, ("oeuf", "cocon")) == 16


def test_greedy_second_card_uses_only_what_the_chenilles_know() -> None:
    """Hidden discards: the choice depends on the cards seen, not on those lying face down."""
    rules = game(discards="hidden")
    table_ = table(phase=Phase.DECIDE, revealed="cocon", caterpillars=(0, 1, 0, 0, 0, 0), seen=("cocon",))
    bad, good = (replace(table_, offer=offer) for offer in (("plus1", "plus1"), ("soleil", "soleil")))
    assert rules.information_state(bad, CHENILLES) == rules.information_state(good, CHENILLES)
    assert second_card_gain(rules, bad) == second_card_gain(rules, good)
    open_rules = game(discards="open")
    assert second_card_gain(open_rules, bad) < 0 < second_card_gain(open_rules, good)


@pytest.mark.parametrize("discards", ["open", "hidden"])
@pytest.mark.parametrize("deck", ["plus2", "replace_sun"])
def test_greedy_games_are_legal_and_end(deck: str, discards: str) -> None:
    """The rules raise on an illegal action; the choice of the Chenilles is a function of what they know."""
    rules = game(deck=deck, discards=discards)
    for episode in range(8):
        state, chance = rules.initial_state(), Stream(5, episode)
        while (mover := rules.player_to_move(state)) != TERMINAL:
            if mover == CHANCE:
                action = chance.weighted(rules.chance_outcomes(state))
            else:
                action = greedy(rules, state, mover, Stream(6, episode))
                if mover == CHENILLES and discards == "hidden":
                    blind = replace(state, hand=rules.deck, offer=("plus1",) * len(state.offer))
                    assert greedy(rules, blind, mover, Stream(6, episode)) == action
            state = rules.successor(state, action)


def test_greedy_beats_random_on_either_side() -> None:
    """100 games each; a share's standard error is at most 0.05, the differences are some 0.4."""
    rules = load_rules("chenille", [Layer("test", {"deck": "plus2"})])
    share = {}
    for pair in (("random", "random"), ("random", "greedy"), ("greedy", "random")):
        played = simulate(setup(GAME, 2, pair, rules), 100).episodes
        share[pair] = played.filter(played["seat"] == CHENILLES)["win_share"].mean()
    assert share["random", "greedy"] > share["random", "random"] + 0.15
    assert share["greedy", "random"] < share["random", "random"] - 0.15


def test_two_sides_whatever_the_number_of_players() -> None:
    """Five people are two sides: two policies, two rows a game."""
    run_ = setup(GAME, 5, ("greedy", "random"), load_rules("chenille"))
    played = simulate(run_, 3)
    assert played.seats == ("greedy", "random") and played.episodes.height == 6


def test_readings_of_the_rules() -> None:
    """The asked reading first; four decks under either rule for the second card; other changes kept."""
    found = readings(
        load_rules("chenille", [Layer("test", {"deck": "plus3", "redraw": "forced", "caterpillars": 9})])
    )
    assert [(item.deck, item.redraw) for item in found[:2]] == [("plus3", "forced"), ("default", "forced")]
    assert len({(item.deck, item.redraw) for item in found}) == len(found) == 8
    assert {item.rules.values["caterpillars"] for item in found} == {9}
    own = readings(load_rules("chenille", [Layer("test", {"deck": {"envol": 1}}, dotted=True)]))
    assert len(own) == 10 and own[0].deck == "given"


def test_study(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every reading is played and solved; each headline number carries a certificate; steps add up."""
    small = "fable_solve.solver.games.chenille.{}.SMALL"
    tiny = (Small("tiny", ("T1", "C1"), 1, 1, 1),)
    for module in ("studies", "views", "cells"):
        monkeypatch.setattr(small.format(module), tiny)
    steps = []
    request = Request(
        load_rules("chenille"),
        None,
        (2,),
        None,
        0,
        {"games": 3},
        "",
        lambda done, total: steps.append((done, total)),
    )
    result = run(request)
    assert steps == [(done, 26) for done in range(1, 27)]  # 8 readings x (2 + 1) + 2
    shown = [table.name for table in result.tables if table.headline]
    assert shown == ["wins", "differences", "exact_values"]
    assert [table.name for table in result.tables if not table.headline] == ["win_rates", "scores"]
    assert result.tables[1].frame.height == 2 * 7  # two pairs of policies, seven readings beside the first
    assert all(finding.certificate.kind in ("sampled", "exact") for finding in result.findings)
    assert len(result.findings) == 4 * 2 + 2 + 4
    scores = result.tables[4].frame
    assert scores.filter(scores["what"] == "captured")["games"].sum() == 18 * 3  # 16 cells and 2 crossed


def cell(
    reading: Reading, won: int, games: int = 250, policies: tuple[str, str] = ("greedy", "greedy")
) -> Cell:
    """A cell in which the Chenilles have won so many games."""
    episodes = pl.DataFrame(
        {
            "seat": [CHENILLES] * games,
            "win_share": [1.0] * won + [0.0] * (games - won),
            "length": [10] * games,
            "stopped": [False] * games,
        }
    )
    return Cell(reading, policies, games, episodes)


def test_interval_of_a_difference() -> None:
    """Newcombe 1998, table II (a): 56 of 70 against 48 of 80 by method 10, 95 %: 0.0524 to 0.3339."""
    low, high = newcombe(wilson(56 / 70, 70), wilson(48 / 80, 80), Z95)
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)


def test_only_differences_beyond_chance_are_claimed() -> None:
    """4 against 2 of 250 games is nothing; 2 against 120 is. Three comparisons: 1 - 0.05 / 3 each."""
    found = readings(load_rules("chenille"))[:4]
    apart = differences([cell(*item) for item in zip(found, (2, 4, 2, 120), strict=True)])
    assert [item.apart for item in apart] == ["open", "open", "more"]
    z = NormalDist().inv_cdf(1 - 0.05 / 3 / 2)
    # Both wins of the one are among the four of the other: r = (2 * 250 - 4 * 2) / sqrt(4 * 246 * 2 * 248).
    r = (2 * 250 - 4 * 2) / sqrt(4 * 246 * 2 * 248)
    expected = newcombe(wilson(4 / 250, 250), wilson(2 / 250, 250), z, r)
    assert (apart[0].low, apart[0].high) == pytest.approx(expected)
    reverse = differences([cell(*item) for item in zip(found, (120, 2, 120, 120), strict=True)])
    assert [item.apart for item in reverse] == ["less", "open", "open"]
    said = told_apart("greedy", apart)
    assert said == (
        "With both sides greedy, they win more often with replace_sun (optional); no difference from it is "
        "shown for plus2 (optional), plus3 (optional)."
    )
    assert told_apart("greedy", apart[:2]) == (
        "With both sides greedy, 250 games a reading do not tell any other reading from this one: the "
        "Chenilles win 0.8% to 1.6% of them."
    )


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [(0.0, 2.56e-13, "0 (at most 3e-13)"), (0.0, 3.2e-13, "0 (at most 4e-13)"),
     (0.0, 9.2e-13, "0 (at most 1e-12)"), (0.0, 0.0, "0"), (1e-13, 1.5e-13, "0 (at most 3e-13)"),
     (0.0580514, 5e-12, "0.0581")],
)  # fmt: skip
def test_values_in_words(value: float, error: float, text: str) -> None:
    """A value no larger than its error is 0 with a bound, rounded up, of value and error together."""
    item = Exact(SMALL[0], readings(load_rules("chenille"))[0], value, error, (0, 3), 1)
    assert item.probability == text


def test_shown_tables_fit_a_page() -> None:
    """The first columns name a row, and a row has at most 100 characters: no table is split in two."""
    found = readings(load_rules("chenille"))
    cells = [cell(reading, 3, policies=pair) for pair in SIDES for reading in found]
    tables = [wins_table(cells), differences_table(differences(cells[:8]), found[0])]
    for table in tables:
        assert table.frame.columns[:4] == ["deck", "redraw", "guepe", "chenilles"]
        assert not table.frame.select("deck", "redraw", "guepe", "chenilles").is_duplicated().any()
        texts = [[name.replace("_", " ") for name in table.frame.columns]]
        texts += [[f"{x:.4f}" if isinstance(x, float) else str(x) for x in row] for row in table.frame.rows()]
        assert sum(max(map(len, column)) + 3 for column in zip(*texts, strict=True)) <= 100
