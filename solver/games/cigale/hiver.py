"""Mode hiver."""

from fable_solve.solver.games.cigale.play import Cigale


class Hiver(Cigale):
    """Mode hiver."""
