"""Who won, from what the win goes by."""

from __future__ import annotations

from typing import Any

from fable_solve.solver.jit import kernel


@kernel
def settle(standing: Any, winners: Any, ranks: Any) -> None:
    """Winners and ranks of games with the keys ``standing[n, seats]`` (larger is better).

    ``winners[n, seats]`` becomes the number of seats that share the win, 0 for a seat that does not;
    ``ranks[n, seats]`` 1 + the number of seats strictly ahead.
    """
    games, seats = standing.shape
    for game in range(games):
        best = standing[game].max()
        sharing = 0
        for seat in range(seats):
            sharing += standing[game, seat] == best
        for seat in range(seats):
            ahead = 0
            for other in range(seats):
                ahead += standing[game, other] > standing[game, seat]
            ranks[game, seat] = 1 + ahead
            winners[game, seat] = sharing if ahead == 0 else 0
