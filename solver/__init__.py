"""Rules, exact solvers, matrix games and simulation of modern board games (pure library)."""
