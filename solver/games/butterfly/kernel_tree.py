"""Tree search of Butterfly, compiled: alpha-beta with iterative deepening and a table of nodes.

With 2 players this is the game itself (Knuth and Moore 1975), with chance nodes in full width (Ballard 1983,
without his cuts). With more it is *paranoid* (Sturtevant and Korf 2000): the others are one side that
minimises what the searching seat is ahead of their mean. By the method ``MAXN`` the same search cuts nothing
off, and every seat plays for itself (:mod:`kernel_maxn`).

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
from fable_solve.solver.games.butterfly.kernel_collection import score
from fable_solve.solver.games.butterfly.kernel_maxn import add, clear, copy, judge, prefers, share_out
from fable_solve.solver.games.butterfly.kernel_search import (
    ALLOWED,
    ALPHA,
    AT,
    AVERAGED,
    BEST,
    BETA,
    CHANCE,
    CHOICE,
    CODE,
    COLS,
    COUNT,
    DEPTH,
    EVERY,
    FACING,
    GAIN,
    HERO,
    INFINITE,
    LEFT,
    LIMIT,
    LOW,
    MASK,
    MAXN,
    METHOD,
    MOVER,
    NEXT,
    NODES,
    OPEN,
    PARANOID,
    PLACE,
    RIVALS,
    SEAT,
    SEATS,
    STARTS,
    STOPPED,
    TOWARDS,
    UNIT,
    estimate,
    list_moves,
    make,
    node_key,
    sign,
    survey,
    take_back,
    to_front,
)
from fable_solve.solver.jit import lean, part, step

EXACT, LOWER, UPPER = 0, 1, 2
WHOLE = 255
DEEPEST = 254
LINE = 16
KINDS = 63


@step
def enter(p: Any, rules: Any, table: Any, tree: Any) -> Any:
    """Look at a new node; returns whether its value is known at once (``frames[p, BEST]``)."""
    reach, nets = rules[0], rules[1]
    lines = table[1]
    frames, options, saved, _, _, meta, _, keys, entries, line = tree[:10]
    line[p, 0] = -1
    frames[p, NEXT], frames[p, OPEN] = 0, 0
    if frames[p, CHANCE]:
        frames[p, BEST], frames[p, COUNT] = 0, KINDS
        clear(p, tree[11])
        return False
    place, facing = np.uint64(frames[p, PLACE]), np.uint64(frames[p, FACING])
    tiles, way = cross(lines, place), ahead(reach, place, facing)
    choices = tiles & way
    if not choices or frames[p, DEPTH] <= 0:
        frames[p, OPEN] = choices != 0
        settle(p, place, choices, rules, table, tree)
        return True
    key = node_key(place, facing, tiles & ~way, rules, table, tree)
    saved[p, 3] = key
    slot = np.int64(key & np.uint64(meta[MASK]))
    known = keys[slot] == key
    if known and recall(p, slot, tree):
        return True
    frames[p, BEST], frames[p, CHOICE], frames[p, LOW] = -INFINITE, 0, frames[p, ALPHA]
    open_nets = nets[place] & way & ~tiles
    frames[p, COUNT] = list_moves(p, frames[p, SEAT], place, choices, open_nets, rules, table, tree)
    if known:
        to_front(options, p, frames[p, COUNT], entries[slot] & CODE)
    return False


@step
def settle(p: Any, place: Any, choices: Any, rules: Any, table: Any, tree: Any) -> None:
    """The value of a node where the search goes no deeper, for want of moves or of depth."""
    frames, meta = tree[0], tree[5]
    if meta[METHOD] == MAXN:
        judge(p, place, choices, rules, table, tree)
    elif choices:
        frames[p, BEST] = estimate(frames[p, SEAT], place, choices, rules, table, tree)
    else:
        frames[p, BEST] = 0


@step
def recall(p: Any, slot: Any, tree: Any) -> Any:
    """Whether an entry of the table settles the node."""
    frames, meta, entry = tree[0], tree[5], tree[8][slot]
    depth, bound, units = entry >> 12 & 255, entry >> 8 & 3, entry >> 20
    if depth < frames[p, DEPTH]:
        return False
    if (bound == LOWER and units < frames[p, BETA]) or (bound == UPPER and units > frames[p, ALPHA]):
        return False
    frames[p, BEST], frames[p, OPEN] = units, depth != WHOLE
    if meta[METHOD] == MAXN:
        copy(tree[12], slot, tree[11], p)
    return True


@step
def has_next(p: Any, table: Any, tree: Any) -> Any:
    """Whether there is more to look at, which ``frames[p, NEXT]`` then names."""
    bag, frames = table[4], tree[0]
    if frames[p, CHANCE]:
        while frames[p, NEXT] < KINDS and not bag[frames[p, NEXT]]:
            frames[p, NEXT] += 1
    elif frames[p, BEST] >= frames[p, BETA]:
        return False
    return frames[p, NEXT] < frames[p, COUNT]


@step
def close(p: Any, tree: Any) -> None:
    """The value of a node all of whose moves were seen, or cut off, goes to the table."""
    frames, saved, meta, keys, entries = tree[0], tree[2], tree[5], tree[7], tree[8]
    values, vectors = tree[11], tree[12]
    if frames[p, CHANCE]:
        frames[p, BEST] //= meta[LEFT]
        if meta[METHOD] == MAXN:
            share_out(p, meta[LEFT], values)
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
    if meta[METHOD] == MAXN:
        copy(values, p, vectors, slot)


@step
def fold(p: Any, table: Any, tree: Any) -> None:
    """Count the value of frame ``p + 1`` for frame ``p``, whose move is taken back."""
    frames, options, meta, line, values = tree[0], tree[1], tree[5], tree[9], tree[11]
    frames[p, OPEN] |= frames[p + 1, OPEN]
    times = np.int64(table[4][frames[p, NEXT]]) if frames[p, CHANCE] else 0
    if meta[METHOD] == PARANOID:
        side = sign(frames[p, SEAT], frames[p + 1, SEAT], meta)
        units = frames[p, GAIN] + side * frames[p + 1, BEST]
        better = units > frames[p, BEST]
    else:
        units = values[p + 1, frames[p, SEAT]]
        better = frames[p, CHANCE] == 0 and prefers(p, frames, values)
        if times:
            add(p, times, values)
        elif better:
            copy(values, p + 1, values, p)
    if times:
        frames[p, BEST] += times * units
    elif better:
        frames[p, BEST], frames[p, CHOICE] = units, options[p, frames[p, NEXT]] & CODE
        frames[p, ALPHA] = max(frames[p, ALPHA], units)
        follow(p, frames[p, CHOICE], line)
    frames[p, NEXT] += 1


@step
def follow(p: Any, code: Any, line: Any) -> None:
    """Best play from frame ``p`` on is ``code`` and what is best after it."""
    line[p, 0] = code
    for k in range(LINE - 1):
        line[p, k + 1] = line[p + 1, k]
        if line[p + 1, k] < 0:
            return
    line[p, LINE - 1] = -1


@part
def descend(root: Any, rules: Any, table: Any, tree: Any) -> None:
    """Value of frame 1 in ``frames[1, BEST]``, unless the nodes run out: then ``meta[STOPPED]`` is set.

    Its place, seat, depth and window are given with ``root`` 1; with 0 they come of the next move of frame 0.
    What lies and what is held is in the end as it was.
    """
    meta = tree[5]
    p, entering, known = np.int64(root), root == 1, False
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


@part
def candidates(roots: Any, rules: Any, table: Any, tree: Any) -> Any:
    """Fill ``roots[:, 0]`` with the moves of frame 0 unless it holds the starts; returns their number."""
    frames, options, meta = tree[0], tree[1], tree[5]
    if meta[STARTS]:
        return meta[STARTS]
    place, facing = np.uint64(frames[0, PLACE]), np.uint64(frames[0, FACING])
    tiles, way = cross(table[1], place), ahead(rules[0], place, facing)
    open_nets = rules[1][place] & way & ~tiles
    count = list_moves(np.int64(0), frames[0, SEAT], place, tiles & way, open_nets, rules, table, tree)
    for k in range(count):
        roots[k, 0] = options[0, k]
    return count


@step
def begin_at(start: Any, side: Any, tree: Any) -> None:
    """Frame 1 after a start, with the window of frame 0."""
    frames, meta, square = tree[0], tree[5], start >> 2
    frames[1, PLACE], frames[1, FACING] = square // meta[COLS] << 5 | square % meta[COLS], start & 3
    frames[1, SEAT], frames[1, CHANCE], frames[1, DEPTH] = meta[MOVER], 0, frames[0, DEPTH] - 1
    low, high = frames[0, ALPHA], frames[0, BETA]
    frames[1, ALPHA], frames[1, BETA] = (low, high) if side > 0 else (-high, -low)


@part
def try_root(root: Any, rules: Any, table: Any, tree: Any) -> Any:
    """Value of a candidate for the hero, if ``meta[STOPPED]`` is not set then."""
    frames, options, meta, values = tree[0], tree[1], tree[5], tree[11]
    starts = meta[STARTS] != 0
    if starts:
        begin_at(root, sign(meta[HERO], meta[MOVER], meta), tree)
        frames[0, GAIN] = 0
    else:
        options[0, 0], frames[0, NEXT], frames[0, COUNT], frames[0, BEST] = root, 0, 1, -INFINITE
    descend(1 if starts else 0, rules, table, tree)
    if meta[METHOD] == MAXN:
        return values[1, meta[HERO]]
    return frames[0, GAIN] + sign(meta[HERO], frames[1, SEAT], meta) * frames[1, BEST]


@step
def shift(roots: Any, at: Any, to: Any) -> None:
    """Move candidate ``at`` up to place ``to``, the order of the others kept."""
    code, before, value = roots[at, 0], roots[at, 1], roots[at, 2]
    for k in range(at, to, -1):
        for m in range(3):
            roots[k, m] = roots[k - 1, m]
    roots[to, 0], roots[to, 1], roots[to, 2] = code, before, value


@step
def rank(roots: Any, count: Any) -> None:
    """Put the candidates in the order of falling values, equal ones as they were."""
    for k in range(count):
        roots[k, 1] = roots[k, 2]
    for k in range(1, count):
        to = k
        while to and roots[to - 1, 2] < roots[k, 2]:
            to -= 1
        shift(roots, k, to)


@part
def search_round(count: Any, wide: Any, roots: Any, rules: Any, table: Any, tree: Any) -> Any:
    """(candidates seen, number of the best one, whether lines were cut short) at one depth; ``line[0]`` is
    the best candidate and what follows it. ``wide``: every candidate has a full window."""
    frames, meta, line = tree[0], tree[5], tree[9]
    best, chosen, seen, more = -INFINITE, 0, 0, False
    while seen < count:
        frames[0, ALPHA], frames[0, BETA] = -INFINITE if wide else best, INFINITE
        value = try_root(roots[seen, 0], rules, table, tree)
        if meta[STOPPED]:
            break
        roots[seen, 2] = value
        more |= frames[1, OPEN] != 0
        if value > best:
            best, chosen = value, seen
            follow(0, roots[seen, 0] & CODE, line)
        seen += 1
    return seen, chosen, more


@part
def set_up(rules: Any, table: Any, tree: Any) -> None:
    """The root in frame 0, an empty table."""
    frames, meta, keys, line, totals = tree[0], tree[5], tree[7], tree[9], tree[10]
    meta[NODES], meta[STOPPED], meta[AVERAGED] = 0, 0, 0
    meta[RIVALS] = meta[SEATS] - 1 if meta[METHOD] == PARANOID else 1
    for slot in range(meta[MASK] + 1):
        keys[slot] = 0
    for seat in range(meta[SEATS]):
        totals[seat] = UNIT * score(table[2], seat, rules[3])
    survey(rules, table, tree)
    frames[0, PLACE], frames[0, FACING], frames[0, SEAT] = meta[AT], meta[TOWARDS], meta[MOVER]
    frames[0, CHANCE], line[len(line) - 1, 0] = 0, -1


@lean
def think(roots: Any, rules: Any, table: Any, tree: Any) -> Any:
    """(number of candidates, depth searched).

    What is asked stands in ``meta``. ``roots[options, 3]`` become the candidates, best first: start or
    option, value after the last complete round, value in the last round. With ``STARTS`` (their number;
    ``roots[:, 0]`` then holds them) the ``HERO`` puts the hedgehog down and ``MOVER`` moves first; else the
    hero is the mover. With ``EVERY`` all candidates get values, not only the best: each is searched with a
    full window, and a round that is not complete is of no use. The last row of ``line`` is the best candidate
    (of moves) and what follows it. The depth is ``WHOLE`` if every line was searched to its end; the first
    round is always searched. ``rounds[depth - 1]`` is what a complete round found: nodes so far, the best
    candidate, its value.
    """
    frames, meta, line, rounds = tree[0], tree[5], tree[9], tree[13]
    set_up(rules, table, tree)
    count = candidates(roots, rules, table, tree)
    every = meta[EVERY] != 0
    depth, more = 0, count > 1 or every
    while more and depth < DEEPEST:
        frames[0, DEPTH], meta[LIMIT] = depth + 1, meta[ALLOWED] if depth else INFINITE
        wide = every or depth == 0
        seen, chosen, more = search_round(count, wide, roots, rules, table, tree)
        if seen == 0 or (meta[STOPPED] and wide):
            break
        for k in range(LINE):
            line[len(line) - 1, k] = line[0, k]
        if wide:
            rank(roots, count)
        else:
            shift(roots, chosen, np.int64(0))
        if meta[STOPPED]:
            break
        rounds[depth, 0], rounds[depth, 1], rounds[depth, 2] = meta[NODES], roots[0, 0], roots[0, 2]
        depth += 1
    return count, WHOLE if depth and not more and not meta[STOPPED] else depth
