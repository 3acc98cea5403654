"""Kernels of Cigale that can be timed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fable_solve.solver.bench import Benchmark

SQUARES = 500


def _solve_squares(objective: str) -> Callable[[], Callable[[int], None]]:
    def prepare() -> Callable[[int], None]:
        from fable_solve.solver.games.cigale import kernel
        from fable_solve.solver.games.cigale.squares import deal, fresh_tables, study_board
        from fable_solve.solver.rules import load_rules

        rules = load_rules("cigale").model
        board = study_board(rules)
        types, species = deal(board, SQUARES, seed=0)
        tables, chains = fresh_tables(rules, objective), board.chain_array
        best, mixtures = np.empty(SQUARES, np.int64), np.empty((SQUARES, 2, 4))
        values, naive = np.empty((SQUARES, 0)), np.empty((0, 2))

        def run(amount: int) -> None:
            for _ in range(amount):
                kernel.solve_squares(types, species, chains, *tables, values, best, mixtures, naive)

        return run

    return prepare


BENCHMARKS = [
    Benchmark("cigale.squares", "squares", _solve_squares("cards"), scale=SQUARES),
    Benchmark("cigale.squares.points", "squares", _solve_squares("points"), scale=SQUARES),
]
