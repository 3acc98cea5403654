"""Rules of Chenille, each by hand on small tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fable_solve.solver.errors import BadInput, IllegalAction
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.chenille.cards import KINDS, Hand, favourable, legal_offers, offers_left
from fable_solve.solver.games.chenille.play import CHENILLES, GUEPE, Chenille, Phase, State
from fable_solve.solver.games.chenille.ring import caterpillar_moves, fly, opposite_pairs, wasp_moves
from fable_solve.solver.games.chenille.rules import make_game
from fable_solve.solver.policy import uniform
from fable_solve.solver.rng import Stream
from fable_solve.solver.rules import Layer, load_rules

DECK = (2, 2, 0, 2, 2, 2, 1, 1)
RING = ("T1", "C1", "T2", "C2")


def hand(**counts: int) -> Hand:
    return tuple(counts.get(kind, 0) for kind in KINDS)


def game(limit: int | None = None, **values: Any) -> Chenille:
    return Chenille(load_rules("chenille", [Layer("test", values)]).model, limit)


def table(**values: Any) -> State:
    """A small table with the Guepe to lay an offer."""
    fields: dict[str, Any] = {
        "phase": Phase.OFFER,
        "ring": RING,
        "caterpillars": (0, 0, 0, 0),
        "reserve": 8,
        "butterflies": 0,
        "captured": 0,
        "wasps": (0, 2),
        "hand": DECK,
    }
    return State(**{**fields, **values})


def turn(rules: Chenille, state: State, offer: tuple[str, ...], *cards: str) -> State:
    """The state after laying ``offer`` and turning ``cards`` one after the other."""
    state = rules.successor(state, offer)
    for index, card in enumerate(cards):
        if index and state.phase == Phase.DECIDE:
            state = rules.successor(state, "redraw")
        state = rules.successor(state, card)
    return state


def test_shipped_data() -> None:
    """Components as on the author's page: 12 places, 8 caterpillars, 2 wasps, 12 cards, 5 against 4."""
    rules = load_rules("chenille").model
    assert rules.ring == {"T1": 4, "T2": 2, "C1": 4, "C2": 2}
    assert (rules.caterpillars, rules.wasps, rules.butterflies_to_win, rules.captures_to_win) == (8, 2, 5, 4)
    assert rules.deck.counts() == DECK and sum(DECK) == 12
    assert (rules.redraw, rules.discards, rules.turn_limit) == ("optional", "hidden", 10_000)


@pytest.mark.parametrize(
    ("name", "envol", "soleil", "cards"),
    [("plus2", 2, 2, 14), ("plus3", 3, 2, 15), ("replace_sun", 2, 0, 12)],
)
def test_named_decks(name: str, envol: int, soleil: int, cards: int) -> None:
    deck = game(deck=name).deck
    assert (deck[2], deck[3], sum(deck)) == (envol, soleil, cards)


def test_first_offers_of_the_default_deck() -> None:
    """By hand: 7 kinds, 4 of them unfavourable (plus1 and plus2 twice, traverse and meme once).

    Three different kinds: C(7,3) - C(4,3) = 31. A pair and another: 5 kinds come in pairs, 6 others each, 30;
    without a favourable card: pairs of plus1 or plus2 with one of 3 others, 6; 24 remain. 31 + 24 = 55.
    Six favourable cards are enough for the three offers left after any of them.
    """
    offers = legal_offers(DECK, 3, 1)
    assert len(offers) == len(set(offers)) == 55


def test_offers_keep_a_favourable_card_for_each_offer_left() -> None:
    """By hand: 2 favourable cards for 2 offers, so one each: oeuf or cocon, beside one of 3 wasp pairs."""
    offers = legal_offers(hand(oeuf=1, cocon=1, plus1=2, plus2=2), 3, 1)
    wasps = [("plus1", "plus1"), ("plus1", "plus2"), ("plus2", "plus2")]
    assert set(offers) == {(kind, *pair) for kind in ("oeuf", "cocon") for pair in wasps}


def test_every_hand_on_the_way_has_an_offer() -> None:
    """Whatever is laid, the cycle of each named deck can be finished, in ceil(cards / 3) offers."""
    for name in ("plus2", "plus3", "replace_sun"):
        deck = game(deck=name).deck
        seen, todo = {deck}, [deck]
        while todo:
            held = todo.pop()
            offers = legal_offers(held, 3, 1)
            assert offers and favourable(held) >= offers_left(held, 3)
            for offer in offers:
                left = tuple(n - offer.count(kind) for n, kind in zip(held, KINDS, strict=True))
                if any(left) and left not in seen:
                    seen.add(left)
                    todo.append(left)
                assert len(offer) == min(3, sum(held))


def test_last_offer_of_fourteen_cards_holds_two() -> None:
    """14 = 3 + 3 + 3 + 3 + 2."""
    assert legal_offers(hand(envol=1, plus1=1), 3, 1) == (("envol", "plus1"),)
    assert legal_offers(hand(envol=2), 3, 1) == (("envol", "envol"),)


def test_wasp_moves() -> None:
    """T1 C1 T2 C2, wasps on 0 and 2: neighbours; two steps with the place passed; across; the same kind."""
    assert wasp_moves(RING, (0, 2), "plus1") == ((0, 1), (0, 3), (2, 1), (2, 3))
    assert wasp_moves(RING, (0, 2), "plus2") == ((0, 1, 2), (0, 3, 2), (2, 1, 0), (2, 3, 0))
    assert wasp_moves(RING, (0, 2), "traverse") == ((0, 2), (2, 0))
    assert wasp_moves(RING, (0, 2), "meme") == ((0, 2), (2, 0))
    assert wasp_moves(RING, (0, 0), "plus1") == ((0, 1), (0, 3))  # wasps on one place are alike


def test_wasp_moves_on_two_places() -> None:
    """Both directions lead to the one other place; two steps lead back, passing it."""
    ring = ("T1", "C1")
    assert wasp_moves(ring, (0, 1), "plus1") == ((0, 1), (1, 0))
    assert wasp_moves(ring, (0, 1), "plus2") == ((0, 1, 0), (1, 0, 1))
    assert wasp_moves(ring, (0, 1), "meme") == ()
    assert fly((0, 1), (0, 1)) == (1, 1)


def test_start_is_an_opposite_pair() -> None:
    assert opposite_pairs(6) == ((0, 3), (1, 4), (2, 5))


def test_caterpillar_moves() -> None:
    """T1 is full; T2 holds one of two; C1 is full; C2 is empty."""
    caterpillars = (1, 1, 1, 0)
    assert caterpillar_moves(RING, caterpillars, 1, "oeuf") == (("reserve", 2),)
    assert caterpillar_moves(RING, caterpillars, 0, "oeuf") == ()
    assert caterpillar_moves(RING, caterpillars, 0, "cocon") == ((0, 3), (2, 3))
    assert caterpillar_moves(RING, caterpillars, 0, "envol") == ((1, "butterfly"),)
    assert len(caterpillar_moves(RING, caterpillars, 1, "soleil")) == 1 + 2 + 1


def test_two_steps_capture_on_both_places() -> None:
    rules = game(captures_to_win=9)
    state = turn(rules, table(caterpillars=(0, 1, 2, 2), reserve=3), ("oeuf", "plus1", "plus2"), "plus2")
    after = rules.successor(state, (0, 1, 2))
    assert (after.caterpillars, after.captured, after.wasps) == ((0, 0, 0, 2), 3, (2, 2))
    assert after.hand == hand(oeuf=1, cocon=2, soleil=2, plus1=1, plus2=1, traverse=1, meme=1)


def test_a_caterpillar_under_a_wasp_is_safe_until_one_arrives() -> None:
    rules = game()
    state = turn(rules, table(), ("oeuf", "plus1", "plus2"), "oeuf")
    after = rules.successor(state, ("reserve", 0))
    assert (after.caterpillars, after.captured, after.reserve) == ((1, 0, 0, 0), 0, 7)
    left = rules.successor(turn(rules, after, ("cocon", "plus1", "plus2"), "plus1"), (0, 1))
    assert left.captured == 0
    back = rules.successor(turn(rules, left, ("cocon", "soleil", "traverse"), "traverse"), (2, 0))
    assert back.captured == 1


def test_wasp_cards_are_compulsory_and_the_guepe_chooses() -> None:
    rules = game()
    state = turn(rules, table(), ("oeuf", "plus1", "plus2"), "plus1")
    assert rules.player_to_move(state) == GUEPE
    assert rules.legal_actions(state, GUEPE) == ((0, 1), (0, 3), (2, 1), (2, 3))
    assert rules.legal_actions(state, CHENILLES) == ()


def test_redraw_optional() -> None:
    """Cocon with nobody on Terre: the Chenilles may pass or turn one of the two others, half and half."""
    rules = game(redraw="optional")
    state = turn(rules, table(), ("cocon", "plus1", "plus2"), "cocon")
    assert (state.phase, rules.player_to_move(state)) == (Phase.DECIDE, CHENILLES)
    assert set(rules.legal_actions(state, CHENILLES)) == {"redraw", "pass"}
    passed = rules.successor(state, "pass")
    assert (passed.phase, sum(passed.hand), passed.offer) == (Phase.OFFER, 9, ())
    redraw = rules.successor(state, "redraw")
    assert dict(rules.chance_outcomes(redraw)) == {"plus1": 0.5, "plus2": 0.5}
    carried = rules.successor(redraw, "plus2")
    assert (carried.phase, carried.revealed, carried.unplayable) == (Phase.CARRY, "plus2", "cocon")


def test_redraw_forced_and_second_unplayable_card_passes() -> None:
    rules = game(redraw="forced")
    state = turn(rules, table(), ("cocon", "cocon", "plus2"), "cocon")
    assert rules.player_to_move(state) == CHANCE
    assert rules.successor(state, "cocon").phase == Phase.OFFER
    assert rules.successor(state, "plus2").phase == Phase.CARRY


def test_second_card_may_be_a_soleil() -> None:
    rules = game()
    state = turn(rules, table(), ("cocon", "soleil", "plus2"), "cocon", "soleil")
    assert rules.legal_actions(state, CHENILLES) == (("reserve", 0), ("reserve", 2))


def test_unplayable_soleil_passes_without_a_second_card() -> None:
    """In play a Soleil finds something to do as long as the game is open (else no caterpillar could ever
    move again), so the branch is reached by a table with no caterpillar left, set up as if still open."""
    rules = game()
    laid = replace(table(reserve=0), phase=Phase.TURN, offer=("soleil", "plus1", "plus2"))
    assert rules.moves(laid, "soleil") == ()
    after = rules.successor(laid, "soleil")
    assert (after.offer, after.revealed, after.phase) == ((), "", Phase.OVER)
    assert rules.successor(laid, "plus1").phase == Phase.CARRY


def test_wasp_card_without_a_place_to_go_leads_to_a_second_card() -> None:
    """T1 C1: no other place of either kind, so MemeCarte is not playable."""
    rules = game()
    state = table(ring=("T1", "C1"), caterpillars=(0, 0), wasps=(0, 1))
    after = turn(rules, state, ("oeuf", "plus1", "meme"), "meme")
    assert after.phase == Phase.DECIDE and after.offer == ("oeuf", "plus1")


def test_empty_hand_takes_all_cards_back() -> None:
    rules = game()
    state = table(hand=hand(cocon=1, plus1=1, plus2=1))
    after = rules.successor(turn(rules, state, ("cocon", "plus1", "plus2"), "plus1"), (0, 1))
    assert after.hand == DECK


def test_winning() -> None:
    rules = game()
    state = turn(rules, table(caterpillars=(0, 1, 0, 0), reserve=0, butterflies=4, captured=3),
                 ("soleil", "plus1", "plus2"), "soleil")  # fmt: skip
    after = rules.successor(state, (1, "butterfly"))
    assert (rules.player_to_move(after), rules.returns(after)) == (TERMINAL, (0.0, 1.0))
    assert rules.scores(after) == (3.0, 5.0)
    state = turn(rules, table(caterpillars=(0, 1, 0, 0), reserve=0, butterflies=4, captured=3),
                 ("soleil", "plus1", "plus2"), "plus1")  # fmt: skip
    after = rules.successor(state, (0, 1))
    assert (rules.player_to_move(after), rules.returns(after)) == (TERMINAL, (1.0, 0.0))


@pytest.mark.parametrize(
    ("values", "deck", "hopeless"),
    [
        ({"reserve": 5}, {}, False),
        ({"reserve": 4}, {}, True),  # four caterpillars never make five butterflies
        ({"reserve": 5}, {"soleil": 0}, True),  # nothing flies without Envol and Soleil
        ({"reserve": 5}, {"cocon": 0, "soleil": 0, "envol": 6}, True),  # nobody comes to Ciel
        ({"reserve": 0, "butterflies": 4, "caterpillars": (0, 1, 0, 0)},
         {"cocon": 0, "soleil": 0, "envol": 6}, False),  # one sits there already
        ({"reserve": 5, "ring": ("C1", "C1", "C2", "C2")}, {}, True),  # no Terre to lay on
        ({"reserve": 5, "ring": ("T1", "T1", "T2", "T2")}, {}, True),  # no Ciel to spin on
    ],
)  # fmt: skip
def test_hopeless(values: dict[str, Any], deck: dict[str, int], hopeless: bool) -> None:
    shipped = dict(zip(KINDS, DECK, strict=True))
    assert game(deck={**shipped, **deck}).hopeless(table(**values)) is hopeless


def test_counts_of_the_first_plies() -> None:
    """By hand, on a ring of four different places: 4! = 24 rings; 2 pairs each, 48; 55 offers each, 2,640;
    31 offers of three kinds and 24 with a pair (see above) have 31 * 3 + 24 * 2 = 141 cards to turn, 6,768.
    """
    rules = game(ring={"T1": 1, "T2": 1, "C1": 1, "C2": 1})
    states, counts = [rules.initial_state()], []
    for _ in range(7):
        states = [rules.successor(state, action) for state in states for action in choices(rules, state)]
        counts.append(len(states))
    assert counts == [4, 12, 24, 24, 48, 2640, 6768]


def choices(rules: Chenille, state: State) -> list[Any]:
    mover = rules.player_to_move(state)
    if mover == CHANCE:
        outcomes = rules.chance_outcomes(state)
        assert sum(chance for _, chance in outcomes) == pytest.approx(1.0)
        return [item for item, _ in outcomes]
    return list(rules.legal_actions(state, mover))


def test_ring_is_drawn_without_replacement() -> None:
    """Default ring: T1 four of twelve first; after two of them, two of ten."""
    rules = game()
    state = rules.initial_state()
    assert dict(rules.chance_outcomes(state)) == pytest.approx(
        {"T1": 4 / 12, "T2": 2 / 12, "C1": 4 / 12, "C2": 2 / 12}
    )
    state = rules.successor(rules.successor(state, "T1"), "T1")
    assert dict(rules.chance_outcomes(state))["T1"] == pytest.approx(2 / 10)


READINGS = [
    {**deck, "redraw": redraw, "discards": discards}
    for deck in ({}, {"deck": "plus2"}, {"deck": "plus3"}, {"deck": "replace_sun"})
    for redraw in ("optional", "forced")
    for discards in ("open", "hidden")
]


@pytest.mark.parametrize("values", READINGS, ids=str)
def test_random_games_end_and_keep_caterpillars_and_cards(values: dict[str, Any]) -> None:
    rules = make_game(load_rules("chenille", [Layer("test", values)]).model)
    for episode in range(20):
        state, stream = rules.initial_state(), Stream(7, episode)
        while (mover := rules.player_to_move(state)) != TERMINAL:
            assert sum(state.caterpillars) + state.reserve + state.butterflies + state.captured == 8
            assert all(0 <= held <= most for held, most in zip(state.hand, rules.deck, strict=True))
            assert favourable(state.hand) >= offers_left(state.hand, 3)
            action = (
                stream.weighted(rules.chance_outcomes(state))
                if mover == CHANCE
                else uniform(rules, state, mover, stream)
            )
            state = rules.successor(state, action)
        assert sum(rules.win_shares(state)) == 1.0


def test_turn_limit_stops_a_game_for_the_guepe() -> None:
    rules = game(limit=1)
    state = turn(rules, table(), ("cocon", "plus1", "plus2"), "plus1")
    after = rules.successor(state, (0, 1))
    assert rules.player_to_move(after) == TERMINAL and rules.stopped(after)
    assert rules.win_shares(after) == (1.0, 0.0)
    assert rules.max_length == 4  # start, offer, second card, move


@pytest.mark.parametrize(
    "action", [("oeuf", "oeuf", "oeuf"), ("plus1", "plus1", "plus2"), "pass", (0, 1), None]
)
def test_illegal_offers_raise(action: Any) -> None:
    with pytest.raises(IllegalAction, match="expected a legal action"):
        game().successor(table(), action)


def test_illegal_chance_outcome_raises() -> None:
    state = game().successor(table(), ("oeuf", "plus1", "plus2"))
    with pytest.raises(IllegalAction):
        game().successor(state, "cocon")


def test_hidden_discards_hide_exactly_the_cards_never_turned() -> None:
    rules = game(discards="hidden")
    offers = (("oeuf", "plus1", "plus2"), ("oeuf", "traverse", "meme"))
    after = [rules.successor(turn(rules, table(), offer, "oeuf"), ("reserve", 0)) for offer in offers]
    assert after[0] != after[1]
    assert rules.information_state(after[0], GUEPE) != rules.information_state(after[1], GUEPE)
    assert rules.information_state(after[0], CHENILLES) == rules.information_state(after[1], CHENILLES)
    seen = [turn(rules, table(), offers[0], card) for card in ("oeuf", "plus1")]
    assert rules.information_state(seen[0], CHENILLES) != rules.information_state(seen[1], CHENILLES)
    other = rules.successor(turn(rules, table(), offers[0], "oeuf"), ("reserve", 2))
    assert rules.information_state(after[0], CHENILLES) != rules.information_state(other, CHENILLES)


def test_hidden_discards_remember_the_cards_turned_in_the_cycle() -> None:
    """A Cocon passed over and a wasp across leave the same hand; what was seen differs."""
    rules = game(discards="hidden")
    passed = rules.successor(turn(rules, table(), ("cocon", "plus1", "traverse"), "cocon"), "pass")
    crossed = rules.successor(turn(rules, table(), ("cocon", "plus1", "traverse"), "traverse"), (0, 2))
    assert passed.hand == crossed.hand and passed.seen != crossed.seen
    assert rules.information_state(passed, CHENILLES) != rules.information_state(crossed, CHENILLES)


def test_open_discards_show_the_laid_cards_once_one_is_turned() -> None:
    rules = game(discards="open")
    offers = (("cocon", "plus1", "plus2"), ("cocon", "traverse", "meme"))
    laid = [rules.successor(table(), offer) for offer in offers]
    assert rules.information_state(laid[0], CHENILLES) == rules.information_state(laid[1], CHENILLES)
    assert rules.information_state(laid[0], GUEPE) != rules.information_state(laid[1], GUEPE)
    turned = [rules.successor(state, "cocon") for state in laid]
    assert rules.information_state(turned[0], CHENILLES) != rules.information_state(turned[1], CHENILLES)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"deck": {"oeuf": -1}}, r"test: deck.oeuf: expected greater than or equal to 0, got -1"),
        ({"deck": {"oeufs": 1}}, r"test: deck.oeufs: expected a known key \(nearest: oeuf\), got 'oeufs'"),
        ({"deck": "plus4"}, r"test: deck: expected a table of counts of cards, .* or one of plus2, plus3, "
         r"replace_sun, got 'plus4'"),
        ({"deck": [1, 2]}, r"test: deck: expected a table of counts of cards, .* got \[1, 2\]"),
        ({"ring": 12}, r"test: ring: expected a table of counts of places, as {T1 = 4, C1 = 4}, got 12"),
        ({"deck": {"oeuf": 6, "plus1": 30}},
         r"test: deck: expected at least 1 favourable card.*, got 6 among 36 cards"),
        ({"ring": {"T1": 3}}, r"test: ring: expected an even number of places, 2 to 100, got 3"),
        ({"ring": {"X1": 2}}, r"test: ring: expected places T1 to T9 and C1 to C9, got 'X1'"),
        ({"wasps": 3}, r"test: wasps: expected 2 \(they start on an opposite pair\), got 3"),
        ({"redraw": "never"}, r"test: redraw: expected 'optional' or 'forced', got 'never'"),
        ({"discards": True}, r"test: discards: expected 'open' or 'hidden', got True"),
        ({"captures_to_win": 0}, r"test: captures_to_win: expected greater than or equal to 1, got 0"),
        ({"offer_size": 4}, r"test: offer_size: expected less than or equal to 3, got 4"),
        ({"butterflies": 5}, r"test: butterflies: expected a known key \(nearest: butterflies_to_win\)"),
    ],
)  # fmt: skip
def test_bad_rule_data(values: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        game(**values)


@pytest.mark.parametrize("players", [1, 7])
def test_player_counts(players: int) -> None:
    with pytest.raises(BadInput, match="expected 2 to 6 players"):
        make_game(load_rules("chenille").model, players)


def test_the_words_of_a_state() -> None:
    """Names and counts stand apart; an empty hand and cards not there are said."""
    laid = Chenille(load_rules("chenille").model).initial_state()
    words = game().describe_state(replace(laid, phase=Phase.OFFER))
    assert words.splitlines()[-1] == (
        "hand oeuf x2, cocon x2, soleil x2, plus1 x2, plus2 x2, traverse x1, meme x1"
    )
    turned = replace(laid, phase=Phase.CARRY, hand=(0,) * 8, offer=("oeuf",), revealed="plus1")
    assert game().describe_state(turned).splitlines()[-2:] == ["hand empty", "face down oeuf  turned plus1"]


def test_the_number_of_chenilles_changes_nothing() -> None:
    """The rules make one game of two sides of 2 to 6 players; see the module for the argument."""
    model = load_rules("chenille").model
    assert {make_game(model, players).players for players in range(2, 7)} == {2}
