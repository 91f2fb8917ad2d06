"""What one agent loses, alone and together: Eq. 2, 3, 5, 9, 10 and 11, as the paper writes them.

These are the formulas behind the figures, in real numbers. The amounts that members pay and
receive are the settlement's, which mends what the paper's pool gets wrong (docs/theory.md).

``samples`` is m_i, ``others`` is S = Σ_{j≠i} m_j, ``error_scale`` is A = γσ²L/2.
True cost c_i is what the agent bears, reported cost c what the server believes.
"""

import numpy as np

from ..arrays import ArrayLike, Floats, floats
from .penalty import free_rider_penalty


def local_loss(samples: ArrayLike, cost: ArrayLike, error_scale: ArrayLike) -> Floats:
    """Loss of training alone (Eq. 2): A/m + c·m."""
    m = floats(samples)
    with np.errstate(divide="ignore"):
        return floats(error_scale) / m + floats(cost) * m


def federated_loss(
    samples: ArrayLike, others: ArrayLike, cost: ArrayLike, error_scale: ArrayLike
) -> Floats:
    """Loss in a federation without a mechanism (Eq. 3): A/(m + S) + c·m."""
    m = floats(samples)
    with np.errstate(divide="ignore"):
        return floats(error_scale) / (m + floats(others)) + floats(cost) * m


def effective_fee(samples: ArrayLike, others: ArrayLike, error_scale: ArrayLike) -> Floats:
    """All that federation saves an agent (Alg. 2, line 4): B = A·S / (m·(m + S)).

    >>> float(effective_fee(samples=4, others=12, error_scale=16.0))
    3.0
    """
    m = floats(samples)
    S = floats(others)
    with np.errstate(divide="ignore"):
        return floats(error_scale) / m * (S / (m + S))


def pool_of_others(
    errors: ArrayLike, others: ArrayLike, agents: int, error_scale: ArrayLike
) -> Floats:
    """Σ_{j≠i} A(1/m_j − 1/S), what the others put up for agent i (Ours; Eq. 10, mended).

    ``errors`` is Σ_{j≠i} A/m_j, the errors of the others each alone. Free of i's own samples.
    """
    A = floats(error_scale)
    return floats(floats(errors) - (agents - 1) * A / floats(others))


def charge_for_misfit(
    samples: ArrayLike, reported_cost: ArrayLike, error_scale: ArrayLike, consistency: float
) -> Floats:
    """Q = κ(√(A/m) − √(c·m))² (Ours): 0 where the samples fit the report, c = A/m²."""
    m = floats(samples)
    with np.errstate(divide="ignore"):
        gap = np.sqrt(floats(error_scale) / m) - np.sqrt(floats(reported_cost) * m)
    return floats(consistency * gap**2)


def penalised_loss(
    samples: ArrayLike,
    others: ArrayLike,
    true_cost: ArrayLike,
    reported_cost: ArrayLike,
    error_scale: ArrayLike,
    alpha: ArrayLike,
) -> Floats:
    """Loss under penalised federated learning (Eq. 5; Eq. 9 where the report is not the truth)."""
    plain = federated_loss(samples, others, true_cost, error_scale)
    return plain + free_rider_penalty(samples, others, reported_cost, error_scale, alpha)


def contract_fee(
    samples: ArrayLike,
    others: ArrayLike,
    reported_cost: ArrayLike,
    error_scale: ArrayLike,
    alpha: ArrayLike,
) -> Floats:
    """Contract fee Δℓ(m, c) = B − P_fr (Alg. 2, line 3). Together with P_fr the agent pays B."""
    penalty = free_rider_penalty(samples, others, reported_cost, error_scale, alpha)
    return effective_fee(samples, others, error_scale) - penalty


def paper_pool(contract_fees: ArrayLike) -> Floats:
    """The paper's reward of each agent should it win (Eq. 10): (3/n)·Σ_{j≠i} Δℓ_j.

    It can be negative: one absurd report is enough (docs/theory.md). Settlements do not use it.
    """
    fees = floats(contract_fees)
    pool: Floats = 3 / fees.size * (fees.sum() - fees)
    return pool


def truthfulness_penalty(
    contract_fee: ArrayLike, pool: ArrayLike, win_probability: ArrayLike
) -> Floats:
    """P_ct of Eq. 10: the contract fee, less the pool for a winner.

    ``win_probability`` is 1 or 0 for an outcome, in between for an expectation.
    """
    return floats(contract_fee) - floats(win_probability) * floats(pool)


def fact_loss(
    samples: ArrayLike,
    others: ArrayLike,
    true_cost: ArrayLike,
    reported_cost: ArrayLike,
    error_scale: ArrayLike,
    alpha: ArrayLike,
    *,
    pool: ArrayLike,
    win_probability: ArrayLike,
) -> Floats:
    """Loss under FACT (Eq. 11): the penalised loss plus P_ct.

    The penalty cancels, so this is the *local* loss at the true cost less what the agent wins,
    which is why no report makes free riding pay.
    """
    penalised = penalised_loss(samples, others, true_cost, reported_cost, error_scale, alpha)
    fee = contract_fee(samples, others, reported_cost, error_scale, alpha)
    return penalised + truthfulness_penalty(fee, pool, win_probability)
