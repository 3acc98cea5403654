"""``advise`` on positions: values by hand and by independent matrices, Red Ants, stakes of both modes."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from fable_solve.solver.errors import BadInput
from fable_solve.solver.games.cigale.advise import advise, export_nfg, ranked, red_ants
from fable_solve.solver.games.cigale.market import (
    affords,
    count_outcomes,
    purchase_gain,
    swap_outcomes,
    swap_types,
)
from fable_solve.solver.matrix import MatrixGame, solve
from fable_solve.solver.nfg import parse_nfg
from fable_solve.solver.positions import Position, parse_position

FULL = ["Ya B N R", "Y Bb N R", "Y B Nc R", "Y B N Rd"]


def position(**keys: Any) -> Position:
    document = {"game": "cigale", "mode": "automne", "board": FULL, **keys}
    return parse_position(document, "test")


def answer(objective: str | None = None, top: int = 5, **keys: Any) -> dict[str, Any]:
    return advise(position(**keys), objective, top).document


def test_four_columns_by_hand() -> None:
    # One column a type: a chain of six over three columns can take 2-2-2, worth 1 / (3/2) = 2/3.
    document = answer("cards")
    assert document["legal_chains"] == 260
    assert document["value"] == pytest.approx(2 / 3)
    best = document["chains"][0]
    assert sorted(best["counts"].values()) in ([2, 2, 2], [1, 1, 2, 2])
    assert best["epsilon"] < 1e-9
    assert len(document["chains"]) == 5
    assert len(answer("cards", top=0)["chains"]) == 260


def test_defaults_of_the_modes() -> None:
    assert answer()["objective"] == "points"
    assert answer(mode="hiver")["objective"] == "cards"


def test_points_of_automne_by_hand() -> None:
    # A board of two cards, two ants: one chain. Yellow (with insect a): shelf 0 -> 1 is 1 point, first
    # insect 1 point: the Ant gains 2, as does the Cigale. Blue: Ant's shelf at 3 -> 4: 10 - 6 = 4; the
    # Cigale's shelf is full: 0. Matrix [[-2, 2], [4, 0]]: value (0 * -2 - 2 * 4) / (-2 + 0 - 2 - 4) = 1.
    document = answer(
        board=["Ya B"], shelves=[[0, 3, 0, 0], [0, 4, 0, 0]], rules={"ants": 2, "chain_rule": "path"}
    )
    assert document["value"] == pytest.approx(1.0)
    # Ant: p(-2) + (1-p) 4 = 1 -> p = 1/2; Cigale: -2 q + 2 (1-q) = 1 -> q = 1/4.
    assert document["chains"][0]["ant"] == pytest.approx({"Y": 0.5, "B": 0.5})
    assert document["chains"][0]["cigale"] == pytest.approx({"Y": 0.25, "B": 0.75})


def test_insect_sets_grow_with_what_is_kept() -> None:
    # Two cards of one type with insects a and a: the guess is always right, the Cigale keeps one a already:
    # shelf 0 -> 2: 3 points; insects 1 -> 3: 6 - 1 = 5 points. The Ant loses 8.
    document = answer(board=["Ya Ya"], insects=[[], ["a"]], rules={"ants": 2})
    assert document["value"] == pytest.approx(-8.0)


def test_values_equal_an_independent_matrix() -> None:
    # Every chain's matrix rebuilt from the words of the rules and solved by the certified matrix solver.
    keys = {"board": ["Ya B Na", "Y Ba R", "Yb Bb R"], "shelves": [[1, 0, 3, 0], [0, 4, 0, 2]]}
    keys |= {"insects": [["a", "b"], ["a"]], "rules": {"ants": 4}}
    points = [0, 1, 3, 6, 10]
    held = [{"a": 1, "b": 1}, {"a": 1}]
    cells = [row.split() for row in keys["board"]]  # type: ignore[attr-defined]
    for chain in answer("points", top=0, **keys)["chains"]:
        cards = [cells[r][c] for r, c in chain["cells"]]
        types = sorted({card[0] for card in cards}, key="YBNR".index)

        def gain(seat: int, kind: str, cards: list[str] = cards) -> int:
            taken = [card for card in cards if card[0] == kind]
            place = keys["shelves"][seat]["YBNR".index(kind)]  # type: ignore[index]
            total = points[min(4, place + len(taken))] - points[place]
            for species in "ab":
                before = held[seat].get(species, 0)
                after = before + sum(card[1:] == species for card in taken)
                total += points[min(4, after)] - points[before]
            return total

        matrix = [[gain(0, i) if i != j else -gain(1, i) for j in types] for i in types]
        assert chain["value"] == pytest.approx(solve(MatrixGame(matrix)).value, abs=1e-9)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("reward", ["match", "miss"])
def test_red_ants_against_every_deviation(players: int, reward: str) -> None:
    # The profile is checked by brute force over pure deviations, in payoffs written from the rules.
    place = position(mode="hiver", players=players, rules={"red_ant_reward": reward})
    for game in ranked(place, "cards")[::40]:
        reds, epsilon = red_ants(place, game, "cards")
        assert [red.seat for red in reds] == list(range(2, players))
        assert epsilon < 1e-9
        p, q = np.array(game.guess.ant), np.array(game.guess.cigale)
        for red in reds:
            chances = []
            for name in "YBNR":
                hit = [reward == "miss" or name == "YBNR"[kind] for kind in game.kinds]
                chances.append(sum(p[i] * (1 - q[i]) * hit[i] for i in range(len(p))))
            expected = sum(share * chance for share, chance in zip(red.names.values(), chances, strict=True))
            assert red.value == pytest.approx(expected)
            assert red.value == pytest.approx(max(chances))


def test_red_ants_share_a_pile_of_one_card() -> None:
    # Seat 2 draws first; with one card left seat 3 draws only when seat 2 missed the name.
    place = position(mode="hiver", players=4, deck=["Y"])
    game = ranked(place, "cards")[0]
    reds, epsilon = red_ants(place, game, "cards")
    assert epsilon < 1e-9
    assert reds[0].names != reds[1].names
    assert reds[0].value + reds[1].value <= 1.0


def test_red_ants_want_nothing_under_points() -> None:
    place = position(mode="hiver", players=3, row=["red"])
    reds, epsilon = red_ants(place, ranked(place, "points")[0], "points")
    assert reds[0].value == 0.0 and epsilon < 1e-9


def test_points_of_hiver_by_hand() -> None:
    # Red costs RRNN. The Ant holds R R N: any brown card buys it (1 point; the pair with the red it owns is
    # worth 3, so 2 more). Board: N and Y, two ants: naming brown unguessed gains 2, yellow nothing; the
    # Cigale holds nothing and gains nothing. Matrix rows brown [0, 2], yellow [0, 0]: value 0 (the Cigale
    # guesses brown).
    keys = {"mode": "hiver", "board": ["N Y"], "rules": {"ants": 2}, "row": ["red"]}
    keys |= {"reserves": [["R", "R", "N"], []], "provisions": [["red"], []]}
    assert answer("points", **keys)["value"] == pytest.approx(0.0)
    # A second brown card under another name: three of yellow stand for one brown (substitution), so naming
    # yellow over three yellow cards gains 2 as well: matrix [[0, 2], [2, 0]], value 1.
    keys |= {"board": ["N Y Y Y"], "rules": {"ants": 4}}
    assert answer("points", **keys)["value"] == pytest.approx(1.0)
    keys |= {"rules": {"ants": 4, "substitution": False}}
    assert answer("points", **keys)["value"] == pytest.approx(0.0)


def test_swaps_buy_for_the_ant_only() -> None:
    # Collecting Ya, the Ant may leave with Na instead and pay red; the Cigale may not swap.
    keys = {"mode": "hiver", "board": ["Ya Y", "Na B"], "rules": {"ants": 2}, "row": ["red"]}
    keys |= {"reserves": [["R", "R", "N"], ["R", "R", "N"]]}
    for chain in answer("points", top=0, **keys)["chains"]:
        cells = [tuple(cell) for cell in chain["cells"]]
        if cells == [(0, 0), (0, 1)]:  # yellow only: always guessed, and the Cigale cannot swap
            assert chain["value"] == pytest.approx(0.0)
        if cells == [(0, 0), (1, 0)]:  # yellow or brown: the Ant buys either way, the Cigale with brown only
            # [[0, 1], [1, -1]]: value 1/3
            assert chain["value"] == pytest.approx(1 / 3)


def test_swap_outcomes_by_hand() -> None:
    board = [1, 8, 15, 22, 2]  # Ya Ba Na Ra Yb
    # Two of the four a cards: 6 sets; uncovered allows only the collected ones and those without an ant.
    assert len(set(swap_outcomes(board, (0, 1), (0, 1, 2), "any"))) == 6
    assert set(swap_outcomes(board, (0, 1), (0, 1, 2), "uncovered")) == {(0, 1), (0, 3), (1, 3)}
    assert next(swap_outcomes(board, (0, 4), (0, 4), "any")) == (0, 4)


def test_types_of_swaps_are_those_of_the_outcomes() -> None:
    random = Random(2)
    for _ in range(200):
        board = [random.randrange(28) if random.random() < 0.9 else -1 for _ in range(9)]
        cells = [cell for cell in range(9) if board[cell] != -1]
        chain = tuple(sorted(random.sample(cells, min(5, len(cells)))))
        squares = [cell for cell in chain if board[cell] // 7 == board[chain[0]] // 7]
        for target in ("any", "uncovered"):
            outcomes = list(swap_outcomes(board, squares, chain, target))
            hands = set()
            for outcome in outcomes:
                kinds = [board[cell] // 7 for cell in outcome]
                hands.add(tuple(kinds.count(kind) for kind in range(4)))
            assert swap_types(board, squares, chain, target) == hands
            assert count_outcomes(board, squares, chain, target) == len(outcomes)


def test_prices_by_brute_force() -> None:
    # A price is affordable exactly when some way of standing in covers it.
    def covers(counts: tuple[int, ...], price: tuple[int, ...], rate: int) -> bool:
        if all(have >= need for have, need in zip(counts, price, strict=True)):
            return True
        return any(
            covers(
                tuple(c - rate * (i == t) for i, c in enumerate(counts)),
                tuple(n - (i == s) for i, n in enumerate(price)),
                rate,
            )
            for t, s in product(range(4), repeat=2)
            if t != s and counts[t] - rate >= price[t] and price[s] > counts[s]
        )

    for counts in product(range(0, 8, 1), repeat=4):
        if sum(counts) <= 9:
            for price in ((1, 1, 1, 1), (2, 2, 0, 0), (0, 0, 3, 1)):
                assert affords(counts, price, 3) == covers(counts, price, 3)


def test_second_copy_is_worth_two() -> None:
    assert purchase_gain([], "red", [0, 1, 3]) == 1
    assert purchase_gain(["red", "blue"], "red", [0, 1, 3]) == 2
    assert purchase_gain(["red", "red"], "red", [0, 1, 3]) == 0


def test_refusals() -> None:
    with pytest.raises(BadInput, match="objective"):
        answer("glory")
    with pytest.raises(BadInput, match=r"test: board: expected a board on which 2 ants can form a chain"):
        answer(board=["Y . B"], rules={"ants": 2})


def test_export_round_trips() -> None:
    place = position()
    text = export_nfg(place, "cards")
    best = ranked(place, "cards")[0]
    game = parse_nfg(text, "export")
    assert game.zero_sum
    assert solve(game).value == pytest.approx(best.guess.value)
