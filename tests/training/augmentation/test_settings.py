"""How images are changed at random: what is refused, and what is drawn."""

import math
from dataclasses import replace

import numpy as np
import pytest

from fedfact import InputError
from fedfact.training import Augmentation

ALL = Augmentation(True, True, 20.0, 0.1, 0.2, 0.05)


def draws(augment, images=4000, seed=0):
    return augment.draw(np.random.default_rng(seed), images)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rotation": -5.0}, "augmentation: rotation is -5.0; give 0 to 180"),
        ({"rotation": 181}, "augmentation: rotation is 181; give 0 to 180"),
        ({"brightness": 1.1}, "augmentation: brightness is 1.1; give 0 to 1"),
        ({"contrast": -0.1}, "augmentation: contrast is -0.1; give 0 to 1"),
        ({"hue": 0.6}, "augmentation: hue is 0.6; give 0 to 0.5"),
        ({"hue": math.nan}, "augmentation: hue is nan; give 0 to 0.5"),
    ],
)
def test_impossible_settings_are_refused(change, message):
    with pytest.raises(InputError) as refusal:
        Augmentation(**change)
    assert str(refusal.value) == message


def test_without_settings_the_draws_are_those_that_change_nothing():
    assert draws(Augmentation(), 3).tolist() == [[1, 0, 0, 1, 1, 1, 0]] * 3


def test_matrices_turn_by_up_to_the_angle_and_flip_one_time_in_two_either_way():
    a, b, c, d = draws(ALL)[:, :4].astype(float).T
    np.testing.assert_allclose(a * a + b * b, 1, atol=1e-6)
    np.testing.assert_allclose(c * c + d * d, 1, atol=1e-6)
    np.testing.assert_allclose(a * c + b * d, 0, atol=1e-6)
    across, down = np.sign(a), np.sign(d)  # turned by less than a right angle, so signs are flips
    for flips in (across, down, across * down):
        assert abs((flips < 0).mean() - 0.5) < 0.03
    angle = np.degrees(np.arcsin(-b * across))
    np.testing.assert_allclose(np.degrees(np.arcsin(c * down)), angle, atol=1e-4)
    assert 19.9 < angle.max() <= 20.0001
    assert -20.0001 <= angle.min() < -19.9
    assert abs(angle.std() - 20 / math.sqrt(3)) < 0.3


def test_colours_are_drawn_from_one_end_to_the_other():
    for column, middle, reach in ((4, 1, 0.1), (5, 1, 0.2), (6, 0, 0.05)):
        drawn = draws(ALL)[:, column] - middle
        assert 0.995 * reach < drawn.max() <= 1.00001 * reach
        assert 0.995 * reach < -drawn.min() <= 1.00001 * reach


@pytest.mark.parametrize(
    ("change", "columns"),
    [
        ({"hue": 0.0}, [6]),
        ({"contrast": 0.0}, [5]),
        ({"brightness": 0.0}, [4]),
        ({"rotation": 0.0}, [0, 1, 2, 3]),
        ({"horizontal_flip": False}, [0, 1]),
        ({"vertical_flip": False}, [2, 3]),
    ],
)
def test_a_setting_changes_its_own_draws_alone(change, columns):
    before, after = draws(ALL), draws(replace(ALL, **change))
    assert np.flatnonzero((before != after).any(axis=0)).tolist() == columns
