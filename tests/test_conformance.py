"""What every game promises by following the protocol, checked along random plays of every game found.

Plays are made of every game, mode and player count with the rule data as shipped, and of the default
players with every named reading of the rule data (each named alternative of the data file, each choice
among fixed words), and of both players' objectives.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest

from fable_solve.solver import registry
from fable_solve.solver.errors import BadInput, IllegalAction
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL
from fable_solve.solver.rng import Stream, stream_key
from fable_solve.solver.rules import Layer, load_rules, shipped


@dataclass(frozen=True)
class Kind:
    """A game with its mode, players, objective and at most one changed entry of its rule data."""

    name: str
    mode: str | None
    players: int
    objective: str | None = None
    key: str = ""
    reading: Any = None

    def __str__(self) -> str:
        parts = (self.name, self.mode, self.players, self.objective, self.key or None, self.reading)
        return "-".join(str(part) for part in parts if part is not None)

    def game(self) -> Any:
        layers = [Layer("test", {self.key: self.reading})] if self.key else []
        make = registry.get(self.name).rules.make_game
        return make(load_rules(self.name, layers).model, self.players, self.mode, *self._objective())

    def _objective(self) -> tuple[str, ...]:
        return (self.objective,) if self.objective else ()


NAMED_BY_THE_RULES = {"butterfly": [("nets", "none"), ("nets", "eight")]}
"""Readings whose names stand neither in the data file nor in a type."""

EMPTY_SLOTS = {("cigale", "power_cards")}
"""Switches for something nobody describes: turning them on is refused."""


def readings(name: str) -> list[tuple[str, Any]]:
    """(key, reading) of every named alternative, fixed word and switch that is not the shipped one."""
    data = shipped(name)
    found = [(key, word) for key, entry in data.items() for word in entry.get("alternatives", {})]
    found += NAMED_BY_THE_RULES.get(name, [])
    for key, info in registry.get(name).rules.Rules.model_fields.items():
        found += [(key, word) for word in words(info.annotation)]
    return [
        (key, word)
        for key, word in dict.fromkeys(found)
        if (name, key) not in EMPTY_SLOTS
        and word != data[key]["value"]
        and data[key].get("alternatives", {}).get(word) != data[key]["value"]
    ]


def words(annotation: Any) -> list[Any]:
    """The fixed values a type allows for the entry itself: those of its literals, and both truth values."""
    if annotation is bool:
        return [False, True]
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    if get_origin(annotation) in (Union, UnionType, Annotated):
        return [word for part in get_args(annotation) for word in words(part)]
    return []


def kinds() -> list[Kind]:
    found = []
    for name in registry.names():
        spec = registry.get(name)
        for mode in spec.modes or (None,):
            found += [Kind(name, mode, players) for players in spec.players]
            found += [Kind(name, mode, spec.default_players, key=k, reading=w) for k, w in readings(name)]
        objectives = {"win", "margin", "score"} & set(spec.objectives)
        found += [Kind(name, spec.default_mode, 2, objective) for objective in sorted(objectives)]
    return found


ALL = pytest.mark.parametrize("kind", kinds(), ids=str)


@cache
def built(kind: Kind) -> Any:
    return kind.game()


@dataclass
class Play:
    """One random play, with every state and action on the way."""

    game: Any
    stream: Stream
    states: list[Any] = field(default_factory=list)
    actions: list[Any] = field(default_factory=list)

    def to_the_end(self) -> Play:
        state = self.game.initial_state()
        self.states.append(state)
        while self.game.player_to_move(state) != TERMINAL:
            action = random_action(self.game, state, self.stream)
            state = self.game.successor(state, action)
            self.actions.append(action)
            self.states.append(state)
        return self

    @property
    def decisions(self) -> int:
        return sum(self.game.player_to_move(state) != CHANCE for state in self.states[:-1])


def choices(game: Any, state: Any) -> list[Any]:
    """Legal actions of each seat."""
    return [game.legal_actions(state, seat) for seat in range(game.players)]


def random_action(game: Any, state: Any, stream: Stream) -> Any:
    mover = game.player_to_move(state)
    if mover == CHANCE:
        return stream.weighted(game.chance_outcomes(state))
    if mover == SIMULTANEOUS:
        return tuple(stream.choice(actions) if actions else None for actions in choices(game, state))
    return stream.choice(game.legal_actions(state, mover))


def play(kind: Kind, number: int = 0) -> Play:
    return Play(built(kind), Stream(stream_key(0, "conformance", kind), number)).to_the_end()


@cache
def first_play(kind: Kind) -> Play:
    return play(kind)


@ALL
def test_whoever_is_to_move_has_legal_actions(kind):
    made = first_play(kind)
    for state in made.states[:-1]:
        mover = made.game.player_to_move(state)
        if mover == SIMULTANEOUS:
            # At least two seats choose, or one whose choice stands alone; never nobody.
            assert any(len(actions) for actions in choices(made.game, state))
        elif mover != CHANCE:
            assert 0 <= mover < made.game.players
            actions = made.game.legal_actions(state, mover)
            assert len(actions)
            assert len(set(actions)) == len(actions), "an action listed twice"
            assert not any(
                len(made.game.legal_actions(state, seat))
                for seat in range(made.game.players)
                if seat != mover
            )


@ALL
def test_chance_lists_each_outcome_once_and_sums_to_one(kind):
    made = first_play(kind)
    for state in made.states[:-1]:
        if made.game.player_to_move(state) == CHANCE:
            outcomes = made.game.chance_outcomes(state)
            assert sum(p for _, p in outcomes) == pytest.approx(1.0, abs=1e-12)
            assert all(p > 0 for _, p in outcomes)
            assert len({outcome for outcome, _ in outcomes}) == len(outcomes)


@ALL
def test_successor_is_pure(kind):
    made = first_play(kind)
    for state, action, after in zip(made.states, made.actions, made.states[1:], strict=False):
        before, digest = deepcopy(state), hash(state)
        again = made.game.successor(state, action)
        assert again == after
        assert hash(again) == hash(after)
        assert state == before
        assert hash(state) == digest == hash(before)


@ALL
def test_a_state_is_as_good_as_its_copy(kind):
    # Nothing hidden in objects: a copied state has the same actions, outcomes and successors.
    made = first_play(kind)
    for state, action in list(zip(made.states, made.actions, strict=False))[::5]:
        copy = deepcopy(state)
        assert made.game.player_to_move(copy) == made.game.player_to_move(state)
        assert made.game.successor(copy, action) == made.game.successor(state, action)
        assert choices(made.game, copy) == choices(made.game, state)


NONSENSE = (object(), "nonsense", -7, (), (None,), None, ("a", "b", "c", "d", "e"))


@ALL
def test_an_illegal_action_raises(kind):
    made = first_play(kind)
    for state in [*made.states[:-1:7], made.states[-1]]:
        legal = set(all_actions(made.game, state))
        for action in NONSENSE:
            if action not in legal:
                with pytest.raises(IllegalAction):
                    made.game.successor(state, action)


def all_actions(game: Any, state: Any) -> list[Any]:
    """Actions of the mover or outcomes of chance; at a simultaneous node none of the nonsense is legal."""
    mover = game.player_to_move(state)
    if mover == CHANCE:
        return [outcome for outcome, _ in game.chance_outcomes(state)]
    return list(game.legal_actions(state, mover)) if mover >= 0 else []


@ALL
def test_one_seats_illegal_entry_spoils_a_joint_action(kind):
    made = first_play(kind)
    nodes = [
        (state, action)
        for state, action in zip(made.states, made.actions, strict=False)
        if made.game.player_to_move(state) == SIMULTANEOUS
    ]
    for state, joint in nodes[::5]:
        for seat in range(made.game.players):
            with pytest.raises(IllegalAction):
                made.game.successor(state, (*joint[:seat], "nonsense", *joint[seat + 1 :]))
        with pytest.raises(IllegalAction):
            made.game.successor(state, (*joint, joint[0]))


@ALL
def test_play_ends_as_declared(kind):
    for number in range(3):
        made = play(kind, number)
        if made.game.max_length is not None:
            assert made.decisions <= made.game.max_length
        check_end(made.game, made.states[-1])


def check_end(game: Any, state: Any) -> float:
    """Returns inside their bounds, shares of one win, a score a seat; the sum of the returns."""
    low, high = game.return_bounds
    returns, shares = game.returns(state), game.win_shares(state)
    assert len(returns) == len(shares) == len(game.scores(state)) == game.players
    assert all(low <= value <= high for value in returns)
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert sum(shares) == pytest.approx(1.0, abs=1e-12)
    return float(sum(returns))


@ALL
def test_returns_of_a_zero_sum_game_have_one_sum(kind):
    if built(kind).zero_sum:
        sums = [check_end(made.game, made.states[-1]) for made in (play(kind, number) for number in range(4))]
        assert sums == pytest.approx([sums[0]] * len(sums), abs=1e-9)


@ALL
def test_scores_and_words_exist_at_every_state(kind):
    made = first_play(kind)
    for state, action in zip(made.states, made.actions, strict=False):
        assert len(made.game.scores(state)) == made.game.players
        assert made.game.describe_state(state) == made.game.describe_state(deepcopy(state))
        text = made.game.describe_action(state, action)
        assert text
        assert "\n" not in text


@ALL
def test_what_a_seat_knows_decides_what_it_may_do(kind):
    # Equal information states at the seat's own moves: equal legal actions. Also over two plays, so that
    # states differing in what is hidden meet where plays begin alike.
    known: dict[Any, list[Any]] = {}
    for made in (first_play(kind), play(kind, 1)):
        for state in made.states[:-1]:
            mover = made.game.player_to_move(state)
            seats = range(made.game.players) if mover == SIMULTANEOUS else [mover] if mover >= 0 else []
            for seat in seats:
                knows = made.game.information_state(state, seat)
                assert knows == made.game.information_state(deepcopy(state), seat)
                actions = sorted(map(repr, made.game.legal_actions(state, seat)))
                assert known.setdefault((seat, knows), actions) == actions


@pytest.mark.slow
@ALL
def test_thousands_of_random_plays(kind):
    sums = set()
    for number in range(1000):
        made = play(kind, number)
        assert made.game.max_length is None or made.decisions <= made.game.max_length
        sums.add(round(check_end(made.game, made.states[-1]), 9))
    assert len(sums) == 1 or not made.game.zero_sum


def test_some_reading_of_every_game_is_played():
    # The discovery of readings finds what the rules offer (a changed model must not empty it silently).
    assert {name for name in registry.names() if readings(name)} == set(registry.names())


@pytest.mark.parametrize(("name", "key"), sorted(EMPTY_SLOTS))
def test_empty_slots_are_refused(name, key):
    with pytest.raises(BadInput, match=key):
        load_rules(name, [Layer("test", {key: True})])
