"""The ring of places: where caterpillars fit and where wasps fly.

A place is written as kind and slots: ``T1`` is a Terre place with one slot, ``C2`` a Ciel place with two.
A wasp's move is ``(from, arrival)`` or, for two places in one direction, ``(from, passed, arrival)``; it
captures on every place after the first. A caterpillar's move is ``(from, to)``; ``from`` may be
``"reserve"``, ``to`` may be ``"butterfly"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

Ring = tuple[str, ...]
Wasps = tuple[int, int]
WaspMove = tuple[int, ...]
CaterpillarMove = tuple[int | str, int | str]

RESERVE = "reserve"
BUTTERFLY = "butterfly"


@cache
def slots(place: str) -> int:
    return int(place[1:])


def opposite_pairs(places: int) -> tuple[Wasps, ...]:
    """The starting pairs of a ring: every place with the one across."""
    half = places // 2
    return tuple((place, place + half) for place in range(half))


@lru_cache(maxsize=8192)
def wasp_moves(ring: Ring, wasps: Wasps, card: str) -> tuple[WaspMove, ...]:
    """The different moves of one wasp that ``card`` allows; wasps on one place are interchangeable.

    >>> wasp_moves(("T1", "C1", "T1", "C1"), (0, 2), "plus2")
    ((0, 1, 2), (0, 3, 2), (2, 1, 0), (2, 3, 0))
    """
    return tuple(sorted({(start, *path) for start in wasps for path in _paths(ring, start, card)}))


def _paths(ring: Ring, start: int, card: str) -> list[tuple[int, ...]]:
    n = len(ring)
    if card == "plus1":
        return [((start + step) % n,) for step in (1, -1)]
    if card == "plus2":
        return [((start + step) % n, (start + 2 * step) % n) for step in (1, -1)]
    if card == "traverse":
        return [((start + n // 2) % n,)]
    return [(place,) for place in range(n) if place != start and ring[place][0] == ring[start][0]]


def fly(wasps: Wasps, move: WaspMove) -> Wasps:
    """The wasps, in order of place, after one of them has made ``move``."""
    other = wasps[1] if wasps[0] == move[0] else wasps[0]
    return (min(other, move[-1]), max(other, move[-1]))


@lru_cache(maxsize=8192)
def caterpillar_moves(
    ring: Ring, caterpillars: tuple[int, ...], reserve: int, card: str
) -> tuple[CaterpillarMove, ...]:
    """The different moves of one caterpillar that ``card`` allows; Soleil stands for any of the others."""
    if card == "soleil":
        kinds = ("oeuf", "cocon", "envol")
        return tuple(move for kind in kinds for move in caterpillar_moves(ring, caterpillars, reserve, kind))
    if card == "oeuf":
        return tuple((RESERVE, to) for to in _free(ring, caterpillars, "T")) if reserve else ()
    if card == "cocon":
        free = _free(ring, caterpillars, "C")
        return tuple((start, to) for start in _taken(ring, caterpillars, "T") for to in free)
    return tuple((start, BUTTERFLY) for start in _taken(ring, caterpillars, "C"))


def _free(ring: Ring, caterpillars: Sequence[int], kind: str) -> list[int]:
    return [i for i, place in enumerate(ring) if place[0] == kind and caterpillars[i] < slots(place)]


def _taken(ring: Ring, caterpillars: Sequence[int], kind: str) -> list[int]:
    return [i for i, place in enumerate(ring) if place[0] == kind and caterpillars[i] > 0]
