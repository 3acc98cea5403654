"""Cigale's mode hiver: swaps, Red Ants, purchases, reshuffles and ends, on tables counted by hand."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from typing import Any

import pytest

from fable_solve.solver.errors import IllegalAction
from fable_solve.solver.games.cigale.cards import TYPES, format_card, parse_card, type_of
from fable_solve.solver.games.cigale.payment import payments
from fable_solve.solver.games.cigale.rules import make_game
from fable_solve.solver.games.cigale.state import BUY, CHOOSE, DRAW, LAY, OVER, SWAP, State
from fable_solve.solver.positions import Position, parse_position
from fable_solve.solver.rng import Stream
from fable_solve.solver.rules import Layer, load_rules

Y, B, N, R = range(4)


def table(board: list[str], rules: dict[str, Any] | None = None, **keys: Any) -> Position:
    """A position with 2 ants, no Provision pile and no draw pile unless given."""
    defaults = {"game": "cigale", "mode": "hiver", "provision_pile": [], "deck": []}
    return parse_position(defaults | {"board": board, "rules": {"ants": 2} | (rules or {})} | keys, "table")


def reveal(position: Position, chain: tuple[int, ...], *joint: int) -> State:
    """The state after ants on ``chain`` and the joint choice."""
    state = position.game.successor(position.state, chain)
    return position.game.successor(state, joint)  # type: ignore[no-any-return]


def codes(text: str) -> tuple[int, ...]:
    return tuple(sorted(parse_card(part, "test") for part in text.split()))


def words(cards: tuple[int, ...]) -> str:
    return " ".join(map(format_card, cards))


# --- payment


def brute_payments(reserve: tuple[int, ...], price: str, rate: int | None) -> set[tuple[int, ...]]:
    """Every sub-multiset that can be split, card group by card group, over the cards of the price."""
    found = set()
    for size in range(len(reserve) + 1):
        for picked in set(combinations(reserve, size)):
            held = Counter(TYPES[type_of(code)] for code in picked)
            if any(covers(Counter(held), order, rate) for order in {tuple(p) for p in permutations(price)}):
                found.add(picked)
    return found


def covers(held: Counter[str], asked: tuple[str, ...], rate: int | None) -> bool:
    """Whether ``held`` is used up exactly: a card asked takes one of its type or ``rate`` of another."""
    if not asked:
        return not +held
    first, rest = asked[0], asked[1:]
    for letter in TYPES:
        needed = 1 if letter == first else rate
        if needed is not None and held[letter] >= needed:
            held[letter] -= needed
            if covers(held, rest, rate):
                return True
            held[letter] += needed
    return False


def test_payments_against_brute_force() -> None:
    stream, some = Stream(7), 0
    for _ in range(150):
        reserve = tuple(sorted(stream.choice([0, 0, 1, 7, 7, 9, 14, 21]) for _ in range(stream.below(9))))
        price = "".join(stream.choice("YBNR") for _ in range(1 + stream.below(4)))
        rate = stream.choice([None, 2, 3])
        expected = brute_payments(reserve, price, rate)
        found = payments(reserve, price, rate)
        assert set(found) == expected
        assert len(found) == len(expected)
        some += bool(expected)
    assert some > 50


def test_payments_are_listed_fewest_cards_first_and_plain_ones_before_insects() -> None:
    # Y 4 (one with an insect), B, N; three Y stand for B or for N. As the page on the game says.
    listed = ["B N", "Y Y Y N", "Y Y Ya N", "Y Y Y B", "Y Y Ya B"]
    assert payments(codes("Y Y Y Ya B N"), "BN", 3) == tuple(map(codes, listed))


def test_payments_by_hand() -> None:
    # 2R+2N from R R R N: three R for the missing N would leave no R for the two that are asked
    assert payments(codes("R R R N"), "RRNN", 3) == ()
    # with five R: two as themselves, three for the missing N
    assert payments(codes("R R R R R N"), "RRNN", 3) == (codes("R R R R R N"),)
    # which Y to give is a choice between cards, with and without insect
    assert payments(codes("Y Ya B"), "YB", 3) == (codes("Y B"), codes("Ya B"))
    # three cards never stand for one of their own type
    assert payments(codes("Y Y Y"), "YB", 3) == ()
    # B itself, or 3 Y for it
    assert payments(codes("Y Y Y Y B"), "YB", 3) == (codes("Y B"), codes("Y Y Y Y"))
    # 3 Y for one B, twice
    assert payments(codes("Y Y Y Y Y Y"), "BB", 3) == (codes("Y Y Y Y Y Y"),)


# --- purchases


def test_the_collector_may_buy_one_provision_or_none() -> None:
    # the Cigale (seat 1) collects Y and holds Y N R R: purple (YBNR) lacks B, red (RRNN) lacks N
    rules = {"prices": {"red": "RRN", "purple": "YR"}}
    position = table(["Y B"], rules, reserves=[["B"], ["N", "R", "R"]], row=["red", "purple", "blue"])
    state = reveal(position, (0, 1), Y, Y)
    assert state.phase == BUY
    assert position.game.player_to_move(state) == 1
    assert position.game.legal_actions(state, 0) == ()
    # blue costs BBRR; substitution needs three of a type
    assert position.game.legal_actions(state, 1) == (None, ("purple", codes("Y R")), ("red", codes("R R N")))
    bought = position.game.successor(state, ("purple", codes("Y R")))
    assert bought.provisions == ((), ("purple",))
    assert words(bought.reserves[1]) == "N R"
    assert position.game.scores(bought) == (0.0, 1.0)
    declined = position.game.successor(state, None)
    assert declined.provisions == ((), ())
    with pytest.raises(IllegalAction, match="a kind on offer"):
        position.game.successor(state, ("blue", codes("Y R")))


def test_no_affordable_provision_is_no_decision() -> None:
    position = table(["Y B"], reserves=[["B"], ["N"]], row=["red"], deck=["R", "R"])
    state = reveal(position, (0, 1), Y, Y)
    assert state.phase == LAY
    assert words(state.reserves[1]) == "Y N"


def test_without_substitution_three_cards_stand_for_nothing() -> None:
    keys: dict[str, Any] = {"reserves": [[], ["B", "B", "B", "B", "N"]], "row": ["purple"], "deck": ["R"]}
    # Y B N R with three B for R: Y, 4 B, N in all
    with_it = reveal(table(["Y B"], **keys), (0, 1), Y, Y)
    assert with_it.phase == BUY
    assert reveal(table(["Y B"], {"substitution": False}, **keys), (0, 1), Y, Y).phase == LAY
    assert reveal(table(["Y B"], {"substitution_cards": 4}, **keys), (0, 1), Y, Y).phase == LAY


def test_pairs_are_worth_three_and_the_first_to_four_wins_at_once() -> None:
    rules = {"prices": {"red": "Y"}}
    position = table(["Y B"], rules, provisions=[["blue"], ["blue", "red"]], row=["red"], deck=["R", "N"])
    state = reveal(position, (0, 1), Y, Y)
    assert position.game.scores(state) == (1.0, 2.0)
    state = position.game.successor(state, ("red", codes("Y")))
    # 3 for the pair of red and 1 for blue
    assert position.game.scores(state) == (1.0, 4.0)
    assert state.phase == OVER
    assert len(state.pile) == 2
    assert position.game.win_shares(state) == (0.0, 1.0)


def test_three_points_are_not_enough_unless_the_rules_say_so() -> None:
    provisions = [["red", "red"], []]
    assert table(["Y B"], provisions=provisions).state.phase == LAY
    assert table(["Y B"], {"points_to_win": 3}, provisions=provisions).state.phase == OVER


@pytest.mark.parametrize(("bonus", "reserve"), [(True, 1), (False, 0)])
def test_a_purchase_with_the_last_card_draws_one(bonus: bool, reserve: int) -> None:
    rules = {"prices": {"red": "Y"}, "empty_hand_bonus": bonus}
    position = table(["Y B"], rules, row=["red"], deck=["N", "N", "N"])
    state = position.game.successor(reveal(position, (0, 1), Y, Y), ("red", codes("Y")))
    assert len(state.reserves[1]) == reserve
    # one card went to the square
    assert len(state.pile) == 2 - reserve


def test_the_bonus_may_come_from_the_payment_itself() -> None:
    # no pile, no discard: the two cards just paid are shuffled, one is drawn, one fills the square
    rules = {"prices": {"red": "YN"}}
    position = table(["Y B"], rules, reserves=[[], ["N"]], row=["red"])
    state = position.game.successor(reveal(position, (0, 1), Y, Y), ("red", codes("Y N")))
    assert state.phase == DRAW
    assert position.game.chance_outcomes(state) == [(codes("Y")[0], 0.5), (codes("N")[0], 0.5)]
    state = position.game.successor(state, codes("N")[0])
    assert words(state.reserves[1]) == "N"
    assert [format_card(code) for code in state.board] == ["Y", "B"]
    assert state.pile == state.discard == ()


def test_the_discard_waits_until_the_pile_is_empty() -> None:
    position = table(["Y B", "Y N"], {"ants": 3}, deck=["R"], discard=["N", "N"])
    state = reveal(position, (0, 1, 2), Y, B)
    # two holes: the R of the pile comes first, then the discard is shuffled
    assert [format_card(code) for code in state.board] == ["R", "B", "N", "N"]
    assert words(state.pile) == "N"
    assert state.discard == ()


def test_bought_provisions_are_replaced_while_there_are_any() -> None:
    rules = {"prices": {"red": "Y"}}
    keys: dict[str, Any] = {"reserves": [[], ["B"]], "row": ["red", "blue", "blue"], "deck": ["R"]}
    bought = ("red", codes("Y"))
    position = table(["Y B"], rules, provision_pile=["green", "brown"], **keys)
    state = position.game.successor(reveal(position, (0, 1), Y, Y), bought)
    assert position.game.chance_outcomes(state) == [("brown", 0.5), ("green", 0.5)]
    state = position.game.successor(state, "green")
    assert state.row == ("blue", "blue", "green")
    assert state.provision_pile == ("brown",)
    position = table(["Y B"], rules, **keys)
    state = position.game.successor(reveal(position, (0, 1), Y, Y), bought)
    assert state.row == ("blue", "blue")


# --- swaps


def test_swaps_of_the_ant() -> None:
    # ants on Ya, Ba, Y (0, 1, 2); a further a lies uncovered at 4, b at 5
    board = ["Ya Ba Y", "N Ra Nb"]
    position = table(board, {"ants": 3})
    state = reveal(position, (0, 1, 2), Y, B)
    assert state.phase == SWAP
    # Y at 2 is taken; for Ya itself, Ba under an ant, or Ra
    assert position.game.legal_actions(state, 0) == ((0, 2), (1, 2), (2, 4))
    assert position.game.legal_actions(state, 1) == ()
    after = position.game.successor(state, (2, 4))
    assert words(after.reserves[0]) == "Y Ra"
    assert [format_card(code) for code in after.board] == ["Ya", "Ba", ".", "N", ".", "Nb"]
    with pytest.raises(IllegalAction, match="may leave"):
        position.game.successor(state, (0, 4))
    position = table(board, {"ants": 3, "swap_target": "uncovered"})
    state = reveal(position, (0, 1, 2), Y, B)
    assert position.game.legal_actions(state, 0) == ((0, 2), (2, 4))


def test_two_collected_insects_of_one_species_take_any_two() -> None:
    # Y a twice under ants, two more a on the square: 4 choose 2 sets; b has no other card
    rules = {"ants": 4, "insect_cards": {"a": "YYBN", "b": "Y"}}
    position = table(["Ya Ya Yb B", "Ba Na N N"], rules)
    state = reveal(position, (0, 1, 2, 3), Y, B)
    expected = tuple((*pair, 2) for pair in combinations((0, 1, 4, 5), 2))
    assert position.game.legal_actions(state, 0) == tuple(sorted(tuple(sorted(cells)) for cells in expected))


def test_the_cigale_never_swaps() -> None:
    position = table(["Ya B Ba"], {"ants": 3})
    state = reveal(position, (0, 1, 2), Y, Y)
    assert words(state.reserves[1]) == "Ya"
    assert state.phase != SWAP


# --- Red Ants


def test_red_ants_name_any_type_at_the_same_time() -> None:
    position = table(["Y B"], players=4, ant=1, cigale=3)
    state = position.game.successor(position.state, (0, 1))
    options = [tuple(position.game.legal_actions(state, seat)) for seat in range(4)]
    assert options == [(Y, B, N, R), (Y, B), (Y, B, N, R), (Y, B)]


@pytest.mark.parametrize(
    ("reward", "guess", "drawers"),
    [("match", B, (0,)), ("miss", B, (2, 0)), ("match", Y, ()), ("miss", Y, ())],
)
def test_reward_of_red_ants(reward: str, guess: int, drawers: tuple[int, ...]) -> None:
    # Ant 1 chooses Y, Cigale 3; Red Ants 2 (names N) and 0 (names Y), in this order from the Ant's left
    position = table(
        ["Y B"], {"red_ant_reward": reward}, players=4, ant=1, cigale=3, deck=["N", "N", "N", "N"]
    )
    state = reveal(position, (0, 1), Y, Y, N, guess)
    assert [seat for seat in (2, 0) if state.reserves[seat]] == list(drawers)
    assert len(state.pile) == 4 - len(drawers) - 1  # one card went to the square


def test_red_ants_draw_in_order_from_a_nearly_empty_pile() -> None:
    # one card in the pile, one in the discard: seat 2 (left of the Ant) has the R, seat 0 the N
    position = table(["Y B"], players=4, ant=1, cigale=3, deck=["R"], discard=["N"])
    state = reveal(position, (0, 1), Y, Y, Y, B)
    assert [words(hand) for hand in state.reserves] == ["N", "Y", "R", ""]
    # nothing is left for the square, and one card alone carries no two ants
    assert state.phase == OVER
    position = table(["Y B"], players=4, ant=1, cigale=3, deck=["R"])
    state = reveal(position, (0, 1), Y, Y, Y, B)
    assert [words(hand) for hand in state.reserves] == ["", "Y", "R", ""]


# --- ends


def test_without_a_legal_chain_points_then_path_cards_decide() -> None:
    def win(provisions: list[list[str]], reserves: list[list[str]]) -> tuple[float, ...]:
        position = table(["Y ."], provisions=provisions, reserves=reserves)
        assert position.state.phase == OVER
        return position.game.win_shares(position.state)  # type: ignore[no-any-return]

    assert win([["red"], []], [[], ["Y", "B"]]) == (1.0, 0.0)
    assert win([["red"], ["blue"]], [[], ["Y", "B"]]) == (0.0, 1.0)
    assert win([["red"], ["blue"]], [["N", "N"], ["Y", "B"]]) == (0.5, 0.5)


def test_the_stall_guard_shares_the_win() -> None:
    keys: dict[str, Any] = {"round": 5, "provisions": [["red"], []], "deck": ["R", "R"]}
    position = table(["Y B"], {"stall_guard": 5}, **keys)
    assert position.state.phase == LAY
    state = reveal(position, (0, 1), Y, B)
    assert state.round == 6
    assert state.phase == OVER
    assert position.game.stopped(state)
    assert position.game.win_shares(state) == (0.5, 0.5)
    assert position.game.scores(state) == (1.0, 0.0)
    # a purchase in the last round still wins
    position = table(
        ["Y B"], {"stall_guard": 5, "prices": {"red": "Y"}, "points_to_win": 2}, row=["red"], **keys
    )
    state = position.game.successor(reveal(position, (0, 1), Y, B), ("red", codes("Y")))
    assert position.game.win_shares(state) == (1.0, 0.0)
    assert not position.game.stopped(state)


def test_holes_stay_until_there_are_cards_again() -> None:
    position = table(["Y B", "N R"], reserves=[[], []])
    state = reveal(position, (0, 1), Y, B)
    assert [format_card(code) for code in state.board] == [".", "B", "N", "R"]
    assert position.game.legal_actions(state, 1) == ((1, 3), (2, 3))


def deal(players: int, **rules: Any) -> tuple[Any, State, int]:
    """The game, the table when all is dealt, and the number of draws."""
    game = make_game(load_rules("cigale", [Layer("test", rules)]).model, players, "hiver")
    state, draws = game.initial_state(), 0
    while state.phase == DRAW:
        state = game.successor(state, game.chance_outcomes(state)[0][0])
        draws += 1
    return game, state, draws


def test_starting_cards_and_row_are_data() -> None:
    game, state, _ = deal(2, starting_cards=3, row_size=1)
    assert [len(hand) for hand in state.reserves] == [3, 3]
    # 10 Provisions with 2 players, one on offer
    assert (len(state.row), len(state.provision_pile)) == (1, 9)
    assert game.max_length == 4 * 200


def test_the_deal_is_square_first_cards_then_row() -> None:
    _, state, draws = deal(3)
    assert draws == 16 + 3 + 3
    assert [len(hand) for hand in state.reserves] == [1, 1, 1]
    assert len(state.pile) == 48 - 16 - 3
    # 12 Provisions with 3 players, three on offer, green not among them
    assert len(state.row) == 3
    assert len(state.provision_pile) == 9
    assert "green" not in state.row + state.provision_pile
    assert (state.ant, state.cigale, state.round) == (0, 1, 1)
    assert state.phase == LAY


def test_states_are_words_too() -> None:
    position = table(["Ya B Ba"], {"ants": 3}, row=["red"], reserves=[["N"], []])
    game = position.game
    state = game.successor(position.state, (0, 1, 2))
    assert state.phase == CHOOSE
    assert game.describe_action(position.state, (0, 1, 2)) == "seat 0 lays ants on (0,0) (0,1) (0,2)"
    assert game.describe_action(state, (Y, B)) == "seat 0 chooses Y, seat 1 guesses B"
    assert game.describe_state(state).splitlines() == [
        "Ya* B*  Ba*",
        "ant 0, cigale 1, pile 0, discard 0, row red, round 1",
        "seat 0: reserve N, provisions none",
        "seat 1: reserve none, provisions none",
    ]
