"""Reproducible streams of random numbers: SplitMix64 in counter form.

Draw ``k`` of episode ``g`` of a stream is ``mix(key + (g * 2**24 + k + 1) * GOLDEN)`` (mod 2**64), with
``key = mix(hash(purpose) + mix(seed))``. It depends on nothing else, so results are the same for any number
of workers, any order and any machine; asking for more episodes keeps the earlier ones; and each source of
chance (the deal, each seat's policy) has a stream of its own. An episode may use up to 2**24 draws.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

GOLDEN = 0x9E3779B97F4A7C15
MASK = 0xFFFFFFFFFFFFFFFF
EPISODE_BITS = 24

T = TypeVar("T")


def mix(z: int) -> int:
    """The finaliser of SplitMix64, a bijection of 64-bit integers."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def stream_key(seed: int, *purpose: object) -> int:
    """64-bit key of the stream for ``purpose`` (a game, its rule digest, a source of chance, ...)."""
    text = "\x1f".join(str(part) for part in purpose)
    digest = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
    return mix((digest + mix(seed & MASK)) & MASK)


class Stream:
    """Draws of one episode of one stream; mutable, owned by one play.

    >>> Stream(0).bits() == 0xE220A8397B1DCDAF  # first output of SplitMix64 seeded with 0
    True
    """

    __slots__ = ("_counter",)

    def __init__(self, key: int, episode: int = 0) -> None:
        self._counter = (key + ((episode << EPISODE_BITS) * GOLDEN)) & MASK

    @property
    def counter(self) -> int:
        """The state of the stream: equal for two streams exactly when all their draws to come are."""
        return self._counter

    def bits(self) -> int:
        """64 random bits."""
        self._counter = (self._counter + GOLDEN) & MASK
        return mix(self._counter)

    def below(self, n: int) -> int:
        """Uniform on ``0 .. n - 1`` for ``1 <= n < 2**32``: Lemire's multiplication with rejection."""
        product = (self.bits() >> 32) * n
        if (product & 0xFFFFFFFF) < n:
            threshold = (0x100000000 - n) % n
            while (product & 0xFFFFFFFF) < threshold:
                product = (self.bits() >> 32) * n
        return product >> 32

    def uniform(self) -> float:
        """Uniform on [0, 1) with 53 bits."""
        return (self.bits() >> 11) * 2.0**-53

    def choice(self, items: Sequence[T]) -> T:
        """A uniform element of a non-empty sequence."""
        return items[self.below(len(items))]

    def weighted(self, outcomes: Sequence[tuple[T, float]]) -> T:
        """An outcome drawn with its probability; the probabilities sum to 1."""
        left = self.uniform()
        for outcome, probability in outcomes:
            left -= probability
            if left < 0.0:
                return outcome
        return outcomes[-1][0]
