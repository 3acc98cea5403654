"""Components in which play can go round: value iteration from both sides.

With ``T`` the one-step backup, the iterates of the smallest possible return rise to the value of the game in
which endless play counts as that smallest return, and those of the largest return fall to the value in which
it counts as the largest (Shapley 1953; Condon 1992; bounded iteration as in Haddad and Monmege 2018)::

    T^k(floor) <= value <= T^k(ceiling)      for every k, whatever endless play is worth

So where the two meet they prove the value and endless play does not matter. Where they do not, it does.
In a component without chance and simultaneous choices both limits are reached exactly after finitely many
sweeps, and with endless play worth ``e`` the value is the median of (lower limit, e, upper limit): a
threshold above ``e`` can be secured only by ending the play, one up to ``e`` also by never ending it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fable_solve.solver.errors import NotConverged
from fable_solve.solver.game import CHANCE, SIMULTANEOUS
from fable_solve.solver.stage import bounds

if TYPE_CHECKING:
    from fable_solve.solver.dynamic import Node

Vector = NDArray[np.float64]

SHARE = 1e-3
"""Part of the tolerance one component may use: values pass through many of them."""
MAX_SWEEPS = 1_000_000


@dataclass(frozen=True)
class _Group:
    """Nodes of one kind: ``nodes [n]``, the ``targets [e]`` of their edges, ``starts [n]`` into these."""

    nodes: NDArray[np.int64]
    targets: NDArray[np.int64]
    starts: NDArray[np.int64]
    weights: Vector


def iterate(
    component: Sequence[tuple[Any, Node]],
    outside: Mapping[Any, tuple[float, float]],
    limits: tuple[float, float],
    tolerance: float,
    endless: float | None,
) -> tuple[list[float], list[float]]:
    """Lower and upper ends of the values of the component's states, in its order.

    ``outside`` gives the intervals of the states that play can leave to, ``limits`` the smallest and the
    largest return. The ends differ by no more than those of the states outside and a small part of
    ``tolerance``. Raises :class:`NotConverged` when they stop getting nearer.
    """
    place = {state: i for i, (state, _) in enumerate(component)}
    place.update({state: len(place) + i for i, state in enumerate(outside)})
    nodes = [node for _, node in component]
    groups = {kind: _group(nodes, place, kind) for kind in {node.mover for node in nodes}}
    known = limits if endless is None else (*limits, endless)
    ends = [(min(known), max(known))] * len(nodes)
    low, high = np.array([*ends, *outside.values()]).T
    inherited = float(np.max((high - low)[len(nodes) :], initial=0.0))
    goal = inherited + max(SHARE * tolerance, 1e-14 * max(map(abs, known)))
    for _ in range(MAX_SWEEPS):
        before = low.copy(), high.copy()
        low, high = _sweep(groups, nodes, low, 0), _sweep(groups, nodes, high, 1)
        if float(np.max(high - low)) <= goal:
            return low[: len(nodes)].tolist(), high[: len(nodes)].tolist()
        if np.array_equal(low, before[0]) and np.array_equal(high, before[1]):
            break
    if endless is not None and not inherited and not groups.keys() & {CHANCE, SIMULTANEOUS}:
        value = np.median([low, np.full_like(low, endless), high], axis=0)[: len(nodes)].tolist()
        return value, value
    raise NotConverged(_unresolved(low[: len(nodes)], high[: len(nodes)]))


def _unresolved(low: Vector, high: Vector) -> str:
    i = int(np.argmax(high - low))
    return (
        "expected a value that does not depend on what endless play is worth, "
        f"got one between {low[i]:.9g} and {high[i]:.9g}"
    )


def _group(nodes: Sequence[Node], place: Mapping[Any, int], kind: int) -> _Group:
    chosen = [i for i, node in enumerate(nodes) if node.mover == kind]
    sizes = [len(nodes[i].successors) for i in chosen]
    return _Group(
        np.array(chosen),
        np.array([place[child] for i in chosen for child in nodes[i].successors]),
        np.cumsum([0, *sizes[:-1]]),
        np.array([weight for i in chosen for weight in nodes[i].weights]),
    )


def _sweep(groups: Mapping[int, _Group], nodes: Sequence[Node], values: Vector, end: int) -> Vector:
    """One backup of every node from the ``values`` of all places; ``end`` 0 bounds from below, 1 above."""
    result = values.copy()
    for kind, group in groups.items():
        edges = values[group.targets]
        if kind == CHANCE:
            result[group.nodes] = np.add.reduceat(group.weights * edges, group.starts)
        elif kind == SIMULTANEOUS:
            cells = np.split(edges, group.starts[1:])
            for i, matrix in zip(group.nodes, cells, strict=True):
                flat = matrix.tolist()
                result[i] = bounds(flat, flat, nodes[i].columns)[end]
        else:
            best = np.maximum if kind == 0 else np.minimum
            result[group.nodes] = best.reduceat(edges, group.starts)
    return result
