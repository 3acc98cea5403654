"""Butterfly: one hedgehog, moved by everybody, collects the tiles of a square, for 2-5 players."""

from fable_solve.solver.game import Facts, GameSpec, Option

GAME = GameSpec(
    name="butterfly",
    title="Butterfly",
    package=__name__,
    players=(2, 3, 4, 5),
    default_players=2,
    objectives=("margin", "win", "score"),
    policies=("random", "greedy", "lookahead", "search", "human"),
    searched=True,
    facts=Facts(
        zero_sum="2 players: yes (margin, win share)",
        chance="deal, net draws, start (placer random)",
        hidden_information="none but the order of the bag",
        simultaneous="none",
        length="at most one move a tile of the square, and the start",
    ),
    study_options=(
        Option(
            "games",
            500,
            "Games for each player count, policy and layout of nets.",
            metavar="N",
            minimum=2,
            maximum=1_000_000,
        ),
        Option(
            "strong-games",
            1000,
            "Games of strong play for each player count, layout of nets and placer.",
            metavar="N",
            minimum=2,
            maximum=1_000_000,
        ),
        Option(
            "watched",
            300,
            "Games of strong play for each player count and layout in which takes are forced.",
            metavar="N",
            minimum=2,
            maximum=1_000_000,
        ),
        Option(
            "nodes",
            500,
            "Nodes that strong play searches for a move.",
            metavar="N",
            minimum=1,
            maximum=100_000_000,
        ),
    ),
)
