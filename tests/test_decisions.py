"""Decision lists: how lines choose, how lists are found, and what the rules of the games lose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fable_solve.solver import registry
from fable_solve.solver.decisions import MOST, DecisionList, Line, Trial, card, learn
from fable_solve.solver.games.butterfly import human as butterfly
from fable_solve.solver.games.butterfly.play import NOWHERE, Start
from fable_solve.solver.games.butterfly.tiles import INDEX, collected
from fable_solve.solver.games.feuilles import human as feuilles
from fable_solve.solver.positions import parse_position
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import load_rules

RULES = [
    (name, setting)
    for name in registry.names()
    if registry.get(name).human
    for setting in registry.get(name).human.TRIALS
]


class Numbers:
    """A decision among the numbers 0 to 11."""

    def legal_actions(self, state: Any, seat: int) -> list[int]:
        return list(range(12))


def line(value: Any) -> Line:
    return Line("", lambda game, state, seat, actions: [value(action) for action in actions])


def test_each_line_keeps_the_best_of_what_is_left() -> None:
    third, even = line(lambda n: n % 3 == 0), line(lambda n: n % 2 == 0)
    silent = Line("", lambda game, state, seat, actions: [])
    rule = DecisionList((third, silent, even, line(lambda n: n)))
    assert rule(Numbers(), None, 0, Stream(1)) == 6  # type: ignore[arg-type] # the largest multiple of 3 and 2
    ties = {DecisionList((third, even))(Numbers(), None, 0, Stream(key)) for key in range(40)}  # type: ignore[arg-type]
    assert ties == {0, 6}


def test_search_adds_what_helps_and_stops_at_noise() -> None:
    """A list is worth 3 for holding a, 2 for b after a, 0 for noise: so a, then b, then nothing."""
    noise = np.random.default_rng(3).normal(size=(4, 200))
    candidates = {key: Line(key, lambda game, state, seat, actions: []) for key in "nab"}

    def worth(rule: DecisionList) -> np.ndarray[Any, Any]:
        keys = [one.words for one in rule.lines]
        value = 3.0 * ("a" in keys) + 2.0 * (keys[:2] == ["a", "b"])
        return value + noise[0] + (noise[1] if "n" in keys else 0.0) - noise[1].mean() * ("n" in keys)

    steps = list(learn(candidates, worth))
    assert [step.key for step in steps] == ["a", "b"]
    assert [step.gain for step in steps] == pytest.approx([3.0, 2.0])


@pytest.mark.parametrize(("name", "setting"), RULES)
def test_rules_can_be_remembered(name: str, setting: str) -> None:
    human = registry.get(name).human
    assert 1 <= len(human.CHOSEN[setting]) <= MOST
    assert set(human.CHOSEN[setting]) <= set(human.CANDIDATES[setting])
    assert human.TITLES[setting].startswith("A rule to remember")


@pytest.mark.parametrize(("name", "setting"), RULES)
def test_rules_play_and_beat_chance(name: str, setting: str) -> None:
    """Whole games by the rules; the rule makes more than ``random`` in the same seat of the same games."""
    human, spec = registry.get(name).human, registry.get(name)
    trial: Trial = human.TRIALS[setting]
    if trial.measure == "win":  # points tell more than eight wins
        trial = replace(trial, measure="margin")
    rival = human.TRAINING.get(setting, "greedy")
    own = trial.played(human.POLICY, 8, 7, rival)
    by_lot = trial.played(spec.named_policies["random"], 8, 7, rival)
    assert own.shape == (len(trial.seats), 8)
    assert own.mean() >= by_lot.mean()


def test_the_strongest_policy_loses_nothing_against_itself() -> None:
    """Compiled and by the rules, the same games."""
    trial = feuilles.TRIALS["exact"]
    found = trial.loss(registry.get("feuilles").named_policies["optimised"], 4, 1)
    assert found.difference.mean == 0.0 == found.difference.sd


def test_a_table_with_a_human_is_played_by_the_rules() -> None:
    spec, rules = registry.get("feuilles"), load_rules("feuilles")
    mixed = setup(spec, 2, ["human", "greedy"], rules).build()
    assert mixed.compiled is None and setup(spec, 2, ["greedy"], rules).build().compiled is not None
    block = mixed.block(range(2))
    assert block.scores.shape == (2, 2)
    again = setup(spec, 2, ["human", "greedy"], rules).build().block(range(2))
    assert (block.scores == again.scores).all() and (block.counters == again.counters).all()


def test_a_card_says_what_it_loses() -> None:
    found = card(feuilles, "exact", 6, 1)
    assert found.section.paragraphs[0].startswith("1. ")
    assert len(found.section.paragraphs) == len(feuilles.CHOSEN["exact"]) + 1
    assert "6 games" in found.section.paragraphs[-1]
    assert found.finding.value == pytest.approx(found.found.first.mean - found.found.second.mean)
    certificate = found.finding.certificate
    assert certificate.kind == "sampled" and certificate.n == 6
    assert certificate.low < found.finding.value < certificate.high


SQUARE = {
    "game": "butterfly", "board": [". F B", ". . .", "w4 . h12"], "nets": [[1, 0]], "bag": ["d9"],
    "hedgehog": {"row": 0, "col": 0, "facing": "E"}, "collections": [["h15"], []],
}  # fmt: skip


def test_wishes_of_butterfly_by_hand() -> None:
    """From the corner: east to the flower or the bee, south over the net to the wasp, with a draw or not."""
    position = parse_position(SQUARE, "test")
    game, state = position.game, position.state
    moves = game.legal_actions(state, 0)
    tiles = [butterfly.kinds(state, [move])[0] for move in moves]
    names = ["F", "B", "w4", "w4"]
    assert [registry.get("butterfly").coach.item(game, state, kind)["tile"] for kind in tiles] == names

    def wish(key: str) -> list[float]:
        return list(butterfly.CANDIDATES[""][key].wish(game, state, 0, moves))

    assert wish("points") == [1, 15, -4, -4]  # the bee pairs with the 15
    assert wish("promise") == [1 + 5, 15, -4, -4]
    assert sorted(wish("draw")) == [False, True, True, True]  # only the declined offer is against it
    # from the bee the next player goes down to the 12, which is worth nothing without a bee; from the flower
    # to the bee, which alone costs 3; from the wasp along the row to the 12
    assert wish("net_points") == [1 + 3, 15, -4, -4]
    assert wish("ahead") == [6 - 5, 15 - 5, -4 - 5, -4 - 5]  # a bee or a honeycomb alone counts 5
    assert wish("few") == [-1, -1, -1, -1]


COUNTS = [  # held, tile, what it counts: points at once, and 3 or 5 more or less
    ([], "r4", 4 + 3), (["rx"], "r4", 8 + 3), (["r4"], "rx", 4 + 5), (["F", "F"], "F", 9 - 4 + 5),
    ([], "d7", 7), (["d7"], "d3", 0), ([], "l6", 6 - 5), (["l6"], "l2", 2 - 6), ([], "s6", 6 - 5),
    (["s9"], "s2", 2 - 9), ([], "B", 5), ([], "h15", 5), (["h10"], "B", 10), (["B"], "h12", 12 + 3),
    (["B", "h10"], "h12", 5), (["B", "h10"], "B", 5), ([], "w4", -4),
]  # fmt: skip


@pytest.mark.parametrize(("held", "tile", "counts"), COUNTS)
def test_what_a_tile_of_butterfly_counts(held: list[str], tile: str, counts: int) -> None:
    game = parse_position(SQUARE, "test").game
    assert butterfly.counted(game, collected(INDEX[one] for one in held), INDEX[tile]) == counts


@pytest.mark.parametrize(("seat", "sign"), [(1, -1), (0, 1)])
def test_the_hedgehog_of_butterfly_is_placed_by_what_tiles_count(seat: int, sign: int) -> None:
    """On the wasp, facing west: the first player cannot turn round, so it has no move; on the flower, facing
    east: the bee, which pairs with its 15. The first player itself wants the better catch."""
    game, state = (position := parse_position(SQUARE, "test")).game, position.state._replace(square=NOWHERE)
    starts = [Start(6, 3), Start(1, 1)]
    assert butterfly.CANDIDATES[""]["ahead"].wish(game, state, seat, starts) == [0, 15 * sign]


def test_the_rule_of_butterfly_beats_lookahead() -> None:
    """By 6.4 points, as 2,000 games for each seat of another seed said (docs/butterfly.md), to four standard
    errors."""
    margins = butterfly.TRIALS[""].played(butterfly.POLICY, 100, 8, "lookahead").mean(axis=0)
    error = float(margins.std(ddof=1)) / 10
    assert abs(margins.mean() - 6.4) < 4 * error < margins.mean()


def test_wishes_of_feuilles_by_hand() -> None:
    """One eye of a pumpkin, 9 leaves and the roll 1 1 2: a leaf of 2 makes 11 and brings an X."""
    position = parse_position(
        {
            "game": "feuilles", "round": 0, "dice": [1, 1, 2],
            "sheets": [{
                "pumpkins": ["1-", "--"], "lilies": "", "skewers": ["--", "---"], "mugs": "------",
                "burrow": ["---", "--", "-"], "mushrooms": "", "leaf_total": 9,
            }],
        },
        "test",
    )  # fmt: skip
    game, state = position.game, position.state
    choices = game.legal_actions(state, 0)

    def wish(key: str) -> dict[tuple[int, int, int, int], float]:
        values = feuilles.CANDIDATES["exact"][key].wish(game, state, 0, choices)
        return {choice[:4]: value for choice, value in zip(choices, values, strict=True) if not choice.x}

    points = wish("points")
    assert points[1, 2, 1, 1] == 0  # the other pumpkin begun
    assert points[2, 1, 1, 0] == 1  # the first lily
    assert wish("small")[2, 1, 1, 0] == -1
    assert all(choice.leaf == 2 for choice in choices if choice.x)
    bonus = feuilles.CANDIDATES["exact"]["bonus"].wish(game, state, 0, choices)
    assert [value == 1.0 for value in bonus] == [choice.leaf == 2 for choice in choices]
