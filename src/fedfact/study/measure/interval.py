"""A mean over seeds with its 95 % interval by Student's distribution.

Three numbers are too few for a bootstrap, and too few for 1.96 standard errors: with three seeds
the interval is 4.3 standard errors either way.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import t

LEVEL = 0.95


def estimate(values: Sequence[float]) -> dict[str, Any]:
    """Mean, both ends of the interval (None with one seed), and the values.

    >>> round(estimate([1.0, 2.0, 3.0])["low"], 4)  # 2 - 4.3027 * 1 / sqrt(3)
    -0.4841
    """
    numbers = [float(value) for value in values]
    mean, low, high = float(np.mean(numbers)), None, None
    if len(numbers) > 1:
        half = t.ppf((1 + LEVEL) / 2, len(numbers) - 1) * np.std(numbers, ddof=1)
        half = float(half) / math.sqrt(len(numbers))
        low, high = mean - half, mean + half
    return {"mean": mean, "low": low, "high": high, "seeds": numbers}
