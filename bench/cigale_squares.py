"""All chains of a square solved: the compiled closed form against nashpy's linear programme.

    python bench/cigale_squares.py [--squares 20000] [--nashpy 2] [--objective cards]

Both run on the same squares; the values are compared before the times are printed.
"""

import argparse
import time
import warnings

import nashpy
import numpy as np

from fable_solve.solver.games.cigale import kernel
from fable_solve.solver.games.cigale.advise import chain_game
from fable_solve.solver.games.cigale.cards import card
from fable_solve.solver.games.cigale.guessing import guess_matrix
from fable_solve.solver.games.cigale.squares import deal, fresh_tables, study_board
from fable_solve.solver.games.cigale.stakes import round_stake
from fable_solve.solver.games.cigale.state import LAY, State
from fable_solve.solver.rules import load_rules


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--squares", type=int, default=20_000)
    parser.add_argument("--nashpy", type=int, default=2, help="squares solved by nashpy")
    parser.add_argument("--objective", choices=["cards", "points"], default="cards")
    options = parser.parse_args()
    rules = load_rules("cigale").model
    board = study_board(rules)
    types, species = deal(board, options.squares, seed=0)
    values, fast = compiled(board, types, species, fresh_tables(rules, options.objective))
    few = slice(options.nashpy)
    slow = by_programme(rules, board, types[few], species[few], options.objective, values)
    print(f"ratio: {fast / slow:,.0f}")


def compiled(board, types, species, tables) -> tuple[np.ndarray, float]:
    """Values of every chain of the first squares, and squares a second over all of them."""
    n, chains = len(types), board.chain_array
    best, mixtures = np.empty(n, np.int64), np.empty((n, 2, 4))
    few = min(n, 50)
    values = np.empty((few, len(chains)))
    kernel.solve_squares(
        types[:few], species[:few], chains, *tables, values, best, mixtures, np.empty((0, 2))
    )
    kernel.solve_squares(
        types[:1], species[:1], chains, *tables, np.empty((1, 0)), best, mixtures, np.empty((0, 2))
    )
    started = time.perf_counter()
    kernel.solve_squares(types, species, chains, *tables, np.empty((n, 0)), best, mixtures, np.empty((0, 2)))
    taken = time.perf_counter() - started
    print(f"compiled closed form: {n / taken:,.0f} squares a second ({len(chains)} chains each)")
    return values, n / taken


def by_programme(rules, board, types, species, objective, values) -> float:
    """Squares a second of nashpy: both mixtures of every chain, values compared."""
    started, worst = time.perf_counter(), 0.0
    for n in range(len(types)):
        codes = tuple(card(int(t), int(s)) for t, s in zip(types[n], species[n], strict=True))
        state = State(LAY, 0, 1, codes, (), shelves=((0,) * 4,) * 2, insects=((0,) * 6,) * 2)
        stake = round_stake(rules, "automne", state, objective)
        for c, chain in enumerate(board.chains):
            game = chain_game(codes, chain, stake)
            matrix = guess_matrix(game.ant_gains, game.cigale_gains)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                row, column = nashpy.Game(matrix).linear_program()
            worst = max(worst, abs(row @ matrix @ column - values[n, c]))
    rate = len(types) / (time.perf_counter() - started)
    print(f"nashpy linear programme: {rate:,.3f} squares a second, largest difference of a value {worst:.1e}")
    return rate


if __name__ == "__main__":
    main()
