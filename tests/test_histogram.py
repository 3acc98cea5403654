"""Histograms against the samples they count: exact sums, quantiles and the coverage of their intervals."""

from fractions import Fraction
from itertools import permutations
from math import comb, inf, isnan, sqrt

import numpy as np
import pytest

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import mean, quantiles, share
from fable_solve.solver.histogram import Histogram, binomial_ranks


def test_of_counts_every_value():
    assert Histogram.of([3.0, -1.0, 3.0]).counts == {-1: 1, 3: 2}
    assert Histogram.of(np.array([2, 0, 2], np.int8)).counts == {0: 1, 2: 2}
    # Values far apart, and values that are no integers, are sorted instead.
    assert Histogram.of([0.0, 1e9, 1e9]).counts == {0: 1, 10**9: 2}
    assert Histogram.of([0.5, 0.25, 0.5]).counts == {Fraction(1, 4): 1, Fraction(1, 2): 2}
    assert Histogram.of([]).n == 0


@pytest.mark.parametrize("samples", [[np.nan], [1.0, np.inf], [[1.0], [2.0]]])
def test_what_cannot_be_counted_is_bad_input(samples):
    with pytest.raises(BadInput, match="expected finite samples in one dimension"):
        Histogram.of(samples)


def test_blocks_add_up_in_any_order():
    # 0.1 is no binary fraction: floating-point sums of these blocks depend on their order.
    samples = np.random.default_rng(1).choice([0.1, 1e6, 3.0, -0.7], 60)
    parts = [Histogram.of(block) for block in np.split(samples, [1, 9, 30])]
    whole = Histogram.of(samples)
    for order in permutations(parts):
        added = sum(order, Histogram())
        assert added == whole
        assert added.estimate() == whole.estimate()


def test_estimates_are_those_of_the_samples():
    samples = np.random.default_rng(2).integers(-40, 200, 5000)
    found, expected = Histogram.of(samples).estimate(), mean(samples)
    assert found.mean == pytest.approx(expected.mean, rel=1e-15)
    assert found.sd == pytest.approx(expected.sd, rel=1e-12)
    assert found.n == 5000
    assert isnan(Histogram.of([3.0]).estimate().sd)


def test_sums_do_not_cancel():
    # A billion samples of 10^12 -+ 1, half each: sd is sqrt(n / (n - 1)), where floats would see 10^24.
    found = Histogram({10**12 - 1: 5 * 10**8, 10**12 + 1: 5 * 10**8}).estimate()
    assert found.mean == 1e12
    assert found.sd == sqrt(10**9 / (10**9 - 1))


def test_shares_are_exact():
    # A win shared by three in each of 3 games is one win of 3: exactly 1/3, however it is added up.
    winners = Histogram.of(np.array([3, 3, 3, 0, 0, 0], np.int8))
    wins = winners.map(lambda k: Fraction(1, k) if k else 0)
    assert wins.estimate().mean == 1 / 6
    assert wins.share() == share([1 / 3, 1 / 3, 1 / 3, 0, 0, 0])
    # Values given as floats count as the binary fractions they are.
    assert Histogram({1 / 3: 3, 0.0: 3}).estimate().mean == pytest.approx(1 / 6, rel=1e-15)
    with pytest.raises(BadInput, match="expected shares from 0 to 1, got 0 to 3"):
        winners.share()


def test_the_document_is_read_back():
    wins = Histogram({Fraction(1, 3): 4, 0: 7, 1: 2})
    assert wins.document() == {"0": 7, "1/3": 4, "1": 2}
    assert Histogram.parse(wins.document()) == wins


def test_no_samples_have_no_mean():
    for call in (Histogram().estimate, Histogram().share, Histogram().quantiles):
        with pytest.raises(BadInput, match="expected at least one sample"):
            call()


@pytest.mark.parametrize("n", [1, 2, 3, 19, 20, 997])
def test_quantiles_are_those_of_the_samples(n):
    samples = np.random.default_rng(n).integers(0, 30, n)
    levels = (1, 5, 25, 50, 75, 95, 99, 100)
    assert Histogram.of(samples).quantiles(levels) == quantiles(samples, levels)


def tail(n: int, p: Fraction, counts: range) -> Fraction:
    return sum((comb(n, k) * p**k * (1 - p) ** (n - k) for k in counts), Fraction(0))


@pytest.mark.parametrize("n", [1, 5, 71, 72, 73, 200])
@pytest.mark.parametrize("level", [5, 25, 50, 95])
def test_ranks_are_the_binomial_distributions(n, level):
    # With exact fractions: both tails at most 2.5 %, and more by one rank further in.
    p, most = Fraction(level, 100), Fraction(1, 40)
    low, high = binomial_ranks(n, level / 100)
    assert tail(n, p, range(low)) <= most < tail(n, p, range(low + 1))
    assert tail(n, p, range(high, n + 1)) <= most
    assert high == 0 or tail(n, p, range(high - 1, n + 1)) > most


def test_ranks_of_many_samples():
    # Normal approximation: np -+ 1.96 sqrt(np(1-p)), a rank or so off.
    for n in (10**6, 10**10):
        reach = 1.959964 * sqrt(n * 0.05 * 0.95)
        low, high = binomial_ranks(n, 0.05)
        assert low == pytest.approx(n * 0.05 - reach, abs=3)
        assert high == pytest.approx(n * 0.05 + reach, abs=3)


def test_few_samples_leave_an_end_open():
    # 0.95^72 = 0.0249 < 0.025 < 0.95^71: with 71 samples none is surely below the 5 % quantile.
    samples = Histogram.of(np.arange(71))
    assert samples.quantile_intervals((5,))[5].low == -inf
    assert samples.quantile_intervals((95,))[95].high == inf
    assert Histogram.of(np.arange(72)).quantile_intervals((5,))[5].low == 0


@pytest.mark.parametrize("level", [5, 50, 95])
@pytest.mark.parametrize("kind", ["distinct", "dice"])
def test_intervals_of_quantiles_cover(level, kind):
    # 4,000 samples of 300: values that never tie (the quantile of uniform numbers is the level), or sums of
    # three dice (P(X <= 5) = 10/216 = 4.6 %, P(X <= 6) = 20/216; P(X <= 10) = 1/2 exactly; P(X <= 14) =
    # 196/216 = 90.7 %, P(X <= 15) = 206/216 = 95.4 %). 4 standard errors of 95 % are 1.4 %.
    rng = np.random.default_rng(level)
    if kind == "distinct":
        samples, truth = rng.random((4000, 300)), level / 100
    else:
        samples = rng.integers(1, 7, (4000, 300, 3)).sum(axis=2)
        truth = {5: 6, 50: 10, 95: 15}[level]
    low, high = binomial_ranks(300, level / 100)
    ordered = np.sort(samples, axis=1)
    covered = ((ordered[:, low - 1] <= truth) & (truth <= ordered[:, high - 1])).mean()
    assert covered > 0.95 - 4 * sqrt(0.95 * 0.05 / 4000)
    one = Histogram.of(samples[0]).quantile_intervals((level,))[level]
    assert (one.low, one.high) == (ordered[0, low - 1], ordered[0, high - 1])
