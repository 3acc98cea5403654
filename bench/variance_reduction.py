"""How much noise paired seeds, control variates, antithetic chance and strata take out of each game.

    python bench/variance_reduction.py [--games 20000] [--rules-games 4000]

A factor says how many times as many games would be needed without. The first table plays compiled games where
there are any; the others play by the rules, since they need to see each draw. Prints the tables of
docs/estimates.md.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fable_solve.solver import registry
from fable_solve.solver.chance import Chance, sources
from fable_solve.solver.games.butterfly.tiles import CATEGORY, KINDS
from fable_solve.solver.paired import controlled, paired
from fable_solve.solver.rng import Stream
from fable_solve.solver.rollout import Match, play, setup
from fable_solve.solver.rules import load_rules, parse_setting


@dataclass(frozen=True)
class Side:
    """What is played: policies, and settings that differ from the rule data."""

    policies: tuple[str, ...]
    settings: tuple[str, ...] = ()

    def match(self, game: str, players: int, mode: str | None) -> Match:
        rules = load_rules(game, [parse_setting(text) for text in self.settings])
        return setup(registry.get(game), players, self.policies, rules, mode).build()

    def __str__(self) -> str:
        return " ".join([",".join(self.policies), *self.settings])


@dataclass(frozen=True)
class Comparison:
    """Two sides of a game, measured at one seat."""

    game: str
    players: int
    one: Side
    other: Side
    seat: int = 0
    mode: str | None = None

    def samples(self, side: Side, numbers: range, measure: str) -> np.ndarray:
        block = side.match(self.game, self.players, self.mode).block(numbers)
        return (block.scores if measure == "points" else block.win_shares)[:, self.seat]

    def __str__(self) -> str:
        return f"{self.game}{f' {self.mode}' if self.mode else ''}, {self.players}"


def rule(game: str, players: int, policy: str, one: str, other: str, **more: Any) -> Comparison:
    """Two readings of a rule under one policy; an empty setting is the rule data as shipped."""
    sides = (Side((policy,), (text,) if text else ()) for text in (one, other))
    return Comparison(game, players, *sides, **more)


def policy(game: str, players: int, one: Sequence[str], other: Sequence[str], **more: Any) -> Comparison:
    return Comparison(game, players, Side(tuple(one)), Side(tuple(other)), **more)


COMPARISONS = [
    rule("butterfly", 2, "random", "", "nets=none"),
    rule("butterfly", 2, "greedy", "", "nets=none"),
    rule("butterfly", 2, "greedy", "", "nets=eight"),
    rule("butterfly", 2, "greedy", "", "bee_points=-2"),
    policy("butterfly", 2, ["greedy", "random"], ["random", "random"]),
    policy("butterfly", 4, ["greedy", "random", "random", "random"], ["random"]),
    rule("feuilles", 1, "random", "", "leaf_bonus=reach"),
    rule("feuilles", 1, "greedy", "", "leaf_bonus=reach"),
    rule("feuilles", 2, "greedy", "", "zone_bonus=2"),
    policy("feuilles", 1, ["greedy"], ["random"]),
    policy("feuilles", 2, ["greedy", "random"], ["random", "random"]),
    rule("cigale", 2, "random", "", "chain_rule=strict"),
    rule("cigale", 2, "greedy", "", "chain_rule=strict"),
    rule("cigale", 2, "greedy", "", "insect_cards=none"),
    policy("cigale", 2, ["greedy", "random"], ["random", "random"]),
    policy("cigale", 2, ["stage", "stage"], ["greedy", "stage"]),
    rule("cigale", 2, "random", "", "substitution=false", mode="hiver"),
    rule("chenille", 2, "random", "deck=plus2", "deck=plus3", seat=1),
    rule("chenille", 2, "greedy", "deck=plus2", "deck=plus3", seat=1),
    rule("chenille", 2, "greedy", "", "redraw=forced", seat=1),
    policy("chenille", 2, ["random", "greedy"], ["random", "random"], seat=1),
]


def measures(game: str, players: int) -> tuple[str, ...]:
    """Points where the game has any, and the win share where there are rivals."""
    if game == "chenille":
        return ("win share",)
    return ("points", "win share") if players > 1 else ("points",)


def pairs(games: int) -> None:
    print(f"| game, players | first | second | measured | n | difference | paired |\n|{'---|' * 7}")
    for case in COMPARISONS:
        for measure in measures(case.game, case.players):
            found = paired(*(case.samples(side, range(games), measure) for side in (case.one, case.other)))
            shown = f"{found.difference.mean:.4g} ± {found.difference.half_width:.2g}"
            row = (case, case.one, case.other, measure, games, shown, f"{found.factor:.2f}")
            print("| " + " | ".join(map(str, row)) + " |", flush=True)


def controls(games: int) -> None:
    """The second side on the same episodes as control of the first; its mean from ten times as many."""
    print(f"\n| game, players | estimated | control | measured | n | factor |\n|{'---|' * 6}")
    for case in COMPARISONS:
        for measure in measures(case.game, case.players):
            pilot, rest = range(games // 5), range(games // 5, games)
            known = case.samples(case.other, range(games, 11 * games), measure).mean()
            found = controlled(
                case.samples(case.one, rest, measure),
                case.samples(case.other, rest, measure)[:, None],
                [known],
                case.samples(case.one, pilot, measure),
                case.samples(case.other, pilot, measure)[:, None],
            )
            row = (case, case.one, case.other, measure, games, f"{found.factor:.2f}")
            print("| " + " | ".join(map(str, row)) + " |", flush=True)


class Mirror(Stream):
    """The opposite of every draw of a stream."""

    def below(self, n: int) -> int:
        return n - 1 - super().below(n)


class Watched(Chance):
    """Chance that keeps a record of (source, outcome, units it was drawn from)."""

    def __init__(self, match: Match, number: int, stream: type[Stream]) -> None:
        named = sources(match.game)
        keys = match.keys[: len(named)]
        super().__init__(match.game, keys, number)
        self.streams = {source: stream(key, number) for source, key in zip(named, keys, strict=True)}
        self.record: list[tuple[str, Any, Sequence[Any]]] = []

    def outcome(self, game: Any, state: Any) -> Any:
        draw, outcome = game.chance_draw(state), super().outcome(game, state)
        self.record.append((draw.source, outcome, draw.units))
        return outcome


def dice(record: list[Any]) -> list[float]:
    """Feuilles: sum of the dice of all rounds and number of rolls with equal dice, minus what is fair."""
    rolls = [roll for _, roll, _ in record]
    return [
        sum(map(sum, rolls)) - 10.5 * len(rolls),
        sum(len(set(r)) < 3 for r in rolls) - 4 / 9 * len(rolls),
    ]


TILES = np.array([[float(CATEGORY[k] == c) for c in range(10)] for k in range(len(KINDS))])
VALUES = np.array([float(name[1:]) if name[1:].isdigit() else 0.0 for name in KINDS])
WORTHS = np.hstack([TILES, TILES[:, :9] * VALUES[:, None]])


def tiles(record: list[Any]) -> list[float]:
    """Butterfly: tiles of each category on the board and their printed points, minus what is fair."""
    dealt = [(kind, units) for source, kind, units in record if source == "deal"]
    every = WORTHS[list(dealt[0][1])].mean(axis=0)
    return (WORTHS[[kind for kind, _ in dealt]].sum(axis=0) - len(dealt) * every).tolist()


def cards(record: list[Any]) -> list[float]:
    """Chenille: favourable cards turned, minus the chance of one, turn by turn."""
    good = ("oeuf", "cocon", "envol", "soleil")
    turned = [
        (card in good, np.mean([u in good for u in units])) for s, card, units in record if s == "cards"
    ]
    return [float(sum(came - chance for came, chance in turned))]


LUCKY = [
    ("feuilles", 1, None, "random", dice),
    ("feuilles", 1, None, "greedy", dice),
    ("butterfly", 2, None, "random", tiles),
    ("butterfly", 2, None, "greedy", tiles),
    ("chenille", 2, None, "random", cards),
    ("cigale", 2, None, "greedy", None),
]


def watched(match: Match, number: int, stream: type[Stream]) -> tuple[float, float, list[Any]]:
    """(points of seat 0, win share of the last seat, record) of one episode."""
    chance = Watched(match, number, stream)
    episode = play(match.game, match.policies, chance, match.streams(number)[1])
    return episode.scores[0], episode.win_shares[-1], chance.record


def factor(before: np.ndarray, after: np.ndarray) -> str:
    return f"{before.var(ddof=1) / after.var(ddof=1):.2f}"


def by_rules(games: int) -> None:
    """Luck as control (pilot: the first fifth), mirrored chance, and the first chance outcome as stratum."""
    print(f"\n| game, players | policy | measured | n | luck | antithetic | strata |\n|{'---|' * 7}")
    for game, players, mode, name, luck in LUCKY:
        match = Side((name,)).match(game, players, mode)
        plain = [watched(match, number, Stream) for number in range(games)]
        mirrored = [watched(match, number, Mirror) for number in range(games)]
        for measure in measures(game, players):
            column = ("points", "win share").index(measure)
            x, y = (np.array([episode[column] for episode in side]) for side in (plain, mirrored))
            pairs = factor(np.concatenate([x, y]) / np.sqrt(2), (x + y) / 2)
            row = (
                f"{game}, {players}",
                name,
                measure,
                games,
                by_luck(x, plain, luck),
                pairs,
                strata(x, plain, luck),
            )
            print("| " + " | ".join(map(str, row)) + " |", flush=True)


def by_luck(x: np.ndarray, plain: list[Any], luck: Callable[[list[Any]], list[float]] | None) -> str:
    if luck is None:
        return "-"
    z, few = np.array([luck(record) for _, _, record in plain]), len(x) // 5
    return f"{controlled(x[few:], z[few:], np.zeros(z.shape[1]), x[:few], z[:few]).factor:.2f}"


def strata(x: np.ndarray, plain: list[Any], luck: Any) -> str:
    """Variance over variance within the strata of the first throw (degrees of freedom counted)."""
    if luck is not dice:
        return "-"
    first = np.unique([record[0][1] for _, _, record in plain], axis=0, return_inverse=True)[1].ravel()
    means = np.bincount(first, x) / np.bincount(first)
    within = ((x - means[first]) ** 2).sum() / (len(x) - len(means))
    return f"{x.var(ddof=1) / within:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000, help="pairs of games of each comparison")
    parser.add_argument("--rules-games", type=int, default=4_000, help="games of the last table")
    options = parser.parse_args()
    pairs(options.games)
    controls(options.games)
    by_rules(options.rules_games)


if __name__ == "__main__":
    main()
