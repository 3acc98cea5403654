"""Exact values of any small enough game: backward induction, with value iteration where play can cycle.

Values go from the end of the game to the front (Zermelo 1913; Shapley 1953 for simultaneous choices)::

    v(terminal)     = returns
    v(chance)       = sum of probability * v(successor)
    v(seat to move) = best successor for that seat
    v(simultaneous) = value of the matrix game of the successors' values

Three readings of "best": with one seat it is the largest expectation, with two seats whose returns have a
constant sum it is minimax, and otherwise it is max^n (Luckhardt and Irani 1986): each seat maximises its own
return and takes, among equals (to 1e-12), the action that the rules list first. A max^n value depends on that
rule; the others do not depend on any.

States are visited depth first on an explicit stack, each once, and the strongly connected components are
told apart on the way (Tarjan 1972). A component in which play can go round is solved by
:mod:`fable_solve.solver.cycles`, which proves an interval. Simultaneous choices are proved as well: what the
row mixture guarantees and what the column mixture concedes bound the value from both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, ClassVar, NamedTuple

from fable_solve.solver.cycles import iterate
from fable_solve.solver.errors import NotConverged, Refused, TooLarge
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL, Game
from fable_solve.solver.result import Certificate
from fable_solve.solver.stage import bounds, equilibrium
from fable_solve.solver.study import silent

Progress = Callable[[int, int | None], None]

ROUNDING = 1e-9
"""What the sums of a whole solve may lose to floating point; the smallest tolerance ever claimed."""

PROGRESS_EVERY = 8192
TIE = 1e-12


@dataclass(frozen=True)
class Solution:
    """The value of a state under optimal play, and how to play it.

    ``value`` is seat 0's return, ``values`` every seat's. ``actions`` lists the actions of the seat to move
    with the return each gives that seat, best first (empty at a chance node); ``mixtures`` holds, where
    seats choose at the same time, the actions each seat uses with their probabilities.
    ``tolerance`` bounds the error of ``values``.
    """

    value: float
    values: tuple[float, ...]
    states: int
    method: str
    tolerance: float
    actions: tuple[tuple[Any, float], ...] = ()
    mixtures: tuple[tuple[tuple[Any, float], ...], ...] = ()

    @property
    def certificate(self) -> Certificate:
        return Certificate.exact(self.tolerance, note=self.method)


def solve(
    game: Game,
    state: Any,
    *,
    max_states: int = 20_000_000,
    tolerance: float = 1e-9,
    endless: float | None = None,
    progress: Progress = silent,
) -> Solution:
    """The value of ``state``, proved to ``tolerance`` (in units of the returns).

    ``endless`` is seat 0's return of a play that never ends; it is needed only where optimal play may go on
    for ever, and then only understood in components without chance or simultaneous choices.

    Raises :class:`TooLarge` beyond ``max_states`` different states, :class:`NotConverged` if the proved
    interval stays wider than ``tolerance``, :class:`Refused` for what no value is defined for here:
    simultaneous choices or cycles among seats that are not two with opposed returns.
    """
    search = _search(game, max_states, tolerance, endless, progress)
    search.explore(state)
    return search.solution(state)


def evaluate(
    game: Game,
    states: Sequence[Any],
    *,
    max_states: int = 20_000_000,
    tolerance: float = 1e-9,
    endless: float | None = None,
    progress: Progress = silent,
) -> list[tuple[float, ...]]:
    """Every seat's value of each of several states, as :func:`solve` finds them; shared states once."""
    search = _search(game, max_states, tolerance, endless, progress)
    for state in states:
        if state not in search.values:
            search.explore(state)
        search.error(state)
    return [search.point(state) for state in states]


def _search(
    game: Game, max_states: int, tolerance: float, endless: float | None, progress: Progress
) -> _Search:
    opposed = game.players == 1 or (game.players == 2 and game.zero_sum)
    return (_Opposed if opposed else _General)(game, max_states, tolerance, endless, progress)


class Node(NamedTuple):
    """A state that is not terminal: who moves, the successors, and what lies beside them."""

    mover: int
    successors: tuple[Any, ...]
    weights: tuple[float, ...] = ()
    """Chance: the probabilities."""
    columns: int = 1
    """Simultaneous: successors are the cells of a matrix, row by row, this many a row."""


@dataclass(slots=True)
class _Frame:
    """A state whose successors are being visited; ``link`` is the lowest open state reached from it."""

    node: Node
    position: int
    link: int
    rest: Iterator[Any]
    cyclic: bool = False


@dataclass
class _Search:
    """Depth-first visit of all states; subclasses say what a value is."""

    game: Game
    max_states: int
    tolerance: float
    endless: float | None
    progress: Progress
    values: dict[Any, Any] = field(default_factory=dict)
    """Finished states; an :class:`_Opposed` value is the lower end of a proved interval."""
    order: dict[Any, int] = field(default_factory=dict)
    """Open states and their place on ``opened``."""
    opened: list[tuple[Any, Node]] = field(default_factory=list)
    frames: list[_Frame] = field(default_factory=list)
    simultaneous: ClassVar[bool] = False
    """Whether choices at the same time have a value."""

    def explore(self, root: Any) -> None:
        """Value ``root`` and everything that can follow it."""
        self._enter(root)
        while self.frames:
            frame = self.frames[-1]
            for child in frame.rest:
                if child in self.values:
                    continue
                position = self.order.get(child)
                if position is not None:
                    frame.link, frame.cyclic = min(frame.link, position), True
                elif self._enter(child):
                    break
            else:
                self._leave(self.frames.pop())

    def _enter(self, state: Any) -> bool:
        """Open ``state``; whether it has successors to visit first."""
        count = len(self.values) + len(self.order)
        if count >= self.max_states:
            raise TooLarge("states", self._seen(), self.max_states)
        if not count % PROGRESS_EVERY:
            self.progress(count, None)
        node = self.node(state)
        if node is None:
            self.values[state] = self.terminal(state)
            return False
        position = len(self.opened)
        self.order[state] = position
        self.opened.append((state, node))
        self.frames.append(_Frame(node, position, position, iter(node.successors)))
        return True

    def _leave(self, frame: _Frame) -> None:
        """All successors are visited: value the component that ``frame`` began, if it did begin one."""
        if self.frames:
            self.frames[-1].link = min(self.frames[-1].link, frame.link)
        if frame.link < frame.position:
            return
        component = self.opened[frame.position :]
        del self.opened[frame.position :]
        if len(component) == 1 and not frame.cyclic:
            self.back_up(*component[0])
        else:
            self.solve_cycle(component)
        for state, _ in component:
            del self.order[state]

    def _seen(self) -> int:
        """Different states met so far, whether visited or only listed as successors."""
        listed = {child for frame in self.frames for child in frame.node.successors}
        listed.update(self.values, self.order)
        return len(listed)

    def node(self, state: Any) -> Node | None:
        """``state`` with its successors; None if it is terminal."""
        mover = self.game.player_to_move(state)
        successor = self.game.successor
        if mover == TERMINAL:
            return None
        if mover == CHANCE:
            outcomes = self.game.chance_outcomes(state)
            return Node(
                CHANCE, tuple(successor(state, o) for o, _ in outcomes), tuple(p for _, p in outcomes)
            )
        if mover == SIMULTANEOUS:
            return self._joint(state)
        return Node(mover, tuple(successor(state, a) for a in self.game.legal_actions(state, mover)))

    def _joint(self, state: Any) -> Node:
        choices = self.choices(state)
        seats = [seat for seat, actions in enumerate(choices) if actions != (None,)]
        cells = tuple(self.game.successor(state, joint) for joint in product(*choices))
        if len(seats) <= 1:
            return Node(seats[0] if seats else 0, cells)
        if not self.simultaneous:
            raise Refused("expected simultaneous choices of two players with opposed returns, got others")
        return Node(SIMULTANEOUS, cells, columns=len(choices[1]))

    def choices(self, state: Any) -> list[tuple[Any, ...]]:
        """Each seat's actions at a simultaneous node; ``(None,)`` for a seat that has no choice."""
        return [tuple(self.game.legal_actions(state, seat)) or (None,) for seat in range(self.game.players)]

    def actions(self, state: Any) -> list[Any]:
        """What leads to each successor of ``state``, in the order of its node."""
        mover = self.game.player_to_move(state)
        if mover == SIMULTANEOUS:
            return list(product(*self.choices(state)))
        return list(self.game.legal_actions(state, mover)) if mover >= 0 else []

    def ranked(self, state: Any, node: Node) -> tuple[tuple[Any, float], ...]:
        """The mover's actions with its return, best first; equals stay in the order of the rules."""
        pairs = [
            (action, self.point(child)[node.mover])
            for action, child in zip(self.actions(state), node.successors, strict=False)
        ]
        return tuple(sorted(pairs, key=lambda pair: -round(pair[1], 12)))

    def terminal(self, state: Any) -> Any:
        raise NotImplementedError

    def back_up(self, state: Any, node: Node) -> None:
        """Value ``state`` from its successors."""
        raise NotImplementedError

    def solve_cycle(self, component: Sequence[tuple[Any, Node]]) -> None:
        raise NotImplementedError

    def point(self, state: Any) -> tuple[float, ...]:
        """Each seat's value of a finished state."""
        raise NotImplementedError

    def error(self, state: Any) -> float:
        """A bound of the error of :meth:`point`; raises :class:`NotConverged` above the tolerance."""
        return ROUNDING

    def solution(self, root: Any) -> Solution:
        raise NotImplementedError


class _General(_Search):
    """max^n: a value is the tuple of all seats' returns."""

    def terminal(self, state: Any) -> tuple[float, ...]:
        return self.game.returns(state)

    def back_up(self, state: Any, node: Node) -> None:
        values = [self.values[child] for child in node.successors]
        if node.mover == CHANCE:
            columns = zip(*values, strict=True)
            self.values[state] = tuple(
                sum(p * v for p, v in zip(node.weights, column, strict=True)) for column in columns
            )
        else:
            best = max(value[node.mover] for value in values)
            self.values[state] = next(value for value in values if value[node.mover] >= best - TIE)

    def solve_cycle(self, component: Sequence[tuple[Any, Node]]) -> None:
        raise Refused("expected play that ends, or two players with opposed returns, got neither")

    def point(self, state: Any) -> tuple[float, ...]:
        value: tuple[float, ...] = self.values[state]
        return value

    def solution(self, root: Any) -> Solution:
        values, node = self.point(root), self.node(root)
        actions = self.ranked(root, node) if node and node.mover >= 0 else ()
        return Solution(
            values[0], values, len(self.values), "max^n, first listed among equals", ROUNDING, actions
        )


@dataclass
class _Opposed(_Search):
    """One seat, or two whose returns have a constant sum: a value is seat 0's return.

    ``values`` holds the lower end of its interval, ``high`` the upper end where that is another number.
    """

    simultaneous = True
    high: dict[Any, float] = field(default_factory=dict)
    total: float = 0.0
    cycles: int = 0

    def terminal(self, state: Any) -> float:
        returns = self.game.returns(state)
        self.total = sum(returns)
        return returns[0]

    def back_up(self, state: Any, node: Node) -> None:
        lows = [self.values[child] for child in node.successors]
        highs = self._highs(node, lows)
        if node.mover == SIMULTANEOUS:
            low, high = bounds(lows, highs, node.columns)
        else:
            low = high = _backed_up(node, lows)
            if highs is not lows:
                high = _backed_up(node, highs)
        self._store(state, low, high)

    def _highs(self, node: Node, lows: list[float]) -> list[float]:
        if not self.high:
            return lows
        return [self.high.get(child, low) for child, low in zip(node.successors, lows, strict=True)]

    def _store(self, state: Any, low: float, high: float) -> None:
        self.values[state] = low
        if high != low:
            self.high[state] = high

    def solve_cycle(self, component: Sequence[tuple[Any, Node]]) -> None:
        self.cycles += 1
        outside = {
            child: (self.values[child], self.high.get(child, self.values[child]))
            for _, node in component
            for child in node.successors
            if child in self.values
        }
        floor, ceiling = self.game.return_bounds
        ends = iterate(component, outside, (floor, ceiling), self.tolerance, self.endless)
        for (state, _), low, high in zip(component, *ends, strict=True):
            self._store(state, low, high)

    def point(self, state: Any) -> tuple[float, ...]:
        low = self.values[state]
        value = (low + self.high.get(state, low)) / 2
        return (value,) if self.game.players == 1 else (value, self.total - value)

    def error(self, state: Any) -> float:
        low = self.values[state]
        half: float = (self.high.get(state, low) - low) / 2
        if half > self.tolerance:
            raise NotConverged(
                f"expected a value to {self.tolerance:g}, got {low + half:.9g} +- {half:.1e} "
                f"after {len(self.values)} states"
            )
        return max(half, ROUNDING)

    def solution(self, root: Any) -> Solution:
        error, values, node = self.error(root), self.point(root), self.node(root)
        actions, mixtures = self._play(root, node)
        method = "backward induction" + (" and value iteration" if self.cycles else "")
        return Solution(values[0], values, len(self.values), method, error, actions, mixtures)

    def _play(self, root: Any, node: Node | None) -> tuple[Any, Any]:
        """The ranked actions, or the mixtures, at the root."""
        if node is None or node.mover == CHANCE:
            return (), ()
        if node.mover != SIMULTANEOUS:
            return self.ranked(root, node), ()
        cells = [self.point(child)[0] for child in node.successors]
        mixtures = equilibrium(cells, node.columns)
        return (), tuple(
            tuple((action, p) for action, p in zip(actions, mixture, strict=True) if p > 0.0)
            for actions, mixture in zip(self.choices(root), mixtures, strict=True)
        )


def _backed_up(node: Node, values: Sequence[float]) -> float:
    """Value of a chance node or of a seat's choice: expectation, maximum (seat 0) or minimum (seat 1)."""
    if node.mover == CHANCE:
        return sum(p * v for p, v in zip(node.weights, values, strict=True))
    return max(values) if node.mover == 0 else min(values)
