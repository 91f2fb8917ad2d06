"""Errors as whole numbers of sub-units, the same on every machine: the ground of exact amounts.

    E(x) = K·x^(−b), K = A/unit, in sub-units of 2^(−20) of a minor unit (finer where agents have
    sizes, so that u·E is as fine), rounded up or down from a value of 40 decimal digits

(For b = 1, of the exact fraction.) All sums, differences and multiples are then integers. Floats
with a bound on their error decide all but the doubtful cases, close to a whole number; those are
worked out in decimals, whose logarithm and exponential are rounded correctly.
"""

import math
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ..arrays import Ints
from .exact import as_fraction, exact_sum
from .terms import Terms

BITS = 20
"""A sub-unit is 2^(−20) of a minor unit, and finer by the bits of the largest size."""

_DIGITS = 40
_WORKING = Context(prec=60, Emin=-(10**6), Emax=10**6)
_ROUNDED = Context(prec=_DIGITS, Emin=-(10**6), Emax=10**6)
_BLOCK = 1 << 15

Longs = npt.NDArray[np.longdouble]


@dataclass(frozen=True, slots=True, eq=False)
class SubUnits:
    """Amounts in whole sub-units: ``whole`` minor units and ``part`` sub-units, below 2^bits."""

    whole: Ints
    part: Ints
    bits: int

    def times(self, factor: Ints | int) -> "SubUnits":
        """So many times as much; factors up to 10^12, and products that fit."""
        shift = self.bits - BITS
        high, low = self.part >> BITS, self.part & (2**BITS - 1)
        # part = high·2^20 + low, each times the factor below 2^60
        lower = low * factor
        upper = high * factor + (lower >> BITS)
        if shift:
            whole = upper >> shift
            part = ((upper & (2**shift - 1)) << BITS) | (lower & (2**BITS - 1))
        else:
            whole, part = upper, lower & (2**BITS - 1)
        return SubUnits(self.whole * factor + whole, part, self.bits)

    def less(self, other: "SubUnits") -> "SubUnits":
        """The difference; ``part`` stays below 2^bits and not below 0."""
        borrow = self.part < other.part
        part = self.part - other.part + (borrow.astype(np.int64) << self.bits)
        return SubUnits(self.whole - other.whole - borrow, part, self.bits)

    def coarser(self, shift: Ints, *, up: bool) -> "SubUnits":
        """Rounded to sub-units 2^shift times as large, for each its own; counted in the same.

        What was rounded up is the same then as if it had been rounded up to these at once.
        """
        part = ((self.part + ((1 << shift) - 1 if up else 0)) >> shift) << shift
        return SubUnits(self.whole + (part >> self.bits), part & (2**self.bits - 1), self.bits)

    @property
    def ceiling(self) -> Ints:
        """In whole minor units, rounded up."""
        return self.whole + (self.part > 0)

    def total(self, count: Ints) -> tuple[int, int]:
        """The sum of so many of each, as whole minor units and a part below 2^bits."""
        carry, part = divmod(exact_sum(self.part * count), 2**self.bits)
        return exact_sum(self.whole * count) + carry, part


def bits_for(largest_size: int) -> int:
    """How fine sub-units are beside the largest size."""
    return BITS + (largest_size - 1).bit_length()


def bits_of_each(size: Ints) -> Ints:
    """The same for each size by itself."""
    bits: Ints = BITS + np.frexp(size - 1.0)[1].astype(np.int64)
    return bits


def errors(
    terms: Terms,
    samples: Ints,
    times: int = 1,
    over: Ints | int = 1,
    *,
    up: bool,
    bits: int = BITS,
) -> SubUnits:
    """E(x) of x = samples·times/over, elementwise, rounded up or down."""
    over = np.broadcast_to(np.asarray(over, np.int64), samples.shape)
    whole, part = np.empty_like(samples), np.empty_like(samples)
    for start in range(0, len(samples), _BLOCK):  # blocks that stay in the cache
        block = slice(start, start + _BLOCK)
        m, u = samples[block], over[block]
        value, error = _in_floats(terms, m, times, u, bits)
        units = np.floor(value / 2**bits)
        rest = value - units * 2**bits  # exact: both are multiples of the value's last digit
        nearest = np.rint(rest)
        rounded = (np.ceil(rest) if up else np.floor(rest)).astype(np.int64)
        whole[block] = units.astype(np.int64) + (rounded >> bits)
        part[block] = rounded & (2**bits - 1)
        for k in np.flatnonzero(np.abs(rest - nearest) <= error):
            exact = _exactly(terms, int(m[k]), times, int(u[k]), bits, up)
            whole[start + k], part[start + k] = divmod(exact, 2**bits)
    return SubUnits(whole, part, bits)


def _in_floats(
    terms: Terms, samples: Ints, times: int, over: Ints, bits: int
) -> tuple[Longs, Longs]:
    """E(x), and how far it may be off.

    With rounding errors of at most eps/2 each, and library functions that are right to 2 eps, x is
    off by eps, log x by eps(1 + 2·|log x|), and the exponential by b times that and 3 eps: twice
    that is allowed for.
    """
    K, b = terms.error_scale_in_units, as_fraction(terms.exponent)
    scale = longdouble(K * 2**bits)
    eps = np.finfo(np.longdouble).eps
    x: Longs = samples.astype(np.longdouble) * np.longdouble(times)
    x /= over
    if b == 1:
        value: Longs = scale / x
        return value, value * (6 * eps)
    log: Longs = np.log(x)
    value = scale * np.exp(-longdouble(b) * log)
    error: Longs = value * (eps * (10 + 6 * float(b) * (1 + np.abs(log))))
    return value, error


def _exactly(terms: Terms, samples: int, times: int, over: int, bits: int, up: bool) -> int:
    """E(x) as it is defined: in decimals, or in fractions where b = 1."""
    K, b = terms.error_scale_in_units * 2**bits, as_fraction(terms.exponent)
    if b == 1:
        value = K * over / (samples * times)
    else:
        value = Fraction(power_in_decimals(K, Fraction(samples * times, over), b))
    rounded: int = math.ceil(value) if up else math.floor(value)
    return rounded


def power_in_decimals(scale: Fraction, x: Fraction, b: Fraction) -> Decimal:
    """scale·x^(−b) to 40 digits."""
    with localcontext(_WORKING):
        power = (-decimal_of(b) * decimal_of(x).ln()).exp()
        return _ROUNDED.plus(decimal_of(scale) * power)


def root_in_decimals(ratio: Fraction, b: Fraction) -> Decimal:
    """ratio^(1/b) to 40 digits."""
    with localcontext(_WORKING):
        return _ROUNDED.plus((decimal_of(ratio).ln() / decimal_of(b)).exp())


def decimal_of(number: Fraction) -> Decimal:
    """A fraction as a decimal, to the digits of the context."""
    return Decimal(number.numerator) / Decimal(number.denominator)


def longdouble(number: Fraction) -> np.longdouble:
    """A fraction as the nearest float of the kind with the most digits that the machine has."""
    with localcontext(_WORKING):
        return np.longdouble(str(decimal_of(number)))
