"""Analytic amounts: what federation is worth to each agent by the formula A/m."""

import numpy as np

from .arrays import Bools, Ints
from .errors import InputError
from .exact import (
    LARGEST,
    TOO_LARGE,
    exact,
    floor_charge,
    floor_difference,
    sum_floor_differences,
)
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
    K = terms.required_error_scale / exact(terms.unit)
    M = population.total
    m, agent, count = _distinct(population.samples)
    if K / int(m[0]) >= LARGEST or float(K) * float(count @ (1 / m)) >= LARGEST:
        k = int(np.argmin(population.samples))
        raise InputError(
            f"agent {population.agents[k]!r}: with {m[0]} samples, fees of up to "
            f"{float(K / int(m[0])):.3g} minor units do not fit; take a larger unit "
            f"(now {float(terms.unit):g}) or check error_scale ({terms.error_scale})",
            k,
        )
    S = M - m
    fee = floor_difference(K, m, M)
    pool = sum_floor_differences(K, m, count, S) - floor_difference(K, m, S)
    return fee[agent], pool[agent]


def _distinct(samples: Ints) -> tuple[Ints, Ints, Ints]:
    """Distinct values in order, which of them each agent has, and how many agents have each."""
    if samples.max() > 8 * len(samples):
        return np.unique(samples, return_inverse=True, return_counts=True)
    count = np.bincount(samples)  # small numbers: counting beats sorting
    present = count > 0
    values: Ints = np.flatnonzero(present)
    return values, (np.cumsum(present) - 1)[samples], count[present]


def shown_penalty(population: Population, terms: Terms) -> Ints:
    """P_fr (Eq. 8) to the nearest minor unit: a part of the fee, it moves no money of its own."""
    A, alpha = float(terms.required_error_scale), float(terms.alpha)
    M, value, limit = population.total, np.empty(len(population)), np.empty(len(population))
    for start in range(0, len(population), _BLOCK):  # blocks that stay in the cache
        block = slice(start, start + _BLOCK)
        m, cost = population.samples[block], population.reported_cost[block]
        limit[block] = largest_alpha(cost, M - m, A)
        with np.errstate(over="ignore"):  # infinity is refused below
            penalty = free_rider_penalty(m, M - m, cost, A, alpha) / float(terms.unit)
        value[block] = np.rint(penalty)
    k = int(np.argmin(limit))
    if limit[k] < alpha:
        raise InputError(
            f"agent {population.agents[k]!r}: alpha {alpha:.9g} is too close to 2; the least miss "
            "of its optimum would cost more than federation brings. "
            f"Take alpha at most {np.floor(limit[k] * 1e6) / 1e6:.6f} for these agents",
            k,
        )
    refuse(value >= LARGEST, population, "penalty")
    return value.astype(np.int64)


def consistency_charge(population: Population, terms: Terms) -> Ints:
    """Q_i = ⌊κ(√(A/m_i) − √(c·m_i))²⌋ of the rebate rule: 0 where the report fits, c = A/m².

    Agents whose data is capped below m* are not charged (κ = 0 for them).
    """
    kappa, unit = exact(terms.consistency), exact(terms.unit)
    charge = floor_charge(
        kappa * terms.required_error_scale / unit,
        kappa / unit,
        population.reported_cost,
        population.samples,
    )
    if population.capped is not None:
        charge[population.capped] = 0
    refuse(charge == TOO_LARGE, population, "consistency charge")
    return charge


def refuse(too_large: Bools, population: Population, amount: str) -> None:
    """Refuse a settlement in which an agent's amount does not fit."""
    if too_large.any():
        k = int(np.argmax(too_large))
        raise InputError(
            f"agent {population.agents[k]!r}: its {amount} does not fit in 64 bits; what the agent "
            "reports is out of all proportion, or the unit is too small",
            k,
        )
