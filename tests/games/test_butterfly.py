"""Butterfly: tiles and scoring, moves, nets, the start, the end, policies."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from fable_solve.solver.errors import BadInput, IllegalAction
from fable_solve.solver.game import CHANCE, TERMINAL
from fable_solve.solver.games.butterfly.play import GAP, Butterfly, Move, Start, State
from fable_solve.solver.games.butterfly.policies import greedy, random
from fable_solve.solver.games.butterfly.rules import Rules, layout, make_game
from fable_solve.solver.games.butterfly.tiles import INDEX, KINDS, NOTHING, Scoring, collected, counts, listed
from fable_solve.solver.positions import parse_position
from fable_solve.solver.rng import Stream, stream_key
from fable_solve.solver.rules import Layer, load_rules

N, E, S, W = range(4)


def rules(**changes: Any) -> Rules:
    model: Rules = load_rules("butterfly", [Layer("test", changes)]).model
    return model


def place(*board: str, **keys: Any) -> tuple[Butterfly, State]:
    """A position from its rows; the bag is empty unless given."""
    document = {"game": "butterfly", "board": list(board), "bag": [], **keys}
    read = parse_position(document, "test")
    return read.game, read.state


def at(row: int, col: int, facing: str) -> dict[str, Any]:
    return {"row": row, "col": col, "facing": facing}


def points(tiles: str) -> int:
    return Scoring().total(collected(INDEX[tile] for tile in tiles.split()))


def test_the_box_holds_100_tiles() -> None:
    """Published list: 4 x 11 butterflies, 13 flowers, 3 x 9 insects, 6 bees, 6 honeycombs, 4 wasps."""
    box = Counter({KINDS[kind]: count for kind, count in enumerate(rules().components)})
    assert box.total() == 100
    assert [box["r" + value] for value in "12345x"] == [2, 2, 2, 2, 2, 1]
    assert (box["F"], box["B"], box["d9"], box["l1"], box["s5"], box["h15"], box["w7"]) == (
        13, 6, 1, 1, 1, 1, 1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("tiles", "expected"),
    [
        ("", 0),
        ("r1 r5 r5", 11),  # printed values
        ("r1 r5 rx", 12),  # (1 + 5) x 2
        ("rx", 0),  # the x2 alone doubles nothing
        ("rx b4 g4 y4", 12),  # an x2 doubles its own colour only
        ("rx r2 bx b3 g1", 11),  # 2 x 2 + 3 x 2 + 1
        ("F", 1),
        ("F F F F F", 25),  # 5 squared
        ("d3 d9 d4", 9),  # highest
        ("l3 l9 l4", 3),  # lowest
        ("s9 s2", 2),  # last taken
        ("s2 s9", 9),
        ("B B", -6),  # two bees alone
        ("h15 h10", 0),  # honeycombs alone
        ("B h10 h15", 15),  # one pair, the highest honeycomb
        ("B B h10", 7),  # one pair 10, one bee -3
        ("B B h10 h12 h11", 23),  # two pairs, 12 + 11
        ("w4 w7", -11),
        ("r3 F F d2 l8 s1 B h13 w5", 26),  # 3 + 4 + 2 + 8 + 1 + 13 - 5
    ],
)
def test_score(tiles: str, expected: int) -> None:
    assert points(tiles) == expected


def test_gain_is_the_difference_of_two_scores() -> None:
    """By definition, for every tile in every collection along one long list of takings."""
    scoring, held = Scoring(), NOTHING
    for kind in [*range(len(KINDS)), *reversed(range(len(KINDS)))]:
        for other in range(len(KINDS)):
            after = collected([*listed(held), other])
            assert scoring.gain(held, other) == scoring.total(after) - scoring.total(held)
        held = collected([*listed(held), kind])


def test_rule_data_changes_scoring() -> None:
    """Hand count: 3 x 3 for a triple, 2 flowers to the power 1, a lone bee -5."""
    scoring = rules(double=3, flower_power=1, bee_points=-5).scoring
    assert scoring.total(collected(INDEX[tile] for tile in ["rx", "r3", "F", "F", "B"])) == 9 + 2 - 5


def test_bounds_of_a_score() -> None:
    """All colours doubled 4 x 30 x 2, 13 squared, 9 + 9 + 9, 10 + ... + 15; worst 6 bees and all wasps."""
    assert Scoring().bounds(rules().components) == (-18 - 22, 240 + 169 + 27 + 75)


def test_layouts_of_nets() -> None:
    """Four: one step inside each corner; eight: also two steps inside; every full-size square holds all."""
    assert layout("four", 6) == ((1, 1), (1, 4), (4, 1), (4, 4))
    assert set(layout("eight", 7)) == {*layout("four", 7), (2, 2), (2, 4), (4, 2), (4, 4)}
    assert layout("none", 9) == ()
    assert [len(layout("eight", side)) for side in (6, 7, 8, 9)] == [8, 8, 8, 8]
    assert [make_game(rules(nets=nets), 2).nets for nets in ("none", [[0, 5]])] == [(), ((0, 5),)]


def test_rule_data_faults() -> None:
    faults = [
        ({"nets": "five"}, "test: nets: expected none, four, eight or a list of [row, col], got 'five'"),
        ({"nets": [[0, 1], [0, 1]]}, "test: nets[1]: expected each net once, got [0, 1] twice"),
        ({"nets": [[0]]}, "test: nets[0]: expected [row, col], got [0]"),
        ({"square": {"6": 3}}, "test: square: expected sides for 2, 3, 4 and 5 players, got '2, 3, 4, 5, 6'"),
        ({"placer": "both"}, "test: placer: expected 'last', 'first' or 'random', got 'both'"),
        ({"placr": "last"}, "test: placr: expected a known key (nearest: placer), got 'placr'"),
        ({"wasps": [8]}, "test: wasps[0]: expected less than or equal to 7, got 8"),
    ]
    for changes, message in faults:
        with pytest.raises(BadInput) as error:
            rules(**changes)
        assert str(error.value) == message
    with pytest.raises(BadInput, match=r"^square\.3: expected a side whose square 100 tiles fill, got 11"):
        make_game(rules(square={"3": 11}), 3)
    assert make_game(rules(square={"3": 11}), 2).players == 2  # what a run does not use may be impossible
    with pytest.raises(BadInput, match=r"nets\[0\]: expected a square of the 6x6 board, got \[6, 0\]"):
        make_game(rules(nets=[[6, 0]]), 2)
    with pytest.raises(BadInput, match="expected 2 to 5 players, got 6"):
        make_game(rules(), 6)
    with pytest.raises(BadInput, match="expected one of win, score with 3 players, got 'margin'"):
        make_game(rules(), 3, None, "margin")


def test_moves_turn_left_right_or_not_but_never_round() -> None:
    """By hand on a plus of tiles: three of the four neighbours, all but the one behind."""
    for facing, behind in (("N", (2, 1)), ("E", (1, 0)), ("S", (0, 1)), ("W", (1, 2))):
        game, state = place(". F .", "F . F", ". F .", hedgehog=at(1, 1, facing))
        reached = {tuple(game.cell(move.to)) for move in game.moves(state)}
        assert reached == {(0, 1), (1, 0), (1, 2), (2, 1)} - {behind}


def test_moves_fly_over_tiles_and_gaps_and_stop_on_tiles() -> None:
    """By hand: E of (0, 0) lie a tile, a gap, two tiles; S a gap only; N and W the edge."""
    game, state = place("F r1 . r2 r3", ". F F F F", hedgehog=at(0, 0, "E"))
    assert list(game.moves(state)) == [Move(E, 1, None), Move(E, 3, None), Move(E, 4, None)]


def test_the_moves_of_a_state_do_not_depend_on_what_was_asked_before() -> None:
    """Two states in turn, each against a game that was never asked anything."""
    game, first = place("F . F F", "F F F F", hedgehog=at(0, 0, "E"), nets=[[0, 1]], bag=["F"])
    second = game.successor(first, Move(E, 2, True))._replace(drawing=False)
    for state in (first, second, first, first._replace(facing=S), second):
        fresh, _ = place("F . F F", "F F F F", hedgehog=at(0, 0, "E"), nets=[[0, 1]], bag=["F"])
        assert game.moves(state) == fresh.moves(state)
        assert game.player_to_move(state) == fresh.player_to_move(state)


def test_a_move_takes_the_tile_and_turns_the_hedgehog() -> None:
    game, state = place("F r1", "r2 .", hedgehog=at(0, 0, "E"), collections=[["F"], []])
    after = game.successor(state, Move(S, 2, None))
    assert (after.square, after.facing, after.seat) == (2, S, 1)
    assert list(after.board) == [INDEX["F"], INDEX["r1"], GAP, GAP]
    assert after.held == (counts([INDEX["F"], INDEX["r2"]]), NOTHING)
    # Facing S at (1, 0): N is behind, E is a gap, so the game is over although tiles remain.
    assert game.player_to_move(after) == TERMINAL
    # 1 + 2 against 0.
    assert (game.scores(after), game.returns(after), game.win_shares(after)) == ((3, 0), (3, -3), (1.0, 0.0))


def test_the_start_tile_can_be_taken_later() -> None:
    """By hand round a 2x2 square: the fourth move comes back to the tile the hedgehog started on."""
    game, state = place("F r1", "r2 r3", hedgehog=at(0, 0, "E"))
    for move in (Move(E, 1, None), Move(S, 3, None), Move(W, 2, None), Move(N, 0, None)):
        assert move in game.moves(state)
        state = game.successor(state, move)
    assert game.player_to_move(state) == TERMINAL
    assert [list(map(KINDS.__getitem__, listed(held))) for held in state.held] == [["r1", "r2"], ["r3", "F"]]


def perft(game: Butterfly, state: State, depth: int) -> int:
    """Number of different plays of ``depth`` actions."""
    mover = game.player_to_move(state)
    if depth == 0 or mover == TERMINAL:
        return int(depth == 0)
    actions: Any = game.legal_actions(state, mover)
    if mover == CHANCE:
        actions = [outcome for outcome, _ in game.chance_outcomes(state)]
    return sum(perft(game, game.successor(state, action), depth - 1) for action in actions)


def test_perft_of_a_square_of_four() -> None:
    """By hand: 4 tiles x 4 facings. In a corner two facings leave two ways, two leave one: 4 x 6 = 24 plays
    of one move. After it only the round trip goes on, and it ends back on the start tile after 4 moves."""
    game, state = place("F F", "F F")
    assert [perft(game, state, depth) for depth in range(7)] == [1, 16, 24, 24, 24, 24, 0]


def test_perft_of_a_row() -> None:
    """From the end of a row of 4, facing along it, each set of later tiles is one play: C(3, k)."""
    game, state = place("F F F F", hedgehog=at(0, 0, "E"))
    assert [perft(game, state, depth) for depth in range(5)] == [1, 3, 3, 1, 0]


def test_perft_with_a_net() -> None:
    """By hand on a row with the net at 1 open and two kinds in the bag. Tiles 2, 3 are reached over it: each
    with or without a draw, 4 actions. After them: from 2 without a draw one move to 3 (the net is behind);
    from 3 none; a draw has 2 outcomes. Depth 2: 1 + 0 + 2 + 2."""
    game, state = place("F . F F", hedgehog=at(0, 0, "E"), nets=[[0, 1]], bag=["B", "w4", "w4"])
    assert [perft(game, state, depth) for depth in range(3)] == [1, 4, 5]


@pytest.mark.parametrize(
    ("board", "nets", "to", "offer"),
    [
        ("F . F", [[0, 1]], 2, True),  # the tile over the net is gone
        ("F r1 F", [[0, 1]], 2, False),  # the net is still covered
        (". r1 F", [[0, 0]], 1, False),  # the net under the hedgehog is not between
        ("F r1 F", [[0, 1]], 1, False),  # nor is that of the destination
        ("F . . F", [[0, 1], [0, 2]], 3, True),  # two nets are one offer
        ("F . F F", [[0, 1]], 3, True),  # a tile after the net changes nothing
        ("F . F", [], 2, False),
    ],
)
def test_a_net_is_offered_where_it_lies_open_strictly_between(
    board: str, nets: list[list[int]], to: int, offer: bool
) -> None:
    game, state = place(board, hedgehog=at(0, 0, "E"), nets=nets, bag=["B", "B"])
    draws = [move.draw for move in game.moves(state) if move.to == to]
    assert draws == ([False, True] if offer else [None])


def test_an_empty_bag_offers_nothing() -> None:
    game, state = place("F . F", hedgehog=at(0, 0, "E"), nets=[[0, 1]], bag=[])
    assert list(game.moves(state)) == [Move(E, 2, None)]


def test_the_draw_comes_after_the_tile_and_is_kept() -> None:
    """The grasshopper drawn is the last one taken, so the one from the board is out: 2 points, not 9."""
    game, state = place("F . s9", hedgehog=at(0, 0, "E"), nets=[[0, 1]], bag=["s2", "w7", "w7"])
    drawing = game.successor(state, Move(E, 2, True))
    assert (game.player_to_move(drawing), drawing.seat) == (CHANCE, 0)
    # One s2 and two w7 are equally likely tiles.
    outcomes = game.chance_outcomes(drawing)
    assert list(outcomes) == [(INDEX["s2"], 1 / 3), (INDEX["w7"], 2 / 3)]
    assert (len(outcomes), outcomes[-1]) == (2, (INDEX["w7"], 2 / 3))
    after = game.successor(drawing, INDEX["s2"])
    assert (after.seat, after.drawing, game.scores(after)) == (1, False, (2, 0))
    assert listed(after.bag) == [INDEX["w7"]] * 2
    # The wasp is kept although it costs 7 of the 9 points.
    assert game.scores(game.successor(drawing, INDEX["w7"])) == (2, 0)
    declined = game.successor(state, Move(E, 2, False))
    assert (declined.seat, game.scores(declined)) == (1, (9, 0))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_who_starts_the_hedgehog(players: int) -> None:
    """The neighbour before the first player, the first player, or chance; then seat 0 moves."""
    for placer, seat in (("last", players - 1), ("first", 0), ("random", CHANCE)):
        game = make_game(rules(placer=placer), players)
        side = {2: 6, 3: 7, 4: 8, 5: 9}[players]  # published sides of the square
        state = deal(game, 0)
        assert (len(state.board), game.player_to_move(state)) == (side * side, seat)
        starts = game.starts(state)
        assert len(starts) == 4 * side * side
        if seat == CHANCE:
            assert game.chance_outcomes(state) == [(start, 1 / len(starts)) for start in starts]
        else:
            assert game.legal_actions(state, seat) == starts
        assert game.player_to_move(game.successor(state, Start(0, E))) == 0


def deal(game: Butterfly, episode: int) -> State:
    state, stream = game.initial_state(), Stream(stream_key(0, "test deal"), episode)
    while len(state.board) < len(game.rays):
        state = game.successor(state, stream.weighted(game.chance_outcomes(state)))
    return state


@pytest.mark.parametrize(
    "action",
    [
        Move(W, 0, None),  # turning round
        Move(E, 2, None),  # a gap
        Move(E, 9, False),  # off the ray
        Move(N, 3, None),  # off the board
        Move(E, 3, None),  # a net is crossed: draw or not
        Move(S, 5, True),  # no net is crossed
        Move(7, 3, False),  # no such facing
        Start(1, E),
        None,
        3,
    ],
)
def test_illegal_actions_raise(action: Any) -> None:
    game, state = place("F F . F", "F F F F", hedgehog=at(0, 1, "E"), nets=[[0, 2]], bag=["F"])
    assert set(game.moves(state)) == {Move(E, 3, False), Move(E, 3, True), Move(S, 5, None)}
    with pytest.raises(IllegalAction):
        game.successor(state, action)


def test_illegal_outcomes_and_starts_raise() -> None:
    game = make_game(rules(), 2)
    for outcome in (-1, 99, INDEX["F"] + 0.0, None, Start(0, 0)):
        with pytest.raises(IllegalAction):
            game.successor(game.initial_state(), outcome)
    small, state = place("F .", ". F")
    for start in (Start(1, N), Start(4, N), Start(0, 4), Move(N, 0, None), 0):
        with pytest.raises(IllegalAction):
            small.successor(state, start)


def test_a_board_without_tiles_is_over() -> None:
    game, state = place(". .", collections=[["F"], ["F"]])
    assert game.player_to_move(state) == TERMINAL
    assert game.win_shares(state) == (0.5, 0.5)  # 1 : 1, ties share


def test_win_shares_of_five() -> None:
    """Two of five are ahead with 4 points."""
    collections = [["F"], ["F", "F"], ["r4"], [], ["w4"]]
    game, state = place(".", hedgehog=at(0, 0, "N"), players=5, collections=collections)
    assert game.win_shares(state) == (0.0, 0.5, 0.5, 0.0, 0.0)
    assert game.returns(state) == game.win_shares(state)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("placer", ["last", "first", "random"])
def test_random_games(players: int, placer: str) -> None:
    """To the end: tiles conserved (only grasshoppers leave), seats in turn, bounds, length."""
    game = make_game(rules(placer=placer, nets="eight"), players)
    low, high = make_game(rules(), players, None, "score").return_bounds
    for episode in range(5):
        stream, state, out = Stream(stream_key(1, players), episode), game.initial_state(), Counter[int]()
        moves, decisions = 0, 0
        while (mover := game.player_to_move(state)) != TERMINAL:
            held = total(state.held)
            if mover == CHANCE:
                outcomes = game.chance_outcomes(state)
                assert sum(p for _, p in outcomes) == pytest.approx(1.0)
                assert len({outcome for outcome, _ in outcomes}) == len(outcomes)
                action = stream.weighted(outcomes)
            else:
                decisions += 1
                assert all(not game.legal_actions(state, seat) for seat in range(players) if seat != mover)
                if state.square >= 0:
                    assert mover == moves % players
                    moves += 1
                action = stream.choice(game.legal_actions(state, mover))
            before = state
            state = game.successor(state, action)
            assert game.information_state(state, 0) == state != before
            for kind, count in (held - total(state.held)).items():
                assert KINDS[kind][0] == "s"
                out[kind] += count
            seen = total(state.held) + out + Counter(k for k in state.board if k != GAP)
            assert seen + Counter(listed(state.bag)) == Counter(listed(rules().components))
        assert decisions <= game.max_length
        assert all(low <= score <= high for score in game.scores(state))
        assert sum(game.returns(state)) == pytest.approx(1.0 if players > 2 else 0.0)


def total(collections: tuple[bytes, ...]) -> Counter[int]:
    return Counter(kind for held in collections for kind in listed(held))


def test_descriptions() -> None:
    game, state = place("F . s9", hedgehog=at(0, 0, "E"), nets=[[0, 1]], bag=["B"], collections=[["F"], []])
    assert game.describe_state(state).splitlines() == [
        "F * s9",
        "hedgehog 0,0 facing E",
        "seat 0: 1 points: F",
        "seat 1: 0 points: nothing",
        "bag: 1 tiles",
    ]
    move = Move(E, 2, True)
    assert game.describe_action(state, move) == "E to 0,2 for s9, draw"
    assert game.describe_action(game.successor(state, move), INDEX["B"]) == "draw B"
    full = make_game(rules(), 2)
    assert full.describe_action(full.initial_state(), INDEX["B"]) == "deal B"
    assert full.describe_action(deal(full, 0), Start(7, W)) == "start at 1,1 facing W"


def shares(policy: Any, game: Butterfly, state: State, n: int = 4000) -> dict[Any, float]:
    """How often the policy takes each action."""
    streams = (Stream(stream_key(5, "policy"), episode) for episode in range(n))
    seat = game.player_to_move(state)
    taken = Counter(policy(game, state, seat, stream) for stream in streams)
    return {action: count / n for action, count in taken.items()}


def test_random_is_uniform_over_destinations_and_tosses_a_coin_for_a_net() -> None:
    """Destinations 3, 5 with 1/2 each, the net over 3 with 1/2: 1/4, 1/4, 1/2. Four standard errors of a
    share at n = 4000 are at most 4 x sqrt(1/4 / 4000) = 0.032."""
    game, state = place("F F . F", "F F F F", hedgehog=at(0, 1, "E"), nets=[[0, 2]], bag=["F"])
    taken = shares(random, game, state)
    assert taken.keys() == {Move(E, 3, False), Move(E, 3, True), Move(S, 5, None)}
    assert taken[Move(E, 3, False)] == pytest.approx(0.25, abs=0.032)
    assert taken[Move(E, 3, True)] == pytest.approx(0.25, abs=0.032)


def test_random_starts_uniformly() -> None:
    """Two tiles, four facings: 1/8 each; four standard errors are 4 x sqrt(1/8 x 7/8 / 4000) = 0.021."""
    game, state = place("F .", ". F")
    taken = shares(random, game, state)
    assert len(taken) == 8
    assert all(share == pytest.approx(1 / 8, abs=0.021) for share in taken.values())


def test_greedy_takes_the_most_points() -> None:
    """Holding rx and r5: r3 is worth 6, d5 5, a second bee -3; the seat with none of them sees 3, 5, -3."""
    game, state = place("r3 d5 B", hedgehog=at(0, 0, "E"), collections=[["rx", "r5"], []])
    assert set(shares(greedy, game, state, 20)) == {Move(E, 1, None)}  # r3 lies behind
    game, state = place("d5 . r3", ". B .", hedgehog=at(0, 1, "N"), collections=[["rx", "r5"], []])
    assert set(shares(greedy, game, state, 20)) == {Move(E, 2, None)}
    other = state._replace(seat=1)
    assert set(shares(greedy, game, other, 20)) == {Move(W, 0, None)}


def test_greedy_draws_when_the_bag_is_worth_it() -> None:
    """Averages after taking F: (3 + -4) / 2 < 0, (4 + -4) / 2 = 0, (5 + -4) / 2 > 0; and a bee in the bag
    is worth 10 to the holder of h10."""
    for bag, draw in ((["r3", "w4"], False), (["r4", "w4"], False), (["r5", "w4"], True), (["B"], False)):
        game, state = place("F . F", hedgehog=at(0, 0, "E"), nets=[[0, 1]], bag=bag)
        assert set(shares(greedy, game, state, 5)) == {Move(E, 2, draw)}
    game, state = place("F . F", hedgehog=at(0, 0, "E"), nets=[[0, 1]], bag=["B"], collections=[["h10"], []])
    assert set(shares(greedy, game, state, 5)) == {Move(E, 2, True)}


def test_greedy_starts_to_leave_little_or_to_catch_much() -> None:
    """On the row r1 r5 w4 the mover catches, from each tile and facing: from r1 E or N or S r5 (W: nothing, E
    is behind it); from r5 E, N, S: w4 at best -4 or r1; from w4 r5. Least is the forced wasp, -4: from r5
    facing E, where only w4 lies ahead. Most is 5."""
    game, state = place("r1 r5 w4")
    assert set(shares(greedy, game, state, 40)) == {Start(1, E)}
    first, state = place("r1 r5 w4", rules={"placer": "first"})
    expected = {Start(0, f) for f in (N, E, S)} | {Start(2, f) for f in (N, S, W)}
    assert set(shares(greedy, first, state, 200)) == expected
