"""Named policies of 61 Feuilles d'automne.

``random``  writes uniformly among the different (zone, number, leaf, cell); with nothing to write it adds one
            of the three dice at random; a joker goes to a uniform (zone, cell).
``greedy``  takes the most points at once: cells, leaf bonus, zone bonus still open and the best joker. Among
            equals it keeps the smallest die for the leaves, so that the game lasts; what is still equal is
            drawn by lot (all seats see the same dice, and would otherwise fill the same sheet). Then each
            joker goes where it brings most, ties again by lot.
``optimised`` looks one round ahead: of all choices the one with the most points now and, by values learned
            beforehand, still to come (:mod:`fable_solve.solver.games.feuilles.worth`). It draws nothing by
            lot, so that several seats of it fill the same sheet.

How ``greedy`` breaks ties matters more than anything else about it: with the largest die for the leaves it
scores about seven points less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fable_solve.solver.games.feuilles.play import Choice, Feuilles, State, replaced
from fable_solve.solver.games.feuilles.sheet import Placement, Rows
from fable_solve.solver.games.feuilles.worth import optimised
from fable_solve.solver.policy import Policy
from fable_solve.solver.rng import Stream

Spot = tuple[int, int]
"""(zone, cell) of a joker."""
Joker = tuple[Spot, Placement]
Zones = tuple[Rows, ...]


def random(game: Feuilles, state: State, seat: int, stream: Stream) -> Choice:
    """A uniform (zone, number, leaf, cell), then a uniform cell for every joker."""
    sheet, roll = state.sheets[seat], state.roll
    assert roll is not None
    written = game.writings(sheet, roll)
    if not written:
        choice, zones = Choice(0, 0, stream.choice(roll), -1), sheet.zones
    else:
        choice, placement = stream.choice(written)
        zones = replaced(sheet.zones, choice.zone, placement.rows)
    _, count = game.rules.earned(sheet.leaf_total, sheet.leaf_total + choice.leaf)
    placed: tuple[Spot, ...] = ()
    for _ in range(count):
        if jokers := game.jokers(zones):
            spot, joker = stream.choice(jokers)
            zones, placed = replaced(zones, spot[0], joker.rows), (*placed, spot)
    return choice._replace(x=placed)


def greedy(game: Feuilles, state: State, seat: int, stream: Stream) -> Choice:
    """The choice with the most points now; ties: the smallest leaf, then by lot."""
    sheet, roll = state.sheets[seat], state.roll
    assert roll is not None
    earned = {die: game.rules.earned(sheet.leaf_total, sheet.leaf_total + die) for die in set(roll)}
    best: tuple[int, int] | None = None
    equals: list[tuple[Choice, Zones, int]] = []
    for choice, placement in game.uses(sheet, roll):
        gain = game.gain(state, choice.zone, placement) if placement else 0
        zones = replaced(sheet.zones, choice.zone, placement.rows) if placement else sheet.zones
        points, count = earned[choice.leaf]
        if count:
            points += best_jokers(game, state, zones, count, first)[0]
        rank = (gain + points, -choice.leaf)
        if best is None or rank > best:
            best, equals = rank, []
        if rank == best:
            equals.append((choice, zones, count))
    choice, zones, count = stream.choice(equals)
    return choice._replace(x=best_jokers(game, state, zones, count, stream.choice)[1]) if count else choice


def first(equals: Sequence[Joker]) -> Joker:
    """The first of jokers that gain the same."""
    return equals[0]


def best_jokers(
    game: Feuilles, state: State, zones: Zones, count: int, pick: Callable[[Sequence[Joker]], Joker]
) -> tuple[int, tuple[Spot, ...]]:
    """(points, spots) of ``count`` jokers, each put where it brings most; ``pick`` breaks ties."""
    total = 0
    placed: tuple[Spot, ...] = ()
    for _ in range(count):
        jokers = game.jokers(zones)
        if not jokers:
            break
        gains = [game.gain(state, spot[0], placement) for spot, placement in jokers]
        most = max(gains)
        spot, placement = pick([joker for joker, gain in zip(jokers, gains, strict=True) if gain == most])
        total, placed = total + most, (*placed, spot)
        zones = replaced(zones, spot[0], placement.rows)
    return total, placed


POLICIES: dict[str, Policy] = {"random": random, "greedy": greedy, "optimised": optimised}  # type: ignore[dict-item]
