"""Games that were stopped before their end (by a limit of turns, say), as a headline tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Stops:
    """How many of the ``games`` of what is called ``label`` were stopped."""

    label: str
    stopped: int
    games: int


def told(found: Iterable[Stops]) -> Iterator[str]:
    """Of which most games were stopped; nothing where every game was played to its end.

    >>> list(told([Stops("ludo 2", 3, 1000), Stops("ludo 4", 0, 1000)]))[0]
    'Stopped before their end: 3 of 1,000 games of ludo 2.'
    """
    most = max(found, key=lambda one: one.stopped / max(one.games, 1), default=None)
    if most and most.stopped:
        yield f"Stopped before their end: {most.stopped:,} of {most.games:,} games of {most.label}."
        yield "Results of stopped games are not those of whole ones."
