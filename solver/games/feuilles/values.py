"""Exact values of one sheet: the most points that the rest of the game can bring, in expectation.

Points only ever add up, so the value of a sheet is its score plus what is still to come, and what is to come
depends on the *essence* of each zone, on the leaf total and on the rounds left alone::

    v(sheet, 0)    = 0                                             also once the leaf total has hit the target
    v(sheet, left) = E over rolls of max over choices of gain(choice) + v(sheet after it, left - 1)

The first choice is taken from the rules themselves; from there on zone tables built from the same rules are
handed to :mod:`fable_solve.solver.games.feuilles.kernel`, which goes through the sheets layer by layer, one
layer a round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from fable_solve.solver.errors import TooLarge
from fable_solve.solver.games.feuilles.play import ROLLS, Choice, Feuilles, Roll, Sheet, State
from fable_solve.solver.games.feuilles.sheet import FACES, Rows, X, Zone
from fable_solve.solver.study import silent

Progress = Callable[[int, int | None], None]

HINT = "play on to fewer rounds left, or raise --max-states"

CHUNK = 20_000
"""Sheets whose successors are listed at once: at most a few hundred MiB."""


@dataclass(frozen=True)
class RollValue:
    """A roll, its probability, and the expected final score after each choice, best first."""

    roll: Roll
    probability: float
    choices: tuple[tuple[Choice, float], ...]


@dataclass(frozen=True)
class SheetValue:
    """Expected final score of a sheet under optimal play, and the number of sheets it took."""

    value: float
    states: int
    rolls: tuple[RollValue, ...]


def sheet_value(
    game: Feuilles, state: State, max_states: int = 20_000_000, progress: Progress = silent
) -> SheetValue:
    """The exact value of a one-sheet game that is not over; raises :class:`TooLarge`."""
    rounds = game.rules.rounds - state.round
    least = least_sheets(game, state.sheets[0], rounds)
    if least > max_states:
        raise TooLarge("states", least, max_states, hint=HINT)
    outcomes = list(ROLLS) if state.roll is None else [(state.roll, 1.0)]
    offers = {roll: game.choices(state.sheets[0], roll) for roll, _ in outcomes}
    after = {
        choice: game.successor(state._replace(roll=roll), choice)
        for roll, choices in offers.items()
        for choice in choices
    }
    values, states = _final_scores(game, list(after.values()), rounds - 1, max_states, progress)
    worth = dict(zip(after, values, strict=True))
    rolls = tuple(
        RollValue(roll, probability, _best_first([(choice, worth[choice]) for choice in offers[roll]]))
        for roll, probability in outcomes
    )
    value = sum(roll.probability * roll.choices[0][1] for roll in rolls)
    return SheetValue(value, states + 1, rolls)


def _best_first(choices: list[tuple[Choice, float]]) -> tuple[tuple[Choice, float], ...]:
    return tuple(sorted(choices, key=lambda entry: (-round(entry[1], 9), entry[0])))


def least_sheets(game: Feuilles, sheet: Sheet, rounds: int) -> int:
    """An estimate from below of the sheets that ``rounds`` rounds lead through.

    With ``t`` numbers written there are as many sheets as ways to share ``t`` among the zones and to pick
    one of the states each zone can then be in: a product of polynomials. Different leaf totals and jokers
    are left out. Leaves of 1 make the game last longest.
    """
    steps = min(rounds, game.rules.leaf_target - sheet.leaf_total) - 1
    total = [1] + [0] * steps
    for zone, rows in zip(game.rules.zones, sheet.zones, strict=True):
        counts = _states_by_depth(zone, rows, steps)
        total = [sum(total[t - k] * counts[k] for k in range(t + 1)) for t in range(steps + 1)]
    return sum(total)


def _states_by_depth(zone: Zone, rows: Rows, steps: int) -> list[int]:
    """How many essences a zone can have after 0, 1, .. ``steps`` numbers."""
    front, counts = {zone.essence(rows)}, [1]
    for _ in range(steps):
        front = {
            zone.essence(placement.rows)
            for old in front
            for number in FACES
            for placement in zone.moves(old, number)
        }
        counts.append(len(front))
    return counts


def _final_scores(
    game: Feuilles, states: Sequence[State], rounds: int, limit: int, progress: Progress
) -> tuple[list[float], int]:
    """Expected final score of each state, ``rounds`` before the end, and the sheets visited."""
    going = [state for state in states if not game.is_over(state)]
    scores = [game.scores(state)[0] for state in states]
    if not going:
        return scores, 0
    if _many_jokers(game, going, rounds):
        return _by_generic_solver(game, states, limit)
    to_come, count = _to_come(game, going, rounds, limit, progress)
    extra = dict(zip(going, to_come, strict=True))
    return [score + extra.get(state, 0.0) for state, score in zip(states, scores, strict=True)], count


def _many_jokers(game: Feuilles, states: Sequence[State], rounds: int) -> bool:
    """Whether one leaf may earn several jokers, which only changed rule data allow."""
    low = min(state.sheets[0].leaf_total for state in states)
    high = max(state.sheets[0].leaf_total for state in states) + 6 * rounds
    return any(game.rules.earned(leaf, leaf + die)[1] > 1 for leaf in range(low, high) for die in range(1, 7))


def _by_generic_solver(game: Feuilles, states: Sequence[State], limit: int) -> tuple[list[float], int]:
    from fable_solve.solver.dynamic import solve

    alone = Feuilles(game.rules, 1, "score")
    solutions = [solve(alone, state, max_states=limit) for state in states]
    return [solution.value for solution in solutions], sum(solution.states for solution in solutions)


def _to_come(
    game: Feuilles, states: Sequence[State], rounds: int, limit: int, progress: Progress
) -> tuple[list[float], int]:
    """Points to come of each state, and the number of different sheets visited."""
    import numpy as np

    from fable_solve.solver.games.feuilles import kernel

    tables = Tables(game, states, rounds)
    keys = np.array([tables.key(state.sheets[0]) for state in states], np.int64)
    layers, visited = [np.unique(keys)], 0
    for left in range(rounds, 0, -1):
        visited += len(layers[-1])
        if left > 1:
            layers.append(tables.layer_after(layers[-1], limit, progress, visited))
    later = (np.zeros(0, np.int64), np.zeros(0))
    for depth, layer in enumerate(reversed(layers)):
        later = (layer, kernel.values_before(layer, tables.arrays, *tables.chance, depth == 0, later))
    return [float(later[1][place]) for place in np.searchsorted(later[0], keys)], visited


class Tables:
    """The rules of a few rounds as arrays (see the kernel), for the sheets of ``states``."""

    def __init__(self, game: Feuilles, states: Sequence[State], rounds: int) -> None:
        import numpy as np

        sheets = [state.sheets[0] for state in states]
        # a zone closed in some of them only was completed there, and has no more moves
        closed = set.intersection(*(set(state.closed) for state in states))
        self.zones = game.rules.zones
        self.base = min(sheet.leaf_total for sheet in sheets)
        top = max(sheet.leaf_total for sheet in sheets) - self.base + 6 * rounds
        earned = [
            [game.rules.earned(self.base + leaf, self.base + leaf + die) for die in range(7)]
            for leaf in range(top)
        ]
        letters = rounds + sum(bonus == X for bonus in game.rules.bonus_at.values())
        parts = [
            zone_table(
                zone,
                {zone.essence(sheet.zones[index]) for sheet in sheets},
                letters,
                0 if index + 1 in closed else game.rules.zone_bonus,
            )
            for index, zone in enumerate(self.zones)
        ]
        self.places = [{rows: local for local, rows in enumerate(part)} for part in parts]
        lines = [line for part in parts for line in part.values()]
        cells = [cell for line in lines for cell in line]
        sizes = np.array([len(part) for part in parts], np.int64)
        if reduce(lambda product, size: product * int(size), sizes, top + 7) >= 2**62:
            raise TooLarge("states", 2**62, 2**62)
        self.sizes = tuple(map(int, sizes))
        self.arrays = (
            sizes,
            np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
            np.concatenate([[0], np.cumsum([len(cell) for cell in cells])]).astype(np.int64),
            np.array([then for cell in cells for then, _ in cell], np.int64),
            np.array([gain for cell in cells for _, gain in cell], np.int64),
            np.array([[points for points, _ in row] for row in earned], np.int64),
            np.array([[jokers for _, jokers in row] for row in earned], np.int64),
            game.rules.leaf_target - self.base,
        )
        self.rolls = np.array([roll for roll, _ in ROLLS], np.int64)
        self.chance = (self.rolls, np.array([probability for _, probability in ROLLS]))

    def key(self, sheet: Sheet) -> int:
        """The key of a sheet."""
        key = sheet.leaf_total - self.base
        for index in reversed(range(len(self.zones))):
            essence = self.zones[index].essence(sheet.zones[index])
            key = key * self.sizes[index] + self.places[index][essence]
        return key

    def layer_after(self, layer: Any, limit: int, progress: Progress, visited: int) -> Any:
        """Keys of every sheet one round after ``layer``, ascending; raises :class:`TooLarge`."""
        import numpy as np

        found, pending = np.zeros(0, np.int64), []
        for start in range(0, len(layer), CHUNK):
            pending.append(np.unique(self._successors(layer[start : start + CHUNK])))
            if sum(map(len, pending)) > 2 * len(found) or start + CHUNK >= len(layer):
                found, pending = np.unique(np.concatenate([found, *pending])), []
            progress(visited + len(found), None)
            if visited + len(found) > limit:
                raise TooLarge("states", visited + len(found), limit, hint=HINT)
        return found

    def _successors(self, keys: Any) -> Any:
        import numpy as np

        from fable_solve.solver.games.feuilles import kernel

        room = 1000 * len(keys)
        while True:
            out = np.empty(room, np.int64)
            size = kernel.successors(keys, self.arrays, self.rolls, out)
            if size <= room:
                return out[:size]
            room = size


Line = list[list[tuple[int, int]]]


def zone_table(zone: Zone, roots: Iterable[Rows], letters: int, bonus: int) -> dict[Rows, Line]:
    """Essences that ``letters`` letters can make of ``roots``, each with its moves by letter.

    A move is (number of the essence it leads to, points gained, ``bonus`` included if it completes the
    zone); of moves that lead to the same essence one is kept.
    """
    place = {rows: local for local, rows in enumerate(sorted(roots))}
    table: dict[Rows, Line] = {}
    front = list(place)
    for step in range(letters + 1):
        onward: list[Rows] = []
        for rows in front:
            line: Line = []
            for letter in FACES + X if step < letters else "":
                moves = {
                    (zone.essence(placement.rows), placement.gain + bonus * placement.completes)
                    for placement in zone.moves(rows, letter)
                }
                for after in sorted({after for after, _ in moves} - place.keys()):
                    place[after] = len(place)
                    onward.append(after)
                line.append(sorted((place[after], gain) for after, gain in moves))
            table[rows] = line or [[]] * (len(FACES) + 1)
        front = onward
    return table
