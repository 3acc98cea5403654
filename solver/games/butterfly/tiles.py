"""The tiles of Butterfly and what a collection of them scores.

A tile is a *kind*, ``0 .. 62``; a collection, the bag or a stock is a ``bytes`` of 63 counts. Kinds lie in
ten categories that score independently of each other:

===========  ========================  =======================================================
category     tiles                     points
===========  ========================  =======================================================
0-3          r, b, g, y: 1-5 and x     printed points, doubled for the holder of the x
4            F                         n flowers: n squared
5            d1-d9 dragonflies         the highest
6            l1-l9 fireflies           the lowest
7            s1-s9 grasshoppers        the last one taken; a collection holds no older one
8            B, h10-h15                min(bees, honeycombs) pairs, highest honeycombs first;
                                       -3 for a bee left over, 0 for a honeycomb left over
9            w4-w7 wasps               minus the printed points
===========  ========================  =======================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

COLOURS = "rbgy"
KINDS = (
    *(colour + value for colour in COLOURS for value in "12345x"),
    "F",
    *(insect + str(value) for insect in "dls" for value in range(1, 10)),
    "B",
    *(f"h{value}" for value in range(10, 16)),
    *(f"w{value}" for value in range(4, 8)),
)
INDEX = {name: kind for kind, name in enumerate(KINDS)}
CATEGORIES = (
    *(slice(6 * colour, 6 * colour + 6) for colour in range(4)),
    slice(24, 25),
    slice(25, 34),
    slice(34, 43),
    slice(43, 52),
    slice(52, 59),
    slice(59, 63),
)
CATEGORY = tuple(c for c, part in enumerate(CATEGORIES) for _ in range(part.start, part.stop))
FLOWERS, DRAGONFLIES, FIREFLIES, GRASSHOPPERS, BEES, WASPS = range(4, 10)
NOTHING = bytes(len(KINDS))


def counts(kinds: Iterable[int]) -> bytes:
    """Number of tiles of each kind, at most 255 of one."""
    result = bytearray(NOTHING)
    for kind in kinds:
        result[kind] += 1
    return bytes(result)


def listed(held: bytes) -> list[int]:
    """The kinds of a collection in the order of ``KINDS``."""
    return [kind for kind, count in enumerate(held) for _ in range(count)]


def take(held: bytes, kind: int) -> bytes:
    """``held`` with one more tile; a grasshopper replaces the one held before.

    >>> [KINDS[kind] for kind in listed(take(counts([INDEX["s9"]]), INDEX["s2"]))]
    ['s2']
    """
    result = bytearray(held)
    if CATEGORY[kind] == GRASSHOPPERS:
        result[CATEGORIES[GRASSHOPPERS]] = bytes(9)
    result[kind] += 1
    return bytes(result)


def collected(kinds: Iterable[int]) -> bytes:
    """The collection that comes of taking ``kinds`` in this order."""
    held = NOTHING
    for kind in kinds:
        held = take(held, kind)
    return held


def remove(held: bytes, kind: int) -> bytes:
    """``held`` with one tile fewer."""
    result = bytearray(held)
    result[kind] -= 1
    return bytes(result)


@dataclass(frozen=True)
class Scoring:
    """Points of collections under one setting of the rule data.

    >>> Scoring().total(collected(INDEX[tile] for tile in ("r1", "r3", "rx", "F", "F", "B")))
    9
    """

    double: int = 2
    flower_power: int = 2
    bee_points: int = -3
    _known: dict[tuple[int, bytes], int] = field(default_factory=dict, repr=False, compare=False)
    _gains: dict[tuple[int, bytes], int] = field(default_factory=dict, repr=False, compare=False)

    def total(self, held: bytes) -> int:
        """Points of a collection."""
        return sum(self.points(category, held[part]) for category, part in enumerate(CATEGORIES))

    def gain(self, held: bytes, kind: int) -> int:
        """Points that one more tile brings to a collection."""
        category = CATEGORY[kind]
        part = CATEGORIES[category]
        key = (kind, held[part])
        if key not in self._gains:
            before = self.points(category, held[part])
            self._gains[key] = self.points(category, take(held, kind)[part]) - before
        return self._gains[key]

    def points(self, category: int, held: bytes) -> int:
        """Points of the part of a collection that lies in one category."""
        key = (category, held)
        if key not in self._known:
            self._known[key] = self._points(category, held)
        return self._known[key]

    def _points(self, category: int, held: bytes) -> int:
        if category < FLOWERS:
            printed = sum(value * count for value, count in enumerate(held[:5], 1))
            return printed * (self.double if held[5] else 1)
        if category == FLOWERS:
            return int(held[0] ** self.flower_power) if held[0] else 0
        if category == WASPS:
            return -sum(value * count for value, count in enumerate(held, 4))
        if category == BEES:
            return self._honey(held[0], held[1:])
        values = [value for value, count in enumerate(held, 1) if count]
        return (min if category == FIREFLIES else max)(values, default=0)

    def _honey(self, bees: int, honeycombs: bytes) -> int:
        combs = [value for value, count in enumerate(honeycombs, 10) for _ in range(count)]
        pairs = min(bees, len(combs))
        return sum(combs[len(combs) - pairs :]) + self.bee_points * (bees - pairs)

    def bounds(self, stock: bytes) -> tuple[int, int]:
        """Smallest and largest score of any collection drawn from ``stock``.

        Only left-over bees and wasps count below 0; every other category is bounded by its best part.
        """
        bees, combs = stock[CATEGORIES[BEES]][0], stock[CATEGORIES[BEES]][1:]
        wasps = self.points(WASPS, stock[CATEGORIES[WASPS]])
        high = sum(self.points(c, stock[CATEGORIES[c]]) for c in range(FLOWERS + 1))
        for category in (DRAGONFLIES, FIREFLIES, GRASSHOPPERS):
            high += max((v for v, count in enumerate(stock[CATEGORIES[category]], 1) if count), default=0)
        high += self._honey(min(bees, sum(combs)), combs)
        return self.bee_points * bees + wasps, high
