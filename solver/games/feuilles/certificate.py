"""How near one sheet of ``optimised`` comes to the best that anybody can do, as a study prints it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from fable_solve.solver.estimate import Mean, mean
from fable_solve.solver.games.feuilles.bounds import proved
from fable_solve.solver.games.feuilles.findings import READINGS
from fable_solve.solver.games.feuilles.tables import frame
from fable_solve.solver.games.feuilles.worth import predicted
from fable_solve.solver.registry import get
from fable_solve.solver.result import Certificate, Finding, Section, Table
from fable_solve.solver.rollout import setup
from fable_solve.solver.rules import RuleData
from fable_solve.solver.study import Request

COLUMNS = {
    "leaf_bonus": "reading of the leaf bonuses",
    "predicted": "score of one sheet that the learned values promise",
    "games": "games of one sheet played by optimised",
    "score": "its mean score, points",
    "low": "lower end of its 95 % interval",
    "high": "upper end of its 95 % interval",
    "proved": "nobody averages more: proved, by prices",
    "proved_gap": "the same less the mean score, points",
    "gap_share": "the same as a share of the score",
}


@dataclass(frozen=True)
class Bracket:
    """The best mean score of one sheet lies between that of ``optimised`` and the bound."""

    reading: str
    predicted: float
    score: Mean
    proved: float

    @property
    def row(self) -> dict[str, Any]:
        found, gap = self.score.certificate, self.proved - self.score.mean
        return {
            "leaf_bonus": self.reading,
            "predicted": self.predicted,
            "games": self.score.n,
            "score": self.score.mean,
            "low": found.low,
            "high": found.high,
            "proved": self.proved,
            "proved_gap": gap,
            "gap_share": gap / self.score.mean,
        }

    @property
    def sentence(self) -> str:
        return (
            f"Nobody averages more than {self.proved:.2f} points alone (leaf bonus {self.reading}; proved)."
        )

    @property
    def finding(self) -> Finding:
        sure = Certificate.exact(note="an upper bound")
        name = f"nobody averages more (1 player, leaf bonus {self.reading})"
        return Finding(name, self.proved, sure, "points", self.sentence)


def bracket(reading: str, data: RuleData, games: int, seed: int) -> Bracket:
    """The bracket of one reading from ``games`` games."""
    rules = data.model.model_copy(update={"leaf_bonus": reading})
    match = setup(get("feuilles"), 1, ("optimised",), replace(data, model=rules), seed=seed).build()
    score = mean(match.block(range(games)).scores[:, 0])
    return Bracket(reading, predicted(match.game), score, proved(rules))  # type: ignore[arg-type]


def brackets(request: Request) -> tuple[Bracket, ...]:
    """The brackets of both readings."""
    games = int(request.options["games"])
    return tuple(bracket(reading, request.rules, games, request.seed) for reading in READINGS)


def table(found: Sequence[Bracket]) -> Table:
    return Table("certificate", "How well anybody can play", frame([one.row for one in found]), COLUMNS)


SECTION = Section(
    "How well anybody can play",
    ("One sheet of optimised play scores at least the mean of its games; no way to play averages more than "
     "the bound, for which zones and leaf row play for themselves at prices for what they share.",),
    ("certificate",),
)  # fmt: skip
