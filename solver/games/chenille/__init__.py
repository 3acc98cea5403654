"""Chenille terre ciel, by PGC: one Guepe against the Chenilles."""

from fable_solve.solver.game import Facts, GameSpec, Option

GAME = GameSpec(
    name="chenille",
    title="Chenille terre ciel",
    package=__name__,
    players=(2, 3, 4, 5, 6),
    default_players=2,
    objectives=("win",),
    policies=("random", "greedy", "human"),
    facts=Facts(
        zero_sum="yes (two sides: the Guepe, the Chenilles)",
        chance="ring, card turned over",
        hidden_information="cards laid face down; with hidden discards also the Guepe's hand",
        simultaneous="none",
        length="unbounded; endless play has probability 0; simulations stop at 10,000 turns",
    ),
    sides=("Guepe", "Chenilles"),
    max_states=200_000_000,
    study_options=(
        Option(
            "games",
            200,
            "Games of each pair of policies under each reading.",
            metavar="N",
            minimum=2,
            maximum=1_000_000,
        ),
    ),
)
