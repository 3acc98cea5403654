"""Paired differences and control variates against their formulas, and their freedom from bias."""

from math import inf, sqrt

import numpy as np
import pytest

from fable_solve.solver.errors import BadInput
from fable_solve.solver.estimate import mean
from fable_solve.solver.histogram import Histogram
from fable_solve.solver.paired import Paired, controlled, paired


def test_paired_differences():
    # Differences 2, 3, 1, 2: mean 2, squared deviations 0 + 1 + 1 + 0, sd = sqrt(2 / 3). The variances of the
    # samples: 3, 5, 9, 11 about 7 is (16 + 4 + 4 + 16) / 3 = 40/3; 1, 2, 8, 9 about 5 is 50/3.
    found = paired([3, 5, 9, 11], [1, 2, 8, 9])
    assert found.difference.mean == 2.0
    assert found.difference.sd == pytest.approx(sqrt(2 / 3))
    assert found.factor == pytest.approx((40 / 3 + 50 / 3) / (2 / 3))
    assert found.difference.certificate.n == 4


def test_pairs_from_histograms():
    first, second = np.array([4, 7, 1, 9, 4]), np.array([3, 7, 2, 6, 5])
    whole = paired(first, second)
    parts = [Histogram.of(first), Histogram.of(second), Histogram.of(first - second)]
    counted = Paired(*(part.estimate() for part in parts))
    assert counted.difference == pytest.approx(whole.difference)
    assert counted.factor == pytest.approx(whole.factor)


def test_the_same_sample_twice():
    assert paired([1, 2, 3], [1, 2, 3]).factor == inf
    with pytest.raises(BadInput, match="expected two samples of the same length"):
        paired([1, 2, 3], [1, 2])


def test_controls_explain_their_part():
    # X = 5 + 2 A - B + noise of variance 1, A and B standard normal: var X = 6, and 1 is left.
    rng = np.random.default_rng(1)
    controls, pilot = rng.normal(size=(20_000, 2)), rng.normal(size=(2_000, 2))
    samples = 5 + controls @ [2, -1] + rng.normal(size=20_000)
    found = controlled(samples, controls, [0, 0], 5 + pilot @ [2, -1] + rng.normal(size=2000), pilot)
    assert found.coefficients == pytest.approx((2, -1), abs=0.1)
    assert found.factor == pytest.approx(6, rel=0.05)
    assert abs(found.estimate.mean - 5) < 4 * found.estimate.se
    assert found.plain == mean(samples)


def test_any_coefficient_is_unbiased():
    # Tiny pilots of 3 give coefficients that are mostly noise; over 4,000 estimates of 5 samples the mean is
    # still that of X = Z^2 + Z, 1, within 4 standard errors. (Coefficients from the samples themselves shift
    # it: Z^2 is not linear in Z.)
    rng = np.random.default_rng(2)
    z = rng.normal(size=(4000, 8, 1))
    x = z[:, :, 0] ** 2 + z[:, :, 0]
    apart = mean([controlled(x[i, :5], z[i, :5], [0], x[i, 5:], z[i, 5:]).estimate.mean for i in range(4000)])
    assert abs(apart.mean - 1) < 4 * apart.se
    within = mean(
        [controlled(x[i, :5], z[i, :5], [0], x[i, :5], z[i, :5]).estimate.mean for i in range(4000)]
    )
    assert abs(within.mean - 1) > 4 * within.se


def test_constant_and_repeated_controls_do_no_harm():
    rng = np.random.default_rng(3)
    z, x = rng.normal(size=400), rng.normal(size=400)
    controls = np.column_stack([z, z, np.ones(400)])
    one = controlled(x, z[:, None], [0], x + z, z[:, None])
    three = controlled(x, controls, [0, 0, 1], x + z, controls)
    assert three.estimate.mean == pytest.approx(one.estimate.mean)
    assert three.factor == pytest.approx(one.factor)


def test_controls_have_to_match():
    with pytest.raises(BadInput, match="expected the same controls throughout"):
        controlled([1, 2], [[1, 2], [3, 4]], [0], [1], [[1, 2]])
