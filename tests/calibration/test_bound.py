"""The bound: by hand, and by simulation below the truth as often as it says."""

import numpy as np
import pytest
from scipy import stats

from fedfact.calibration.bound import between, place_of_whole, weights_of, welch
from fedfact.errors import InputError

X = np.array([50, 100, 200, 400, 800, 1600, 3200])
LAST = len(X) - 1


def test_on_the_grid_it_is_welchs_test():
    rng = np.random.default_rng(3)
    at_m, at_whole = rng.normal(0.5, 0.02, 4), rng.normal(0.2, 0.05, 4)
    mean = np.array([at_m.mean(), at_whole.mean()])
    variance = np.array([at_m.var(ddof=1), at_whole.var(ddof=1)])
    weights = np.array([[1.0, -1.0]])
    estimate, margin = welch(weights, mean, variance, np.array([4, 4]))
    test = stats.ttest_ind(at_m, at_whole, equal_var=False, alternative="greater")
    assert (estimate - margin)[0] == pytest.approx(test.confidence_interval(0.95).low)


def test_weights_on_the_grid_and_between():
    rows = weights_of(X, np.array([100, 150, 25, 1600]), LAST)
    assert rows[0].tolist() == [0, 1, 0, 0, 0, 0, -1]
    assert rows[1].tolist() == [0, 0, 1.25, -0.25, 0, 0, -1]
    assert rows[2].tolist() == [1.5, -0.5, 0, 0, 0, 0, -1]
    assert rows[3].tolist() == [0, 0, 0, 0, 0, 1, -1]
    assert weights_of(X, np.array([1200]), LAST)[0, -2:].tolist() == [1.25, -1.25]


def test_the_largest_size_below_stands_for_the_whole():
    assert place_of_whole(X, 3200) == place_of_whole(X, 10**6) == LAST
    assert place_of_whole(X, 1000) == 4
    inside = weights_of(X, np.array([700]), 4)[0]
    assert inside.tolist() == [0, 0, 0, 0, 1.125 - 1, -0.125, 0]
    with pytest.raises(InputError, match="the whole is 60 samples, and the runs begin at 50"):
        place_of_whole(X, 60)


@pytest.mark.parametrize(
    ("m", "whole", "most"), [(3200, 3200, "1,600"), (2000, 3200, "1,600"), (800, 1000, "799")]
)
def test_members_close_to_the_whole_are_refused(m, whole, most):
    with pytest.raises(InputError, match=f"members may have up to {most};"):
        weights_of(X, np.array([m]), place_of_whole(X, whole))


def test_a_range_of_members():
    assert between(3, 7) == [3, 4, 5, 6, 7]
    assert between(5, 5) == [5]
    wide = between(100, 10**9)
    assert (wide[0], wide[-1], len(wide)) == (100, 10**9, 1000)


CURVES = {
    "power law": lambda m: 2 * m**-0.3 + 0.1,
    "b = 1": lambda m: 40 / m + 0.1,
    "a(m + m0)^-b": lambda m: 5 * (m + 200.0) ** -0.5,
    "steep": lambda m: 5 * (m + 20.0) ** -1.2 + 0.3,
}
NOISES = {"even": lambda loss: 0.01 + 0 * loss, "of the loss": lambda loss: 0.05 * loss}


def held(curve, noise, seeds, members, times=20_000):
    """How often the bound of each member is below what it saves."""
    rng, e = np.random.default_rng(seeds), curve(X.astype(float))
    loss = e[:, None] + noise(e)[:, None] * rng.standard_normal((times, len(X), seeds))
    mean, variance = loss.mean(axis=-1), loss.var(axis=-1, ddof=1)
    weights = weights_of(X, members, LAST)
    estimate, margin = welch(weights, mean, variance, np.full(len(X), seeds))
    return (estimate - margin <= curve(members.astype(float)) - e[LAST]).mean(axis=0)


@pytest.mark.parametrize("seeds", [3, 5, 10])
@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_coverage(curve, noise, seeds):
    on_grid = held(curve, noise, seeds, X[:-1])
    assert (on_grid >= 0.93).all(), on_grid
    assert (on_grid <= 0.97).all(), on_grid
    elsewhere = held(curve, noise, seeds, np.array([30, 51, 75, 150, 300, 1000, 1500]))
    assert (elsewhere >= 0.93).all(), elsewhere
