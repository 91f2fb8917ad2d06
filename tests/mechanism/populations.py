"""Populations and terms drawn at random, on hard numbers: ties, near ties, tiny and huge scales."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np

from fedfact.mechanism import Population, Terms

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


def fraction(number):
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


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
            return fraction(unit) * t_one * t * (1 + rng.choice(SLIGHTLY))
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
