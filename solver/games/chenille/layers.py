"""The game with open discards as arrays: layers of tables, hands, pairs of wasps.

Between two offers the game is a table (caterpillars, reserve, butterflies, captured), a pair of wasps and a
hand. A table never comes back once left: every step of a caterpillar and every capture is for good. So the
states fall into layers, one a table, that can be solved from the most advanced to the first; inside a layer
only wasps and hand change, and the hand returns only by way of the full deck.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.games.chenille.cards import INDEX, WASP_CARDS, Hand, legal_offers, plus
from fable_solve.solver.games.chenille.play import CHENILLES, Chenille, Phase, State
from fable_solve.solver.games.chenille.ring import Ring, Wasps, caterpillar_moves, fly, wasp_moves
from fable_solve.solver.games.chenille.sizes import Limit

Integers = NDArray[np.int32]

LOST, WON = 0, 1
"""The two layers that stand for finished games: won by the Guepe, won by the Chenilles."""


@dataclass(frozen=True)
class Hands:
    """All hands between two offers, the smallest first, the full deck last.

    ``first`` [hands + 1] delimits each hand's offers; ``left`` [offers] is the hand an offer leaves (the
    deck after the last one of a cycle) and ``cards`` [offers, 3] its kinds, -1 where it is smaller.
    """

    index: dict[Hand, int]
    first: Integers
    left: Integers
    cards: Integers


@dataclass(frozen=True)
class Flights:
    """Wasp moves of every pair of wasps.

    ``first`` [4 * pairs + 1] delimits the moves of (wasp card, pair); ``pair`` [moves] is where the wasps
    then are; ``spot`` [moves] says where they captured: place i, or places + i for places i and i + 1.
    """

    index: dict[Wasps, int]
    first: Integers
    pair: Integers
    spot: Integers


@dataclass(frozen=True)
class Layer:
    """One table and the layers it leads to.

    ``steps`` [3]: layers after each move of Oeuf, Cocon, Envol; ``captures`` [2 * places]: the layer after
    capturing at a spot (the layer itself where nobody sits).
    """

    steps: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    captures: tuple[int, ...]


@dataclass(frozen=True)
class Layers:
    """All tables that can follow a first one; ``order`` visits each after everything it leads to."""

    index: dict[State, int]
    layers: dict[int, Layer]
    order: tuple[int, ...]


def list_hands(game: Chenille, start: Hand, limit: Limit) -> Hands:
    """Every hand reachable from the deck or from ``start``; ``limit`` raises when told too many."""
    rules = game.rules
    offers: dict[Hand, list[tuple[tuple[str, ...], Hand]]] = {}
    todo = [game.deck, start]
    while todo:
        hand = todo.pop()
        if hand in offers:
            continue
        limit(len(offers))
        offers[hand] = []
        for offer in legal_offers(hand, rules.offer_size, rules.offer_favourable):
            left = plus(hand, offer, -1)
            offers[hand].append((offer, left if any(left) else game.deck))
        todo += [left for _, left in offers[hand]]
    index = {hand: i for i, hand in enumerate(sorted(offers, key=sum))}
    rows = [row for hand in index for row in offers[hand]]
    cards = [[INDEX[kind] for kind in offer] + [-1] * (3 - len(offer)) for offer, _ in rows]
    first = np.cumsum([0] + [len(offers[hand]) for hand in index])
    return Hands(index, _integers(first), _integers([index[left] for _, left in rows]), _integers(cards))


def list_flights(ring: Ring) -> Flights:
    """Every move of every pair of wasps on ``ring``."""
    places = len(ring)
    pairs = [(i, j) for i in range(places) for j in range(i, places)]
    index = {pair: i for i, pair in enumerate(pairs)}
    first, target, spot = [0], [], []
    for card in WASP_CARDS:
        for wasps in pairs:
            for move in wasp_moves(ring, wasps, card):
                target.append(index[fly(wasps, move)])
                spot.append(_spot(places, move))
            first.append(len(target))
    return Flights(index, _integers(first), _integers(target), _integers(spot))


def _spot(places: int, move: tuple[int, ...]) -> int:
    if len(move) == 2:
        return move[1]
    _, passed, arrival = move
    return places + (passed if (passed + 1) % places == arrival else arrival)


def list_layers(game: Chenille, start: State, limit: Limit) -> Layers:
    """Every table that can follow the one of ``start``, from the most advanced to that one."""
    root = table(start)
    tables = [root]
    index = {root: 2}
    layers = dict[int, Layer]()
    for state in tables:
        limit(len(layers))
        places = len(state.ring)

        def number(after: State) -> int:
            winner = game.won_by(after)
            if winner is not None:
                return WON if winner == CHENILLES else LOST
            if after not in index:
                index[after] = len(tables) + 2
                tables.append(after)
            return index[after]

        spots = [(i,) for i in range(places)] + [(i, (i + 1) % places) for i in range(places)]
        layers[index[state]] = Layer(
            _steps(game, state, number), tuple(number(game.caught(state, spot)) for spot in spots)
        )
    order = sorted(index, key=_advance, reverse=True)
    return Layers(index, layers, tuple(index[state] for state in order))


def _steps(game: Chenille, state: State, number: Callable[[State], int]) -> Any:
    """The layers after each move of Oeuf, of Cocon and of Envol."""
    return tuple(
        tuple(
            {
                number(replace(game.carried(replace(state, revealed=card), move), revealed="")): None
                for move in caterpillar_moves(state.ring, state.caterpillars, state.reserve, card)
            }
        )
        for card in ("oeuf", "cocon", "envol")
    )


def table(state: State) -> State:
    """The table of a state: without wasps, cards and what was seen."""
    return State(
        Phase.OFFER,
        state.ring,
        state.caterpillars,
        state.reserve,
        state.butterflies,
        state.captured,
        wasps=None,
        hand=(),
    )


def _advance(state: State) -> int:
    """How far the caterpillars have come; it grows with every step and every capture."""
    on = sum(
        count * (1 if place[0] == "T" else 2)
        for place, count in zip(state.ring, state.caterpillars, strict=True)
    )
    return on + 3 * (state.butterflies + state.captured)


def _integers(values: Any) -> Integers:
    return np.ascontiguousarray(values, dtype=np.int32)
