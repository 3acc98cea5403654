"""Is a game fair, how long does it last, and how much of it is luck and how much skill: compared over games,
modes, player counts and levels of play, all on the same axes.

A cell is one game, mode and player count at one level (every seat has the same policy). The intervals of a
cell's means are wider than 95 % each, so that all intervals of all cells hold together with 95 %
(Bonferroni). Luck, skill and the course of the game have samples of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from statistics import NormalDist

import numpy as np

from fable_solve.solver import registry
from fable_solve.solver.blocks import Block
from fable_solve.solver.course import Course, course
from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import Interval, Mean, Share, mean, wilson
from fable_solve.solver.game import GameSpec
from fable_solve.solver.luck import Luck, groups, luck
from fable_solve.solver.measures import lead, measures
from fable_solve.solver.rollout import Setup, setup
from fable_solve.solver.rules import RuleData
from fable_solve.solver.sampling import counted, rekeyed, sample
from fable_solve.solver.study import silent
from fable_solve.solver.tally import Tally, tally

PRECISION = 0.005
"""Half-width, at most, of every win share, unless a number of games is asked for."""


@dataclass(frozen=True)
class Plan:
    """How many games are played of what, by how many workers, and who is told."""

    games: int | None = None
    """A cell; by default as many as make every win share known to ``PRECISION``."""
    paired: int = 20_000
    """A run of the pairs by which luck and skill are measured; 0: neither is."""
    watched: int = 100
    """Watched as they are played by the rules."""
    jobs: int | None = None
    progress: Callable[[int, int | None], None] = silent


@dataclass(frozen=True)
class Cell:
    """The games of one setup, counted; ``means`` by the name of the measure."""

    run: Setup
    tally: Tally
    means: dict[str, Mean]
    luck: Luck | None
    courses: tuple[Course, ...]

    @property
    def label(self) -> str:
        return label(self.run)

    @property
    def seats(self) -> int:
        return self.tally.seats

    def advantage(self, seat: int = 0) -> float:
        """Share of the win of a seat in even shares, less 1: 0 is fair."""
        return self.tally.win_shares(seat).estimate().mean * self.seats - 1

    @property
    def uneven(self) -> int:
        """The seat whose share of the win is farthest from an even one; of equals (but for rounding) the
        first."""
        return max(range(self.seats), key=lambda seat: round(abs(self.advantage(seat)), 12))

    def seat_name(self, seat: int) -> str:
        """A seat by its number, or by its side."""
        sides = registry.get(self.run.game).sides
        return sides[seat] if sides else f"seat {seat}"

    def win(self, seat: int, z: float) -> Share:
        won = self.tally.win_shares(seat).estimate()
        return wilson(won.mean, won.n, z)

    def score(self, seat: int, z: float) -> Interval:
        return widened(self.tally.scores[seat].estimate(), z)


@dataclass(frozen=True)
class Step:
    """What one seat gains by the next better level while the others stay: its mean share of the win, and its
    points less those of the others (alone: less its own at the lower level), averaged over the seats."""

    run: Setup
    stronger: str
    seats: int
    win: Mean | None
    points: Mean | None

    @property
    def times(self) -> float | None:
        """The share of the win in even shares."""
        return self.win.mean * self.seats if self.win else None

    @property
    def edge(self) -> float | None:
        """How far the share of the win is on the way from an even one (0) to all of it (1): of seats however
        many there are, the larger the more playing better pays."""
        return (self.win.mean * self.seats - 1) / (self.seats - 1) if self.win else None


@dataclass(frozen=True)
class Balance:
    """All cells, the steps between levels, and the standard errors ``z`` of an interval that holds with all
    the others."""

    cells: tuple[Cell, ...]
    steps: tuple[Step, ...]
    z: float


def label(run: Setup) -> str:
    """Game, mode, players and policy of a cell, as far as the game has several, and its reading."""
    spec = registry.get(run.game)
    players = f"{run.players}" if len(spec.players) > 1 and not spec.sides else ""
    words = (run.game, run.mode, players, run.policies[0], run.reading)
    return " ".join(word for word in words if word)


def widened(estimate: Mean, z: float) -> Interval:
    """The interval of a mean at ``z`` standard errors."""
    reach = z * estimate.se
    return Interval(estimate.mean, estimate.mean - reach, estimate.mean + reach, estimate.n)


def setups(
    spec: GameSpec,
    players: Sequence[int],
    policies: Sequence[str],
    rules: RuleData,
    modes: Sequence[str | None],
    seed: int,
) -> list[Setup]:
    """The cells of one game; of a game with two sides one, whatever the counts: it is the same game."""
    counts = players[:1] if spec.sides else players
    return [
        setup(spec, count, (policy,), rules, mode, seed)
        for mode in modes
        for count in counts
        for policy in policies
    ]


def balance(runs: Sequence[Setup], plan: Plan) -> Balance:
    """Every cell of ``runs``, and the steps from each level to the next where a game has several."""
    z = together(sum(map(_intervals, runs)))
    games = plan.games or needed(z)
    steps, total = list(_steps(runs)) if plan.paired else [], _total(runs, games, plan)
    played = counted(plan.progress, total)
    cells = tuple(_cell(run, games, plan, played) for run in runs)
    return Balance(cells, tuple(_step(*pair, plan, played) for pair in steps), z)


def together(intervals: int) -> float:
    """Standard errors of each of so many intervals that hold together with 95 % (Bonferroni)."""
    return NormalDist().inv_cdf(1 - 0.025 / max(intervals, 1))


def needed(z: float, precision: float = PRECISION) -> int:
    """Games that make the interval of any win share at ``z`` no wider than ``precision`` to either side.

    Wilson's half-width is largest for an even share of two, where it is ``z / (2 sqrt(n + z^2))``.
    """
    return ceil((z / (2 * precision)) ** 2 - z * z)


def _intervals(run: Setup) -> int:
    """Intervals of a cell: win share and score of each seat, and every measure."""
    seats = run.build().game.players
    return (1 + run.by_points) * seats + len(measures(seats, run.by_points))


def _cell(run: Setup, games: int, plan: Plan, played: Callable[[int], None]) -> Cell:
    block = sample(run, range(games), plan.jobs, played)
    seats = block.scores.shape[1]
    means = {name: mean(one.of(block)) for name, one in measures(seats, run.by_points).items()}
    lucky = luck(rekeyed(run), plan.paired, plan.jobs, played) if plan.paired else None
    return Cell(run, tally(block), means, lucky, tuple(_courses(run, plan.watched, played)))


def _courses(run: Setup, watched: int, played: Callable[[int], None]) -> Iterator[Course]:
    match = run.build()
    for number in range(watched):
        yield course(match, number)
        played(1)


def _steps(runs: Sequence[Setup]) -> Iterator[tuple[Setup, str]]:
    """Each cell with the policy of the next, where the next is the same game at another level."""
    for run, following in pairwise(runs):
        if replace(following, policies=run.policies) == run:
            yield run, following.policies[0]


def _step(run: Setup, stronger: str, plan: Plan, played: Callable[[int], None]) -> Step:
    seats, weaker = run.build().game.players, run.policies[0]

    def play(policies: Sequence[str]) -> Block:
        return sample(replace(run, policies=tuple(policies)), range(plan.paired), plan.jobs, played)

    if seats == 1:
        gain = play([stronger]).scores[:, 0] - play([weaker]).scores[:, 0]
        return Step(run, stronger, seats, None, mean(gain))
    wins, points = np.zeros(plan.paired), np.zeros(plan.paired)
    for seat in range(seats):
        block = play([stronger if other == seat else weaker for other in range(seats)])
        wins += block.win_shares[:, seat] / seats
        points += lead(block, seat) / seats
    return Step(run, stronger, seats, mean(wins), mean(points) if run.by_points else None)


def _total(runs: Sequence[Setup], games: int, plan: Plan) -> int:
    """Games of everything."""
    lucky = sum(2 + len(groups(rekeyed(run))) for run in runs)
    steps = sum(max(2, run.build().game.players) for run, _ in _steps(runs))
    return len(runs) * (games + plan.watched) + plan.paired * (lucky + steps)


def counts_of(spec: GameSpec, players: Sequence[int] | None) -> tuple[int, ...]:
    """The asked player counts that a game has, all of them if none is asked for; :class:`BadInput` if it has
    none of those."""
    counts = tuple(count for count in spec.players if players is None or count in players)
    if not counts:
        asked = ", ".join(map(str, players or ()))
        span = f"{min(spec.players)} to {max(spec.players)} players ({spec.name})"
        raise BadInput(span, asked, where="--players")
    return counts
