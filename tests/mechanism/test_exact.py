"""The settlement and its exact integers against a slow reference in fractions, on hard numbers."""

import importlib.util
import math
import random
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from fedfact.mechanism import Population, Terms, settle
from fedfact.mechanism.exact import (
    floor_charge,
    floor_difference,
    floor_gain,
    sum_floor_differences,
)

# Under --import-mode=importlib the tests' folder is not on the path.
_spec = importlib.util.spec_from_file_location(
    "reference", Path(__file__).with_name("reference.py")
)
reference = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reference)

CASES = 1500  # for each rule and input
COLUMNS = (
    "fee", "charge", "compensation", "pool", "reward", "rebate", "net", "group", "won", "surplus",
    "shortfall",
)  # fmt: skip
UNITS = [1.0, 0.01, 1e-9, 0.3, 7e-05, 1.1e-13, Fraction(1, 3)]
ROUND = 720720 * 10**4  # = 2^8·3^2·5^5·7·11·13, so that many quotients come out whole
DIVISORS = sorted(
    2**a * 3**b * 5**c * 7**d * 11**e * 13**f
    for a, b, c, d, e, f in product(range(9), range(3), range(6), range(2), range(2), range(2))
)
SLIGHTLY = [Fraction(0), Fraction(1, 10**25), Fraction(-1, 10**25), Fraction(1, 10**17)]
"""Relative shifts that put a number on, just above or just below a whole one."""

RETENTIONS = [0.0, 0.0, 0.1, 0.333333, 0.000001, Fraction(1, 64), 1.0]
CONSISTENCIES = [1.0, 1.0, 0.0, 0.07, 3, 100.0, Fraction(1, 3)]


def log_uniform(rng, low, high):
    return 10 ** rng.uniform(math.log10(low), math.log10(high))


def draw_samples(rng, n):
    most = rng.choice([3, 50, 10**4, 10**9, 10**12])
    few = [rng.randint(1, most) for _ in range(3)]
    draw = rng.choice(
        [
            lambda: rng.randint(1, most),
            lambda: int(log_uniform(rng, 1, most)),
            lambda: rng.choice(few),
            lambda: 10 ** rng.randint(0, 8) * rng.choice([1, 2, 5]),
        ]
    )
    return [draw() for _ in range(n)]


def draw_round_samples(rng, n):
    """Divisors of ROUND, some missed by one, that add up to another divisor."""
    small = rng.choice([DIVISORS[:12], DIVISORS[:100], DIVISORS])
    samples = [max(1, rng.choice(small) + rng.choice([0, 0, 0, 0, 1, -1])) for _ in range(n - 1)]
    together = next((d for d in DIVISORS if d > sum(samples)), 2 * sum(samples))
    return [*samples, together - sum(samples)]


def draw_error_scale(rng, samples, unit):
    """A such that K = A/unit is a decimal, or ties a saving to a whole number, or nearly so."""
    lowest = min(samples)
    # The fee of an agent, or its saving without another one, is to be the whole number t.
    i, j = rng.sample(range(len(samples)), 2)
    m, M = samples[i], sum(samples) - rng.choice([0, samples[j]])
    t_one = Fraction(m * M, M - m)  # the K that makes t = 1
    highest = 10**15 * lowest // t_one
    if highest and rng.random() < 0.5:
        t = rng.randint(1, min(10**6, highest))
        return reference.fraction(unit) * t_one * t * (1 + rng.choice(SLIGHTLY))
    K = lowest * log_uniform(rng, 1e-2, 1e15)
    return float(f"{K * float(unit):.{rng.choice([0, 2, 16])}e}")


def draw_costs(rng, samples, A, unit, kappa):
    """Reported costs of many kinds, none so large that penalty or charge do not fit."""
    A, K = float(A), float(A / unit)
    most = [A / m**2 * (1e16 * m / K) ** (2 / 3) for m in samples]

    def near_whole_charge(m):
        t = rng.randint(1, 10 ** rng.randint(1, 6)) * float(unit) / float(kappa or 1)
        return (math.sqrt(A / m) + math.sqrt(t)) ** 2 / m

    few = [log_uniform(rng, 1e-6, 1) * min(most) for _ in range(3)]
    draw = rng.choice(
        [
            lambda m: A / m**2,
            lambda m: A / m**2 * rng.choice([1, 4, 9, 25, 100, 0.25, 0.01]),
            lambda m: A / m**2 * log_uniform(rng, 1e-3, 1e3),
            lambda m: log_uniform(rng, 1e-100, A / m**2),
            lambda m: math.inf,  # as large as it may be
            near_whole_charge,
            lambda m: rng.choice(few),
        ]
    )
    return [min(draw(m), highest) for m, highest in zip(samples, most, strict=True)]


def draw_analytic(rng, rule):
    n = rng.randint(3, rng.choice([4, 12, 60]))
    if rng.random() < 0.3:
        samples = draw_round_samples(rng, n)
        A, unit = rng.choice([(7.2072, 1e-9), (72072000, 0.01), (0.0072072, 1e-12)])
    else:
        samples, unit = draw_samples(rng, n), rng.choice(UNITS)
        A = draw_error_scale(rng, samples, unit)
    kappa = rng.choice(CONSISTENCIES)
    costs = draw_costs(rng, samples, A, unit, kappa)
    alphas = [0.0, 0.5, 1.0, 1.2, Fraction(1, 3)]
    if max(costs) < A / 100:  # m* > 10 for all; nearer to 2, α is refused for some
        alphas.append(1.99)
    terms = Terms(
        error_scale=A,
        rule=rule,
        alpha=rng.choice(alphas),
        unit=unit,
        retention=rng.choice(RETENTIONS),
        consistency=kappa,
    )
    capped = None
    if rng.random() < 0.3:  # only below m* = √(A/c) may an agent be marked
        below = [c * m * m < 0.99 * float(A) for c, m in zip(costs, samples, strict=True)]
        capped = np.array([short and rng.random() < 0.5 for short in below])
    return Population(agent_ids(rng, n), np.array(costs), np.array(samples), capped), terms


def draw_measured(rng, rule):
    n = rng.randint(3, rng.choice([4, 12, 60]))
    scale, value = rng.choice([1e-5, 1.0, 1e5]), rng.choice([1.0, 100, 1234.5, Fraction(1, 7)])
    digits = rng.choice([1, 2, 4, 17])  # with few, many gains are whole numbers, but not as floats
    lean = rng.choice([-0.8, -0.3, 0.3, 0.8, 1.1])  # whether federation helps or hurts on the whole

    def loss(number):
        return float(f"{number:.{digits}g}")

    local = [loss(rng.random() * scale) for _ in range(n)]
    federated = [
        rng.choice([alone, loss(alone - scale * (rng.uniform(-1, 1) + lean))]) for alone in local
    ]
    terms = Terms(
        rule=rule,
        unit=rng.choice([unit for unit in UNITS if 1 < scale * value / unit < 1e16]),
        retention=rng.choice(RETENTIONS),
        loss_value=value,
    )
    return (
        Population(
            agent_ids(rng, n),
            np.array([rng.choice([1e-100, 0.1, 1.0, 1e100, rng.random()]) for _ in range(n)]),
            np.array([rng.randint(1, 10**12) for _ in range(n)]),
            local_loss=np.array(local),
            federated_loss=np.array(federated),
        ),
        terms,
    )


def agent_ids(rng, n):
    return rng.sample([f"hôpital-{k}" for k in range(100)], n)


@pytest.mark.parametrize("rule", ["sandwich", "rebate"])
@pytest.mark.parametrize("draw", [draw_analytic, draw_measured])
def test_every_column_equals_the_reference(draw, rule):
    rng = random.Random(f"{draw.__name__} {rule}")
    for case in range(CASES):
        population, terms = draw(rng, rule)
        seed = rng.randrange(10**6)
        result = settle(population, terms, seed)
        expected = reference.settle(population, terms, seed)
        for column in COLUMNS:
            got = np.asarray(getattr(result, column)).tolist()
            assert got == expected[column], f"case {case}: {column} of {population} by {terms}"


def test_penalty_equals_the_reference():
    rng = random.Random("penalty")
    for _ in range(200):
        population, terms = draw_analytic(rng, "sandwich")
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


@pytest.mark.parametrize("shift", SLIGHTLY)
@pytest.mark.parametrize("t", [1, 997, 10**13])  # the last needs more than 64 bits
def test_floor_difference_of_near_ties(t, shift):
    N = 2520
    a, b = np.array(equal_differences(N)).T
    K = t * N * (1 + shift)  # so that all K/a − K/b are t, or nearly
    assert set(floor_difference(K, a, b).tolist()) == {math.floor(t * (1 + shift))}
    assert set(floor_difference(K, b, a).tolist()) == {math.floor(-t * (1 + shift))}


@pytest.mark.parametrize("shift", SLIGHTLY)
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


def test_floor_charge_of_near_whole_charges():
    """(√(K/m) − √(cost·m))² = t: cost is off by less than a float shows, on either side."""
    rng = random.Random("charge")
    m = np.array([rng.randint(1, 10 ** rng.randint(1, 12)) for _ in range(2000)])
    K = Fraction(10**17, 3)
    t = np.array([rng.randint(1, 10 ** rng.randint(1, 9)) for _ in m])
    cost = (np.sqrt(float(K) / m) + np.sqrt(t)) ** 2 / m
    cost = cost * (1 + np.array([rng.randint(-2, 2) for _ in m]) * 2.0**-52)
    got = floor_charge(K, Fraction(1), cost, m).tolist()
    assert got == [
        reference.square_of_roots(K / d, reference.fraction(c) * d)
        for d, c in zip(m.tolist(), cost.tolist(), strict=True)
    ]


def test_floor_charge_of_decimals_that_make_it_whole():
    """(√(1/m) − √(c·m))²/unit for m = 10, 100 … and c = r²/m² is a whole number, not by floats."""
    unit = Fraction(1, 10**9)
    r, m = (grid.ravel() for grid in np.meshgrid(np.arange(2, 300), 10 ** np.arange(1, 9)))
    cost = np.array([float(Fraction(int(a) ** 2, int(b) ** 2)) for a, b in zip(r, m, strict=True)])
    got = floor_charge(1 / unit, 1 / unit, cost, m)
    assert got.tolist() == ((r - 1) ** 2 * 10**9 // m).tolist()


@pytest.mark.parametrize("scale", [Fraction(100), Fraction(10**14), Fraction(1000, 7)])
def test_floor_gain_of_decimals(scale):
    cents = np.arange(-150, 151)
    high, low = (grid.ravel() for grid in np.meshgrid(cents, cents))
    expected = [math.floor(scale * Fraction(gain, 100)) for gain in (high - low).tolist()]
    assert floor_gain(scale, high / 100, low / 100).tolist() == expected
