"""Positions of Chenille: read, written back, refused with one line, answered."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from fable_solve.solver.errors import BadInput, FableSolveError, TooLarge
from fable_solve.solver.games.chenille import position as answers
from fable_solve.solver.games.chenille.cards import KINDS
from fable_solve.solver.games.chenille.play import GUEPE, Phase
from fable_solve.solver.positions import parse_position
from fable_solve.solver.rng import Stream
from fable_solve.solver.rules import parse_setting

DECK = {"oeuf": 2, "cocon": 2, "envol": 0, "soleil": 2, "plus1": 2, "plus2": 2, "traverse": 1, "meme": 1}
BASE: dict[str, Any] = {
    "game": "chenille",
    "ring": ["T1", "C1", "T2", "C1"],
    "wasps": [0, 2],
    "caterpillars": [1, 0, 1, 1],
    "reserve": 1,
    "butterflies": 0,
    "captured": 0,
    "hand": DECK,
    "rules": {"butterflies_to_win": 2, "captures_to_win": 2, "discards": "open"},
}
TURNED: dict[str, Any] = {
    **BASE,
    "hand": {"oeuf": 1, "cocon": 1, "soleil": 2, "plus1": 1, "plus2": 2, "traverse": 1, "meme": 1},
    "offer": ["plus1", "oeuf", "cocon"],
    "revealed": "plus1",
}
EMPTY = {"caterpillars": [0, 0, 0, 0], "reserve": 4}


def read(document: dict[str, Any], **changes: Any) -> Any:
    body = {key: value for key, value in {**document, **changes}.items() if value is not None}
    return parse_position(copy.deepcopy(body), "table.toml")


def test_reading() -> None:
    state = read(BASE, wasps=[2, 0]).state
    assert (state.phase, state.wasps, state.caterpillars) == (Phase.OFFER, (0, 2), (1, 0, 1, 1))
    assert state.hand == tuple(DECK[kind] for kind in KINDS)


def test_defaults() -> None:
    """Without wasps the start is asked for; the hand is the deck, less an offer that lies on the table."""
    state = read(BASE, wasps=None, hand=None, caterpillars=None, reserve=4).state
    assert (state.phase, sum(state.hand), state.caterpillars) == (Phase.START, 12, (0, 0, 0, 0))
    assert sum(read(TURNED, hand=None).state.hand) == 9
    assert read(BASE, hand=dict.fromkeys(KINDS, 0)).state.hand == read(BASE).state.hand  # all taken back


def test_a_turned_card_is_to_be_carried_out() -> None:
    state = read(TURNED).state
    assert (state.phase, state.revealed, state.offer) == (Phase.CARRY, "plus1", ("oeuf", "cocon"))


def test_an_unplayable_card_leads_to_the_choice_of_a_second() -> None:
    """Nobody on the ring: the Cocon cannot be played; after a second card it is the one before."""
    first = read(TURNED, **EMPTY, revealed="cocon").state
    assert (first.phase, first.revealed) == (Phase.DECIDE, "cocon")
    second = read(TURNED, **EMPTY, unplayable="cocon").state
    assert (second.phase, second.revealed, second.unplayable) == (Phase.CARRY, "plus1", "cocon")


def test_any_even_ring_and_any_slots() -> None:
    state = read(BASE, ring=["T9", "C9"], caterpillars=[9, 9], wasps=[1, 1]).state
    assert (state.wasps, state.caterpillars) == ((1, 1), (9, 9))


DOCUMENTS = {
    "offer": BASE,
    "start": {**BASE, "wasps": None},
    "carry": TURNED,
    "decide": {**TURNED, **EMPTY, "revealed": "cocon"},
    "second card": {**TURNED, **EMPTY, "unplayable": "cocon"},
    "redraw": {**TURNED, **EMPTY, "revealed": "cocon", "rules": {**BASE["rules"], "redraw": "forced"}},
    "hidden": {**TURNED, "rules": {**BASE["rules"], "discards": "hidden"}, "players": 5},
    "last offer": {**BASE, "hand": dict.fromkeys(KINDS, 0), "offer": ["oeuf"], "revealed": "oeuf"},
    "won": {**BASE, "butterflies": 2},
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_round_trip(document: dict[str, Any]) -> None:
    position = read(document)
    written = json.loads(json.dumps(answers.dump(position)))
    again = parse_position(written, "table.toml")
    assert again.state == position.state and again.rules == position.rules
    assert answers.dump(again) == answers.dump(position)


BAD: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (BASE, {"ring": ["T1", "C1", "T2"]}, "ring: expected an even number of places, 2 to 100, got 3"),
    (BASE, {"ring": []}, "ring: expected an even number of places, 2 to 100, got 0"),
    (BASE, {"ring": ["T1", "X1", "T2", "C1"]},
     "ring[1]: expected T or C and 1 to 9 slots, as T1 or C2, got 'X1'"),
    (BASE, {"ring": ["T1", "C0", "T2", "C1"]},
     "ring[1]: expected T or C and 1 to 9 slots, as T1 or C2, got 'C0'"),
    (BASE, {"ring": ["T1", "C", "T2", "C1"]},
     "ring[1]: expected T or C and 1 to 9 slots, as T1 or C2, got 'C'"),
    (BASE, {"ring": ["T1", 1, "T2", "C1"]}, "ring[1]: expected a valid string, got 1"),
    (BASE, {"ring": "T1C1"}, "ring: expected a list, got 'T1C1'"),
    (BASE, {"ring": None}, "ring: expected a value (the key is required), got none"),
    (BASE, {"caterpillars": [2, 0, 1, 1]}, "caterpillars[0]: expected at most 1 (place T1), got 2"),
    (BASE, {"caterpillars": [1, 0, 1]}, "caterpillars: expected 4 counts, one a place, got 3"),
    (BASE, {"caterpillars": [1, 0, -1, 0]}, "caterpillars[2]: expected greater than or equal to 0, got -1"),
    (BASE, {"caterpillars": [1, 0, 0.5, 0]}, "caterpillars[2]: expected a valid integer, got 0.5"),
    (BASE, {"wasps": [0, 4]}, "wasps[1]: expected a place, 0 to 3, got 4"),
    (BASE, {"wasps": [-1, 2]}, "wasps[0]: expected a place, 0 to 3, got -1"),
    (BASE, {"wasps": [0]}, "wasps: expected two places, got 1"),
    (BASE, {"wasps": [0, True]}, "wasps[1]: expected a valid integer, got True"),
    (BASE, {"reserve": -1}, "reserve: expected greater than or equal to 0, got -1"),
    (BASE, {"reserve": None}, "reserve: expected a value (the key is required), got none"),
    (BASE, {"butterflies": -1}, "butterflies: expected greater than or equal to 0, got -1"),
    (BASE, {"captured": 10**9}, "captured: expected less than or equal to 1000, got 1000000000"),
    (BASE, {"butterflies": 2, "captured": 2},
     "captured: expected at most one side's target reached, got both reached"),
    (BASE, {"hand": {**DECK, "oeuf": 3}},
     "hand.oeuf: expected at most 2 oeuf in hand and offer (the deck), got 3"),
    (BASE, {"hand": {**DECK, "oeuf": -1}}, "hand.oeuf: expected greater than or equal to 0, got -1"),
    (BASE, {"hand": {"oeufs": 1}}, "hand.oeufs: expected a known key (nearest: oeuf), got 'oeufs'"),
    (BASE, {"hand": {"oeuf": 1, "plus1": 2, "plus2": 2}},
     "hand: expected 1 of oeuf, cocon, envol, soleil for each offer still to come, got 1 such among 5 cards"),
    (BASE, {"hand": [1]}, "hand: expected a table of counts of cards, as {oeuf = 1, plus1 = 2}, got [1]"),
    (BASE, {"hand": "oeuf"},
     "hand: expected a table of counts of cards, as {oeuf = 1, plus1 = 2}, got 'oeuf'"),
    (BASE, {"rules": {"caterpillars": 1}}, "rules.caterpillars: expected 4, as the position shows, got 1"),
    (BASE, {"rules": {"caterpillars": 8}}, "rules.caterpillars: expected 4, as the position shows, got 8"),
    (BASE, {"rules": {"ring": {"T1": 2, "C1": 2}}},
     "rules.ring: expected {'T1': 1, 'C1': 2, 'T2': 1}, as the position shows, got {'T1': 2, 'C1': 2}"),
    (BASE, {"players": 7}, "players: expected less than or equal to 6, got 7"),
    (BASE, {"players": 1}, "players: expected greater than or equal to 2, got 1"),
    (BASE, {"ant": 1}, "ant: expected a known key (nearest: hand), got 'ant'"),
    (BASE, {"mode": "automne"}, "mode: expected a known key (nearest: offer), got 'mode'"),
    (BASE, {"offer": ["oeuf", "cocon", "plus1"]},
     "revealed: expected the card of the offer that was turned, got none"),
    (BASE, {"revealed": "oeuf"}, "offer: expected the cards laid (beside revealed), got none"),
    (BASE, {"unplayable": "oeuf"}, "offer: expected the cards laid (beside unplayable), got none"),
    (TURNED, {"offer": ["plus1", "oeuf"]}, "offer: expected 3 cards, got 2"),
    (TURNED, {"offer": ["plus1", "oeuf", "cocon", "cocon"]}, "offer: expected 3 cards, got 4"),
    (TURNED, {"offer": ["plus1", "plus1", "plus2"]},
     "offer: expected at least 1 of oeuf, cocon, envol, soleil, got plus1, plus1, plus2"),
    (TURNED, {"offer": ["plus1", "oeuf", "papillon"]},
     "offer[2]: expected one of oeuf, cocon, envol, soleil, plus1, plus2, traverse, meme, got 'papillon'"),
    (TURNED, {"offer": ["plus1", "oeuf", "envol"]},
     "hand.envol: expected at most 0 envol in hand and offer (the deck), got 1"),
    (TURNED, {"offer": ["meme", "oeuf", "cocon"], "revealed": "meme"},
     "hand.meme: expected at most 1 meme in hand and offer (the deck), got 2"),
    (TURNED, {"offer": ["oeuf", "oeuf", "oeuf"], "revealed": "oeuf", "hand": None},
     "offer: expected at most 2 oeuf in hand and offer (the deck), got 3"),
    (TURNED, {"revealed": "soleil"}, "revealed: expected one of oeuf, cocon, plus1, got 'soleil'"),
    (TURNED, {"wasps": None}, "wasps: expected two places (an offer lies on the table), got none"),
    (TURNED, {"unplayable": "oeuf"},
     "unplayable: expected a card that cannot be played, with another to turn, got oeuf"),
    (TURNED, {"unplayable": "meme"}, "unplayable: expected one of oeuf, cocon, plus1, got 'meme'"),
    ({**TURNED, **EMPTY}, {"unplayable": "cocon", "revealed": "cocon"},
     "revealed: expected one of oeuf, plus1, got 'cocon'"),
    (BASE, {"rules": {"redraws": "optional"}},
     "rules.redraws: expected a known key (nearest: redraw), got 'redraws'"),
    (BASE, {"rules": {"redraw": 1}}, "rules.redraw: expected 'optional' or 'forced', got 1"),
    (BASE, {"rules": {"deck": {"soleil": 1, "plus1": 6}}},
     "rules.deck: expected at least 1 favourable card(s) (oeuf, cocon, envol, soleil) for each offer of 3, "
     "got 1 among 7 cards"),
    (BASE, {"hand": None, "rules": {"deck": "plus9"}},
     "rules.deck: expected a table of counts of cards, as {oeuf = 2, plus1 = 2} or one of plus2, plus3, "
     "replace_sun, got 'plus9'"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "changes", "message"), BAD)
def test_bad_positions(document: dict[str, Any], changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as raised:
        read(document, **changes)
    assert str(raised.value) == f"table.toml: {message}"


def test_a_deck_in_a_position_replaces_the_shipped_one() -> None:
    """Kinds left out of a table count 0, as they do in a hand; a named setting changes one count."""
    three = {"deck": {"oeuf": 1, "envol": 1, "plus1": 2}}
    state = read(BASE, hand=None, rules=three).state
    assert dict(zip(KINDS, state.hand, strict=True)) == {**dict.fromkeys(KINDS, 0), **three["deck"]}
    over = [parse_setting("deck.envol=2")]
    whole = parse_position(copy.deepcopy(BASE), "table.toml", (), over)
    assert whole.game.deck == tuple({**DECK, "envol": 2}.values())
    assert parse_position({**BASE, "hand": three["deck"], "rules": three}, "t", (), over).game.deck[2] == 2


def test_settings_that_contradict_the_position_name_themselves() -> None:
    with pytest.raises(BadInput, match=r"^--set: caterpillars: expected 4, as the position shows, got 3$"):
        parse_position(copy.deepcopy(BASE), "table.toml", (), [parse_setting("caterpillars=3")])


def test_rules_that_agree_with_the_position_are_read() -> None:
    """Five caterpillars in all on T1 C1 T2 C1, with as many counted in the rule data."""
    rules = {**BASE["rules"], "caterpillars": 5, "ring": {"T1": 1, "T2": 1, "C1": 2}}
    position = read(BASE, reserve=2, rules=rules)
    assert parse_position(answers.dump(position), "again").state == position.state


def test_decided_before_the_wasps_are_set() -> None:
    """One caterpillar where two butterflies are asked, or two butterflies: every pair is listed."""
    lost = {"reserve": 1, "caterpillars": None, "wasps": None}
    for changes, value in ((lost, 0.0), ({**lost, "butterflies": 2}, 1.0)):
        for document in (
            answers.solve(read(BASE, **changes)).document,
            answers.advise(read(BASE, **changes), None, 0).document,
        ):
            assert document["starts"] == [{"wasps": [i, i + 2], "value": value} for i in (0, 1)]
            assert "actions" not in document and document["to_move"] == "nobody"
    assert answers.solve(read(BASE, **lost)).rows[0][0] == "wasps on 0 and 2"


def test_score() -> None:
    answer = answers.score(read(BASE, butterflies=1))
    assert answer.document == {"game": "chenille", "scores": [0, 1]}


def test_enumerate() -> None:
    """By hand: 55 first offers of the default deck (see the tests of the rules); wasps on 0 and 2 of four
    places fly four ways; nobody can play a Cocon on an empty ring; two opposite pairs."""
    assert answers.enumerate_game(read(BASE).rules, None).document["count"] == 55
    items = answers.enumerate_actions(read(BASE)).document["items"]
    assert len(items) == 55 and items[0] == ["oeuf", "oeuf", "cocon"]
    flights = answers.enumerate_actions(read(TURNED)).document
    assert flights["count"] == 4 and flights["items"][0] == {"card": "plus1", "wasp": 0, "path": [1]}
    steps = answers.enumerate_actions(read(TURNED, revealed="oeuf")).document["items"]
    assert steps == [{"card": "oeuf", "from": "reserve", "to": 2}]
    choice = answers.enumerate_actions(read(TURNED, **EMPTY, revealed="cocon")).document["items"]
    assert choice == [{"redraw": True}, {"redraw": False}]
    assert answers.enumerate_actions(read(BASE, wasps=None)).document["items"] == [
        {"wasps": [0, 2]},
        {"wasps": [1, 3]},
    ]
    assert answers.enumerate_actions(read(BASE, butterflies=2)).document["count"] == 0


def test_solve_starts_with_the_worst_pair_for_the_chenilles() -> None:
    document = answers.solve(read(BASE, wasps=None)).document
    starts = document["starts"]
    assert document["value"] == starts[0]["value"] == min(start["value"] for start in starts)
    assert {tuple(start["wasps"]) for start in starts} == {(0, 2), (1, 3)}
    assert document["certificate"]["kind"] == "exact" and document["certificate"]["tolerance"] < 1e-9


def test_solve_a_turned_card_is_the_best_of_what_follows() -> None:
    """The value at a card to be carried out is the smallest (wasps) or largest value of the next offers."""
    position = read(TURNED)
    document = answers.solve(position).document
    game, state = position.game, position.state
    worths = []
    for move in game.legal_actions(state, GUEPE):
        after = game.successor(state, move)
        written = {**answers.dump(position), **_table(after)}
        for key in ("offer", "revealed"):
            del written[key]
        worths.append(answers.solve(parse_position(written, "after")).document["value"])
    assert document["value"] == pytest.approx(min(worths), abs=1e-10)
    assert document["actions"][0]["value"] == document["value"]
    steps = answers.solve(read(TURNED, revealed="oeuf")).document
    assert steps["to_move"] == "chenilles" and steps["actions"][0]["to"] == 2


def _table(state: Any) -> dict[str, Any]:
    return {
        "wasps": list(state.wasps),
        "caterpillars": list(state.caterpillars),
        "reserve": state.reserve,
        "captured": state.captured,
        "hand": dict(zip(KINDS, state.hand, strict=True)),
    }


def test_advise_lists_the_best_offers_first() -> None:
    document = answers.advise(read(BASE), None, 0).document
    values = [action["value"] for action in document["actions"]]
    assert len(values) == 55 and values == sorted(values) and document["value"] == values[0]
    assert len(answers.advise(read(BASE), "win", 3).document["actions"]) == 3
    with pytest.raises(BadInput, match="--objective: expected win, got 'margin'"):
        answers.advise(read(BASE), "margin")


def test_a_forced_redraw_is_nobodys_choice() -> None:
    document = answers.solve(read(DOCUMENTS["redraw"])).document
    assert document["to_move"] == "chance" and document["actions"] == []


@pytest.mark.parametrize(
    ("changes", "value"),
    [
        ({"butterflies": 2}, 1.0),
        ({"captured": 2}, 0.0),
        ({"reserve": 0, "caterpillars": [0, 0, 0, 1]}, 0.0),
    ],
)
def test_finished_positions_answer_their_value(changes: dict[str, Any], value: float) -> None:
    """Won by either side; or one caterpillar left where two butterflies are asked."""
    document = answers.solve(read(BASE, **changes), None, 1).document
    assert (document["value"], document["states"], document["actions"]) == (value, 1, [])


def test_hidden_discards_are_noted() -> None:
    assert answers.solve(read(DOCUMENTS["hidden"])).notes
    assert not answers.solve(read(TURNED)).notes


FULL: dict[str, Any] = {
    "ring": ["T1", "C1", "T1", "C1", "T2", "C2"] * 2,
    "caterpillars": [0, 1, 1, 0, 2, 2] + [0] * 6,
    "butterflies": 1,
    "rules": {},
}


def test_full_size_is_too_large_to_solve() -> None:
    """About 60,000 tables times 78 pairs of wasps times 277 hands."""
    with pytest.raises(TooLarge, match=r"at least \d+ states, the limit is 20000000"):
        answers.solve(read(BASE, **FULL), None, 20_000_000)


def test_full_size_is_advised_by_roll_outs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every action says that it was sampled and how often; the list is in order for the side to move.

    By hand: a Cocon takes one of two places of Terre (2, 4) to one of four free ones of Ciel (3, 7, 9, 11).
    """
    monkeypatch.setattr("fable_solve.solver.games.chenille.advise.PLAYOUTS", 60)
    monkeypatch.setattr("fable_solve.solver.games.chenille.advise.FEWEST", 4)
    offers = answers.advise(read(BASE, **FULL), None, 0)
    values = [action["value"] for action in offers.document["actions"]]
    assert len(values) == 55 and values == sorted(values)
    assert {action["certificate"]["n"] for action in offers.document["actions"]} == {4}
    assert "states" not in offers.document and offers.document["certificate"]["kind"] == "sampled"
    steps = answers.advise(read(TURNED, **FULL, revealed="cocon")).document
    values = [action["value"] for action in steps["actions"]]
    assert values == sorted(values, reverse=True)
    assert {action["certificate"]["n"] for action in steps["actions"]} == {60 // 8}


JUNK = [-1, 0, 1, 2, 3, 99, 10**30, 0.5, True, None, "", "T1", "oeuf", "plus1", [], [0, 1], {}, {"oeuf": 1}]


def test_mutated_positions_are_answered_or_refused() -> None:
    """Anything but a clean error or an answer fails here."""
    answered = 0
    for episode in range(1500):
        stream = Stream(3, episode)
        document = copy.deepcopy(stream.choice(list(DOCUMENTS.values())))
        for _ in range(1 + stream.below(2)):
            mutate(document, stream)
        try:
            position = parse_position(document, "fuzz")
            again = parse_position(answers.dump(position), "fuzz")
            assert again.state == position.state
            answers.score(position)
            answers.enumerate_actions(position)
            answers.solve(position, None, 40_000)
            answered += 1
        except FableSolveError as error:
            assert "\n" not in str(error)
    assert answered > 50


def mutate(document: dict[str, Any], stream: Stream) -> None:
    """Replaces, removes or adds one entry somewhere in the document."""
    place: Any = document
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = stream.choice(keys)
        if isinstance(place[key], dict | list) and stream.below(2):
            place = place[key]
            continue
        if stream.below(4) == 0:
            del place[key]
        else:
            place[key] = copy.deepcopy(stream.choice(JUNK))
        return
