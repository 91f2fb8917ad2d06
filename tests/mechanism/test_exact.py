"""The settlement and its exact integers against a slow reference in fractions, on hard numbers."""

import importlib.util
import math
import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from fedfact.mechanism import Population, Terms, settle
from fedfact.mechanism.charge import Choices, exact_charge
from fedfact.mechanism.exact import (
    DOES_NOT_FIT,
    MOST_MONEY,
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

CASES = 800  # for each rule and input
COLUMNS = (
    "fee", "charge", "compensation", "pool", "reward", "rebate", "net", "group", "won", "surplus",
    "shortfall",
)  # fmt: skip
UNITS = [1.0, 0.01, 1e-9, 0.3, 7e-05, 1.1e-13, 1e-40, 1e70, Fraction(1, 3)]
EXPONENTS = [0.05, 0.25, 0.3, 0.37, 0.5, 0.73, 1.5, 2, Fraction(1, 3)]
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


def draw_powers(rng, n):
    """Whole powers, whose roots are whole, and numbers next to them."""
    power = rng.choice([2, 3, 4, 12])
    most = int(10 ** (12 / power))
    return [
        min(
            max(1, rng.randint(1, rng.choice([2, most])) ** power + rng.choice([0, 0, 0, 1, -1])),
            10**12,
        )
        for _ in range(n)
    ]


def draw_error_scale(rng, samples, unit, b, largest_size):
    """A such that K = A/unit is a decimal, or ties a saving to a whole number, or nearly so."""
    lowest = min(samples) ** float(b)
    if b == largest_size == 1 and rng.random() < 0.5:
        # The fee of an agent, or its saving without another one, is to be the whole number t.
        i, j = rng.sample(range(len(samples)), 2)
        m, M = samples[i], sum(samples) - rng.choice([0, samples[j]])
        t_one = Fraction(m * M, M - m)  # the K that makes t = 1
        if highest := 10**15 * min(samples) // t_one:
            t = rng.randint(1, min(10**6, highest))
            return reference.fraction(unit) * t_one * t * (1 + rng.choice(SLIGHTLY))
    K = lowest * log_uniform(rng, 1e-2, 1e15 / largest_size)
    return float(f"{K * float(unit):.{rng.choice([0, 2, 16])}e}")


def draw_costs(rng, samples, A, unit, kappa, b):
    """Reported costs of many kinds, none so large that penalty or charge do not fit."""
    A, unit, b = float(A), float(unit), float(b)
    most = [
        min((1e16 * unit * (A * b) ** (1 / (1 + b)) / m**2) ** ((1 + b) / (2 + b)), 1e16 * unit / m)
        for m in samples
    ]

    def fits(m):
        return A * b * m ** (-1 - b)

    def near_whole_charge(m):
        t = rng.randint(1, 10 ** rng.randint(1, 6)) * unit / float(kappa or 1)
        return (math.sqrt(A / m) + math.sqrt(t)) ** 2 / m  # where b = 1

    few = [log_uniform(rng, 1e-6, 1) * min(most) for _ in range(3)]
    draw = rng.choice(
        [
            fits,
            lambda m: fits(m) * rng.choice([1, 4, 9, 25, 100, 0.25, 0.01]),
            lambda m: fits(m) * log_uniform(rng, 1e-3, 1e3),
            lambda m: log_uniform(rng, 1e-100, fits(m)),
            lambda m: math.inf,  # as large as it may be
            near_whole_charge,
            lambda m: rng.choice(few),
            lambda m: A * (m**-b - (m + 1) ** -b),  # m and m + 1 are as good, or nearly
        ]
    )
    return [max(1e-100, min(draw(m), highest)) for m, highest in zip(samples, most, strict=True)]


def draw_exponent(rng):
    return rng.choice([1, 1.0, rng.choice(EXPONENTS), rng.choice(EXPONENTS)])


def draw_analytic(rng, rule):
    n, b = rng.randint(3, rng.choice([4, 12, 40])), draw_exponent(rng)
    if all_divide := b == 1 and rng.random() < 0.3:
        samples = draw_round_samples(rng, n)
    else:
        samples = draw_powers(rng, n) if rng.random() < 0.3 else draw_samples(rng, n)
    columns = {} if rule == "sandwich" else draw_balanced(rng, samples)
    if all_divide:
        A, unit = rng.choice([(7.2072, 1e-9), (72072000, 0.01), (0.0072072, 1e-12)])
    else:
        unit = rng.choice(UNITS)
        A = draw_error_scale(rng, samples, unit, b, max(columns.get("size", [1])))
    kappa = rng.choice(CONSISTENCIES)
    costs = draw_costs(rng, samples, A, unit, kappa, b)
    alphas = [0.0, 0.5, 1.0, 1.2, Fraction(1, 3)]
    if max(costs) < A / 100:  # m* > 10 for all; nearer to 2, α is refused for some
        alphas.append(1.99)
    terms = Terms(
        error_scale=A,
        exponent=b,
        rule=rule,
        alpha=rng.choice(alphas),
        unit=unit,
        retention=rng.choice(RETENTIONS),
        consistency=kappa,
    )
    if rng.random() < 0.2:
        columns["left"] = np.array([rng.random() < 0.3 for _ in samples])
    population = Population(agent_ids(rng, n), np.array(costs), np.array(samples), **columns)
    return population, limited(rng, population, terms)


def draw_balanced(rng, samples):
    """Sizes, all that signed, and capacities."""
    columns, n = {}, len(samples)
    if rng.random() < 0.6:
        most = rng.choice([1, 3, 1000, 10**6])
        columns["size"] = np.array([rng.randint(1, most) for _ in samples])
    if rng.random() < 0.3:
        U = int(columns["size"].sum()) if "size" in columns else n
        columns["signed_size"] = rng.randint(U, 2 * U)
    if rng.random() < 0.4:
        columns["capacity"] = np.array(
            [min(rng.choice([m, m + 1, 2 * m, 10**12]), 10**12) for m in samples]
        )
    return columns


def limited(rng, population, terms):
    """The terms, with a minimum and an escrow that these agents meet."""
    least = int(population.samples.min())
    u = 1 if population.size is None else population.size
    alone = u * float(terms.error_scale / terms.unit) * population.samples ** -float(terms.exponent)
    minimum = rng.choice([1, 1, least, 3 * least, rng.randint(1, 3 * least)])
    escrow = rng.choice([None, None, int(alone.max() * rng.choice([1.01, 2, 30])) + 2])
    return replace(terms, minimum_samples=minimum, escrow=escrow)


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
        for column in COLUMNS:
            got = np.asarray(getattr(result, column)).tolist()
            assert got == expected[column], f"case {case}: {column} of {population} by {terms}"


def test_penalty_equals_the_reference():
    rng = random.Random("penalty")
    for _ in range(200):
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


def charges(K, cost, m, b=1):
    """Charges where the unit is 1 and agents have size 1 and any number of samples."""
    ones = np.ones_like(m)
    choices = Choices(ones, 1, ones, ones, 10**12 * ones)
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
