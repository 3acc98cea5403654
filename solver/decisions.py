"""Decision lists: rules short enough to be remembered, found by search, and what they lose.

A decision list is a few lines in order. Each line is a wish: of the actions that the lines before it left it
keeps those that fulfil it best (a line says nothing about decisions it is not meant for). What is left at the
end is equally good, and drawn by lot.

Lists are found by greedy forward selection: the candidate that, added at the end, brings most over the same
training games, again and again, as long as the gain is more than twice its standard error (Rivest, "Learning
decision lists", 1987, for the form; the selection is the plain one). Whatever the training games flattered is
not reported: a list's loss is measured over games of another seed, each played twice, with the list and with
the strongest policy in the same seat, against the strongest policy in all others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver import registry
from fable_solve.solver.blocks import Block
from fable_solve.solver.estimate import mean
from fable_solve.solver.game import Game, GameSpec
from fable_solve.solver.paired import Paired, paired
from fable_solve.solver.policy import Policy
from fable_solve.solver.result import Certificate, Finding, Result, Section
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import Match, setup
from fable_solve.solver.rules import Layer, load_rules
from fable_solve.solver.study import Request

Wish = Callable[[Any, Any, int, Sequence[Any]], Sequence[float]]
"""``(game, state, seat, actions)`` -> how well each action fulfils it; empty where the line says nothing."""
Samples = NDArray[np.float64]

MOST = 6
"""Lines of a list."""


@dataclass(frozen=True)
class Line:
    """One line of a card."""

    words: str
    wish: Wish


@dataclass(frozen=True)
class DecisionList:
    """Lines in order, as a policy (:data:`fable_solve.solver.policy.Policy`)."""

    lines: tuple[Line, ...]

    def __call__(self, game: Game, state: Any, seat: int, stream: Stream) -> Any:
        actions: Sequence[Any] = game.legal_actions(state, seat)
        for line in self.lines:
            if len(actions) == 1:
                break
            values = line.wish(game, state, seat, actions)
            if len(values):
                best = max(values)
                actions = list(compress(actions, [value == best for value in values]))
        return stream.choice(actions)


@dataclass(frozen=True)
class Remembered:
    """The policy ``human`` of a game: a decision list for each setting (a mode, a reading, a side)."""

    lists: Mapping[str, DecisionList]
    setting: Callable[[Any, Any, int], str]
    """``(game, state, seat)`` -> the setting."""
    compiled: ClassVar[bool] = False
    """No kernel plays it: games are played by the rules."""
    cost: ClassVar[int] = 2

    def __call__(self, game: Game, state: Any, seat: int, stream: Stream) -> Any:
        return self.lists[self.setting(game, state, seat)](game, state, seat, stream)


def remembered(
    chosen: Mapping[str, Sequence[str]],
    candidates: Mapping[str, Mapping[str, Line]],
    setting: Callable[[Any, Any, int], str],
) -> Remembered:
    """The policy of the lines chosen for each setting."""
    lists = {
        name: DecisionList(tuple(candidates[name][key] for key in keys)) for name, keys in chosen.items()
    }
    return Remembered(lists, setting)


@dataclass(frozen=True)
class Trial:
    """How a list is measured: games of ``game`` with ``changes`` of the rule data, the list in one of
    ``seats``, the ``strongest`` policy in all others."""

    game: str
    strongest: str
    measure: Literal["win", "score", "margin"]
    """Of the seat: its share of the win, its score, its score less the mean of the others'."""
    players: int
    seats: tuple[int, ...]
    mode: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)

    def match(self, policy: Policy | None, seat: int, seed: int, rival: str) -> Match:
        """``rival`` in every seat, but ``policy``, if there is one, in ``seat``."""
        spec = registry.get(self.game)
        rules = load_rules(self.game, [Layer("trial", dict(self.changes))] if self.changes else [])
        built = setup(spec, self.players, [rival], rules, self.mode, seed).build()
        if policy is None:
            return built
        policies = [*built.policies]
        policies[seat] = policy
        return Match(built.game, built.names, tuple(policies), built.keys)

    def own(self, block: Block, seat: int) -> Samples:
        """The measure of a seat, game by game ``[n]``."""
        if self.measure == "win":
            return block.win_shares[:, seat]
        scores, rivals = block.scores, block.scores.shape[1] - 1
        if self.measure == "score":
            return scores[:, seat]
        margin: Samples = scores[:, seat] - (scores.sum(axis=1) - scores[:, seat]) / rivals
        return margin

    def played(self, policy: Policy | None, games: int, seed: int, rival: str = "") -> Samples:
        """The measure of ``policy`` (``None``: of the rival's) in each of the seats; ``[seats, games]``."""
        rival, blocks = rival or self.strongest, dict[int, Block]()
        for seat in self.seats:
            whole = self.seats[0] if policy is None else seat  # the same games whichever seat is looked at
            if whole not in blocks:
                blocks[whole] = self.match(policy, seat, seed, rival).block(range(games))
            blocks[seat] = blocks[whole]
        return np.array([self.own(blocks[seat], seat) for seat in self.seats])

    def loss(self, policy: Policy, games: int, seed: int) -> Paired:
        """What the strongest policy makes, what ``policy`` makes in its place, and the difference."""
        first, second = (self.played(one, games, seed).mean(axis=0) for one in (None, policy))
        return paired(first, second)


@dataclass(frozen=True)
class Step:
    """One line added in a search: its key, what the list then makes, and by how much that is more."""

    key: str
    value: float
    gain: float
    se: float


def learn(
    candidates: Mapping[str, Line], worth: Callable[[DecisionList], Samples], most: int = MOST
) -> Iterator[Step]:
    """The lines that forward selection adds, one after the other; ``worth`` plays the training games."""
    chosen: list[str] = []
    now = worth(DecisionList(()))
    while len(chosen) < most:
        tried = {
            key: worth(DecisionList(tuple(candidates[one] for one in (*chosen, key))))
            for key in candidates
            if key not in chosen
        }
        key = max(tried, key=lambda one: float(tried[one].mean()))
        gain = mean(tried[key] - now)
        if gain.mean <= 2 * gain.se:
            return
        chosen, now = [*chosen, key], tried[key]
        yield Step(key, float(now.mean()), gain.mean, gain.se)


UNITS = {"win": "of the wins", "score": "points", "margin": "points of margin"}


def study(spec: GameSpec, request: Request) -> Result:
    """The study of a game, with its rules to remember and what each loses against the strongest policy.

    A module ``human`` says by ``TITLES`` what the rule of each setting is called, by ``CHOSEN`` which of its
    ``CANDIDATES`` are its lines, by ``TRIALS`` how it is measured, and by ``GAMES`` over how many games.
    """
    result: Result = spec.studies.run(request)
    human = spec.human
    settings = [name for name, trial in human.TRIALS.items() if trial.mode in (None, request.mode)]
    cards = [card(human, name, human.GAMES, request.seed) for name in settings]
    return replace(
        result,
        findings=(*result.findings, *(one.finding for one in cards)),
        sections=(*result.sections, *(one.section for one in cards)),
    )


def card(human: Any, setting: str, games: int, seed: int) -> Card:
    """The rule of one setting of a game's module ``human``, measured."""
    rule, trial = human.POLICY.lists[setting], human.TRIALS[setting]
    return Card(human.TITLES[setting], rule, trial, trial.loss(rule, games, seed))


@dataclass(frozen=True)
class Card:
    """A list for a report, with what it was found to lose."""

    title: str
    rule: DecisionList
    trial: Trial
    found: Paired

    @property
    def section(self) -> Section:
        """The lines in words, and what they lose."""
        lines = [f"{number}. {line.words}" for number, line in enumerate(self.rule.lines, 1)]
        how = "Each line keeps the best of what the lines before it left; toss for the rest."
        return Section(self.title, (*lines, f"{how} {self.sentence}"))

    @property
    def sentence(self) -> str:
        lost, own = self.found.difference, self.found.second.mean
        unit = UNITS[self.trial.measure]
        if self.trial.measure == "win":
            low, middle, high = (f"{100 * (lost.mean + side * lost.half_width):.1f}" for side in (-1, 0, 1))
            made, theirs = f"{own:.1%}", f"{self.found.first.mean:.1%}"
            middle += " percentage points"
        else:
            low, middle, high = (f"{lost.mean + side * lost.half_width:.2f}" for side in (-1, 0, 1))
            made, theirs = f"{own:.2f}", f"{self.found.first.mean:.2f}"
        return (
            f"Under the rules as shipped it makes {made} {unit} where {self.trial.strongest} makes {theirs}: "
            f"it loses {middle} ({low} to {high}, {lost.n:,} games for each seat)."
        )

    @property
    def finding(self) -> Finding:
        lost = self.found.difference
        certificate = Certificate.sampled(lost.mean - lost.half_width, lost.mean + lost.half_width, lost.n)
        name = f"{self.title}: what it loses"
        return Finding(name, lost.mean, certificate, UNITS[self.trial.measure], self.sentence)
