"""The rule data whose balance is nearest to what one wants: a sweep over a grid on the same episodes.

For settings i and j with mean measures m_i, m_j and a target x, i is farther off than j exactly if ::

    (m_i - x)^2 - (m_j - x)^2 = (m_i - m_j) (m_i + m_j - 2 x) > 0,

that is, if difference D and sum S have the same sign. Both are means over the same games, so D has little
noise where the rules hardly matter. A setting is given up once confidence sequences of its D and S against
the nearest one so far both exclude 0 on the same side. The sequences of all pairs, and those of the settings
themselves, hold together and at every number of games with 95 % (Bonferroni), so one may look after every
round and stop whom one likes: the setting that is truly nearest is given up with probability 5 % at most.

Measures within bounds have sequences that are proved at every number of games, others (points, lengths)
asymptotic ones (:mod:`fable_solve.solver.sequences`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

import numpy as np

from fable_solve.solver import sequences
from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import Interval, mean
from fable_solve.solver.histogram import Histogram
from fable_solve.solver.measures import Measure, Vector
from fable_solve.solver.rollout import Setup
from fable_solve.solver.sampling import sample

MOST = 1000
"""Settings of a grid."""

FIRST = sequences.FIRST
"""Games of each setting before the first look; each look after it is at twice as many."""


@dataclass(frozen=True)
class Param:
    """One key of the rule data with the values tried, as they were written."""

    key: str
    values: tuple[str, ...]


def parse_param(text: str, option: str = "--param") -> Param:
    """``KEY=V1,V2,...``, split at the commas that stand in no list, table or string.

    >>> parse_param("deck.envol=0,1,2")
    Param(key='deck.envol', values=('0', '1', '2'))
    >>> parse_param("nets=[[0, 1], [2, 2]],none").values
    ('[[0, 1], [2, 2]]', 'none')
    """
    key, equals, listed = text.partition("=")
    values = tuple(part.strip() for part in split(listed))
    if not equals or not key.strip() or not all(values):
        raise BadInput("KEY=V1,V2,...", repr(text), where=option)
    return Param(key.strip(), tuple(dict.fromkeys(values)))


def split(text: str) -> list[str]:
    """The parts between commas outside brackets, braces and quotes."""
    parts, depth, quote = [""], 0, ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        else:
            depth += (sign in "[{") - (sign in "]}")
        if sign == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def grid(params: Sequence[Param]) -> list[dict[str, str]]:
    """Every combination of the values, key -> value as written."""
    keys = [param.key for param in params]
    twice = [key for key in keys if keys.count(key) > 1]
    if twice:
        raise BadInput("each key once", f"{twice[0]} twice", where="--param")
    size = prod(len(param.values) for param in params)
    if size > MOST:
        raise BadInput(f"at most {MOST} settings", size, where="--param")
    return [dict(zip(keys, values, strict=True)) for values in product(*(p.values for p in params))]


@dataclass
class Setting:
    """One setting with its games so far."""

    values: dict[str, str]
    run: Setup
    samples: Vector = field(default_factory=lambda: np.empty(0))
    open: bool = True
    """Whether it may still be the nearest."""
    stopped: int = 0
    """Of its games those that were stopped before their end."""

    @property
    def label(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.values.items())

    @property
    def games(self) -> int:
        return len(self.samples)

    @property
    def mean(self) -> float:
        return float(self.samples.mean())


@dataclass(frozen=True)
class Goal:
    """The measure and the target; ``pairs`` and ``settings`` share the 5 % between all sequences."""

    measure: Measure
    target: float
    settings: int

    def __post_init__(self) -> None:
        low, high = self.measure.bounds or (-math.inf, math.inf)
        if not low <= self.target <= high:
            wanted = f"from {low:g} to {high:g}, as {self.measure.name} is a {self.measure.unit}"
            raise BadInput(wanted, f"{self.target:g}", where="--target")

    def level(self, setting: Setting) -> Interval:
        """The measure's mean under a setting, with an interval that holds at any time with all others."""
        return _sequence(setting.samples, self.measure.bounds, 0.025 / self.settings)

    def distance(self, setting: Setting) -> float:
        return abs(setting.mean - self.target)

    def hopeless(self, setting: Setting, nearest: Setting) -> bool:
        """Whether ``setting`` is farther off than ``nearest``, for sure."""
        n = min(setting.games, nearest.games)
        own, best = setting.samples[:n], nearest.samples[:n]
        low, high = self.measure.bounds or (0.0, 0.0)
        reach, twice = high - low, 2 * self.target
        bounds = [(-reach, reach), (2 * low - twice, 2 * high - twice)]
        alpha = 0.025 / max(1, self.settings * (self.settings - 1))
        ends = [
            _sequence(samples, bound if self.measure.bounds else None, alpha)
            for samples, bound in zip((own - best, own + best - twice), bounds, strict=True)
        ]
        return all(end.low > 0 for end in ends) or all(end.high < 0 for end in ends)


def _sequence(samples: Vector, bounds: tuple[float, float] | None, alpha: float) -> Interval:
    if bounds is None:
        return sequences.mean(mean(samples), alpha=alpha)
    return sequences.bounded(Histogram.of(samples), *bounds, alpha=alpha)


@dataclass(frozen=True)
class Tuning:
    """The sweep: its settings in the order of the grid, and the nearest of those still open."""

    goal: Goal
    params: tuple[Param, ...]
    settings: tuple[Setting, ...]

    @property
    def nearest(self) -> Setting:
        return _nearest(self.goal, self.settings)

    @property
    def undecided(self) -> list[Setting]:
        """Settings that cannot be told from the nearest."""
        return [setting for setting in self.settings if setting.open and setting is not self.nearest]


def _nearest(goal: Goal, settings: Sequence[Setting]) -> Setting:
    return min((setting for setting in settings if setting.open), key=goal.distance)


def tune(
    params: Sequence[Param],
    runs: Sequence[tuple[Mapping[str, str], Setup]],
    goal: Goal,
    games: int,
    jobs: int | None = None,
    progress: Callable[[int, int | None], object] = lambda _done, _total: None,
) -> Tuning:
    """Sweep ``runs``; each setting is played ``games`` times at most."""
    settings = [Setting(dict(values), run) for values, run in runs]
    done, played = 0, 0
    while played < games:
        until = min(games, max(FIRST, 2 * played))
        for setting in [setting for setting in settings if setting.open]:
            block = sample(setting.run, range(played, until), jobs)
            setting.samples = np.concatenate([setting.samples, goal.measure.of(block)])
            setting.stopped += int(np.count_nonzero(block.stopped))
            done += until - played
            progress(done, done + sum(games - s.games for s in settings if s.open))
        played = until
        best = _nearest(goal, settings)
        for setting in settings:
            if setting.open and setting is not best and goal.hopeless(setting, best):
                setting.open = False
    return Tuning(goal, tuple(params), tuple(settings))
