"""Draws of a play-out: random numbers off the streams of an episode, and cards off a shuffled pile.

``streams`` has the counters of an episode's streams (sources of chance, then seats); a draw advances one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver import kernel_rng
from fable_solve.solver.jit import step
from fable_solve.solver.kernel_rng import below, bits

ZERO: Any = np.int64(0)
"""Where a number that will change starts: steps would be compiled once for a plain 0 and once for others."""
_SPARE = np.uint64(11)


@step
def one_of(streams: Any, stream: int, n: int) -> Any:
    """Uniform on ``0 .. n - 1``."""
    streams[stream], drawn = below(streams[stream], n)
    return drawn


@step
def fraction(streams: Any, stream: int) -> Any:
    """53 random bits: a uniform number of [0, 1) in units of ``2**-53``."""
    streams[stream], z = bits(streams[stream])
    return z >> _SPARE


@step
def off_pile(counter: Any, pile: Any, left: int, most: int) -> Any:
    """(counter, a card off ``pile[:left]``); the last card takes its place.

    Cards that are all equal, which is only looked at when at most ``most`` are left, need no random number.
    """
    last = left - 1
    if left <= most:
        same = last
        while same > 0 and pile[same - 1] == pile[last]:
            same -= 1
        if same == 0:
            return counter, pile[last]
    return kernel_rng.off_pile(counter, pile, left)
