"""La Cigale et la Fourmi (The Grasshopper & the Ant), by Yoann Levet: modes automne and hiver."""

from fable_solve.solver.game import Facts, GameSpec, Option

GAME = GameSpec(
    name="cigale",
    title="La Cigale et la Fourmi",
    package=__name__,
    players=(2, 3, 4),
    default_players=2,
    modes=("automne", "hiver"),
    objectives=("cards", "points", "margin", "win"),
    policies=("random", "greedy", "stage", "human"),
    facts=Facts(
        zero_sum="2 players: yes (margin, win share)",
        chance="deal, refill",
        hidden_information="none between rounds",
        simultaneous="Choix, guess, Red Ant names",
        length="automne: at most 33 rounds; hiver: at most 200 rounds",
    ),
    max_states=2_000_000,
    study_options=(
        Option(
            "boards", 2000, "Squares dealt from the full deck.", metavar="N", minimum=2, maximum=1_000_000
        ),
        Option("position", None, "A position whose square is analysed beside the study.", metavar="FILE"),
    ),
)
