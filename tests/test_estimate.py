"""Means, shares and quantiles against textbook values, other formulas and simulated coverage."""

from math import isnan, sqrt

import numpy as np
import pytest

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import mean, quantiles, share, wilson


def test_mean_and_errors():
    # 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squared deviations 9+1+1+1+0+0+4+16 = 32, sd = sqrt(32 / 7).
    found = mean([2, 4, 4, 4, 5, 5, 7, 9])
    assert found.mean == 5.0
    assert found.sd == pytest.approx(sqrt(32 / 7))
    assert found.se == pytest.approx(sqrt(32 / 7) / sqrt(8))
    # 1.96 standard errors either way.
    assert found.certificate.high == pytest.approx(5 + 1.959964 * found.se)
    assert found.certificate.n == 8


def test_one_sample_has_no_error():
    found = mean([3.0])
    assert found.mean == 3.0
    assert isnan(found.sd)
    assert isnan(found.se)


def test_wilson_has_its_published_value():
    # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I, method 3:
    # 81 of 263 gives 0.2553 to 0.3662; 15 of 148 gives 0.0624 to 0.1605; 0 of 20 gives 0 to 0.1611.
    for wins, games, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
    ):
        found = wilson(wins / games, games)
        assert found.low == pytest.approx(low, abs=5e-5)
        assert found.high == pytest.approx(high, abs=5e-5)


def test_wilson_ends_solve_their_equation():
    # |p - x| = z sqrt(x (1 - x) / n) at both ends.
    found = wilson(0.3, 50)
    for end in (found.low, found.high):
        assert abs(0.3 - end) == pytest.approx(1.959963984540054 * sqrt(end * (1 - end) / 50))


def test_shared_wins_count_their_part():
    assert share([1.0, 0.5, 0.5, 0.0]).mean == 0.5
    with pytest.raises(BadInput, match="expected shares from 0 to 1, got 0 to 2"):
        share([0.0, 2.0])


def test_wilson_covers_shared_wins_at_least_as_often_as_it_says():
    # 4,000 samples of 60 shares 0, 1/2, 1 with probabilities 0.2, 0.5, 0.3 (mean 0.55). The variance is
    # smaller than that of wins and losses, so coverage exceeds 95 %; 4 standard errors of 95 % are 1.4 %.
    rng = np.random.default_rng(7)
    samples = rng.choice([0.0, 0.5, 1.0], p=[0.2, 0.5, 0.3], size=(4000, 60))
    covered = np.mean([found.low <= 0.55 <= found.high for found in map(share, samples)])
    assert covered > 0.95 - 4 * sqrt(0.95 * 0.05 / 4000)


def test_quantiles_are_samples():
    # 1..20: 5 % of 20 is one sample, so the first; 50 % the tenth; 95 % the nineteenth.
    assert quantiles(range(20, 0, -1)) == {5: 1.0, 25: 5.0, 50: 10.0, 75: 15.0, 95: 19.0}
    # Of 3 samples 5 % is less than one, the smallest; 95 % needs all three.
    assert quantiles([7, 1, 3]) == {5: 1.0, 25: 1.0, 50: 3.0, 75: 7.0, 95: 7.0}


def test_quantiles_agree_with_numpy():
    samples = np.random.default_rng(3).integers(0, 50, 997)
    expected = np.quantile(samples, [0.05, 0.25, 0.5, 0.75, 0.95], method="inverted_cdf")
    assert list(quantiles(samples).values()) == expected.tolist()
