"""Types of numbers and arrays."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
ArrayLike = npt.ArrayLike

Number = float | Fraction
"""A number of the terms. A float means the decimal it prints as: 0.1 is one tenth."""

SMALLEST, LARGEST = 1e-100, 1e100
"""Costs and scales outside of these are refused; within, no formula leaves the range of floats."""

IN_RANGE = f"above 0, from {SMALLEST:g} to {LARGEST:g}"

MOST_SAMPLES = 10**12
"""The most samples one agent may have."""


def floats(values: ArrayLike) -> Floats:
    """The values as an array of floats."""
    return np.asarray(values, dtype=np.float64)
