"""Value iteration inside one layer, compiled.

Values are probabilities that the Chenilles win: the Guepe minimises, the Chenilles maximise. Kinds of cards
are numbered as in ``cards.KINDS``: 0 Oeuf, 1 Cocon, 2 Envol, 3 Soleil, 4-7 the wasp cards. Arrays:

=============  ======================  ==============================================================
``values``     [layer, hand, pair]     value before the Guepe's offer, by hand and pair of wasps
``carry``      [hand, 8, pair]         value of carrying out a card when ``hand`` is what remains
``fixed``      [hand, 8, pair]         the part of ``carry`` that leaves the layer
``captures``   [2 * places]            layer after capturing at a spot
=============  ======================  ==============================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.jit import kernel

Floats = NDArray[np.float64]
Integers = NDArray[np.int32]
Flags = NDArray[np.bool_]

SOLEIL = 3
NO_STEP = -1.0
"""Smaller than any value: there is no step into another layer."""
NO_CAPTURE = 2.0
"""Larger than any value: there is no move that captures."""
SWEEPS = 10_000
"""Sweeps after which a layer is given up; a cycle shrinks differences by 2/3 at least."""


@kernel
def leave(
    values: Floats,
    steps: Integers,
    step_first: Integers,
    captures: Integers,
    first: Integers,
    pair: Integers,
    spot: Integers,
    layer: int,
    fixed: Floats,
) -> None:
    """Fills ``fixed``: Oeuf to Soleil the best step, wasp cards the worst move that captures.

    ``steps`` with ``step_first`` [4] delimiting Oeuf, Cocon and Envol; the rest as in ``layers.Flights``.
    """
    hands, _, pairs = fixed.shape
    for hand in range(hands):
        fixed[hand, :4] = NO_STEP
        for kind in range(3):
            for i in range(step_first[kind], step_first[kind + 1]):
                for wasps in range(pairs):
                    value = values[steps[i], hand, wasps]
                    fixed[hand, kind, wasps] = max(fixed[hand, kind, wasps], value)
                    fixed[hand, SOLEIL, wasps] = max(fixed[hand, SOLEIL, wasps], value)
        for row in range(4 * pairs):
            worst = NO_CAPTURE
            for i in range(first[row], first[row + 1]):
                if captures[spot[i]] != layer:
                    worst = min(worst, values[captures[spot[i]], hand, pair[i]])
            fixed[hand, 4 + row // pairs, row % pairs] = worst


@kernel
def stay(
    own: Floats,
    fixed: Floats,
    captures: Integers,
    first: Integers,
    pair: Integers,
    spot: Integers,
    layer: int,
    carry: Floats,
) -> None:
    """``carry`` [8, pair] of one hand from its values ``own`` [pair]: moves that stay in the layer beside
    those that leave it, and a pass for a card with which nothing can move."""
    pairs = own.size
    for kind in range(4):
        if fixed[kind, 0] == NO_STEP:
            carry[kind] = own
    for row in range(4 * pairs):
        kind, wasps = 4 + row // pairs, row % pairs
        worst = fixed[kind, wasps]
        for i in range(first[row], first[row + 1]):
            if captures[spot[i]] == layer:
                worst = min(worst, own[pair[i]])
        carry[kind, wasps] = own[wasps] if worst == NO_CAPTURE else worst


@kernel
def add_card(
    kind: int,
    one: int,
    two: int,
    playable: Flags,
    optional: bool,
    passed: Floats,
    carry: Floats,
    total: Floats,
) -> None:
    """Adds to ``total`` [pair] the value of turning ``kind`` first, the others being ``one`` and ``two``.

    ``playable`` [8, pair]. An unplayable card other than Soleil: one of the others at random (-1: there is
    no such card), or ``passed`` [pair] if that is allowed and better.
    """
    other = two if two >= 0 else one
    for wasps in range(total.size):
        value = carry[kind, wasps]
        if not playable[kind, wasps] and kind != SOLEIL and one >= 0:
            value = 0.5 * (carry[one, wasps] + carry[other, wasps])
            if optional:
                value = max(value, passed[wasps])
        total[wasps] += value


@kernel
def lower(
    offer: Integers,
    simple: Flags,
    playable: Flags,
    optional: bool,
    passed: Floats,
    carry: Floats,
    total: Floats,
    best: Floats,
) -> None:
    """Lowers ``best`` [pair] to the value of an offer, the mean over the card turned first.

    ``offer`` [3] kinds, -1 where it is smaller; ``simple`` [8]: kinds that never lead to a second card.
    """
    a, b, c = offer[0], offer[1], offer[2]
    if c >= 0 and simple[a] and simple[b] and simple[c]:
        for wasps in range(best.size):
            mean = (carry[a, wasps] + carry[b, wasps] + carry[c, wasps]) / 3.0
            best[wasps] = min(best[wasps], mean)
        return
    for wasps in range(best.size):
        total[wasps] = 0.0
    add_card(a, b, c, playable, optional, passed, carry, total)
    size = 1
    if b >= 0:
        add_card(b, a, c, playable, optional, passed, carry, total)
        size = 2
    if c >= 0:
        add_card(c, a, b, playable, optional, passed, carry, total)
        size = 3
    for wasps in range(best.size):
        best[wasps] = min(best[wasps], total[wasps] / size)


@kernel
def playable_cards(fixed: Floats, first: Integers) -> Flags:
    """Which cards can be carried out, [8, pair], from ``fixed`` of any one hand."""
    _, pairs = fixed.shape
    playable = np.empty((8, pairs), dtype=np.bool_)
    playable[:4] = fixed[:4] != NO_STEP
    for row in range(4 * pairs):
        playable[4 + row // pairs, row % pairs] = first[row] < first[row + 1]
    return playable


@kernel
def solve_layer(
    values: Floats,
    layer: int,
    steps: Integers,
    step_first: Integers,
    captures: Integers,
    first: Integers,
    pair: Integers,
    spot: Integers,
    offer_first: Integers,
    left: Integers,
    cards: Integers,
    optional: bool,
    tolerance: float,
) -> float:
    """Iterates ``values[layer]`` until a whole cycle of hands changes the full deck's values by at most
    ``tolerance``; returns the last change (above ``tolerance`` only after ``SWEEPS`` sweeps).
    """
    own = values[layer]
    hands, pairs = own.shape
    fixed = np.empty((hands, 8, pairs))
    leave(values, steps, step_first, captures, first, pair, spot, layer, fixed)
    carry = fixed.copy()
    playable = playable_cards(fixed[0], first)
    full = hands - 1
    simple = np.array([kind == SOLEIL or playable[kind].all() for kind in range(8)])
    before, best, total = np.empty(pairs), np.empty(pairs), np.empty(pairs)
    change = NO_CAPTURE
    for _sweep in range(SWEEPS):
        before[:] = own[full]
        stay(before, fixed[full], captures, first, pair, spot, layer, carry[full])
        for hand in range(hands):
            best[:] = NO_CAPTURE
            for offer in range(offer_first[hand], offer_first[hand + 1]):
                after = left[offer]
                passed = before if after == full else own[after]
                lower(cards[offer], simple, playable, optional, passed, carry[after], total, best)
            own[hand] = best
            if hand != full:
                stay(best, fixed[hand], captures, first, pair, spot, layer, carry[hand])
        change = np.abs(own[full] - before).max()
        if change <= tolerance:
            break
    return change
