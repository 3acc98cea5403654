"""One sub-package a game; :mod:`fable_solve.solver.registry` finds them by their folder."""
