"""Rules to remember: chosen among each game's candidates, then measured against the strongest policy.

    python bench/human_rules.py [butterfly ...]     (a few minutes a game)

prints, for each setting of each game, the lines in the order chosen, what each added over the training games,
whether they are those of the game's ``human.py``, and the loss of the list over games of another seed.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from fable_solve.solver import registry
from fable_solve.solver.decisions import DecisionList, Samples, Trial, learn

TRAINING_SEED, SEED, FRESH = 1, 2, 200
"""The loss in a report is measured with the report's own seed."""
HEARD = {"win": "margin", "margin": "margin", "score": "score"}
"""What the training games are compared by: points tell more than wins."""


def main() -> None:
    for name in sys.argv[1:] or [one for one in registry.names() if registry.get(one).human]:
        human = registry.get(name).human
        for setting, trial in human.TRIALS.items():
            candidates, games = human.CANDIDATES[setting], human.TRAINING_GAMES

            rival, chosen_by = human.TRAINING.get(setting, ""), replace(trial, measure=HEARD[trial.measure])

            def worth(
                rule: DecisionList, rival: str = rival, trial: Trial = chosen_by, games: int = games
            ) -> Samples:
                return trial.played(rule, games, TRAINING_SEED, rival).ravel()

            print(f"{name} {setting}: empty list {worth(DecisionList(())).mean():.3f}", flush=True)
            keys = []
            for step in learn(candidates, worth):
                keys.append(step.key)
                print(f"  {step.key}: {step.value:.3f} (+{step.gain:.3f} ± {2 * step.se:.3f})", flush=True)
            print(
                "  as in human.py"
                if tuple(keys) == human.CHOSEN[setting]
                else f"  not as in human.py: {keys}"
            )
            found = trial.loss(DecisionList(tuple(candidates[key] for key in keys)), FRESH, SEED)
            print(
                f"  {trial.strongest} {found.first.mean:.3f}, list {found.second.mean:.3f}, loss "
                f"{found.difference.mean:.3f} ± {found.difference.half_width:.3f} (n = {FRESH})",
                flush=True,
            )


if __name__ == "__main__":
    main()
