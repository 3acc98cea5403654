"""Episodes as they are: consecutive games of a run as one block, for statistics of whole games.

:func:`fable_solve.solver.simulation.simulate` counts blocks and forgets them; a difference between two runs,
or a quantity of several seats together, needs the games themselves, aligned by their numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace

from fable_solve.solver.blocks import Block, joined
from fable_solve.solver.engines import cores, local
from fable_solve.solver.rollout import Match, Setup, stream_keys
from fable_solve.solver.simulation import FEW_BLOCKS, Plan, block_size, play_block


def silent(_games: int) -> None:
    """Progress that nobody sees."""


def counted(progress: Callable[[int, int | None], object], total: int) -> Callable[[int], None]:
    """What is told of the games of each part, and tells ``progress`` of all of them so far."""
    done = 0

    def played(more: int) -> None:
        nonlocal done
        done += more
        progress(done, total)

    return played


def sample(
    run: Setup, numbers: range, jobs: int | None = None, played: Callable[[int], object] = silent
) -> Block:
    """The episodes ``numbers`` of ``run``, the same for any number of ``jobs``.

    ``played`` is told of the games of each part once it is done.
    """
    match, parts = run.build(), list[Block]()
    workers = jobs or cores()
    size = min(block_size(match, Plan()), -(-len(numbers) // workers))
    blocks = [numbers[first : first + size] for first in range(0, len(numbers), size)]
    if match.compiled:
        match.block(range(1))  # compiles here, where Ctrl-C is heard, if it has to
    elif jobs is None and len(blocks) <= FEW_BLOCKS:
        workers = 1
    with closing(local(run, match, play_block, min(workers, len(blocks)))) as engine:
        for pending in [engine.submit(block) for block in blocks]:
            parts.append(pending.result())
            played(parts[-1].games)
    return joined(parts)


@dataclass(frozen=True)
class Rekeyed(Setup):
    """A run in which some random streams are replaced by independent ones; the others stay as they are."""

    fresh: tuple[int, ...] = ()
    """Places of the replaced streams among the keys ``[sources + seats]``."""

    def build(self) -> Match:
        match = super().build()
        others = stream_keys(match.game, self.seed, self.game, self.mode, self.players, "again")
        keys = (others[place] if place in self.fresh else key for place, key in enumerate(match.keys))
        return replace(match, keys=tuple(keys))


def rekeyed(run: Setup) -> Rekeyed:
    """``run`` as one whose streams can be replaced; none is yet."""
    return Rekeyed(run.game, run.players, run.policies, run.rules, run.mode, run.seed)
