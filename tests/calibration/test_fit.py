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
@pytest.mark.parametrize(("a", "floor"), [(3.0, 0.1), (1e-6, 0.0), (2e9, 5.0)])
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
    sizes = drawn(lambda m: 0.1 * m**-0.1 + 1, 0.1, 3, np.random.default_rng(0))
    law = fit(sizes)
    assert (law.exponent.low, law.exponent.high) == (0, np.inf)
    assert law.scale.high == np.inf
    assert 0 <= law.floor.low <= law.floor.high < np.inf


def squares(sizes, a, b, floor):
    """The weighted sum of squares of these three numbers."""
    return float((sizes.mean - a * X**-b - floor) ** 2 @ (sizes.count / smoothed_variance(sizes)))


def test_where_the_floor_would_be_below_0_the_curve_goes_to_0():
    law = fit(Sizes(X, np.full(len(X), 3), 9 * X**-0.5 - 0.1, np.zeros(len(X))))
    assert law.floor.value == 0
    assert law.exponent.value > 0.5
    assert not law.holds
    sizes = drawn(lambda m: 9 * m**-0.5 - 0.1, 0.05, 5, np.random.default_rng(1))
    law, sigma = fit(sizes), np.sqrt(smoothed_variance(sizes) / sizes.count)
    found, _ = curve_fit(lambda m, a, b: a * m**-b, X, sizes.mean, (9, 0.5), sigma)
    assert [law.scale.value, law.exponent.value] == pytest.approx(found, rel=1e-4)
    assert (law.floor.value, law.floor.low) == (0, 0)


@pytest.mark.thorough
@pytest.mark.parametrize("floor", [0.0, 0.02, 0.3])
def test_intervals_are_those_of_a_search_over_all_three_numbers(floor):
    sizes = drawn(lambda m: 3 * m**-0.45 + floor, 0.05, 5, np.random.default_rng(2))
    law = fit(sizes)
    best = squares(sizes, law.scale.value, law.exponent.value, law.floor.value)
    at_end = [squares_at(sizes, exponent=law.exponent.low)]
    room = at_end[0] - best  # what the interval allows
    for scale in law.scale.low, law.scale.high:
        at_end.append(squares_at(sizes, scale=scale))
    at_end.extend(squares_at(sizes, floor=end) for end in law.floor[1:] if end > 0)
    at_end.append(squares_at(sizes, exponent=law.exponent.high))
    assert np.array(at_end) - best == pytest.approx(room, rel=1e-2)


def squares_at(sizes, exponent=None, scale=None, floor=None):
    """The least sum of squares where one of the three is given and e∞ is not below 0."""
    exponents = np.linspace(0.2, 1.0, 2001) if exponent is None else np.array([exponent])
    weight = sizes.count / smoothed_variance(sizes)

    def of_one(b):
        power, mean = X**-b, sizes.mean
        if scale is not None:
            level = max(0, weight @ (mean - scale * power) / weight.sum())
            return squares(sizes, scale, b, level)
        if floor is not None:
            return squares(sizes, weight @ (power * (mean - floor)) / (weight @ power**2), b, floor)
        design = np.stack([power, np.ones(len(X))], axis=1) * np.sqrt(weight)[:, None]
        (a, level), *_ = np.linalg.lstsq(design, mean * np.sqrt(weight))
        return squares(sizes, a, b, level) if level >= 0 else squares_at_0(b)

    def squares_at_0(b):
        power = X**-b
        return squares(sizes, weight @ (power * sizes.mean) / (weight @ power**2), b, 0)

    return min(map(of_one, exponents))


def test_a_curve_that_is_no_power_law_is_told_from_one_that_is():
    rng = np.random.default_rng(5)
    bent = [fit(drawn(lambda m: 9 * (m + 900) ** -0.6, 0.02, 3, rng)).holds for _ in range(20)]
    assert not any(bent)
    sound = [fit(drawn(lambda m: 9 * m**-0.6, 0.02, 3, rng)).holds for _ in range(100)]
    assert sum(sound) >= 94
    none = np.zeros(len(X))
    assert fit(Sizes(X, np.full(len(X), 3), 9 * X**-0.6 + 0.1, none)).holds


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [3, 5])
@pytest.mark.parametrize(("b", "floor"), [(0.3, 0.1), (0.7, 0.1), (0.3, 0.0), (0.7, 0.0)])
def test_intervals_hold_the_truth_as_often_as_they_say(seeds, b, floor):
    rng, truth = np.random.default_rng(7), (3.0, b, floor)
    held = np.zeros(3)
    times = 800
    for _ in range(times):
        law = fit(drawn(lambda m: 3.0 * m**-b + floor, 0.03, seeds, rng))
        three = zip((law.scale, law.exponent, law.floor), truth, strict=True)
        held += [estimate.low <= true <= estimate.high for estimate, true in three]
    assert (held / times > 0.92).all(), held / times
    assert (held / times < 0.98).all(), held / times
