"""Butterfly as a game: the deal, the start, moves of the hedgehog, nets and the bag.

Squares are numbered row by row; facings are 0 north, 1 east, 2 south, 3 west. A turn is one action
``Move(facing, to, draw)``: turn, go to a tile, take it, and say whether to draw from the bag where a net is
crossed; the tile drawn is a chance node after it. The square is dealt tile by tile, each a chance node.

Chance has three sources: ``deal`` fills the square off the pile of all tiles, net draws (``bag``) go on with
that pile, and ``start`` puts the hedgehog down where the rules leave that to chance.

The start tile goes to nobody when the hedgehog is put on it, but it stays on the square: a later move may
stop there and take it like any other. With an empty bag there is nothing to draw, so nothing is offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fable_solve.solver.errors import BadInput, IllegalAction
from fable_solve.solver.game import CHANCE, TERMINAL, Draw
from fable_solve.solver.games.butterfly.rules import Cells, Rules
from fable_solve.solver.games.butterfly.tiles import KINDS, NOTHING, listed, remove, take

FACINGS = "NESW"
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
TURNS = tuple(tuple(facing for facing in range(4) if facing != (old + 2) % 4) for old in range(4))
"""``TURNS[facing]``: the facings after a turn of 0 or 90 degrees."""
BACKWARDS = (0, 3)
"""Facings along which the numbers of the squares fall."""
GAP = 255
NOWHERE = -1
OBJECTIVES = ("margin", "win", "score")


class State(NamedTuple):
    """A situation of the game; equal states have the same future."""

    board: bytes
    """Kind of the tile on each square, ``GAP`` where it is gone; shorter than the square during the deal."""
    bag: bytes
    """Number of tiles of each kind in the bag."""
    held: tuple[bytes, ...]
    """Each seat's collection, as numbers of tiles of each kind (of grasshoppers only the last)."""
    square: int
    """Where the hedgehog stands; ``NOWHERE`` before the start."""
    facing: int
    seat: int
    """The seat that moves next; during a net draw, the seat that draws."""
    drawing: bool


class Start(NamedTuple):
    """The hedgehog is put on a tile."""

    square: int
    facing: int


class Move(NamedTuple):
    """The hedgehog turns, goes straight to a tile and takes it; ``draw`` is ``None`` without an offer."""

    facing: int
    to: int
    draw: bool | None


def _to(facing: int, to: int) -> tuple[int, Move, Move, Move]:
    """A square ahead with the moves to it: without an offer, the offer declined, the offer taken."""
    return to, Move(facing, to, None), Move(facing, to, False), Move(facing, to, True)


class Butterfly:
    """Butterfly on a board of any size (:class:`fable_solve.solver.game.Game`)."""

    sources = ("deal", "bag", "start")

    def __init__(
        self,
        rules: Rules,
        players: int,
        objective: str | None,
        rows: int,
        cols: int,
        nets: Cells,
        stock: bytes,
    ) -> None:
        """``stock`` counts the tiles that may come into play, for the deal and the bounds of a score."""
        self.objective = objective or ("margin" if players == 2 else "win")
        allowed = OBJECTIVES if players == 2 else OBJECTIVES[1:]
        if self.objective not in allowed:
            raise BadInput(f"one of {', '.join(allowed)} with {players} players", repr(objective))
        self.rules, self.players, self.rows, self.cols = rules, players, rows, cols
        self.scoring = rules.scoring
        self.nets = nets
        self.is_net = bytes((r, c) in nets for r in range(rows) for c in range(cols))
        self.stock = stock
        self.max_length: int | None = rows * cols + 1
        self.zero_sum = self.objective != "score"
        low, high = self.scoring.bounds(stock)
        self.return_bounds = {
            "score": (float(low), float(high)),
            "margin": (float(low - high), float(high - low)),
            "win": (0.0, 1.0),
        }[self.objective]
        self.rays = tuple(
            tuple(tuple(self._ray(square, step)) for step in STEPS) for square in range(rows * cols)
        )
        self._moves = tuple(
            tuple(tuple(_to(facing, to) for to in ray) for facing, ray in enumerate(rays))
            for rays in self.rays
        )
        self._starts = tuple(
            tuple(Start(square, facing) for facing in range(4)) for square in range(rows * cols)
        )
        self._latest: tuple[State, tuple[Move, ...]] | None = None

    def _ray(self, square: int, step: tuple[int, int]) -> Iterator[int]:
        """Squares straight ahead, nearest first."""
        row, col = divmod(square, self.cols)
        row, col = row + step[0], col + step[1]
        while 0 <= row < self.rows and 0 <= col < self.cols:
            yield row * self.cols + col
            row, col = row + step[0], col + step[1]

    def initial_state(self) -> State:
        """The empty square, all tiles in the bag."""
        return State(b"", self.stock, (NOTHING,) * self.players, NOWHERE, 0, 0, False)

    def player_to_move(self, state: State) -> int:
        if state.drawing or len(state.board) < len(self.rays):
            return CHANCE
        if state.square == NOWHERE:
            return self._to_start(state)
        return state.seat if self.moves(state) else TERMINAL

    def ending(self, state: State) -> str:
        """What ended a game."""
        return "square empty" if state.board.count(GAP) == len(state.board) else "no move left"

    def _to_start(self, state: State) -> int:
        if state.board.count(GAP) == len(state.board):
            return TERMINAL
        placer = self.placer(state)
        return CHANCE if placer is None else placer

    def placer(self, state: State) -> int | None:
        """The seat that puts the hedgehog on the square; None if chance does."""
        places: dict[str, int | None] = {
            "first": state.seat,
            "last": (state.seat - 1) % self.players,
            "random": None,
        }
        return places[self.rules.placer]

    def legal_actions(self, state: State, seat: int) -> Sequence[Start | Move]:
        if seat != self.player_to_move(state):
            return ()
        return self.moves(state) if state.square != NOWHERE else self.starts(state)

    def starts(self, state: State) -> Sequence[Start]:
        """Every tile with every facing."""
        board = state.board
        return [start for square, kind in enumerate(board) if kind != GAP for start in self._starts[square]]

    def moves(self, state: State) -> tuple[Move, ...]:
        """Every legal move, two for a tile where a net may be used (without and with the draw).

        The moves of the state asked about last are kept: whose turn it is, what may be done and what comes
        of it are asked of one state after another.
        """
        latest = self._latest
        if latest is not None and latest[0] is state:
            return latest[1]
        moves = tuple(self._listed(state))
        self._latest = (state, moves)
        return moves

    def _listed(self, state: State) -> list[Move]:
        """Moves along the row from west to east, then along the column from north to south."""
        ways: list[list[Move]] = [[], [], [], []]
        for facing in TURNS[state.facing]:
            ways[facing] = self._ahead(state, facing)
        north, east, south, west = ways
        return west + east + north + south

    def _ahead(self, state: State, facing: int) -> list[Move]:
        """Moves in one direction, by the number of the square."""
        board, is_net, offers = state.board, self.is_net, any(state.bag)
        backwards, offer, moves = facing in BACKWARDS, False, list[Move]()
        for to, plain, declined, drawn in self._moves[state.square][facing]:
            if board[to] == GAP:
                offer = offer or bool(offers and is_net[to])
            elif offer:
                moves += (drawn, declined) if backwards else (declined, drawn)
            else:
                moves.append(plain)
        return moves[::-1] if backwards else moves

    def chance_outcomes(self, state: State) -> Sequence[tuple[Any, float]]:
        """The tile that comes out of the bag, or the start (``placer`` random)."""
        if state.drawing or len(state.board) < len(self.rays):
            total = sum(state.bag)
            return [(kind, count / total) for kind, count in enumerate(state.bag) if count]
        if self.player_to_move(state) != CHANCE:
            return ()
        starts = self.starts(state)
        return [(start, 1 / len(starts)) for start in starts]

    def chance_draw(self, state: State) -> Draw:
        """The deal and net draws come off one pile, the bag; a start is drawn afresh."""
        if state.drawing or len(state.board) < len(self.rays):
            return Draw("bag" if state.drawing else "deal", listed(state.bag), "bag")
        return Draw("start", self.starts(state))

    def successor(self, state: State, action: Any) -> State:
        if state.drawing or len(state.board) < len(self.rays):
            return self._out_of_bag(state, action)
        if state.square == NOWHERE:
            return self._started(state, action)
        if type(action) is not Move or action not in self.moves(state):
            raise self._illegal(state, action)
        seat = state.seat
        board = state.board[: action.to] + b"\xff" + state.board[action.to + 1 :]
        held = self._with_tile(state, state.board[action.to])
        next_seat = seat if action.draw else (seat + 1) % self.players
        return State(board, state.bag, held, action.to, action.facing, next_seat, bool(action.draw))

    def _with_tile(self, state: State, kind: int) -> tuple[bytes, ...]:
        """The collections after the seat to move has got a tile."""
        seat, held = state.seat, state.held
        return (*held[:seat], take(held[seat], kind), *held[seat + 1 :])

    def _out_of_bag(self, state: State, kind: Any) -> State:
        if type(kind) is not int or not 0 <= kind < len(KINDS) or not state.bag[kind]:
            raise IllegalAction(f"expected a tile of the bag, got {kind!r}")
        board, old, held, square, facing, seat, drawing = state
        bag = remove(old, kind)
        if not drawing:
            return State(board + bytes((kind,)), bag, held, square, facing, seat, False)
        held, seat = self._with_tile(state, kind), (seat + 1) % self.players
        return State(board, bag, held, square, facing, seat, False)

    def _started(self, state: State, action: Any) -> State:
        if type(action) is not Start or action not in self._starts_on(state, action.square):
            raise IllegalAction(f"expected a tile and a facing, got {action!r}")
        return state._replace(square=action.square, facing=action.facing)

    def _starts_on(self, state: State, square: Any) -> Sequence[Start]:
        """The starts on one square: four where a tile lies, else none."""
        there = type(square) is int and 0 <= square < len(state.board) and state.board[square] != GAP
        return self._starts[square] if there else ()

    def _illegal(self, state: State, action: Any) -> IllegalAction:
        """What is wrong with an action that is not a legal move."""
        if type(action) is not Move or action.facing not in TURNS[state.facing]:
            return IllegalAction(f"expected a move without turning round, got {action!r}")
        offers = [move.draw for move in self.moves(state) if move[:2] == action[:2]]
        if not offers:
            return IllegalAction(f"expected a tile straight ahead, got {action!r}")
        expected = "null" if offers == [None] else "true or false"
        return IllegalAction(f"expected draw {expected}, got {action.draw!r}")

    def scores(self, state: State) -> tuple[float, ...]:
        return tuple(self.scoring.total(held) for held in state.held)

    def win_shares(self, state: State) -> tuple[float, ...]:
        scores = self.scores(state)
        best = max(scores)
        share = 1 / scores.count(best)
        return tuple(share if score == best else 0.0 for score in scores)

    def returns(self, state: State) -> tuple[float, ...]:
        if self.objective == "win":
            return self.win_shares(state)
        scores = tuple(float(points) for points in self.scores(state))
        return scores if self.objective == "score" else (scores[0] - scores[1], scores[1] - scores[0])

    def information_state(self, state: State, seat: int) -> State:
        """The state: everything but the order of the bag is open, and that order is a chance node."""
        return state

    def cell(self, square: int) -> list[int]:
        """``[row, col]`` of a square."""
        return list(divmod(square, self.cols))

    def describe_action(self, state: State, action: Any) -> str:
        if isinstance(action, Start):
            row, col = self.cell(action.square)
            return f"start at {row},{col} facing {FACINGS[action.facing]}"
        if isinstance(action, Move):
            row, col = self.cell(action.to)
            offer = {None: "", True: ", draw", False: ", no draw"}[action.draw]
            return f"{FACINGS[action.facing]} to {row},{col} for {KINDS[state.board[action.to]]}{offer}"
        return f"{'draw' if state.drawing else 'deal'} {KINDS[action]}"

    def describe_state(self, state: State) -> str:
        """The board (``*`` marks a net laid open), the hedgehog and the collections."""
        lines = [" ".join(row) for row in self.drawn(state)]
        if state.square != NOWHERE:
            row, col = self.cell(state.square)
            lines.append(f"hedgehog {row},{col} facing {FACINGS[state.facing]}")
        for seat, held in enumerate(state.held):
            tiles = " ".join(KINDS[kind] for kind in listed(held))
            lines.append(f"seat {seat}: {self.scoring.total(held)} points: {tiles or 'nothing'}")
        return "\n".join([*lines, f"bag: {sum(state.bag)} tiles"])

    def drawn(self, state: State) -> list[list[str]]:
        """Names of the tiles by row, ``.`` for a gap, ``*`` for an open net, ``?`` for a square not dealt."""
        cells = ["?"] * len(self.rays)
        for square, kind in enumerate(state.board):
            cells[square] = KINDS[kind] if kind != GAP else ".*"[self.is_net[square]]
        return [cells[start : start + self.cols] for start in range(0, len(cells), self.cols)]
