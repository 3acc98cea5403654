"""Cigale's rules in both modes: roles, collection, draws, ends, tie-breaks, whole games.

Tables are written as positions; every expected number is counted by hand on the table above it.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import pytest

from fable_solve.solver.errors import BadInput, IllegalAction
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL
from fable_solve.solver.games.cigale.cards import HOLE, SPECIES, format_card
from fable_solve.solver.games.cigale.rules import make_game
from fable_solve.solver.games.cigale.state import CHOOSE, DRAW, LAY, OVER, State
from fable_solve.solver.positions import Position, parse_position
from fable_solve.solver.rng import Stream
from fable_solve.solver.rules import Layer, load_rules

Y, B, N, R = range(4)


def table(
    board: list[str], mode: str = "automne", rules: dict[str, Any] | None = None, **keys: Any
) -> Position:
    """A position on a small square: 2 ants unless the rules say otherwise."""
    document = {"game": "cigale", "mode": mode, "board": board, "rules": {"ants": 2} | (rules or {})} | keys
    return parse_position(document, "table")


def reveal(position: Position, chain: tuple[int, ...], choice: int, guess: int) -> State:
    """The state after ants on ``chain``, ``choice`` of the Ant and ``guess`` of the Cigale."""
    game, state = position.game, position.state
    state = game.successor(state, chain)
    joint: list[int | None] = [None] * game.players
    joint[state.ant], joint[state.cigale] = choice, guess
    return game.successor(state, tuple(joint))


def drawn(game: Any, state: State, *cards: str) -> State:
    """``state`` after the draws of ``cards`` in this order."""
    for text in cards:
        (item,) = [item for item, _ in game.chance_outcomes(state) if format_card(item) == text]
        state = game.successor(state, item)
    return state


# --- roles


# Collected by the Ant: both one seat left. By the Cigale: the Ant stays, the Cigale's role moves one seat
# left past the Ant. Counted round the table by hand.
ROLES = [
    (2, (0, 1), True, (1, 0)),
    (2, (1, 0), True, (0, 1)),
    (2, (0, 1), False, (0, 1)),
    (2, (1, 0), False, (1, 0)),
    (3, (0, 1), True, (1, 2)),
    (3, (0, 2), True, (1, 0)),
    (3, (2, 1), True, (0, 2)),
    (3, (0, 1), False, (0, 2)),
    (3, (0, 2), False, (0, 1)),
    (3, (1, 0), False, (1, 2)),
    (4, (3, 0), True, (0, 1)),
    (4, (1, 3), True, (2, 0)),
    (4, (2, 3), False, (2, 0)),
    (4, (2, 1), False, (2, 3)),
]


@pytest.mark.parametrize(("players", "roles", "ant_collects", "after"), ROLES)
@pytest.mark.parametrize("mode", ["automne", "hiver"])
def test_roles_of_the_next_round(
    mode: str, players: int, roles: tuple[int, int], ant_collects: bool, after: tuple[int, int]
) -> None:
    keys: dict[str, Any] = {"provision_pile": []} if mode == "hiver" else {}
    position = table(["Y B"], mode, players=players, ant=roles[0], cigale=roles[1], deck=["N"], **keys)
    game = position.game
    state = game.successor(position.state, (0, 1))
    joint = [R if mode == "hiver" else None] * players
    joint[roles[0]], joint[roles[1]] = Y, B if ant_collects else Y
    state = game.successor(state, tuple(joint))
    assert (state.ant, state.cigale) == after
    assert state.phase == LAY


# --- automne


def test_collection_moves_cubes_and_keeps_insects() -> None:
    shelves, insects = [[0, 0, 0, 0], [0, 0, 3, 0]], [["f"], ["a", "Ba"]]
    position = table(["Na Nb Y", "B R Nc"], shelves=shelves, insects=insects, deck=["R", "Y"])
    # both ants on N: nothing to choose, the Cigale (seat 1) stands on it and takes two cards; from place 3
    # one step is left to the top
    state = position.game.successor(position.state, (0, 1))
    assert state.shelves == ((0, 0, 0, 0), (0, 0, 4, 0))
    assert state.insects == ((0, 0, 0, 0, 0, 1), (3, 1, 0, 0, 0, 0))
    assert state.phase == DRAW
    assert state.board[:2] == (HOLE, HOLE)
    # 10 for the shelf, 6 for three a, 1 for one b; 1 for one f
    assert position.game.scores(state) == (1.0, 17.0)


def test_wrong_guess_pays_the_ant_and_a_full_shelf_may_be_chosen() -> None:
    position = table(["Y B"], shelves=[[4, 0, 0, 0], [0, 0, 0, 0]], deck=["Y", "B"])
    state = reveal(position, (0, 1), Y, B)
    assert state.shelves == ((4, 0, 0, 0), (0, 0, 0, 0))
    assert (state.ant, state.cigale) == (1, 0)


def test_draws_are_card_by_card_from_the_multiset() -> None:
    position = table(["Y B N"], deck=["R", "R", "Bb"], rules={"ants": 3})
    state = reveal(position, (0, 1, 2), B, N)
    outcomes = {format_card(card): p for card, p in position.game.chance_outcomes(state)}
    assert outcomes == pytest.approx({"R": 2 / 3, "Bb": 1 / 3})
    after = drawn(position.game, state, "Bb")
    assert [format_card(card) for card in after.board] == ["Y", "Bb", "N"]
    assert [format_card(card) for card in after.pile] == ["R", "R"]


def test_holes_are_filled_in_reading_order() -> None:
    position = table(["Y B", "N Y"], deck=["R", "B", "N"], rules={"ants": 3})
    state = reveal(position, (0, 1, 3), Y, B)
    state = drawn(position.game, state, "R", "N")
    assert [format_card(card) for card in state.board] == ["R", "B", "N", "N"]
    assert state.phase == LAY


def test_a_single_possible_draw_is_no_node() -> None:
    position = table(["Y B"], deck=["R", "R"])
    state = reveal(position, (0, 1), Y, B)
    assert state.phase == LAY
    assert [format_card(card) for card in state.board] == ["R", "B"]


def test_two_full_shelves_end_the_game_at_once() -> None:
    position = table(["Y B"], shelves=[[3, 4, 0, 0], [0, 0, 0, 0]], deck=["R", "N"])
    state = reveal(position, (0, 1), Y, B)
    assert state.phase == OVER
    assert len(state.pile) == 2  # nothing was drawn
    # shelves 10 + 10 against nothing
    assert position.game.scores(state) == (20.0, 0.0)
    assert position.game.win_shares(state) == (1.0, 0.0)


def test_one_full_shelf_can_be_enough_and_two_too_few() -> None:
    keys: dict[str, Any] = {"shelves": [[3, 4, 0, 0], [0, 0, 0, 0]], "deck": ["R", "R"]}
    assert reveal(table(["Y B"], rules={"shelves_to_end": 3}, **keys), (0, 1), Y, B).phase == LAY
    assert table(["Y B"], rules={"shelves_to_end": 1}, **keys).state.phase == OVER


def test_the_shelf_scale_sets_the_top() -> None:
    position = table(["Y Y"], shelves=[[0, 0, 0, 0], [1, 2, 0, 0]], rules={"shelf_points": [0, 2, 3]})
    state = position.game.successor(position.state, (0, 1))
    assert state.shelves[1] == (2, 2, 0, 0)
    assert position.game.scores(state) == (0.0, 6.0)
    assert state.phase == OVER


def test_a_square_that_cannot_be_refilled_ends_the_game() -> None:
    board = ["Y B", "Y N"]
    enough = table(board, deck=["R", "R"], rules={"ants": 3})
    short = table(board, deck=["R"], rules={"ants": 3})
    # two Y leave: two cards refill the square exactly, and the round is played; one does not
    assert reveal(enough, (0, 1, 2), Y, B).phase == LAY
    assert reveal(enough, (0, 1, 2), Y, B).pile == ()
    assert reveal(short, (0, 1, 2), Y, B).phase == OVER


def test_winner_by_points_then_insects_then_shared() -> None:
    def win(insects: list[list[str]], shelves: list[list[int]], players: int = 2) -> tuple[float, ...]:
        position = table([". ."], players=players, insects=insects, shelves=shelves)
        assert position.state.phase == OVER  # no chain is left
        return position.game.win_shares(position.state)  # type: ignore[no-any-return]

    one, two, none = [1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]
    assert win([[], []], [one, two]) == (0.0, 1.0)  # 1 to 2 points
    assert win([["a"], []], [one, two]) == (1.0, 0.0)  # 2 points each, one insect card to none
    assert win([["a"], ["b"]], [one, one]) == (0.5, 0.5)
    assert win([["a"], ["b"], []], [none, none, none], 3) == (0.5, 0.5, 0.0)
    # three of a kind are 6 points, three different are 3
    assert win([["a", "a", "a"], ["a", "b", "c"]], [none, two]) == (1.0, 0.0)


def test_only_ant_and_cigale_act_in_automne() -> None:
    position = table(["Y B"], players=4, ant=2, deck=["N"])
    state = position.game.successor(position.state, (0, 1))
    assert position.game.player_to_move(state) == SIMULTANEOUS
    assert [tuple(position.game.legal_actions(state, seat)) for seat in range(4)] == [
        (),
        (),
        (Y, B),
        (Y, B),
    ]
    with pytest.raises(IllegalAction):
        position.game.successor(state, (Y, None, Y, B))


def test_one_type_leaves_nothing_to_choose() -> None:
    position = table(["Y Y", "B N"], deck=["N", "N"])
    assert position.game.successor(position.state, (0, 1)).shelves[1] == (2, 0, 0, 0)
    assert position.game.successor(position.state, (0, 2)).phase == CHOOSE


def test_no_ants_on_holes() -> None:
    position = table(["Y B", ". N"])
    # of the four edges of the 2x2 square two touch the hole
    assert position.game.legal_actions(position.state, 0) == ((0, 1), (1, 3))
    assert position.game.legal_actions(position.state, 1) == ()


@pytest.mark.parametrize("action", [(0, 3), (1, 0), (0,), None, "Y", 7, [0, 1]])
def test_illegal_chains_are_refused(action: Any) -> None:
    position = table(["Y B", "N R"])
    with pytest.raises(IllegalAction, match="a legal chain"):
        position.game.successor(position.state, action)


def test_illegal_choices_and_draws_are_refused() -> None:
    position = table(["Y B"], deck=["N", "R"])
    state = position.game.successor(position.state, (0, 1))
    for joint in [(Y, N), (R, Y), (Y,), (Y, B, Y), None, (None, Y)]:
        with pytest.raises(IllegalAction, match="a type for each seat"):
            position.game.successor(state, joint)
    state = position.game.successor(state, (Y, B))
    with pytest.raises(IllegalAction, match="may be drawn"):
        position.game.successor(state, 0)


def test_a_game_over_has_no_actions() -> None:
    position = table(["Y B"], shelves=[[4, 4, 0, 0], [0, 0, 0, 0]])
    assert position.game.player_to_move(position.state) == TERMINAL
    with pytest.raises(IllegalAction, match="the game is over"):
        position.game.successor(position.state, (0, 1))


# --- the game itself


def perft(position: Position, depth: int) -> int:
    """Number of sequences of ``depth`` nodes (decisions, joint choices, draws) from the position."""

    def count(state: State, left: int) -> int:
        mover = position.game.player_to_move(state)
        if left == 0 or mover == TERMINAL:
            return int(left == 0)
        if mover == CHANCE:
            actions: list[Any] = [item for item, _ in position.game.chance_outcomes(state)]
        elif mover == SIMULTANEOUS:
            seats = range(position.game.players)
            actions = list(product(*(position.game.legal_actions(state, s) or (None,) for s in seats)))
        else:
            actions = list(position.game.legal_actions(state, mover))
        return sum(count(position.game.successor(state, action), left - 1) for action in actions)

    return count(position.state, depth)


def test_sequences_of_automne_counted_by_hand() -> None:
    # four different types on 2x2, two ants: 4 edges; 2 x 2 choices on each; one card leaves, Y or B comes
    # (and the other stays for the next round): 2 draws; then 4 edges again
    position = table(["Y B", "N R"], deck=["Y", "B"])
    assert [perft(position, depth) for depth in range(5)] == [1, 4, 16, 32, 128]
    # Next choices. Each of the 4 cards leaves in 4 of the 16 cells, and Y or B comes in its place. Where its
    # twin then lies beside it, one of the 4 edges has one type only: the Cigale takes two cards and one is
    # left, the game is over. Places 0 to 3 are Y B N R. Y gone: no twin of Y, B beside at 1. B gone: Y beside
    # at 0, no twin of B. N gone (2): Y beside at 0, B not. R gone (3): Y not, B beside at 1. So 4 comers
    # leave 4 edges with 2 x 2 choices and 4 comers leave 3.
    assert perft(position, 5) == 4 * (4 * 16 + 4 * 12)


def test_sequences_of_hiver_counted_by_hand() -> None:
    # one edge per two ants on 1x2; Choix and guess 2 x 2, the Red Ant names one of 4
    position = table(["Y B"], "hiver", players=3, deck=["N"], provision_pile=[])
    assert [perft(position, depth) for depth in range(3)] == [1, 1, 16]


def test_kept_insects_face_up_or_down_are_known() -> None:
    # players are taken to remember, so the information is the same
    for visible in (True, False):
        position = table(["Ya B"], rules={"insects_visible": visible}, deck=["N"])
        state = position.game.successor(position.game.successor(position.state, (0, 1)), (Y, Y))
        assert state.insects[1] == (1, 0, 0, 0, 0, 0)
        assert position.game.information_state(state, 0) == position.game.information_state(state, 1)


@pytest.mark.parametrize("mode", ["automne", "hiver"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_end_with_all_cards(mode: str, players: int) -> None:
    rules = load_rules("cigale").model
    game = make_game(rules, players, mode, "score")
    deck = Counter(rules.deck)
    low, high = game.return_bounds
    for episode in range(50):
        stream, decisions = Stream(players, episode), 0
        state = game.initial_state()
        while (mover := game.player_to_move(state)) != TERMINAL:
            assert_cards(state, deck, exact=mode == "hiver")
            if mover == CHANCE:
                outcomes = game.chance_outcomes(state)
                assert sum(p for _, p in outcomes) == pytest.approx(1, abs=1e-12)
                assert len({item for item, _ in outcomes}) == len(outcomes) > 1
                action: Any = stream.weighted(outcomes)
            elif mover == SIMULTANEOUS:
                choices = [game.legal_actions(state, seat) for seat in range(players)]
                assert all(choices) or mode == "automne"
                action = tuple(stream.choice(options) if options else None for options in choices)
            else:
                options = game.legal_actions(state, mover)
                assert len(options) == len(set(options)) > 0
                action = stream.choice(options)
            decisions += mover != CHANCE
            state = game.successor(state, action)
        assert decisions <= (game.max_length or 0)
        assert all(low <= payoff <= high for payoff in game.returns(state))
        assert sum(game.win_shares(state)) == pytest.approx(1, abs=1e-12)


def assert_cards(state: State, deck: Counter[int], *, exact: bool) -> None:
    """Hiver keeps all cards on the table; automne takes plain ones out of the game, never insects."""
    seen = Counter(code for code in state.board if code != HOLE)
    seen.update(state.pile)
    seen.update(state.discard)
    seen.update(code for hand in state.reserves for code in hand)
    if exact:
        assert seen == deck
        return
    assert seen <= deck
    kept = Counter({i: sum(hand[i] for hand in state.insects) for i in range(len(SPECIES))})
    on_table = Counter(code % 7 - 1 for code in seen.elements() if code % 7)
    assert kept + on_table == Counter(dict.fromkeys(range(6), 4))  # four cards of each species


def test_returns_follow_the_objective() -> None:
    model = load_rules("cigale", [Layer("test", {"ants": 2})]).model
    state = table([". ."], shelves=[[4, 0, 0, 0], [2, 0, 0, 0]]).state
    # places 4 and 2 score 10 and 3
    expected = {"win": (1.0, 0.0), "margin": (7.0, -7.0), "score": (10.0, 3.0)}
    for objective, returns in expected.items():
        game = make_game(model, 2, "automne", objective, height=1, width=2)
        assert game.returns(state) == returns
        assert game.zero_sum == (objective != "score")


def test_a_game_that_cannot_be_dealt_is_refused() -> None:
    def model(**rules: Any) -> Any:
        return load_rules("cigale", [Layer("test", rules)]).model

    with pytest.raises(BadInput, match="expected at least 17 squares"):
        make_game(model(ants=17), 2, "automne")
    with pytest.raises(BadInput, match="expected at least 49 cards"):
        make_game(model(board=[7, 7]), 2, "automne")
    with pytest.raises(BadInput, match="expected at least 50 cards"):
        make_game(model(board=[6, 8]), 2, "hiver")
    with pytest.raises(BadInput, match="expected 2 to 4 players"):
        make_game(model(), 5, "hiver")
    with pytest.raises(BadInput, match="2 players for the margin"):
        make_game(model(), 3, "hiver", "margin")
    with pytest.raises(BadInput, match="expected one of win, margin, score"):
        make_game(model(), 2, "hiver", "cards")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"ants": 0}, "test: ants: expected greater than or equal to 1, got 0"),
        ({"ants": "6"}, "test: ants: expected a valid integer, got '6'"),
        ({"chain_rule": "snake"}, "test: chain_rule: expected 'touching', 'connected', 'path' or 'strict'"),
        (
            {"path_cards": {"Y": 3}},
            "test: path_cards: expected a value that fits the others (insect_cards: at most 3 insects on Y "
            "cards, not 6), got {'Y': 3",
        ),
        ({"path_cards": {"G": 3}}, "test: path_cards: expected counts for the types Y, B, N and R"),
        ({"insect_cards": {"g": "Y"}}, "test: insect_cards: expected a species a to f, got 'g'"),
        ({"insect_cards": {"a": "YX"}}, "test: insect_cards.a: expected types Y, B, N, R"),
        ({"shelf_points": [0, 3, 1]}, "test: shelf_points: expected points that never fall"),
        ({"shelf_points": [0]}, "test: shelf_points: expected"),
        ({"shelves_to_end": 5}, "test: shelves_to_end: expected less than or equal to 4, got 5"),
        ({"prices": {"red": "RX"}}, "test: prices.red: expected types Y, B, N, R"),
        ({"prices": {"red": ""}}, "test: prices.red: expected a price of 1 to 12 cards, got 0"),
        (
            {"provisions": {"pink": 2}},
            "test: provisions: expected a value that fits the others (prices: a price for each kind, not "
            "none for 'pink'), got {",
        ),
        ({"provision_kinds": {"2": ["pink"]}}, "test: provision_kinds.2: expected one of red"),
        ({"provision_kinds": {"5": ["red"]}}, "test: provision_kinds.5: expected a number of players"),
        ({"power_cards": True}, "test: power_cards: expected false"),
        ({"swap_target": "all"}, "test: swap_target: expected 'any' or 'uncovered', got 'all'"),
        ({"stall_gard": 5}, "test: stall_gard: expected a known key (nearest: stall_guard)"),
    ],
)
def test_impossible_rule_data_is_refused(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as error:
        load_rules("cigale", [Layer("test", rules)])
    assert str(error.value).startswith(message)


def test_the_deck_is_48_cards_with_each_species_once_on_each_type() -> None:
    deck = load_rules("cigale").model.deck
    assert len(deck) == 48
    assert Counter(code // 7 for code in deck) == Counter({Y: 12, B: 12, N: 12, R: 12})
    assert all(deck.count(7 * t + i) == (6 if i == 0 else 1) for t in range(4) for i in range(7))
    plain = load_rules("cigale", [Layer("test", {"insect_cards": "none"})]).model.deck
    assert Counter(plain) == Counter({0: 12, 7: 12, 14: 12, 21: 12})
