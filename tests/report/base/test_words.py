"""Numbers and lists in words."""

import pytest

from fedfact.report.base.words import (
    claim,
    estimate,
    heads,
    listed,
    number,
    percent,
    signed_percent,
    span,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.70312, "0.703"), (1.4, "1.40"), (3125.4, "3,125"), (-0.5, "−0.500"), (0, "0"),
        (1.024e-7, "1.02e−07"), (90.3, "90.3"), (333.4, "333"), (float("nan"), "–"),
    ],
)  # fmt: skip
def test_numbers(value, text):
    assert number(value) == text


def test_heads():
    assert [heads(mean) for mean in (16, 16.0, 4.23, 1000.5)] == ["16", "16", "4.2", "1,000.5"]


def test_percentages_do_not_break():
    assert percent(0.3125) == "31.2\N{NO-BREAK SPACE}%"
    assert percent(0) == "0\N{NO-BREAK SPACE}%"
    assert percent(-1e-9) == "under 0.01\N{NO-BREAK SPACE}%"
    assert signed_percent(0.1) == "+10\N{NO-BREAK SPACE}%"
    assert signed_percent(-0.05) == "−5\N{NO-BREAK SPACE}%"


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (0.70312, 0.0123, "0.703 ± 0.012"),
        (1.8864, 0.66, "1.89 ± 0.66"),
        (14.2, 12.3, "14 ± 12"),
        (-0.466, 0.24, "−0.47 ± 0.24"),
        (0.6875, 0.0, "0.688 ± 0"),
        (0.6875, 1e-16, "0.688 ± 0"),
        (2e-4, 1e-5, "0.000200 ± 1.00e−05"),
    ],
)
def test_means_have_the_decimals_of_their_intervals(mean, half, text):
    assert estimate({"mean": mean, "low": mean - half, "high": mean + half}) == text


def test_one_seed_has_no_interval():
    assert estimate({"mean": 0.70312, "low": None, "high": None}, 100, " %") == "70.3 %"


def test_spans_and_lists():
    assert span([2.0, 1.0]) == "1.00 to 2.00"
    assert span([1.0, 1.0001]) == "1.00"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("holds", "text"),
    [
        ([True], "It is"),
        ([False], "It is not"),
        ([True, True], "It is in both cases"),
        ([False, False], "It is not in any of the 2 cases"),
        ([True, False], "It is in 1 of 2 cases, but not in b"),
    ],
)
def test_claims_follow_the_facts(holds, text):
    assert claim("It is", "It is not", ["a", "b"][: len(holds)], holds) == text
