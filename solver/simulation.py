"""Playing many games: blocks of episodes, counted, kept and continued.

Blocks are played by an :mod:`engine <fable_solve.solver.engines>` in any order and taken in their own, so
that a run gives the same numbers whatever plays it; with a precision it looks after each block and ends at
the first at which every interval is narrow enough. The intervals are then confidence sequences, which hold
at all looks together (:mod:`fable_solve.solver.sequences`).

A ``store`` keeps each block as it is finished. A run continued from a store takes the blocks found there and
plays the others: it ends as if it had never been interrupted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Protocol

from fable_solve.solver.blocks import Block, frame, joined
from fable_solve.solver.engines import Engine, Pending, Stopped, cores, local, ready
from fable_solve.solver.rollout import Match, Setup
from fable_solve.solver.tally import Tally, tally

if TYPE_CHECKING:
    import polars as pl

    from fable_solve.solver.cluster import Told

COMPILED_BLOCK, BLOCK, SLOW_BLOCK = 16_384, 256, 16
"""Episodes of a block that is compiled, of one that is not, and at least; a run's results do not depend on
it, but with a precision its end does. Policies that think long (:func:`fable_solve.solver.policy.cost`) have
as many times smaller compiled blocks."""

SLICE = 1024
"""Compiled episodes of simple policies played between two looks whether anybody still waits."""

LEAST = 1024
"""Episodes before a precision may end a run: a spread seen in fewer is no guide."""

FEW_BLOCKS = 8
"""Up to this many blocks that are not compiled are played in this process unless workers are asked for."""


class Store(Protocol):
    """Where finished blocks are kept; can be sent to a worker."""

    by_workers: bool
    """Whether workers keep their blocks themselves (in a folder all of them see)."""

    def load(self, numbers: range) -> Tally | None:
        """The counts of a block that is there and sound."""

    def encode(self, match: Match, block: Block, counts: Tally) -> bytes:
        """A block as it is kept."""

    def save(self, numbers: range, content: bytes) -> None:
        """Keep a block; raises ``OSError``."""

    def cut(self, games: int) -> None:
        """Drop blocks from episode ``games`` on: a worker was ahead of the run's end."""


@dataclass(frozen=True)
class Plan:
    """How a run is carried out: nothing here changes a number, but for ``block`` where a run ends early."""

    jobs: int | None = None
    """Workers; by default one a core for longer runs."""
    block: int | None = None
    """Episodes a block."""
    dask: bool = False
    scheduler: str | None = None
    """Address of a Dask scheduler; by default one is started on this machine."""
    store: Store | None = None
    told: Told = lambda _text: None
    """Told what the run waits for."""


@dataclass(frozen=True)
class Look:
    """How far a run is, told after each block; what it says of the intervals is worked out when asked for."""

    tally: Tally
    by_points: bool
    limit: int
    precision: float | None

    @property
    def games(self) -> int:
        return self.tally.games

    @cached_property
    def half_width(self) -> float:
        """Widest half-width of the intervals so far."""
        return widest(self.tally, self.by_points, sequential=True)

    @property
    def total(self) -> int | None:
        """Episodes of the whole run; with a precision an estimate: half-widths shrink as 1/sqrt(n)."""
        if self.precision is None:
            return self.limit
        if not isfinite(self.half_width):
            return None
        times = min(self.half_width / self.precision, float(self.limit))
        return min(self.limit, int(self.games * times**2))

    @property
    def precise(self) -> bool:
        """Whether the run may end here."""
        return self.precision is not None and self.games >= LEAST and self.half_width < self.precision


@dataclass(frozen=True)
class Simulation:
    """A finished run.

    ``half_width`` is the widest 95 % half-width over the seats, of the mean score (where the seats' scores
    are points) and of the win share; of confidence sequences if the run could have ended elsewhere
    (``sequential``), else of intervals for its number of games.
    """

    setup: Setup
    seats: tuple[str, ...]
    """Policy of each seat."""
    tally: Tally
    half_width: float
    sequential: bool
    interrupted: bool = False
    """Whether the user stopped the run; the finished blocks are here."""
    blocks: tuple[Block, ...] = field(default=(), repr=False)
    """The episodes, if they were asked for."""

    @property
    def games(self) -> int:
        return self.tally.games

    @property
    def episodes(self) -> pl.DataFrame:
        """One row an episode and seat: episode, seat, policy, score (the game's points), rank (1 is best),
        win_share, length (decisions of the whole game), stopped."""
        return frame(joined(self.blocks), self.seats)


@dataclass(frozen=True)
class Played:
    """What a worker gives back of a block."""

    tally: Tally
    block: Block | None
    content: bytes | None
    """The block as it is to be stored, unless the worker has stored it."""


@dataclass(frozen=True)
class Task:
    """Plays, counts and encodes a block."""

    keep: bool
    store: Store | None

    def __call__(self, match: Match, numbers: range, stopped: Stopped) -> Played | None:
        block = play_block(match, numbers, stopped)
        if block is None:
            return None
        counts = tally(block)
        content = self.store.encode(match, block, counts) if self.store else None
        if self.store and self.store.by_workers and content is not None:
            self.store.save(numbers, content)
            content = None
        return Played(counts, block if self.keep else None, content)


def play_block(match: Match, numbers: range, stopped: Stopped) -> Block | None:
    """The episodes of a block, ``None`` once nobody waits for them."""
    step, parts = max(1, SLICE // match.cost) if match.compiled else 1, list[Block]()
    for start in range(numbers.start, numbers.stop, step):
        if stopped():
            return None
        parts.append(match.block(range(start, min(start + step, numbers.stop))))
    return joined(parts)


def simulate(
    run: Setup,
    games: int,
    *,
    precision: float | None = None,
    plan: Plan = Plan(),
    keep: bool = True,
    progress: Callable[[Look], object] = lambda _look: None,
) -> Simulation:
    """Play ``games`` episodes of ``run``; ``keep`` keeps them in memory.

    With ``precision`` the run ends at the first block, but not before ``LEAST`` episodes, at which the
    widest 95 % half-width is below it.

    Ctrl-C ends the run with the blocks before it, if there is one.
    """
    match = run.build()
    if match.compiled:
        match.block(range(1))  # compiles here, where Ctrl-C is heard, if it has to
    counts: Tally | None = None
    blocks, interrupted = list[Block](), False
    try:
        with closing(_played(run, match, games, Task(keep, plan.store), plan)) as finished:
            for done in finished:
                blocks += [done.block] if done.block else []
                counts = counts + done.tally if counts else done.tally
                look = Look(counts, run.by_points, games, precision)
                progress(look)
                if look.precise:
                    break
    except KeyboardInterrupt:
        if counts is None:
            raise
        interrupted = True
        blocks = [block for block in blocks if block.first < counts.games]
    assert counts is not None
    if plan.store and not interrupted:
        plan.store.cut(counts.games)
    sequential = precision is not None or interrupted
    half_width = widest(counts, run.by_points, sequential)
    return Simulation(run, match.names, counts, half_width, sequential, interrupted, tuple(blocks))


def block_size(match: Match, plan: Plan) -> int:
    """Episodes of each block of a run but the last."""
    return plan.block or (max(SLOW_BLOCK, COMPILED_BLOCK // match.cost) if match.compiled else BLOCK)


def _engine(run: Setup, match: Match, task: Task, blocks: int, plan: Plan) -> Engine:
    if plan.dask:
        from fable_solve.solver.cluster import Cluster

        return Cluster(run, task, plan.scheduler, plan.jobs or cores(), plan.told)
    few = match.compiled is None and blocks <= FEW_BLOCKS
    return local(run, match, task, min(blocks, plan.jobs or (1 if few else cores())))


def _played(run: Setup, match: Match, games: int, task: Task, plan: Plan) -> Generator[Played, None, None]:
    """Each block in order: found in the store, or played and stored, some blocks ahead of the one awaited."""
    waiting: deque[tuple[range, Pending]] = deque()
    size = block_size(match, plan)
    with closing(_engine(run, match, task, -(-games // size), plan)) as engine:
        for first in range(0, games, size):
            block = range(first, min(first + size, games))
            found = plan.store.load(block) if plan.store else None
            waiting.append((block, ready(Played(found, None, None)) if found else engine.submit(block)))
            if len(waiting) > 2 * engine.workers:
                yield _stored(*waiting.popleft(), plan.store)
        while waiting:
            yield _stored(*waiting.popleft(), plan.store)


def _stored(numbers: range, pending: Pending, store: Store | None) -> Played:
    played: Played = pending.result()
    if store and played.content is not None:
        store.save(numbers, played.content)
    return played


def widest(counts: Tally, by_points: bool, sequential: bool) -> float:
    """Widest 95 % half-width over the seats."""
    seats = range(counts.seats)
    scores = [counts.score(seat, sequential).half_width for seat in seats] if by_points else []
    return max([*scores, *(counts.win(seat, sequential).half_width for seat in seats)])
