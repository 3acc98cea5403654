"""Exact values of two-player endgames of Butterfly, compiled: depth-first with a table of states.

::

    v(state) = max over moves of  g + max(-v(next), draw)
    draw     = sum over kinds k in the bag of  share(k) * (g(k) - v(next after k))     (crossed net only)
    v(no move) = 0

with ``g`` the points the mover gains; so ``v`` is the expected margin still to come, for the seat to move.
With ``win`` set, ``v`` is the mover's win share instead, and the margin so far is part of the state.

Arrays (built in :mod:`fable_solve.solver.games.butterfly.exact`):

``squares``    ``[squares, 6]``: index of the tile dealt there or -1, net or not, squares ahead N, E, S, W
``pieces``     ``[tiles + bag kinds, 2]``: category and slot of each tile, then of each kind in the bag
``automaton``  ``[nodes, 3 * SLOTS + 1]``: next node if I take slot j, if the rival does, my gain, rank
``node``       ``[2, categories]``: where each seat stands in the automaton
``bag``        ``[bag kinds]``: tiles left of each kind
``fields``     ``[fields, 2]``: word of the key and multiplier, for the ranks, the bag, and four more
``keys``       ``[capacity, words]``, -1 where free; ``values`` ``[capacity]``; capacity below 2**31
``meta``       states stored, how many may be, and whether the search ran into that limit
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.jit import kernel

SLOTS = 9
RANK = 3 * SLOTS


@kernel
def put(node: Any, automaton: Any, category: int, slot: int, seat: int) -> Any:
    """Give a tile to a seat; returns the points it gains."""
    mine, other = node[seat, category], node[1 - seat, category]
    node[seat, category] = automaton[mine, slot]
    node[1 - seat, category] = automaton[other, SLOTS + slot]
    return automaton[mine, 2 * SLOTS + slot]


@kernel
def find(keys: Any, word: Any) -> Any:
    """Place of a key in the table: where it is, or the free place where it belongs."""
    capacity, words = keys.shape
    code = word[0]
    for w in range(1, words):
        code = (code ^ (code >> 29)) * 0x2545F4914F6CDD1D + word[w]
    code = (code ^ (code >> 31)) * 0x369DEA0F31A53F85
    place = (((code ^ (code >> 33)) & 0xFFFFFFFF) * capacity) >> 32
    while keys[place, 0] != -1:
        same = True
        for w in range(words):
            same = same and keys[place, w] == word[w]
        if same:
            break
        place = place + 1 if place + 1 < capacity else 0
    return place


@kernel
def ahead(mask: int, square: int, facing: int, cols: int, squares: Any) -> Any:
    """Whether a tile lies straight ahead."""
    step = (-cols, 1, cols, -1)[facing]
    for k in range(1, squares[square, 2 + facing] + 1):
        tile = squares[square + k * step, 0]
        if tile >= 0 and mask >> tile & 1:
            return True
    return False


@kernel
def encode(
    mask: int, square: int, facing: int, margin: int, cols: int, node: Any, bag: Any, squares: Any,
    automaton: Any, fields: Any, word: Any,
) -> None:  # fmt: skip
    """The key of a state: its rival seats' ranks, bag, tiles, hedgehog and margin, in mixed radix.

    The forbidden facing is part of it only where a tile lies that way.
    """
    back = (facing + 2) % 4
    if not ahead(mask, square, back, cols, squares):
        back = 4
    for w in range(word.shape[0]):
        word[w] = 0
    f = 0
    for category in range(node.shape[1]):
        for seat in range(2):
            word[fields[f, 0]] += automaton[node[seat, category], RANK] * fields[f, 1]
            f += 1
    for k in range(bag.shape[0]):
        word[fields[f, 0]] += bag[k] * fields[f, 1]
        f += 1
    word[fields[f, 0]] += mask * fields[f, 1]
    word[fields[f + 1, 0]] += square * fields[f + 1, 1]
    word[fields[f + 2, 0]] += back * fields[f + 2, 1]
    word[fields[f + 3, 0]] += margin * fields[f + 3, 1]


@kernel
def share(margin: int, span: int) -> float:
    """Value of a state without a move for the seat that should move."""
    if span < 0 or margin < span:
        return 0.0
    return 0.5 if margin == span else 1.0


@kernel
def value(
    mask: Any, square: int, facing: int, seat: int, margin: int, span: int, cols: int, node: Any, bag: Any,
    squares: Any, pieces: Any, automaton: Any, fields: Any, keys: Any, values: Any, meta: Any,
) -> Any:  # fmt: skip
    """Value of a state for the seat to move.

    ``margin`` (the mover's) counts from ``-span``; ``span`` is -1 where it is not part of the state.
    """
    if meta[0] >= meta[1]:
        meta[2] = 1
    if meta[2]:
        return 0.0
    word = np.empty(keys.shape[1], np.int64)
    encode(mask, square, facing, margin, cols, node, bag, squares, automaton, fields, word)
    place = find(keys, word)
    if keys[place, 0] != -1:
        return values[place]
    tiles = pieces.shape[0] - bag.shape[0]
    in_bag = bag.sum()
    best = -np.inf
    for turn in range(4):
        if turn == (facing + 2) % 4:
            continue
        step = (-cols, 1, cols, -1)[turn]
        crossed = False
        for k in range(1, squares[square, 2 + turn] + 1):
            to = square + k * step
            tile = squares[to, 0]
            if tile < 0 or not mask >> tile & 1:
                crossed = crossed or squares[to, 1] > 0
                continue
            category, slot = pieces[tile, 0], pieces[tile, 1]
            mine, other = node[seat, category], node[1 - seat, category]
            gain = put(node, automaton, category, slot, seat)
            left = mask & ~(np.int64(1) << np.int64(tile))
            after = 0 if span < 0 else 2 * span - (margin + gain)
            rest = value(
                left, to, turn, 1 - seat, after, span, cols, node, bag, squares, pieces, automaton, fields,
                keys, values, meta,
            )  # fmt: skip
            best = max(best, gain - rest if span < 0 else 1.0 - rest)
            if crossed and in_bag:
                drawn = 0.0
                for b in range(bag.shape[0]):
                    if not bag[b]:
                        continue
                    c, s = pieces[tiles + b, 0], pieces[tiles + b, 1]
                    mine_b, other_b = node[seat, c], node[1 - seat, c]
                    more = put(node, automaton, c, s, seat)
                    bag[b] -= 1
                    after = 0 if span < 0 else 2 * span - (margin + gain + more)
                    rest = value(
                        left, to, turn, 1 - seat, after, span, cols, node, bag, squares, pieces, automaton,
                        fields, keys, values, meta,
                    )  # fmt: skip
                    bag[b] += 1
                    node[seat, c], node[1 - seat, c] = mine_b, other_b
                    drawn += bag[b] / in_bag * (gain + more - rest if span < 0 else 1.0 - rest)
                best = max(best, drawn)
            node[seat, category], node[1 - seat, category] = mine, other
    if best == -np.inf:
        best = share(margin, span)
    if not meta[2]:
        encode(mask, square, facing, margin, cols, node, bag, squares, automaton, fields, word)
        place = find(keys, word)
        keys[place] = word
        values[place] = best
        meta[0] += 1
    return best


@kernel
def rehash(keys: Any, values: Any, new_keys: Any, new_values: Any) -> None:
    """Copy a table into a larger one."""
    for place in range(keys.shape[0]):
        if keys[place, 0] != -1:
            free = find(new_keys, keys[place])
            new_keys[free] = keys[place]
            new_values[free] = values[place]
