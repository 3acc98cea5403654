"""Tree search of Butterfly, compiled: alpha-beta with iterative deepening and a table of nodes.

With 2 players this is the game itself (Knuth and Moore 1975), with chance nodes in full width (Ballard 1983,
without his cuts). With more the search is *paranoid* (Sturtevant and Korf 2000): the others are one side that
minimises what the searching seat is ahead of their mean.

The search goes down one ply deeper at a time, up to a number of nodes, and keeps what the deepest complete
round, and the part of the next one that began with its best move, found best. Nothing depends on the clock,
so a number of nodes gives the same move everywhere. Once no line was cut short, it ends: the value is exact
(but for averages of draws, see :mod:`kernel_search`).

Tables: ``keys[size]`` (``uint64``, 0 where free) and ``entries[size]`` (``int64``)::

    bits     63 .... 20   19 ... 12   9 8     7 .. 0
    entry    units        depth       bound   code of the best move

``depth`` is ``WHOLE`` where every line below was searched to its end; ``bound`` is EXACT, LOWER or UPPER.
``line[plies, LINE]`` are the codes of best play, ended by -1 or by a chance node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fable_solve.solver.games.butterfly.kernel_board import ahead, cross
from fable_solve.solver.games.butterfly.kernel_search import (
    ALPHA,
    AVERAGED,
    BEST,
    BETA,
    CHANCE,
    CHOICE,
    CODE,
    COUNT,
    DEPTH,
    FACING,
    GAIN,
    HERO,
    INFINITE,
    LEFT,
    LIMIT,
    LOW,
    MASK,
    NEXT,
    NODES,
    OPEN,
    PLACE,
    RIVALS,
    SEAT,
    STOPPED,
    estimate,
    list_moves,
    make,
    node_key,
    sign,
    survey,
    take_back,
    to_front,
)
from fable_solve.solver.jit import kernel, lean

EXACT, LOWER, UPPER = 0, 1, 2
WHOLE = 255
DEEPEST = 254
LINE = 16
KINDS = 63


@lean
def enter(p: Any, rules: Any, table: Any, tree: Any) -> Any:
    """Look at a new node; returns whether its value is known at once (``frames[p, BEST]``)."""
    reach, nets = rules[0], rules[1]
    lines = table[1]
    frames, options, saved, _, _, meta, _, keys, entries, line = tree
    line[p, 0] = -1
    frames[p, NEXT], frames[p, OPEN] = 0, 0
    if frames[p, CHANCE]:
        frames[p, BEST], frames[p, COUNT] = 0, KINDS
        return False
    place, facing = np.uint64(frames[p, PLACE]), np.uint64(frames[p, FACING])
    tiles, way = cross(lines, place), ahead(reach, place, facing)
    choices = tiles & way
    if not choices:
        frames[p, BEST] = 0
        return True
    if frames[p, DEPTH] <= 0:
        frames[p, BEST] = estimate(frames[p, SEAT], place, choices, rules, table, tree)
        frames[p, OPEN] = 1
        return True
    key = node_key(place, facing, tiles & ~way, rules, table, tree)
    saved[p, 3] = key
    slot = np.int64(key & np.uint64(meta[MASK]))
    known = keys[slot] == key
    if known and recall(p, entries[slot], frames):
        return True
    frames[p, BEST], frames[p, CHOICE], frames[p, LOW] = -INFINITE, 0, frames[p, ALPHA]
    open_nets = nets[place] & way & ~tiles
    frames[p, COUNT] = list_moves(p, frames[p, SEAT], place, choices, open_nets, rules, table, tree)
    if known:
        to_front(options, p, frames[p, COUNT], entries[slot] & CODE)
    return False


@lean
def recall(p: Any, entry: Any, frames: Any) -> Any:
    """Whether an entry of the table settles the node."""
    depth, bound, units = entry >> 12 & 255, entry >> 8 & 3, entry >> 20
    if depth < frames[p, DEPTH]:
        return False
    if (bound == LOWER and units < frames[p, BETA]) or (bound == UPPER and units > frames[p, ALPHA]):
        return False
    frames[p, BEST], frames[p, OPEN] = units, depth != WHOLE
    return True


@lean
def has_next(p: Any, table: Any, tree: Any) -> Any:
    """Whether there is more to look at, which ``frames[p, NEXT]`` then names."""
    bag, frames = table[4], tree[0]
    if frames[p, CHANCE]:
        while frames[p, NEXT] < KINDS and not bag[frames[p, NEXT]]:
            frames[p, NEXT] += 1
    elif frames[p, BEST] >= frames[p, BETA]:
        return False
    return frames[p, NEXT] < frames[p, COUNT]


@lean
def close(p: Any, tree: Any) -> None:
    """The value of a node all of whose moves were seen, or cut off, goes to the table."""
    frames, _, saved, _, _, meta, _, keys, entries, _ = tree
    if frames[p, CHANCE]:
        frames[p, BEST] //= meta[LEFT]
        return
    units, bound = frames[p, BEST], EXACT
    if units >= frames[p, BETA]:
        bound = LOWER
    elif units <= frames[p, LOW]:
        bound = UPPER
    depth = frames[p, DEPTH] if frames[p, OPEN] else WHOLE
    slot = np.int64(saved[p, 3] & np.uint64(meta[MASK]))
    keys[slot] = saved[p, 3]
    entries[slot] = units << 20 | depth << 12 | bound << 8 | frames[p, CHOICE]


@lean
def fold(p: Any, table: Any, tree: Any) -> None:
    """Count the value of frame ``p + 1`` for frame ``p``, whose move is taken back."""
    bag = table[4]
    frames, options, _, _, _, meta, _, _, _, line = tree
    q = p + 1
    units = frames[p, GAIN] + sign(frames[p, SEAT], frames[q, SEAT], meta) * frames[q, BEST]
    frames[p, OPEN] |= frames[q, OPEN]
    if frames[p, CHANCE]:
        frames[p, BEST] += bag[frames[p, NEXT]] * units
    elif units > frames[p, BEST]:
        frames[p, BEST], frames[p, CHOICE] = units, options[p, frames[p, NEXT]] & CODE
        frames[p, ALPHA] = max(frames[p, ALPHA], units)
        follow(p, frames[p, CHOICE], line)
    frames[p, NEXT] += 1


@lean
def follow(p: Any, code: Any, line: Any) -> None:
    """Best play from frame ``p`` on is ``code`` and what is best after it."""
    line[p, 0] = code
    for k in range(LINE - 1):
        line[p, k + 1] = line[p + 1, k]
        if line[p + 1, k] < 0:
            return
    line[p, LINE - 1] = -1


@kernel
def descend(root: Any, rules: Any, table: Any, tree: Any) -> None:
    """Value of frame 1 in ``frames[1, BEST]``, unless the nodes run out: then ``meta[STOPPED]`` is set.

    Its place, seat, depth and window are given with ``root`` 1; with 0 they come of the next move of frame 0.
    What lies and what is held is in the end as it was.
    """
    meta = tree[5]
    p, entering, known = root, root == 1, False
    while True:
        if entering:
            meta[STOPPED] = meta[NODES] >= meta[LIMIT]
            meta[NODES] += 1 - meta[STOPPED]
            known = meta[STOPPED] != 0 or enter(p, rules, table, tree)
        if not known and has_next(p, table, tree):
            make(p, rules, table, tree)
            p, entering = p + 1, True
            continue
        if not known:
            close(p, tree)
        if p == root:
            return
        p, entering, known = p - 1, False, meta[STOPPED] != 0
        take_back(p, rules, table, tree)
        if p == 0:
            return
        if not known:
            fold(p, table, tree)


@lean
def candidates(seat: Any, starts: Any, roots: Any, rules: Any, table: Any, tree: Any) -> Any:
    """Fill ``roots[:, 0]`` with the starts or the moves of ``seat`` in frame 0; returns their number."""
    frames, options = tree[0], tree[1]
    if starts:
        return starts
    place, facing = np.uint64(frames[0, PLACE]), np.uint64(frames[0, FACING])
    tiles, way = cross(table[1], place), ahead(rules[0], place, facing)
    open_nets = rules[1][place] & way & ~tiles
    count = list_moves(0, seat, place, tiles & way, open_nets, rules, table, tree)
    for k in range(count):
        roots[k, 0] = options[0, k]
    return count


@lean
def begin_at(cols: Any, start: Any, seat: Any, side: Any, frames: Any) -> None:
    """Frame 1 after a start, with the window of frame 0."""
    square = start >> 2
    frames[1, PLACE], frames[1, FACING] = square // cols << 5 | square % cols, start & 3
    frames[1, SEAT], frames[1, CHANCE], frames[1, DEPTH] = seat, 0, frames[0, DEPTH] - 1
    low, high = frames[0, ALPHA], frames[0, BETA]
    frames[1, ALPHA], frames[1, BETA] = (low, high) if side > 0 else (-high, -low)


@lean
def try_root(cols: Any, root: Any, starts: Any, rules: Any, table: Any, tree: Any) -> Any:
    """Value of a candidate for the hero, if ``meta[STOPPED]`` is not set then."""
    frames, options, meta = tree[0], tree[1], tree[5]
    seat, gain = frames[0, SEAT], np.int64(0)
    if starts:
        side = sign(meta[HERO], seat, meta)
        begin_at(cols, root, seat, side, frames)
    else:
        options[0, 0], frames[0, NEXT], frames[0, COUNT], frames[0, BEST] = root, 0, 1, -INFINITE
    descend(1 if starts else 0, rules, table, tree)
    if not starts:
        side, gain = sign(seat, frames[1, SEAT], meta), frames[0, GAIN]
    return side * frames[1, BEST] + gain


@lean
def shift(roots: Any, at: Any, to: Any) -> None:
    """Move candidate ``at`` up to place ``to``, the order of the others kept."""
    code, before, value = roots[at, 0], roots[at, 1], roots[at, 2]
    for k in range(at, to, -1):
        for m in range(3):
            roots[k, m] = roots[k - 1, m]
    roots[to, 0], roots[to, 1], roots[to, 2] = code, before, value


@lean
def rank(roots: Any, count: Any) -> None:
    """Put the candidates in the order of falling values, equal ones as they were."""
    for k in range(count):
        roots[k, 1] = roots[k, 2]
    for k in range(1, count):
        to = k
        while to and roots[to - 1, 2] < roots[k, 2]:
            to -= 1
        shift(roots, k, to)


@lean
def search_round(
    cols: Any, count: Any, starts: Any, every: Any, roots: Any, rules: Any, table: Any, tree: Any
) -> Any:  # fmt: skip
    """(candidates seen, number of the best one, whether lines were cut short) at one depth; ``line[0]`` is
    the best candidate and what follows it."""
    frames, meta, line = tree[0], tree[5], tree[9]
    best, chosen, seen, more = -INFINITE, 0, 0, False
    while seen < count:
        frames[0, ALPHA], frames[0, BETA] = -INFINITE if every else best, INFINITE
        value = try_root(cols, roots[seen, 0], starts, rules, table, tree)
        if meta[STOPPED]:
            break
        roots[seen, 2] = value
        more |= frames[1, OPEN] != 0
        if value > best:
            best, chosen = value, seen
            follow(0, roots[seen, 0] & CODE, line)
        seen += 1
    return seen, chosen, more


@kernel
def think(
    extent: Any, seats: Any, hero: Any, seat: Any, place: Any, facing: Any, left: Any, limit: Any, mask: Any,
    starts: Any, every: Any, roots: Any, rules: Any, table: Any, tree: Any,
) -> Any:  # fmt: skip
    """(number of candidates, depth searched).

    ``roots[options, 3]`` become the candidates, best first: start or option, value after the last complete
    round, value in the last round. With ``starts`` (their number; ``roots[:, 0]`` then holds them) the hero
    puts the hedgehog down and ``seat`` moves first; else the hero is ``seat``. With ``every`` all candidates
    get values, not only the best: each is searched with a full window, and a round that is not complete is of
    no use. The last row of ``line`` is the best candidate (of moves) and what follows it. The depth is
    ``WHOLE`` if every line was searched to its end; the first round is always searched.
    """
    frames, meta, keys, line = tree[0], tree[5], tree[7], tree[9]
    meta[NODES], meta[STOPPED], meta[LEFT] = 0, 0, left
    meta[HERO], meta[RIVALS], meta[AVERAGED], meta[MASK] = hero, seats - 1, 0, mask
    for slot in range(mask + 1):
        keys[slot] = 0
    survey(extent[0], rules, table, tree)
    frames[0, PLACE], frames[0, FACING], frames[0, SEAT] = np.int64(place), np.int64(facing), seat
    frames[0, CHANCE], line[len(line) - 1, 0] = 0, -1
    count = candidates(seat, starts, roots, rules, table, tree)
    depth, more = 0, count > 1 or every
    while more and depth < DEEPEST:
        frames[0, DEPTH], meta[LIMIT] = depth + 1, limit if depth else INFINITE
        wide = every or depth == 0
        seen, chosen, more = search_round(extent[1], count, starts, wide, roots, rules, table, tree)
        if seen == 0 or (meta[STOPPED] and wide):
            break
        for k in range(LINE):
            line[len(line) - 1, k] = line[0, k]
        if wide:
            rank(roots, count)
        else:
            shift(roots, chosen, 0)
        if meta[STOPPED]:
            break
        depth += 1
    return count, WHOLE if depth and not more and not meta[STOPPED] else depth
