"""Analytic amounts: what federation is worth to each agent by the curve e(m)."""

import numpy as np

from ..arrays import Ints
from ..errors import InputError
from .exact import MOST_MONEY, floor_difference, sum_floor_differences
from .formulas.penalty import free_rider_penalty, largest_alpha
from .population import Population
from .subunits import SubUnits, bits_for, errors
from .terms import Terms

_BLOCK = 1 << 15


def fees_and_pools(population: Population, terms: Terms) -> tuple[Ints, Ints]:
    """Fee ⌊B_i⌋ and pool Σ_{j≠i} ⌊B_j^(−i)⌋ of each agent, in minor units.

    B_i = e(m_i) − e(M) is all that federation saved agent i. B_j^(−i) = e(m_j) − e(M − m_i)
    is what it would have saved j without i: at most B_j, so the fees cover the pools, and free
    of m_i, so nobody moves its own reward by its own samples. Both depend on an agent only
    through its samples and are worked out once for each distinct number of them.
    """
    K, M = terms.error_scale_in_units, population.total
    m, agent, count = distinct(population.samples)
    refuse_misfit(population, terms, float(K) * float(count @ (1.0 * m) ** -float(terms.exponent)))
    S = M - m
    if terms.exponent == 1:
        fee = floor_difference(K, m, M)
        pool = sum_floor_differences(K, m, count, S) - floor_difference(K, m, S)
        return fee[agent], pool[agent]
    alone, together = errors(terms, m, up=True), errors(terms, np.array([M]), up=True)
    without = errors(terms, S, up=True)
    fee = alone.less(together).whole
    pool = _sum_floors(alone, count, without) - alone.less(without).whole
    return fee[agent], pool[agent]


def _sum_floors(each: SubUnits, count: Ints, less: SubUnits) -> Ints:
    """Σ_j count_j·⌊each_j − less_i⌋ for every i, in n log n."""
    order = np.argsort(each.part)
    below = np.concatenate(([0], np.cumsum(count[order])))
    borrows = below[np.searchsorted(each.part[order], less.part)]
    sums: Ints = (each.whole * count).sum() - count.sum() * less.whole - borrows
    return sums


def refuse_misfit(population: Population, terms: Terms, all_errors: float) -> None:
    """Refuse agents whose amounts, or all amounts together, might not fit."""
    size = np.ones(len(population)) if population.size is None else population.size
    alone = size * (1.0 * population.samples) ** -float(terms.exponent)
    k = int(np.argmax(alone))
    if reason := misfit(int(population.samples[k]), terms, int(size[k])):
        population.refuse(alone == alone[k], lambda _: reason)
    if all_errors >= MOST_MONEY:
        raise InputError(f"the fees add up to more than fits; take a larger unit than {terms.unit}")


def misfit(samples: int, terms: Terms, size: int = 1) -> str | None:
    """Why terms are refused under which the fee for so few samples might not fit."""
    largest = size * float(terms.error_scale_in_units) * float(samples) ** -float(terms.exponent)
    if largest < MOST_MONEY:
        return None
    return (
        f"a fee for {samples:,} samples may reach {largest:.3g} minor units, too much; "
        f"take a larger unit than {terms.unit}, or check error_scale, {terms.error_scale}"
    )


def largest_fee(samples: int, terms: Terms, size: int = 1) -> int:
    """⌈u·K·m^(−b)⌉, the most that a fee for so many samples can be, whatever the others do."""
    if reason := misfit(samples, terms, size):
        raise InputError(reason)
    alone = errors(terms, np.array([samples]), up=True, bits=bits_for(size))
    return int(alone.times(size).ceiling[0])


def distinct(samples: Ints) -> tuple[Ints, Ints, Ints]:
    """Distinct values in order, which of them each agent has, and how many agents have each."""
    if samples.max() > 8 * len(samples):
        return np.unique(samples, return_inverse=True, return_counts=True)
    count = np.bincount(samples)  # small numbers: counting beats sorting
    present = count > 0
    values: Ints = np.flatnonzero(present)
    return values, (np.cumsum(present) - 1)[samples], count[present]


def shown_penalty(population: Population, terms: Terms) -> Ints:
    """P_fr (Eq. 8) to the nearest minor unit: for comparison: it moves no money."""
    curve, alpha = terms.curve, float(terms.alpha)
    M, value, limit = population.total, np.empty(len(population)), np.empty(len(population))
    for start in range(0, len(population), _BLOCK):  # blocks that stay in the cache
        block = slice(start, start + _BLOCK)
        m, cost = population.samples[block], population.reported_cost[block]
        limit[block] = largest_alpha(cost, M - m, curve)
        with np.errstate(over="ignore"):  # infinity is refused below
            penalty = free_rider_penalty(m, M - m, cost, curve, alpha) / float(terms.unit)
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


def too_large(amount: str, population: Population, k: int) -> str:
    """Why an amount of one agent is refused."""
    return (
        f"its {amount} does not fit in 64 bits; a cost of {population.reported_cost[k]:g} for each "
        f"of {population.samples[k]:,} samples is out of all proportion, or the unit too small"
    )
