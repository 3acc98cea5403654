"""61 Feuilles d'automne, by Théo Rivière: a dice-and-sheet game for 1 to 12 players."""

from fable_solve.solver.game import Facts, GameSpec, Option

GAME = GameSpec(
    name="feuilles",
    title="61 Feuilles d'automne",
    package=__name__,
    players=tuple(range(1, 13)),
    default_players=1,
    objectives=("win", "margin", "score"),
    policies=("random", "greedy", "optimised", "human"),
    facts=Facts(
        zero_sum="win share and margin: yes; score: no",
        chance="three dice a round",
        hidden_information="none",
        simultaneous="every seat writes at the same time",
        length="at most 20 rounds",
    ),
    study_options=(
        Option(
            "games",
            5000,
            "Games of each player count, policy and reading.",
            metavar="N",
            minimum=10,
            maximum=1_000_000,
        ),
    ),
)
