"""Analytic amounts: what federation is worth to each agent by the formula A/m."""

import numpy as np

from ..arrays import Floats, Ints
from ..errors import InputError
from .exact import (
    DOES_NOT_FIT,
    MOST_MONEY,
    as_fraction,
    floor_charge,
    floor_difference,
    sum_floor_differences,
)
from .optima import local_optimum
from .penalty import free_rider_penalty, largest_alpha
from .population import Population
from .terms import Terms

_BLOCK = 1 << 15


def fees_and_pools(population: Population, terms: Terms) -> tuple[Ints, Ints]:
    """Fee ⌊B_i⌋ and pool Σ_{j≠i} ⌊B_j^(−i)⌋ of each agent, in minor units.

    B_i = A(1/m_i − 1/M) is all that federation saved agent i. B_j^(−i) = A(1/m_j − 1/(M − m_i))
    is what it would have saved j without i: at most B_j, so the fees cover the pools, and free
    of m_i, so nobody moves its own reward by its own samples. Both depend on an agent only
    through its samples and are worked out once for each distinct number of them.
    """
    K = terms.error_scale_in_units
    M = population.total
    m, agent, count = _distinct(population.samples)
    if reason := misfit(int(m[0]), terms):
        population.refuse(population.samples == m[0], lambda k: reason)
    if float(K) * float(count @ (1 / m)) >= MOST_MONEY:
        raise InputError(f"the fees add up to more than fits; take a larger unit than {terms.unit}")
    S = M - m
    fee = floor_difference(K, m, M)
    pool = sum_floor_differences(K, m, count, S) - floor_difference(K, m, S)
    return fee[agent], pool[agent]


def misfit(samples: int, terms: Terms) -> str | None:
    """Why terms are refused under which the fee for so few samples might not fit."""
    K = terms.error_scale_in_units
    if K / samples < MOST_MONEY:
        return None
    return (
        f"a fee for {samples:,} samples may reach {float(K / samples):.3g} minor units, too much; "
        f"take a larger unit than {terms.unit}, or check error_scale, {terms.error_scale}"
    )


def _distinct(samples: Ints) -> tuple[Ints, Ints, Ints]:
    """Distinct values in order, which of them each agent has, and how many agents have each."""
    if samples.max() > 8 * len(samples):
        return np.unique(samples, return_inverse=True, return_counts=True)
    count = np.bincount(samples)  # small numbers: counting beats sorting
    present = count > 0
    values: Ints = np.flatnonzero(present)
    return values, (np.cumsum(present) - 1)[samples], count[present]


def shown_penalty(population: Population, terms: Terms) -> Ints:
    """P_fr (Eq. 8) to the nearest minor unit, for comparison: it moves no money."""
    A, alpha = float(terms.required_error_scale), float(terms.alpha)
    M, value, limit = population.total, np.empty(len(population)), np.empty(len(population))
    for start in range(0, len(population), _BLOCK):  # blocks that stay in the cache
        block = slice(start, start + _BLOCK)
        m, cost = population.samples[block], population.reported_cost[block]
        limit[block] = largest_alpha(cost, M - m, A)
        with np.errstate(over="ignore"):  # infinity is refused below
            penalty = free_rider_penalty(m, M - m, cost, A, alpha) / float(terms.unit)
        value[block] = np.rint(penalty)
    least = limit.min()
    population.refuse(
        (limit == least) & (limit < alpha),
        lambda k: (
            f"alpha {alpha:.9g} is too close to 2; the least miss of its optimum would cost more "
            f"than federation brings. Take at most {np.floor(least * 1e6) / 1e6:.6f} here"
        ),
    )
    population.refuse(value >= MOST_MONEY, lambda k: too_large("penalty", population, k))
    return value.astype(np.int64)


def consistency_charge(population: Population, terms: Terms) -> Ints:
    """Q_i = ⌊κ(√(A/m_i) − √(c·m_i))²⌋ of the rebate rule: 0 where the report fits, c = A/m².

    Agents whose data is capped below m* are not charged (κ = 0 for them).
    """
    charge = exact_charge(terms, population.reported_cost, population.samples)
    if population.capped is not None:
        optimum = local_optimum(population.reported_cost, float(terms.required_error_scale))
        population.refuse(
            population.capped & (population.samples >= optimum),
            lambda k: (
                f"it is marked as capped, but its {population.samples[k]:,} samples reach the "
                f"optimum of its reported cost, {optimum[k]:.6g}; take the mark away"
            ),
        )
        charge[population.capped] = 0
    population.refuse(
        charge == DOES_NOT_FIT, lambda k: too_large("consistency charge", population, k)
    )
    return charge


def exact_charge(terms: Terms, reported_cost: Floats, samples: Ints) -> Ints:
    """⌊κ(√(A/m) − √(c·m))²⌋ in minor units, elementwise, exactly (or `DOES_NOT_FIT`)."""
    kappa = as_fraction(terms.consistency)
    K, unit_cost = kappa * terms.error_scale_in_units, kappa / as_fraction(terms.unit)
    return floor_charge(K, unit_cost, reported_cost, samples)


def too_large(amount: str, population: Population, k: int) -> str:
    """Why an amount of one agent is refused."""
    return (
        f"its {amount} does not fit in 64 bits; a cost of {population.reported_cost[k]:g} for each "
        f"of {population.samples[k]:,} samples is out of all proportion, or the unit too small"
    )
