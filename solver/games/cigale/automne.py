"""Mode automne: collected cards move cubes along shelves, insects are kept for the end."""

from __future__ import annotations

from fable_solve.solver.games.cigale.cards import HOLE, NO_INSECT, SPECIES, TYPES, insect_of, type_of
from fable_solve.solver.games.cigale.play import Cigale
from fable_solve.solver.games.cigale.state import OVER, SQUARE, State, at_seat


class Automne(Cigale):
    """Two full shelves, or a square that cannot be refilled, end the game; most points win."""

    sources = ("deal",)

    def initial_state(self) -> State:
        """Nothing dealt yet: the square comes card by card from the full pile."""
        nothing = ((0,) * len(TYPES),) * self.players
        no_insects = ((0,) * len(SPECIES),) * self.players
        board = (HOLE,) * (self.height * self.width)
        state = State(OVER, 0, 1, board, self.rules.deck, agenda=(SQUARE,))
        return self.settle(state._replace(shelves=nothing, insects=no_insects))

    def most_decisions(self) -> int:
        """Two decisions a round; each round but the last takes at least one card of the pile."""
        return 2 * (max(0, len(self.rules.deck) - self.height * self.width) + 1)

    def best_score(self) -> float:
        return len(TYPES) * self.rules.shelf_points[-1] + len(SPECIES) * self.rules.insect_points[-1]

    def collect(self, state: State, choice: int, collector: int, drawers: tuple[int, ...]) -> State:
        board, shelves, insects = list(state.board), list(state.shelves[collector]), state.insects
        taken = [cell for cell in state.chain if type_of(board[cell]) == choice]
        kept = [insect_of(board[cell]) for cell in taken]
        for cell in taken:
            board[cell] = HOLE
        shelves[choice] = min(shelves[choice] + len(taken), len(self.rules.shelf_points) - 1)
        if any(insect != NO_INSECT for insect in kept):
            counts = tuple(n + kept.count(i) for i, n in enumerate(insects[collector]))
            insects = at_seat(insects, collector, counts)
        ant, cigale = self.next_roles(state, collector)
        state = state._replace(
            ant=ant,
            cigale=cigale,
            board=tuple(board),
            chain=(),
            shelves=at_seat(state.shelves, collector, tuple(shelves)),
            insects=insects,
            agenda=(SQUARE,),
        )
        if self.is_over(state) or board.count(HOLE) > len(state.pile):
            return state._replace(phase=OVER, agenda=())
        return self.settle(state)

    def is_over(self, state: State) -> bool:
        top = len(self.rules.shelf_points) - 1
        return any(places.count(top) >= self.rules.shelves_to_end for places in state.shelves)

    def ending(self, state: State) -> str:
        """What ended a game."""
        return "shelves" if self.is_over(state) else "pile too small"

    def scores(self, state: State) -> tuple[float, ...]:
        """Shelf points and points for sets of one species."""
        shelf, sets = self.rules.shelf_points, self.rules.insect_points
        return tuple(
            float(sum(shelf[place] for place in places) + sum(sets[min(n, len(sets) - 1)] for n in kept))
            for places, kept in zip(state.shelves, state.insects, strict=True)
        )

    def ranks(self, state: State) -> list[tuple[float, int]]:
        """Points, then insect cards."""
        return [(score, sum(kept)) for score, kept in zip(self.scores(state), state.insects, strict=True)]

    def describe_seats(self, state: State) -> list[str]:
        return [
            f"seat {seat}: shelves {' '.join(map(str, places))}, insects "
            + (" ".join(SPECIES[i] * n for i, n in enumerate(kept) if n) or "none")
            for seat, (places, kept) in enumerate(zip(state.shelves, state.insects, strict=True))
        ]
