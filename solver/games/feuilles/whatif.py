"""The same dice once more: one sheet of ``optimised`` with a joker more, a bonus less, another wish to end.

Every comparison is between games with the same dice, so that differences have small errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fable_solve.solver.games.feuilles.kernel_play_words import LEAF, LINES, LISTINGS, ZONES, Tables
from fable_solve.solver.games.feuilles.kernel_replay import ROUND, grant, replay
from fable_solve.solver.games.feuilles.playouts import room_of, tables_of
from fable_solve.solver.games.feuilles.rules import Rules
from fable_solve.solver.games.feuilles.sampling import Course, course
from fable_solve.solver.games.feuilles.worth import raced
from fable_solve.solver.rollout import Match

WISH = 1000 << 32
"""Points that nobody gets, by which a kind of die for the leaves is wanted before all others."""


@dataclass(frozen=True)
class Solo:
    """Games ``0 .. games - 1`` of one sheet that ``optimised`` fills."""

    match: Match
    games: int

    @property
    def rules(self) -> Rules:
        rules: Rules = self.match.game.rules  # type: ignore[attr-defined]
        return rules

    @cached_property
    def course(self) -> Course:
        return course(self.match, range(self.games))

    @cached_property
    def scores(self) -> Any:
        """``[games]``"""
        return self.course.block.scores[:, 0]

    @cached_property
    def tables(self) -> Tables:
        return tables_of(self.rules)

    def after(self, rounds: int) -> tuple[Any, Any]:
        """(numbers, starts) of the games that play on after so many rounds."""
        starts = np.zeros((self.games, LINES), np.uint32)
        starts[:, :ZONES] = self.tables.empty
        if rounds:
            listing = len(self.tables.lines) // LISTINGS
            full = self.course.lacks[:, rounds - 1, 0] == 0
            starts[:, :ZONES] = self.course.lines[:, rounds - 1, 0] + listing * full
            starts[:, LEAF] = self.course.leaves[:, rounds - 1, 0]
        starts[:, ROUND] = rounds
        numbers = np.flatnonzero(self.course.block.lengths > rounds)
        return numbers, starts[numbers]

    def gains(
        self,
        numbers: Any,
        starts: Any,
        early: Tables | None = None,
        late: Tables | None = None,
        switch: int = -1,
        rules: Rules | None = None,
    ) -> tuple[Any, Any]:
        """(points, ends) of games played on, under other ``rules`` if they are given.

        The choices are those of a seat that takes ``early`` for the rules while more than ``switch`` rounds
        come after the one played, and then ``late``.
        """
        plain = tables_of(rules) if rules else self.tables
        points, ends = np.empty(len(numbers), np.int64), np.empty((len(numbers), 2), np.int64)
        switches = np.full(len(numbers), switch)
        key, own = np.uint64(self.match.keys[0]), (early or plain, late or plain)
        replay(numbers, starts, switches, key, *own, plain, raced(self.rules), room_of(1), points, ends)
        return points, ends

    def jokers(self, rounds: int) -> tuple[Any, Any]:
        """(points by the dice, points by the learned values) that a joker more brings after some rounds."""
        numbers, starts = self.after(rounds)
        without, _ = self.gains(numbers, starts)
        points, units = np.empty(len(numbers), np.int64), np.empty(len(numbers), np.int64)
        worth = raced(self.rules)
        grant(starts, self.tables, worth, room_of(1), points, units)
        return points + self.gains(numbers, starts)[0] - without, units / worth.unit

    def without(self, total: int, known: bool) -> Any:
        """Points lost in each game if the leaf bonus at ``total`` is not paid, as is ``known`` or not."""
        bonuses = {name: bonus for name, bonus in self.rules.leaf_bonuses.items() if int(name) != total}
        poorer = Rules.model_validate({**self.rules.model_dump(), "leaf_bonuses": bonuses})
        seen = tables_of(poorer) if known else self.tables
        return self.scores - self.gains(*self.after(0), seen, seen, rules=poorer)[0]

    def ending(self, rounds: int) -> tuple[Any, Any]:
        """(points, ends) of whole games that aim at the target once at most ``rounds`` rounds are to come.

        ``exact``: at the very target, a larger total is avoided; ``reach``: at any total that ends the game.
        """
        return self.gains(*self.after(0), self.refusing, self.wanting, rounds)

    @cached_property
    def refusing(self) -> Tables:
        """The rules as one sees them who ends the game only if nothing else can be done."""
        return self._wishing(lambda after: after < self.rules.leaf_target)

    @cached_property
    def wanting(self) -> Tables:
        """The rules as one sees them who ends the game where that can be done well, else plays on."""
        target, exact = self.rules.leaf_target, self.rules.leaf_bonus == "exact"
        return self._wishing(
            lambda after: (after < target) + 2 * (after == target if exact else after >= target)
        )

    def _wishing(self, wish: Any) -> Tables:
        earned = self.tables.earned
        after = np.arange(earned.shape[0])[:, None] + np.arange(earned.shape[1])
        return self.tables._replace(earned=earned + wish(after) * np.int64(WISH))

    def choices(self, rounds: int) -> tuple[Any, Any, Any]:
        """(numbers, points if the next round ends the game, points if not): games where both can be done.

        Afterwards ``optimised`` plays on.
        """
        numbers, starts = self.after(rounds)
        left = self.rules.rounds - rounds - 1
        stop, stopped = self.gains(numbers, starts, self.wanting, None, left - 1)
        on, played = self.gains(numbers, starts, self.refusing, None, left - 1)
        both = (stopped[:, 0] == rounds + 1) & (played[:, 0] > rounds + 1)
        return numbers[both], stop[both], on[both]
