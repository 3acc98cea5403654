"""The cells of the study: games of one reading by one policy a side, and exact values of small games."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from fable_solve.solver.estimate import Mean, Share, mean, share
from fable_solve.solver.games.chenille.exact import solve
from fable_solve.solver.games.chenille.play import CHENILLES, Chenille, Phase, State
from fable_solve.solver.games.chenille.readings import Reading
from fable_solve.solver.games.chenille.ring import Wasps
from fable_solve.solver.registry import get
from fable_solve.solver.rollout import setup
from fable_solve.solver.simulation import simulate
from fable_solve.solver.study import Request

if TYPE_CHECKING:
    import polars as pl

SIDES = (("random", "random"), ("greedy", "greedy"))
CROSSED = (("random", "greedy"), ("greedy", "random"))
"""Pairs of policies (Guepe, Chenilles): under every reading, and under the asked one alone."""

MAX_STATES = 50_000_000


@dataclass(frozen=True)
class Small:
    """A game small enough to be solved: its ring, caterpillars, and what wins."""

    name: str
    ring: tuple[str, ...]
    caterpillars: int
    butterflies_to_win: int
    captures_to_win: int


HALF_RING = ("T1", "C1", "T1", "C1", "T2", "C2")
SMALL = (
    Small("half ring", HALF_RING, 3, 2, 2),
    Small("full ring", HALF_RING * 2, 2, 1, 2),
)
"""Half of the published ring, and all of it, both with Terre and Ciel in turn."""


@dataclass(frozen=True)
class Cell:
    """Games of one reading and one policy a side."""

    reading: Reading
    policies: tuple[str, str]
    games: int
    episodes: pl.DataFrame

    def side(self, seat: int) -> pl.DataFrame:
        """The rows of one side, one a game."""
        return self.episodes.filter(self.episodes["seat"] == seat)

    @property
    def wins(self) -> Share:
        """How often the Chenilles win."""
        return share(self.side(CHENILLES)["win_share"].to_numpy())

    @property
    def stopped(self) -> int:
        """Games stopped by the turn limit."""
        return int(self.side(CHENILLES)["stopped"].sum())

    @property
    def length(self) -> Mean:
        return mean(self.side(CHENILLES)["length"].to_numpy())


@dataclass(frozen=True)
class Exact:
    """The exact value of a small game under one reading, with the best starting pair."""

    small: Small
    reading: Reading
    value: float
    error: float
    start: Wasps
    states: int

    @property
    def null(self) -> bool:
        """Whether the value cannot be told from 0."""
        return self.value <= self.error

    @property
    def probability(self) -> str:
        """The value in words of a report."""
        return at_most(self.value + self.error) if self.null else f"{self.value:.3g}"


def at_most(error: float) -> str:
    """A value of 0 with its bound rounded up.

    >>> at_most(2.56e-13)
    '0 (at most 3e-13)'
    """
    if error == 0:
        return "0"
    unit = 10.0 ** floor(log10(error))
    return f"0 (at most {ceil(error / unit) * unit:.0e})"


def play(request: Request, reading: Reading, policies: tuple[str, str]) -> Cell:
    """Games of one reading; the number of people changes nothing, so the smallest asked count is played."""
    run = setup(get("chenille"), request.players[0], policies, reading.rules, seed=request.seed)
    played = simulate(run, request.options["games"])
    return Cell(reading, policies, played.games, played.episodes)


def exact(small: Small, reading: Reading) -> Exact:
    """The value of a small game from its start, with open discards."""
    update = {"butterflies_to_win": small.butterflies_to_win, "captures_to_win": small.captures_to_win}
    game = Chenille(reading.rules.model.model_copy(update=update))
    empty = (0,) * len(small.ring)
    state = State(Phase.START, small.ring, empty, small.caterpillars, 0, 0, None, game.deck)
    solved = solve(game, state, MAX_STATES)
    start, value = solved.actions(state)[0]
    return Exact(small, reading, value, solved.error, start, solved.states)
