"""Exact integer amounts, fast: floors of K/a − K/b, of their sums, and of measured gains.

K = A/unit is a fraction, a and b are whole numbers of samples. Every result equals the floor of
the exact real number; floats only sort out the easy cases. Each quotient is kept as its whole
part (an integer) and its fractional part (a float with a known error). Then

    ⌊K/a − K/b⌋      = ⌊K/a⌋ − ⌊K/b⌋ − [frac(K/a) < frac(K/b)]
    Σ_j ⌊K/a_j − K/b⌋ = Σ_j ⌊K/a_j⌋ − n·⌊K/b⌋ − #{j : frac(K/a_j) < frac(K/b)}

so that a sum for every b costs one sort and one binary search, and only comparisons closer than
the float error are done again in Python's integers.
"""

import math
from fractions import Fraction

import numpy as np

from ..arrays import Bools, Floats, Ints, Number

MOST_MONEY = 2**62
"""Amounts, and sums of amounts, stay below this. Anything larger is refused."""

DOES_NOT_FIT = -(2**63)
"""Stands for an amount beyond `MOST_MONEY`, for the caller to refuse."""

_CLOSE = 2.0**-50  # twice the relative error of two fractional parts, and some


def as_fraction(number: Number) -> Fraction:
    """The number as a fraction; a float means the decimal it prints as.

    >>> as_fraction(0.1)
    Fraction(1, 10)
    """
    if isinstance(number, Fraction | int):
        return Fraction(number)
    return Fraction(repr(float(number)))


def exact_sum(amounts: Ints) -> int:
    """Sum of whole numbers, however large: low and high halves added apart."""
    return int((amounts >> 32).sum()) * 2**32 + int((amounts & (2**32 - 1)).sum())


def _divide(K: Fraction, divisor: Ints) -> tuple[Ints, Floats]:
    """Whole and fractional part of K/divisor; the latter to a relative error below 3·2⁻⁵³.

    Long division: K's whole part enters by its 63 highest bits and then by as many more at a time
    as a remainder has room for. What follows K's point only adds to the last remainder.
    """
    integer, decimals = divmod(K, 1)
    bits = 63 - int(divisor.max()).bit_length()
    shift = -(-max(0, integer.bit_length() - 63) // bits) * bits
    whole, rest = np.divmod(integer >> shift, divisor)
    while shift:
        shift -= bits
        more, rest = np.divmod((rest << bits) + (integer >> shift) % (1 << bits), divisor)
        whole = (whole << bits) + more
    return whole, (rest + float(decimals)) / divisor


def _fraction_less(K: Fraction, a: int, b: int) -> bool:
    return (K / a) % 1 < (K / b) % 1


def _less(K: Fraction, a: Ints, f: Floats, b: Ints, g: Floats) -> Bools:
    """frac(K/a) < frac(K/b), elementwise, given both parts as floats."""
    less: Bools = f < g
    for k in np.flatnonzero((g > 0) & (np.abs(f - g) <= _CLOSE * g)):
        less[k] = _fraction_less(K, int(a[k]), int(b[k]))
    return less


def floor_difference(K: Fraction, a: Ints, b: Ints | int) -> Ints:
    """⌊K/a − K/b⌋, elementwise, exactly.

    >>> floor_difference(Fraction(100), np.array([3, 7]), np.array([9, 9]))
    array([22,  3])
    """
    b = np.broadcast_to(np.asarray(b, np.int64), a.shape)
    whole_a, f = _divide(K, a)
    whole_b, g = _divide(K, b)
    return whole_a - whole_b - _less(K, a, f, b, g)


def sum_floor_differences(K: Fraction, a: Ints, count: Ints, b: Ints) -> Ints:
    """Σ_j count_j·⌊K/a_j − K/b⌋ for every b, exactly, in n log n; the a_j distinct.

    >>> sum_floor_differences(Fraction(100), np.array([3, 7]), np.array([1, 2]), np.array([9]))
    array([28])
    """
    whole_a, f = _divide(K, a)
    whole_b, g = _divide(K, b)
    order = np.argsort(f)
    f = f[order]
    below = np.concatenate(([0], np.cumsum(count[order])))
    low = np.searchsorted(f, g * (1 - _CLOSE))
    less = below[low]
    # From there on f may or may not be smaller than g, up to where it is larger for sure.
    sure = g * (1 + _CLOSE)
    for k in np.flatnonzero((g > 0) & (np.append(f, 1)[low] <= sure)):
        for j in order[low[k] : np.searchsorted(f, sure[k], side="right")]:
            if _fraction_less(K, int(a[j]), int(b[k])):
                less[k] += count[j]
    sums: Ints = (whole_a * count).sum() - count.sum() * whole_b - less
    return sums


def floor_gain(scale: Fraction, high: Floats, low: Floats) -> Ints:
    """⌊scale·(high − low)⌋, elementwise, exactly (or `DOES_NOT_FIT`)."""
    with np.errstate(over="ignore", invalid="ignore"):
        value = (high - low) * float(scale)
        error = 2.0**-50 * (np.abs(high) + np.abs(low)) * float(scale)
        doubtful = (high != low) & (np.abs(value - np.rint(value)) <= error)
    fits = np.abs(value) < MOST_MONEY
    floor = np.where(fits, np.floor(value), DOES_NOT_FIT).astype(np.int64)
    for k in np.flatnonzero(fits & doubtful):
        floor[k] = math.floor(scale * (as_fraction(high[k]) - as_fraction(low[k])))
    return floor
