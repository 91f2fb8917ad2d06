"""The settlement and its exact integers against a slow reference in fractions, on hard numbers."""

import importlib.util
import math
import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from fedfact.mechanism import Population, Terms, settle
from fedfact.mechanism.charge import SampleChoices, exact_charge
from fedfact.mechanism.exact import (
    DOES_NOT_FIT,
    MOST_MONEY,
    floor_difference,
    floor_gain,
    sum_floor_differences,
)

HERE = Path(__file__).parent


def load(name):
    """Under --import-mode=importlib the tests' folder is not on the path."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


populations, reference = load("populations"), load("reference")
draw_analytic, draw_measured = populations.draw_analytic, populations.draw_measured

CASES = 800  # for each rule and input


ALL_RULES = [
    (draw_analytic, "sandwich"),
    (draw_analytic, "rebate"),
    (draw_analytic, "shared"),
    (draw_measured, "sandwich"),
    (draw_measured, "rebate"),
]


@pytest.mark.parametrize(("draw", "rule"), ALL_RULES)
def test_every_column_equals_the_reference(draw, rule):
    rng = random.Random(f"{draw.__name__} {rule}")
    for case in range(CASES):
        population, terms = draw(rng, rule)
        seed = rng.randrange(10**6)
        result = settle(population, terms, seed)
        expected = reference.settle(population, terms, seed)
        for column in populations.COLUMNS:
            got = np.asarray(getattr(result, column)).tolist()
            assert got == expected[column], f"case {case}: {column} of {population} by {terms}"


def test_penalty_equals_the_reference():
    rng = random.Random("penalty")
    for _ in range(100):
        population, terms = draw_analytic(rng, "sandwich")
        if terms.curve.optimum(population.reported_cost).min() < 20:  # half a sample is much
            terms = replace(terms, alpha=0.0)
        shown = settle(population, terms, seed=0).penalty.tolist()
        columns = zip(
            shown, population.reported_cost.tolist(), population.samples.tolist(), strict=True
        )
        for amount, report, m in columns:
            exact = reference.penalty(report, m, population.total - m, terms)
            assert abs(amount - exact) <= max(1, exact * Decimal("1e-12"))


@pytest.mark.parametrize("A", [1.0, 1e10])
def test_penalty_of_a_tiny_report_is_nothing(A):
    population = Population(list("abc"), np.array([1e-100, 1e-3, 1e-3]), np.array([100, 100, 100]))
    assert settle(population, Terms(error_scale=A, unit=1e-6)).penalty[0] == 0


def equal_differences(N):
    """Many (a, b) with 1/a − 1/b = 1/N: from (N − a)(N + b) = N²."""
    return [(N - d, N * N // d - N) for d in range(1, N) if N * N % d == 0]


@pytest.mark.parametrize("shift", populations.SLIGHTLY)
@pytest.mark.parametrize("t", [1, 997, 10**13])  # the last needs more than 64 bits
def test_floor_difference_of_near_ties(t, shift):
    N = 2520
    a, b = np.array(equal_differences(N)).T
    K = t * N * (1 + shift)  # so that all K/a − K/b are t, or nearly
    assert set(floor_difference(K, a, b).tolist()) == {math.floor(t * (1 + shift))}
    assert set(floor_difference(K, b, a).tolist()) == {math.floor(-t * (1 + shift))}


@pytest.mark.parametrize("shift", populations.SLIGHTLY)
@pytest.mark.parametrize("K", [Fraction(1, 7), 5040 * Fraction(11, 13), 5040 * 10**12])
def test_sum_floor_differences_of_near_ties(K, shift):
    K = Fraction(K) * (1 + shift)
    a, b = np.arange(1, 80), np.array([*range(1, 121), 5040, 5041, 10**12])
    count = 1 + a % 3
    expected = [
        sum(k * math.floor(K / d - K / e) for d, k in zip(a.tolist(), count.tolist(), strict=True))
        for e in b.tolist()
    ]
    assert sum_floor_differences(K, a, count, b).tolist() == expected


def charges(K, cost, m, b=1):
    """Charges where the unit is 1 and agents have size 1 and any number of samples."""
    ones = np.ones_like(m)
    choices = SampleChoices(ones, 1, ones, ones, 10**12 * ones)
    return exact_charge(Terms(error_scale=K, exponent=b, unit=1), cost, m, choices).tolist()


@pytest.mark.parametrize("b", [1, 0.25, 0.37])
def test_charges_that_are_nearly_whole(b):
    """ℓ(m) − ℓ(best) = t or t + 2^(−20): cost is off by less than a float shows, on either side.

    Where m is many times below or above the best, too.
    """
    rng = random.Random(f"charge {b}")
    K = Fraction(10**15, 3)
    m = np.array([rng.randint(1, 10 ** rng.randint(1, 12)) for _ in range(1500)])
    best = np.array([rng.randint(1, 10 ** rng.randint(1, 12)) for _ in m])
    x, y = m.astype(float), best.astype(float)
    cost = float(K) * b * y ** (-1 - b)
    far = float(K) * (x**-b - y**-b) + cost * (x - y)  # ℓ(m) − ℓ(best), nearly
    wanted = np.rint(far) + np.array([rng.choice([0, 2.0**-20]) for _ in m])
    cost = np.abs(cost + (wanted - far) / np.where(x == y, 1, x - y))
    cost = cost * (1 + np.array([rng.randint(-2, 2) for _ in m]) * 2.0**-52)
    terms = Terms(error_scale=K, exponent=b, unit=1)
    expected = [
        reference.misfit(c, d, 1, Fraction(1), 10**12, terms)
        for d, c in zip(m.tolist(), cost.tolist(), strict=True)
    ]
    assert sum(amount > 0 for amount in expected) > 1000
    assert charges(K, cost, m, b) == [
        amount if amount < MOST_MONEY else DOES_NOT_FIT for amount in expected
    ]


def test_charges_of_decimals_that_make_them_whole():
    """(√(K/m) − √(c·m))² for c = K·r²/m², m = r·best: whole numbers, not by floats."""
    r, best = (grid.ravel() for grid in np.meshgrid(np.arange(2, 300), 10 ** np.arange(1, 9)))
    K = 10**16
    cost = np.array([float(Fraction(K, int(y) ** 2)) for y in best])
    pairs = zip(r.tolist(), best.tolist(), strict=True)
    expected = [-(-K * (a - 1) ** 2 // (a * y)) for a, y in pairs]
    assert charges(K, cost, r * best) == expected


@pytest.mark.parametrize("b", [1, 0.25, 0.37, 2])
def test_either_of_two_samples_that_are_as_good_is_charged_nothing(b):
    """c = e(x) − e(x + 1), rounded to a float either way."""
    x = np.array([1, 2, 3, 15, 16, 80, 81, 100])
    K, y = 1000, x.astype(float)
    cost = K * (y**-b - (y + 1) ** -b)
    for shift in (-1, 0, 1):
        near = cost * (1 + shift * 2.0**-52)
        assert charges(K, near, x, b) == charges(K, near, x + 1, b) == [0] * 8
        assert min(charges(K, near, x + 2, b)) > 0


@pytest.mark.parametrize("scale", [Fraction(100), Fraction(10**14), Fraction(1000, 7)])
def test_floor_gain_of_decimals(scale):
    cents = np.arange(-150, 151)
    high, low = (grid.ravel() for grid in np.meshgrid(cents, cents))
    expected = [math.floor(scale * Fraction(gain, 100)) for gain in (high - low).tolist()]
    assert floor_gain(scale, high / 100, low / 100).tolist() == expected
