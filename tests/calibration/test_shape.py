"""Curves on which no bound can rest are refused; sound ones are not, in 19 of 20 cases."""

from dataclasses import replace

import numpy as np
import pytest

from fedfact.calibration import Sizes
from fedfact.calibration.shape import check_shape
from fedfact.errors import InputError

X = np.array([100, 200, 400, 800, 1600])


def sizes(mean, spread=0.001, seeds=5):
    mean = np.asarray(mean, float)
    return Sizes(X, np.full(len(X), seeds), mean, np.full(len(X), spread**2))


@pytest.mark.parametrize(
    ("mean", "message"),
    [
        ([0.5, 0.4, 0.3, 0.4, 0.6], "the loss does not fall: 0.5 at 100 samples, 0.6 at 1,600"),
        ([0.5, 0.4, 0.3, 0.32, 0.2], "rises from 0.3 at 400 samples to 0.32 at 800, by more than"),
        ([0.5, 0.49, 0.3, 0.25, 0.2], "is not convex at 200 samples: its loss, 0.49, lies above"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(mean, message):
    with pytest.raises(InputError, match=message):
        check_shape(sizes(mean))


def test_where_the_loss_rises_the_share_of_errors_may_fall():
    rising = sizes([0.5, 0.4, 0.3, 0.32, 0.2])
    with pytest.raises(InputError, match=r"may fall where the loss does not \(--measure error\)"):
        check_shape(rising)
    with pytest.raises(InputError, match="the error rises from") as refused:
        check_shape(replace(rising, measure="error"))
    assert "--measure" not in str(refused.value)


@pytest.mark.parametrize("mean", [[0.5, 0.4, 0.3, 0.32, 0.2], [0.5, 0.49, 0.3, 0.25, 0.2]])
def test_what_noise_may_explain_passes(mean):
    check_shape(sizes(mean, spread=0.2))


def test_a_straight_line_without_noise_passes():
    check_shape(sizes(1 - X / 2000, spread=0))


def test_sound_curves_are_seldom_refused():
    rng, refused = np.random.default_rng(0), 0
    line = 1 - X / 2000  # the least convex of all
    for _ in range(1000):
        loss = line[:, None] + 0.01 * rng.standard_normal((len(X), 3))
        try:
            check_shape(Sizes(X, np.full(len(X), 3), loss.mean(1), loss.var(1, ddof=1)))
        except InputError:
            refused += 1
    assert refused <= 50
