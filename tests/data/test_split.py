"""The fixed split: its sizes, that it stays the same, and that groups stay whole."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact import InputError
from fedfact.data import load
from fedfact.data.split import split, split_by_class, split_whole


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


@given(st.lists(st.integers(0, 6), min_size=5, max_size=300))
def test_by_class_a_fifth_in_all_and_of_every_class_up_to_one_row(labels):
    labels = np.array(labels)
    train, test = split_by_class(labels)
    assert sorted([*train, *test]) == list(range(len(labels)))
    assert len(test) == len(labels) // 5
    for label in set(labels.tolist()):
        assert abs((labels[test] == label).sum() - (labels == label).sum() / 5) < 1


def test_by_class_largest_fractions_get_the_rows_that_are_left():
    labels = np.repeat([0, 1, 2, 3], [11, 14, 8, 7])  # 2.2, 2.8, 1.6 and 1.4 of 8 in all
    train, test = split_by_class(labels)
    assert np.bincount(labels[test]).tolist() == [2, 3, 2, 1]
    again = split_by_class(labels)
    assert (train.tolist(), test.tolist()) == tuple(rows.tolist() for rows in again)


def test_too_few_to_split_by_class():
    with pytest.raises(InputError, match="4 images are too few"):
        split_by_class(np.zeros(4, int))


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
