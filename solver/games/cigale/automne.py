"""Mode automne."""

from fable_solve.solver.games.cigale.play import Cigale


class Automne(Cigale):
    """Mode automne."""
