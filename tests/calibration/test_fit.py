"""The fit: exact where there is no noise, and as sure of itself as it says where there is."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

from fedfact.calibration import Sizes
from fedfact.calibration.fit import fit, fit_given, smoothed_variance

X = np.array([50, 100, 200, 400, 800, 1600, 3200])


def drawn(curve, noise, seeds, rng):
    """Sizes of a curve with this noise, a part of the loss."""
    loss = curve(X.astype(float))[:, None] * (1 + noise * rng.standard_normal((len(X), seeds)))
    return Sizes(X, np.full(len(X), seeds), loss.mean(axis=1), loss.var(axis=1, ddof=1))


@pytest.mark.parametrize("b", [0.05, 0.2, 0.45, 1.0, 2.0, 3.5])
@pytest.mark.parametrize(("a", "floor"), [(3.0, 0.1), (1e-6, 0.0), (2e9, -5.0)])
def test_a_power_law_is_found_exactly(a, b, floor):
    none = np.zeros(len(X))
    law = fit(Sizes(X, np.full(len(X), 3), a * X**-b + floor, none))
    assert law.exponent.value == pytest.approx(b, rel=1e-6)
    assert law.scale.value == pytest.approx(a, rel=1e-5)
    assert law.floor.value == pytest.approx(floor, abs=1e-5 * a * 50**-b)
    for estimate in (law.scale, law.exponent, law.floor):
        assert estimate.low == pytest.approx(estimate.value, rel=1e-3, abs=1e-3 * a)
        assert estimate.high == pytest.approx(estimate.value, rel=1e-3, abs=1e-3 * a)
    assert np.abs(law.misfit).max() < 1e-6 * a * 50**-b
    assert law(X) == pytest.approx(a * X**-b + floor, rel=1e-6)


def test_the_papers_curve_is_the_straight_line_in_one_over_m():
    law = fit_given(Sizes(X, np.full(len(X), 3), 7 / X + 0.25, np.zeros(len(X))), 1.0)
    assert (law.exponent.value, law.exponent.low, law.exponent.high) == (1, 1, 1)
    assert law.scale.value == pytest.approx(7)
    assert law.floor.value == pytest.approx(0.25)


def test_it_is_the_least_squares_fit_of_scipy():
    sizes = drawn(lambda m: 3 * m**-0.45 + 0.1, 0.05, 5, np.random.default_rng(1))
    law = fit(sizes)
    sigma = np.sqrt(smoothed_variance(sizes) / sizes.count)
    found, _ = curve_fit(lambda m, a, b, c: a * m**-b + c, X, sizes.mean, (3, 0.45, 0.1), sigma)
    assert [law.scale.value, law.exponent.value, law.floor.value] == pytest.approx(found, rel=1e-4)
    assert law.worst == np.argmax(np.abs(sizes.mean - law(X)))


def test_weights_follow_a_power_law_of_the_variance():
    spread = Sizes(X, np.full(len(X), 3), 1 / X, 4.0 * X**-1.5)
    assert smoothed_variance(spread) == pytest.approx(4.0 * X**-1.5)
    lone = np.zeros(len(X))
    lone[2] = 0.5  # only these runs differ
    assert np.isfinite(smoothed_variance(Sizes(X, np.full(len(X), 3), 1 / X, lone))).all()


def test_an_interval_that_the_runs_do_not_limit_is_open():
    sizes = drawn(lambda m: 3 * m**-0.1 + 0.1, 0.1, 3, np.random.default_rng(0))
    law = fit(sizes)
    assert law.exponent.low == 0
    assert law.floor.low == -np.inf
    assert law.scale.high == np.inf


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [3, 5])
@pytest.mark.parametrize("b", [0.3, 0.7])
def test_intervals_hold_the_truth_as_often_as_they_say(seeds, b):
    rng, truth = np.random.default_rng(7), (3.0, b, 0.1)
    held = np.zeros(3)
    times = 800
    for _ in range(times):
        law = fit(drawn(lambda m: 3.0 * m**-b + 0.1, 0.03, seeds, rng))
        three = zip((law.scale, law.exponent, law.floor), truth, strict=True)
        held += [estimate.low <= true <= estimate.high for estimate, true in three]
    assert (held / times > 0.92).all(), held / times
    assert (held / times < 0.98).all(), held / times
