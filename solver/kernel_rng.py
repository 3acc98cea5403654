"""The streams of :mod:`fable_solve.solver.rng`, compiled: the same draws from the same key and episode.

A stream is its 64-bit counter; each function takes the counter and returns it advanced beside the draw.
All arithmetic is in uint64 (mixing in an int64 would turn numba to floats).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.jit import kernel, step
from fable_solve.solver.rng import EPISODE_BITS, GOLDEN

_GOLDEN = np.uint64(GOLDEN)
_EPISODE = np.uint64(1 << EPISODE_BITS)
_LOW = np.uint64(0xFFFFFFFF)
_SPAN = np.uint64(0x100000000)
_HALF = np.uint64(32)


@kernel
def start(key: Any, episode: Any) -> Any:
    """Counter of an episode's stream."""
    return np.uint64(key) + np.uint64(episode) * _EPISODE * _GOLDEN


@kernel
def bits(counter: Any) -> Any:
    """(counter, 64 random bits)."""
    counter = np.uint64(counter) + _GOLDEN
    z = counter
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return counter, z ^ (z >> np.uint64(31))


@kernel
def below(counter: Any, n: int) -> Any:
    """(counter, a uniform integer of ``0 .. n - 1``) for ``1 <= n < 2**32``."""
    span = np.uint64(n)
    counter, z = bits(counter)
    product = (z >> _HALF) * span
    if (product & _LOW) < span:
        threshold = (_SPAN - span) % span
        while (product & _LOW) < threshold:
            counter, z = bits(counter)
            product = (z >> _HALF) * span
    return counter, np.int64(product >> _HALF)


@step
def start_streams(streams: Any, keys: Any, episode: Any) -> None:
    """Writes the counters of an episode's streams."""
    for stream in range(len(keys)):
        streams[stream] = start(keys[stream], episode)


@step
def off_pile(counter: Any, pile: Any, left: Any) -> Any:
    """(counter, a unit off a pile of ``left`` units): the last one takes its place, as in
    :mod:`fable_solve.solver.chance`."""
    counter, place = below(counter, left)
    drawn = pile[place]
    pile[place] = pile[left - 1]
    return counter, drawn
