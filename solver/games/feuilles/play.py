"""The rules of 61 Feuilles d'automne as chance and simultaneous nodes.

A round: chance rolls three dice (56 multisets); every seat gives one die to a zone, one to a number and one
to its leaf row, writes the number, adds the leaf, and places the jokers its new leaf total earns; then the
zone bonuses of the round are settled. A roll with which nothing can be written lets a seat add any one die
to its leaf row. A joker that no cell can take is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Any, NamedTuple

from fable_solve.solver.errors import IllegalAction
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL, Draw
from fable_solve.solver.games.feuilles.rules import Rules, score_bound
from fable_solve.solver.games.feuilles.sheet import FACES, NAMES, Placement, Rows, X, is_full

Roll = tuple[int, int, int]

THROWS: tuple[Roll, ...] = tuple(
    (min(dice), sorted(dice)[1], max(dice)) for dice in product(range(1, 7), repeat=3)
)
"""The 216 equally likely throws of three dice told apart, in lexicographic order, each as its multiset."""

ROLLS: tuple[tuple[Roll, float], ...] = tuple(
    (roll, throws / 216) for roll, throws in sorted(Counter(THROWS).items())
)
"""The 56 multisets of three dice with their probabilities: 1, 3 or 6 of the 216 ordered rolls."""
_ROLLS = {roll for roll, _ in ROLLS}


@dataclass(frozen=True)
class Sheet:
    """One seat's sheet."""

    zones: tuple[Rows, ...]
    leaf_total: int = 0
    leaf_points: int = 0
    zone_bonus: tuple[int, ...] = ()
    """Zones whose completion bonus was earned, ascending."""


class Choice(NamedTuple):
    """What one seat does with a roll; writing nothing is zone 0, number 0, cell -1."""

    zone: int
    number: int
    leaf: int
    cell: int
    x: tuple[tuple[int, int], ...] = ()
    """(zone, cell) of each joker placed."""


class State(NamedTuple):
    """A table: before a roll (``roll`` is None) or with a roll that everybody must use."""

    round: int
    """Rounds completed."""
    roll: Roll | None
    closed: tuple[int, ...]
    """Zones whose bonus nobody can earn any more, ascending."""
    sheets: tuple[Sheet, ...]


@cache
def shares(roll: Roll) -> tuple[tuple[int, int, int], ...]:
    """The different (zone, number, leaf) that three dice allow, ascending.

    >>> shares((1, 1, 2))
    ((1, 1, 2), (1, 2, 1), (2, 1, 1))
    """
    return tuple(sorted({(zone, number, leaf) for zone, number, leaf in permutations(roll)}))


class Feuilles:
    """The game for a number of players, with all options fixed."""

    sources = ("dice",)

    def __init__(self, rules: Rules, players: int, objective: str) -> None:
        self.rules, self.players, self.objective = rules, players, objective
        self.max_length: int | None = rules.rounds
        self.zero_sum = objective != "score"
        high = float(score_bound(rules))
        self.return_bounds = {"win": (0.0, 1.0), "margin": (-high, high), "score": (0.0, high)}[objective]

    def initial_state(self) -> State:
        empty = Sheet(tuple(zone.empty for zone in self.rules.zones))
        return State(0, None, (), (empty,) * self.players)

    def is_over(self, state: State) -> bool:
        """Whether the last round was played or a leaf row has reached the target."""
        target = self.rules.leaf_target
        return state.round >= self.rules.rounds or any(sheet.leaf_total >= target for sheet in state.sheets)

    def ending(self, state: State) -> str:
        """What ended a game."""
        if any(sheet.leaf_total >= self.rules.leaf_target for sheet in state.sheets):
            return "leaf total"
        return "last round"

    def player_to_move(self, state: State) -> int:
        """A single sheet is played by seat 0; with more, all seats choose at the same time."""
        if self.is_over(state):
            return TERMINAL
        if state.roll is None:
            return CHANCE
        return 0 if self.players == 1 else SIMULTANEOUS

    def chance_outcomes(self, state: State) -> Sequence[tuple[Roll, float]]:
        return ROLLS

    def chance_draw(self, state: State) -> Draw:
        """Three dice thrown."""
        return Draw("dice", THROWS)

    def writings(self, sheet: Sheet, roll: Roll) -> list[tuple[Choice, Placement]]:
        """Every (zone, number, leaf, cell) a roll allows, jokers not yet placed, with what is written."""
        return [
            (Choice(zone, number, leaf, placement.cell), placement)
            for zone, number, leaf in shares(roll)
            for placement in self.rules.zones[zone - 1].moves(sheet.zones[zone - 1], FACES[number - 1])
        ]

    def uses(self, sheet: Sheet, roll: Roll) -> list[tuple[Choice, Placement | None]]:
        """What may be written, or each die that may be added to the leaves when nothing may."""
        written: list[tuple[Choice, Placement | None]] = [*self.writings(sheet, roll)]
        return written or [(Choice(0, 0, die, -1), None) for die in roll]

    def gain(self, state: State, zone: int, placement: Placement) -> int:
        """Points of a placement, with the zone bonus if it is still open."""
        open_bonus = placement.completes and zone not in state.closed
        return placement.gain + (self.rules.zone_bonus if open_bonus else 0)

    def jokers(self, zones: tuple[Rows, ...]) -> list[tuple[tuple[int, int], Placement]]:
        """Every (zone, cell) that can take a joker, with what is written."""
        return [
            ((index + 1, placement.cell), placement)
            for index, (zone, rows) in enumerate(zip(self.rules.zones, zones, strict=True))
            for placement in zone.moves(rows, X)
        ]

    def choices(self, sheet: Sheet, roll: Roll) -> list[Choice]:
        """Every choice of a seat that leads to a different sheet."""
        plain = dict.fromkeys(choice for choice, _ in self.uses(sheet, roll))
        return [full for choice in plain for full in self._with_jokers(sheet, choice)]

    def _with_jokers(self, sheet: Sheet, choice: Choice) -> Iterator[Choice]:
        _, count = self.rules.earned(sheet.leaf_total, sheet.leaf_total + choice.leaf)
        reached: dict[tuple[Rows, ...], tuple[tuple[int, int], ...]] = {self._written(sheet, choice): ()}
        for _ in range(count):
            onward: dict[tuple[Rows, ...], tuple[tuple[int, int], ...]] = {}
            for zones, placed in reached.items():
                for spot, placement in self.jokers(zones):
                    onward.setdefault(replaced(zones, spot[0], placement.rows), (*placed, spot))
            reached = onward or reached
        return (choice._replace(x=placed) for placed in reached.values())

    def _written(self, sheet: Sheet, choice: Choice) -> tuple[Rows, ...]:
        if not choice.zone:
            return sheet.zones
        zone = self.rules.zones[choice.zone - 1]
        rows = zone.write(sheet.zones[choice.zone - 1], choice.cell, FACES[choice.number - 1])
        return replaced(sheet.zones, choice.zone, rows)

    def legal_actions(self, state: State, seat: int) -> Sequence[Choice]:
        if self.is_over(state) or state.roll is None:
            return []
        return self.choices(state.sheets[seat], state.roll)

    def has_choice(self, state: State, seat: int) -> bool:
        """Every seat has one, with every roll: some number to write, or else some die for its leaves."""
        return state.roll is not None and not self.is_over(state)

    def after(self, sheet: Sheet, roll: Roll, choice: Choice) -> Sheet:
        """A seat's sheet after its choice, zone bonuses not yet settled; raises :class:`IllegalAction`."""
        self._check_dice(sheet, roll, choice)
        zones = sheet.zones
        if choice.zone:
            zones = self._placed(zones, choice.zone, choice.cell, FACES[choice.number - 1])
        points, count = self.rules.earned(sheet.leaf_total, sheet.leaf_total + choice.leaf)
        for zone, cell in choice.x:
            zones = self._placed(zones, zone, cell, X)
        if len(choice.x) > count or (len(choice.x) < count and self.jokers(zones)):
            raise IllegalAction(f"expected {count} jokers placed, got {len(choice.x)}")
        return Sheet(zones, sheet.leaf_total + choice.leaf, sheet.leaf_points + points, sheet.zone_bonus)

    def _check_dice(self, sheet: Sheet, roll: Roll, choice: Choice) -> None:
        if choice.zone:
            if (choice.zone, choice.number, choice.leaf) not in shares(roll):
                raise IllegalAction(
                    f"expected one die each for zone, number and leaf of {roll}, got {choice}"
                )
        elif choice.leaf not in roll or choice.number or choice.cell != -1 or self.writings(sheet, roll):
            raise IllegalAction(
                f"expected a number written or, if none fits, one die of {roll}, got {choice}"
            )

    def _placed(self, zones: tuple[Rows, ...], zone: int, cell: int, letter: str) -> tuple[Rows, ...]:
        if 1 <= zone <= len(zones):
            for placement in self.rules.zones[zone - 1].moves(zones[zone - 1], letter):
                if placement.cell == cell:
                    return replaced(zones, zone, placement.rows)
        raise IllegalAction(f"expected a legal cell for {letter}, got cell {cell} of zone {zone}")

    def successor(self, state: State, action: Any) -> State:
        if self.is_over(state):
            raise IllegalAction(f"expected no action once the game is over, got {action}")
        if state.roll is None:
            if not isinstance(action, tuple) or action not in _ROLLS:
                raise IllegalAction(f"expected three dice in ascending order, got {action}")
            return state._replace(roll=action)
        joint = (action,) if self.players == 1 else action
        seats = joint if isinstance(joint, tuple) else ()
        if len(seats) != self.players or not all(isinstance(choice, Choice) for choice in seats):
            raise IllegalAction(f"expected one choice for each of {self.players} seats, got {action}")
        sheets = tuple(
            self.after(sheet, state.roll, choice) for sheet, choice in zip(state.sheets, joint, strict=True)
        )
        return self._settle(state, sheets)

    def _settle(self, state: State, sheets: tuple[Sheet, ...]) -> State:
        """The end of a round: a zone first completed in it pays everybody who completed it in it."""
        completed = [
            tuple(
                zone
                for zone, (old, new) in enumerate(zip(before.zones, sheet.zones, strict=True), 1)
                if old != new and zone not in state.closed and is_full(new)
            )
            for before, sheet in zip(state.sheets, sheets, strict=True)
        ]
        paid = tuple(
            Sheet(
                sheet.zones,
                sheet.leaf_total,
                sheet.leaf_points,
                tuple(sorted(sheet.zone_bonus + zones)) if zones else sheet.zone_bonus,
            )
            for sheet, zones in zip(sheets, completed, strict=True)
        )
        closed = tuple(sorted({*state.closed, *(zone for zones in completed for zone in zones)}))
        return State(state.round + 1, None, closed, paid)

    def score(self, sheet: Sheet) -> int:
        """Points of a sheet: its zones, leaf bonuses and zone bonuses."""
        zones = sum(zone.points(rows) for zone, rows in zip(self.rules.zones, sheet.zones, strict=True))
        return zones + sheet.leaf_points + self.rules.zone_bonus * len(sheet.zone_bonus)

    def scores(self, state: State) -> tuple[float, ...]:
        return tuple(float(self.score(sheet)) for sheet in state.sheets)

    def win_shares(self, state: State) -> tuple[float, ...]:
        scores = self.scores(state)
        best = max(scores)
        return tuple((score == best) / scores.count(best) for score in scores)

    def returns(self, state: State) -> tuple[float, ...]:
        if self.objective == "win":
            return self.win_shares(state)
        scores = self.scores(state)
        return (scores[0] - scores[1], scores[1] - scores[0]) if self.objective == "margin" else scores

    def information_state(self, state: State, seat: int) -> State:
        """The table itself: everything lies open, and nothing earlier matters."""
        return state

    def describe_action(self, state: State, action: Any) -> str:
        if state.roll is None:
            return "roll " + " ".join(map(str, action))
        joint = (action,) if self.players == 1 else action
        return "; ".join(f"seat {seat}: {describe_choice(choice)}" for seat, choice in enumerate(joint))

    def describe_state(self, state: State) -> str:
        roll = "" if state.roll is None else f", roll {' '.join(map(str, state.roll))}"
        lines = [f"round {state.round}{roll}, closed {list(state.closed)}"]
        for seat, sheet in enumerate(state.sheets):
            zones = " | ".join(" ".join(rows) for rows in sheet.zones)
            leaves = f"leaves {sheet.leaf_total}, leaf points {sheet.leaf_points}"
            bonus = f"zone bonuses {list(sheet.zone_bonus)}"
            lines.append(f"seat {seat}: {zones} | {leaves}, {bonus}, score {self.score(sheet)}")
        return "\n".join(lines)


def replaced(zones: tuple[Rows, ...], zone: int, rows: Rows) -> tuple[Rows, ...]:
    """``zones`` with zone ``zone`` (from 1) changed."""
    return (*zones[: zone - 1], rows, *zones[zone:])


def describe_choice(choice: Choice) -> str:
    """A choice in words.

    >>> describe_choice(Choice(5, 3, 2, 0, ((2, 4),)))
    '3 in burrow cell 0, leaf 2, X in lilies cell 4'
    """
    written = f"{choice.number} in {NAMES[choice.zone - 1]} cell {choice.cell}" if choice.zone else "nothing"
    jokers = "".join(f", X in {NAMES[zone - 1]} cell {cell}" for zone, cell in choice.x)
    return f"{written}, leaf {choice.leaf}{jokers}"
