"""What the tree search of Butterfly does at one node: moves listed, made and taken back, keys, estimates.

A point is ``UNIT`` units. By the method ``PARANOID`` all values are *units still to come* from a node on:
those of the searching seat (the *hero*) count ``rivals`` times and those of every other seat once, against
it. So units are ``rivals`` times (hero's score less the mean of the others'), and with 2 players simply the
margin. Every seat but the hero belongs to the other side. What ``MAXN`` does instead is in
:mod:`kernel_maxn`.

A draw from a bag of at most ``FEW`` tiles is a chance node. From a fuller bag it is worth its average to the
seat that draws, nothing if that is negative, and leaves the bag and the collection as they are.

==========  =======================  ===================================================================
array       shape                    holds
==========  =======================  ===================================================================
frames      [plies, FRAME] int64     nodes from the root to the one under way, fields as below
options     [plies, 128] int64       moves of a frame, best first: ``units << 8 | code``
saved       [plies, 4] uint64        collection before the move under way; key of the node
lies        [64] int32               tiles of each kind on the square
rest        [10] int32               tiles still to be had of each ``group[kind]`` (below)
zobrist     [4, places] uint64       keys of tiles, hedgehog, bag, facings and seats
meta        [META] int64             what is asked, counters and facts of the search, fields as below
tiles_key   [1] uint64               sum of the keys of what lies on the square and in the bag
weights     [2, 4] int64             of the estimates by ``METHOD``, in 64ths: what lies, the next catch,
                                     and for max^n two more (:mod:`kernel_maxn`)
==========  =======================  ===================================================================

They are handed on in three tuples, with those of :mod:`kernel_playouts` and :mod:`kernel_maxn`::

    rules    reach, nets, adds, points, group, zobrist, weights, powers
    table    board, lines, held, worth, bag
    tree     frames, options, saved, lies, rest, meta, tiles_key, keys, entries, line, totals, values,
             vectors, rounds

A ``code`` is the bit of the destination in the cross (6 bits), ``DRAW`` for a move with a draw that is a
chance node, and ``MEAN`` for one whose average is counted in the units.

``group``: 0-3 the x2 of a colour, 4 flowers, 5 dragonflies, 6 fireflies, 7 grasshoppers, 8 bees and
honeycombs, 9 all else: tiles that bring the same whatever else is held, or that the x2 alone makes dearer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver import kernel_rng
from fable_solve.solver.games.butterfly.kernel_board import (
    ONE,
    SIDE,
    arrival,
    beyond,
    heading,
    put_back,
    remove,
)
from fable_solve.solver.games.butterfly.kernel_collection import (
    BEES_AT,
    DRAGONFLIES_AT,
    FIREFLIES_AT,
    FLOWERS_AT,
    LAST_AT,
    field,
    highest_dragonfly,
    lowest_firefly,
    refresh,
    take,
)
from fable_solve.solver.games.butterfly.kernel_marginal import bag_points, change, most_in_reach
from fable_solve.solver.jit import step
from fable_solve.solver.kernel_bits import lowest

UNIT = 5040
"""Divisible by 1 to 10: averages over bags of up to ``FEW`` tiles, drawn one after the other, are whole."""
FEW = 4
INFINITE = 1 << 40
PLACE, FACING, SEAT, DEPTH, ALPHA, BETA, LOW, BEST, CHOICE, OPEN, COUNT, NEXT, GAIN, GOT, CHANCE = range(15)
FRAME = 15
METHOD, HERO, MOVER, AT, TOWARDS, LEFT, ALLOWED, MASK, STARTS, EVERY = range(10)
ASKED = 10
ROWS, COLS, SEATS, RIVALS, NODES, LIMIT, STOPPED, AVERAGED = range(10, 18)
META = 18
PARANOID, MAXN = 0, 1
TO, DRAW, MEAN, CODE = 63, 64, 128, 255
TILE, HEDGEHOG, BAG, OTHER = range(4)
NOTHING_BEHIND = 4
FIRST_SEAT = 8
BEES_GROUP, LOOSE = 8, 9


@step
def weight(seat: Any, meta: Any) -> Any:
    """How often a seat's points count."""
    return meta[RIVALS] if seat == meta[HERO] else 1


@step
def sign(one: Any, other: Any, meta: Any) -> Any:
    """1 for two seats of the same side, else -1."""
    return 1 if (one == meta[HERO]) == (other == meta[HERO]) else -1


@step
def survey(rules: Any, table: Any, tree: Any) -> None:
    """Count what lies, what is still to be had, and the key of it all; without nets the bag is of no use."""
    _, nets, _, _, group, zobrist, _, _ = rules
    board, lines, _, _, bag = table
    lies, rest, meta, tiles_key = tree[3:7]
    for kind in range(64):
        lies[kind] = 0
    for g in range(10):
        rest[g] = 0
    key, any_net = np.uint64(0), False
    for row in range(meta[ROWS]):
        line = lines[row]
        while line:
            place = row << 5 | lowest(line)
            line &= line - ONE
            lies[board[place]] += 1
            rest[group[board[place]]] += 1
            key += zobrist[TILE, place]
        for col in range(SIDE):
            any_net |= nets[row << 5 | col] != 0
    if not any_net:
        meta[LEFT] = 0
    if meta[LEFT]:
        for kind in range(64):
            rest[group[kind]] += bag[kind]
            key += zobrist[BAG, kind] * np.uint64(bag[kind])
    tiles_key[0] = key


@step
def list_moves(
    p: Any, seat: Any, place: Any, choices: Any, open_nets: Any, rules: Any, table: Any, tree: Any
) -> Any:
    """Fill ``options[p]`` with the moves to ``choices`` by falling units; returns their number."""
    _, _, adds, points, _, _, _, _ = rules
    board, _, held, worth, bag = table
    options, meta = tree[1], tree[5]
    count, left, times = np.int64(0), meta[LEFT], weight(seat, meta) * UNIT
    offers = beyond(place, open_nets) & choices if left else np.uint64(0)
    average = bag_points(seat, bag, worth) if offers and left > FEW else np.int64(0)
    while choices:
        to = np.uint64(lowest(choices))
        choices &= choices - ONE
        kind = np.int64(board[arrival(place, to)])
        units, code = times * worth[seat, kind], np.int64(to)
        if offers >> to & ONE:
            if left > FEW:
                meta[AVERAGED] = 1
                more = average + change(seat, kind, bag, held, worth, adds, points)
                if more > 0:
                    units += times * more // left
                    code |= MEAN
            else:
                count = insert(options, p, count, units << 8 | code | DRAW)
        count = insert(options, p, count, units << 8 | code)
    return count


@step
def insert(options: Any, p: Any, count: Any, entry: Any) -> Any:
    """Put an option in its place, behind those of equal or larger units; returns the number of options."""
    at = count
    while at and options[p, at - 1] >> 8 < entry >> 8:
        options[p, at] = options[p, at - 1]
        at -= 1
    options[p, at] = entry
    return count + 1


@step
def to_front(options: Any, p: Any, count: Any, code: Any) -> None:
    """Put the option with this code first, the order of the others kept."""
    at = 0
    while at < count and options[p, at] & CODE != code:
        at += 1
    if at < count:
        entry = options[p, at]
        for behind in range(at, 0, -1):
            options[p, behind] = options[p, behind - 1]
        options[p, 0] = entry


@step
def gain_tile(p: Any, seat: Any, kind: Any, rules: Any, table: Any, tree: Any) -> None:
    """The seat of frame ``p`` gets a tile."""
    _, _, adds, points, group, _, _, _ = rules
    _, _, held, worth, _ = table
    frames, saved, rest = tree[0], tree[2], tree[4]
    frames[p, GOT] = kind
    for word in range(3):
        saved[p, word] = held[seat, word]
    take(held, seat, kind, adds)
    refresh(held, seat, kind, points, worth, seat)
    rest[group[kind]] -= 1


@step
def make(p: Any, rules: Any, table: Any, tree: Any) -> None:
    """Make the next move (or draw) of frame ``p``; frame ``p + 1`` gets its place, seat, depth and window."""
    zobrist = rules[5]
    board, lines, _, worth, bag = table
    frames, options, _, lies, _, meta, tiles_key, _, _, _, totals = tree[:11]
    q, seat = p + 1, frames[p, SEAT]
    after = seat + 1 if seat + 1 < meta[SEATS] else 0
    frames[q, CHANCE], frames[q, SEAT], frames[q, DEPTH] = 0, after, frames[p, DEPTH] - 1
    frames[q, ALPHA], frames[q, BETA] = -INFINITE, INFINITE
    if frames[p, CHANCE]:
        kind = frames[p, NEXT]
        frames[p, GAIN] = worth[seat, kind] * weight(seat, meta) * UNIT
        for same in (PLACE, FACING, DEPTH):
            frames[q, same] = frames[p, same]
        bag[kind] -= 1
        meta[LEFT] -= 1
        tiles_key[0] -= zobrist[BAG, kind]
    else:
        entry, place = options[p, frames[p, NEXT]], np.uint64(frames[p, PLACE])
        to, units = np.uint64(entry & TO), entry >> 8
        there = arrival(place, to)
        remove(lines, there)
        kind = np.int64(board[there])
        lies[kind] -= 1
        tiles_key[0] -= zobrist[TILE, there]
        frames[p, GAIN] = units
        frames[q, PLACE], frames[q, FACING] = np.int64(there), np.int64(heading(place, to))
        if entry & DRAW:
            frames[q, CHANCE], frames[q, SEAT] = 1, seat
        elif meta[METHOD] == PARANOID and sign(seat, after, meta) > 0:
            frames[q, ALPHA], frames[q, BETA] = frames[p, ALPHA] - units, frames[p, BETA] - units
        elif meta[METHOD] == PARANOID:
            frames[q, ALPHA], frames[q, BETA] = units - frames[p, BETA], units - frames[p, ALPHA]
    totals[seat] += frames[p, GAIN]
    gain_tile(p, seat, kind, rules, table, tree)


@step
def take_back(p: Any, rules: Any, table: Any, tree: Any) -> None:
    """Undo the move (or draw) of frame ``p`` under way."""
    _, _, _, points, group, zobrist, _, _ = rules
    _, lines, held, worth, bag = table
    frames, _, saved, lies, rest, meta, tiles_key, _, _, _, totals = tree[:11]
    seat, kind, there = frames[p, SEAT], frames[p, GOT], np.uint64(frames[p + 1, PLACE])
    for word in range(3):
        held[seat, word] = saved[p, word]
    refresh(held, seat, kind, points, worth, seat)
    rest[group[kind]] += 1
    totals[seat] -= frames[p, GAIN]
    if frames[p, CHANCE]:
        bag[kind] += 1
        meta[LEFT] += 1
        tiles_key[0] += zobrist[BAG, kind]
    else:
        put_back(lines, there)
        lies[kind] += 1
        tiles_key[0] += zobrist[TILE, there]


@step
def mixed(word: Any) -> Any:
    """A word well mixed."""
    _, bits = kernel_rng.bits(word)
    return bits


@step
def seat_key(seat: Any, held: Any, rest: Any, zobrist: Any) -> Any:
    """Key of what a collection means for the tiles still to be had; points that are certain have no part."""
    sums, marks = held[seat, 0], held[seat, 2]
    kept = np.uint64(0)
    for colour in range(4):
        if rest[colour] and not field(marks, colour, 1):
            kept |= sums & np.uint64(1023 << 10 * colour)
    if rest[4]:
        kept |= sums & np.uint64(127 << FLOWERS_AT)
    combs = np.uint64(0)
    if rest[BEES_GROUP]:
        kept |= sums & np.uint64(127 << BEES_AT)
        combs = held[seat, 1]
    insects = field(marks, 0, 4)
    if rest[5]:
        insects |= highest_dragonfly(marks) << DRAGONFLIES_AT
    if rest[6]:
        insects |= lowest_firefly(marks) << FIREFLIES_AT
    if rest[7]:
        insects |= field(marks, LAST_AT, 4) << LAST_AT
    return mixed(mixed(mixed(kept ^ zobrist[OTHER, FIRST_SEAT + seat]) ^ combs) ^ np.uint64(insects))


@step
def node_key(place: Any, facing: Any, behind: Any, rules: Any, table: Any, tree: Any) -> Any:
    """Key of a node. The facing counts only where a tile lies behind; whose turn it is follows from how many
    tiles lie, as the search has one root."""
    zobrist = rules[5]
    _, _, held, _, _ = table
    rest, meta, tiles_key, totals = tree[4], tree[5], tree[6], tree[10]
    way = facing if behind else np.uint64(NOTHING_BEHIND)
    key = tiles_key[0] + zobrist[HEDGEHOG, place] + zobrist[OTHER, way]
    for seat in range(meta[SEATS]):
        part = seat_key(seat, held, rest, zobrist)
        key += part if meta[METHOD] == PARANOID else mixed(part ^ np.uint64(totals[seat]))
    return key


@step
def lying(seat: Any, lies: Any, worth: Any) -> Any:
    """Points that the tiles that lie would bring a seat, each on its own, none of them taken at a loss."""
    total = np.int32(0)
    for kind in range(64):
        total += lies[kind] * max(worth[seat, kind], np.int32(0))
    return np.int64(total)


@step
def estimate(seat: Any, place: Any, choices: Any, rules: Any, table: Any, tree: Any) -> Any:
    """Units still to come for the side of the seat to move, where the search goes no deeper: a share of what
    the tiles that lie would bring each seat, each on its own, and a share of the mover's next catch."""
    weights = rules[6]
    board, _, _, worth, _ = table
    lies, meta = tree[3], tree[5]
    total = np.int64(0)
    for other in range(meta[SEATS]):
        total += sign(seat, other, meta) * weight(other, meta) * lying(other, lies, worth)
    catch = weight(seat, meta) * most_in_reach(seat, place, choices, board, worth)
    return (weights[PARANOID, 0] * total + weights[PARANOID, 1] * catch) * UNIT // 64
