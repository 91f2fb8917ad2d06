"""From how many samples on a member is admitted, and down to how many it is billed.

Billing at the minimum would pay free riders: a member could report a cost for which the minimum is
best, use one sample, and be billed for the minimum. So it is admitted with the minimum or more, and
billed for what it used, down to a third of that, the *billing floor*. (A half would do for b = 1,
and not below: docs/theory.md.)
"""

import math
from decimal import ROUND_CEILING
from fractions import Fraction
from functools import lru_cache

from .exact import as_fraction
from .subunits import root_in_decimals
from .terms import Terms


def least_admitted(terms: Terms, size: int = 1) -> int:
    """The fewest samples to join with (Ours).

    At least the minimum, and enough for the fee of the billing floor to be within the escrow.
    """
    if terms.escrow is None:
        return terms.minimum_samples
    # From ⌈(u·K/escrow)^(1/b)⌉ samples on a member's errors alone cost at most the escrow.
    ratio = size * terms.error_scale_in_units / terms.escrow
    return max(terms.minimum_samples, 3 * _root(ratio, as_fraction(terms.exponent)))


def billing_floor(terms: Terms, size: int = 1) -> int:
    """The fewest samples a member of this size is billed for (Ours).

    A third of the least that it is admitted with, rounded up.
    """
    return -(-least_admitted(terms, size) // 3)


@lru_cache(1 << 14)
def _root(ratio: Fraction, b: Fraction) -> int:
    """⌈ratio^(1/b)⌉, at least 1."""
    if b == 1:
        return max(1, math.ceil(ratio))
    return max(1, int(root_in_decimals(ratio, b).to_integral_value(ROUND_CEILING)))
