"""What is counted of a run: how often each score, win share and length occurred. Integers, so that blocks may
be added in any order, on any machine, to exactly the same counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fable_solve.solver import sequences
from fable_solve.solver.blocks import Block
from fable_solve.solver.estimate import Interval, Mean, Share
from fable_solve.solver.histogram import Histogram

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Tally:
    """Counts of ``games`` episodes; a histogram a seat, of lengths one."""

    games: int
    scores: tuple[Histogram, ...]
    winners: tuple[Histogram, ...]
    """By how many seats the win was shared, 0 where the seat had no part in it."""
    lengths: Histogram
    stopped: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.games + other.games,
            tuple(own + more for own, more in zip(self.scores, other.scores, strict=True)),
            tuple(own + more for own, more in zip(self.winners, other.winners, strict=True)),
            self.lengths + other.lengths,
            self.stopped + other.stopped,
        )

    @property
    def seats(self) -> int:
        return len(self.scores)

    def score(self, seat: int, sequential: bool = False) -> Mean | Interval:
        """Mean score of a seat: at this number of games, or (``sequential``) at all numbers at once."""
        found = self.scores[seat].estimate()
        return sequences.mean(found) if sequential else found

    def win(self, seat: int, sequential: bool = False) -> Share:
        """Mean share of the win of a seat, in the same way."""
        found = self.win_shares(seat).share()
        return sequences.share(found.mean, found.n) if sequential else found

    def win_shares(self, seat: int) -> Histogram:
        """How often the seat had which share of the win."""
        return self.winners[seat].map(lambda k: Fraction(1, k) if k else 0)


def tally(block: Block) -> Tally:
    """The counts of one block."""
    seats = range(block.scores.shape[1])
    return Tally(
        block.games,
        tuple(Histogram.of(block.scores[:, seat]) for seat in seats),
        tuple(Histogram.of(block.winners[:, seat]) for seat in seats),
        Histogram.of(block.lengths),
        int(np.count_nonzero(block.stopped)),
    )


ALL_SEATS = -1


def frame(counts: Tally) -> pl.DataFrame:
    """Counts as rows: what (score, winners, length, stopped), seat (-1: all), value, count.

    Values are text, so that fractions stay exact; ``stopped`` has one row with the value 1.
    """
    import polars as pl

    histograms = [
        *(("score", seat, found.document()) for seat, found in enumerate(counts.scores)),
        *(("winners", seat, found.document()) for seat, found in enumerate(counts.winners)),
        ("length", ALL_SEATS, counts.lengths.document()),
        ("stopped", ALL_SEATS, {"1": counts.stopped}),
    ]
    rows = [(what, seat, value, count) for what, seat, found in histograms for value, count in found.items()]
    schema = {"what": pl.String, "seat": pl.Int8, "value": pl.String, "count": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def from_frame(table: pl.DataFrame) -> Tally:
    """The counts that :func:`frame` made ``table`` of."""
    found: dict[tuple[str, int], dict[str, int]] = {}
    for what, seat, value, count in table.iter_rows():
        found.setdefault((what, seat), {})[value] = count
    seats = range(1 + max(seat for _, seat in found))
    lengths = Histogram.parse(found["length", ALL_SEATS])
    return Tally(
        lengths.n,
        tuple(Histogram.parse(found["score", seat]) for seat in seats),
        tuple(Histogram.parse(found["winners", seat]) for seat in seats),
        lengths,
        found["stopped", ALL_SEATS]["1"],
    )
