"""What one agent loses, alone and together: Eq. 2, 3, 5, 9, 10 and 11, as the paper writes them.

These are the formulas behind the figures, in real numbers. The amounts that members pay and
receive are the settlement's, which mends what the paper's pool gets wrong (docs/theory.md).

``samples`` is m_i, ``others`` is S = Σ_{j≠i} m_j, ``curve`` is the learning curve e(m), or the
paper's A = γσ²L/2 for A/m. True cost c_i is what the agent bears, reported cost c what the server
believes.
"""

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ..curve import CurveLike, curve_of
from .penalty import free_rider_penalty


def local_loss(samples: ArrayLike, cost: ArrayLike, curve: CurveLike) -> Floats:
    """Loss of training alone (Eq. 2): e(m) + c·m."""
    return curve_of(curve).error(samples) + floats(cost) * floats(samples)


def federated_loss(
    samples: ArrayLike, others: ArrayLike, cost: ArrayLike, curve: CurveLike
) -> Floats:
    """Loss in a federation without a mechanism (Eq. 3): e(m + S) + c·m."""
    m = floats(samples)
    return curve_of(curve).error(m + floats(others)) + floats(cost) * m


def effective_fee(samples: ArrayLike, others: ArrayLike, curve: CurveLike) -> Floats:
    """All that federation saves an agent (Alg. 2, line 4): B = e(m) − e(m + S).

    >>> float(effective_fee(samples=4, others=12, curve=16.0))
    3.0
    """
    return curve_of(curve).saved(samples, others)


def pool_of_others(errors: ArrayLike, others: ArrayLike, agents: int, curve: CurveLike) -> Floats:
    """Σ_{j≠i} (e(m_j) − e(S)), what the others put up for agent i (Ours; Eq. 10, mended).

    ``errors`` is Σ_{j≠i} e(m_j), the errors of the others each alone. Free of i's own samples.
    """
    return floats(floats(errors) - (agents - 1) * curve_of(curve).error(others))


def charge_for_misfit(
    samples: ArrayLike,
    reported_cost: ArrayLike,
    curve: CurveLike,
    consistency: float,
    best: ArrayLike | None = None,
) -> Floats:
    """Q = κ[ℓ(m) − ℓ(best)], ℓ(x) = e(x) + c·x, c the reported cost (Ours); not below 0.

    Without ``best`` it is the optimum m*(c); for A/m that is κ(√(A/m) − √(c·m))².
    """
    m, c, curve = floats(samples), floats(reported_cost), curve_of(curve)
    with np.errstate(divide="ignore"):
        if best is not None:
            fits = floats(best)
            misfit = curve.error(m) - curve.error(fits) + c * (m - fits)
        elif curve.exponent == 1:
            misfit = (np.sqrt(curve.error(m)) - np.sqrt(c * m)) ** 2
        else:
            misfit = curve.error(m) + c * m - curve.least_loss(c)
    return floats(consistency * np.maximum(misfit, 0))


def penalised_loss(
    samples: ArrayLike,
    others: ArrayLike,
    true_cost: ArrayLike,
    reported_cost: ArrayLike,
    curve: CurveLike,
    alpha: ArrayLike,
) -> Floats:
    """Loss under penalised federated learning (Eq. 5; Eq. 9 where the report is not the truth)."""
    plain = federated_loss(samples, others, true_cost, curve)
    return plain + free_rider_penalty(samples, others, reported_cost, curve, alpha)


def contract_fee(
    samples: ArrayLike,
    others: ArrayLike,
    reported_cost: ArrayLike,
    curve: CurveLike,
    alpha: ArrayLike,
) -> Floats:
    """Contract fee Δℓ(m, c) = B − P_fr (Alg. 2, line 3). Together with P_fr the agent pays B."""
    penalty = free_rider_penalty(samples, others, reported_cost, curve, alpha)
    return effective_fee(samples, others, curve) - penalty


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
    curve: CurveLike,
    alpha: ArrayLike,
    *,
    pool: ArrayLike,
    win_probability: ArrayLike,
) -> Floats:
    """Loss under FACT (Eq. 11): the penalised loss plus P_ct.

    The penalty cancels, so this is the *local* loss at the true cost less what the agent wins,
    which is why no report makes free riding pay.
    """
    penalised = penalised_loss(samples, others, true_cost, reported_cost, curve, alpha)
    fee = contract_fee(samples, others, reported_cost, curve, alpha)
    return penalised + truthfulness_penalty(fee, pool, win_probability)
