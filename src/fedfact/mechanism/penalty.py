"""The free-rider penalty of penalised federated learning: Eq. 4, 6, 7 and 8, Lemma 1.

With m* = √(A/c), s = S/m*, g = c·s(s+2)/(1+s)² and B(m*) = c·m*·s/(1+s),

    λ       = (c/m*) · s(s+2)² / [2(2−α)(1+s)³]                          (Eq. 6)
    P_fr(m) = λ(m*−m)² + g(m*−m) + (2−α)/2 · B(m*)                       (Eq. 4, 8)
            = c·m* · s(s+2)² / [2(2−α)(1+s)³] · (1 − m/m* + (2−α)(1+s)/(s+2))².

The last line is the square that the sum is; it cannot cancel, turn negative or divide 0 by 0.
λ always uses m*(c), as Lemma 1 does; with the samples actually used (Algorithm 1 and the
appendix) the optimum would move. An agent that does all it promised still has a penalty of
(2−α)/2 · B(m*). ``alpha`` is α ∈ [0, 2]; at 2 the functions return their limits.
"""

import numpy as np

from ..arrays import ArrayLike, Floats, floats
from ..errors import InputError
from .optima import local_optimum

MISS = 0.01
"""What part of m* an agent may miss before that alone may cost it all that federation brings."""


def _weight(s: Floats) -> Floats:
    """s(s+2)²/(1+s)³ without overflow for large s."""
    return s / (1 + s) * ((s + 2) / (1 + s)) ** 2


def _slack(alpha: ArrayLike) -> Floats:
    slack = 2.0 - floats(alpha)
    if not np.all((slack >= 0) & (slack <= 2)):
        raise InputError("alpha must lie in [0, 2]")
    return slack


def penalty_weight(
    reported_cost: ArrayLike, others: ArrayLike, error_scale: ArrayLike, alpha: ArrayLike
) -> Floats:
    """λ of Eq. 6 (Lemma 1). 0 where nobody else contributes, ∞ at α = 2."""
    slack = _slack(alpha)
    m_star = local_optimum(reported_cost, error_scale)
    numerator = floats(reported_cost) / m_star * _weight(floats(others) / m_star) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numerator == 0, 0.0, numerator / slack)[()]


def penalty_slope(reported_cost: ArrayLike, others: ArrayLike, error_scale: ArrayLike) -> Floats:
    """g = c·s(s+2)/(1+s)², the slope of P_fr at m* (Eq. 8): what free riding saves there."""
    s = floats(others) / local_optimum(reported_cost, error_scale)
    return floats(reported_cost) * (s / (1 + s)) * ((s + 2) / (1 + s))


def free_rider_penalty(
    samples: ArrayLike,
    others: ArrayLike,
    reported_cost: ArrayLike,
    error_scale: ArrayLike,
    alpha: ArrayLike,
) -> Floats:
    """P_fr(m, c) of Eq. 4 and 8, c the reported cost.

    At α = 2 it is 0 for m = m* and ∞ elsewhere; with S = 0 it is 0.

    >>> float(free_rider_penalty(4, 4, reported_cost=1.0, error_scale=16.0, alpha=1.0))
    1.0
    """
    slack = _slack(alpha)
    m_star = local_optimum(reported_cost, error_scale)
    s = floats(others) / m_star
    short = 1 - floats(samples) / m_star
    scale = floats(reported_cost) * m_star * _weight(s) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = scale / slack * (short + slack * (1 + s) / (s + 2)) ** 2
    return np.where((scale == 0) | ((slack == 0) & (short == 0)), 0.0, value)[()]


def rationality_gap(
    reported_cost: ArrayLike, others: ArrayLike, error_scale: ArrayLike, alpha: ArrayLike
) -> Floats:
    """What PFL saves a compliant agent against training alone (Eq. 7): (α/2)·B(m*)."""
    m_star = local_optimum(reported_cost, error_scale)
    s = floats(others) / m_star
    return (2 - _slack(alpha)) / 2 * floats(reported_cost) * m_star * s / (1 + s)


def largest_alpha(reported_cost: ArrayLike, others: ArrayLike, error_scale: ArrayLike) -> Floats:
    """The largest α in Eq. 6 for which the penalty leaves an agent room to miss m*.

    As α → 2, λ → ∞ and the smallest miss costs more than all that federation brings. The
    smallest miss is half a sample, since samples are whole, or `MISS` of m*, whichever is more;
    λ·miss² ≤ B(m*) then asks for 2 − α ≥ ½·(miss/m*)²·((s+2)/(1+s))², for many agents and a
    small m* 1/(8·m*²). An agent whose optimum is below half a sample cannot be near it
    whatever α is, and sets no limit.
    """
    m_star = local_optimum(reported_cost, error_scale)
    s = floats(others) / m_star
    with np.errstate(over="ignore"):
        miss = np.maximum(0.5 / m_star, MISS)
        limit = 2 - (miss * (s + 2) / (1 + s)) ** 2 / 2
    return np.where(m_star < 0.5, 2.0, limit)[()]
