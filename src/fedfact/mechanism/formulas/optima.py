"""How many samples an agent wants to use: Theorems 1, 2 and 3.

``curve`` is the learning curve e(m), or the paper's A for A/m; ``cost`` is c_i per sample,
``others`` is S = Σ_{j≠i} m_j.
"""

import numpy as np

from ...arrays import MOST_SAMPLES, ArrayLike, Floats, Ints, floats
from ...errors import InputError
from ..curve import CurveLike, curve_of


def local_optimum(cost: ArrayLike, curve: CurveLike) -> Floats:
    """Samples that minimise the local loss (Thm 1): m* = √(A/c) for the paper's curve.

    >>> float(local_optimum(1.024e-7, 1.0))
    3125.0
    """
    return curve_of(curve).optimum(cost)


def whole_local_optimum(cost: ArrayLike, curve: CurveLike) -> Ints:
    """Whole samples that minimise the local loss (Thm 1, integers), at least 1.

    For A/m that is ⌊½ + √(¼ + A/c)⌋; for other curves one of the two numbers next to m*.

    >>> int(whole_local_optimum(cost=0.16, curve=1.0))  # m* = 2.5
    3
    """
    curve, c = curve_of(curve), floats(cost)
    if curve.exponent == 1:
        optimum = np.floor(0.5 + np.sqrt(0.25 + floats(curve.error_scale) / c))
    else:
        low = np.maximum(np.floor(curve.optimum(c)), 1.0)
        optimum = np.where(curve.saved(low, 1.0) > c, low + 1, low)
    if not np.all(optimum <= MOST_SAMPLES):
        raise InputError(
            f"a cost of {np.min(c):g} per sample would make {np.max(optimum):.3g} samples best; "
            "do cost and error scale have the same unit?"
        )
    whole: Ints = optimum.astype(np.int64)
    return whole


def federated_optimum(cost: ArrayLike, others: ArrayLike, curve: CurveLike) -> Floats:
    """Samples that minimise the plain federated loss (Thm 2; it needs the max): max(0, m* − S)."""
    optimum: Floats = np.maximum(0.0, local_optimum(cost, curve) - floats(others))
    return optimum


def penalised_optimum(reported_cost: ArrayLike, curve: CurveLike) -> Floats:
    """Samples that minimise the penalised loss where the report is true (Thm 3): m* again."""
    return local_optimum(reported_cost, curve)
