"""Mode hiver: collected cards form reserves that buy Provisions; Red Ants guess along."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fable_solve.solver.games.cigale.cards import (
    HOLE,
    TYPES,
    format_card,
    type_of,
    without,
)
from fable_solve.solver.games.cigale.market import swap_outcomes
from fable_solve.solver.games.cigale.payment import payments
from fable_solve.solver.games.cigale.play import Cigale
from fable_solve.solver.games.cigale.state import (
    BUY,
    NOBODY,
    OVER,
    PURCHASE,
    ROW,
    SQUARE,
    SWAP,
    State,
    at_seat,
    less,
    plus,
)

Purchase = tuple[str, tuple[int, ...]] | None
"""A kind of Provision and the cards paid for it, or no purchase."""


class Hiver(Cigale):
    """The first to reach ``points_to_win`` with Provisions wins at once."""

    sources = ("deal", "provisions")

    def initial_state(self) -> State:
        """Nothing dealt yet: the square, each seat's first cards and the row are drawn in this order."""
        first = tuple(range(self.players)) * self.rules.starting_cards
        board = (HOLE,) * (self.height * self.width)
        state = State(OVER, 0, 1, board, self.rules.deck, agenda=(SQUARE, *first, ROW))
        return self.settle(
            state._replace(
                reserves=((),) * self.players,
                provisions=((),) * self.players,
                provision_pile=self.rules.provision_pile(self.players),
            )
        )

    def most_decisions(self) -> int:
        """At most four decisions a round: chain, choice, swap, purchase."""
        return 4 * self.rules.stall_guard

    def best_score(self) -> float:
        return float(sum(self._points(copies) for copies in self.rules.provisions.values()))

    def _points(self, copies: int) -> int:
        scale = self.rules.provision_points
        return scale[min(copies, len(scale) - 1)]

    # --- choices

    def guesses(self, state: State, seat: int) -> tuple[int, ...]:
        """Red Ants may name any type."""
        return super().guesses(state, seat) or tuple(range(len(TYPES)))

    def legal_actions(self, state: State, seat: int) -> Sequence[Any]:
        """In SWAP the sets of places that may leave the square; in BUY ``None`` and the purchases."""
        if state.phase == SWAP and seat == state.ant:
            return self.swaps(state, state.choice)
        if state.phase == BUY and seat == state.collector:
            return (None, *self.purchases(state, seat))
        return super().legal_actions(state, seat)

    def swaps(self, state: State, choice: int) -> tuple[tuple[int, ...], ...]:
        """Every set of places whose cards the Ant may take when it collects type ``choice``."""
        collected = self.collected(state, choice)
        return tuple(swap_outcomes(state.board, collected, state.chain, self.rules.swap_target))

    def collected(self, state: State, choice: int) -> tuple[int, ...]:
        """Places under ants with a card of type ``choice``."""
        return tuple(cell for cell in state.chain if type_of(state.board[cell]) == choice)

    def purchases(self, state: State, seat: int) -> list[tuple[str, tuple[int, ...]]]:
        """Every kind on offer with every distinct payment ``seat`` can make for it."""
        rate = self.rules.substitution_cards if self.rules.substitution else None
        return [
            (kind, paid)
            for kind in sorted(set(state.row))
            for paid in payments(state.reserves[seat], self.rules.prices[kind], rate)
        ]

    # --- the round

    def rewarded(self, state: State, choice: int, joint: Sequence[int | None]) -> tuple[int, ...]:
        """Red Ants that draw a card, from the Ant's left."""
        seats = [(state.ant + step) % self.players for step in range(1, self.players)]
        every = self.rules.red_ant_reward == "miss"
        return tuple(seat for seat in seats if seat != state.cigale and (every or joint[seat] == choice))

    def collect(self, state: State, choice: int, collector: int, drawers: tuple[int, ...]) -> State:
        state = state._replace(choice=choice, collector=collector, agenda=(*drawers, PURCHASE))
        if collector == state.ant and len(self.swaps(state, choice)) > 1:
            return state._replace(phase=SWAP)
        return self.take(state, self.collected(state, choice))

    def take(self, state: State, cells: Sequence[int]) -> State:
        """The collector adds the cards on ``cells`` to its reserve."""
        seat = state.collector
        hand = plus(state.reserves[seat], (state.board[cell] for cell in cells))
        return self.settle(
            state._replace(
                board=tuple(HOLE if i in cells else code for i, code in enumerate(state.board)),
                chain=(),
                choice=NOBODY,
                reserves=at_seat(state.reserves, seat, hand),
            )
        )

    def decide(self, state: State, action: Any) -> State:
        return self.take(state, action) if state.phase == SWAP else self.buy(state, action)

    def purchase(self, state: State) -> State:
        if self.purchases(state, state.collector):
            return state._replace(phase=BUY)
        return self.buy(state, None)

    def buy(self, state: State, purchase: Purchase) -> State:
        """The collector pays and scores; then the end, or roles and refill."""
        seat = state.collector
        bonus: tuple[int, ...] = ()
        if purchase is not None:
            kind, paid = purchase
            state = state._replace(
                reserves=at_seat(state.reserves, seat, without(state.reserves[seat], paid)),
                discard=plus(state.discard, paid),
                provisions=at_seat(state.provisions, seat, plus(state.provisions[seat], (kind,))),
                row=less(state.row, kind),
            )
            if self._someone_won(state):
                return state._replace(phase=OVER, collector=NOBODY)
            if self.rules.empty_hand_bonus and not state.reserves[seat]:
                bonus = (seat,)
        ant, cigale = self.next_roles(state, seat)
        return self.settle(
            state._replace(
                ant=ant,
                cigale=cigale,
                collector=NOBODY,
                agenda=(*bonus, SQUARE, ROW),
                round=state.round + 1,
            )
        )

    def draw_for_mode(self, state: State, item: Any) -> State:
        step = state.agenda[0]
        if step == ROW:
            return state._replace(
                row=plus(state.row, (item,)), provision_pile=less(state.provision_pile, item)
            )
        return state._replace(
            agenda=state.agenda[1:],
            pile=less(state.pile, item),
            reserves=at_seat(state.reserves, step, plus(state.reserves[step], (item,))),
        )

    # --- the end

    def _someone_won(self, state: State) -> bool:
        return max(self.scores(state)) >= self.rules.points_to_win

    def stopped(self, state: State) -> bool:
        """Whether the stall guard ended the game."""
        return state.round > self.rules.stall_guard and not self._someone_won(state)

    def ending(self, state: State) -> str:
        """What ended a game."""
        return "stall guard" if self.stopped(state) else "points"

    def is_over(self, state: State) -> bool:
        return self._someone_won(state) or self.stopped(state)

    def scores(self, state: State) -> tuple[float, ...]:
        """Provision points: one a card, more for several of a kind."""
        return tuple(
            float(sum(self._points(copies) for copies in Counter(kinds).values()))
            for kinds in state.provisions
        )

    def ranks(self, state: State) -> list[tuple[float, int]]:
        """Points, then path cards; nothing once the stall guard has ended the game."""
        scores = self.scores(state)
        if self.stopped(state):
            return [(0.0, 0)] * self.players
        return [(score, len(hand)) for score, hand in zip(scores, state.reserves, strict=True)]

    # --- in words

    def describe_decision(self, state: State, action: Any) -> str:
        if state.phase == SWAP:
            return f"seat {state.ant} takes {self.places(action)}"
        if action is None:
            return f"seat {state.collector} buys nothing"
        return f"seat {state.collector} buys {action[0]} for {' '.join(map(format_card, action[1]))}"

    def describe_table(self, state: State) -> str:
        return f", discard {len(state.discard)}, row {' '.join(state.row) or 'empty'}, round {state.round}"

    def describe_seats(self, state: State) -> list[str]:
        return [
            f"seat {seat}: reserve {' '.join(map(format_card, hand)) or 'none'}, "
            f"provisions {' '.join(kinds) or 'none'}"
            for seat, (hand, kinds) in enumerate(zip(state.reserves, state.provisions, strict=True))
        ]
