"""Value iteration inside one layer, compiled.

Values are probabilities that the Chenilles win: the Guepe minimises, the Chenilles maximise. Arrays of one
layer are [hand, pair of wasps]; ``carry`` [8, hand, pair] is the value of carrying out a card of each kind
(or of passing, if it is not playable) when the hand that remains is ``hand``. Kinds are numbered as in
``cards.KINDS``: 0 Oeuf, 1 Cocon, 2 Envol, 3 Soleil, 4-7 the wasp cards.
"""

from __future__ import annotations

import numpy as np

from fable_solve.solver.jit import kernel

SOLEIL = 3
NONE = 2.0
"""Larger than any value: no such move."""


@kernel
def prepare(values, steps, step_first, captures, first, pair, spot, layer, carry):  # type: ignore[no-untyped-def]
    """Fills ``carry`` with what does not depend on the layer's own values.

    Oeuf to Soleil: the best step into another layer, -1 if there is none. Wasp cards: the worst move that
    captures, ``NONE`` if there is none. ``values`` [layer, hand, pair], ``steps`` with ``step_first`` [4]
    delimiting the kinds, ``captures`` [2 * places], ``first``, ``pair``, ``spot`` as in ``Flights``.
    """
    _, hands, pairs = carry.shape
    for hand in range(hands):
        for wasps in range(pairs):
            best = -1.0
            for kind in range(3):
                here = -1.0
                for i in range(step_first[kind], step_first[kind + 1]):
                    here = max(here, values[steps[i], hand, wasps])
                carry[kind, hand, wasps] = here
                best = max(best, here)
            carry[SOLEIL, hand, wasps] = best
            for kind in range(4):
                worst = NONE
                row = kind * pairs + wasps
                for i in range(first[row], first[row + 1]):
                    target = captures[spot[i]]
                    if target != layer:
                        worst = min(worst, values[target, hand, pair[i]])
                carry[4 + kind, hand, wasps] = worst


@kernel
def stay(own, fixed, captures, first, pair, spot, layer, hand, carry):  # type: ignore[no-untyped-def]
    """Completes ``carry`` for one hand: moves that stay in the layer, passes where nothing can move."""
    pairs = own.shape[1]
    for kind in range(4):
        if fixed[kind, hand, 0] < 0.0:
            carry[kind, hand, :] = own[hand, :]
    for kind in range(4):
        for wasps in range(pairs):
            worst = fixed[4 + kind, hand, wasps]
            row = kind * pairs + wasps
            for i in range(first[row], first[row + 1]):
                if captures[spot[i]] == layer:
                    worst = min(worst, own[hand, pair[i]])
            carry[4 + kind, hand, wasps] = own[hand, wasps] if worst == NONE else worst


@kernel
def add_card(kind, one, two, playable, optional, passed, carry, total):  # type: ignore[no-untyped-def]
    """Adds to ``total`` [pair] the value of turning ``kind`` first, the others being ``one`` and ``two``.

    ``playable`` [8, pair]; ``passed`` [pair] the value of passing; ``carry`` [8, pair]. An unplayable card
    other than Soleil: one of the others at random (-1: there is no such card), or a pass if it is optional
    and better.
    """
    for wasps in range(total.shape[0]):
        value = carry[kind, wasps]
        if not playable[kind, wasps] and kind != SOLEIL and one >= 0:
            value = carry[one, wasps]
            if two >= 0:
                value = 0.5 * (value + carry[two, wasps])
            if optional:
                value = max(value, passed[wasps])
        total[wasps] += value


@kernel
def add_playable(kind, carry, total):  # type: ignore[no-untyped-def]
    """Adds to ``total`` [pair] the value of carrying out ``kind``."""
    for wasps in range(total.shape[0]):
        total[wasps] += carry[kind, wasps]


@kernel
def offer_value(cards, always, playable, optional, passed, carry, total):  # type: ignore[no-untyped-def]
    """``total`` [pair]: the value of an offer, the mean over the card turned first."""
    total[:] = 0.0
    size = 0
    for i in range(3):
        if cards[i] >= 0:
            size += 1
            if always[cards[i]]:
                add_playable(cards[i], carry, total)
            else:
                one = cards[1] if i == 0 else cards[0]
                two = cards[1] if i == 2 else cards[2]
                add_card(cards[i], one, two, playable, optional, passed, carry, total)
    total /= size


@kernel
def solve_layer(  # type: ignore[no-untyped-def]
    values,
    layer,
    steps,
    step_first,
    captures,
    first,
    pair,
    spot,
    offer_first,
    left,
    cards,
    optional,
    tolerance,
):
    """Iterates ``values[layer]`` until a whole cycle of hands changes the full deck's values by at most
    ``tolerance``; returns the last change (more than ``tolerance`` only when 10,000 sweeps did not do).
    """
    own = values[layer]
    hands, pairs = own.shape
    fixed = np.empty((8, hands, pairs))
    prepare(values, steps, step_first, captures, first, pair, spot, layer, fixed)
    carry = fixed.copy()
    playable = np.ones((8, pairs), dtype=np.bool_)
    always = np.ones(8, dtype=np.bool_)
    for kind in range(8):
        for wasps in range(pairs):
            row = (kind - 4) * pairs + wasps
            playable[kind, wasps] = fixed[kind, 0, wasps] >= 0.0 if kind < 4 else first[row] < first[row + 1]
        always[kind] = playable[kind].all()
    full = hands - 1
    total, before = np.empty(pairs), np.empty(pairs)
    change = NONE
    for _sweep in range(10_000):
        before[:] = own[full]
        stay(own, fixed, captures, first, pair, spot, layer, full, carry)
        for hand in range(hands):
            best = np.full(pairs, NONE)
            for offer in range(offer_first[hand], offer_first[hand + 1]):
                after = left[offer]
                passed = before if after == full else own[after]
                offer_value(cards[offer], always, playable, optional, passed, carry[:, after], total)
                for wasps in range(pairs):
                    best[wasps] = min(best[wasps], total[wasps])
            own[hand] = best
            if hand != full:
                stay(own, fixed, captures, first, pair, spot, layer, hand, carry)
        change = np.abs(own[full] - before).max()
        if change <= tolerance:
            break
    return change
