"""Amounts as people write them, and units that a currency has or has not."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedfact.errors import InputError
from fedfact.money import MoneyUnit

CENTS = MoneyUnit(0.01, "EUR")


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("666.61", 66661),
        ("12,156.57", 1215657),
        ("1,234,567", 123456700),
        ("0.07", 7),
        ("0", 0),
        ("7.5", 750),
        ("7.50000", 750),
        ("007", 700),
    ],
)
def test_amounts_are_read_exactly(text, minor):
    assert CENTS.minor(text) == minor


@pytest.mark.parametrize(
    "text",
    [
        *("", " 1", "1 ", "-1", "+1", "1e3", "1.", ".5", "1,5", "12,34.5", "1,2345", "1.234,56"),
        *("nan", "inf", "٣", "1_000", "0x10", "1\n", "1/2", "1" * 41, "1 EUR", "€1"),
    ],
)
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(InputError, match=r"is no amount; write digits and a point, as in 666\.61"):
        CENTS.minor(text)


def test_half_a_cent_is_refused():
    with pytest.raises(InputError, match=r"^0.005 EUR is no whole number of minor units of 0.01 E"):
        CENTS.minor("0.005")
    with pytest.raises(InputError, match="50 is no whole number of minor units of 100"):
        MoneyUnit(100).minor("50")
    assert MoneyUnit(100).minor("500") == 5


@given(st.integers(0, 10**15), st.sampled_from([0.01, 0.001, 1, 10, 0.25, 1e-9, "0.01"]))
def test_what_is_written_reads_back(minor, unit):
    money = MoneyUnit(unit, "EUR")
    assert money.minor(money.amount(minor)) == minor


@pytest.mark.parametrize(
    ("unit", "currency"),
    [
        *((0.01, "EUR"), (1, "EUR"), (10.0, "EUR"), (1, "JPY"), (100, "KRW"), (0.001, "KWD")),
        *((0.01, "BHD"), (0.01, "XYZ"), (0.0001, "CLF"), (1, "jpy"), (Fraction(1, 100), "USD")),
        *((1e-9, ""), (0.3, ""), (0.3, "points"), (1e-9, "loss"), ("0.01", "CHF")),
    ],
)
def test_units_that_a_currency_has(unit, currency):
    MoneyUnit(unit, currency).check_currency()


@pytest.mark.parametrize(
    ("unit", "currency", "least"),
    [
        *((0.01, "JPY", "1"), (0.001, "EUR", "0.01"), (1e-9, "EUR", "0.01"), (11, "JPY", "1")),
        *((0.5, "KRW", "1"), (0.0001, "KWD", "0.001"), (0.03, "USD", "0.01"), (20, "JPY", "1")),
        *((0.001, "XYZ", "0.01"), (0.01, "jpy", "1"), (0.015, "EUR", "0.01")),
        (0.05, "CHF", "0.01"),
    ],
)
def test_there_are_no_cents_of_yen(unit, currency, least):
    says = f"amounts of {currency} are whole multiples of {least}; give a unit of {least}, or ten"
    with pytest.raises(InputError, match=says):
        MoneyUnit(unit, currency).check_currency()
