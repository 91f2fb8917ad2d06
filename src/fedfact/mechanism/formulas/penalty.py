"""The free-rider penalty of penalised federated learning: Eq. 4, 6, 7 and 8, Lemma 1.

For a curve e with optimum m* = m*(c), others' samples S, s = S/m*, and B(m*) = e(m*) − e(m* + S),

    g       = e'(m* + S) − e'(m*),        λ = g² / (2(2−α)·B(m*)),
    P_fr(m) = λ(m*−m)² + g(m*−m) + (2−α)/2·B(m*) = λ·(m* − m + g/(2λ))².       (Eq. 4, 8)

With e(m) = A·m^(−b) and y = 1 + s that is g = c·γ and B(m*) = c·m*·β, where γ = 1 − y^(−1−b) and
β = (1 − y^(−b))/b. The paper's b = 1 gives γ = s(s+2)/(1+s)², β = s/(1+s) and

    λ       = (c/m*) · s(s+2)² / [2(2−α)(1+s)³].                               (Eq. 6)

The square cannot cancel, turn negative or divide 0 by 0. λ always uses m*(c), as Lemma 1 does; with
the samples actually used (Algorithm 1 and the appendix) the optimum would move. An agent that does
all it promised still has a penalty of (2−α)/2 · B(m*). ``alpha`` is α ∈ [0, 2]; at 2 the functions
return their limits.
"""

import numpy as np

from ...arrays import ArrayLike, Floats, floats
from ...errors import InputError
from ..curve import CurveLike, curve_of

MISS = 0.01
"""What part of m* an agent may miss before that alone may cost it all that federation brings."""


def _slope(s: Floats, b: float) -> Floats:
    """γ = g/c."""
    if b == 1:
        return s / (1 + s) * ((s + 2) / (1 + s))
    return -np.expm1(-(1 + b) * np.log1p(s))


def _saved(s: Floats, b: float) -> Floats:
    """β = B(m*)/(c·m*)."""
    return s / (1 + s) if b == 1 else -np.expm1(-b * np.log1p(s)) / b


def _ratio(s: Floats, b: float, times: Floats | float = 1.0) -> Floats:
    """So many times β/γ, which is 1/(1 + b) where nobody else contributes."""
    if b == 1:
        return floats(times * (1 + s) / (s + 2))
    with np.errstate(invalid="ignore"):
        return floats(times * np.where(s == 0, 1 / (1 + b), _saved(s, b) / _slope(s, b)))


def _weight(s: Floats, b: float) -> Floats:
    """γ²/β without overflow for large s."""
    if b == 1:
        return s / (1 + s) * ((s + 2) / (1 + s)) ** 2
    return _slope(s, b) / _ratio(s, b)


def _slack(alpha: ArrayLike) -> Floats:
    slack = 2.0 - floats(alpha)
    if not np.all((slack >= 0) & (slack <= 2)):
        raise InputError("alpha must lie in [0, 2]")
    return slack


def penalty_weight(
    reported_cost: ArrayLike, others: ArrayLike, curve: CurveLike, alpha: ArrayLike
) -> Floats:
    """λ of Eq. 6 (Lemma 1). 0 where nobody else contributes, ∞ at α = 2."""
    slack, m_star, s, b = _at_optimum(reported_cost, others, curve, alpha)
    numerator = floats(reported_cost) / m_star * _weight(s, b) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numerator == 0, 0.0, numerator / slack)[()]


def penalty_slope(reported_cost: ArrayLike, others: ArrayLike, curve: CurveLike) -> Floats:
    """g, the slope of P_fr at m* (Eq. 8): what free riding saves there."""
    _, _, s, b = _at_optimum(reported_cost, others, curve, 1.0)
    return floats(reported_cost) * _slope(s, b)


def free_rider_penalty(
    samples: ArrayLike,
    others: ArrayLike,
    reported_cost: ArrayLike,
    curve: CurveLike,
    alpha: ArrayLike,
) -> Floats:
    """P_fr(m, c) of Eq. 4 and 8, c the reported cost.

    At α = 2 it is 0 for m = m* and ∞ elsewhere; with S = 0 it is 0.

    >>> float(free_rider_penalty(4, 4, reported_cost=1.0, curve=16.0, alpha=1.0))
    1.0
    """
    slack, m_star, s, b = _at_optimum(reported_cost, others, curve, alpha)
    short = 1 - floats(samples) / m_star
    scale = floats(reported_cost) * m_star * _weight(s, b) / 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = scale / slack * (short + _ratio(s, b, slack)) ** 2
    return np.where((scale == 0) | ((slack == 0) & (short == 0)), 0.0, value)[()]


def rationality_gap(
    reported_cost: ArrayLike, others: ArrayLike, curve: CurveLike, alpha: ArrayLike
) -> Floats:
    """What PFL saves a compliant agent against training alone (Eq. 7): (α/2)·B(m*)."""
    slack, m_star, s, b = _at_optimum(reported_cost, others, curve, alpha)
    return (2 - slack) / 2 * floats(reported_cost) * m_star * _saved(s, b)


def largest_alpha(reported_cost: ArrayLike, others: ArrayLike, curve: CurveLike) -> Floats:
    """The largest α in Eq. 6 for which the penalty leaves an agent room to miss m*.

    As α → 2, λ → ∞ and the smallest miss costs more than all that federation brings. The
    smallest miss is half a sample, since samples are whole, or `MISS` of m*, whichever is more;
    λ·miss² ≤ B(m*) then asks for 2 − α ≥ ½·(miss/m*)²·(γ/β)², for many agents, b = 1 and a
    small m* 1/(8·m*²). An agent whose optimum is below half a sample cannot be near it
    whatever α is, and sets no limit.
    """
    _, m_star, s, b = _at_optimum(reported_cost, others, curve, 1.0)
    with np.errstate(over="ignore"):
        miss = np.maximum(0.5 / m_star, MISS)
        limit = 2 - (miss / _ratio(s, b)) ** 2 / 2
    return np.where(m_star < 0.5, 2.0, limit)[()]


def _at_optimum(
    reported_cost: ArrayLike, others: ArrayLike, curve: CurveLike, alpha: ArrayLike
) -> tuple[Floats, Floats, Floats, float]:
    """2 − α, m*, s = S/m* and b."""
    curve = curve_of(curve)
    m_star = curve.optimum(reported_cost)
    return _slack(alpha), m_star, floats(others) / m_star, curve.exponent
