"""The rules of Cigale as a pure game: what both modes share.

A round is a few decisions with draws between them::

    LAY -> CHOOSE -> (SWAP) -> draws -> (BUY) -> draws -> LAY ...      (in brackets: hiver only)

Decisions and draws that leave one possibility are not nodes: they are made at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from fable_solve.solver.errors import BadInput, IllegalAction
from fable_solve.solver.game import CHANCE, SIMULTANEOUS, TERMINAL, Draw
from fable_solve.solver.games.cigale.cards import HOLE, TYPES, format_card, type_of
from fable_solve.solver.games.cigale.chains import legal_chains
from fable_solve.solver.games.cigale.rules import Rules
from fable_solve.solver.games.cigale.state import (
    BUY,
    CHOOSE,
    DRAW,
    LAY,
    OVER,
    PURCHASE,
    ROW,
    SQUARE,
    SWAP,
    State,
    less,
)
from fable_solve.solver.schema import shown

OBJECTIVES = ("win", "margin", "score")
NO_HOLES: frozenset[int] = frozenset()


class Cigale:
    """La Cigale et la Fourmi on a square of ``height x width`` with all options fixed."""

    def __init__(self, rules: Rules, players: int, objective: str, height: int, width: int) -> None:
        if objective not in OBJECTIVES:
            raise BadInput(f"one of {', '.join(OBJECTIVES)}", shown(objective), where="objective")
        if objective == "margin" and players != 2:
            raise BadInput("2 players for the margin", players, where="players")
        self.rules, self.players, self.objective = rules, players, objective
        self.height, self.width = height, width
        best = self.best_score()
        bounds = {"win": (0.0, 1.0), "margin": (-best, best), "score": (0.0, best)}
        self.return_bounds = bounds[objective]
        self.zero_sum = objective != "score"
        self.max_length: int | None = self.most_decisions()

    def initial_state(self) -> State:
        """Nothing dealt yet: the deal is chance."""
        raise NotImplementedError

    def best_score(self) -> float:
        """No score is higher than this."""
        raise NotImplementedError

    def most_decisions(self) -> int:
        """No play from the deal has more decisions than this."""
        raise NotImplementedError

    # --- whose move it is, and what it may be

    def player_to_move(self, state: State) -> int:
        seats = {
            LAY: state.ant,
            CHOOSE: SIMULTANEOUS,
            SWAP: state.ant,
            BUY: state.collector,
            DRAW: CHANCE,
            OVER: TERMINAL,
        }
        return seats[state.phase]

    def legal_actions(self, state: State, seat: int) -> Sequence[Any]:
        """Chains (places, sorted) to lay; types to choose, guess or name; and those of the mode."""
        if state.phase == CHOOSE:
            return self.guesses(state, seat)
        if state.phase == LAY and seat == state.ant:
            return self.chains(state)
        return ()

    def chains(self, state: State) -> tuple[tuple[int, ...], ...]:
        """Every legal chain on the square of ``state``."""
        rules, holes = self.rules, NO_HOLES
        if HOLE in state.board:
            holes = frozenset(i for i, code in enumerate(state.board) if code == HOLE)
        return legal_chains(self.height, self.width, holes, rules.ants, rules.chain_rule)

    def guesses(self, state: State, seat: int) -> tuple[int, ...]:
        """Types that ``seat`` may choose or guess: those under ants, for the Ant and the Cigale."""
        return types_under(state.board, state.chain) if seat in (state.ant, state.cigale) else ()

    def chance_outcomes(self, state: State) -> list[tuple[Any, float]]:
        """Different cards (or kinds of Provision) that may be drawn, with probability count / left."""
        bag = drawn_from(state)
        return [(item, count / len(bag)) for item, count in Counter(bag).items()]

    def chance_draw(self, state: State) -> Draw:
        """The next card off the draw pile, or Provision off theirs; a shuffled discard is a new pile."""
        if state.agenda[0] == ROW:
            return Draw("provisions", state.provision_pile, "provisions")
        return Draw("deal", state.pile, "cards")

    # --- what a move does

    def successor(self, state: State, action: Any) -> State:
        if not self._is_legal(state, action):
            raise IllegalAction(f"expected {self._expected(state)}, got {shown(action)}")
        if state.phase == DRAW:
            return self.settle(self.draw(state, action))
        if state.phase == LAY:
            return self.lay(state, action)
        if state.phase == CHOOSE:
            return self.reveal(state, action)
        return self.decide(state, action)

    def _is_legal(self, state: State, action: Any) -> bool:
        if state.phase == DRAW:
            return action in drawn_from(state)
        if state.phase != CHOOSE:
            return action in self.legal_actions(state, self.player_to_move(state))
        return (
            isinstance(action, tuple)
            and len(action) == self.players
            and all(
                entry in legal if (legal := self.guesses(state, seat)) else entry is None
                for seat, entry in enumerate(action)
            )
        )

    def _expected(self, state: State) -> str:
        kinds = {
            LAY: "a legal chain of places",
            CHOOSE: "a type for each seat that has a choice, None for the others",
            SWAP: "places that may leave the square",
            BUY: "None or a kind on offer with a payment",
            DRAW: "a card that may be drawn",
            OVER: "no action (the game is over)",
        }
        return kinds[state.phase]

    def lay(self, state: State, chain: tuple[int, ...]) -> State:
        """Ants on the places of ``chain``; with one type under them the Cigale cannot miss."""
        state = state._replace(phase=CHOOSE, chain=chain)
        types = types_under(state.board, chain)
        if len(types) > 1:
            return state
        return self.collect(state, types[0], state.cigale, ())

    def reveal(self, state: State, joint: tuple[int | None, ...]) -> State:
        """The Choix is shown; ``joint`` has one entry a seat."""
        choice, guess = joint[state.ant], joint[state.cigale]
        assert choice is not None
        if guess == choice:
            return _collected(self, state, choice, state.cigale, ())
        return _collected(self, state, choice, state.ant, self.rewarded(state, choice, joint))

    def rewarded(self, state: State, choice: int, joint: Sequence[int | None]) -> tuple[int, ...]:
        """Seats that draw a card because the Cigale missed."""
        return ()

    def collect(self, state: State, choice: int, collector: int, drawers: tuple[int, ...]) -> State:
        """``collector`` takes the cards of type ``choice`` under ants; each of ``drawers`` draws one."""
        raise NotImplementedError

    def decide(self, state: State, action: Any) -> State:
        """A decision that only this mode has."""
        raise NotImplementedError

    def next_roles(self, state: State, collector: int) -> tuple[int, int]:
        """Ant and Cigale of the next round.

        The Ant collected: both roles move one seat left. It did not: the Ant stays and the Cigale's role
        moves one seat left, past the Ant.
        """
        ant, cigale = state.ant, (state.cigale + 1) % self.players
        if collector == ant:
            return (ant + 1) % self.players, cigale
        return ant, (cigale + 1) % self.players if cigale == ant else cigale

    # --- draws

    def settle(self, state: State) -> State:
        """Do what the agenda asks for, up to the next real draw, decision or round."""
        while state.agenda:
            step = state.agenda[0]
            if step == PURCHASE:
                return self.purchase(state._replace(agenda=state.agenda[1:]))
            state, bag = self._bag(state, step)
            if not bag:
                state = state._replace(agenda=state.agenda[1:])
            elif bag[0] == bag[-1]:
                state = self.draw(state, bag[0])
            else:
                return state._replace(phase=DRAW)
        return self.start_round(state)

    def _bag(self, state: State, step: int) -> tuple[State, tuple[Any, ...]]:
        """What ``step`` draws from: nothing if it has no place for a card or there is no card."""
        if step == ROW:
            return state, state.provision_pile if len(state.row) < self.rules.row_size else ()
        if step == SQUARE and HOLE not in state.board:
            return state, ()
        if not state.pile and state.discard:
            state = state._replace(pile=state.discard, discard=())
        return state, state.pile

    def draw(self, state: State, item: Any) -> State:
        """The first step of the agenda with ``item`` drawn: the square and the row go on until full."""
        if state.agenda[0] == SQUARE:
            hole = state.board.index(HOLE)
            board = (*state.board[:hole], item, *state.board[hole + 1 :])
            return state._replace(board=board, pile=less(state.pile, item))
        return self.draw_for_mode(state, item)

    def draw_for_mode(self, state: State, item: Any) -> State:
        """A draw that only this mode has."""
        raise NotImplementedError

    def purchase(self, state: State) -> State:
        """The collector may buy (hiver)."""
        raise NotImplementedError

    def start_round(self, state: State) -> State:
        """``state`` as the Ant's to move, or over."""
        over = self.is_over(state) or not self.chains(state)
        return state._replace(phase=OVER if over else LAY)

    def is_over(self, state: State) -> bool:
        """Whether the game is over for another reason than a square without a legal chain."""
        raise NotImplementedError

    # --- the end

    def scores(self, state: State) -> tuple[float, ...]:
        raise NotImplementedError

    def ranks(self, state: State) -> Sequence[Any]:
        """For each seat what the win goes by: points, then the tie-break."""
        raise NotImplementedError

    def win_shares(self, state: State) -> tuple[float, ...]:
        ranks = self.ranks(state)
        best = max(ranks)
        return tuple((rank == best) / ranks.count(best) for rank in ranks)

    def returns(self, state: State) -> tuple[float, ...]:
        if self.objective == "win":
            return self.win_shares(state)
        scores = self.scores(state)
        if self.objective == "margin":
            return scores[0] - scores[1], scores[1] - scores[0]
        return scores

    def information_state(self, state: State, seat: int) -> State:
        """All is public between simultaneous choices, and the order of the piles is in no state."""
        return state

    # --- in words

    def describe_action(self, state: State, action: Any) -> str:
        if state.phase == DRAW:
            step = state.agenda[0]
            if step == ROW:
                return f"the row shows {action}"
            return f"{'the square' if step == SQUARE else f'seat {step}'} gets {format_card(action)}"
        if state.phase == LAY:
            return f"seat {state.ant} lays ants on {self.places(action)}"
        if state.phase == CHOOSE:
            return ", ".join(self._name(state, seat, t) for seat, t in enumerate(action) if t is not None)
        return self.describe_decision(state, action)

    def _name(self, state: State, seat: int, path_type: int) -> str:
        verb = {state.ant: "chooses", state.cigale: "guesses"}.get(seat, "names")
        return f"seat {seat} {verb} {TYPES[path_type]}"

    def describe_decision(self, state: State, action: Any) -> str:
        raise NotImplementedError

    def places(self, cells: Sequence[int]) -> str:
        """``(r,c) (r,c) ...`` of row-major places."""
        return " ".join(f"({cell // self.width},{cell % self.width})" for cell in cells)

    def describe_state(self, state: State) -> str:
        """The square (``*`` under ants), the roles, and what each seat has."""
        texts = [
            f"{format_card(code)}{'*' if i in state.chain else ''}".ljust(4)
            for i, code in enumerate(state.board)
        ]
        rows = ["".join(texts[i : i + self.width]).rstrip() for i in range(0, len(texts), self.width)]
        about = f"ant {state.ant}, cigale {state.cigale}, pile {len(state.pile)}"
        return "\n".join([*rows, about + self.describe_table(state), *self.describe_seats(state)])

    def describe_table(self, state: State) -> str:
        return ""

    def describe_seats(self, state: State) -> list[str]:
        raise NotImplementedError


def drawn_from(state: State) -> tuple[Any, ...]:
    """The pile that the next draw of ``state`` comes from."""
    return state.provision_pile if state.agenda[0] == ROW else state.pile


@lru_cache(maxsize=64)
def _collected(game: Cigale, state: State, choice: int, collector: int, drawers: tuple[int, ...]) -> State:
    """``game.collect``: every wrong guess leads to the same table, so k types have 2k, not k^2, of them."""
    return game.collect(state, choice, collector, drawers)


@lru_cache(maxsize=4096)
def types_under(board: tuple[int, ...], cells: tuple[int, ...]) -> tuple[int, ...]:
    """Path types on the given places, ascending."""
    return tuple(sorted({type_of(board[cell]) for cell in cells}))
