"""What the samples of a study say: estimates with intervals, headline findings, and the answer in sentences.

Sheets of one game share their dice, so every interval is of the means of games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from fable_solve.solver.estimate import Z95, Mean, Share, mean, share
from fable_solve.solver.games.feuilles.sampling import Sample
from fable_solve.solver.result import Certificate, Finding

READINGS = ("exact", "reach")
POLICIES = ("random", "greedy", "optimised")
MOST_NAMED = 4
"""Player counts that a sentence names one by one; of more it names the fewest and the most."""

Estimate = Callable[[int, str], Mean | Share]
"""(players, policy) -> estimate."""


@dataclass(frozen=True)
class Evidence:
    """The samples of a study and the reading of the leaf bonuses that its conclusions are about."""

    samples: tuple[Sample, ...]
    players: tuple[int, ...]
    own: str
    policies: tuple[str, ...] = POLICIES

    def find(self, players: int, policy: str, reading: str | None = None) -> Sample:
        wanted = (players, policy, reading or self.own)
        return next(s for s in self.samples if (s.players, s.policy, s.reading) == wanted)

    def score(self, players: int, policy: str) -> Mean:
        """Score of a sheet."""
        return mean(game_means(self.find(players, policy), "score"))

    def rounds(self, players: int, policy: str) -> Mean:
        """Length of a game."""
        return mean(self.find(players, policy).by_game("rounds"))

    def ended(self, players: int, policy: str) -> Share:
        """Share of the games that a leaf total ends."""
        return ended(self.find(players, policy))

    def win(self, players: int) -> Share:
        """Share of the wins of one seat of ``optimised`` among greedy rivals."""
        return share(self.find(players, "optimised").own("win_share")[:, 0])

    def raced(self, counts: Sequence[int]) -> tuple[int, ...]:
        """The player counts at which ``optimised`` meets rivals."""
        return tuple(count for count in counts if count > 1 and "optimised" in self.policies)

    def gain(self, players: int, policy: str) -> Mean:
        """What ``reach`` adds to the score of ``exact``, game by game with the same dice."""
        exact, reach = (game_means(self.find(players, policy, reading), "score") for reading in READINGS)
        return mean(reach - exact)

    def change(self, policy: str) -> tuple[float, Certificate]:
        """Score with the most players less that with the fewest; their games are independent."""
        first, last = (self.score(count, policy) for count in self.ends)
        difference, reach = last.mean - first.mean, Z95 * hypot(first.se, last.se)
        return difference, Certificate.sampled(difference - reach, difference + reach, first.n)

    @property
    def ends(self) -> tuple[int, ...]:
        """The fewest and the most players asked for; one entry if they are the same."""
        return tuple(dict.fromkeys((self.players[0], self.players[-1])))

    @property
    def named(self) -> tuple[int, ...]:
        return self.players if len(self.players) <= MOST_NAMED else self.ends


def game_means(sample: Sample, column: str) -> Any:
    """Mean over the seats that play the policy, game by game: ``[games]``, independent."""
    return sample.own(column).mean(axis=1)


def ended(sample: Sample) -> Share:
    return share(sample.by_game("by_leaves"))


def who(players: int) -> str:
    """
    >>> who(1), who(3)
    ('1 player', '3 players')
    """
    return f"{players} player{'s' if players > 1 else ''}"


def findings(evidence: Evidence) -> tuple[Finding, ...]:
    """Of several player counts the fewest and the most; what is not a score of the strongest policy only."""
    several, best = len(evidence.players) > 1, evidence.policies[-1:]
    return (
        *_each(evidence, evidence.policies, "score of a sheet", "points", evidence.score),
        *(_change(evidence, policy) for policy in best if several),
        *(_win(evidence, players) for players in evidence.raced(evidence.ends)),
        *_each(evidence, best, "what reach adds to exact", "points", evidence.gain),
        *_each(evidence, best, "length of a game", "rounds", evidence.rounds),
        *_each(evidence, best, "ended by leaves", "share of games", evidence.ended),
    )


def _each(
    evidence: Evidence, policies: Sequence[str], what: str, unit: str, estimate: Estimate
) -> list[Finding]:
    found = []
    for players in evidence.ends:
        for policy in policies:
            number, where = estimate(players, policy), f"{who(players)}, {policy}"
            sentence = f"With {where} play, leaf bonus {evidence.own}."
            if estimate == evidence.gain:
                sentence = f"With {where} play, both readings meeting the same dice."
            found.append(Finding(f"{what} ({where})", number.mean, number.certificate, unit, sentence))
    return found


def _win(evidence: Evidence, players: int) -> Finding:
    found = evidence.win(players)
    name, others = (
        f"won by one seat of optimised ({who(players)})",
        who(players - 1).replace("player", "rival"),
    )
    sentence = f"Ties shared, against {others} of greedy play, leaf bonus {evidence.own}."
    return Finding(name, found.mean, found.certificate, "share of games", sentence)


def _change(evidence: Evidence, policy: str) -> Finding:
    first, last = evidence.ends
    difference, certificate = evidence.change(policy)
    name = f"score, {who(last)} less {first} ({policy})"
    sentence = f"Change of the score of a sheet, {policy} play, leaf bonus {evidence.own}."
    return Finding(name, difference, certificate, "points", sentence)


def summary(evidence: Evidence) -> tuple[str, ...]:
    """The answer in sentences, every number with its interval."""
    fewest, names = evidence.ends[0], evidence.policies[::-1]
    scores = [f"{_points(evidence.score(fewest, name))} with {name} play" for name in names]
    return (
        f"With {who(fewest)} a sheet scores {', '.join(scores)} (leaf bonus {evidence.own}; brackets hold "
        "95 % intervals).",
        *([_change_sentence(evidence, names[0])] if len(evidence.ends) > 1 else []),
        *([_win_sentence(evidence)] if evidence.raced(evidence.named) else []),
        "Counting a leaf bonus when its number is passed, and not only when it is hit, adds "
        f"{_points(evidence.gain(fewest, names[0]))} to {names[0]} play with {who(fewest)}.",
    )


def _points(found: Mean | Share) -> str:
    return _number(found.mean, found.certificate, " points")


def _over(estimate: Estimate, counts: Sequence[int], policy: str, unit: str = "") -> str:
    """An estimate for each of the player counts."""
    found = [estimate(players, policy) for players in counts]
    numbers = [_number(one.mean, one.certificate, "" if at else unit) for at, one in enumerate(found)]
    return _listed(numbers, counts)


def _listed(texts: Sequence[str], counts: Sequence[int]) -> str:
    """A text for each player count: ``A with 1, B with 2, C with 3 players``."""
    *others, last = zip(texts, counts, strict=True)
    return ", ".join([*(f"{text} with {count}" for text, count in others), f"{last[0]} with {who(last[1])}"])


def _number(value: float, certificate: Certificate, unit: str = "") -> str:
    return f"{value:.1f}{unit} ({certificate.low:.1f} to {certificate.high:.1f})"


def _win_sentence(evidence: Evidence) -> str:
    counts = evidence.raced(evidence.named)
    wins = _listed([_percent(evidence.win(players)) for players in counts], counts)
    return f"Among greedy rivals one seat of optimised wins {wins}."


def _percent(found: Share) -> str:
    return f"{100 * found.mean:.0f} % ({100 * found.low:.0f} to {100 * found.high:.0f} %)"


def _change_sentence(evidence: Evidence, policy: str) -> str:
    first, last = evidence.ends
    change = _number(*evidence.change(policy), " points")
    return f"From {first} to {who(last)} the score of a sheet changes by {change} with {policy} play."


def ending_sentence(evidence: Evidence) -> str:
    """How long games of the strongest policy last, and what ends them."""
    policy = evidence.policies[-1]
    rounds = _over(evidence.rounds, evidence.named, policy, " rounds")
    found = [evidence.ended(players, policy) for players in evidence.named]
    shares = _listed([_percent(one) for one in found], evidence.named)
    return (
        f"A game of {policy} play lasts {rounds}; a leaf total ends {shares} and the last round the others."
    )
