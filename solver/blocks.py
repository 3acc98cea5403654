"""Episodes by column: what a block of played games is, and the same as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Block:
    """Episodes ``first .. first + n - 1`` of a run."""

    first: int
    scores: NDArray[np.float64]
    """``[n, seats]``, in the game's own points."""
    winners: NDArray[np.int8]
    """``[n, seats]``: by how many seats the win is shared, 0 for a seat that has no part in it."""
    ranks: NDArray[np.int8]
    """``[n, seats]``: 1 + the number of seats strictly ahead."""
    lengths: NDArray[np.int32]
    """``[n]``, in decisions; a simultaneous choice is one."""
    stopped: NDArray[np.bool_]
    """``[n]``: whether play was stopped before its end."""
    counters: NDArray[np.uint64]
    """``[n, sources + seats]``: final state of each random stream."""

    @property
    def games(self) -> int:
        return len(self.lengths)

    @property
    def win_shares(self) -> NDArray[np.float64]:
        """``[n, seats]``: each seat's share of the win."""
        shares: NDArray[np.float64] = (self.winners > 0) / np.maximum(self.winners, 1)
        return shares


def joined(blocks: Sequence[Block]) -> Block:
    """Blocks that follow one another as one."""
    columns = ("scores", "winners", "ranks", "lengths", "stopped", "counters")
    arrays: list[Any] = [np.concatenate([getattr(block, column) for block in blocks]) for column in columns]
    return Block(blocks[0].first, *arrays)


def from_standing(
    first: int,
    scores: NDArray[np.float64],
    standing: NDArray[np.int64],
    lengths: NDArray[np.int32],
    stopped: NDArray[np.bool_],
    counters: NDArray[np.uint64],
) -> Block:
    """A block whose winners and ranks follow from the keys ``standing[n, seats]``, larger being better."""
    from fable_solve.solver.kernel_standing import settle

    winners, ranks = np.empty(standing.shape, np.int8), np.empty(standing.shape, np.int8)
    settle(standing, winners, ranks)
    return Block(first, scores, winners, ranks, lengths, stopped, counters)


def frame(block: Block, policies: Sequence[str]) -> pl.DataFrame:
    """One row an episode and seat: episode, seat, policy, score, rank, win_share, length, stopped."""
    import polars as pl

    seats = len(policies)
    return pl.DataFrame(
        {
            "episode": np.repeat(np.arange(block.first, block.first + block.games), seats),
            "seat": np.tile(np.arange(seats, dtype=np.int8), block.games),
            "score": block.scores.ravel(),
            "rank": block.ranks.ravel(),
            "win_share": block.win_shares.ravel(),
            "length": np.repeat(block.lengths, seats),
            "stopped": np.repeat(block.stopped, seats),
        },
    ).select(
        "episode",
        "seat",
        pl.col("seat").replace_strict(range(seats), list(policies), return_dtype=pl.String).alias("policy"),
        "score",
        "rank",
        "win_share",
        "length",
        "stopped",
    )


def from_frame(table: pl.DataFrame) -> Block:
    """The block that :func:`frame` made ``table`` of, but for the states of the random streams."""
    seats = int(table["seat"].to_numpy().max()) + 1
    shape = (table.height // seats, seats)
    shares = table["win_share"].to_numpy()
    winners = np.rint(np.divide(1, shares, out=np.zeros_like(shares), where=shares > 0)).astype(np.int8)
    return Block(
        int(table["episode"][0]),
        table["score"].to_numpy().reshape(shape),
        winners.reshape(shape),
        table["rank"].to_numpy().reshape(shape),
        table["length"].to_numpy()[::seats],
        table["stopped"].to_numpy()[::seats],
        np.zeros((shape[0], 0), np.uint64),
    )
