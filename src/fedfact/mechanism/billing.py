"""From how many samples on a member is admitted, and down to how many it is billed.

Billing at the minimum would pay free riders: a member could report a cost for which the minimum is
best, use one sample, and be billed for the minimum. So it is admitted with the minimum or more, and
billed for what it used, down to a third of that, the *billing floor*. (A half would do for b = 1,
and not below: docs/theory.md.)
"""

from decimal import ROUND_CEILING
from functools import cache

from .exact import as_fraction
from .subunits import root_in_decimals
from .terms import Terms


@cache
def least_admitted(terms: Terms, size: int = 1) -> int:
    """The fewest samples to join with: the minimum, and such that the floor's fee is in escrow."""
    if terms.escrow is None:
        return terms.minimum_samples
    return max(terms.minimum_samples, 3 * _within_escrow(terms, size))


def billing_floor(terms: Terms, size: int = 1) -> int:
    """The fewest samples a member of this size is billed for: a third of the least, rounded up."""
    return -(-least_admitted(terms, size) // 3)


def _within_escrow(terms: Terms, size: int) -> int:
    """⌈(u·K/escrow)^(1/b)⌉: from there on the member's errors alone cost at most the escrow."""
    assert terms.escrow is not None
    ratio = size * terms.error_scale_in_units / terms.escrow
    b = as_fraction(terms.exponent)
    if b == 1:
        return max(1, -int(-ratio // 1))
    return max(1, int(root_in_decimals(ratio, b).to_integral_value(ROUND_CEILING)))
