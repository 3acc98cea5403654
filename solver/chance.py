"""The chance of one episode: a stream of random numbers for each source, and the piles that lie shuffled.

A pile is a lazy Fisher-Yates shuffle: with n units left, unit ``below(n)`` is drawn and the last one takes
its place. So the k-th card off a pile depends on the pile's own stream alone, and two runs with the same
seed, but other rules or policies, are dealt the same cards as long as they draw the same number of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fable_solve.solver.game import Draw, Game
from fable_solve.solver.rng import Stream

ANY = ("chance",)
"""The only source of a game that names none."""


def sources(game: Game) -> tuple[str, ...]:
    """Names of a game's sources of chance."""
    named: tuple[str, ...] = getattr(game, "sources", ANY)
    return named


class Chance:
    """Decides chance nodes; mutable, owned by one play. ``keys`` has one entry a source of the game."""

    def __init__(self, game: Game, keys: Sequence[int], episode: int) -> None:
        self.streams = {source: Stream(key, episode) for source, key in zip(sources(game), keys, strict=True)}
        self._piles: dict[str, list[Any]] = {}

    def outcome(self, game: Game, state: Any) -> Any:
        """What chance does at ``state``."""
        chance_draw = getattr(game, "chance_draw", None)
        if chance_draw is None:
            return self.streams[ANY[0]].weighted(game.chance_outcomes(state))
        draw: Draw = chance_draw(state)
        stream = self.streams[draw.source]
        return self._off_pile(draw, stream) if draw.pile else stream.choice(draw.units)

    def _off_pile(self, draw: Draw, stream: Stream) -> Any:
        """A unit of the pile, which is shuffled anew if its units are not those expected: it is a new one."""
        pile = self._piles.get(draw.pile, [])
        if sorted(pile) != list(draw.units):
            pile = self._piles[draw.pile] = list(draw.units)
        place = stream.below(len(pile))
        pile[place], pile[-1] = pile[-1], pile[place]
        return pile.pop()
