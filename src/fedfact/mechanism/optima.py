"""How many samples an agent wants to use: Theorems 1, 2 and 3.

``error_scale`` is A = γσ²L/2, ``cost`` is c_i per sample, ``others`` is S = Σ_{j≠i} m_j.
"""

import numpy as np

from ..arrays import MOST_SAMPLES, ArrayLike, Floats, Ints, floats
from ..errors import InputError


def local_optimum(cost: ArrayLike, error_scale: ArrayLike) -> Floats:
    """Samples that minimise the local loss (Thm 1): m* = √(A/c).

    >>> float(local_optimum(1.024e-7, 1.0))
    3125.0
    """
    optimum: Floats = np.sqrt(floats(error_scale) / floats(cost))
    return optimum


def whole_local_optimum(cost: ArrayLike, error_scale: ArrayLike) -> Ints:
    """Whole samples that minimise the local loss (Thm 1, integers): ⌊½ + √(¼ + A/c)⌋, at least 1.

    >>> int(whole_local_optimum(cost=0.16, error_scale=1.0))  # m* = 2.5
    3
    """
    optimum = np.floor(0.5 + np.sqrt(0.25 + floats(error_scale) / floats(cost)))
    if not np.all(optimum <= MOST_SAMPLES):
        raise InputError(
            f"a cost of {np.min(cost):g} per sample would make {np.max(optimum):.3g} samples best; "
            "do cost and error scale have the same unit?"
        )
    whole: Ints = optimum.astype(np.int64)
    return whole


def federated_optimum(cost: ArrayLike, others: ArrayLike, error_scale: ArrayLike) -> Floats:
    """Samples that minimise the plain federated loss (Thm 2; it needs the max): max(0, m* − S)."""
    optimum: Floats = np.maximum(0.0, local_optimum(cost, error_scale) - floats(others))
    return optimum


def penalised_optimum(reported_cost: ArrayLike, error_scale: ArrayLike) -> Floats:
    """Samples that minimise the penalised loss where the report is true (Thm 3): m* again."""
    return local_optimum(reported_cost, error_scale)
