"""Compiled solution of every chain of many squares.

What a collector gains by a type depends only on which cards of that type lie under the ants. So for each
square the gains of both roles are tabulated for every subset of the cards of each type (typically 4 x 16
subsets), and a chain is four table look-ups and the level of its guessing matrix.

A square's cards of type ``t`` are ranked in reading order; a subset of them is a bit mask of ranks. The
code of a chain packs the four subsets into one 64-bit word, 16 bits a type::

    bits 48-63   32-47   16-31   0-15
           R       N       B      Y        sum over the chain's squares of 1 << (16 * type + rank)

Arrays: ``types[n, cells]`` path type 0..3 of each square's cards or -1, ``species[n, cells]`` insect 0..5
or -1; ``chains[c, ants]`` squares under the ants (never a hole).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.cigale.kernel_guess import gap, guess_mixtures, guess_value
from fable_solve.solver.jit import kernel
from fable_solve.solver.kernel_rng import below, start

TYPES = 4
SPECIES = 6
MAX_RANK = 16
"""Most cards of one type a square may hold: a subset takes 16 bits of the code."""


@kernel
def deal_squares(deck: Any, key: Any, first: int, types: Any, species: Any) -> None:
    """Deals square ``first + n`` from ``deck[cards, 2]`` (type, insect) into ``types[n]``, ``species[n]``.

    A partial Fisher-Yates shuffle; square g uses episode g of the stream ``key`` alone.
    """
    order = np.zeros(deck.shape[0], np.int64)
    for n in range(types.shape[0]):
        for card in range(deck.shape[0]):
            order[card] = card
        counter = start(key, first + n)
        for square in range(types.shape[1]):
            counter, drawn = below(counter, deck.shape[0] - square)
            order[square], order[square + drawn] = order[square + drawn], order[square]
            types[n, square] = deck[order[square], 0]
            species[n, square] = deck[order[square], 1]


@kernel
def rank_square(types: Any, ranks: Any, sizes: Any) -> bool:
    """Writes each card's rank among its type and the number of cards of each type; False if too many."""
    sizes[:] = 0
    for square in range(types.shape[0]):
        kind = types[square]
        if kind >= 0:
            ranks[square] = sizes[kind]
            sizes[kind] += 1
    return bool(sizes.max() <= MAX_RANK)


@kernel
def tabulate_additive(
    types: Any, species: Any, sizes: Any, steps: Any, sets: Any, most: int, members: Any, gains: Any
) -> None:
    """Gains that add up a card track and insect sets, for every subset of at most ``most`` cards of a type.

    ``gains[role, type, subset] = steps[role, type, cards] + sum over s of sets[role, s, insects of s]``, role
    0 the Ant and 1 the Cigale; ``members[16]`` is scratch.
    """
    seen = np.zeros(SPECIES, np.int64)
    for kind in range(TYPES):
        count = 0
        for square in range(types.shape[0]):
            if types[square] == kind:
                members[count] = species[square]
                count += 1
        for subset in range(1 << sizes[kind]):
            cards = 0
            seen[:] = 0
            for rank in range(count):
                if subset >> rank & 1:
                    cards += 1
                    if members[rank] >= 0:
                        seen[members[rank]] += 1
            if cards <= most:
                for role in range(2):
                    gain = steps[role, kind, cards]
                    for insect in range(SPECIES):
                        gain += sets[role, insect, seen[insect]]
                    gains[role, kind, subset] = gain


@kernel
def invert(gains: Any, sizes: Any, inverse: Any) -> None:
    """``inverse[type, subset] = 1 / d`` with ``d`` both gains added; 0 when empty, -1 if ``d <= 0``."""
    for kind in range(TYPES):
        inverse[kind, 0] = 0.0
        for subset in range(1, 1 << sizes[kind]):
            d = gap(gains[0, kind, subset], gains[1, kind, subset])
            inverse[kind, subset] = 1.0 / d if d > 0.0 else -1.0


@kernel
def unpack(code: int, gains: Any, kinds: Any, a: Any, b: Any) -> int:
    """Writes the covered types and both roles' gains from each; returns how many types are covered."""
    k = 0
    for kind in range(TYPES):
        subset = code >> 16 * kind & 0xFFFF
        if subset:
            kinds[k] = kind
            a[k] = gains[0, kind, subset]
            b[k] = gains[1, kind, subset]
            k += 1
    return k


@kernel
def best_chain(codes: Any, gains: Any, inverse: Any, values: Any, scratch: Any) -> tuple[int, float]:
    """The first chain of the highest value, and that value; all values into ``values`` unless it is empty."""
    kinds, a, b = scratch
    keep = values.shape[0] > 0
    best, top = 0, 0.0
    for c in range(codes.shape[0]):
        code = codes[c]
        s0, s1, s2, s3 = code & 0xFFFF, code >> 16 & 0xFFFF, code >> 32 & 0xFFFF, code >> 48 & 0xFFFF
        i0, i1, i2, i3 = inverse[0, s0], inverse[1, s1], inverse[2, s2], inverse[3, s3]
        if min(i0, i1, i2, i3) < 0.0:
            w = guess_value(a, b, unpack(code, gains, kinds, a, b))
        else:
            a0, a1, a2, a3 = gains[0, 0, s0], gains[0, 1, s1], gains[0, 2, s2], gains[0, 3, s3]
            while True:
                weight = i0 + i1 + i2 + i3
                w = (a0 * i0 + a1 * i1 + a2 * i2 + a3 * i3 - 1.0) / weight
                i0 = i0 if a0 > w else 0.0
                i1 = i1 if a1 > w else 0.0
                i2 = i2 if a2 > w else 0.0
                i3 = i3 if a3 > w else 0.0
                if i0 + i1 + i2 + i3 == weight:
                    break
        if keep:
            values[c] = w
        if c == 0 or w > top + 1e-12 * abs(top):
            best, top = c, w
    return best, top


@kernel
def encode(types: Any, ranks: Any, chains: Any, bits: Any, codes: Any) -> None:
    """Writes the code of every chain."""
    for square in range(types.shape[0]):
        bits[square] = 1 << 16 * types[square] + ranks[square] if types[square] >= 0 else 0
    for c in range(chains.shape[0]):
        code = 0
        for i in range(chains.shape[1]):
            code |= bits[chains[c, i]]
        codes[c] = code


@kernel
def cards_in(subset: int) -> int:
    """Number of set bits."""
    cards = 0
    while subset:
        subset &= subset - 1
        cards += 1
    return cards


@kernel
def most_frequent(code: int) -> tuple[int, int]:
    """The largest number of cards of one type, and how many types have that many."""
    most, ties = 0, 0
    for kind in range(TYPES):
        cards = cards_in(code >> 16 * kind & 0xFFFF)
        if cards > most:
            most, ties = cards, 0
        if cards == most:
            ties += 1
    return most, ties


@kernel
def naive_payoffs(codes: Any, gains: Any, payoffs: Any) -> None:
    """What plain habits get against a best response; written into ``payoffs[2]``, both to the Ant.

    0: an Ant that lays the chain with the most cards of one type (the first such) and names that type;
    1: the best an Ant does against a Cigale that always guesses the most frequent type (ties evenly).
    """
    largest, payoffs[0], payoffs[1] = 0, 0.0, -np.inf
    for c in range(codes.shape[0]):
        most, ties = most_frequent(codes[c])
        for kind in range(TYPES):
            subset = codes[c] >> 16 * kind & 0xFFFF
            if subset:
                a, b = gains[0, kind, subset], gains[1, kind, subset]
                frequent = cards_in(subset) == most
                payoffs[1] = max(payoffs[1], a - (a + b) / ties if frequent else a)
                if frequent and most > largest:
                    largest, payoffs[0] = most, -b


@kernel
def solve_squares(
    types: Any,
    species: Any,
    chains: Any,
    steps: Any,
    sets: Any,
    values: Any,
    best: Any,
    mixtures: Any,
    naive: Any,
) -> int:
    """Solves all chains of all squares for gains that add up (see :func:`tabulate_additive`).

    Writes every chain's value into ``values[n, c]`` (nothing when its width is 0), the first chain of the
    highest value into ``best[n]``, both mixtures of it by type into ``mixtures[n, 2, 4]`` and what plain
    habits get into ``naive[n, 2]`` (nothing when it has no rows). Returns the number of squares solved:
    less than ``n`` only if a square holds more than 16 cards of one type.
    """
    cells, ants = types.shape[1], chains.shape[1]
    ranks, sizes = np.zeros(cells, np.int64), np.zeros(TYPES, np.int64)
    members, bits = np.zeros(MAX_RANK, np.int64), np.zeros(cells, np.int64)
    room = 1 << min(MAX_RANK, cells)
    gains, inverse = np.zeros((2, TYPES, room)), np.zeros((TYPES, room))
    codes = np.zeros(chains.shape[0], np.int64)
    kinds, a, b = np.zeros(TYPES, np.int64), np.zeros(TYPES), np.zeros(TYPES)
    p, q = np.zeros(TYPES), np.zeros(TYPES)
    for n in range(types.shape[0]):
        if not rank_square(types[n], ranks, sizes):
            return n
        tabulate_additive(types[n], species[n], sizes, steps, sets, ants, members, gains)
        invert(gains, sizes, inverse)
        encode(types[n], ranks, chains, bits, codes)
        best[n], _ = best_chain(codes, gains, inverse, values[n], (kinds, a, b))
        k = unpack(codes[best[n]], gains, kinds, a, b)
        guess_mixtures(a, b, k, guess_value(a, b, k), p, q)
        mixtures[n] = 0.0
        for i in range(k):
            mixtures[n, 0, kinds[i]] = p[i]
            mixtures[n, 1, kinds[i]] = q[i]
        if naive.shape[0] > 0:
            naive_payoffs(codes, gains, naive[n])
    return len(types)
