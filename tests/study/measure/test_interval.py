"""Means with Student's interval, against numbers from tables and by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact.study.measure.interval import estimate


def test_one_seed_has_no_interval():
    assert estimate([2.5]) == {"mean": 2.5, "low": None, "high": None, "seeds": [2.5]}


@pytest.mark.parametrize(
    ("values", "mean", "half"),
    [
        ([1.0, 3.0], 2.0, 12.7062),  # t(0.975, 1) · √2 / √2
        ([1.0, 2.0, 3.0], 2.0, 4.30265 / math.sqrt(3)),
        ([0.0, 0.0, 0.0, 4.0], 1.0, 3.18245),  # deviation 2, over √4
        ([5.0, 5.0, 5.0], 5.0, 0.0),
        (list(range(11)), 5.0, 2.22814),  # t(0.975, 10) · √11 / √11
    ],
)
def test_the_interval_is_a_table_value_of_standard_errors(values, mean, half):
    found = estimate(values)
    assert found["mean"] == mean
    assert found["low"] == pytest.approx(mean - half, abs=1e-4)
    assert found["high"] == pytest.approx(mean + half, abs=1e-4)
    assert found["seeds"] == values


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=9), st.floats(-1e6, 1e6))
def test_moved_values_move_the_interval(values, by):
    first, moved = estimate(values), estimate([value + by for value in values])
    for name in ("mean", "low", "high"):
        assert moved[name] == pytest.approx(first[name] + by, rel=1e-6, abs=1e-3)
    assert first["low"] <= first["mean"] <= first["high"]
