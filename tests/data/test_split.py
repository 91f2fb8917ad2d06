"""The fixed split: its sizes, that it stays the same, and that groups stay whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact import InputError
from fedfact.data import load
from fedfact.data.split import split, split_whole


def test_a_fifth_is_for_testing_and_always_the_same():
    train, test = split(1797)
    assert (len(train), len(test)) == (1438, 359)
    assert sorted([*train, *test]) == list(range(1797))
    assert test[:8].tolist() == [11, 22, 26, 28, 30, 38, 40, 51]


@given(st.lists(st.integers(0, 30), min_size=5, max_size=200))
def test_groups_stay_whole_and_train_has_four_fifths(groups):
    groups = np.array(groups)
    try:
        train, test = split_whole(groups)
    except InputError:
        return  # the first group is already more than a fifth
    assert not set(groups[train]) & set(groups[test])
    assert sorted([*train, *test]) == list(range(len(groups)))
    assert 0 < 5 * len(test) <= len(groups)


def test_groups_of_one_are_as_good_as_no_groups():
    train, test = split_whole(np.arange(1000))
    assert (len(train), len(test)) == (800, 200)


def test_too_few_to_split():
    with pytest.raises(InputError, match="4 images are too few"):
        split(4)


def test_digits_are_at_hand_and_scaled_to_a_byte(monkeypatch):
    monkeypatch.setenv("FEDFACT_DATA", "/no/such/directory")  # it needs none
    data = load("digits")
    assert data.train.images.shape == (1438, 8, 8, 1)
    assert data.test.images.shape == (359, 8, 8, 1)
    assert data.train.images.dtype == np.uint8
    assert data.train.images.max() == 255
    assert np.bincount(data.test.labels, minlength=10).min() >= 25
    pixels = data.train.images / 255
    assert pixels.mean() == pytest.approx(data.mean[0], abs=1e-7)
    assert pixels.std() == pytest.approx(data.std[0], abs=1e-7)
    assert sorted(np.unique(data.train.images)) == [round(k * 255 / 16) for k in range(17)]
