"""Every policy against every other: who wins at which seat against whom, and the game of choosing a policy.

A seating gives each seat a policy. All seatings are played where there are not too many; else those in which
one policy plays among another (each seat in turn) and a balanced sample: at a random seating, and at those
that follow from it by replacing every policy by the next, each policy sits equally often at each seat. All
seatings play the same episodes, so that they meet the same luck.

What policy i gets in a field of j is its share of the win, its seat in turn (for a game of two sides: on the
first side, against j on the second). Two players' shares make a matrix game, whose equilibrium says which
mixture of policies no other beats; for three and four players the seats' choices make a game in normal form.

Source: Wellman, "Methods for empirical game-theoretic analysis", 2006.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from fable_solve.solver import registry
from fable_solve.solver.balance import together
from fable_solve.solver.errors import BadInput, NotConverged
from fable_solve.solver.estimate import Share, wilson
from fable_solve.solver.matrix import MatrixGame
from fable_solve.solver.nplayer import MAX_ACTIONS, MAX_PLAYERS, NormalForm
from fable_solve.solver.ratings import Rating, ahead, jackknife, ratings, shares
from fable_solve.solver.rng import Stream, stream_key
from fable_solve.solver.rollout import Setup
from fable_solve.solver.sampling import counted, sample

Seating = tuple[int, ...]
"""Number of the policy at each seat."""

MOST = 256
"""Seatings that are all played; of more only this many, besides those of one among others."""

BATCHES = 32
"""Batches of games by which the errors of ratings are found."""


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium of choosing policies: a mixture a seat (side), what each policy gets against the others'
    mixtures, and the most any seat gains by another choice, in win share."""

    mixtures: tuple[tuple[float, ...], ...]
    payoffs: tuple[tuple[float, ...], ...]
    exploitability: float
    method: str


@dataclass(frozen=True)
class Tournament:
    """What was played: the mean share of the win ``wins[seating]`` of each seat, its mean points, and how
    often each player (policy; of two sides the policy on a side) was ahead of each other by batches."""

    run: Setup
    names: tuple[str, ...]
    games: int
    complete: bool
    wins: dict[Seating, NDArray[np.float64]]
    points: dict[Seating, NDArray[np.float64]]
    ahead: NDArray[np.float64]
    stopped: int
    """Of all games those that were stopped before their end."""

    @property
    def seats(self) -> int:
        return len(next(iter(self.wins)))

    @property
    def sides(self) -> tuple[str, ...]:
        return registry.get(self.run.game).sides

    @cached_property
    def players(self) -> tuple[str, ...]:
        """Who is rated: the policies, of a game of two sides on each side."""
        return tuple(f"{side} {name}" for side in self.sides for name in self.names) or self.names

    @cached_property
    def z(self) -> float:
        """Standard errors of an interval of a payoff that holds with all others."""
        k = len(self.names)
        return together(k * k if self.sides else k * (k - 1) // (2 if self.seats == 2 else 1))

    def payoff(self, i: int, j: int) -> Share:
        """Share of the win of policy i among j, its seat in turn; of two sides, of i on the first.

        The mean over the seats of a game's shares lies in [0, 1], so Wilson's interval of the number of
        games is wide enough, however the seats' games depend on each other.
        """
        if self.sides:
            return wilson(float(self.wins[i, j][0]), self.games, self.z)
        if i == j:
            return Share(1 / self.seats, 1 / self.seats, 1 / self.seats, self.games)
        found = [self.wins[one_among(i, j, seat, self.seats)][seat] for seat in range(self.seats)]
        return wilson(float(np.mean(found)), self.games, self.z)

    @cached_property
    def payoffs(self) -> NDArray[np.float64]:
        """All payoffs, ``[k, k]``."""
        count = range(len(self.names))
        return np.array([[self.payoff(i, j).value for j in count] for i in count])

    @cached_property
    def rating(self) -> Rating:
        return ratings(self.ahead, self.games * len(self.wins))

    @cached_property
    def beaten(self) -> NDArray[np.float64]:
        """How often each player was ahead of each other."""
        return shares(self.ahead.sum(axis=0))

    def ahead_of(self, i: int, j: int) -> Share:
        """How often player i was ahead of j, in the games in which they met.

        Wilson's interval of as many independent games as would have the variance seen between batches, but
        at least the games of one seating.
        """
        share = float(self.beaten[i, j])
        variance = float(self._variances[i, j])
        games = max(self.games, int(share * (1 - share) / variance) if variance else 0)
        return wilson(share, games, float(stdtrit(BATCHES - 1, ndtr(self.z))))

    @cached_property
    def _variances(self) -> NDArray[np.float64]:
        """Of how often each player was ahead of each other, by leaving out a batch at a time."""
        whole = self.ahead.sum(axis=0)
        variances: NDArray[np.float64] = jackknife([shares(whole - batch) for batch in self.ahead])
        return variances


def one_among(i: int, j: int, seat: int, seats: int) -> Seating:
    """Policy i at one seat, j at all others."""
    return tuple(i if other == seat else j for other in range(seats))


def seatings(policies: int, seats: int, seed: int, most: int = MOST) -> tuple[list[Seating], bool]:
    """The seatings to play, and whether they are all there are.

    >>> seatings(2, 2, 0)
    ([(0, 0), (0, 1), (1, 0), (1, 1)], True)
    """
    if policies**seats <= most:
        return list(product(range(policies), repeat=seats)), True
    stream, found = Stream(stream_key(seed, "seatings")), dict[Seating, None]()
    for i, j in product(range(policies), repeat=2):
        found |= dict.fromkeys(one_among(i, j, seat, seats) for seat in range(seats))
    for _ in range(most // policies):
        first = [stream.below(policies) for _ in range(seats)]
        found |= dict.fromkeys(tuple((own + k) % policies for own in first) for k in range(policies))
    return list(found), False


def tournament(
    run: Setup,
    names: Sequence[str],
    games: int,
    jobs: int | None = None,
    progress: Callable[[int, int | None], object] = lambda _done, _total: None,
) -> Tournament:
    """``games`` games of each seating of the policies ``names``; raises :class:`BadInput` for fewer than two
    policies or seats, and for fewer games than there are batches."""
    seats = run.build().game.players
    if len(names) < 2:
        raise BadInput("at least two different policies", ",".join(names), where="--policies")
    if seats < 2:
        raise BadInput("at least two players", seats, where="--players")
    chosen, complete = seatings(len(names), seats, run.seed)
    sides = bool(registry.get(run.game).sides)
    played = counted(progress, len(chosen) * games)
    counts = np.zeros((BATCHES, (1 + sides) * len(names), (1 + sides) * len(names)))
    wins, points = dict[Seating, NDArray[np.float64]](), dict[Seating, NDArray[np.float64]]()

    stopped = 0
    for seating in chosen:
        block = sample(replace(run, policies=tuple(names[k] for k in seating)), range(games), jobs, played)
        wins[seating], points[seating] = block.win_shares.mean(axis=0), block.scores.mean(axis=0)
        stopped += int(np.count_nonzero(block.stopped))
        items = [own + seat * len(names) * sides for seat, own in enumerate(seating)]
        for batch, ranks in enumerate(np.array_split(block.ranks, BATCHES)):
            counts[batch] += ahead(ranks, items, counts.shape[1])
    return Tournament(run, tuple(names), games, complete, wins, points, counts, stopped)


def equilibrium(found: Tournament) -> Equilibrium | None:
    """An equilibrium of choosing policies; ``None`` where the game is too large or none was found."""
    if found.seats == 2:
        return _of_matrix(found)
    if not found.complete or found.seats > MAX_PLAYERS or len(found.names) > MAX_ACTIONS:
        return None
    return _of_seats(found)


def _of_matrix(found: Tournament) -> Equilibrium:
    """Of the matrix of payoffs; with two sides, or the seats in turn."""
    from fable_solve.solver.matrix import solve

    matrix = found.payoffs
    if not found.sides:
        matrix = (matrix + 1 - matrix.T) / 2  # what rounding left of i against j and j against i
    answer = solve(MatrixGame(matrix - 0.5))
    row, column = np.array(answer.row), np.array(answer.column)
    return Equilibrium(
        (answer.row, answer.column),
        (tuple((matrix @ column).tolist()), tuple((1 - row @ matrix).tolist())),
        answer.exploitability,
        answer.method,
    )


def _of_seats(found: Tournament) -> Equilibrium | None:
    """Of the game in which each seat chooses a policy."""
    from fable_solve.solver.nplayer import deviation, solve

    count = len(found.names)
    table = np.zeros((*([count] * found.seats), found.seats))
    for seating, won in found.wins.items():
        table[seating] = won
    form = NormalForm(np.moveaxis(table, -1, 0))
    try:
        answer = solve(form)
    except NotConverged:
        return None
    payoffs = [deviation(form, answer.profile, seat).tolist() for seat in range(found.seats)]
    return Equilibrium(answer.profile, tuple(map(tuple, payoffs)), answer.epsilon, answer.method)


def beats(found: Tournament) -> Iterator[tuple[int, int]]:
    """Pairs of players of which the first is ahead of the second more often, beyond the noise."""
    for i, j in product(range(len(found.players)), repeat=2):
        if not np.isnan(found.beaten[i, j]) and found.ahead_of(i, j).low > 0.5:
            yield i, j
