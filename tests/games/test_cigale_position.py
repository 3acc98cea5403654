"""The position format of Cigale: defaults, faults, round trip; scores, enumeration and exact values."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fable_solve.solver.errors import BadInput, TooLarge
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL
from fable_solve.solver.games.cigale import position as module
from fable_solve.solver.games.cigale.cards import format_card
from fable_solve.solver.games.cigale.guessing import solve_guess
from fable_solve.solver.games.cigale.rules import make_game
from fable_solve.solver.games.cigale.state import LAY
from fable_solve.solver.positions import Position, parse_position, read_position
from fable_solve.solver.rng import Stream
from fable_solve.solver.rules import load_rules

FULL = ["Ya Ba Na Ra", "Y B N R", "Y B N R", "Y B N R"]


def read(**keys: Any) -> Position:
    return parse_position({"game": "cigale", "board": FULL} | keys, "f.toml")


def words(cards: tuple[int, ...]) -> list[str]:
    return [format_card(code) for code in cards]


# --- defaults


def test_defaults_of_automne() -> None:
    position = read()
    state = position.state
    assert (position.mode, position.game.players) == ("automne", 2)
    assert (state.ant, state.cigale, state.phase) == (0, 1, LAY)
    assert state.shelves == ((0, 0, 0, 0),) * 2
    assert state.insects == ((0,) * 6,) * 2
    assert len(state.pile) == 32
    # of each type: 12 - 4 on the square; of the insects only a is seen, on all four types
    assert Counter(text[0] for text in words(state.pile)) == Counter(Y=8, B=8, N=8, R=8)
    assert not any(text.endswith("a") for text in words(state.pile))


def test_the_cigale_is_the_next_seat() -> None:
    assert read(players=3, ant=2).state.cigale == 0
    assert read(players=3, ant=2, cigale=1).state.cigale == 1


def test_defaults_of_hiver() -> None:
    position = read(
        mode="hiver", players=3, row=["red", "red"], provisions=[["blue"], [], []], reserves=[["Yb"], [], []]
    )
    state = position.state
    # 48 - 16 - 1 cards; 12 Provisions with 3 players less three seen, no green
    assert len(state.pile) == 31
    assert Counter(state.provision_pile) == Counter(yellow=2, blue=1, orange=2, brown=2, purple=2)
    assert state.discard == ()
    assert state.round == 1
    assert position.details.pile_error is None


def test_the_pile_is_what_is_not_seen() -> None:
    keys: dict[str, Any] = {"removed": ["Y", "Y"], "insects": [["Yb"], []]}
    assert Counter(words(read(**keys).state.pile))["Y"] == 6 - 3 - 2
    assert "Yb" not in words(read(**keys).state.pile)
    hiver = read(mode="hiver", reserves=[["Yc"], []], discard=["Rd"], removed=["Be"])
    assert not {"Yc", "Rd", "Be"} & set(words(hiver.state.pile))


def test_a_kept_insect_without_type_is_the_first_unseen_card_of_its_species() -> None:
    position = read(board=["Yb B", "N R"], insects=[["b", "Bb"], ["a"]], rules={"ants": 2})
    # Yb lies on the square, Bb is kept: the next b in the order Y B N R is Nb
    assert not {"Yb", "Bb", "Nb", "Ya"} & set(words(position.state.pile))
    assert "Rb" in words(position.state.pile)
    assert position.details.notes == (
        "kept insect b: its type is not given, taken to be Nb",
        "kept insect a: its type is not given, taken to be Ya",
    )
    assert position.state.insects == ((0, 2, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0))


def test_an_impossible_pile_is_a_fault_only_where_it_is_needed() -> None:
    position = read(board=["Ya Ya", "N R"], rules={"ants": 2})
    assert module.score(position).document["scores"] == [0, 0]
    assert module.enumerate_actions(position).document["count"] == 4
    with pytest.raises(BadInput, match=r"f.toml: expected at most 1 Ya cards \(or a key deck\), got 2"):
        module.solve(position, "margin", 1000)
    given = read(board=["Ya Ya", "N R"], rules={"ants": 2}, deck=["Y"])
    assert given.details.pile_error is None
    kept = read(board=["Y B"], rules={"ants": 2}, insects=[["a"] * 5, []])
    with pytest.raises(BadInput, match="expected at most 4 cards with insect a"):
        kept.details.require_pile()
    row = read(mode="hiver", row=["red", "red"], provisions=[["red"], []])
    with pytest.raises(BadInput, match="expected at most 2 red Provisions"):
        row.details.require_pile()


# --- faults


# where and what; what was given follows where it is short
FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"board": []}, "board: expected at least one row of at least one card, got []"),
    ({"board": [""]}, "board: expected at least one row of at least one card, got ['']"),
    ({"board": ["Y B", "Y"]}, "board[1]: expected 2 cards as in the first row, got 1"),
    ({"board": ["Y B", "Y G"]}, "board[1]: expected a card (type Y B N R, optional insect a-f), got 'G'"),
    ({"board": ["Y Bg"]}, "board[0]: expected a card (type Y B N R, optional insect a-f), got 'Bg'"),
    ({"board": ["Y B"]}, "board: expected at least 6 squares (one an ant), got 2"),
    ({"board": "YB"}, "board: expected a list, got 'YB'"),
    ({"board": [["Y"]]}, "board[0]: expected a valid string, got ['Y']"),
    ({"players": 1}, "players: expected greater than or equal to 2, got 1"),
    ({"players": 5}, "players: expected less than or equal to 4, got 5"),
    ({"players": "2"}, "players: expected a valid integer, got '2'"),
    ({"ant": 2}, "ant: expected a seat from 0 to 1, got 2"),
    ({"ant": -1}, "ant: expected a seat from 0 to 1, got -1"),
    ({"ant": 1, "cigale": 1}, "cigale: expected another seat than the ant's, got 1"),
    ({"shelves": [[0, 0, 0, 0]]}, "shelves: expected 2 lists, one a player, got 1"),
    ({"shelves": [[0, 0, 0], [0] * 4]}, "shelves[0]: expected 4 places, in the order Y B N R, got 3"),
    ({"shelves": [[0, 0, 5, 0], [0] * 4]}, "shelves[0][2]: expected a place from 0 to 4, got 5"),
    ({"shelves": [[0, 0, -1, 0], [0] * 4]}, "shelves[0][2]: expected a place from 0 to 4, got -1"),
    ({"insects": [["a"], ["g"]]}, "insects[1][0]: expected an insect a-f"),
    ({"insects": [["Y"], []]}, "insects[0][0]: expected an insect a-f"),
    ({"insects": [[]]}, "insects: expected 2 lists, one a player, got 1"),
    ({"deck": ["Y", "."]}, "deck[1]: expected a card (type Y B N R, optional insect a-f), got '.'"),
    ({"removed": ["y"]}, "removed[0]: expected a card (type Y B N R, optional insect a-f), got 'y'"),
    ({"round": 0}, "round: expected greater than or equal to 1, got 0"),
    ({"reserves": [[], []]}, "reserves: expected a key of mode automne, got 'reserves', a key of hiver"),
    ({"row": []}, "row: expected a key of mode automne, got 'row', a key of hiver"),
    (
        {"mode": "hiver", "shelves": [[0] * 4] * 2},
        "shelves: expected a key of mode hiver, got 'shelves', a key of automne",
    ),
    ({"mode": "hiver", "row": ["pink"]}, "row[0]: expected one of red, yellow, blue"),
    ({"mode": "hiver", "row": ["red"] * 4}, "row: expected at most 3 Provisions, got 4"),
    ({"mode": "hiver", "provisions": [["red"]]}, "provisions: expected 2 lists, one a player, got 1"),
    ({"mode": "hiver", "reserves": [["Y"]]}, "reserves: expected 2 lists, one a player, got 1"),
    ({"mode": "hiver", "discard": ["Z"]}, "discard[0]: expected a card"),
    ({"mode": "summer"}, "mode: expected one of automne, hiver, got 'summer'"),
    ({"bord": []}, "bord: expected a known key (nearest: board), got 'bord'"),
    ({"rules": {"ants": 17}}, "board: expected at least 17 squares (one an ant), got 16"),
    ({"rules": {"ant": 1}}, "rules.ant: expected a known key (nearest: ants), got 'ant'"),
    ({"rules": {"chain_rule": "x"}}, "rules.chain_rule: expected 'touching', 'connected'"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "message"), FAULTS)
def test_faults_are_named_where_they_are(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as error:
        read(**keys)
    assert str(error.value).startswith(f"f.toml: {message}")
    assert "\n" not in str(error.value)


# --- writing back


def random_document(stream: Stream) -> dict[str, Any]:
    """A position of random size, mode and rules; small enough never to exceed the components often."""
    mode, players = stream.choice(["automne", "hiver"]), 2 + stream.below(3)
    plain = ["Y", "B", "N", "R"]
    card = lambda: stream.choice(plain) + (stream.choice("abcdef") if stream.below(4) == 0 else "")  # noqa: E731
    height, width = 1 + stream.below(3), 2 + stream.below(3)
    document: dict[str, Any] = {
        "game": "cigale",
        "mode": mode,
        "players": players,
        "board": [
            " ".join("." if stream.below(9) == 0 else card() for _ in range(width)) for _ in range(height)
        ],
        "ant": stream.below(players),
        "round": 1 + stream.below(9),
        "removed": [card() for _ in range(stream.below(3))],
        "rules": {"ants": 2, "chain_rule": stream.choice(["touching", "connected", "path", "strict"])},
    }
    document["cigale"] = (document["ant"] + 1 + stream.below(players - 1)) % players
    if stream.below(2):
        document["deck"] = [card() for _ in range(stream.below(9))]
    if mode == "automne":
        document["shelves"] = [[stream.below(5) for _ in range(4)] for _ in range(players)]
        insect = lambda: stream.choice(["", *plain]) + stream.choice("abcdef")  # noqa: E731
        document["insects"] = [[insect() for _ in range(stream.below(3))] for _ in range(players)]
    else:
        kinds = ["red", "yellow", "blue", "orange", "purple"]
        document["reserves"] = [[card() for _ in range(stream.below(4))] for _ in range(players)]
        document["provisions"] = [[stream.choice(kinds)] * stream.below(2) for _ in range(players)]
        document["row"] = [stream.choice(kinds) for _ in range(stream.below(4))]
        document["discard"] = [card() for _ in range(stream.below(3))]
    return document


def test_positions_are_written_back_as_they_were_read() -> None:
    possible = 0
    for episode in range(300):
        position = parse_position(random_document(Stream(11, episode)), "f.toml")
        written = json.loads(json.dumps(module.dump(position)))
        again = parse_position(written, "f.toml")
        assert again.state == position.state
        assert str(again.details.pile_error) == str(position.details.pile_error)
        assert again.rules.values == position.rules.values
        assert module.dump(again) == module.dump(position)
        possible += position.details.pile_error is None
    assert possible > 100  # both kinds are met


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    document = {"game": "cigale", "board": ["Y Ba", "N R"], "shelves": [[1, 0, 0, 0], [0, 2, 0, 0]]}
    (tmp_path / "p.json").write_text(json.dumps(document | {"rules": {"ants": 2}}))
    lines = [f"{key} = {json.dumps(value)}" for key, value in document.items()]
    (tmp_path / "p.toml").write_text("\n".join([*lines, "[rules]", "ants = 2"]))
    first, second = (read_position(str(tmp_path / name)) for name in ("p.json", "p.toml"))
    assert first.state == second.state
    assert first.rules.values == second.rules.values == load_rules("cigale").values | {"ants": 2}


# --- score and enumerate


def test_scores() -> None:
    automne = read(shelves=[[0, 1, 2, 3], [4, 0, 0, 0]], insects=[["a", "a", "b"], ["c"] * 6])
    # 0 + 1 + 3 + 6, insects 3 + 1; 10 and a set of six at the last entry of the scale, 10
    assert module.score(automne).document["scores"] == [14, 20]
    hiver = read(mode="hiver", provisions=[["red", "blue"], ["red", "red"]][:2], provision_pile=[])
    assert module.score(hiver).document["scores"] == [2, 3]


def test_enumeration_of_the_full_square() -> None:
    # counts by exhaustive enumeration, known for the square
    answer = module.enumerate_game(load_rules("cigale"), "automne")
    assert answer.document["count"] == len(answer.document["items"]) == len(answer.rows) == 260
    assert answer.document["items"][0] == [[0, 0], [0, 1], [0, 2], [0, 3], [1, 0], [1, 1]]


def test_enumeration_of_a_position() -> None:
    # 2x2 with two ants: four edges; types under them Y|B, Y|N, B|Y, N|Y: two choices each
    answer = module.enumerate_actions(read(board=["Ya B", "N Yb"], rules={"ants": 2}))
    document = answer.document
    assert document["items"] == [[[0, 0], [0, 1]], [[0, 0], [1, 0]], [[0, 1], [1, 1]], [[1, 0], [1, 1]]]
    assert len(document["pairs"]) == len(answer.rows) == 8
    assert document["pairs"][0] == {
        "cells": [[0, 0], [0, 1]],
        "choix": "Y",
        "count": 1,
        "counts": {"Y": 1, "B": 1},
        "insects": ["a"],
    }
    assert "takes" not in document["pairs"][0]


def test_enumeration_in_hiver_lists_what_the_ant_may_take() -> None:
    answer = module.enumerate_actions(read(mode="hiver", board=["Ya B", "N Ba"], rules={"ants": 2}))
    first, second = answer.document["pairs"][:2]
    # Ya or the Ba beside it for Choix Y; B carries no insect
    assert first["takes"] == [[[0, 0]], [[1, 1]]]
    assert second["takes"] == [[[0, 1]]]
    assert answer.columns[-1] == "takes"
    assert answer.rows[0][-1] == 2


def test_a_finished_game_has_nothing_to_enumerate() -> None:
    answer = module.enumerate_actions(read(shelves=[[4, 4, 0, 0], [0] * 4]))
    assert answer.document["count"] == 0
    assert answer.document["pairs"] == []


# --- exact values


def test_a_last_round_by_hand() -> None:
    # Ant (seat 0) with a full Y shelf, one card each of Y and B, no pile: naming Y gains 0, B gains 1, and
    # the Cigale gains 1 by either. (0 - w)/1 + (1 - w)/2 = 1 gives w = -1/3; the Y shelf is 1 point ahead.
    keys: dict[str, Any] = {"board": ["Y B"], "shelves": [[1, 0, 0, 0], [0, 0, 0, 0]], "deck": []}
    answer = module.solve(read(rules={"ants": 2, "shelf_points": [0, 1]}, **keys), None, 100)
    assert answer.document["value"] == pytest.approx(2 / 3, abs=1e-12)
    assert answer.document["objective"] == "margin"
    assert answer.document["actions"] == [{"cells": [[0, 0], [0, 1]], "value": answer.document["value"]}]
    # the same table with the seats exchanged
    keys |= {"ant": 1, "shelves": [[0, 0, 0, 0], [1, 0, 0, 0]]}
    answer = module.solve(read(rules={"ants": 2, "shelf_points": [0, 1]}, **keys), "margin", 100)
    assert answer.document["value"] == pytest.approx(-2 / 3, abs=1e-12)
    assert answer.document["actions"][0]["value"] == pytest.approx(-2 / 3, abs=1e-12)


def test_a_terminal_position_answers_at_once() -> None:
    over = read(shelves=[[4, 4, 0, 0], [0, 0, 1, 0]], board=["Ya Ya"], rules={"ants": 2})
    margin, win = (module.solve(over, objective, 10).document for objective in ("margin", "win"))
    # 20 points to 1; no pile is needed
    assert (margin["value"], margin["states"], margin["actions"]) == (19.0, 1, [])
    assert win["value"] == 1.0


def closed_form(game: Any, state: Any) -> float:
    """Seat 0's value by plain recursion, rounds by the closed form of the guessing game."""
    values: dict[Any, float] = {}

    def value(state: Any) -> float:
        if state not in values:
            values[state] = backed_up(state)
        return values[state]

    def backed_up(state: Any) -> float:
        mover = game.player_to_move(state)
        if mover == TERMINAL:
            return float(game.returns(state)[0])
        if mover == CHANCE:
            return sum(p * value(game.successor(state, item)) for item, p in game.chance_outcomes(state))
        if mover != SIMULTANEOUS:
            best = max if mover == 0 else min
            return best(value(game.successor(state, action)) for action in game.legal_actions(state, mover))
        sign = 1.0 if state.ant == 0 else -1.0
        types = game.legal_actions(state, state.ant)

        def after(choice: int, guess: int) -> float:
            joint = (choice, guess) if state.ant == 0 else (guess, choice)
            return sign * value(game.successor(state, joint))

        missed = [after(t, next(other for other in types if other != t)) for t in types]
        found = [-after(t, t) for t in types]
        return sign * solve_guess(missed, found).value

    return value(state)


SMALL: list[dict[str, Any]] = [
    {
        "board": ["Y B", "N Ya"],
        "shelves": [[0, 1, 0, 0], [1, 0, 0, 0]],
        "deck": ["Y", "Ba"],
        "rules": {"ants": 3, "shelf_points": [0, 1, 3]},
    },
    {
        "board": ["Ya B N"],
        "ant": 1,
        "shelves": [[0, 2, 0, 0], [2, 0, 0, 1]],
        "deck": ["R", "Y", "Ba"],
        "rules": {"ants": 3, "shelf_points": [0, 2, 3]},
    },
    {
        "mode": "hiver",
        "board": ["Ya B N"],
        "reserves": [["Y"], ["N", "N", "N"]],
        "row": ["red", "blue"],
        "provision_pile": ["red"],
        "deck": ["R", "Ba"],
        "rules": {
            "ants": 3,
            "stall_guard": 3,
            "points_to_win": 2,
            "prices": {"red": "YN", "blue": "B"},
        },
    },
]


@pytest.mark.parametrize("objective", ["margin", "win"])
@pytest.mark.parametrize("document", SMALL)
def test_exact_values_by_two_methods(document: dict[str, Any], objective: str) -> None:
    position = parse_position({"game": "cigale"} | document, "small")
    height, width = position.game.height, position.game.width
    game = make_game(position.rules.model, 2, position.mode, objective, height=height, width=width)
    answer = module.solve(position, objective, 200_000)
    assert answer.document["value"] == pytest.approx(closed_form(game, position.state), abs=1e-9)
    assert answer.document["certificate"]["kind"] == "exact"
    best = (max if position.state.ant == 0 else min)(a["value"] for a in answer.document["actions"])
    assert answer.document["actions"][0]["value"] == best == pytest.approx(answer.document["value"], abs=1e-9)


def test_what_cannot_be_solved_is_refused() -> None:
    with pytest.raises(BadInput, match=r"f\.toml: players: expected 2 players"):
        module.solve(read(players=3), "win", 10)
    with pytest.raises(BadInput, match="--objective: expected one of margin, win, got 'cards'"):
        module.solve(read(), "cards", 10)
    with pytest.raises(TooLarge, match="the limit is 500"):
        module.solve(read(), "margin", 500)
